"""Pages and the site they make."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from typing import Any, ClassVar, Generic, TypeVar

from sitegen.catalog.domain.provenance import Source
from sitegen.problems import SourceSpan
from sitegen.site.content.history import NO_HISTORY, History
from sitegen.site.content.site_settings import SiteSettings
from sitegen.site.dates import newest
from sitegen.site.plain_json import PlainJson
from sitegen.site.social_card import SocialCard
from sitegen.site.table import tables_in
from sitegen.values import dataclass

T = TypeVar("T")


TWIN, DATA, METADATA, MARKDOWN = "index.json", "data.csv", "metadata.json", "page.md"


SIGNPOSTS = frozenset({"not-found", "renamed", "removed"})
"""Kinds of page that say where something is or why it is gone."""


Read = tuple[str, ...]
"""Name of something that a page may be made of: ``("survey", "2x-rtx-3090")``."""
JUDGED: Read = ("judged",)
"""All that any verdict depends on."""
_RECORDS: list[dict[Read, None]] = []
"""Records that are being kept, the innermost last."""


def note(*reads: Read) -> None:
    """Say that something is read, to whoever keeps a record of it."""
    if _RECORDS:
        _RECORDS[-1].update(dict.fromkeys(reads))


@contextmanager
def recorded() -> Iterator[dict[Read, None]]:
    """Record the inputs that are read meanwhile; an outer record has them too."""
    reads: dict[Read, None] = {}
    _RECORDS.append(reads)
    try:
        yield reads
    finally:
        _RECORDS.pop()
        note(*reads)


@contextmanager
def unheard() -> Iterator[dict[Read, None]]:
    """Keep a record that no outer one has: what a page takes of it, it ``read`` or is ``given``."""
    reads: dict[Read, None] = {}
    _RECORDS.append(reads)
    try:
        yield reads
    finally:
        _RECORDS.pop()


REMEMBERED = 64
"""Values made on demand that are remembered: a page and those beside it have about ten."""


class Lazy(Generic[T]):
    """A value that is made when it is asked for, in the process that writes the page.

    The newest ``REMEMBERED`` of all are remembered: a page is written once, and the views of a
    whole site take more memory than its files. Whoever asks for a remembered value has read what
    it was made of all the same.
    """

    _newest: ClassVar[deque[Lazy[Any]]] = deque()

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: list[T] = []
        self._reads: Iterable[Read] = ()

    def value(self) -> T:
        """Return the value."""
        if self._made:
            note(*self._reads)
            return self._made[0]
        with recorded() as reads:
            made = self._make()
        self._made, self._reads = [made], tuple(reads)
        self._newest.append(self)
        if len(self._newest) > REMEMBERED:
            self._newest.popleft()._made = []
        return made

    @classmethod
    def forget(cls) -> None:
        """Remember no value: what they were made of is given up."""
        while cls._newest:
            cls._newest.popleft()._made = []


@dataclass(frozen=True, slots=True)
class Page:
    """One page: where it stands, what it shows, and the file that asked for it.

    ``shown`` is the view, or makes it: a view that is made later has tables. ``stated`` is what the
    JSON twin carries, with ``total`` entries; where it is ``None`` the twin carries the page's
    tables. ``sources`` are those of the page's own record.
    """

    url: str
    title: str
    template: str
    shown: object | Lazy[object]
    kind: str
    source: SourceSpan
    description: str
    stated: Mapping[str, PlainJson] | Lazy[Mapping[str, PlainJson]] | None = field(
        default=None, compare=False
    )
    total: int = 0
    card: SocialCard | None = None
    """Text of its picture on other sites; ``None`` for the site's own picture."""
    sources: tuple[Source, ...] = ()
    part: bool = False
    """Whether it shows more of the page above it, whose files have its data."""
    listed: bool = False
    """Whether those files say all that it says, so that it has none of its own."""
    given: str = ""
    """What it shows of work for many pages that was ``unheard``."""
    read: tuple[Read, ...] = field(default=(), compare=False)
    """What was read to name it and, ``unheard``, for no other page of its kind."""

    @property
    def view(self) -> object:
        """All that the template sees beside ``page`` and ``site``."""
        return self.shown.value() if isinstance(self.shown, Lazy) else self.shown

    @property
    def result(self) -> Mapping[str, PlainJson] | None:
        """Content of the JSON twin; ``None`` for the tables."""
        return self.stated.value() if isinstance(self.stated, Lazy) else self.stated

    @property
    def has_tables(self) -> bool:
        """Whether it shows any table."""
        return isinstance(self.shown, Lazy) or next(tables_in(self.shown), None) is not None

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files to take away that stand beside it."""
        if self.signpost or self.listed:
            return ()
        if self.part:
            return (MARKDOWN,)
        return (TWIN, DATA, METADATA, MARKDOWN) if self.has_tables else (TWIN, METADATA, MARKDOWN)

    @property
    def reviewed(self) -> str:
        """When somebody last opened a source of its record; empty where it has none."""
        return newest(source.read for source in self.sources)

    @property
    def signpost(self) -> bool:
        """Whether it only leads on: it has no facts of its own to take away."""
        return self.kind in SIGNPOSTS


@dataclass(frozen=True, slots=True)
class Site:
    """Every page by URL, in URL order."""

    settings: SiteSettings
    pages: Mapping[str, Page]
    history: History = NO_HISTORY
    reads: Mapping[str, tuple[Read, ...]] = field(default_factory=dict, compare=False)
    """By URL: what was read before a page was named, where a record was kept."""

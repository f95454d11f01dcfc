"""Pages of earlier builds: a page whose reads are the same is the same, whatever else has changed.

The key of a page names all that its record does not tell of: the program, the templates and fonts,
the settings, and the files of the catalog that any page may read. What the record tells of is
looked up under the page's address: a list of names, which says nothing wrong when it is old. The
digests of what these names stand for today make the key, so that the page under it is one whose
maker has read exactly these names, and found the same behind each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import orjson

from sitegen.inputs import ProjectFiles
from sitegen.pipeline.digests import Digests, digest_of_texts
from sitegen.pipeline.memory import Past
from sitegen.render.links import Mentions
from sitegen.site.content.site_settings import SiteSettings
from sitegen.site.page import Page, Read, recorded
from sitegen.store import digest_of
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Kept:
    """What a build has of a page.

    ``anchors`` are those of its rows, ``reads`` what was read for it alone; the end of a build
    takes what the page mentions, and the page packed for reading offline.
    """

    files: Mapping[str, bytes]
    anchors: tuple[str, ...]
    reads: tuple[Read, ...]
    mentions: Mentions
    packed: bytes


class PageMemory:
    """Looks pages of one build up, and keeps those that it makes."""

    def __init__(
        self,
        past: Past,
        project: ProjectFiles,
        settings: SiteSettings,
        digests: Digests,
        common: str,
    ) -> None:
        """Take what all pages have in common.

        Args:
            past: What earlier builds found.
            project: Templates and fonts, by name.
            settings: Of the site; its data version is for the pages that read it.
            digests: What stands behind names.
            common: Digest of what any page may read: of the catalog, and which views have pages.
        """
        self._memory, self._digests = past.memory, digests
        fonts = (part for name in sorted(project.fonts) for part in (name, project.fonts[name]))
        self._base = digest_of(
            "page",
            past.program,
            common,
            repr(replace(settings, data_version="")),
            digest_of_texts(project.templates),
            *fonts,
        )
        self._program = past.program
        self._hint = digest_of("reads of pages", past.program)
        self._names = _names(self._memory.get(self._hint))
        self._listed: dict[tuple[Read, ...], str] = {}

    def page(self, page: Page, before: tuple[Read, ...]) -> Kept | None:
        """Return a page that was made of the same.

        Args:
            page: Which one.
            before: What was read before it was named.
        """
        own = self._names.get(page.url)
        return None if own is None else _kept(self._memory.get(self._key(page, before, own)), own)

    def keep(self, page: Page, before: tuple[Read, ...], made: Kept) -> None:
        """Remember a page under what it was made of."""
        self._memory.put(self._key(page, before, made.reads), _written(made))

    def files(self, name: str, make: Callable[[], Mapping[str, bytes]]) -> Mapping[str, bytes]:
        """Return files that belong to no page, made of the same earlier or made now."""
        hint = digest_of("reads of files", name, self._program)
        for own in _names(self._memory.get(hint)).values():
            found = _kept(self._memory.get(self._files_key(name, own)), own)
            if found is not None:
                return found.files
        with recorded() as reads:
            made = make()
        own = tuple(sorted(reads))
        self._memory.put(hint, _listed_names({name: own}))
        whole = Kept(made, (), own, Mentions(frozenset(), {}), b"")
        self._memory.put(self._files_key(name, own), _written(whole))
        return made

    def _files_key(self, name: str, own: tuple[Read, ...]) -> str:
        return digest_of("files", self._base, name, *self._digests.told(own))

    def keep_names(self, names: Mapping[str, tuple[Read, ...]]) -> None:
        """Remember what the pages of this build were made of, by address."""
        if names != self._names:
            self._memory.put(self._hint, _listed_names(names))

    def _key(self, page: Page, before: tuple[Read, ...], own: tuple[Read, ...]) -> str:
        if before not in self._listed:
            self._listed[before] = digest_of(*self._digests.told(before))
        return digest_of(
            self._base, page.url, page.given, self._listed[before], *self._digests.told(own)
        )


def _written(made: Kept) -> bytes:
    sizes = [[path, len(content)] for path, content in made.files.items()]
    mentions = [sorted(made.mentions.anchors), dict(made.mentions.addresses)]
    about = orjson.dumps([made.anchors, mentions, sizes])
    return b"".join([about, b"\n", *made.files.values(), made.packed])


def _kept(content: bytes | None, reads: tuple[Read, ...]) -> Kept | None:
    if content is None:
        return None
    start = content.index(b"\n") + 1
    anchors, (ids, addresses), sizes = orjson.loads(content[:start])
    files = {}
    for path, size in sizes:
        files[path] = content[start : start + size]
        start += size
    mentions = Mentions(frozenset(ids), addresses)
    return Kept(files, tuple(anchors), reads, mentions, content[start:])


def _listed_names(names: Mapping[str, tuple[Read, ...]]) -> bytes:
    """Write names by address; each list of them once, because most pages share theirs."""
    lists = list(dict.fromkeys(names.values()))
    numbers = {one: number for number, one in enumerate(lists)}
    return orjson.dumps([lists, {url: numbers[one] for url, one in names.items()}])


def _names(content: bytes | None) -> Mapping[str, tuple[Read, ...]]:
    if content is None:
        return {}
    lists, numbers = orjson.loads(content)
    read = [tuple(tuple(name) for name in one) for one in lists]
    return {url: read[number] for url, number in numbers.items()}

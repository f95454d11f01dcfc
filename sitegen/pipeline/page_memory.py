"""Pages of earlier builds: a page whose reads are the same is the same, whatever else has changed.

The key of a page names all that its record does not tell of: the program, the templates and fonts,
the settings, and the files of the catalog that any page may read. What the record tells of is
looked up under the page's address: a list of names, which says nothing wrong when it is old. The
digests of what these names stand for today make the key, so that the page under it is one whose
maker has read exactly these names, and found the same behind each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import orjson

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.file_names import catalog_path
from sitegen.inputs import ProjectFiles
from sitegen.pipeline.memory import Past
from sitegen.pipeline.survey_keys import SurveyKeys
from sitegen.pipeline.telling import EVERY
from sitegen.site.content.site_settings import SiteSettings
from sitegen.site.page import Page, Read
from sitegen.store import digest_of
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Kept:
    """A page's files by path, the anchors of its rows, and what was read for it alone."""

    files: Mapping[str, bytes]
    anchors: tuple[str, ...]
    reads: tuple[Read, ...]


class Digests:
    """Says what stands behind the name of something that is read, as a digest."""

    def __init__(
        self, catalog: Catalog, project: ProjectFiles, settings: SiteSettings, keys: SurveyKeys
    ) -> None:
        self._catalog, self._keys = catalog, keys
        self._known: dict[Read, str] = {}
        claims = {
            path: text
            for path, text in project.catalog.items()
            if catalog_path(path).startswith("catalog/claims/")
        }
        self._whole: Mapping[str, Callable[[], str]] = {
            "catalog": keys.catalog,
            "records": keys.catalog,
            "claims": lambda: _digest_of_texts(claims),
            "content": lambda: _digest_of_texts(project.content),
            "version": lambda: settings.data_version,
            "warnings": lambda: digest_of(repr(catalog.warnings)),
        }

    def of(self, read: Read) -> str:
        """Return the digest of what a name stands for; of nothing where nothing has the name."""
        if read not in self._known:
            self._known[read] = self._made(read)
        return self._known[read]

    def _made(self, read: Read) -> str:
        kind, *more = read
        if not more:
            return self._whole[kind]()
        ids: Mapping[str, object] = (
            self._catalog.gpus if kind in {"gpu", "needs"} else self._catalog.combos
        )
        if more == [EVERY, "ids"]:
            return digest_of(*ids)
        if more == [EVERY]:
            return digest_of(*(part for id_ in ids for part in (id_, self.of((kind, id_)))))
        id_, *fields = more
        return self._of_one(kind, id_, fields) if id_ in ids else ""

    def _of_one(self, kind: str, id_: str, fields: list[str]) -> str:
        catalog = self._catalog
        if kind == "survey":
            return self._keys.combo(catalog.combos[id_])
        if kind == "needs":
            return self._keys.needs(catalog.gpus[id_])
        value = catalog.gpus[id_] if kind == "gpu" else catalog.combos[id_]
        return digest_of(repr(getattr(value, fields[0]))) if fields else self._keys.hardware(value)


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
            common: Digest of what any page may read of the catalog.
        """
        self._memory, self._digests = past.memory, digests
        fonts = (part for name in sorted(project.fonts) for part in (name, project.fonts[name]))
        self._base = digest_of(
            "page",
            past.program,
            common,
            repr(replace(settings, data_version="")),
            _digest_of_texts(project.templates),
            *fonts,
        )
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
        self._memory.put(self._key(page, before, made.reads), _packed(made))

    def keep_names(self, names: Mapping[str, tuple[Read, ...]]) -> None:
        """Remember what the pages of this build were made of, by address."""
        if names != self._names:
            self._memory.put(self._hint, _listed_names(names))

    def _key(self, page: Page, before: tuple[Read, ...], own: tuple[Read, ...]) -> str:
        if before not in self._listed:
            self._listed[before] = digest_of(*self._told(before))
        return digest_of(self._base, page.url, self._listed[before], *self._told(own))

    def _told(self, reads: Iterable[Read]) -> Iterable[str]:
        return (part for read in sorted(reads) for part in ("/".join(read), self._digests.of(read)))


def _packed(made: Kept) -> bytes:
    sizes = [[path, len(content)] for path, content in made.files.items()]
    return orjson.dumps([made.anchors, sizes]) + b"\n" + b"".join(made.files.values())


def _kept(content: bytes | None, reads: tuple[Read, ...]) -> Kept | None:
    if content is None:
        return None
    start = content.index(b"\n") + 1
    anchors, sizes = orjson.loads(content[:start])
    files = {}
    for path, size in sizes:
        files[path] = content[start : start + size]
        start += size
    return Kept(files, tuple(anchors), reads)


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


def _digest_of_texts(texts: Mapping[str, str]) -> str:
    return digest_of(*(part for path in sorted(texts) for part in (path, texts[path])))

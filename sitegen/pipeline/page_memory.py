"""Pages of earlier builds: a page whose reads are the same is the same, whatever else has changed.

The key of a page names all that its record does not tell of: the program, the templates and fonts,
the settings, and the files of the catalog that any page may read. What the record tells of is
looked up under the page's address: a list of names, which says nothing wrong when it is old. The
digests of what these names stand for today make the key, so that the page under it is one whose
maker has read exactly these names, and found the same behind each.

What the whole site needs of its pages stands in one entry, so that a page that is the same is
neither read nor hashed: its bytes are fetched where they are not published yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any

import orjson

from sitegen.inputs import ProjectFiles
from sitegen.output import ManifestEntry
from sitegen.pipeline.digests import Digests, digest_of_texts
from sitegen.pipeline.memory import Past
from sitegen.render.links import PageLinks
from sitegen.site.content.site_settings import SiteSettings
from sitegen.site.page import Page, Read, recorded
from sitegen.store import digest_of
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class PageBytes:
    """The bytes of a page: its files, the text that is searched, and the page packed."""

    files: Mapping[str, bytes]
    text: str
    packed: bytes


@dataclass(frozen=True, slots=True)
class Kept:
    """What a build has of a page.

    ``entries`` describe its files, ``anchors`` are those of its rows, ``reads`` what was read for
    it alone; ``said`` names the text that is searched, and is empty where none is. The bytes stand
    in the memory under ``key``, or are held where there is none.
    """

    entries: Mapping[str, ManifestEntry]
    anchors: tuple[str, ...]
    reads: tuple[Read, ...]
    links: PageLinks
    said: str
    key: str = ""
    held: PageBytes | None = None


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
        parts = (part for name in sorted(project.fonts) for part in (name, project.fonts[name]))
        self._program, self._fonts = past.program, digest_of(*parts)
        self._base = digest_of(
            "page",
            past.program,
            common,
            repr(replace(settings, data_version="")),
            digest_of_texts(project.templates),
            self._fonts,
        )
        self._hint = digest_of("pages", past.program)
        self._known = _pages(self._memory.get(self._hint))
        self._listed: dict[tuple[Read, ...], str] = {}

    def page(self, page: Page, before: tuple[Read, ...]) -> Kept | None:
        """Return a page that was made of the same.

        Args:
            page: Which one.
            before: What was read before it was named.
        """
        known = self._known.get(page.url)
        if known is None:
            return None
        key = self._key(page, before, known.reads)
        if key == known.key:
            both = self._memory.touch(key) and self._memory.touch(_files_of(key))
            return known if both else None
        found = _parts(self._memory.get(key))
        return _pages(found[0])[page.url] if found and self._memory.touch(_files_of(key)) else None

    def keep(self, page: Page, before: tuple[Read, ...], made: Kept, whole: PageBytes) -> Kept:
        """Remember a page under what it was made of; return what is known without its bytes."""
        key = self._key(page, before, made.reads)
        known = replace(made, key=key, held=None)
        self._memory.put(_files_of(key), _joined(whole.files))
        about, text = _written({page.url: known}), whole.text.encode()
        sizes = orjson.dumps([len(about), len(text)])
        self._memory.put(key, b"".join([sizes, b"\n", about, text, whole.packed]))
        return known

    def bytes_of(self, kept: Kept) -> PageBytes | None:
        """Fetch what a page is made of; nothing where it was lost since it was looked up."""
        files, rest = self._memory.get(_files_of(kept.key)), _parts(self._memory.get(kept.key))
        if files is None or rest is None:
            return None
        return PageBytes(_parted(files, kept.entries), rest[1].decode(), rest[2])

    def rest_of(self, kept: Kept) -> tuple[str, bytes] | None:
        """Fetch the text of a page that is searched, and the page packed."""
        found = _parts(self._memory.get(kept.key))
        return None if found is None else (found[1].decode(), found[2])

    def files(self, name: str, make: Callable[[], Mapping[str, bytes]]) -> Mapping[str, bytes]:
        """Return files that belong to no page, made of the same earlier or made now."""
        hint = digest_of("reads of files", name, self._program)
        told = self._memory.get(hint)
        if told is not None:
            own = tuple(tuple(read) for read in orjson.loads(told))
            found = _unpacked(self._memory.get(self._files_key(name, own)))
            if found is not None:
                return found
        with recorded() as reads:
            made = make()
        own = tuple(sorted(reads))
        self._memory.put(hint, orjson.dumps(own))
        self._memory.put(self._files_key(name, own), _packed(made))
        return made

    def made_of(
        self, name: str, parts: Iterable[str], make: Callable[[], Mapping[str, bytes]]
    ) -> Mapping[str, bytes]:
        """Return files that are made of nothing but what ``parts`` name, and of the program."""
        key = digest_of("made of", name, self._program, *parts)
        found = _unpacked(self._memory.get(key))
        if found is None:
            found = make()
            self._memory.put(key, _packed(found))
        return found

    def picture(
        self, page: Page, title: str, make: Callable[[], Mapping[str, bytes]]
    ) -> Mapping[str, bytes]:
        """Return the picture of a page, which says little of it and moves seldom."""
        return self.made_of("picture", (page.url, title, self._fonts, repr(page.card)), make)

    def _files_key(self, name: str, own: tuple[Read, ...]) -> str:
        return digest_of("files", self._base, name, self._told(own))

    def keep_pages(self, pages: Mapping[str, Kept]) -> None:
        """Remember what is known of the pages of this build, by address."""
        if any(self._known.get(url) is not one for url, one in pages.items()) or (
            len(pages) != len(self._known)
        ):
            self._memory.put(self._hint, _written(pages))

    def _told(self, reads: tuple[Read, ...]) -> str:
        if reads not in self._listed:
            self._listed[reads] = digest_of(*self._digests.told(reads))
        return self._listed[reads]

    def _key(self, page: Page, before: tuple[Read, ...], own: tuple[Read, ...]) -> str:
        return digest_of(self._base, page.url, page.given, self._told(before), self._told(own))


def _files_of(key: str) -> str:
    """Name the entry with the files of a page, beside the one with the rest."""
    return f"{key} files"


def _parts(content: bytes | None) -> tuple[bytes, bytes, bytes] | None:
    """Cut what is kept of a page beside its files: what is known of it, its text, it packed."""
    if content is None:
        return None
    begin = content.index(b"\n") + 1
    known, text = orjson.loads(content[:begin])
    middle = begin + known
    return content[begin:middle], content[middle : middle + text], content[middle + text :]


def _joined(files: Mapping[str, bytes]) -> bytes:
    return b"".join(files[path] for path in sorted(files))


def _parted(content: bytes, entries: Mapping[str, ManifestEntry]) -> Mapping[str, bytes]:
    files, start = {}, 0
    for path in sorted(entries):
        end = start + entries[path].size
        files[path] = content[start:end]
        start = end
    return files


def _packed(files: Mapping[str, bytes]) -> bytes:
    sizes = {path: len(files[path]) for path in sorted(files)}
    return b"".join([orjson.dumps(sizes), b"\n", _joined(files)])


def _unpacked(content: bytes | None) -> Mapping[str, bytes] | None:
    if content is None:
        return None
    start = content.index(b"\n") + 1
    files = {}
    for path, size in orjson.loads(content[:start]).items():
        files[path] = content[start : start + size]
        start += size
    return files


@dataclass(slots=True)
class _Numbered:
    """Values that many pages have, each written once and named by its number."""

    numbers: dict[Any, int] = field(default_factory=dict)

    def of(self, value: Any) -> int:
        return self.numbers.setdefault(value, len(self.numbers))

    def of_each(self, values: Iterable[Any]) -> list[int]:
        return [self.of(value) for value in values]


def _written(pages: Mapping[str, Kept]) -> bytes:
    """Write what is known of pages, without their bytes."""
    texts, reads = _Numbered(), _Numbered()
    told = [
        [
            url,
            one.key,
            reads.of(one.reads),
            one.said,
            texts.of_each(one.anchors),
            texts.of_each(sorted(one.links.anchors)),
            texts.of_each(sorted(one.links.leads)),
            texts.of_each(sorted(one.links.marks)),
            [[path, entry.sha256, entry.size] for path, entry in one.entries.items()],
        ]
        for url, one in pages.items()
    ]
    return orjson.dumps([list(texts.numbers), list(reads.numbers), told])


def _pages(content: bytes | None) -> dict[str, Kept]:
    """Read what was known of pages, by address."""
    if content is None:
        return {}
    texts, lists, told = orjson.loads(content)
    reads = [tuple(tuple(read) for read in one) for one in lists]

    def texts_of(numbers: Iterable[int]) -> Iterator[str]:
        return (texts[number] for number in numbers)

    return {
        url: Kept(
            {path: ManifestEntry(sha256, size) for path, sha256, size in files},
            tuple(texts_of(anchors)),
            reads[number],
            PageLinks(*(frozenset(texts_of(some)) for some in (ids, leads, marks))),
            said,
            key,
        )
        for url, key, number, said, anchors, ids, leads, marks, files in told
    }

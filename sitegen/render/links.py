"""Link check over finished files: every page, anchor and asset that a page names must exist."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import unescape
from sys import intern
from urllib.parse import unquote, urlsplit

from sitegen.catalog.text.source_text import SourceText
from sitegen.problems import Problem, SourceSpan, did_you_mean
from sitegen.site.content.authored_links import authored_links
from sitegen.values import dataclass

_ATTRIBUTE = re.compile(r' (id|href|src|action)="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Mentions:
    """Anchors of a page, and addresses it names with where they first stand in its text."""

    anchors: frozenset[str]
    addresses: Mapping[str, int]


def mentions(html: str) -> Mentions:
    """Find anchors and addresses in HTML of our own making.

    Every ``<`` and ``>`` that is not part of a tag is escaped there and every attribute is
    quoted, so a match is an attribute when the last bracket before it opens a tag.
    """
    anchors: set[str] = set()
    addresses: dict[str, int] = {}
    for match in _ATTRIBUTE.finditer(html):
        at = match.start()
        if html.rfind("<", 0, at) < html.rfind(">", 0, at):
            continue
        value = intern(unescape(match[2]))  # most pages name the same addresses
        if match[1] == "id":
            anchors.add(value)
        else:
            addresses.setdefault(value, at)
    return Mentions(frozenset(anchors), addresses)


@dataclass(frozen=True, slots=True)
class PageLinks:
    """What a check of the whole site needs of a page.

    ``leads`` are the files that it names, ``marks`` the anchors in them, after a ``#``.
    """

    anchors: frozenset[str]
    leads: frozenset[str]
    marks: frozenset[str]


def links_of(path: str, html: str, base_path: str = "/") -> PageLinks:
    """Find where a page of our own making leads inside the site.

    >>> found = links_of("a/index.html", '<a id="b" href="../c/#d"></a><a href="https://e.f"></a>')
    >>> sorted(found.anchors), sorted(found.leads), sorted(found.marks)
    (['b'], ['c/index.html'], ['c/index.html#d'])
    """
    page, leads, marks = mentions(html), set[str](), set[str]()
    for address in page.addresses:
        target = _resolved(path, address, base_path)
        if target is None:
            continue
        file, anchor = target
        leads.add(file if address else "")  # no file has an empty path: it is a fault
        if anchor and "=" not in anchor:  # such a one is what a page's script reads
            marks.add(f"{file}#{anchor}")
    return PageLinks(page.anchors, frozenset(leads), frozenset(marks))


def check(
    files: Mapping[str, bytes],
    sources: Mapping[str, SourceSpan] | None = None,
    *,
    base_path: str = "/",
    elsewhere: frozenset[str] = frozenset(),
    written: Mapping[str, str] | None = None,
    known: Mapping[str, PageLinks] | None = None,
) -> tuple[Problem, ...]:
    """Check every link inside the site and find pages that no page leads to.

    Args:
        files: Finished files by path.
        base_path: Where the site is published, for links that start with a slash.
        elsewhere: Pages that only links from outside lead to: addresses of before.
        sources: By file path, the file that asked for the page, where known; problems name it.
        written: Text of such files, in which the line of a link is looked for.
        known: What is known of pages, by file path, where somebody has looked; a page with a
            fault is read again.

    Returns:
        Problems, sorted.
    """
    looked = known or {}
    pages = {
        path: looked[path] if path in looked else links_of(path, files[path].decode(), base_path)
        for path in files
        if path.endswith(".html")
    }
    named = frozenset[str]().union(*(page.leads for page in pages.values()))
    lost = {path for path in named if path not in files}
    marks = frozenset[str]().union(*(page.marks for page in pages.values()))
    lost_marks = {mark for mark in marks if _is_lost(mark, pages)}
    reached = {"index.html", "404.html", *elsewhere}
    problems: list[Problem] = []
    for path, page in pages.items():
        reached |= page.leads - {path}
        if not (lost.isdisjoint(page.leads) and lost_marks.isdisjoint(page.marks)):
            every = _Everything(files, pages, base_path, written or {})
            problems += _faults(path, every, (sources or {}).get(path))
    problems += _orphans(pages, reached, sources or {})
    return tuple(sorted(set(problems)))


def _is_lost(mark: str, pages: Mapping[str, PageLinks]) -> bool:
    file, _, anchor = mark.partition("#")
    return file in pages and anchor not in pages[file].anchors


@dataclass(frozen=True, slots=True)
class _Everything:
    """What a link may lead to, and the sources that have it."""

    files: Mapping[str, bytes]
    pages: Mapping[str, PageLinks]
    base_path: str
    written: Mapping[str, str]


def _faults(path: str, every: _Everything, source: SourceSpan | None) -> Iterator[Problem]:
    """Yield what is wrong with the links of a page, each where it stands."""
    text = every.files[path].decode()
    for address, at in mentions(text).addresses.items():
        target = _resolved(path, address, every.base_path)
        if target is None:
            continue
        message, hint = _fault(address, target, every.files, every.pages)
        if message:
            span = source or _span(path, text, at)
            if source is not None and source.path in every.written:
                span = _written_span(source, every.written[source.path], path, target)
            yield Problem(span, "link", f"{path}: {message}", hint)


def _resolved(path: str, address: str, base_path: str) -> tuple[str, str] | None:
    """Return the file and the anchor that an address on a page leads to, if it is inside."""
    rooted = address.startswith(base_path)
    return _target(
        "" if rooted else posixpath.dirname(path),
        path if address[:1] in {"", "#"} else "",
        address.removeprefix(base_path) or "./" if rooted else address,
    )


def _span(path: str, text: str, at: int) -> SourceSpan:
    line = text.count("\n", 0, at) + 1
    return SourceSpan(path, line, at - text.rfind("\n", 0, at))


def _written_span(source: SourceSpan, text: str, path: str, target: tuple[str, str]) -> SourceSpan:
    """Return where an author wrote a link that leads to a target; the file where nobody did."""
    for link in authored_links(text):
        of_page = path if link.target[:1] in {"", "#"} else ""
        if _target("", of_page, link.target.removeprefix("/") or "./") == target:
            found = SourceText(source.path, text).problem_at("link", "", index=link.index)
            return found.span
    return source


@lru_cache(maxsize=65_536)
def _target(folder: str, path: str, address: str) -> tuple[str, str] | None:
    """Return the file and the anchor an address leads to, or ``None`` when it leads outside.

    ``path`` is the page itself, for addresses that name only an anchor.
    """
    if address.startswith("#"):
        return path, unquote(address[1:])
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return None
    if not parts.path:
        return path, unquote(parts.fragment)
    found = posixpath.normpath(posixpath.join(folder, unquote(parts.path)))
    if parts.path.endswith("/"):
        found = posixpath.join(found, "index.html").removeprefix("./")
    return found.lstrip("/"), unquote(parts.fragment)


def _fault(
    address: str,
    target: tuple[str, str],
    files: Mapping[str, bytes],
    pages: Mapping[str, PageLinks],
) -> tuple[str, str]:
    file, anchor = target
    if address == "":
        return "a link without an address", ""
    if file not in files:
        return f"the link '{address}' leads to no page", did_you_mean(file, files)
    is_state = "=" in anchor  # what a page's script reads, as that of composed builds does
    if anchor and not is_state and file in pages and anchor not in pages[file].anchors:
        near = did_you_mean(anchor, pages[file].anchors)
        return f"'{address}': {file} has no anchor '{anchor}'", near
    return "", ""


def _orphans(
    pages: Mapping[str, PageLinks], reached: set[str], sources: Mapping[str, SourceSpan]
) -> Iterator[Problem]:
    for path in pages:
        if path not in reached:
            span = sources.get(path) or SourceSpan(path)
            yield Problem(span, "orphan", f"{path}: no page leads here", "link it from somewhere")

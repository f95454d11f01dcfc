"""Link check over finished files: every page, anchor and asset that a page names must exist."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

from sitegen.problems import Problem, SourceSpan, did_you_mean

ADDRESS_ATTRIBUTES = {"href", "src"}


@dataclass(slots=True)
class _Mentions(HTMLParser):
    """Anchors of a page, and addresses it names, with their positions."""

    anchors: set[str] = field(default_factory=set)
    addresses: list[tuple[str, int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag is called and where it leads."""
        line, column = self.getpos()
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name in ADDRESS_ATTRIBUTES and tag != "base" and value is not None:
                self.addresses.append((value, line, column + 1))


def _mentions(html: bytes) -> _Mentions:
    parser = _Mentions()
    parser.feed(html.decode("utf-8"))
    return parser


def check(
    files: Mapping[str, bytes], sources: Mapping[str, SourceSpan] | None = None
) -> tuple[Problem, ...]:
    """Check every link inside the site and find pages that no page leads to.

    Args:
        files: Finished files by path.
        sources: By file path, the file that asked for the page, where known; problems name it.

    Returns:
        Problems, sorted.
    """
    pages = {path: _mentions(content) for path, content in files.items() if path.endswith(".html")}
    reached = {"index.html", "404.html"}
    problems: list[Problem] = []
    for path, page in pages.items():
        for address, line, column in page.addresses:
            target = _target(path, address)
            if target is None:
                continue
            if target[0] != path:
                reached.add(target[0])
            message, hint = _fault(address, target, files, pages)
            if message:
                span = (sources or {}).get(path) or SourceSpan(path, line, column)
                problems.append(Problem(span, "link", f"{path}: {message}", hint))
    problems += _orphans(pages, reached, sources or {})
    return tuple(sorted(set(problems)))


def _target(path: str, address: str) -> tuple[str, str] | None:
    """Return the file and the anchor an address leads to, or ``None`` when it leads outside."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return None
    if not parts.path:
        return path, unquote(parts.fragment)
    found = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(parts.path)))
    if parts.path.endswith("/"):
        found = posixpath.join(found, "index.html").removeprefix("./")
    return found.lstrip("/"), unquote(parts.fragment)


def _fault(
    address: str,
    target: tuple[str, str],
    files: Mapping[str, bytes],
    pages: Mapping[str, _Mentions],
) -> tuple[str, str]:
    file, anchor = target
    if address == "":
        return "a link without an address", ""
    if file not in files:
        return f"the link '{address}' leads to no page", did_you_mean(file, files)
    if anchor and file in pages and anchor not in pages[file].anchors:
        near = did_you_mean(anchor, pages[file].anchors)
        return f"'{address}': {file} has no anchor '{anchor}'", near
    return "", ""


def _orphans(
    pages: Mapping[str, _Mentions], reached: set[str], sources: Mapping[str, SourceSpan]
) -> Iterator[Problem]:
    for path in pages:
        if path not in reached:
            span = sources.get(path) or SourceSpan(path)
            yield Problem(span, "orphan", f"{path}: no page leads here", "link it from somewhere")

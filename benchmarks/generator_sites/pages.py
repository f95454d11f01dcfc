"""Reads a built site back into values: the words and tables of each page, and its JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CELL = re.compile(r"(?<!\\)\|")
ESCAPED = re.compile(r"\\([\\`*\[\]<|])")
LINK = re.compile(r"(?<!\\)\[((?:[^\]\\]|\\.)*)\]\(([^)]*)\)")
UNDER = re.compile(r"^\|(?:\s*-{2,}:?\s*\|)+\s*$")
FENCE = "```"


@dataclass(frozen=True)
class SitePage:
    """A page: address, title, its parts in their order, and its ``index.json`` where it has one."""

    url: str
    title: str
    parts: tuple[dict[str, Any], ...]
    result: bytes | None

    @property
    def words(self) -> bytes:
        """Address, title and parts as JSON."""
        said = {"url": self.url, "title": self.title, "parts": self.parts}
        return json.dumps(said, ensure_ascii=False).encode()

    @property
    def cells(self) -> int:
        """Cells of its tables, heads included."""
        return sum(len(part["columns"]) * (1 + len(part["rows"])) for part in self.tables)

    @property
    def tables(self) -> list[dict[str, Any]]:
        """The parts that are tables."""
        return [part for part in self.parts if "columns" in part]


def pages_of(site: Path) -> Iterator[SitePage]:
    """Read every page that has words; the page for what is not found has none."""
    for path in sorted(site.rglob("page.md")):
        folder = path.parent
        url = f"/{folder.relative_to(site).as_posix()}/" if folder != site else "/"
        text = path.read_text("utf-8")
        result = folder / "index.json"
        yield SitePage(
            url,
            text.partition("\n")[0].removeprefix("# ") or url,
            tuple(parts_of(text)),
            result.read_bytes() if result.is_file() else None,
        )


def parts_of(text: str) -> Iterator[dict[str, Any]]:
    r"""Cut Markdown into paragraphs and tables of values.

    >>> list(parts_of("# A\n\n| B | C |\n|---|--:|\n| [d](e) | 1 |"))[1]["rows"]
    [[{'text': 'd', 'href': 'e'}, '1']]
    """
    words: list[str] = []
    lines = text.split("\n")
    at, in_code = 0, False
    while at < len(lines):
        line = lines[at]
        if line.startswith(FENCE):
            in_code = not in_code
        below = lines[at + 1] if at + 1 < len(lines) else ""
        is_head = not in_code and line.startswith("|") and UNDER.match(below)
        if not is_head:
            words.append(line)
            at += 1
            continue
        if any(words):
            yield {"markdown": "\n".join(words)}
        words = []
        end = at + 2
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        yield table_of(lines[at:end])
        at = end
    if any(words):
        yield {"markdown": "\n".join(words)}


def table_of(lines: list[str]) -> dict[str, Any]:
    """Read a table: heads with whether numbers stand below them, and rows of values."""
    heads, unders, *rows = (
        [cell.strip() for cell in CELL.split(line.strip())[1:-1]] for line in lines
    )
    columns = [
        {"name": plain(head), "numeric": under.endswith(":")}
        for head, under in zip(heads, unders, strict=True)
    ]
    return {"columns": columns, "rows": [[value_of(cell) for cell in row] for row in rows]}


def value_of(cell: str) -> str | dict[str, str]:
    """Return a cell's text, or its text and address where all of it is a link."""
    link = LINK.fullmatch(cell)
    if link is not None:
        return {"text": plain(link[1]), "href": link[2]}
    return plain(cell)


def plain(text: str) -> str:
    """Take away what is markup in Markdown."""
    text = LINK.sub(r"\1", text)
    return ESCAPED.sub(r"\1", re.sub(r"(?<!\\)[*`]+", "", text))

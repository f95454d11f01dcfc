"""``page.md``: what a page says, as Markdown, converted from the page itself.

The page's own HTML is the source, so that the two cannot say different things. It is HTML of our
own writing: every attribute is quoted, every ``<`` of a text is escaped. Drawings and lists of
contents are left out; tables are written from their values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from html import unescape

from sitegen.render.data.grids import Grid, GridColumn
from sitegen.render.searchable import end_of
from sitegen.site.urls import CUSTOM_URL
from sitegen.values import dataclass

_TOKEN = re.compile(r"<(/?)([a-z][a-z0-9]*)([^>]*)>|([^<]+)")
_TAG = re.compile(r"<[^>]*>")
_ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')
_VALUE = re.compile(r'="[^"]*"')
_SPACES = re.compile(r"\s+")
_BLANK_LINES = re.compile(r"\n{3,}")
_SKIPPED = frozenset({"svg", "nav", "script", "form", "button", "select", "template"})
"""Elements whose content is no statement of the page."""
_VOID = frozenset({"br", "hr", "img", "input"})
"""Elements that have no content and no end."""
_BLOCKS = frozenset({
    "p", "div", "section", "article", "ul", "ol", "dl", "details", "summary", "figure", "aside",
    "figcaption", "blockquote", "caption", "thead", "table",
})  # fmt: skip
_UNSAID = frozenset({"permalink", "unseen"})
"""Classes of what is a sign for eyes, or said once more for screen readers."""
_PREFIXES = {"li": "- ", "dt": "- ", **{f"h{level}": f"{'#' * level} " for level in range(1, 7)}}
_LISTS = frozenset({"ol", "ul"})
_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*", "del": "~~", "s": "~~"}
_SPECIAL = "\\`*[]<|"
_COMPOSED = f"{CUSTOM_URL}index.html#"
"""In addresses of answers that a script makes: a link in each row would weigh more than the row."""
_CELL_END, _ROW_END = "\x1f", "\x1e"
"""Between cells and rows while a table is escaped; no text of a catalog may hold them."""


def page_markdown(html: str, grids: Iterable[Grid], closing: str) -> bytes:
    """Convert the main part of a page.

    Args:
        html: The whole page.
        grids: Its tables, by which those of the page that have an id are written.
        closing: A last paragraph, plain text: where this is from.
    """
    writer = _Writer({grid.id: grid for grid in grids})
    start = html.index(">", html.index("<main")) + 1
    writer.convert(html, start, html.index("</main>", start))
    text = _BLANK_LINES.sub("\n\n", "".join(writer.out)).strip()
    return f"{text}\n\n---\n\n{escaped(closing)}\n".encode()


def table_markdown(grid: Grid) -> str:
    """Write a table with the columns and values of ``data.csv``."""
    caption = escaped(grid.caption)
    if not grid.rows:
        return f"{caption}: none."
    heads = " | ".join([escaped(_heading(column)) for column in grid.fields])
    under = "|".join(["--:" if column.numeric else "---" for column in grid.fields])
    rows = escaped(_ROW_END.join([_CELL_END.join(row) for row in grid.rows]))
    body = rows.replace(_CELL_END, " | ").replace(_ROW_END, " |\n| ")
    count = f" ({len(grid.rows)})" if grid.counted else ""
    return f"**{caption}**{count}\n\n| {heads} |\n|{under}|\n| {body} |"


def escaped(text: str) -> str:
    r"""Put a backslash before what Markdown would read as markup; one line stays one.

    >>> escaped("a*b <i>")
    'a\\*b \\<i>'
    """
    for character in _SPECIAL:
        text = text.replace(character, f"\\{character}")
    return text.replace("\n", " ").replace("\r", " ")


def _heading(column: GridColumn) -> str:
    words = ", ".join(word for word in (column.note, column.unit, column.bound) if word)
    name = f"{column.heading} ({words})" if words else column.heading
    return f"{name}, more" if column.detail else name


@dataclass(slots=True)
class _Writer:
    """Walks over the tags of a page; ``line`` is the paragraph that is being written.

    ``lists`` are the lists around it: the number of the next item, 0 where they have no numbers.
    ``marked`` are the places in ``line`` where emphasis began.
    """

    grids: Mapping[str, Grid]
    out: list[str] = field(default_factory=list)
    line: list[str] = field(default_factory=list)
    marked: list[int] = field(default_factory=list)
    row: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    lists: list[int] = field(default_factory=list)
    prefix: str = ""
    in_code: bool = False
    in_head: bool = False
    in_row: bool = False

    def convert(self, html: str, at: int, end: int) -> None:
        """Convert a part of a page."""
        while at < end:
            match = _TOKEN.match(html, at, end)
            if match is None:
                at += 1
                continue
            at = match.end()
            closing, tag, attributes, text = match.groups()
            if text is not None:
                self.text(unescape(text))
            elif closing:
                self.close(tag)
            else:
                bare = _VALUE.sub("", attributes).split()
                hidden = "hidden" in bare and tag not in _VOID
                given = dict(_ATTRIBUTE.findall(attributes))
                at = end_of(html, tag, at) if hidden else self.open(html, at, tag, given)
        self.flush()

    def text(self, text: str) -> None:
        """Add text; white space of the template is one space."""
        if self.in_code:
            self.line.append(_SPACES.sub(" ", text).replace("`", "'"))
        else:
            self.line.append(escaped(_SPACES.sub(" ", text)))

    def open(self, html: str, at: int, tag: str, given: Mapping[str, str]) -> int:
        """Begin an element; return where to go on."""
        unsaid = given.get("aria-hidden") == "true" or given.get("class") in _UNSAID
        if tag in _SKIPPED or unsaid:
            return end_of(html, tag, at)
        if tag == "table" and given.get("id") in self.grids:
            self.flush()
            self.out.append(f"\n\n{table_markdown(self.grids[given['id']])}\n\n")
            return html.index("</table>", at) + len("</table>")
        if tag == "pre":
            end = html.index("</pre>", at)
            self.block(unescape(_TAG.sub("", html[at:end])))
            return end + len("</pre>")
        if tag in _MARKS:
            self.marked.append(len(self.line))
        elif tag == "a":
            address = unescape(given.get("href", ""))
            stays = not (self.in_row and _COMPOSED in address)
            self.line.append("[" if stays else "")
            self.links.append(address if stays else "")
        elif tag == "br":
            self.line.append("; ")
        elif tag == "code":
            self.code(begins=True)
        elif tag in _PREFIXES:
            self.flush()
            self.prefix = _PREFIXES[tag]
            if tag == "li" and self.lists and self.lists[-1]:
                self.prefix = f"{self.lists[-1]}. "
                self.lists[-1] += 1
        elif tag in _BLOCKS and not self.prefix:
            self.flush()
        if tag in _LISTS:
            self.lists.append(int(given.get("start", "1")) if tag == "ol" else 0)
        self.in_head = self.in_head or tag == "thead"
        self.in_row = self.in_row or tag == "tr"
        return at

    def close(self, tag: str) -> None:
        """End an element."""
        if tag in _MARKS:
            self.mark(_MARKS[tag])
        elif tag == "a" and self.links:
            address = self.links.pop().replace(" ", "%20").replace(")", "%29")
            self.line.append(f"]({address})" if address else "")
        elif tag == "code":
            self.code(begins=False)
        elif tag in {"td", "th"}:
            self.row.append(self.taken())
        elif tag == "tr":
            self.end_row()
        elif tag == "dt":
            self.line.append(": ")
        elif tag in _BLOCKS or tag in _PREFIXES or tag == "dd":
            self.flush()
        if tag in _LISTS and self.lists:
            self.lists.pop()
        self.in_head = self.in_head and tag != "thead"
        self.in_row = self.in_row and tag != "tr"

    def mark(self, sign: str) -> None:
        """Put signs around the words since a mark began, and spaces outside of them."""
        start = self.marked.pop() if self.marked else len(self.line)
        words = "".join(self.line[start:])
        del self.line[start:]
        before = words[: len(words) - len(words.lstrip())]
        after = words[len(words.rstrip()) :] if words.strip() else ""
        self.line.append(f"{before}{sign}{words.strip()}{sign}{after}" if words.strip() else before)

    def code(self, *, begins: bool) -> None:
        """Begin or end code inside a line."""
        self.in_code = begins
        self.line.append("`")

    def block(self, code: str) -> None:
        """Write a block of code."""
        self.flush()
        self.out.append(f"\n\n```\n{code.rstrip()}\n```\n\n")

    def end_row(self) -> None:
        """Write a row of a table that is part of a text."""
        self.out.append(f"\n| {' | '.join(self.row)} |")
        if self.in_head:
            self.out.append(f"\n|{'---|' * len(self.row)}")
        self.row = []

    def taken(self) -> str:
        """Return the paragraph, and begin the next one."""
        text, self.line = _SPACES.sub(" ", "".join(self.line)).strip(), []
        return text

    def flush(self) -> None:
        """End the paragraph."""
        text = self.taken()
        if text:
            before = "\n\n" if self.prefix.startswith("#") or not self.prefix else "\n"
            self.out.append(f"{before}{self.prefix}{text}")
        self.prefix = ""

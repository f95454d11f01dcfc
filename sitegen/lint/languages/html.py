"""Code of HTML pages: what stands in ``pre``; a page without any is read as running text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from html.parser import HTMLParser

from sitegen.catalog.text.source_text import SourceText, line_starts
from sitegen.lint.languages.plain_text import guessed, snippets_of_text
from sitegen.lint.snippets import LANGUAGES, Snippet, Surroundings
from sitegen.recipes.recipe import Language

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
SILENT = ("script", "style", "template", "noscript")
BLOCKS = ("p", "div", "li", "br", "tr", "section", "article", "ul", "ol", "table", *HEADINGS)
_LANGUAGE = re.compile(r"(?:language|lang|highlight|brush)[-: ]+(?:source-)?(\w+)")


class _Text:
    """Characters with the place in the file that each run of them comes from."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.breaks: list[tuple[int, int]] = []
        self.size = 0

    def add(self, text: str, at: int) -> None:
        """Append a run."""
        self.breaks.append((self.size, at))
        self.parts.append(text)
        self.size += len(text)

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self.parts)


class _CodeCollector(HTMLParser):
    """Collects blocks of code and the headings above them."""

    def __init__(self, source: SourceText) -> None:
        super().__init__(convert_charrefs=False)
        self.source = source
        self.starts = line_starts(source.text)
        self.found: list[tuple[_Text, str, Surroundings]] = []
        self.whole = _Text()
        self.code: _Text | None = None
        self.language = ""
        self.headings: list[tuple[int, str]] = []
        self.heading: list[str] | None = None
        self.paragraph: list[str] = []
        self.silent = 0

    @property
    def at(self) -> int:
        """Index in the file of what is being read."""
        line, column = self.getpos()
        return self.starts[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a block of code or a heading."""
        named = _LANGUAGE.search(" ".join(value or "" for name, value in attrs if name == "class"))
        if tag in SILENT:
            self.silent += 1
        elif tag == "pre":
            self.code, self.language = _Text(), named[1] if named else self.language
        elif tag in HEADINGS:
            self.heading = []
        elif tag == "p":
            self.paragraph = []
        if named is not None and tag in {"code", "div"}:
            self.language = named[1]
        if tag in BLOCKS:
            (self.code or self.whole).add("\n", self.at)

    def handle_endtag(self, tag: str) -> None:
        """Close it."""
        if tag in SILENT:
            self.silent = max(0, self.silent - 1)
        elif tag == "pre" and self.code is not None:
            around = Surroundings(
                "".join(self.paragraph), tuple(name for _, name in reversed(self.headings))
            )
            self.found.append((self.code, self.language, around))
            self.code, self.language = None, ""
        elif tag in HEADINGS and self.heading is not None:
            level = int(tag[1])
            self.headings = [one for one in self.headings if one[0] < level]
            self.headings.append((level, "".join(self.heading).strip()))
            self.heading, self.paragraph = None, []
        if tag in BLOCKS:
            self.whole.add("\n", self.at)

    def handle_data(self, data: str) -> None:
        """Keep text where it belongs."""
        if self.silent:
            return
        if self.code is not None:
            self.code.add(data, self.at)
            return
        self.whole.add(data, self.at)
        (self.paragraph if self.heading is None else self.heading).append(data)

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Pass over ``<![…>`` as browsers do; the parser stops at a word that it does not know."""
        return self.parse_bogus_comment(i, report)

    def handle_entityref(self, name: str) -> None:
        """Keep the character that a name stands for."""
        self.handle_data(html.unescape(f"&{name};"))

    def handle_charref(self, name: str) -> None:
        """Keep the character that a number stands for."""
        self.handle_data(html.unescape(f"&#{name};"))


def snippets_of_html(source: SourceText) -> Iterator[Snippet]:
    """Yield the code of an HTML page."""
    page = _CodeCollector(source)
    page.feed(source.text)
    page.close()
    for code, word, around in page.found:
        text = code.text
        language: Language | None = LANGUAGES.get(word.lower()) or guessed(text)
        if language is not None:
            yield Snippet(source, text, language, tuple(code.breaks) or ((0, 0),), around)
    if not page.found:
        breaks = tuple(page.whole.breaks) or ((0, 0),)
        yield from snippets_of_text(source, page.whole.text, breaks)

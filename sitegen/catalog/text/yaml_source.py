"""YAML text to plain values: a guarded composer over the events of the C parser.

The C parser is never asked to build anything: it crashes the interpreter on deep nesting. Events
are streamed instead, and what a catalog has no use for (anchors, aliases, tags, merge keys,
several documents) is refused where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import TypeAlias, cast

import yaml
from yaml import CSafeLoader
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)

from sitegen.catalog.text.positions import start
from sitegen.catalog.text.scalars import ScalarError, plain_value
from sitegen.catalog.text.source_text import (
    SourceText,
    decomposed_position,
    describe,
    forbidden_positions,
    quoted,
    text_problems,
)
from sitegen.problems import Problem
from sitegen.values import dataclass

_SYNTAX = {
    "mapping values are not allowed in this context": "a `:` where no key can be",
    "could not find expected ':'": "a key without `:`",
    "did not find expected key": "a key was expected here",
    "did not find expected ',' or ']'": "a list that is not closed with `]`",
    "did not find expected ',' or '}'": "a mapping that is not closed with `}`",
    "did not find expected node content": "a value was expected here",
    "found character that cannot start any token": "a character that cannot start a value",
    "found unexpected end of stream": "a quoted text that is not closed",
    "did not find expected '-' indicator": "a list item was expected here",
    "block sequence entries are not allowed in this context": "a list item in the wrong place",
}


_SYNTAX_HINT = "indent with spaces; quote text that contains `: ` or starts with @ ` & * ! | > % ["
_OPEN_HINT = "close it where it ends; if it is meant as text, quote all of it"


def syntax_problem(source: SourceText, error: yaml.MarkedYAMLError) -> Problem:
    """Build the problem for text that is not YAML, where an author would look for it."""
    open_quote = _open_quote(source.text)
    if open_quote is not None:
        wording, (line, column) = _SYNTAX["found unexpected end of stream"], start(open_quote)
        hint = _OPEN_HINT
        return source.problem("yaml-syntax", wording, line=line, column=column, hint=hint)
    wording = _SYNTAX.get(error.problem or "", error.problem or "not YAML")
    # What is never closed is noticed at the end of the file; the author wants the beginning.
    first, second = error.problem_mark, error.context_mark
    is_open = "not closed" in wording
    mark = (second or first) if is_open else (first or second)
    hint = _OPEN_HINT if is_open else _SYNTAX_HINT
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    return source.problem("yaml-syntax", wording, line=line, column=column, hint=hint)


def _open_quote(text: str) -> ScalarEvent | None:
    """Return the first quoted text that runs over a line indented no deeper than its own.

    The quote that ends it is the one that was to open a later text, where the parser gives up.
    """
    lines = text.split("\n")
    try:
        for event in _events(text):
            ends = event.end_mark
            if type(event) is ScalarEvent and event.style in ("'", '"') and ends is not None:
                first, last = start(event)[0] - 1, ends.line
                own = _indent(lines[first])
                swallowed = lines[first + 1 : last + 1]
                if any(line.strip() and _indent(line) <= own for line in swallowed):
                    return event
    except yaml.MarkedYAMLError:
        pass
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


MAX_DEPTH = 64
MAX_PROBLEMS = 50

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""Values of a YAML file of the catalog."""


def compose(source: SourceText) -> tuple[Plain, tuple[Problem, ...]]:
    """Turn a YAML file into plain values.

    Args:
        source: The file; line ends are single line feeds.

    Returns:
        The value and every problem of the text. With a problem the value is not to be used.
    """
    problems = tuple(text_problems(source))
    if problems:
        return None, problems
    composer = _Composer(source)
    try:
        composer.run()
    except yaml.MarkedYAMLError as error:
        composer.problems.append(syntax_problem(source, error))
    except _ReportedError:
        pass
    return (composer.root[0] if composer.root else None), tuple(composer.problems)


class _ReportedError(Exception):
    """The rest of the file cannot be understood, which a problem says."""


@dataclass(slots=True)
class _Frame:
    """A list or mapping that is being filled; ``lines`` says where a mapping's keys stand."""

    container: list[Plain] | dict[str, Plain]
    keyed: bool = False
    key: str | None = None
    lines: dict[str, int] = field(default_factory=dict)

    def add(self, value: Plain) -> None:
        if self.keyed:
            cast("dict[str, Plain]", self.container)[cast(str, self.key)] = value
            self.key = None
        else:
            cast("list[Plain]", self.container).append(value)


def _events(text: str) -> Iterator[yaml.Event]:
    """Yield the events of a text, each straight from the C parser."""
    loader = CSafeLoader(text)
    try:
        yield from iter(loader.get_event, None)
    finally:
        loader.dispose()


class _Composer:
    """One walk over the events of one file."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.root: list[Plain] = []
        self.documents = 0
        self.has_escapes = "\\" in source.text

    def run(self) -> None:
        """Fill ``root`` with the document's value."""
        frame = _Frame(self.root)
        outer: list[_Frame] = []
        for event in _events(self.source.text):
            if type(event) is ScalarEvent:
                if frame.keyed and frame.key is None:
                    frame.key = self.key(event, frame.lines)
                else:
                    frame.add(self.scalar(event))
            elif isinstance(event, CollectionStartEvent):
                outer.append(frame)
                frame = self.opened(event, frame, depth=len(outer))
            elif isinstance(event, CollectionEndEvent):
                frame = outer.pop()
            else:
                self.other(event)
        if not self.root:
            self.problems.append(self.source.problem("yaml-empty", "the file is empty"))

    def scalar(self, event: ScalarEvent) -> Plain:
        """Give a scalar its meaning."""
        text = event.value
        if event.tag is not None or event.anchor is not None:
            self.check_node(event)
        if event.style:
            if event.style == '"' and self.has_escapes:
                self.check_escapes(event, text)
            return text
        try:
            return plain_value(text)
        except ScalarError as error:
            self.report(event, "yaml-number", str(error))
            return None

    def key(self, event: ScalarEvent, lines: dict[str, int]) -> str:
        """Check and return a key."""
        key = self.scalar(event)
        if key == "<<" and not event.style:
            self.report(event, "yaml-anchor", "merge keys are not allowed", "write the keys out")
        if not isinstance(key, str):
            hint = f'quote it: "{event.value}"' if event.value else ""
            self.report(event, "yaml-key", f"a key must be text, not {quoted(key)}", hint)
            key = event.value
        if key in lines:
            message = f"the key {quoted(key)} stands here a second time"
            self.report(event, "yaml-duplicate", message, f"the first is on line {lines[key]}")
        lines.setdefault(key, start(event)[0])
        return key

    def opened(self, event: CollectionStartEvent, parent: _Frame, *, depth: int) -> _Frame:
        """Check a list or mapping where it starts, and add it to its parent."""
        if depth > MAX_DEPTH:
            self.report(event, "yaml-depth", f"nested deeper than {MAX_DEPTH} levels")
            raise _ReportedError
        if parent.keyed and parent.key is None:
            self.report(event, "yaml-key", "a key must be text, not a list or mapping")
            raise _ReportedError
        if event.tag is not None or event.anchor is not None:
            self.check_node(event)
        keyed = isinstance(event, MappingStartEvent)
        frame = _Frame({} if keyed else [], keyed)
        parent.add(frame.container)
        return frame

    def check_node(self, event: ScalarEvent | CollectionStartEvent) -> None:
        """Report an anchor or a tag."""
        if event.anchor is not None:
            message = f"anchors are not allowed: {quoted('&' + event.anchor)}"
            self.report(event, "yaml-anchor", message, "write the value out where it is used")
        if event.tag is not None:
            message = f"tags are not allowed: {quoted(event.tag)}"
            self.report(event, "yaml-tag", message, "remove it; quote the value if it is text")

    def check_escapes(self, event: ScalarEvent, text: str) -> None:
        """Report characters that a double-quoted text smuggles in by escapes."""
        for index in forbidden_positions(text, limit=1):
            message = f"the character {describe(text[index])} is not allowed"
            self.report(event, "character", message, "remove the escape")
        if decomposed_position(text) is not None:
            self.report(event, "not-nfc", "letter and accent are two characters here")

    def other(self, event: yaml.Event) -> None:
        """Refuse aliases, directives and second documents."""
        if isinstance(event, NodeEvent | AliasEvent):
            message = f"aliases are not allowed: {quoted('*' + (event.anchor or ''))}"
            self.report(event, "yaml-anchor", message, "write the value out")
            raise _ReportedError
        if isinstance(event, DocumentStartEvent):
            self.documents += 1
            if event.version or event.tags:
                self.report(event, "yaml-directive", "`%` directives are not allowed", "remove it")
            if self.documents > 1:
                message, hint = "a second document starts here", "one record per file"
                self.report(event, "yaml-documents", message, hint)
                raise _ReportedError

    def report(self, event: yaml.Event, code: str, message: str, hint: str = "") -> None:
        """Note a problem where an event starts; stop when there are too many."""
        line, column = start(event)
        problem = self.source.problem(code, message, line=line, column=column, hint=hint)
        self.problems.append(problem)
        if len(self.problems) == MAX_PROBLEMS:
            raise _ReportedError

"""What the YAML parser says, in words for people who write catalogs."""

from __future__ import annotations

import yaml

from sitegen.catalog.source_text import SourceText
from sitegen.problems import Problem

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


def syntax_problem(source: SourceText, error: yaml.MarkedYAMLError) -> Problem:
    """Build the problem for text that is not YAML, where an author would look for it."""
    wording = _SYNTAX.get(error.problem or "", error.problem or "not YAML")
    # What is never closed is noticed at the end of the file; the author wants the beginning.
    first, second = error.problem_mark, error.context_mark
    mark = (second or first) if "not closed" in wording else (first or second)
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    return source.problem("yaml-syntax", wording, line=line, column=column, hint=_SYNTAX_HINT)

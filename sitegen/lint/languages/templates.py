"""Templates of configurations: placeholders in place of what a program would insert."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from sitegen.lint.snippets import Snippet
from sitegen.recipes.recipe import Language

LONGEST_MARK = 120
"""Signs of a placeholder that the shell's reader knows as one."""
_DIRECTIVE = re.compile(
    r"[ \t]*(?:\{\{-?[ \t]*(?:/\*|if|else|end|range|with|define|template|include|toYaml"
    r"|tpl|block|\$\w+)[^\n]*?\}\}|\{%[^\n]*%\})[ \t]*"
)
"""A line that only directs a template."""
_INSERTED = re.compile(r"\{\{[^\n]*?\}\}(?:`\}\})?")
_NEXT = re.compile(r"(?m)^---[^\n]*\n")


def documents(snippet: Snippet) -> Iterator[Snippet]:
    """Part a configuration into its documents, placeholders in place of what templates insert."""
    if snippet.language is not Language.YAML:
        yield snippet
        return
    text = snippet.text
    if "{{" in text or "{%" in text:
        text = "\n".join(_directed(text.split("\n")))
        text = _INSERTED.sub(_marked, text)
        snippet = replace(snippet, text=text)
    marks = [(found.start(), found.end()) for found in _NEXT.finditer(text)]
    for (_, start), (end, _) in pairwise(((0, 0), *marks, (len(text), 0))):
        yield snippet.part(start, end, Language.YAML) if marks else snippet


def _directed(lines: list[str]) -> Iterator[str]:
    """Blank the lines that only direct a template; a command that goes on goes on over them."""
    goes_on = False
    for line in lines:
        if _DIRECTIVE.fullmatch(line):
            yield " " * (len(line) - 1) + "\\" if goes_on and line else " " * len(line)
            continue
        goes_on = line.rstrip().endswith("\\")
        yield line


def _marked(match: re.Match[str]) -> str:
    """Write a placeholder as long as what a template would replace."""
    size = len(match[0]) - 2
    return (
        "<" + "_" * size + ">"
        if size <= LONGEST_MARK
        else f"<{'_' * LONGEST_MARK}>".ljust(len(match[0]))
    )

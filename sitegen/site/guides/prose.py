"""A document's text with everything it refers to resolved, ready to be rendered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sitegen.problems import Problem
from sitegen.site.cells import Cell
from sitegen.site.content.documents import Document
from sitegen.site.content.references import (
    Notation,
    NotUnderstood,
    find_directives,
    find_malformed,
    find_references,
)
from sitegen.site.guides.directives import Block, resolve_directive
from sitegen.site.guides.reference_values import resolve_reference
from sitegen.site.inputs import SiteInputs
from sitegen.values import dataclass

SYNTAX_HINT = "the notation is in docs/content.md"


@dataclass(frozen=True, slots=True)
class Prose:
    """Markdown, and by inner text what its references and directives stand for."""

    markdown: str
    values: Mapping[str, Cell]
    blocks: Mapping[str, Block]


def resolve_prose(document: Document, inputs: SiteInputs) -> tuple[Prose, tuple[Problem, ...]]:
    """Resolve every reference and directive of a document; the problems point into its file."""
    problems: list[Problem] = []
    values: dict[str, Cell] = {}
    blocks: dict[str, Block] = {}
    for notation in find_references(document.body):
        try:
            values[notation.inner] = resolve_reference(notation.inner, inputs)
        except NotUnderstood as error:
            problems.append(problem_of(document, notation, error))
    for number, notation in enumerate(find_directives(document.body), 1):
        try:
            block = resolve_directive(notation.inner, inputs, id=f"table-{number}")
            blocks.setdefault(notation.inner, block)
        except NotUnderstood as error:
            problems.append(problem_of(document, notation, error))
    problems += malformed(document)
    return Prose(document.body, values, blocks), tuple(problems)


def problem_of(document: Document, notation: Notation, error: NotUnderstood) -> Problem:
    """Return the problem of a piece of notation, at its place in the file."""
    index = document.body_index + notation.index
    hint = error.hint or SYNTAX_HINT
    return document.source.problem_at("reference", error.message, index=index, hint=hint)


def malformed(document: Document) -> Iterator[Problem]:
    """Yield a problem for each text that looks like the notation and is not."""
    message = "this looks like a reference or a directive and is not one"
    for index in find_malformed(document.body):
        at = document.body_index + index
        yield document.source.problem_at("reference", message, index=at, hint=SYNTAX_HINT)

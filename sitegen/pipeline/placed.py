"""What is found wrong with values, at its place in the files that they were read from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.records.parts import Record
from sitegen.problems import Finding, Problem, Severity


def placed(findings: Iterable[Finding], records: CatalogRecords) -> tuple[Problem, ...]:
    """Point each finding at its keys; what has no file yet is pointed at where it should stand."""
    found = tuple(findings)
    by_path = _by_path(records) if found else {}
    return tuple(_placed(one, by_path.get(one.span.path)) for one in found)


def _placed(one: Finding, authored: Authored[Record] | None) -> Problem:
    if authored is None:
        return Problem(one.span, one.code, one.message, one.hint)
    return authored.problem(one.keys, one.code, one.message, one.hint, at_key=one.at_key)


def without_consequences(
    judged: Iterable[Problem], errors: Iterable[Problem], records: CatalogRecords
) -> Iterator[Problem]:
    """Leave out what may only follow from an error: in a file that has one, below the same key."""
    by_path = _by_path(records)
    broken: dict[str, list[Problem]] = {}
    for error in errors:
        if error.severity is Severity.ERROR:
            broken.setdefault(error.span.path, []).append(error)
    for problem in judged:
        here = broken.get(problem.span.path, [])
        authored = by_path.get(problem.span.path)
        if here and authored is None:
            continue
        if authored is not None:
            parts = {authored.source.part(error.span.line) for error in here}
            if authored.source.part(problem.span.line) in parts:
                continue
        yield problem


def _by_path(records: CatalogRecords) -> dict[str, Authored[Record]]:
    return {authored.source.text.path: authored for authored in records.all}

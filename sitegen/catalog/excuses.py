"""Problems that an author excuses where they stand: ``# sitegen: ignore[code] the reason``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sitegen.catalog.text.source_text import SourceText, quoted
from sitegen.problems import Problem, did_you_mean

_OF_RULES = frozenset(
    {
        "aggregate-below-stream",
        "bandwidth",
        "connectors",
        "context",
        "cores",
        "depth-beyond-model",
        "file-size",
        "licence-of-siblings",
        "link-figure",
        "machine-power",
        "module-power",
        "name-count",
        "no-repository",
        "older-successor",
        "production",
        "rate-clock",
        "rate-ratio",
        "renamed-id",
        "segment-figure",
        "short-context",
        "superseded-successor",
        "unknown-architecture",
    }
)
"""Codes of rules that compare a fact with what is usual: a record can be right and break them.

All others say what no page can be made of, or what no page may say.
"""
OF_ENGINE = frozenset({"above-bound"})
"""Codes that only the engine can find: whoever applies the catalog's own rules lets them be."""
EXCUSABLE = _OF_RULES | OF_ENGINE
_MARK = "sitegen: ignore"
_EXCUSE = re.compile(r"#[ \t]*sitegen: ignore(?P<codes>\[[^\]\n]*\])?(?P<reason>[^\n]*)")


def without_excused(
    problems: Iterable[Problem],
    sources: Iterable[SourceText],
    *,
    whole: bool = True,
    of_engine: bool = False,
) -> list[Problem]:
    """Leave out problems that a comment on their line excuses; report excuses that are none.

    Args:
        problems: What the rules found.
        sources: The files they looked at.
        whole: Whether every rule could look at everything: if not, nobody knows which excuses are
            needed.
        of_engine: Whether the problems are those that only the engine finds, and all of them: then
            excuses of other codes, and wrong ones, are none of its business.
    """
    found = list(problems)
    for source in sources:
        if _MARK in source.text:
            found = list(_judged(found, source, whole=whole, of_engine=of_engine))
    return found


def _judged(
    problems: list[Problem], source: SourceText, *, whole: bool, of_engine: bool
) -> Iterator[Problem]:
    """Yield the problems that no excuse covers, and the problems of a file's excuses."""
    excused: set[tuple[int, str]] = set()
    here = {(one.span.line, one.code) for one in problems if one.span.path == source.path}
    for match in _EXCUSE.finditer(source.text):
        at, line = match.start(), source.text.count("\n", 0, match.start()) + 1
        codes = [code.strip() for code in (match["codes"] or "[]")[1:-1].split(",")]
        for code in codes:
            message = hint = ""
            if (code in OF_ENGINE) is not of_engine:
                continue
            if code not in EXCUSABLE:
                message = f"no excuse is taken for {quoted(code)}" if code else "it names no code"
                hint = did_you_mean(code, EXCUSABLE) or "write # sitegen: ignore[code] the reason"
            elif not match["reason"].strip():
                message, hint = f"{code} is excused without a reason", "write why after the bracket"
            if message:
                yield source.problem_at("bad-ignore", message, index=at, hint=hint)
            elif (line, code) in here:
                excused.add((line, code))
            elif whole:
                message = f"there is no {code} on this line to excuse"
                yield source.problem_at("needless-ignore", message, index=at, hint="remove it")
    for problem in problems:
        place = (problem.span.line, problem.code)
        if problem.span.path != source.path or place not in excused:
            yield problem

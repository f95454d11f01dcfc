"""Problems as text: for people, for editors, for scripts and for GitHub's annotations."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from urllib.parse import quote

import sitegen
from sitegen.cli.text.terminal import printable
from sitegen.problems import Problem, Severity

EXPLAIN = "sitegen check --explain"
LONGEST_MESSAGE = 1_000
"""Characters; a word that somebody typed may be longer than anybody reads."""
SHOWN_PER_CODE = 50
"""People read the first ones; scripts use ``json`` and get all."""


def full(problems: Sequence[Problem]) -> str:
    """Position, message, source line with a caret, hint; where to read on, once for each code."""
    seen: set[str] = set()

    def written(problem: Problem) -> str:
        first = problem.code not in seen
        seen.add(problem.code)
        more = f"\n  more: {EXPLAIN} {problem.code}" if first else ""
        return f"{_plain(problem)}{more}"

    return _capped(problems, written, "\n")


def concise(problems: Sequence[Problem]) -> str:
    """One line each, as compilers write them."""
    return _capped(problems, _one_line, "")


def as_json(problems: Sequence[Problem]) -> str:
    """All problems as one JSON document."""
    rows = [
        {
            "path": problem.span.path,
            "line": problem.span.line,
            "column": problem.span.column,
            "severity": problem.severity.value,
            "code": problem.code,
            "message": problem.message,
            "hint": problem.hint,
            "source_line": problem.source_line,
        }
        for problem in problems
    ]
    return json.dumps({**counted(problems), "problems": rows}, indent=2) + "\n"


def github(problems: Sequence[Problem]) -> str:
    """Workflow commands that GitHub shows beside the changed lines."""
    return "".join(f"{_annotation(problem)}\n" for problem in problems)


def sarif(problems: Sequence[Problem]) -> str:
    """SARIF 2.1.0, which code hosts and editors read."""
    codes = sorted({problem.code for problem in problems})
    results = [
        {
            "ruleId": problem.code,
            "ruleIndex": codes.index(problem.code),
            "level": problem.severity.value,
            "message": {"text": _with_hint(problem)},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": quote(problem.span.path)},
                        "region": {
                            "startLine": problem.span.line,
                            "startColumn": problem.span.column,
                        },
                    }
                }
            ],
        }
        for problem in problems
    ]
    driver = {
        "name": "sitegen",
        "version": sitegen.__version__,
        "rules": [{"id": code, "help": {"text": f"{EXPLAIN} {code}"}} for code in codes],
    }
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def rdjson(problems: Sequence[Problem]) -> str:
    """Reviewdog's own format: one document; columns count bytes."""
    diagnostics = [
        {
            "message": _with_hint(problem),
            "location": {
                "path": problem.span.path,
                "range": {"start": {"line": problem.span.line, "column": _byte_column(problem)}},
            },
            "severity": problem.severity.value.upper(),
            "code": {"value": problem.code},
        }
        for problem in problems
    ]
    document = {"source": {"name": "sitegen"}, "diagnostics": diagnostics}
    return json.dumps(document, indent=2) + "\n"


def _byte_column(problem: Problem) -> int:
    """Return the column in bytes where the line is known, or the start of the line."""
    line = problem.source_line
    if len(line) < problem.span.column - 1:
        return 1
    return len(line[: problem.span.column - 1].encode("utf-8", "surrogatepass")) + 1


def _with_hint(problem: Problem) -> str:
    plain = _plain(problem)
    return f"{plain.message}\n{plain.hint}" if plain.hint else plain.message


FORMATS: dict[str, Callable[[Sequence[Problem]], str]] = {
    "full": full,
    "concise": concise,
    "json": as_json,
    "github": github,
    "rdjson": rdjson,
    "sarif": sarif,
}


def counted(problems: Sequence[Problem]) -> dict[str, int]:
    """How many errors and warnings."""
    errors = sum(problem.severity is Severity.ERROR for problem in problems)
    return {"errors": errors, "warnings": len(problems) - errors}


def _plain(problem: Problem) -> Problem:
    return replace(
        problem,
        span=replace(problem.span, path=printable(problem.span.path)),
        message=printable(problem.message[:LONGEST_MESSAGE]),
        hint=printable(problem.hint),
        source_line=printable(problem.source_line.replace("\t", " ")),
    )


def _one_line(problem: Problem) -> str:
    plain = _plain(problem)
    hint = f" ({plain.hint})" if plain.hint else ""
    return f"{plain.span}: {plain.severity}[{plain.code}]: {plain.message}{hint}"


def _capped(problems: Sequence[Problem], write: Callable[[Problem], str], gap: str) -> str:
    seen: Counter[str] = Counter()
    lines: list[str] = []
    for problem in problems:
        seen[problem.code] += 1
        if seen[problem.code] <= SHOWN_PER_CODE:
            lines.append(f"{write(problem)}\n{gap}")
    for code, count in sorted(seen.items()):
        if count > SHOWN_PER_CODE:
            lines.append(f"… {count - SHOWN_PER_CODE} more of [{code}]\n")
    return "".join(lines)


def _annotation(problem: Problem) -> str:
    span = problem.span
    place = f"file={_property(span.path)},line={span.line},col={span.column}"
    hint = f"\n{printable(problem.hint)}" if problem.hint else ""
    message = _escape_command(printable(problem.message) + hint)
    return f"::{problem.severity} {place},title={_property(problem.code)}::{message}"


def _escape_command(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escape_command(printable(text)).replace(":", "%3A").replace(",", "%2C")

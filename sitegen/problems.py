"""Problems: an author's mistakes as values with a place, a code and a way out."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from enum import StrEnum

from sitegen.values import dataclass


class Severity(StrEnum):
    """How much a problem matters: an error stops the build, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, order=True)
class SourceSpan:
    """A place in a file: POSIX path relative to the project root, 1-based line and column."""

    path: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One mistake: where it is, what is wrong in the author's words, and what to try instead.

    ``source_line`` is the text of the line at ``span`` (without its newline), shown above a caret.
    """

    span: SourceSpan
    code: str
    message: str
    hint: str = ""
    source_line: str = ""
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        # An author's text may hold line breaks; none of it may pass for a line of its own.
        message = " ".join(self.message.splitlines())
        lines = [f"{self.span}: {self.severity}[{self.code}]: {message}"]
        if self.source_line:
            lines += [f"    {self.source_line}", f"    {' ' * (self.span.column - 1)}^"]
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A mistake in a record, found by who knows its values but not its text.

    Who has the text makes a problem of it, at the value (or the key) of ``keys`` in the file of
    ``span``.
    """

    span: SourceSpan
    code: str
    keys: tuple[str | int, ...]
    message: str
    hint: str = ""
    at_key: bool = False


class ProblemsFound(Exception):  # noqa: N818 - the name says what happened, not that it is an error
    """Raised at a stage's end when its problems stop the run; carries all of them, sorted."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__(f"{len(self.problems)} problems")


LISTED = 12
"""Ids that a hint lists before it counts the rest."""


def listed(known: Iterable[str]) -> str:
    """List words in order, the first few and the number of the others.

    >>> listed(["b", "a"])
    'a, b'
    """
    ids = sorted(known)
    more = f" and {len(ids) - LISTED} more" if len(ids) > LISTED else ""
    return ", ".join(ids[:LISTED]) + more


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return ``did you mean 'x'?`` for the nearest known word, or an empty string.

    A word that differs in nothing but case, spaces, hyphens, underscores and dots is what was
    meant. Among words that look alike, the one that shares most parts comes first: a model's size
    and version say more about what was meant than the length of its name.

    >>> did_you_mean("RTX 4900", ["rtx-4090", "h100-sxm"])
    "did you mean 'rtx-4090'?"
    >>> did_you_mean("lama-3.3-70b", ["llama-2-70b", "llama-3.3-70b-instruct"])
    "did you mean 'llama-3.3-70b-instruct'?"
    >>> did_you_mean("qwen-3", ["qwen", "qwen3"]), did_you_mean("CDNA3", ["CDNA 2", "CDNA 3"])
    ("did you mean 'qwen3'?", "did you mean 'CDNA 3'?")
    """
    names = {_slug(name): name for name in sorted(known)}
    slug = _slug(given)
    parts = set(slug.split("-"))
    alike = [name for name in names if slug and _letters(name) == _letters(slug)]
    alike = alike or get_close_matches(slug, list(names), n=8)
    alike = alike or [name for name in names if slug and slug in name][:1]
    nearest = max(alike, key=lambda name: len(parts & set(name.split("-"))), default="")
    return f"did you mean '{names[nearest]}'?" if nearest else ""


def _slug(name: str) -> str:
    return "-".join(name.lower().replace("_", "-").split())


def _letters(slug: str) -> str:
    return slug.replace("-", "").replace(".", "")

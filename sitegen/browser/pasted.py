"""What a reader pastes, held against the linter's rules; runs in the browser (decision 56)."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.catalog.text.source_text import SourceText
from sitegen.fit.fit_engine import FitEngine
from sitegen.lint.facts import LintContext
from sitegen.lint.files import Linted, lint
from sitegen.lint.options import OptionTable
from sitegen.lint.reading import kind_of
from sitegen.problems import Problem
from sitegen.values import dataclass

PATH = "pasted"
UNREAD = ("python",)
"""Kinds of text of which the browser reads nothing."""
AS_TEXT = ("markdown", "html")
"""Kinds of which it reads the commands alone, without what stands around them."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in a paste.

    Attributes:
        kind: How it was read: ``bash``, ``yaml``, ``json``, ``ini``, ``modelfile`` or ``text``.
        told: The kind that the text itself has.
        found: What the rules say.
    """

    kind: str
    told: str
    found: Linted

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong, in the order of the text."""
        return self.found.problems


def opened(
    engine: FitEngine, tables: Sequence[tuple[str, str, dict[str, str]]], combo: str
) -> LintContext:
    """Put together what the rules ask; ``combo`` is the hardware that was chosen, if any."""
    known = {program: OptionTable(program, version, kinds) for program, version, kinds in tables}
    return LintContext(engine, known, engine.catalog.combos.get(combo))


def checked(text: str, facts: LintContext) -> Checked:
    """Hold a paste against every rule that runs here."""
    told = kind_of("", text)
    kind = "text" if told in AS_TEXT or told in UNREAD else told
    return Checked(kind, told, lint(SourceText(PATH, text), facts, kind))

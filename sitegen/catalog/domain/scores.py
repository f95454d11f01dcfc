"""Boards, and what models scored on them, as the catalog states it."""

from __future__ import annotations

from enum import StrEnum

from sitegen.catalog.domain.losses import Evaluator
from sitegen.catalog.domain.provenance import Source
from sitegen.problems import SourceSpan
from sitegen.values import dataclass


class Use(StrEnum):
    """Uses of a model, in the order in which pages name them."""

    OVERALL = "overall"
    """All uses in text together; no board is of this use."""
    GENERAL = "general"
    CODING = "coding"
    REASONING = "reasoning"
    AGENTIC = "agentic"
    INSTRUCTION_FOLLOWING = "instruction-following"
    MULTILINGUAL = "multilingual"
    VISION = "vision"
    LONG_CONTEXT = "long-context"


class Caution(StrEnum):
    """Why a board's scores count less than those of other boards."""

    SATURATED = "saturated"
    """Most models come near the top."""
    LEAKED = "leaked"
    """Its questions are in the training data of newer models."""
    MODEL_JUDGED = "model-judged"
    """A model judges the answers, and prefers some ways of writing."""
    FEW_QUESTIONS = "few-questions"
    """One answer more or less moves a score by points."""
    NARROW = "narrow"
    """It asks one kind of thing, or an older form of a newer board."""


@dataclass(frozen=True, slots=True)
class Board:
    """A test that several models took under the same rules.

    ``family`` is what boards of one maker share; ``renewed`` says that each version is a board of
    its own; ``caution`` is ``None`` for a board that counts in full.
    """

    id: str
    name: str
    use: Use
    unit: str
    higher_is_better: bool
    evaluator: Evaluator
    evaluated_by: str
    url: str
    license: str
    family: str
    renewed: bool
    questions: int | None
    caution: Caution | None
    note: str
    sources: tuple[Source, ...]
    span: SourceSpan


@dataclass(frozen=True, slots=True)
class Score:
    """A score of one model; ``low`` and ``high`` are its 95 % interval, where stated.

    ``model`` is a catalog id, or the name of another model behind a tilde; a ``sibling`` is another
    file of that model.
    """

    model: str
    sibling: bool
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Scores of one board in one version and mode; ``mode`` is empty where it is not stated."""

    board: str
    version: str
    mode: str
    effort: str
    date: str
    scores: tuple[Score, ...]


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """Scores of one source at one time; ``names`` is the map that its names stand in."""

    id: str
    title: str
    names: str
    evaluator: Evaluator
    evaluated_by: str
    date: str
    tables: tuple[ScoreTable, ...]
    sources: tuple[Source, ...]
    span: SourceSpan

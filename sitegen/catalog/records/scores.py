"""Records of quality: boards, what models scored on them, and what sources call the models."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sitegen.catalog.records.losses import EvaluatorWord
from sitegen.catalog.records.parts import IsoDate, Record, Slug, SourceRecord, Text

UseWord = Literal[
    "general",
    "coding",
    "reasoning",
    "agentic",
    "long-context",
    "vision",
    "multilingual",
    "instruction-following",
]
ScoreUnitWord = Literal[
    "percent", "elo", "rank-score", "thurstone rating", "inverse-rank score", "points"
]
CautionWord = Literal["saturated", "leaked", "model-judged", "few-questions", "narrow"]
ModeWord = Literal["thinking", "non-thinking"]
Scored = float | tuple[float, float, float]


class BoardRecord(Record):
    """A test that several models took under the same rules: `catalog/boards/<id>.yaml`."""

    name: Text = Field(description="Name as people write it, with the harness where that decides.")
    use: UseWord = Field(description="The use that it speaks for.")
    unit: ScoreUnitWord = Field(description="Unit of its scores.")
    higher_is_better: bool = Field(default=True, description="Whether more is better.")
    evaluator: EvaluatorWord = Field(
        description=(
            "Who ran it: an independent party, a maker of other models, or the models' makers."
        )
    )
    evaluated_by: Text = Field(description="Name of who ran it.")
    url: str = Field(description="Address of the board for readers.")
    license: Text = Field(description="Licence of the scores, or that none is visible.")
    family: Slug | None = Field(
        default=None,
        description="Name that boards of one maker share; each further board of it counts less.",
    )
    renewed: bool = Field(
        default=False,
        description="Versions have other questions or votes: each is a board of its own.",
    )
    questions: int | None = Field(
        default=None, gt=0, description="Questions, tasks or tests, where stated."
    )
    caution: CautionWord | None = Field(
        default=None, description="Why its scores count less than those of other boards."
    )
    note: str = Field(default="", description="Note for readers, or the reason why it counts less.")
    sources: tuple[SourceRecord, ...] = Field(min_length=1, description="Sources of this record.")


class ScoreTableRecord(Record):
    """Scores of one board in one version and mode."""

    board: Slug = Field(description="Board id.")
    version: str = Field(default="", max_length=80, description="Version of the board as written.")
    mode: ModeWord | None = Field(
        default=None, description="Whether the models reasoned first, if stated."
    )
    effort: str = Field(default="", max_length=20, description="Effort of thinking, where stated.")
    date: IsoDate | None = Field(default=None, description="Date of the scores, where they vary.")
    path: str = Field(default="", max_length=200, description="File of the source.")
    note: str = Field(default="", max_length=500, description="Note for readers.")
    scores: dict[str, Scored] = Field(
        min_length=1,
        description="Score by the name that the source writes; or score, low and high (95 %).",
    )


class ScoreRecord(Record):
    """What one source published at one time: `catalog/scores/<id>.yaml`."""

    title: Text = Field(description="Title of the publication.")
    names: Slug = Field(description="Name map that says which models are meant.")
    evaluator: EvaluatorWord = Field(description="Who ran the tests.")
    evaluated_by: Text = Field(description="Name of who ran them.")
    date: IsoDate = Field(description="Date of the scores.")
    tables: tuple[ScoreTableRecord, ...] = Field(min_length=1, description="Its scores.")
    sources: tuple[SourceRecord, ...] = Field(min_length=1, description="Sources of the scores.")


class NamesRecord(Record):
    """What a source calls the models: `catalog/names/<id>.yaml`."""

    title: Text = Field(description="Owner of the names.")
    reviewed: IsoDate = Field(description="ISO date on which the map was last gone through.")
    exact: dict[str, Slug] = Field(
        default={}, description="Names of models of the catalog: name as written to model id."
    )
    siblings: dict[str, Slug] = Field(
        default={},
        description="Names of other files of a catalog's model: its chat variant, a hosted name.",
    )
    outside: tuple[str, ...] = Field(
        default=(), description="Names of models that are not in the catalog."
    )
    decided: dict[str, Text] = Field(
        default={}, description="Why a name that could mean two models means this one."
    )

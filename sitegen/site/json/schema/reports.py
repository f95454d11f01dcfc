"""Shapes of the ``index.json`` of pages about records: accuracy, claims, changes, the status."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sitegen.site.json.schema.parts import Argument, Of, Opportunity, Shape, Tier
from sitegen.site.words.accuracy import WORDS


class OpportunitiesPage(Shape):
    """Measurements that would settle verdicts, most valuable first."""

    opportunities: list[Opportunity]


class ErrorCause(Shape):
    """A cause of an error, how to check it, and what to do."""

    cause: str
    check: str
    fix: str


class ErrorSource(Shape):
    """Where somebody met an error."""

    title: str
    url: str
    read: str


class ErrorEntry(Shape):
    """An error as programs print it."""

    id: str
    title: str
    topic: str
    text: str
    runtimes: list[str]
    means: str
    likely: list[ErrorCause]
    source: ErrorSource


class ErrorsPage(Shape):
    """Known errors, by topic."""

    errors: list[ErrorEntry]


class Step(Shape):
    """A line of the sum behind a finding."""

    code: str
    value: float | str
    unit: str
    source: str
    of: str = ""
    high: float | None = None


class JudgedClaim(Shape):
    """A claim of a public page beside the engine's arithmetic."""

    id: str
    quote: str
    place: str
    verdict: str
    code: str
    arguments: dict[str, Argument]
    reading: list[str]
    steps: list[Step]


class ClaimedPage(Shape):
    """A public page and its claims."""

    id: str
    title: str
    url: str
    read: str
    claims: list[JudgedClaim]


class Quarantined(Shape):
    """A benchmark record above a physical bound."""

    source: str
    run: str
    quote: str
    code: str
    verdict: str
    arguments: dict[str, Argument]
    steps: list[Step]


class ClaimsPage(Shape):
    """Claims checked, and records in quarantine."""

    pages: list[ClaimedPage]
    quarantined: list[Quarantined]


class Goal(Shape):
    """An error that the project wants to stay below."""

    quantity: str
    program: str
    measure: str
    limit: float
    reached: float | None
    met: bool | None


class QuantityErrors(Shape):
    """Errors of one quantity; shares of the logged value."""

    quantity: str
    unit: Annotated[str, Of(lambda found: WORDS[found.quantity].unit)]
    figures: Annotated[int, Of("errors.count")]
    median_error: Annotated[float | None, Of("errors.median")]
    p95_error: Annotated[float | None, Of("errors.p95")]
    inside: Annotated[float | None, Of("errors.inside")]
    median_width: Annotated[float | None, Of("errors.width")]
    naive_median_error: Annotated[float | None, Of("errors.naive_median")]
    undisputed_median_error: Annotated[float | None, Of("undisputed.median")]
    undisputed_p95_error: Annotated[float | None, Of("undisputed.p95")]


class VerdictCounts(Shape):
    """Verdicts beside what happened."""

    judged: int
    agree: int
    refused_though_ran: int
    comfortable_though_failed: int
    naive_judged: int
    naive_agree: int


class Coverage(Shape):
    """How many figures could be compared, and why others could not."""

    usable: int
    compared: int
    reasons: dict[str, int]


class SpeedComparison(Shape):
    """A published speed beside the engine's."""

    run: str
    source: str
    quantity: str
    measured_tokens_per_s: Annotated[float, Of("measured")]
    predicted_tokens_per_s: Annotated[list[float], Of("predicted.bounds")]
    naive_tokens_per_s: Annotated[float | None, Of("naive")]
    runtime: str
    gpu: str
    note: str


class AccuracyPage(Shape):
    """How far the engine is from what others measured; without logs of memory only speeds."""

    speeds: list[SpeedComparison]
    sources: int = 0
    runs: int = 0
    files: int = 0
    left_out: int = 0
    goals: list[Goal] = Field(default=[])
    quantities: list[QuantityErrors] = Field(default=[])
    verdicts: VerdictCounts | None = None
    coverage: dict[str, Coverage] = Field(default={})


class MemoryComparison(Shape):
    """A figure of a log beside the engine's estimate."""

    run: Annotated[str, Of("origin.run")]
    source: Annotated[str, Of("origin.source")]
    version: Annotated[str, Of("origin.version")]
    model: Annotated[str, Of("origin.model")]
    checkpoint: Annotated[str, Of("origin.checkpoint")]
    quantity: str
    measured: float
    predicted: Annotated[list[float], Of("predicted.bounds")]
    naive: float | None
    inside: bool
    cause: str
    disputed: str


class ProgramPage(Shape):
    """Every figure of one program."""

    program: str
    comparisons: list[MemoryComparison]


class MovedRows(Shape):
    """Rows whose tier changed: ids of models by id of the combo."""

    before: Tier
    after: Tier
    rows: dict[str, list[str]]


class Release(Shape):
    """What one publication changed."""

    id: str
    date: str
    title: str
    summary: str
    base: str
    head: str
    removed: dict[str, list[str]]
    added: dict[str, list[str]]
    moved: list[MovedRows]


class ChangesPage(Shape):
    """Releases, the newest first."""

    releases: list[Release]


class UseRatings(Shape):
    """How many models of a use are rated, and the best tier."""

    use: str
    rated: int
    provisional: int
    makers_word: int
    best: list[str]


class MovedModel(Shape):
    """A model, and the points by which its rating moves."""

    model: Annotated[str, Of(lambda moved: moved[0])]
    points: Annotated[float, Of(lambda moved: moved[1])]


class HeldOutBoard(Shape):
    """Order of models on a board against ratings that have not seen its evaluator."""

    board: str
    use: str
    models: int
    rank_agreement_by_use: Annotated[float, Of("by_use")]
    rank_agreement_overall: Annotated[float, Of("overall")]


class SourceLeftOut(Shape):
    """What is left of the ratings without a source."""

    source: str
    rated: int
    rated_with: int
    rank_agreement: Annotated[float, Of("order")]
    moved: list[MovedModel]
    boards: list[HeldOutBoard]


class HalvesAgree(Shape):
    """Ratings by halves of the evaluators: differences inside the interval that both state."""

    use: str
    halves: int
    models: int
    inside: int
    rank_agreement: float


class Points(Shape):
    """An interval of 90 %, in rating points."""

    low: float
    mid: float
    high: float


class RatingPoints(Points):
    """The same, of a value that has it beside other figures."""

    low: Annotated[float, Of("points.low")]
    mid: Annotated[float, Of("points.mid")]
    high: Annotated[float, Of("points.high")]


class TypeLoss(RatingPoints):
    """What a type of quantization loses, in rating points."""

    quantization: str
    class_: int = Field(alias="class")
    bits: float
    on_another_model: Annotated[Points, Of("anyone")]
    known_by: str
    models: list[str]
    sources: list[str]


class QualityPage(Shape):
    """Ratings in numbers, their checks, and what quantization loses."""

    uses: list[UseRatings]
    sources_left_out: list[SourceLeftOut]
    halves: list[HalvesAgree]
    losses: list[TypeLoss]


class RatedModel(RatingPoints):
    """A model's rating for a use, with its evidence; tier and place are 0 where it is not rated."""

    model: str
    standing: str
    tier: int
    place: int
    boards: int
    independent_boards: Annotated[int, Of("independent")]
    newest: str
    mode: str
    board_ids: list[str]


class UsePage(Shape):
    """Models with evidence for a use, the rated ones first."""

    use: str
    ratings: list[RatedModel]


class Warned(Shape):
    """What an editor should mend although everything resolves."""

    path: str
    line: int
    code: str
    message: str


class StaleRecord(Shape):
    """A record that waits for a review."""

    kind: str
    id: str
    reviewed: str
    days: int


class StatusPage(Shape):
    """The state of the data."""

    data_date: str
    records: dict[str, int]
    verdicts: dict[str, int]
    too_close: int
    models_surveyed: int
    quarantined: int
    warnings: list[Warned]
    stale_days: int
    stale: list[StaleRecord]

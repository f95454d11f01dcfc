"""Verdicts after the loss of a GPU or a node, as a table beside the whole combo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.fit.planner import RANK
from sitegen.site.cells import (
    Absent,
    Cell,
    Flag,
    Folded,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    TierMark,
    Unit,
    rate_span,
)
from sitegen.site.combo.benchmark_priorities import named
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import row_url
from sitegen.site.words.plans import plan_words
from sitegen.site.words.tiers import COMFORTABLY, TIER_HEADINGS
from sitegen.site.words.verdicts import checkpoint_name
from sitegen.survey.answers import AnswerAfterFailure, Failure, FailureKind, TierDrop
from sitegen.survey.failures import Reduced
from sitegen.survey.results import ComboSurvey

SHOWN_DROPS = 12
"""Models named of those that a loss costs a tier."""
COLUMNS = (
    Column("Lost"),
    Column(TIER_HEADINGS[FitTier.COMFORTABLE], numeric=True),
    Column(TIER_HEADINGS[FitTier.BORDERLINE], numeric=True),
    Column(TIER_HEADINGS[FitTier.NOT_PRACTICAL], numeric=True),
    Column("Best overall", note="plan, one user"),
    Column("Many users", note="plan, all users"),
    Column("Models that drop a tier"),
)


def about_losses(combo: Combo, judged: str) -> str:
    """Say what a loss is, and what it means that a combo has one GPU or one machine."""
    if len(combo.gpus) == 1:
        return "The machine has one GPU. If it fails, nothing runs."
    alone = " All GPUs are in one machine: if it fails, nothing runs."
    return (
        f"We assess {judged} again on the remaining hardware. A replica that loses a GPU stops, "
        "and you have to restart it with the plan shown."
        f"{alone if len(combo.nodes) == 1 else ''}"
    )


def losses_table(survey: ComboSurvey, catalog: Catalog) -> Table | None:
    """Compare a combo with what each loss leaves; ``None`` where one GPU is all there is."""
    if not survey.losses:
        return None
    rows = (_whole(survey), *(_row(loss, survey, catalog) for loss in survey.losses))
    return Table("losses", "Before and after", COLUMNS, rows)


def _whole(survey: ComboSurvey) -> Row:
    counts = {tier: len(survey.tier(tier)) for tier in FitTier}
    return Row(
        (
            "Nothing",
            *_counts(counts),
            _answer(survey.lead, survey.combo, aggregate=False),
            _answer(survey.aggregate_serving, survey.combo, aggregate=True),
            "–",
        )
    )


def _row(loss: Failure, survey: ComboSurvey, catalog: Catalog) -> Row:
    return Row(
        (
            lost_cell(loss, catalog, worst=_worst(loss, survey)),
            *_counts(loss.counts),
            _remains(survey.lead, loss.lead, survey.combo, aggregate=False),
            _remains(survey.aggregate_serving, loss.serving, survey.combo, aggregate=True),
            _drops(loss),
        )
    )


def _counts(counts: Mapping[FitTier, int]) -> tuple[Cell, ...]:
    return tuple(NumberCell(counts[tier], Unit.COUNT) for tier in FitTier)


def _worst(loss: Failure, survey: ComboSurvey) -> bool:
    return loss.worst and sum(other.kind is loss.kind for other in survey.losses) > 1


def lost_cell(loss: Failure | Reduced, catalog: Catalog, *, worst: bool) -> Cell:
    """Say what is lost, and of how many alike; ``worst`` where of several it leaves least."""
    marks = (Flag("worst case"),) if worst else ()
    first = loss.gpu_ids[0]
    gpu = named("gpu", first, catalog.gpus)
    if loss.kind is FailureKind.GPU:
        alike = "the only one" if loss.alike == 1 else f"one of {loss.alike} identical GPUs"
        return Lines((Parts(("One ", gpu)), Small(alike), *marks))
    count = len(loss.gpu_ids)
    held: Cell = f"{count} GPUs"
    if set(loss.gpu_ids) == {first}:
        held = Parts((f"{count} × ", gpu))
    of = "the only such node" if loss.alike == 1 else f"one of {loss.alike} identical nodes"
    return Lines(("One node", Small(Parts((held, f", {of}"))), *marks))


def _answer(assessment: Assessment | None, whole: Combo, *, aggregate: bool) -> Cell:
    if assessment is None:
        return Absent("none")
    link = Link(row_url(whole.id, assessment.model.id), assessment.model.name)
    return Lines((link, *_plan_and_speed(assessment, aggregate=aggregate)))


def _plan_and_speed(assessment: Assessment, *, aggregate: bool) -> tuple[Cell, ...]:
    lines: list[Cell] = [Small(checkpoint_name(assessment))]
    if assessment.plan is not None and assessment.speed is not None:
        speed = assessment.speed
        shown = speed.aggregate_tokens_per_s if aggregate else speed.single_tokens_per_s
        lines += [Small(plan_words(assessment.plan)), Small(rate_span(shown))]
    return tuple(lines)


def _remains(
    before: Assessment | None, after: AnswerAfterFailure, whole: Combo, *, aggregate: bool
) -> Cell:
    """Show the model of before, as it runs now; where it is worse off, the new answer too."""
    same = after.same
    if before is None:
        return _answer(after.best, whole, aggregate=aggregate)
    kept = same is not None and RANK[same.tier] <= RANK[before.tier]
    if same is not None and kept:
        return Lines(("The same model", *_plan_and_speed(same, aggregate=aggregate)))
    tier = FitTier.NOT_PRACTICAL if same is None else same.tier
    lines: list[Cell] = [Parts((f"{before.model.name}: ", TierMark(tier)))]
    if same is not None and tier is not FitTier.NOT_PRACTICAL:
        lines += _plan_and_speed(same, aggregate=aggregate)
    if after.best is None:
        return Lines((*lines, "No other model replaces it."))
    if after.best.model.id != before.model.id:
        link = Link(row_url(whole.id, after.best.model.id), after.best.model.name)
        lines += [Parts(("Instead: ", link)), *_plan_and_speed(after.best, aggregate=aggregate)]
    return Lines(tuple(lines))


def _drops(loss: Failure) -> Cell:
    if not loss.drops:
        return Absent("none")
    comfortable = loss.dropped_from(FitTier.COMFORTABLE)
    borderline = loss.dropped_from(FitTier.BORDERLINE)
    lines: list[Cell] = []
    if comfortable:
        items = _listed(comfortable)
        lines.append(Folded(f"{len(comfortable)} no longer fit {COMFORTABLY}", items))
    if borderline:
        items = _listed(borderline)
        word = "model" if len(borderline) == 1 else "models"
        lines.append(Folded(f"{len(borderline)} borderline {word} no longer practical", items))
    return Lines(tuple(lines))


def _listed(drops: Sequence[TierDrop]) -> tuple[Cell, ...]:
    """Name the models, as many as a page has room for."""
    rest = len(drops) - SHOWN_DROPS
    more = (f"and {rest} more, in index.json",) if rest > 0 else ()
    return (*(_drop(drop) for drop in drops[:SHOWN_DROPS]), *more)


def _drop(drop: TierDrop) -> Cell:
    return Parts((drop.model.name, " → ", TierMark(drop.after)))

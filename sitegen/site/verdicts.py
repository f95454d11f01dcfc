"""How an assessment is shown: the cells that combo pages, model pages and guides share."""

from __future__ import annotations

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.provenance import Interval
from sitegen.engine.assessment import (
    Assessment,
    CheckpointOutcome,
    FitTier,
    ModelOnCombo,
)
from sitegen.site.cells import (
    NOT_APPLICABLE,
    Absent,
    Cell,
    EvidenceMark,
    Folded,
    Lines,
    Link,
    Parts,
    Quantity,
    Small,
    TierMark,
    Unit,
    joined,
    span,
)
from sitegen.site.plans import plan_words
from sitegen.site.sentences import cure_sentence, reason_sentence
from sitegen.site.tables import Column, Row, Table
from sitegen.site.urls import model_row_id, row_id, url_of

TIER_CAPTIONS = {
    FitTier.COMFORTABLE: "Models that fit comfortably",
    FitTier.BORDERLINE: "Borderline models",
    FitTier.NOT_PRACTICAL: "Not practical here",
}
SHORT_CONTEXT = 8_192
LONG_CONTEXT = 32_768
NO_PLAN = Absent("no valid plan")
NOTHING_FITS = Absent("none")


def row_link(assessment: Assessment | CheckpointOutcome) -> str:
    """Return the URL of the row of a model on a combo's page, whichever checkpoint heads it."""
    return f"{url_of('combo', assessment.combo.id)}#{model_row_id(assessment.model.id)}"


def checkpoint_name(assessment: Assessment | CheckpointOutcome) -> str:
    """Name the checkpoint: its quantization, and its own id where that says more."""
    quantization = assessment.checkpoint.quantization
    plain = assessment.checkpoint.id == quantization.id
    return quantization.name if plain else f"{quantization.name} ({assessment.checkpoint.id})"


def runtime_and_plan(assessment: Assessment) -> Cell:
    """Name the runtime, its version and the plan."""
    runtime = Link(url_of("runtime", assessment.runtime.id), assessment.runtime.name)
    if assessment.plan is None:
        return NO_PLAN
    return Lines((runtime, Small(plan_words(assessment.plan))))


def need_of_budget(assessment: Assessment) -> Cell:
    """Print what the busiest GPU needs beside what is usable on it."""
    busiest = assessment.busiest
    if busiest is None:
        return NO_PLAN
    need = Quantity(assessment.verdict_need_bytes, Unit.GIB)
    return Lines((need, Small(Parts(("of ", Quantity(busiest.budget_bytes, Unit.GIB))))))


def utilization(assessment: Assessment) -> Cell:
    """Print how full the busiest GPU is, low to high, and at which context where it is reduced."""
    reached = assessment.verdict_utilization
    if reached is None:
        return NO_PLAN
    how_full = span(reached, Unit.PERCENT)
    if assessment.verdict_context_tokens == assessment.workload.context_tokens:
        return how_full
    context = Quantity(assessment.verdict_context_tokens, Unit.TOKENS)
    return Lines((how_full, Small(Parts(("at ", context)))))


def max_context(assessment: Assessment) -> Cell:
    """Print the longest context of one sequence."""
    if assessment.limits is None:
        return NO_PLAN
    longest = assessment.limits.max_context_tokens
    return Quantity(longest, Unit.TOKENS) if longest else NOTHING_FITS


def users(assessment: Assessment) -> Cell:
    """Print how many full contexts all replicas hold at once: at 8K, then at 32K."""
    limits, plan = assessment.limits, assessment.plan
    if limits is None or plan is None:
        return NO_PLAN
    if not limits.max_context_tokens:
        return NOTHING_FITS
    cells: list[Cell] = []
    for context in (SHORT_CONTEXT, LONG_CONTEXT):
        cells += [" / "] if cells else []
        at = limits.sequences_at.get(context)
        if at is None or context > assessment.model.context_tokens:
            cells.append("–")
        else:
            cells.append(Quantity(at * plan.replicas, Unit.COUNT))
    return Parts(tuple(cells))


def decode(assessment: Assessment) -> Cell:
    """Print decode speed: one stream, then all streams, with the word for how it is known."""
    speed = assessment.speed
    if speed is None:
        return NO_PLAN if assessment.plan is None else Absent("not estimated")
    batch = Quantity(speed.batch, Unit.COUNT)
    replicas = assessment.plan.replicas if assessment.plan else 1
    streams: tuple[Cell, ...] = (batch,) if replicas == 1 else (f"{replicas} × ", batch)
    word = " stream" if replicas * speed.batch == 1 else " streams"
    return Lines(
        (
            span(speed.single_tokens_per_s, Unit.TOKENS_PER_S),
            Small(Parts((span(speed.aggregate_tokens_per_s, Unit.TOKENS_PER_S), " in all"))),
            Small(Parts((*streams, word, ", ", EvidenceMark(speed.evidence)))),
        )
    )


def why(assessment: Assessment, catalog: Catalog) -> Cell:
    """Say why the verdict is not better, what is missing, and the cheapest change that helps."""
    lines: list[Cell] = [reason_sentence(reason, catalog) for reason in assessment.reasons]
    if assessment.shortage_bytes > 0:
        lines.append(Parts(("Missing: ", Quantity(assessment.shortage_bytes, Unit.GIB), ".")))
    if assessment.cure is not None:
        cure = cure_sentence(assessment.cure, catalog)
        lines.append(Parts(("To help: ", cure, " → ", TierMark(assessment.cure.tier), ".")))
    if not lines:
        return "Room to spare."
    return lines[0] if len(lines) == 1 else Lines(tuple(lines))


def _named(name: str, how_full: Interval | None) -> Parts:
    if how_full is None:
        return Parts((name,))
    return Parts((name, " (", span(how_full, Unit.PERCENT), ")"))


def other_checkpoints(row: ModelOnCombo) -> tuple[Cell, ...]:
    """One line per tier: the checkpoints that carry no verdict, and how full the busiest GPU is."""
    lines: list[Cell] = []
    if row.better is not None:
        best = _named(checkpoint_name(row.better), row.better.utilization)
        lines.append(Parts((TierMark(FitTier.COMFORTABLE), " up to ", *best.parts)))
    for tier in FitTier:
        found = [outcome for outcome in row.others if outcome.tier is tier]
        if not found:
            continue
        fits = tier is not FitTier.NOT_PRACTICAL
        names = tuple(_named(checkpoint_name(o), o.utilization if fits else None) for o in found)
        lines.append(Parts((TierMark(tier), " ", joined(names))))
    return tuple(lines)


def model_heading(row: ModelOnCombo, *, anchors: bool) -> Cell:
    """Head a combo page's row: model, checkpoint, and the other checkpoints, folded."""
    verdict = row.verdict
    anchor = f"#{row_id(verdict.model.id, verdict.checkpoint.id)}"
    permalink = Link(
        anchor if anchors else row_link(verdict), "#", f"Link to {verdict.model.name} here"
    )
    lines: list[Cell] = [
        Link(url_of("model", verdict.model.id), verdict.model.name),
        Small(Parts((checkpoint_name(verdict), "\N{NO-BREAK SPACE}", permalink))),
    ]
    others = other_checkpoints(row) if anchors else ()
    if others:
        count = len(row.others) + (row.better is not None)
        lines.append(Folded(f"{count} other checkpoints", others))
    return Lines(tuple(lines))


COMBO_COLUMNS = (
    Column("Model", note="checkpoint"),
    Column("Runtime", note="plan"),
    Column("Needs", numeric=True, note="busiest GPU"),
    Column("Utilization", numeric=True, note="low–high"),
    Column("Max context", numeric=True, note="one sequence"),
    Column("Users", numeric=True, note="at 8K / 32K"),
    Column("Decode", numeric=True, note="one stream, all"),
    Column("Why"),
)


def combo_row(row: ModelOnCombo, catalog: Catalog, *, anchors: bool = True) -> Row:
    """Build a combo page's row of one model; elsewhere its link leads to the combo page."""
    verdict = row.verdict
    anchor = row_id(verdict.model.id, verdict.checkpoint.id)
    reasons = why(verdict, catalog)
    if verdict.too_close:
        reasons = Lines((TierMark(verdict.tier, too_close=True), reasons))
    return Row(
        (
            model_heading(row, anchors=anchors),
            runtime_and_plan(verdict),
            need_of_budget(verdict),
            utilization(verdict),
            max_context(verdict),
            users(verdict),
            decode(verdict),
            reasons,
        ),
        id=anchor if anchors else "",
        head_id=model_row_id(verdict.model.id) if anchors else "",
    )


def tier_table(
    tier: FitTier,
    rows: tuple[ModelOnCombo, ...],
    catalog: Catalog,
    *,
    id: str = "",
    anchors: bool = True,
) -> Table:
    """Build one of the three tables of a combo page."""
    return Table(
        id=id or f"tier-{tier}",
        caption=TIER_CAPTIONS[tier],
        columns=COMBO_COLUMNS,
        rows=tuple(combo_row(row, catalog, anchors=anchors) for row in rows),
        counted=True,
    )


def evidence_of(assessment: Assessment) -> Cell:
    """The word for how an assessment is known."""
    return NOT_APPLICABLE if assessment.plan is None else EvidenceMark(assessment.evidence)

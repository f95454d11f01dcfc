"""What a composed build runs, as the tables of a combo page; runs in the browser (decision 27)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.physics.plan import PlanKind
from sitegen.site.cells import (
    Absent,
    Cell,
    Code,
    EvidenceMark,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    TierMark,
    Unit,
    span,
)
from sitegen.site.combo.tier_tables import COMBO_COLUMNS, why_so
from sitegen.site.composed_address import State, write_state
from sitegen.site.drawings.ledger import LedgerView, ledger_view
from sitegen.site.table import Row, Table, facts
from sitegen.site.tables.combos import refused_table
from sitegen.site.urls import model_row_id, url_of
from sitegen.site.words.plans import plan_words
from sitegen.site.words.speeds import speed_rows
from sitegen.site.words.tiers import TIER_CAPTIONS
from sitegen.site.words.verdicts import (
    checkpoint_name,
    fit_cells,
    max_context,
    start_note,
    users,
    utilization,
)
from sitegen.survey.composed_build import CUSTOM_ID_PREFIX
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Results:
    """Every model by tier, and the counts in one sentence."""

    summary: Parts
    hardware: Cell
    tiers: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class Details:
    """One model on the build: the verdict, what each GPU holds, the rest, refused plans."""

    heading: str
    facts: Table
    ledger: LedgerView | None
    more: Table
    refused: Table | None


def results(
    assessments: Sequence[Assessment], combo: Combo, state: State, catalog: Catalog
) -> Results:
    """List the verdicts; each row leads to its details on the same page."""
    build = write_state(replace(state, model=""), catalog)
    stem = f"#{build}&model=" if build else "#model="
    tables = tuple(
        Table(
            f"tier-{tier}",
            TIER_CAPTIONS[tier],
            COMBO_COLUMNS,
            tuple(_row(one, stem, catalog) for one in assessments if one.tier is tier),
            counted=True,
        )
        for tier in FitTier
    )
    counts: list[Cell] = [f"{len(assessments)} models: "]
    for tier, table in zip(FitTier, tables, strict=True):
        counts += [NumberCell(len(table.rows), Unit.COUNT), " ", TierMark(tier), ", "]
    return Results(Parts((*counts[:-1], ".")), _hardware(combo), tables)


def _hardware(combo: Combo) -> Cell:
    installed = NumberCell(combo.installed_vram_bytes, Unit.GIB)
    gpus = "1 GPU" if len(combo.gpus) == 1 else f"{len(combo.gpus)} GPUs"
    machines = "" if len(combo.nodes) == 1 else f" in {len(combo.nodes)} machines"
    words = (f"{gpus}{machines}, ", installed, " installed")
    if combo.id.startswith(CUSTOM_ID_PREFIX):
        return Parts((*words, "."))
    return Parts((*words, ": the combo ", Link(url_of("combo", combo.id), combo.name), "."))


def _row(assessment: Assessment, stem: str, catalog: Catalog) -> Row:
    heading = Lines(
        (
            Link(f"{stem}{assessment.model.id}", assessment.model.name),
            Small(checkpoint_name(assessment)),
        ),
    )
    cells = (heading, *fit_cells(assessment), why_so(assessment, catalog))
    return Row(cells, id=model_row_id(assessment.model.id))


def details(assessment: Assessment, catalog: Catalog) -> Details:
    """Describe one verdict whole."""
    refused = None
    if assessment.refused:
        caption = f"Plans that the rules refuse for {assessment.model.name}"
        refused = refused_table(assessment.refused, catalog, caption=caption, id="refused-here")
    ledger = ledger_view(assessment, id="held") if assessment.ledger else None
    return Details(
        assessment.model.name, _facts(assessment, catalog), ledger, _more(assessment), refused
    )


def _facts(assessment: Assessment, catalog: Catalog) -> Table:
    """Say what a reader decides by, and how it is known."""
    runtime = Link(url_of("runtime", assessment.runtime.id), assessment.runtime.name)
    note, speed = start_note(assessment), assessment.speed
    pairs: list[tuple[str, Cell]] = [
        ("Verdict", TierMark(assessment.tier)),
        ("Why", why_so(assessment, catalog)),
        ("Checkpoint", checkpoint_name(assessment)),
        ("Runtime", Parts((runtime, f" {assessment.profile.version}"))),
        ("Plan", plan_words(assessment.plan) if assessment.plan else Absent("no valid plan")),
    ]
    if speed is not None:
        pairs.append(("Decode, one stream", span(speed.single_tokens_per_s, Unit.TOKENS_PER_S)))
    if assessment.plan is not None:
        pairs += [
            ("Longest context", max_context(assessment)),
            ("Users at 8K / 32K", users(assessment)),
        ]
    if note is not None:
        pairs.append(("To start", note))
    pairs += [
        ("Known by", EvidenceMark(assessment.known_by)),
        ("Assessment", Code(assessment.id)),
    ]
    return facts("verdict-facts", f"{assessment.model.name} on this build", tuple(pairs))


def _more(assessment: Assessment) -> Table:
    """Say what is left to know once the memory is seen."""
    speed = assessment.speed
    pairs: list[tuple[str, Cell]] = [
        ("Model", Link(url_of("model", assessment.model.id), assessment.model.name)),
        ("Size", NumberCell(assessment.weights_bytes, Unit.GIB)),
    ]
    if assessment.plan is not None:
        pairs += [
            ("GPUs of one replica", NumberCell(len(assessment.plan.ranks), Unit.COUNT)),
            ("Layers", _layers(assessment)),
            ("One replica can fill", NumberCell(assessment.effective_vram_bytes, Unit.GIB)),
            ("Busiest GPU", utilization(assessment)),
        ]
    if speed is not None:
        pairs += [
            ("Decode, all streams", span(speed.aggregate_tokens_per_s, Unit.TOKENS_PER_S)),
            ("Decode, each of them", span(speed.each_tokens_per_s, Unit.TOKENS_PER_S)),
            *speed_rows(assessment),
        ]
    return facts("verdict-more", "More of this verdict", tuple(pairs))


def _layers(assessment: Assessment) -> Cell:
    """Say how many layers each stage or GPU holds."""
    plan = assessment.plan
    if plan is None:
        return Absent()
    place = "GPU" if plan.kind in LAYER_KINDS else "stage"
    counts = ", ".join(str(count) for count in plan.layers_per_stage)
    return counts if len(plan.layers_per_stage) == 1 else f"{counts} per {place}"


LAYER_KINDS = frozenset({PlanKind.LAYER_SPLIT, PlanKind.REMOTE_LAYER_SPLIT, PlanKind.OFFLOAD})

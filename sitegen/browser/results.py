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
    """One model on the build: the verdict, what each GPU holds, and which plans are refused."""

    heading: str
    facts: Table
    ledger: LedgerView | None
    refused: Table | None


def results(found: Sequence[Assessment], combo: Combo, state: State, catalog: Catalog) -> Results:
    """List the verdicts; each row leads to its details on the same page."""
    build = write_state(replace(state, model=""), catalog)
    stem = f"#{build}&model=" if build else "#model="
    tables = tuple(
        Table(
            f"tier-{tier}",
            TIER_CAPTIONS[tier],
            COMBO_COLUMNS,
            tuple(_row(one, stem, catalog) for one in found if one.tier is tier),
            counted=True,
        )
        for tier in FitTier
    )
    counts: list[Cell] = [f"{len(found)} models: "]
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


def _row(found: Assessment, stem: str, catalog: Catalog) -> Row:
    heading = Lines(
        (Link(f"{stem}{found.model.id}", found.model.name), Small(checkpoint_name(found))),
    )
    cells = (heading, *fit_cells(found), why_so(found, catalog))
    return Row(cells, id=model_row_id(found.model.id))


def details(found: Assessment, catalog: Catalog) -> Details:
    """Describe one verdict whole."""
    refused = None
    if found.refused:
        caption = f"Plans that the rules refuse for {found.model.name}"
        refused = refused_table(found.refused, catalog, caption=caption, id="refused-here")
    ledger = ledger_view(found, id="held") if found.ledger else None
    return Details(found.model.name, _facts(found, catalog), ledger, refused)


def _facts(found: Assessment, catalog: Catalog) -> Table:
    runtime = Link(url_of("runtime", found.runtime.id), found.runtime.name)
    note, speed = start_note(found), found.speed
    pairs: list[tuple[str, Cell]] = [
        ("Verdict", TierMark(found.tier)),
        ("Why", why_so(found, catalog)),
        ("Model", Link(url_of("model", found.model.id), found.model.name)),
        ("Checkpoint", checkpoint_name(found)),
        ("Size", NumberCell(found.weights_bytes, Unit.GIB)),
        ("Runtime", Parts((runtime, f" {found.profile.version}"))),
        ("Plan", plan_words(found.plan) if found.plan else Absent("no valid plan")),
    ]
    if found.plan is not None:
        pairs += [
            ("GPUs of one replica", NumberCell(len(found.plan.ranks), Unit.COUNT)),
            ("Layers", _layers(found)),
            ("One replica can fill", NumberCell(found.effective_vram_bytes, Unit.GIB)),
            ("Busiest GPU", utilization(found)),
            ("Longest context", max_context(found)),
            ("Users at 8K / 32K", users(found)),
        ]
    if note is not None:
        pairs.append(("To start", note))
    if speed is not None:
        pairs += [
            ("Decode, one stream", span(speed.single_tokens_per_s, Unit.TOKENS_PER_S)),
            ("Decode, all streams", span(speed.aggregate_tokens_per_s, Unit.TOKENS_PER_S)),
            ("Decode, each of them", span(speed.each_tokens_per_s, Unit.TOKENS_PER_S)),
            *speed_rows(found),
        ]
    pairs += [
        ("Known by", EvidenceMark(found.known_by)),
        ("Assessment", Code(found.id)),
    ]
    return facts("verdict-facts", f"{found.model.name} on this build", tuple(pairs))


def _layers(found: Assessment) -> Cell:
    """Say how many layers each stage or GPU holds."""
    plan = found.plan
    if plan is None:
        return Absent()
    place = "GPU" if plan.kind in LAYER_KINDS else "stage"
    counts = ", ".join(str(count) for count in plan.layers_per_stage)
    return counts if len(plan.layers_per_stage) == 1 else f"{counts} per {place}"


LAYER_KINDS = frozenset({PlanKind.LAYER_SPLIT, PlanKind.REMOTE_LAYER_SPLIT, PlanKind.OFFLOAD})

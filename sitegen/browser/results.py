"""What a composed build runs, as the tables of a combo page; runs in the browser (decision 27)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.site.cells import (
    Cell,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    TierMark,
    Unit,
)
from sitegen.site.combo.tier_tables import COMBO_COLUMNS, why_so
from sitegen.site.composed_address import State, write_build, write_state
from sitegen.site.table import Row, Table
from sitegen.site.urls import model_row_id, url_of
from sitegen.site.words.tiers import TIER_CAPTIONS
from sitegen.site.words.verdicts import (
    checkpoint_name,
    fit_cells,
)
from sitegen.survey.composed_build import CUSTOM_ID_PREFIX, BuildQuestion
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Results:
    """Every model by tier, and the counts in one sentence."""

    summary: Parts
    hardware: Cell
    tiers: tuple[Table, ...]


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
    return Results(Parts((*counts[:-1], ".")), _hardware(combo, _best(state, catalog)), tables)


def _best(state: State, catalog: Catalog) -> Link:
    """Lead to the one model that the home page answers with, for the same load."""
    asked = BuildQuestion(state.asked.context_tokens, state.asked.sequences)
    address = write_state(State(state.build, asked, state.combo), catalog)
    return Link(f"/#{address or write_build(state.build)}", "Which of them is best?")


def _hardware(combo: Combo, best: Link) -> Cell:
    installed = NumberCell(combo.installed_vram_bytes, Unit.GIB)
    gpus = "1 GPU" if len(combo.gpus) == 1 else f"{len(combo.gpus)} GPUs"
    machines = "" if len(combo.nodes) == 1 else f" in {len(combo.nodes)} machines"
    words = (f"{gpus}{machines}, ", installed, " installed")
    if combo.id.startswith(CUSTOM_ID_PREFIX):
        return Parts((*words, ". ", best))
    named = Link(url_of("combo", combo.id), combo.name)
    return Parts((*words, ": the machine ", named, ". ", best))


def _row(assessment: Assessment, stem: str, catalog: Catalog) -> Row:
    heading = Lines(
        (
            Link(f"{stem}{assessment.model.id}", assessment.model.name),
            Small(checkpoint_name(assessment)),
        ),
    )
    cells = (heading, *fit_cells(assessment), why_so(assessment, catalog))
    return Row(cells, id=model_row_id(assessment.model.id))

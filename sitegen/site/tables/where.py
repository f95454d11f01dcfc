"""Where a model runs: its combos, tier by tier."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.fit.assessment import FitTier
from sitegen.site.cells import (
    Absent,
    Link,
    NumberCell,
    Unit,
)
from sitegen.site.table import Column, Row, Table
from sitegen.site.words.tiers import COMFORTABLY
from sitegen.site.words.verdicts import FIT_COLUMNS, checkpoint_name, fit_cells, row_link
from sitegen.survey.results import ModelOnCombo

WHERE_CAPTIONS = {
    FitTier.COMFORTABLE: f"Runs {COMFORTABLY} on",
    FitTier.BORDERLINE: "Borderline on",
    FitTier.NOT_PRACTICAL: "Not practical on",
}


def where_table(rows: Iterable[ModelOnCombo], tier: FitTier, *, id: str) -> Table:
    """List combos on which a model has a verdict."""
    columns = (
        Column("Combo", note="smallest first"),
        Column("Checkpoint"),
        *FIT_COLUMNS,
    )
    listed = tuple(_where_row(row) for row in rows)
    return Table(id, WHERE_CAPTIONS[tier], columns, listed, counted=True, sortable=True)


def _where_row(row: ModelOnCombo) -> Row:
    verdict = row.pick
    return Row(
        (
            Link(row_link(verdict), verdict.combo.name),
            checkpoint_name(verdict),
            *fit_cells(verdict),
        )
    )


def refused_where_table(rows: Iterable[ModelOnCombo], *, id: str) -> Table:
    """List combos where a model is not practical, with what is missing."""
    columns = (
        Column("Combo", note="smallest first"),
        Column("Smallest checkpoint"),
        Column("Installed", numeric=True),
        Column("Missing", numeric=True, note="busiest GPU"),
    )
    listed = tuple(
        Row(
            (
                Link(row_link(row.pick), row.pick.combo.name),
                checkpoint_name(row.pick),
                NumberCell(row.pick.combo.installed_vram_bytes, Unit.GIB),
                NumberCell(row.pick.shortage_bytes, Unit.GIB)
                if row.pick.shortage_bytes
                else Absent("not memory"),
            )
        )
        for row in rows
    )
    caption = WHERE_CAPTIONS[FitTier.NOT_PRACTICAL]
    return Table(id, caption, columns, listed, counted=True, sortable=True, ascends_by=2)

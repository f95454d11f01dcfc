"""Combos on which a model runs, tier by tier."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.fit.assessment import FitTier
from sitegen.site.cells import (
    Link,
)
from sitegen.site.table import Column, Row, Table
from sitegen.site.words.tiers import COMFORTABLY
from sitegen.site.words.verdicts import FIT_COLUMNS, checkpoint_name, fit_cells, row_link
from sitegen.survey.results import ModelOnCombo

WHERE_CAPTIONS = {
    FitTier.COMFORTABLE: f"Machines that run it {COMFORTABLY}",
    FitTier.BORDERLINE: "Borderline machines",
    FitTier.NOT_PRACTICAL: "Machines where it is not practical",
}


def where_table(rows: Iterable[ModelOnCombo], tier: FitTier, *, id: str) -> Table:
    """List combos on which a model has a verdict."""
    columns = (
        Column("Machine", note="smallest first", key="combo"),
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

"""Models of a combo in full for a guide: memory, speed, and why the verdict is not better."""

from __future__ import annotations

from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.site.cells import (
    Cell,
    Flag,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    Unit,
)
from sitegen.site.combo.benchmark_priorities import to_settle
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import url_of
from sitegen.site.words.tiers import TIER_CAPTIONS
from sitegen.site.words.verdicts import FIT_COLUMNS, checkpoint_name, fit_cells, row_link, why
from sitegen.survey.results import ModelOnCombo


def _heading(row: ModelOnCombo) -> Cell:
    """Head a row: model and checkpoint, with a link to the row on the combo's page."""
    pick = row.pick
    here = Link(row_link(pick), "#", f"Link to {pick.model.name} here")
    return Lines(
        (
            Link(url_of("model", pick.model.id), pick.model.name),
            Small(Parts((checkpoint_name(pick), "\N{NO-BREAK SPACE}", here))),
        )
    )


def _slow_end(catalog: Catalog) -> Cell:
    """Say why a comfortable verdict is in doubt: its memory is not, so its speed is."""
    floor = NumberCell(catalog.assumptions["speed-floor-tokens-per-s"].value.mid, Unit.TOKENS_PER_S)
    return Parts(("It fits, but the low end of its speed estimate is under ", floor, "."))


def why_so(
    pick: Assessment,
    catalog: Catalog,
    settled_by: tuple[Cell, ...] = (),
    *,
    too_close: bool | None = None,
) -> Cell:
    """Say why the verdict is not better, and where it is too close to call what would settle it.

    ``too_close`` is the verdict's, where another checkpoint than the pick carries it.
    """
    reasons = why(pick, catalog)
    if not (pick.too_close if too_close is None else too_close):
        return reasons
    told = _slow_end(catalog) if pick.tier is FitTier.COMFORTABLE else reasons
    return Lines((Flag("too close to call"), told, *settled_by))


COMBO_COLUMNS = (
    Column("Model", note="checkpoint"),
    *FIT_COLUMNS,
    Column("Why", prose=True),
)


def _row(row: ModelOnCombo, catalog: Catalog) -> Row:
    pick = row.pick
    settle = (to_settle(row.open_verdict.named.measure, catalog),) if row.open_verdict else ()
    return Row(
        (
            _heading(row),
            *fit_cells(pick),
            why_so(pick, catalog, settle, too_close=row.too_close),
        )
    )


def tier_table(
    tier: FitTier, rows: tuple[ModelOnCombo, ...], catalog: Catalog, *, id: str
) -> Table:
    """List models of a combo that have a verdict, with why."""
    return Table(
        id=id,
        caption=TIER_CAPTIONS[tier],
        columns=COMBO_COLUMNS,
        rows=tuple(_row(row, catalog) for row in rows),
        counted=True,
        sortable=True,
    )

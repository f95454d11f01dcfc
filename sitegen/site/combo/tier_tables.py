"""The three tables of a combo page: a row per model, with its other checkpoints folded."""

from __future__ import annotations

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.site.cells import (
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
    joined,
    span,
)
from sitegen.site.combo.benchmark_priorities import to_settle
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import model_row_id, row_id, url_of
from sitegen.site.words.tiers import TIER_CAPTIONS
from sitegen.site.words.verdicts import FIT_COLUMNS, checkpoint_name, fit_cells, row_link, why
from sitegen.survey.results import ModelOnCombo


def _named(name: str, how_full: Interval | None) -> Parts:
    if how_full is None:
        return Parts((name,))
    return Parts((name, " (", span(how_full, Unit.PERCENT), ")"))


def other_checkpoints(row: ModelOnCombo) -> tuple[Cell, ...]:
    """One line per tier: the checkpoints that are not picked, and how full the busiest GPU is."""
    lines: list[Cell] = []
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
    pick = row.pick
    anchor = f"#{row_id(pick.model.id, pick.checkpoint.id)}"
    permalink = Link(anchor if anchors else row_link(pick), "#", f"Link to {pick.model.name} here")
    lines: list[Cell] = [
        Link(url_of("model", pick.model.id), pick.model.name),
        Small(Parts((checkpoint_name(pick), "\N{NO-BREAK SPACE}", permalink))),
    ]
    if anchors:
        lines += _others(row)
    return Lines(tuple(lines))


def _others(row: ModelOnCombo) -> tuple[Cell, ...]:
    """Fold the other checkpoints away; a list of those that all do not fit says nothing more."""
    count = len(row.others)
    if not count:
        return ()
    none = all(outcome.tier is FitTier.NOT_PRACTICAL for outcome in row.others)
    if none and row.tier is FitTier.NOT_PRACTICAL:
        return (Small(f"nor does any of {count} others" if count > 1 else "nor does the other"),)
    word = "checkpoint" if count == 1 else "checkpoints"
    return (Folded(f"{count} other {word}", other_checkpoints(row)),)


def _slow_end(catalog: Catalog) -> Cell:
    """Say why a comfortable verdict is in doubt: its memory is not, so its speed is."""
    floor = NumberCell(catalog.assumptions["speed-floor-tokens-per-s"].value.mid, Unit.TOKENS_PER_S)
    return Parts(("It fits, but the slow end of its speed is under ", floor, "."))


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


def combo_row(row: ModelOnCombo, catalog: Catalog, *, anchors: bool = True) -> Row:
    """Build a combo page's row of one model; elsewhere its link leads to the combo page."""
    pick = row.pick
    anchor = row_id(pick.model.id, pick.checkpoint.id)
    settle = (to_settle(row.open_verdict.named.measure, catalog),) if row.open_verdict else ()
    return Row(
        (
            model_heading(row, anchors=anchors),
            *fit_cells(pick),
            why_so(pick, catalog, settle, too_close=row.too_close),
        ),
        id=anchor if anchors else "",
        head_id=model_row_id(pick.model.id) if anchors else "",
    )


def tier_table(
    tier: FitTier,
    rows: tuple[ModelOnCombo, ...],
    catalog: Catalog,
    *,
    id: str = "",
    anchors: bool = True,
    on_page: bool = True,
) -> Table:
    """Build one of the three tables of a combo page."""
    return Table(
        id=id or f"tier-{tier}",
        caption=TIER_CAPTIONS[tier],
        columns=COMBO_COLUMNS,
        rows=tuple(combo_row(row, catalog, anchors=anchors) for row in rows),
        counted=True,
        sortable=True,
        on_page=on_page,
    )

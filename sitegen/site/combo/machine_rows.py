"""The machines of the catalog for one model: one line each, smallest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sitegen.fit.assessment import FitTier
from sitegen.site.cells import Absent, Cell, Flag, Lines, Link, NumberCell, Small, Unit
from sitegen.site.combo.model_rows import runs_in, speed_cell
from sitegen.site.table import Column, Row, Table
from sitegen.site.tables.where import WHERE_CAPTIONS
from sitegen.site.urls import view_of
from sitegen.site.words.prices import brief_cost
from sitegen.site.words.verdicts import checkpoint_name, reachable_context, users
from sitegen.survey.results import ModelOnCombo
from sitegen.values import dataclass

SHOWN = 15
"""Machines of a tier on the model's own page; the page of all machines has the rest."""
SHOWN_REFUSED = 5
"""The same for those on which the model is not practical, those that lack least."""

COLUMNS = (
    Column("Machine", note="file"),
    Column("Speed", numeric=True, note="one user"),
    Column("Context", numeric=True, note="longest"),
    Column("Users", numeric=True, note="at 8K / 32K"),
    Column("GPU cost", numeric=True, note="newest price seen", key="GPUs cost"),
    Column("Runs in", note="plan"),
)
MISSING_COLUMNS = (
    Column("Machine", note="smallest file"),
    Column("Installed", numeric=True),
    Column("Missing", numeric=True, note="fullest GPU"),
)


@dataclass(frozen=True, slots=True)
class MachineTier:
    """The machines of one verdict: on the model's page the first ``rows``, of so many in all."""

    tier: FitTier
    caption: str
    table: Table
    total: int

    @property
    def id(self) -> str:
        """The anchor of the tier."""
        return f"tier-{self.tier}"

    @property
    def more(self) -> int:
        """Machines that are listed on the page of all machines alone."""
        return self.total - len(self.table.rows)


def machine_tiers(rows: Sequence[ModelOnCombo], *, whole: bool) -> tuple[MachineTier, ...]:
    """List machines by verdict: the first of each, or on the page of all machines every one."""
    return tuple(_tier(rows, tier, whole=whole) for tier in FitTier)


def _tier(rows: Sequence[ModelOnCombo], tier: FitTier, *, whole: bool) -> MachineTier:
    found = [row for row in rows if row.tier is tier]
    total, caption = len(found), WHERE_CAPTIONS[tier]
    refused = tier is FitTier.NOT_PRACTICAL
    if not whole and refused:
        found.sort(key=lambda row: row.pick.shortage_bytes)
    if not whole:
        found = found[: SHOWN_REFUSED if refused else SHOWN]
    table = Table(
        f"{'all' if whole else 'first'}-{tier}",
        caption,
        MISSING_COLUMNS if refused else COLUMNS,
        tuple((_missing_row if refused else _row)(row) for row in found),
        counted=whole,
        sortable=True,
    )
    return MachineTier(tier, caption, replace(table, in_files=False), total)


def _row(row: ModelOnCombo) -> Row:
    pick = row.pick
    return Row(
        (
            _heading(row),
            speed_cell(pick),
            reachable_context(pick),
            users(pick),
            brief_cost(pick.combo),
            runs_in(pick),
        )
    )


def _heading(row: ModelOnCombo) -> Cell:
    pick = row.pick
    lines: list[Cell] = [
        Link(view_of(pick.combo.id, pick.model.id), pick.combo.name),
        Small(checkpoint_name(pick)),
    ]
    if row.too_close:
        lines.append(Flag("too close to call"))
    return Lines(tuple(lines))


def _missing_row(row: ModelOnCombo) -> Row:
    pick = row.pick
    missing = pick.shortage_bytes
    return Row(
        (
            _heading(row),
            NumberCell(pick.combo.installed_vram_bytes, Unit.GIB),
            NumberCell(missing, Unit.GIB) if missing else Absent("memory is enough"),
        )
    )

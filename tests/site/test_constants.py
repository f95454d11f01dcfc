"""The constants of the speed model: each on one of the two pages, none lost, notes said once."""

from __future__ import annotations

from dataclasses import replace

from sitegen.physics.speed.constants import REQUIRED
from sitegen.render.cells import text
from sitegen.site.pages.framework import pages
from sitegen.site.reports.constants import groups, kind_of
from sitegen.site.table import Table
from tests.site import fabricated

ANY = next(iter(fabricated.CATALOG.assumptions.values()))
KNOWN = {**fabricated.CATALOG.assumptions, **dict.fromkeys(REQUIRED, ANY)}
INPUTS = replace(fabricated.inputs(), catalog=replace(fabricated.CATALOG, assumptions=KNOWN))
FRAMEWORK, CONSTANTS = pages(INPUTS)


def speed_tables() -> list[Table]:
    return [fold.table for group in groups(KNOWN) for fold in group.folds]


def names(*tables: Table) -> list[str]:
    return [text(row.cells[0]) for table in tables for row in table.rows]


def test_every_constant_stands_on_exactly_one_page() -> None:
    main: Table = FRAMEWORK.view.assumptions  # type: ignore[attr-defined]  # the view is opaque
    assert sorted(names(main, *speed_tables())) == sorted(KNOWN)
    assert set(names(*speed_tables())) == {name for name in KNOWN if kind_of(name)}


def test_what_the_speed_model_requires_is_sorted_with_it_and_policies_are_not() -> None:
    assert all(kind_of(name) for name in REQUIRED)
    assert not any(kind_of(name) for name in ("link-share-limit", "prefill-limit-s"))


def test_the_page_counts_what_it_lists() -> None:
    count = sum(len(table.rows) for table in speed_tables())
    assert count >= len(REQUIRED)
    assert CONSTANTS.description.startswith(f"{count} constants")
    for group in groups(KNOWN):
        assert all(f"({len(fold.table.rows)})" in fold.summary for fold in group.folds)


def test_a_note_is_a_column_only_where_notes_differ() -> None:
    name = "decode-efficiency-paged"
    alike = {f"{name}-on-{i}": replace(ANY, note="Fitted.") for i in range(2)}
    (table,) = [fold.table for group in groups(alike) for fold in group.folds]
    assert table.note.startswith("Fitted.")
    assert "Note" not in [column.heading for column in table.columns]
    apart = {**alike, f"{name}-on-2": replace(ANY, note="Guessed.")}
    (table,) = [fold.table for group in groups(apart) for fold in group.folds]
    assert [row.cells[-1] for row in table.rows] == ["Fitted.", "Fitted.", "Guessed."]

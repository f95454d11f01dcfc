"""Benchmark opportunities of the whole site, at ``/benchmarks/opportunities/``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sitegen.problems import SourceSpan
from sitegen.site.cells import Cell, NumberCell, Unit
from sitegen.site.combo.benchmark_priorities import (
    URL,
    measurements_table,
    sessions_table,
)
from sitegen.site.inputs import SiteInputs
from sitegen.site.json.schema.parts import Opportunity
from sitegen.site.json.shaped import shaped
from sitegen.site.page import Page
from sitegen.site.table import Table, first_rows
from sitegen.survey.benchmark_priorities import opportunities, sessions
from sitegen.values import dataclass

TEMPLATE = "opportunities.html"
SHOWN = 60
"""Rows of a table that the page has; its files have them all."""


@dataclass(frozen=True, slots=True)
class OpportunitiesView:
    """Values that ``opportunities.html`` shows; ``verdicts`` are too close to call, of ``rows``.

    ``files`` are the tables of which the page has the first rows.
    """

    verdicts: Cell
    rows: Cell
    sessions: Table
    measurements: Table
    singles: int
    """Measurements that settle one verdict each."""
    files: tuple[Table, ...]


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the one page."""
    surveys = inputs.survey.combos.values()
    found = opportunities(surveys)
    rows = [row for survey in surveys for row in survey.rows]
    several = measurements_table(
        tuple(opportunity for opportunity in found if len(opportunity.settles) > 1),
        inputs.catalog,
        id="measurements",
        caption="Measurements that settle several verdicts",
    )
    single = measurements_table(
        tuple(opportunity for opportunity in found if len(opportunity.settles) == 1),
        inputs.catalog,
        id="measurements-of-one",
        caption="Measurements that settle one verdict",
    )
    machines = sessions_table(sessions(found), inputs.catalog)
    shown = [first_rows(table, SHOWN, id=f"first-{table.id}") for table in (machines, several)]
    held = [t for t, first in zip((machines, several), shown, strict=True) if t is not first]
    view = OpportunitiesView(
        verdicts=NumberCell(sum(row.open_verdict is not None for row in rows), Unit.COUNT),
        rows=NumberCell(len(rows), Unit.COUNT),
        sessions=shown[0],
        measurements=shown[1],
        singles=len(single.rows),
        files=tuple(replace(table, on_page=False) for table in (*held, single)),
    )
    yield Page(
        URL,
        "What should you measure next?",
        TEMPLATE,
        view,
        "opportunities",
        SourceSpan("catalog"),
        "Verdicts that are too close to call, and what would settle them, most valuable first.",
        {"opportunities": [shaped(Opportunity, opportunity) for opportunity in found]},
        len(found),
    )

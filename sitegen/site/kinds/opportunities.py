"""Benchmark opportunities of the whole site, at ``/benchmarks/opportunities/``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sitegen.engine.opportunities import opportunities, sessions
from sitegen.problems import SourceSpan
from sitegen.site.combo_twins import opportunity
from sitegen.site.inputs import SiteInputs
from sitegen.site.opportunities import URL, measurements_table, sessions_table
from sitegen.site.page import Page
from sitegen.site.tables import Table

TEMPLATE = "opportunities.html"


@dataclass(frozen=True, slots=True)
class OpportunitiesView:
    """What ``opportunities.html`` shows; ``verdicts`` are too close to call, of ``rows``."""

    verdicts: int
    rows: int
    sessions: Table
    measurements: Table


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the one page."""
    surveys = inputs.survey.combos.values()
    found = opportunities(surveys)
    rows = [row for survey in surveys for row in survey.rows]
    view = OpportunitiesView(
        verdicts=sum(row.doubt is not None for row in rows),
        rows=len(rows),
        sessions=sessions_table(sessions(found), inputs.catalog),
        measurements=measurements_table(found, inputs.catalog),
    )
    yield Page(
        URL,
        "Benchmark opportunities",
        TEMPLATE,
        view,
        "opportunities",
        SourceSpan("catalog"),
        "Verdicts that are too close to call, and what would settle them, most valuable first.",
        {"opportunities": [opportunity(one) for one in found]},
        len(found),
    )

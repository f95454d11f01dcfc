"""What the page of a composed build writes anew for every build; runs in the browser (decision 27).

The same writers as of every other page: a table here looks like a table there.
"""

from __future__ import annotations

from html import escape

from sitegen.render.cells import html
from sitegen.render.charts.ledger import ledger_svg
from sitegen.render.tables import table_html
from sitegen.site.custom_results import Details, Results

PAGE = "/custom/"


def summary_html(found: Results) -> str:
    """Write what a screen reader says after each change."""
    return html(found.summary, PAGE)


def blocks_of(found: Results) -> int:
    """Count the pieces of the results: the hardware, then a table for each tier."""
    return 1 + len(found.tiers)


def block_html(found: Results, at: int) -> str:
    """Write one piece of the results, so that a page can do something else in between."""
    if at == 0:
        return f"<p>{html(found.hardware, PAGE)}</p>"
    table = found.tiers[at - 1]
    return f'<div class="tier-block {escape(table.id)}">{table_html(table, PAGE)}</div>'


def details_html(found: Details) -> str:
    """Write all about one verdict."""
    parts = [table_html(found.facts, PAGE)]
    if found.ledger is not None:
        parts.append(ledger_svg(found.ledger.chart))
        parts.append(table_html(found.ledger.table, PAGE))
    if found.refused is not None:
        parts.append(table_html(found.refused, PAGE))
    return "".join(parts)

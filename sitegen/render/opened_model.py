"""One model on one machine to HTML, on a page of its own and in the browser (decision 27).

``level`` is that of the headings: 2 on a page, 3 where the page is about the build.
"""

from __future__ import annotations

from html import escape

from sitegen.render.cells import html
from sitegen.render.charts.ledger import ledger_svg
from sitegen.render.recipes import about_html, recipe_html
from sitegen.render.tables import table_html
from sitegen.site.reports.opened_model import Commands, Details, Further, Losses, Others
from sitegen.site.table import Table


def write_details(details: Details, page_url: str) -> str:
    """Write all about one verdict."""
    parts = [table_html(details.facts, page_url)]
    if details.ledger is not None:
        parts.append(ledger_svg(details.ledger.chart))
        parts.append(table_html(details.ledger.table, page_url))
    parts.append(table_html(details.more, page_url))
    if details.refused is not None:
        parts.append(table_html(details.refused, page_url))
    return "".join(parts)


def write_commands(commands: Commands, page_url: str, level: int) -> str:
    """Write how a verdict is run."""
    heading = _heading("run", "How to run it", level)
    if commands.none is not None:
        return f"{heading}<p>{html(commands.none, page_url)}</p>"
    recipes = [recipe_html(one, f"h{level + 1}", page_url) for one in commands.recipes]
    choice = "There are several ways to run it: open the one you use. " if len(recipes) > 1 else ""
    return "".join([heading, about_html(choice), *recipes])


def write_further(further: Further, page_url: str, level: int) -> str:
    """Write how far a verdict goes, in numbers that open on demand."""
    parts = [_heading("further", "Longer contexts, more users", level)]
    if further.context is not None:
        parts.append(_numbers("Memory by context", further.context, page_url))
    if further.load is not None:
        parts.append(_numbers("Speed by users", further.load, page_url))
    return "".join(parts)


def _numbers(summary: str, table: Table, page_url: str) -> str:
    return (
        f'<details class="numbers"><summary>{escape(summary)}</summary>'
        f"{table_html(table, page_url)}</details>"
    )


def write_losses(losses: Losses, page_url: str, level: int) -> str:
    """Write a verdict after a loss."""
    table = "" if losses.table is None else table_html(losses.table, page_url)
    heading = _heading("after-a-loss", "If a GPU or machine fails", level)
    return f"{heading}<p>{escape(losses.about)}</p>{table}"


def write_others(others: Others, page_url: str, level: int) -> str:
    """Write the other ways to run a model."""
    rest = f'<p class="note">{html(others.rest, page_url)}</p>' if others.rest is not None else ""
    heading = _heading("others", "Other files and runtimes", level)
    return f"{heading}{table_html(others.table, page_url)}{rest}"


def _heading(name: str, words: str, level: int) -> str:
    return f'<h{level} id="{name}">{escape(words)}</h{level}>\n'

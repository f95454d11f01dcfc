"""Jinja over given templates: escaping on, undefined names fail, three ways to finished HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from sitegen.render import cells
from sitegen.render.addresses import outside, relative
from sitegen.render.buying import Question, answered
from sitegen.render.charts.histogram import histogram_svg
from sitegen.render.charts.ledger import ledger_svg
from sitegen.render.charts.plot import plot_svg
from sitegen.render.charts.tally import tally_html
from sitegen.render.charts.topology import topology_svg
from sitegen.render.data.linked_data import linked_data, script_html
from sitegen.render.first_answer import first_html
from sitegen.render.markdown.page import headings, inline_html, prose_html, text_html
from sitegen.render.matrix import matrix_html
from sitegen.render.opened_model import (
    write_commands,
    write_details,
    write_losses,
    write_others,
)
from sitegen.render.recipes import recipes_html
from sitegen.render.tables import calculator_html, table_html
from sitegen.site.cells import Cell
from sitegen.site.citation import Citation, citation, report_url
from sitegen.site.combo.first_answer import FirstView
from sitegen.site.combo.matrix import Cut
from sitegen.site.combo.recipes import RecipeGroup
from sitegen.site.dates import STALE_DAYS, is_stale
from sitegen.site.drawings.ledger import LedgerChart
from sitegen.site.drawings.plot import Drawn, DrawnBars, Plot
from sitegen.site.drawings.topology import TopologyDrawing
from sitegen.site.guides.calculator import Calculator
from sitegen.site.guides.directives import Block
from sitegen.site.guides.prose import Prose
from sitegen.site.reports.buying import Asked
from sitegen.site.reports.opened_model import Commands, Details, Losses, Others
from sitegen.site.table import Fold, Table
from sitegen.site.tier_counts import TierTally
from sitegen.site.words.tiers import COMFORTABLY, TIER_SHORT


def _page_url(context: Context) -> str:
    return str(context["page"].url)


def finished(html: str) -> Markup:
    """Mark HTML that our own writers made; each of them escapes what it was given."""
    return Markup(html)  # noqa: S704 - the one place where HTML becomes trusted


def drawn_html(drawn: Drawn, page_url: str) -> str:
    """Write a plot, and its numbers as a table that opens on demand."""
    return _with_numbers(plot_svg(drawn.plot), drawn.table, page_url)


def bars_html(drawn: DrawnBars, page_url: str) -> str:
    """Write a histogram, and its numbers as a table that opens on demand."""
    return _with_numbers(histogram_svg(drawn.bars), drawn.table, page_url)


def fold_html(fold: Fold, page_url: str) -> str:
    """Write a table that opens on demand."""
    return (
        f'<details class="numbers"><summary>{escape(fold.summary)}</summary>'
        f"{table_html(fold.table, page_url)}</details>"
    )


def _with_numbers(svg: str, table: Table, page_url: str) -> str:
    return (
        f'{svg}<details class="numbers"><summary>The numbers as a table</summary>'
        f"{table_html(table, page_url)}</details>"
    )


def asked_html(asked: Asked, _: str) -> str:
    """Answer what a buyer's page begins with, as its script does after each change."""
    found = asked.shelf
    question = Question(asked.wanted, {}, asked.use_words)
    parts = answered(found.builds, found.models, found.ratings, question)
    return (
        f'<section id="best" aria-label="Answer">{parts.best}</section>'
        f'<section id="others" aria-label="Other builds">{parts.others}</section>'
        f'<section id="chart" aria-label="Price and quality">{parts.chart}</section>'
    )


WRITERS: Mapping[type, Callable[[Any, str], str]] = {
    Table: table_html,
    Fold: fold_html,
    LedgerChart: lambda value, _: ledger_svg(value),
    TopologyDrawing: lambda value, _: topology_svg(value),
    Plot: lambda value, _: plot_svg(value),
    Drawn: drawn_html,
    DrawnBars: bars_html,
    TierTally: tally_html,
    FirstView: first_html,
    Cut: matrix_html,
    Asked: asked_html,
    Details: write_details,
    Commands: lambda value, page_url: write_commands(value, page_url, 2),
    Losses: lambda value, page_url: write_losses(value, page_url, 2),
    Others: lambda value, page_url: write_others(value, page_url, 2),
}
"""How what is not a cell is written, by type: from the value and the page's URL."""


@pass_context
def show(
    context: Context,
    value: Cell
    | Table
    | LedgerChart
    | TopologyDrawing
    | Plot
    | Drawn
    | DrawnBars
    | TierTally
    | FirstView
    | Cut,
) -> Markup:
    """Write a value of the view: a cell, a table or a chart."""
    writer = WRITERS.get(type(value), cells.html)
    return finished(writer(value, _page_url(context)))


@pass_context
def words(context: Context, value: str | Prose, *, inline: bool = False) -> Markup:
    """Write text of the catalog or of a document, which is Markdown."""
    page_url = _page_url(context)
    if isinstance(value, Prose):
        blocks = {name: _block_html(block, page_url) for name, block in value.blocks.items()}
        title = str(context["page"].title)
        return finished(prose_html(value, page_url, title, blocks))
    return finished(inline_html(value, page_url) if inline else text_html(value, page_url))


def _block_html(block: Block, page_url: str) -> str:
    if isinstance(block, Table):
        return table_html(block, page_url)
    if isinstance(block, Calculator):
        return calculator_html(block, page_url)
    return ledger_svg(block.chart) + table_html(block.table, page_url)


@pass_context
def recipes(context: Context, groups: Sequence[RecipeGroup]) -> Markup:
    """Write the section of a page that says how its answers are run."""
    return finished(recipes_html(groups, _page_url(context)))


@pass_context
def href(context: Context, url: str) -> str:
    """Write an address of this site relative to the page, or one outside as it may be written.

    The error page is served for any missing address, whatever its folder, so that its own
    addresses start at the path that the site is published under.
    """
    if url.startswith("/") and context["page"].kind == "not-found":
        return f"{context['site'].base_path[:-1]}{url}"
    if url.startswith("/"):
        return relative(url, _page_url(context))
    return outside(url) or ""


@pass_context
def cite(context: Context) -> Citation:
    """Return how the page is cited."""
    return citation(context["page"], context["site"])


@pass_context
def report(context: Context) -> str:
    """Return where a wrong number of the page is reported."""
    return report_url(context["page"], context["site"])


@pass_context
def about(context: Context) -> Markup:
    """Write what machines read of the page: a block of JSON-LD."""
    return finished(script_html(linked_data(context["page"], context["site"])))


def environment(templates: Mapping[str, str], *, pictures: bool = False) -> Environment:
    """Build the environment over templates by name; ``pictures`` says that pages have them."""
    made = Environment(
        loader=DictLoader(dict(templates)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    made.globals.update(
        show=show, words=words, recipes=recipes, pictures=pictures, text=cells.text,
        headings=headings, cite=cite, report_url=report, linked_data=about, is_stale=is_stale,
        stale_days=STALE_DAYS,
        comfortably=COMFORTABLY, tier_words={tier.value: word for tier, word in TIER_SHORT.items()},
    )  # fmt: skip
    made.filters["href"] = href
    return made

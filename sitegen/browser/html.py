"""What the page of a composed build writes anew for every build; runs in the browser (decision 27).

The same writers as of every other page: a table here looks like a table there.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from sitegen.browser.opened_model import Commands, Losses, Others
from sitegen.browser.results import Details, Results
from sitegen.render.cells import html
from sitegen.render.charts.ledger import ledger_svg
from sitegen.render.recipes import about_html, recipe_html
from sitegen.render.tables import table_html, table_pieces
from sitegen.site.urls import CUSTOM_URL


def summary_html(results: Results) -> str:
    """Write what a screen reader says after each change."""
    return html(results.summary, CUSTOM_URL)


def blocks_of(results: Results) -> int:
    """Count the blocks of the results: the hardware, then a table for each tier."""
    return 1 + len(results.tiers)


def block_pieces(results: Results, at: int) -> Iterator[str]:
    """Write one block of the results in pieces, so that a page can do something in between."""
    if at == 0:
        yield f"<p>{html(results.hardware, CUSTOM_URL)}</p>"
        return
    table = results.tiers[at - 1]
    yield f'<div class="tier-block {escape(table.id)}">'
    yield from table_pieces(table, CUSTOM_URL)
    yield "</div>"


def details_html(details: Details) -> str:
    """Write all about one verdict."""
    parts = [table_html(details.facts, CUSTOM_URL)]
    if details.ledger is not None:
        parts.append(ledger_svg(details.ledger.chart))
        parts.append(table_html(details.ledger.table, CUSTOM_URL))
    parts.append(table_html(details.more, CUSTOM_URL))
    if details.refused is not None:
        parts.append(table_html(details.refused, CUSTOM_URL))
    return "".join(parts)


def commands_html(commands: Commands | None) -> str:
    """Write how a verdict is run; nothing for one that does not run."""
    if commands is None:
        return ""
    heading = '<h3 id="run">How to run it</h3>\n'
    if commands.none is not None:
        return f"{heading}<p>{html(commands.none, CUSTOM_URL)}</p>"
    recipes = [recipe_html(one, "h4", CUSTOM_URL) for one in commands.recipes]
    choice = "Each is a way of its own; unfold the one you use. " if len(recipes) > 1 else ""
    return "".join([heading, about_html(choice), *recipes])


def losses_html(losses: Losses | None) -> str:
    """Write what is left of a verdict after a loss; nothing for one that does not run."""
    if losses is None:
        return ""
    table = "" if losses.table is None else table_html(losses.table, CUSTOM_URL)
    heading = '<h3 id="after-a-loss">What still runs after a loss</h3>\n'
    return f"{heading}<p>{escape(losses.about)}</p>{table}"


def others_html(others: Others | None) -> str:
    """Write the other ways to run a model; nothing where there is no other."""
    if others is None:
        return ""
    rest = f'<p class="note">{html(others.rest, CUSTOM_URL)}</p>' if others.rest is not None else ""
    heading = '<h3 id="others">Its other checkpoints and runtimes</h3>\n'
    return f"{heading}{table_html(others.table, CUSTOM_URL)}{rest}"

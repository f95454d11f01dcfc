"""What the page of a composed build writes anew for every build; runs in the browser (decision 27).

The same writers as of every other page: a table here looks like a table there.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from sitegen.browser.results import Results
from sitegen.render.cells import html
from sitegen.render.opened_model import (
    write_commands,
    write_details,
    write_further,
    write_losses,
    write_others,
)
from sitegen.render.tables import table_pieces
from sitegen.site.reports.opened_model import Commands, Details, Further, Losses, Others
from sitegen.site.urls import CUSTOM_URL

LEVEL = 3
"""Of headings about an opened model, which stand below the name of the model."""


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
    return write_details(details, CUSTOM_URL)


def commands_html(commands: Commands | None) -> str:
    """Write how a verdict is run; nothing for one that does not run."""
    return "" if commands is None else write_commands(commands, CUSTOM_URL, LEVEL)


def further_html(further: Further | None) -> str:
    """Write how far a verdict goes; nothing for one that does not run."""
    return "" if further is None else write_further(further, CUSTOM_URL, LEVEL)


def losses_html(losses: Losses | None) -> str:
    """Write what is left of a verdict after a loss; nothing for one that does not run."""
    return "" if losses is None else write_losses(losses, CUSTOM_URL, LEVEL)


def others_html(others: Others | None) -> str:
    """Write the other ways to run a model; nothing where there is no other."""
    return "" if others is None else write_others(others, CUSTOM_URL, LEVEL)

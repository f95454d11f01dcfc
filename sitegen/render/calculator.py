"""The break-even calculator to HTML: a table, and a form that a script shows and computes."""

from __future__ import annotations

from html import escape

from sitegen.render.tables import table_html
from sitegen.site.guides.calculator import Calculator, Field

RESULTS = (
    ("tokens", "Written a month"),
    ("electricity", "Electricity a month"),
    ("bought", "The same from an API, a month"),
    ("months", "Paid for itself"),
)


def calculator_html(calculator: Calculator, page_url: str) -> str:
    """Write the table, and below it the form, hidden until its script runs."""
    inputs = "".join(_input(field) for field in calculator.fields)
    results = "".join(
        f'<div><dt>{escape(words)}</dt><dd><output name="{name}"></output></dd></div>'
        for name, words in RESULTS
    )
    return (
        f"{table_html(calculator.table, page_url)}"
        '<form class="build calculator" hidden><fieldset><legend>Your own load</legend>'
        f'<p class="note">Filled with the figures of {escape(calculator.filled_with)}, '
        "the middle of each range. Change any of them; nothing is sent anywhere.</p>"
        f'<div class="row">{inputs}</div><dl class="row" aria-live="polite">{results}</dl>'
        "</fieldset></form>"
    )


def _input(field: Field) -> str:
    value = f"{field.value:.{field.decimals}f}"
    return (
        f'<label>{escape(field.label)} <input type="number" name="{field.name}" min="0" '
        f'max="{field.most:g}" step="any" required value="{value}"></label>'
    )

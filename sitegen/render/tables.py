"""Tables to HTML, in a region that scrolls by itself, and the form of the break-even calculator."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from sitegen.render.cells import html, sort_value, text
from sitegen.site.cells import Cell
from sitegen.site.guides.calculator import Calculator, CalculatorInput
from sitegen.site.table import Column, Row, Table


def table_html(table: Table, page_url: str) -> str:
    """Write a table; without rows, a paragraph that says so under the same anchor."""
    return "".join(table_pieces(table, page_url))


def table_pieces(table: Table, page_url: str) -> Iterator[str]:
    """Write a table piece by piece: what stands before its rows, rows, what stands behind.

    The table's class names the columns of numbers, ``n2 n5``: a class on each cell of them would be
    a fiftieth of the published folder.
    """
    name, caption = escape(table.id), escape(table.caption)
    if not table.rows:
        yield f'<p id="{name}" class="empty">{caption}: none.</p>'
        return
    count = f' <span class="count">({len(table.rows)})</span>' if table.counted else ""
    sortable = table.sortable and len(table.rows) > 1
    head = "".join(
        _heading(column, sortable=sortable, ascends=sortable and at == table.ascends_by)
        for at, column in enumerate(table.columns)
    )
    numeric = [column.numeric for column in table.columns]
    places = " ".join([f"n{at}" for at, is_number in enumerate(numeric, 1) if is_number])
    css = f' class="{places}"' if places else ""
    yield (
        f'<div class="table" role="region" aria-labelledby="{name}-caption" tabindex="0">'
        f'<table id="{name}"{css}><caption>'
        f'<span id="{name}-caption">{caption}{count}</span></caption>'
        f"<thead><tr>{head}</tr></thead><tbody>"
    )
    for row in table.rows:
        yield _row(row, numeric, page_url, sortable=sortable)
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    yield f"</tbody></table></div>{note}"


def _heading(column: Column, *, sortable: bool, ascends: bool) -> str:
    """Write a heading; ``data-sort`` tells a script what the column may be ordered by."""
    css = ' class="n"' if column.numeric else ""
    if sortable and not column.prose:
        css += " data-sort=number" if column.numeric else " data-sort=text"
    if ascends:
        css += ' aria-sort="ascending"'
    note = f" <small>{escape(column.note)}</small>" if column.note else ""
    return f"<th scope=col{css}>{escape(column.heading)}{note}</th>"


def _row(row: Row, numeric: list[bool], page_url: str, *, sortable: bool) -> str:
    anchor = f' id="{escape(row.id)}"' if row.id else ""
    mark = f' class="{escape(row.mark)}"' if row.mark else ""
    for name, value in row.facets:
        mark += f' data-{name}="{escape(value)}"'
    cells = row.cells
    head = f' id="{escape(row.head_id)}"' if row.head_id else ""
    parts = [f"<tr{anchor}{mark}><th scope=row{head}>{html(cells[0], page_url)}</th>"]
    for index in range(1, len(cells)):
        shown = html(cells[index], page_url)
        value = _value(cells[index], shown) if sortable and numeric[index] else ""
        parts.append(f"<td{value}>{shown}</td>")
    parts.append("</tr>")
    return "".join(parts)


def _value(cell: Cell, shown: str) -> str:
    """Write what a script sorts a number by, where the cell does not begin with it.

    A script reads a cell without a value that begins with a digit; one whose number is unknown has
    an empty value then.
    """
    value = sort_value(cell)
    if value is None:
        first = text(cell)[:1]
        return ' data-value=""' if first and first in _NUMBER else ""
    if value == round(value):
        printed = f"{value:,.0f}"
        after = shown[len(printed) : len(printed) + 1]
        if shown.startswith(printed) and not (after and after in _NUMBER):
            return ""
        return f" data-value={value:.6g}"
    return f" data-value={value:.4g}"


_NUMBER = "0123456789.,"


RESULTS = (
    ("tokens", "Written a month"),
    ("electricity", "Electricity a month"),
    ("bought", "API cost a month"),
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
        '<p class="note">The form is filled in with the middle of each range for '
        f"{escape(calculator.filled_with)}. Change any value; nothing is sent anywhere.</p>"
        f'<div class="row">{inputs}</div><dl class="row" aria-live="polite">{results}</dl>'
        "</fieldset></form>"
    )


def _input(field: CalculatorInput) -> str:
    value = f"{field.value:.{field.decimals}f}"
    return (
        f'<label>{escape(field.label)} <input type="number" name="{field.name}" min="0" '
        f'max="{field.most:g}" step="any" required value="{value}"></label>'
    )

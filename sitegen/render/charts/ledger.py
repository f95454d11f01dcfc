"""Stacked bars of what each GPU holds, with the budget as a line and a legend beside them."""

from __future__ import annotations

from html import escape

from sitegen.render.filters import quantity
from sitegen.site.cells import NumberCell, Unit
from sitegen.site.drawings.ledger import Bar, LedgerChart, Segment

ROW = 58
BAR_TOP = 22
BAR_HEIGHT = 24
NARROWEST = 320
"""Pixels that the bars have on a small screen: a label wider than its segment is left out."""
LETTER = 6.5
"""Pixels of a letter of such a label, about."""


def ledger_svg(chart: LedgerChart) -> str:
    """Draw the bars on one scale; the widest of GPU memory and need fills the width."""
    scale = max(max(bar.visible_bytes, sum(s.bytes for s in bar.segments)) for bar in chart.bars)
    height = ROW * len(chart.bars)
    name = escape(chart.id)
    rows = "".join(_bar(bar, index * ROW, scale) for index, bar in enumerate(chart.bars))
    return (
        f'<figure class="chart"><svg role="img" class="ledger" width="100%" height="{height}" '
        f'aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(chart.title)}</title>'
        f'<desc id="{name}-desc">{escape(chart.description)}</desc>{rows}</svg>'
        f"<figcaption>{_legend(chart)}</figcaption></figure>"
    )


def _bare(size: str) -> str:
    """Leave the unit to the number that follows."""
    return size.partition("\N{NO-BREAK SPACE}")[0]


def _percent(amount: float, scale: float) -> float:
    return round(100 * amount / scale, 3)


def _bar(bar: Bar, top: int, scale: float) -> str:
    y = top + BAR_TOP
    need, budget = (
        quantity(NumberCell(bar.need_bytes, Unit.GIB)),
        quantity(NumberCell(bar.budget_bytes, Unit.GIB)),
    )
    busiest = ", fullest" if bar.busiest else ""
    visible = _percent(bar.visible_bytes, scale)
    parts = [
        f'<text x="0" y="{top + 15}" class="{"strong" if bar.busiest else "label"}">'
        f"{escape(bar.label)}{busiest}</text>",
        f'<text x="100%" y="{top + 15}" text-anchor="end" class="label">'
        f"{_bare(need)} of {budget}</text>",
        f'<rect x="0" y="{y}" width="{visible}%" height="{BAR_HEIGHT}" class="free"/>',
    ]
    x = 0.0
    for segment in bar.segments:
        width = _percent(segment.bytes, scale)
        parts.append(_segment(segment, x, width, y))
        x += width
    at = _budget_mark(bar, scale)
    parts.append(
        f'<line x1="{at}%" x2="{at}%" y1="{y - 4}" y2="{y + BAR_HEIGHT + 4}" class="budget"/>'
    )
    return "".join(parts)


def _budget_mark(bar: Bar, scale: float) -> float:
    """Return where the need meets the budget, after the memory that the system holds."""
    held = sum(segment.bytes for segment in bar.segments) - bar.need_bytes
    return min(100.0, _percent(bar.budget_bytes + max(0, held), scale))


def _segment(segment: Segment, x: float, width: float, y: int) -> str:
    size = quantity(NumberCell(segment.bytes, Unit.GIB))
    rect = (
        f'<rect x="{x:.3f}%" y="{y}" width="{width}%" height="{BAR_HEIGHT}" '
        f'class="s-{escape(segment.line)}"><title>{escape(segment.name)}: {size}</title></rect>'
    )
    if width / 100 * NARROWEST < LETTER * len(segment.name):
        return rect
    return (
        f'{rect}<text x="{x + width / 2:.3f}%" y="{y + 16}" text-anchor="middle" '
        f'class="on-{escape(segment.line)}">{escape(segment.name)}</text>'
    )


def _legend(chart: LedgerChart) -> str:
    lines = {segment.line: segment.name for bar in chart.bars for segment in bar.segments}
    items = "".join(
        f'<li><svg class="swatch" width="12" height="12" aria-hidden="true">'
        f'<rect width="12" height="12" class="s-{escape(line)}"/></svg> {escape(name)}</li>'
        for line, name in lines.items()
    )
    free = (
        '<li><svg class="swatch" width="12" height="12" aria-hidden="true">'
        '<rect width="12" height="12" class="free"/></svg> Free</li>'
    )
    budget = (
        '<li><svg class="swatch" width="12" height="12" aria-hidden="true">'
        '<line x1="6" x2="6" y1="0" y2="12" class="budget"/></svg> Limit set by the runtime</li>'
    )
    return f'<ul class="legend">{items}{free}{budget}</ul>'

"""Bars between edges of an axis, with lines at percentiles."""

from __future__ import annotations

from html import escape
from math import ceil

from sitegen.render.charts.plot import FOOT, HEIGHT, LEFT, TOP, across, limits, share, upright
from sitegen.render.filters import FORMATS
from sitegen.site.drawings.plot import Bars, Plot


def histogram_svg(bars: Bars) -> str:
    """Draw grid, bars and lines; bars are shares of the width, as wide as their buckets."""
    name = escape(bars.id)
    plain = Plot(bars.id, bars.title, bars.description, bars.x, bars.y, (), limits=bars.limits)
    return (
        f'<figure class="chart"><svg role="img" class="plot" width="100%" '
        f'height="{TOP + HEIGHT + FOOT}" aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(bars.title)}</title>'
        f'<desc id="{name}-desc">{escape(bars.description)}</desc>'
        f'{across(plain)}{upright(plain, _named_edges(bars))}<g class="p0">{_rects(bars)}</g>'
        f"{limits(plain)}</svg></figure>"
    )


MOST_NAMED = 9


def _named_edges(bars: Bars) -> tuple[tuple[float, str], ...]:
    """Name every edge, or every second, third … of many: buckets have no round ends."""
    scale = FORMATS[bars.x.unit][0]
    every = ceil(len(bars.edges) / MOST_NAMED)
    return tuple((edge, f"{edge * scale:,.4g}") for edge in bars.edges[::every])


def _rects(bars: Bars) -> str:
    pieces = []
    for at, count in enumerate(bars.counts):
        if not count:
            continue
        left, right = (LEFT + (99 - LEFT) * share(bars.x, edge) for edge in bars.edges[at : at + 2])
        height = HEIGHT * share(bars.y, count)
        pieces.append(
            f'<rect x="{left:.2f}%" width="{right - left:.2f}%" '
            f'y="{TOP + HEIGHT - height:.1f}" height="{height:.1f}"/>'
        )
    return "".join(pieces)

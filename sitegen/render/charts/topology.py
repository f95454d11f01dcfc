"""Nodes, GPUs and links as boxes and lines, one node under the other."""

from __future__ import annotations

from html import escape

from sitegen.render.filters import quantity
from sitegen.site.drawings.topology import DrawnGpu, DrawnNode, TopologyDrawing

WIDTH = 360
LEFT = 26
PER_ROW = 4
BOX_HEIGHT = 38
GAP = 8
HEAD = 44
FOOT = 10
SPACE = 14
LONGEST_LINE = 46
LONGEST_LABEL = 10
"""Characters that fit a node's and a GPU's width."""


def topology_svg(topology: TopologyDrawing) -> str:
    """Draw the boxes at a fixed scale; the drawing shrinks on narrow screens."""
    left = LEFT if topology.network_name else 1
    head = 24 if topology.network_name else 2
    y = head
    middles: list[float] = []
    parts: list[str] = []
    for node in topology.nodes:
        height = _height(node)
        parts.append(_node(node, left, y, height))
        middles.append(y + height / 2)
        y += height + SPACE
    height = y - SPACE + 2
    if topology.network_name:
        parts.append(_network(topology.network_name, middles, left))
    name = escape(topology.id)
    return (
        f'<figure class="chart"><svg role="img" class="topology" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(topology.title)}</title>'
        f'<desc id="{name}-desc">{escape(topology.description)}</desc>{"".join(parts)}'
        "</svg></figure>"
    )


def _height(node: DrawnNode) -> int:
    rows = -(-len(node.gpus) // PER_ROW)
    return HEAD + rows * (BOX_HEIGHT + GAP) - GAP + FOOT


def _node(node: DrawnNode, left: int, y: int, height: int) -> str:
    width = WIDTH - left - 5
    stack = ""
    if node.stacked > 1:
        stack = "".join(
            f'<rect x="{left + step}" y="{y - step}" width="{width}" height="{height}" rx="6" '
            'class="node"/>'
            for step in (4, 2)
        )
    times = f" ({node.stacked} identical)" if node.stacked > 1 else ""
    parts = [
        stack,
        f'<rect x="{left}" y="{y}" width="{width}" height="{height}" rx="6" class="node"/>',
        f'<text x="{left + 10}" y="{y + 18}" class="strong">{escape(node.heading)}{times}</text>',
        f'<text x="{left + 10}" y="{y + 34}" class="label">{escape(_short(node.remark))}</text>',
    ]
    box = (width - 20 - GAP * (PER_ROW - 1)) / PER_ROW
    if node.linked:
        parts.append(_links(len(node.gpus), left + 10, y + HEAD, box))
    for index, gpu in enumerate(node.gpus):
        x = left + 10 + (index % PER_ROW) * (box + GAP)
        top = y + HEAD + (index // PER_ROW) * (BOX_HEIGHT + GAP)
        parts.append(_gpu(gpu, x, top, box))
    return "".join(parts)


def _links(gpus: int, left: int, top: int, box: float) -> str:
    """Draw a line through each row of GPUs, and one down the side where there are several rows.

    The boxes hide it but for what lies between them.
    """
    rows = -(-gpus // PER_ROW)
    middles = [top + row * (BOX_HEIGHT + GAP) + BOX_HEIGHT / 2 for row in range(rows)]
    parts = []
    for row, middle in enumerate(middles):
        columns = min(PER_ROW, gpus - row * PER_ROW)
        end = left + (columns - 1) * (box + GAP) + box / 2
        parts.append(
            f'<line x1="{left + box / 2:.1f}" x2="{end:.1f}" y1="{middle}" y2="{middle}"/>'
        )
    if rows > 1:
        x = f"{left + box / 2:.1f}"
        parts.append(f'<line x1="{x}" x2="{x}" y1="{middles[0]}" y2="{middles[-1]}"/>')
    return f'<g class="wire">{"".join(parts)}</g>'


def _gpu(gpu: DrawnGpu, x: float, top: int, width: float) -> str:
    middle = f'x="{x + width / 2:.1f}" text-anchor="middle"'
    return (
        f'<rect x="{x:.1f}" y="{top}" width="{width:.1f}" height="{BOX_HEIGHT}" rx="4" '
        f'class="gpu"/><text {middle} y="{top + 16}" class="strong">'
        f'{escape(_short(gpu.label, LONGEST_LABEL))}</text><text {middle} y="{top + 31}" '
        f'class="label">{quantity(gpu.memory)}</text>'
    )


def _short(text: str, most: int = LONGEST_LINE) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _network(name: str, middles: list[float], left: int) -> str:
    """Draw a line down the left side with a branch to every node."""
    x = 10
    branches = "".join(
        f'<line x1="{x}" x2="{left}" y1="{middle:.1f}" y2="{middle:.1f}" class="wire"/>'
        for middle in middles
    )
    return (
        f'<text x="2" y="13" class="label">{escape(_short(name))}</text>'
        f'<line x1="{x}" x2="{x}" y1="19" y2="{middles[-1]:.1f}" class="wire"/>{branches}'
    )

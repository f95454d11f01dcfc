"""A replica's memory, GPU by GPU: the table and what the stacked bars are drawn from."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.engine.assessment import LEDGER_LINES, Assessment, GpuLedger
from sitegen.site.cells import Cell, Link, Parts, Quantity, Unit, span
from sitegen.site.tables import Column, Row, Table
from sitegen.site.urls import url_of

LINE_NAMES = {
    "reserved_os": "Held by the system",
    "context": "GPU context",
    "weights": "Weights",
    "kv": "KV cache",
    "state": "Recurrent state",
    "compute": "Activations",
    "communication": "Communication",
    "graphs": "CUDA graphs",
    "fragmentation": "Fragmentation",
}
assert tuple(LINE_NAMES) == LEDGER_LINES  # noqa: S101 - a line without a name must not go unseen


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a bar."""

    line: str
    name: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Bar:
    """One GPU: its segments from the left, at the mid estimate, and its two marks."""

    label: str
    segments: tuple[Segment, ...]
    visible_bytes: int
    budget_bytes: int
    need_bytes: int
    busiest: bool


@dataclass(frozen=True, slots=True)
class LedgerChart:
    """Stacked bars, one per distinct GPU of a replica, on one scale."""

    id: str
    title: str
    description: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class LedgerView:
    """A ledger as chart and as table."""

    chart: LedgerChart
    table: Table


def _label(gpu: GpuLedger) -> str:
    return f"Node {gpu.node + 1}, GPU {gpu.gpu + 1}"


def _bar(gpu: GpuLedger, *, busiest: bool) -> Bar:
    segments = tuple(
        Segment(line, LINE_NAMES[line], round(gpu.lines[line].mid))
        for line in LEDGER_LINES
        if line in gpu.lines and gpu.lines[line].mid > 0
    )
    return Bar(
        _label(gpu), segments, gpu.visible_bytes, gpu.budget_bytes, round(gpu.need.mid), busiest
    )


def ledger_view(assessment: Assessment, *, id: str = "ledger") -> LedgerView:  # noqa: A002 - an HTML id
    """Show what each GPU of a replica holds.

    ``assessment`` has a plan. The table has one column per line that any GPU uses.
    """
    busiest = assessment.busiest
    lines = tuple(
        line
        for line in LEDGER_LINES
        if any(gpu.lines[line].mid > 0 for gpu in assessment.ledger if line in gpu.lines)
    )
    what = f"{assessment.model.name} at {assessment.checkpoint.quantization.name}"
    chart = LedgerChart(
        f"{id}-chart",
        f"Memory of each GPU with {what}",
        "Stacked bars, one per GPU of a replica; the table below has the same numbers.",
        tuple(_bar(gpu, busiest=gpu is busiest) for gpu in assessment.ledger),
    )
    return LedgerView(chart, _table(assessment, lines, what, f"{id}-table"))


def _table(assessment: Assessment, lines: tuple[str, ...], what: str, id_: str) -> Table:
    columns = (
        Column("GPU"),
        Column("Layers", numeric=True),
        *(Column(LINE_NAMES[line], numeric=True) for line in lines),
        Column("Need", numeric=True, note="low–high"),
        Column("Usable", numeric=True),
        Column("Utilization", numeric=True, note="low–high"),
    )
    busiest = assessment.busiest
    rows = tuple(_row(gpu, lines, busiest=gpu is busiest) for gpu in assessment.ledger)
    return Table(id_, f"Per-GPU ledger of one replica: {what}", columns, rows)


def _row(gpu: GpuLedger, lines: tuple[str, ...], *, busiest: bool) -> Row:
    link = Link(url_of("gpu", gpu.gpu_id), _label(gpu))
    heading: Cell = Parts((link, " – busiest")) if busiest else link
    cells = (
        heading,
        Quantity(gpu.layers, Unit.COUNT),
        *(Quantity(gpu.lines[line].mid, Unit.GIB) if line in gpu.lines else "–" for line in lines),
        span(gpu.need, Unit.GIB),
        Quantity(gpu.budget_bytes, Unit.GIB),
        span(gpu.utilization, Unit.PERCENT),
    )
    return Row(cells, mark="busiest" if busiest else "")

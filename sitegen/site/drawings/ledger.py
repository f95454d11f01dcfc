"""A replica's memory, GPU by GPU: the table and what the stacked bars are drawn from."""

from __future__ import annotations

from sitegen.fit.assessment import Assessment
from sitegen.physics.plan import LEDGER_LINES, GpuLedger
from sitegen.site.cells import Cell, Link, NumberCell, Parts, Unit, span
from sitegen.site.table import Column, Row, Table
from sitegen.site.tables.curves import usable
from sitegen.site.urls import url_of
from sitegen.values import dataclass

LINE_NAMES = {
    "reserved_os": "Reserved by the system",
    "context": "GPU context",
    "weights": "Weights",
    "projector": "Image projector",
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


@dataclass(frozen=True, slots=True)
class Alike:
    """GPUs whose ledgers agree: the first, and how many."""

    first: GpuLedger
    count: int

    @property
    def label(self) -> str:
        """``Node 1, GPU 1``, and how many GPUs hold the same: ``(×4)``."""
        times = f" (×{self.count})" if self.count > 1 else ""
        return f"Node {self.first.node + 1}, GPU {self.first.gpu + 1}{times}"


def _alike(ledger: tuple[GpuLedger, ...]) -> tuple[Alike, ...]:
    """Put GPUs together that hold the same, in order of their first."""
    alikes: list[Alike] = []
    for gpu in ledger:
        for index, known in enumerate(alikes):
            if _same(known.first, gpu):
                alikes[index] = Alike(known.first, known.count + 1)
                break
        else:
            alikes.append(Alike(gpu, 1))
    return tuple(alikes)


def _same(gpu_ledger: GpuLedger, other: GpuLedger) -> bool:
    return (
        gpu_ledger.gpu_id == other.gpu_id
        and gpu_ledger.layers == other.layers
        and gpu_ledger.visible_bytes == other.visible_bytes
        and gpu_ledger.budget_bytes == other.budget_bytes
        and gpu_ledger.lines == other.lines
    )


def _bar(alike: Alike, busiest: GpuLedger | None) -> Bar:
    gpu = alike.first
    segments = tuple(
        Segment(line, LINE_NAMES[line], round(gpu.lines[line].mid))
        for line in LEDGER_LINES
        if line in gpu.lines and gpu.lines[line].mid > 0
    )
    return Bar(
        alike.label,
        segments,
        gpu.visible_bytes,
        gpu.budget_bytes,
        round(gpu.need.mid),
        busiest is not None and _same(gpu, busiest),
    )


def ledger_view(assessment: Assessment, *, id: str = "ledger") -> LedgerView:
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
        f"Memory on each GPU: {what}",
        "Stacked bars, one per GPU of a replica. The table below has the same numbers.",
        tuple(_bar(alike, busiest) for alike in _alike(assessment.ledger)),
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
    rows = tuple(_row(alike, lines, busiest) for alike in _alike(assessment.ledger))
    return Table(id_, f"Per-GPU ledger of one replica: {what}", columns, rows)


def _row(alike: Alike, lines: tuple[str, ...], busiest: GpuLedger | None) -> Row:
    gpu = alike.first
    is_busiest = busiest is not None and _same(gpu, busiest)
    link = Link(url_of("gpu", gpu.gpu_id), alike.label)
    heading: Cell = Parts((link, " – fullest")) if is_busiest else link
    cells = (
        heading,
        NumberCell(gpu.layers, Unit.COUNT),
        *(
            NumberCell(gpu.lines[line].mid, Unit.GIB) if line in gpu.lines else "–"
            for line in lines
        ),
        span(gpu.need, Unit.GIB),
        usable(gpu),
        span(gpu.utilization, Unit.PERCENT),
    )
    return Row(cells, mark="busiest" if is_busiest else "")

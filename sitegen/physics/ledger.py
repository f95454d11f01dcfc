"""Closing a ledger: need, free and utilization of one GPU from its lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sitegen.catalog.domain.provenance import Interval
from sitegen.physics.gpu_groups import Device
from sitegen.physics.plan import GpuLedger, Settings


def exact(value: float) -> Interval:
    """Return an interval without width."""
    return Interval(value, value, value)


def worst(utilizations: Iterable[Interval]) -> Interval:
    """Return the busiest GPU's utilization, bound by bound."""
    lows, mids, highs = zip(*((u.low, u.mid, u.high) for u in utilizations), strict=True)
    return Interval(max(lows), max(mids), max(highs))


def reserved(device: Device, settings: Settings) -> Interval:
    """Return what the system holds back under these settings."""
    return device.raised_reserved if settings.raised_limit else device.reserved


def closed_ledger(
    *,
    node: int,
    gpu: int,
    device: Device,
    layers: int,
    budget: Interval,
    lines: Mapping[str, Interval],
    outside: frozenset[str],
    utilization: Interval | None = None,
) -> GpuLedger:
    """Sum the lines of one GPU.

    Args:
        node: Index of its node in the combo.
        gpu: Index in its node.
        device: The GPU.
        layers: Layers it computes.
        budget: Bytes the runtime may fill, from few (low) to many (high).
        lines: Every component of the ledger.
        outside: Components that do not count against the budget.
        utilization: Need over budget where the two move together; their ratio when left out.
    """
    need = total([line for name, line in lines.items() if name not in outside])
    held = total(list(lines.values()))
    visible = device.visible_bytes
    return GpuLedger(
        node=node,
        gpu=gpu,
        gpu_id=device.gpu.id,
        layers=layers,
        visible_bytes=visible,
        budget_bytes=int(budget.mid),
        lines=lines,
        need=need,
        free=Interval(visible - held.high, visible - held.mid, visible - held.low),
        utilization=utilization or ratio(need, budget),
    )


def ratio(need: Interval, budget: Interval) -> Interval:
    """Divide a need by a budget so that low is the kindest and high the harshest reading."""
    return Interval(
        need.low / max(budget.high, 1),
        need.mid / max(budget.mid, 1),
        need.high / max(budget.low, 1),
    )


def total(lines: Sequence[Interval]) -> Interval:
    """Add intervals up, bound by bound: all of them may be at one end together."""
    return Interval(
        sum(line.low for line in lines),
        sum(line.mid for line in lines),
        sum(line.high for line in lines),
    )

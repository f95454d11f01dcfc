"""Closing a ledger: need, free and utilization of one GPU from its lines."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.provenance import Interval
from sitegen.physics.gpu_groups import UsableGpu
from sitegen.physics.plan import GpuLedger, Settings


def reserved(usable_gpu: UsableGpu, settings: Settings) -> Interval:
    """Return what the system holds back under these settings."""
    return usable_gpu.raised_reserved if settings.raised_limit else usable_gpu.reserved


def closed_ledger(
    *,
    node: int,
    gpu: int,
    usable_gpu: UsableGpu,
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
        usable_gpu: The GPU.
        layers: Layers it computes.
        budget: Bytes the runtime may fill, from few (low) to many (high).
        lines: Every component of the ledger.
        outside: Components that do not count against the budget.
        utilization: Need over budget where the two move together; their ratio when left out.
    """
    need = Interval.total([line for name, line in lines.items() if name not in outside])
    held = Interval.total(list(lines.values()))
    visible = usable_gpu.visible_bytes
    return GpuLedger(
        node=node,
        gpu=gpu,
        gpu_id=usable_gpu.gpu.id,
        layers=layers,
        visible_bytes=visible,
        budget_bytes=int(budget.mid),
        lines=lines,
        need=need,
        free=held.left_of(visible),
        utilization=utilization or need.over(_at_least_a_byte(budget)),
    )


def _at_least_a_byte(budget: Interval) -> Interval:
    return Interval(max(budget.low, 1), max(budget.mid, 1), max(budget.high, 1))

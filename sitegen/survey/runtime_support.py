"""Runtimes that run on a combo at all, with their kinds of plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sitegen.catalog.domain.hardware import Combo, Gpu
from sitegen.catalog.domain.models import MemoryModel, Runtime
from sitegen.fit.compatibility import hardware_refusal
from sitegen.physics.plan import PlanKind, Reason
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class WayToPlan:
    """A kind of plan, inside one machine or over several."""

    kind: PlanKind
    over_machines: bool = False


@dataclass(frozen=True, slots=True)
class RuntimeOnCombo:
    """The kinds of plan that a runtime has here; without one, why it does not run."""

    runtime: Runtime
    plans: tuple[WayToPlan, ...]
    refusal: Reason | None


def runtimes_on(combo: Combo, runtimes: Iterable[Runtime]) -> tuple[RuntimeOnCombo, ...]:
    """Judge runtimes by the hardware alone, whatever the model: what runs first, then by name.

    Orchestrators are left out: they run replicas of the others.
    """
    engines = (one for one in runtimes if one.memory_model is not MemoryModel.ORCHESTRATOR)
    found = [_on(combo, runtime) for runtime in engines]
    return tuple(sorted(found, key=lambda one: (not one.plans, one.runtime.name.casefold())))


def _on(combo: Combo, runtime: Runtime) -> RuntimeOnCombo:
    usable = [
        [one.gpu for one in node.gpus if hardware_refusal(runtime, [one.gpu]) is None]
        for node in combo.nodes
    ]
    plans = tuple(dict.fromkeys(_plans(combo, runtime, usable)))
    if plans:
        return RuntimeOnCombo(runtime, plans, None)
    return RuntimeOnCombo(runtime, (), hardware_refusal(runtime, [combo.gpus[0].gpu]))


def _plans(combo: Combo, runtime: Runtime, usable: list[list[Gpu]]) -> Iterator[WayToPlan]:
    can = runtime.capabilities
    if any(usable):
        yield WayToPlan(PlanKind.SINGLE)
    several = [gpus for gpus in usable if len(gpus) > 1 and _together(runtime, gpus)]
    if several and can.tensor_parallel:
        yield WayToPlan(PlanKind.TENSOR)
    if several and can.pipeline_parallel:
        yield WayToPlan(PlanKind.PIPELINE)
    if several and can.layer_split:
        yield WayToPlan(PlanKind.LAYER_SPLIT)
    if sum(map(bool, usable)) > 1 and can.multi_node:
        rdma = combo.network is not None and combo.network.rdma
        if can.tensor_parallel and rdma:
            yield WayToPlan(PlanKind.TENSOR, over_machines=True)
        if can.pipeline_parallel:
            yield WayToPlan(PlanKind.PIPELINE, over_machines=True)
        if can.layer_split:
            yield WayToPlan(PlanKind.REMOTE_LAYER_SPLIT, over_machines=True)
    if any(usable) and can.cpu_offload and any(node.ram_bytes for node in combo.nodes):
        yield WayToPlan(PlanKind.OFFLOAD)


def _together(runtime: Runtime, gpus: list[Gpu]) -> bool:
    return hardware_refusal(runtime, gpus) is None

"""How many of one GPU a model needs in one machine, from legal plans only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import (
    Combo,
    ComboProse,
    DedicatedMemory,
    InstalledGpu,
    Node,
    OperatingSystem,
)
from sitegen.catalog.domain.models import LanguageModel
from sitegen.engine.assess import plan_of
from sitegen.engine.assessment import FitTier
from sitegen.engine.findings import GpusNeeded
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.planner import RANK
from sitegen.engine.policy import (
    Entry,
    ModelQuestion,
    Pick,
    pick_of,
    reference_question,
    verdict_of,
)

COUNTS = (1, 2, 3, 4, 6, 8)
"""GPUs that people put into one machine."""


def counted_gpus(catalog: Catalog) -> tuple[InstalledGpu, ...]:
    """List the GPUs with memory of their own of which a combo has one kind in one machine."""
    found: dict[str, InstalledGpu] = {}
    for combo in catalog.combos.values():
        first = combo.gpus[0]
        alone = len(combo.nodes) == 1 and len({gpu.gpu.id for gpu in combo.gpus}) == 1
        if alone and isinstance(first.gpu.memory, DedicatedMemory):
            found.setdefault(first.gpu.id, first)
    return tuple(found[id_] for id_ in sorted(found))


def machine_of(catalog: Catalog, one: InstalledGpu, count: int) -> Combo | None:
    """Build a machine of equal GPUs with their usual link; ``None`` where nobody knows a link.

    It is headless and has no RAM to offload to.
    """
    link = catalog.interconnects.get(usual_link(catalog, one.gpu.id) or one.gpu.bus)
    if count > 1 and link is None:
        return None
    node = Node(
        name="",
        gpus=(one,) * count,
        link=link if count > 1 else None,
        ram_bytes=None,
        ram_bandwidth_bytes_per_s=None,
        operating_system=OperatingSystem.LINUX,
        display_attached=False,
    )
    id_ = f"{count}-of-{one.gpu.id}"
    prose = ComboProse("", "", ())
    name = f"{count}× {one.gpu.name}"
    return Combo(id_, name, "", (node,), None, "", prose, "", (), one.gpu.span)


def usual_link(catalog: Catalog, gpu_id: str) -> str:
    """Return what joins GPUs of a kind in most machines of the catalog, or nothing."""
    links = Counter(
        node.link.id
        for combo in catalog.combos.values()
        for node in combo.nodes
        if node.link and {gpu.gpu.id for gpu in node.gpus} == {gpu_id}
    )
    return min(links, key=lambda link: (-links[link], link), default="")


def gpus_needed(engine: FitEngine, one: InstalledGpu) -> tuple[GpusNeeded, ...]:
    """Find the smallest number of a GPU on which each surveyed model fits comfortably.

    Where none of ``COUNTS`` does, the smallest on which it is borderline; a model that runs on
    none is left out.
    """
    machines = [found for n in COUNTS if (found := machine_of(engine.catalog, one, n)) is not None]
    needs = (_needed(engine, model, machines) for model in engine.catalog.surveyed_models)
    return tuple(need for need in needs if need is not None)


def by_model(needs: Iterable[GpusNeeded]) -> Mapping[str, tuple[GpusNeeded, ...]]:
    """Sort what GPUs need by model, whatever order they were judged in."""
    found: dict[str, list[GpusNeeded]] = {}
    for need in sorted(needs, key=lambda need: need.gpu.id):
        found.setdefault(need.model.id, []).append(need)
    return {model_id: tuple(listed) for model_id, listed in found.items()}


def _needed(
    engine: FitEngine, model: LanguageModel, machines: Iterable[Combo]
) -> GpusNeeded | None:
    best: tuple[ModelQuestion, Entry] | None = None
    for question, entry in _verdicts(engine, model, machines):
        if best is None or RANK[entry.tier] < RANK[best[1].tier]:
            best = (question, entry)
        if entry.tier is FitTier.COMFORTABLE:
            break
    return None if best is None else _record(best[0].combo, pick_of(engine, *best))


def _verdicts(
    engine: FitEngine, model: LanguageModel, machines: Iterable[Combo]
) -> Iterator[tuple[ModelQuestion, Entry]]:
    """Judge the machines that can hold the smallest checkpoint at all, the smallest first."""
    least = _least_bytes(engine, model)
    for machine in machines:
        widest = engine.sets(machine)[-1][0]
        if widest.usable_bytes < least:
            continue
        question = reference_question(engine, machine, model)
        entry = verdict_of(engine, question)
        if entry is not None and entry.tier is not FitTier.NOT_PRACTICAL:
            yield question, entry


def _least_bytes(engine: FitEngine, model: LanguageModel) -> int:
    """Return the least that a checkpoint which may carry the verdict puts on GPUs."""
    loaded = engine.loadable(model)
    production = [one for one in loaded if one.subject.checkpoint.quantization.production]
    return min((one.coefficients.least_gpu_bytes for one in production or loaded), default=0)


def _record(machine: Combo, pick: Pick) -> GpusNeeded:
    entry = pick.entry
    chosen = entry.chosen
    if chosen is None:
        raise ValueError(f"{machine.id}: a verdict without a plan is not practical")
    found, subject = chosen.evaluation, entry.subject
    longest = subject.model.context_tokens
    node = machine.nodes[0]
    return GpusNeeded(
        gpu=node.gpus[0].gpu,
        count=len(node.gpus),
        link=node.link,
        model=subject.model,
        checkpoint=subject.checkpoint,
        runtime=subject.runtime,
        plan=plan_of(found, chosen.copies),
        tier=found.tier,
        too_close=found.too_close,
        utilization=found.utilization,
        max_context_tokens=found.replica.limits(longest, ()).max_context_tokens,
    )

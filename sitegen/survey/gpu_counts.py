"""The smallest machine with one kind of GPU that runs a model, from legal plans only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import (
    Combo,
    ComboProse,
    DedicatedMemory,
    Gpu,
    InstalledGpu,
    Interconnect,
    Node,
    OperatingSystem,
    Vendor,
)
from sitegen.catalog.domain.models import LanguageModel
from sitegen.fit.assessment import FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.verdict_policy import (
    ModelQuestion,
    Pick,
    PlannedCheckpoint,
    pick_of,
    reference_question,
    verdict_of,
)
from sitegen.units import GIB

COUNTS = (1, 2, 3, 4, 6, 8)
"""GPUs that people put into one machine."""
POWERS = (1, 2, 4, 8)
"""The same of GPUs that no combo of the catalog has."""
BRIDGED = {"nvlink": (2,), "xgmi": (2, 4)}
"""Cards that a bridge joins, by the kind of link."""


def installed_kinds(gpu: Gpu) -> tuple[InstalledGpu, ...]:
    """List what machines have of a GPU: the card, or the chip with each size that it is sold in."""
    memory = gpu.memory
    if isinstance(memory, DedicatedMemory):
        return (InstalledGpu(gpu, memory.installed_bytes, memory.visible_bytes),)
    return tuple(InstalledGpu(gpu, size, size) for size in sorted(memory.options_bytes))


def machines_of(catalog: Catalog, gpu: Gpu) -> tuple[Combo, ...]:
    """List machines with one kind of GPU, the smallest first.

    They have some number of a GPU, one of what is built into a laptop, or each size of memory
    that a machine is sold with.
    """
    kinds = installed_kinds(gpu)
    if not isinstance(gpu.memory, DedicatedMemory):
        return tuple(_machine(one, 1, None) for one in kinds)
    found = (machine_of(catalog, kinds[0], count) for count in counts_of(catalog, gpu))
    return tuple(machine for machine in found if machine is not None)


def counts_of(catalog: Catalog, gpu: Gpu) -> tuple[int, ...]:
    """Return how many of a GPU with memory of its own stand in one machine."""
    if gpu.body.form == "laptop":
        return (1,)
    known = any(gpu.id in combo.gpu_ids for combo in catalog.combos.values())
    return COUNTS if known else POWERS


def machine_of(catalog: Catalog, installed: InstalledGpu, count: int) -> Combo | None:
    """Build a machine of equal GPUs with what joins them; ``None`` where nobody knows a link."""
    link = catalog.interconnects.get(link_inside(catalog, installed.gpu, count))
    if count > 1 and link is None:
        return None
    return _machine(installed, count, link if count > 1 else None)


def _machine(installed: InstalledGpu, count: int, link: Interconnect | None) -> Combo:
    memory = installed.installed_bytes // GIB
    id_ = f"{count}-of-{installed.gpu.id}-{memory}"
    return equal_machines(installed, count, link, id_=id_, name=f"{count}× {installed.gpu.name}")


def equal_machines(
    installed: InstalledGpu,
    count: int,
    link: Interconnect | None,
    *,
    id_: str,
    name: str,
    machines: int = 1,
    network: Interconnect | None = None,
    ram_bytes: int | None = None,
) -> Combo:
    """Put together what no combo of the catalog is: headless machines with equal GPUs.

    Without ``ram_bytes`` nothing may lie in RAM.
    """
    macos = installed.gpu.vendor is Vendor.APPLE
    node = Node(
        name="",
        gpus=(installed,) * count,
        link=link,
        ram_bytes=ram_bytes,
        ram_bandwidth_bytes_per_s=None,
        operating_system=OperatingSystem.MACOS if macos else OperatingSystem.LINUX,
        display_attached=False,
    )
    nodes, prose = (node,) * machines, ComboProse("", "", ())
    return Combo(id_, name, "", nodes, network, "", prose, "", (), installed.gpu.span)


def usual_link(catalog: Catalog, gpu_id: str) -> str:
    """Return what joins GPUs of a kind in most machines of the catalog, or nothing."""
    links = Counter(
        node.link.id
        for combo in catalog.combos.values()
        for node in combo.nodes
        if node.link and {gpu.gpu.id for gpu in node.gpus} == {gpu_id}
    )
    return min(links, key=lambda link: (-links[link], link), default="")


def own_links(catalog: Catalog, gpu: Gpu, count: int) -> tuple[str, ...]:
    """List a GPU's own links that join so many: the bridge of a card, the board of a module."""
    inside = (link for link in gpu.links if not catalog.interconnects[link].between_nodes)
    return tuple(link for link in inside if _reaches(catalog.interconnects[link], gpu, count))


def _reaches(link: Interconnect, gpu: Gpu, count: int) -> bool:
    return gpu.body.form != "card" or count in BRIDGED.get(link.kind, ())


def link_inside(catalog: Catalog, gpu: Gpu, count: int) -> str:
    """Return what joins so many of a GPU in one machine, or nothing.

    That is what does in most machines of the catalog, as far as a bridge reaches; where it has
    none, the board that a module stands on; else the slots of cards.
    """
    own, usual = own_links(catalog, gpu, count), usual_link(catalog, gpu.id)
    if usual and (usual in own or usual not in gpu.links):
        return usual
    return own[-1] if own and gpu.body.form != "card" else gpu.bus


def gpus_needed(engine: FitEngine, gpu: Gpu) -> tuple[GpusNeeded, ...]:
    """Find the smallest machine with a GPU on which each surveyed model fits comfortably.

    Where none of ``machines_of`` is enough, the smallest on which it is borderline; a model that
    runs on none is left out.
    """
    machines = machines_of(engine.catalog, gpu)
    needs = (_needed(engine, model, machines) for model in engine.catalog.surveyed_models)
    return tuple(need for need in needs if need is not None)


def _needed(
    engine: FitEngine, model: LanguageModel, machines: Iterable[Combo]
) -> GpusNeeded | None:
    best: tuple[ModelQuestion, PlannedCheckpoint] | None = None
    tight: Combo | None = None
    for question, entry in _verdicts(engine, model, machines):
        if entry.tier is FitTier.COMFORTABLE:
            best = (question, entry)
            break
        if best is None:
            best, tight = (question, entry), question.combo
    if best is None:
        return None
    question, entry = best
    tight = None if entry.tier is not FitTier.COMFORTABLE else tight
    return _record(question.combo, tight, pick_of(engine, question, entry))


def _verdicts(
    engine: FitEngine, model: LanguageModel, machines: Iterable[Combo]
) -> Iterator[tuple[ModelQuestion, PlannedCheckpoint]]:
    """Judge the machines that can hold the smallest checkpoint at all, the smallest first."""
    least = _least_bytes(engine, model)
    for machine in machines:
        widest = engine.gpu_groups(machine)[-1][0]
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
    return min((one.reduced.least_gpu_bytes for one in production or loaded), default=0)


def _record(machine: Combo, tight: Combo | None, pick: Pick) -> GpusNeeded:
    entry = pick.entry
    chosen = entry.chosen
    if chosen is None:
        raise ValueError(f"{machine.id}: a verdict without a plan is not practical")
    evaluation, subject = chosen.evaluation, entry.subject
    longest = subject.model.context_tokens
    return GpusNeeded(
        machine=machine,
        model=subject.model,
        checkpoint=subject.checkpoint,
        runtime=subject.runtime,
        plan=evaluation.replica.plan(chosen.replicas),
        tier=evaluation.tier,
        too_close=evaluation.too_close,
        tight_on=tight,
        utilization=evaluation.utilization,
        max_context_tokens=evaluation.replica.limits(longest, ()).max_context_tokens,
        single_tokens_per_s=evaluation.single_tokens_per_s,
        settings=evaluation.settings,
    )

"""A build that a reader composes: which combo it is, and every model's verdict on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import (
    Combo,
    ComboProse,
    DedicatedMemory,
    InstalledGpu,
    Node,
    OperatingSystem,
)
from sitegen.catalog.domain.models import LanguageModel, MemoryModel, Runtime
from sitegen.fit.assess import refused_assessment
from sitegen.fit.assessment import Assessment, PlanGoal
from sitegen.fit.fit_engine import CheckpointLosses, FitEngine
from sitegen.fit.nearest_record import EvidenceIndex
from sitegen.fit.runnable_checkpoint import Ask, Asks
from sitegen.physics.plan import Reason, Workload
from sitegen.problems import SourceSpan
from sitegen.quality.values import Ratings
from sitegen.survey import verdict_policy
from sitegen.survey.verdict_policy import (
    ModelQuestion,
    PlannedCheckpoint,
    assessed,
    best_verdict,
    driven_by,
    in_turn,
    loaded_on,
    page_order,
    pick_of,
    planned,
    usual_goal,
    usual_room,
)
from sitegen.values import dataclass

KV_BITS = (16, 8, 4)
"""Bits per cached element that a reader may ask for."""
NOWHERE = SourceSpan("")
CUSTOM_ID_PREFIX = "custom:"
"""Prefix of ids of combos that a reader composed; they have no page."""


@dataclass(frozen=True, slots=True)
class EqualGpus:
    """Equal GPUs in one node; ``memory_bytes`` is the size of shared memory, else 0."""

    gpu: str
    count: int
    memory_bytes: int = 0


@dataclass(frozen=True, slots=True)
class EqualNodes:
    """Equal nodes: their GPUs in order, the link between those, RAM and operating system.

    ``link`` is empty for one GPU. ``ram_bytes`` is ``None`` where nothing may be offloaded;
    ``ram_bytes_per_s`` is ``None`` for what is usual.
    """

    count: int
    gpus: tuple[EqualGpus, ...]
    link: str
    ram_bytes: int | None
    ram_bytes_per_s: int | None
    operating_system: OperatingSystem
    display_attached: bool


@dataclass(frozen=True, slots=True)
class Build:
    """The hardware: nodes in order, and the id of their network, empty for one node."""

    nodes: tuple[EqualNodes, ...]
    network: str


@dataclass(frozen=True, slots=True)
class BuildQuestion:
    """The question to composed hardware.

    ``runtime`` is an id, or empty for whichever is best; ``kv_bits`` one of ``KV_BITS``;
    ``sequences`` are resident at once in one replica. Without a ``goal`` the plan is chosen for
    the one that such hardware is bought for. ``read_along`` asks for what an answer names,
    ``images`` for what reads images, ``file`` for one checkpoint by its id.
    """

    context_tokens: int
    sequences: int = 1
    kv_bits: int = 16
    goal: PlanGoal | None = None
    runtime: str = ""
    read_along: bool = False
    images: bool = False
    file: str = ""


def build_of(combo: Combo) -> Build:
    """Describe a combo as a reader would compose it."""
    machines: list[EqualNodes] = []
    for node in combo.nodes:
        one = _machines(node)
        last = machines[-1] if machines else None
        if last is not None and _counted(last, 1) == one:
            machines[-1] = _counted(last, last.count + 1)
        else:
            machines.append(one)
    return Build(tuple(machines), combo.network.id if combo.network else "")


def _counted(nodes: EqualNodes, count: int) -> EqualNodes:
    return EqualNodes(
        count,
        nodes.gpus,
        nodes.link,
        nodes.ram_bytes,
        nodes.ram_bytes_per_s,
        nodes.operating_system,
        nodes.display_attached,
    )


def _machines(node: Node) -> EqualNodes:
    groups: list[EqualGpus] = []
    for installed in node.gpus:
        dedicated = isinstance(installed.gpu.memory, DedicatedMemory)
        memory = 0 if dedicated else installed.visible_bytes
        last = groups[-1] if groups else None
        if last is not None and (last.gpu, last.memory_bytes) == (installed.gpu.id, memory):
            groups[-1] = EqualGpus(last.gpu, last.count + 1, memory)
        else:
            groups.append(EqualGpus(installed.gpu.id, 1, memory))
    return EqualNodes(
        1,
        tuple(groups),
        node.link.id if node.link else "",
        node.ram_bytes,
        node.ram_bandwidth_bytes_per_s,
        node.operating_system,
        node.display_attached,
    )


def combo_of(catalog: Catalog, build: Build, preferred: str = "") -> Combo:
    """Return the combo that a build is: one of the catalog where the hardware is the same.

    Args:
        catalog: The catalog, which knows all ids of the build.
        build: The hardware.
        preferred: Id of the combo to take where several are the same hardware.
    """
    same = [combo for combo in catalog.combos.values() if build_of(combo) == build]
    for combo in same:
        if combo.id == preferred:
            return combo
    return same[0] if same else _own_combo(catalog, build)


def _own_combo(catalog: Catalog, build: Build) -> Combo:
    nodes: list[Node] = []
    for machines in build.nodes:
        for _ in range(machines.count):
            nodes.append(_node(catalog, machines, f"node {len(nodes) + 1}"))
    return Combo(
        id=f"{CUSTOM_ID_PREFIX}{build_words(build)}",
        name="Custom build",
        summary="",
        nodes=tuple(nodes),
        network=catalog.interconnects[build.network] if build.network else None,
        orchestrator="",
        prose=ComboProse("", "", ()),
        notes="",
        sources=(),
        span=NOWHERE,
    )


def _node(catalog: Catalog, nodes: EqualNodes, name: str) -> Node:
    return Node(
        name=name,
        gpus=tuple(one for groups in nodes.gpus for one in _installed(catalog, groups)),
        link=catalog.interconnects[nodes.link] if nodes.link else None,
        ram_bytes=nodes.ram_bytes,
        ram_bandwidth_bytes_per_s=nodes.ram_bytes_per_s,
        operating_system=nodes.operating_system,
        display_attached=nodes.display_attached,
    )


def _installed(catalog: Catalog, gpus: EqualGpus) -> Iterator[InstalledGpu]:
    gpu = catalog.gpus[gpus.gpu]
    memory = gpu.memory
    for _ in range(gpus.count):
        if isinstance(memory, DedicatedMemory):
            yield InstalledGpu(gpu, memory.installed_bytes, memory.visible_bytes)
        else:
            yield InstalledGpu(gpu, gpus.memory_bytes, gpus.memory_bytes)


def build_words(build: Build) -> str:
    """Name a build by all that it is made of: the same hardware, the same words."""
    words = [_machine_words(one) for one in build.nodes]
    return "&".join([*words, build.network])


def _machine_words(nodes: EqualNodes) -> str:
    groups = "+".join(f"{c.gpu}*{c.count}@{c.memory_bytes}" for c in nodes.gpus)
    parts = (
        nodes.count,
        groups,
        nodes.link,
        nodes.ram_bytes,
        nodes.ram_bytes_per_s,
        nodes.operating_system,
    )
    return ";".join(str(part) for part in (*parts, nodes.display_attached))


def open_engine(
    catalog: Catalog, evidence: EvidenceIndex, losses: CheckpointLosses, ratings: Ratings
) -> FitEngine:
    """Return an engine over a catalog whose records are indexed, losses and ratings known."""
    return FitEngine(catalog, evidence, losses, ratings)


def kv_dtype_of(runtime: Runtime, bits: int) -> str:
    """Return the runtime's name of a cache of so many bits, empty if it has none."""
    if bits == 16:
        return "f16"
    if runtime.memory_model is MemoryModel.PAGED:
        return "fp8" if bits == 8 else ""
    return "q8_0" if bits == 8 else "q4_0"


def in_order(assessments: Sequence[Assessment]) -> tuple[Assessment, ...]:
    """Order picks as a combo's page does: best tier first, then the largest model."""
    return tuple(sorted(assessments, key=page_order))


def verdict_of(
    engine: FitEngine,
    combo: Combo,
    model: LanguageModel,
    asked: BuildQuestion,
    *,
    cured: bool = True,
) -> Assessment | None:
    """Assess the pick of one model; ``None`` where nothing that is asked for runs it.

    That is where no runtime in question loads it, or keeps such a cache. At the reference workload
    this is the pick of the combo's page. A model that promises less than the context asked for is
    assessed at its own where that is asked of no page either, and refused beyond. ``cured`` adds
    what would help, which a list has no room for.
    """
    found: Assessment | None = None
    for step in verdict_steps(engine, combo, model, asked, cured=cured):
        found = step
    return found


def verdict_steps(
    engine: FitEngine,
    combo: Combo,
    model: LanguageModel,
    asked: BuildQuestion,
    *,
    cured: bool = True,
) -> Iterator[Assessment | None]:
    """Yield ``None`` after each piece of work, then the pick, if there is one."""
    question = question_of(engine, combo, model, asked)
    yield None
    if not question.asks.every:
        return
    if question.asks.every[0].workload.context_tokens > model.context_tokens:
        yield _beyond(engine, question)
        return
    entries: list[PlannedCheckpoint] = []
    for entry in verdict_policy.verdict_steps(engine, question):
        entries.append(entry)
        yield None
    verdict = planned(engine, question, best_verdict(question, entries))
    if verdict is not None:
        yield None
        yield assessed(engine, question, pick_of(engine, question, verdict), cured=cured)


def question_of(
    engine: FitEngine, combo: Combo, model: LanguageModel, asked: BuildQuestion
) -> ModelQuestion:
    """Return the question about a model, in each runtime's own words."""
    reference = int(engine.assumptions["reference-context-tokens"].value.mid)
    tokens = asked.context_tokens
    if tokens <= reference:
        tokens = min(tokens, model.context_tokens)
    preferred = driven_by(engine, combo)
    asks = []
    for prepared in loaded_on(engine, combo, model, asked.runtime):
        dtype = kv_dtype_of(prepared.subject.runtime, asked.kv_bits)
        if dtype and asked.file in ("", prepared.subject.checkpoint.id):
            asks.append(Ask(prepared, Workload(tokens, asked.sequences, dtype)))
    question = ModelQuestion(
        model,
        combo,
        Asks(asks),
        asked.goal or usual_goal(engine, combo, preferred),
        preferred,
        named=asked.runtime != "",
        read_along=asked.read_along,
        room=usual_room(engine, model) if asked.context_tokens == reference else (),
    )
    if not asked.images:
        return question
    return question.for_images() or replace(question, asks=Asks(()))


def _beyond(engine: FitEngine, question: ModelQuestion) -> Assessment:
    """Refuse a context that the model does not promise, for its smallest production checkpoint."""
    smallest = in_turn(question)[0]
    tokens = smallest.workload.context_tokens
    arguments = {"context_tokens": tokens, "model_context": question.model.context_tokens}
    reason = Reason("CONTEXT_BEYOND_MODEL", arguments)
    request = question.request(smallest.subject, smallest.workload)
    return refused_assessment(engine, request, reason, ())

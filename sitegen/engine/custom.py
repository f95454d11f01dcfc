"""A build that a reader composes: which combo it is, and every model's verdict on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
from sitegen.engine.answers import GOAL, Entry, batches, verdict_entry
from sitegen.engine.assess import assembled, refused_assessment
from sitegen.engine.assessment import DEFAULTS, Assessment, FitTier, Goal, Reason, Workload
from sitegen.engine.evidence import EvidenceIndex
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.planner import RANK, Question, best_plan, fits_comfortably
from sitegen.engine.prepared import Prepared, Subject
from sitegen.engine.request import FitRequest
from sitegen.engine.survey import driven_by
from sitegen.problems import SourceSpan
from sitegen.values import dataclass

KV_BITS = (16, 8, 4)
"""Bits per cached element that a reader may ask for."""
NOWHERE = SourceSpan("")
OWN = "custom:"
"""What the id of a combo begins with that no page has."""


@dataclass(frozen=True, slots=True)
class Cards:
    """Equal GPUs in one machine; ``memory_bytes`` is chosen where CPU and GPU share it, else 0."""

    gpu: str
    count: int
    memory_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Machines:
    """Equal machines: their GPUs in order, the link between those, RAM and operating system.

    ``link`` is empty for one GPU. ``ram_bytes`` is ``None`` where nothing may be offloaded;
    ``ram_bytes_per_s`` is ``None`` for what is usual.
    """

    count: int
    cards: tuple[Cards, ...]
    link: str
    ram_bytes: int | None
    ram_bytes_per_s: int | None
    operating_system: OperatingSystem
    display_attached: bool


@dataclass(frozen=True, slots=True)
class Build:
    """The hardware: machines in order, the id of the link between them, empty for one machine."""

    machines: tuple[Machines, ...]
    network: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of the hardware.

    ``runtime`` is an id, or empty for whichever serves best; ``kv_bits`` one of ``KV_BITS``;
    ``sequences`` are resident at once in one replica.
    """

    context_tokens: int
    sequences: int = 1
    kv_bits: int = 16
    goal: Goal = GOAL
    runtime: str = ""


def build_of(combo: Combo) -> Build:
    """Describe a combo as a reader would compose it."""
    machines: list[Machines] = []
    for node in combo.nodes:
        one = _machines(node)
        last = machines[-1] if machines else None
        if last is not None and _counted(last, 1) == one:
            machines[-1] = _counted(last, last.count + 1)
        else:
            machines.append(one)
    return Build(tuple(machines), combo.network.id if combo.network else "")


def _counted(one: Machines, count: int) -> Machines:
    return Machines(
        count,
        one.cards,
        one.link,
        one.ram_bytes,
        one.ram_bytes_per_s,
        one.operating_system,
        one.display_attached,
    )


def _machines(node: Node) -> Machines:
    cards: list[Cards] = []
    for installed in node.gpus:
        dedicated = isinstance(installed.gpu.memory, DedicatedMemory)
        memory = 0 if dedicated else installed.visible_bytes
        last = cards[-1] if cards else None
        if last is not None and (last.gpu, last.memory_bytes) == (installed.gpu.id, memory):
            cards[-1] = Cards(last.gpu, last.count + 1, memory)
        else:
            cards.append(Cards(installed.gpu.id, 1, memory))
    return Machines(
        1,
        tuple(cards),
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
    for machines in build.machines:
        for _ in range(machines.count):
            nodes.append(_node(catalog, machines, f"node {len(nodes) + 1}"))
    return Combo(
        id=f"{OWN}{build_words(build)}",
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


def _node(catalog: Catalog, machines: Machines, name: str) -> Node:
    return Node(
        name=name,
        gpus=tuple(one for cards in machines.cards for one in _installed(catalog, cards)),
        link=catalog.interconnects[machines.link] if machines.link else None,
        ram_bytes=machines.ram_bytes,
        ram_bandwidth_bytes_per_s=machines.ram_bytes_per_s,
        operating_system=machines.operating_system,
        display_attached=machines.display_attached,
    )


def _installed(catalog: Catalog, cards: Cards) -> Iterator[InstalledGpu]:
    gpu = catalog.gpus[cards.gpu]
    memory = gpu.memory
    for _ in range(cards.count):
        if isinstance(memory, DedicatedMemory):
            yield InstalledGpu(gpu, memory.installed_bytes, memory.visible_bytes)
        else:
            yield InstalledGpu(gpu, cards.memory_bytes, cards.memory_bytes)


def build_words(build: Build) -> str:
    """Name a build by all that it is made of: the same hardware, the same words."""
    words = [_machine_words(one) for one in build.machines]
    return "&".join([*words, build.network])


def _machine_words(one: Machines) -> str:
    cards = "+".join(f"{c.gpu}*{c.count}@{c.memory_bytes}" for c in one.cards)
    parts = (one.count, cards, one.link, one.ram_bytes, one.ram_bytes_per_s, one.operating_system)
    return ";".join(str(part) for part in (*parts, one.display_attached))


def open_engine(catalog: Catalog, evidence: EvidenceIndex) -> FitEngine:
    """Return an engine over a catalog whose records are indexed already."""
    return FitEngine(catalog, evidence)


def kv_dtype_of(runtime: Runtime, bits: int) -> str:
    """Return what a runtime calls a cache of so many bits, nothing where it has none."""
    if bits == 16:
        return "f16"
    if runtime.memory_model is MemoryModel.PAGED:
        return "fp8" if bits == 8 else ""
    return "q8_0" if bits == 8 else "q4_0"


def in_order(found: Sequence[Assessment]) -> tuple[Assessment, ...]:
    """Order verdicts as a combo's page does: best tier first, then the largest."""
    return tuple(sorted(found, key=lambda a: (RANK[a.tier], -a.weights_bytes, a.model.id)))


def verdict_of(
    engine: FitEngine, combo: Combo, model: LanguageModel, asked: Asked, *, cured: bool = True
) -> Assessment | None:
    """Assess one model; ``None`` where no runtime asked for loads it, or keeps such a cache.

    At the reference workload this is the verdict of the combo's page. A model that promises less
    than the context asked for is assessed at its own where that is asked of no page either, and
    refused beyond. ``cured`` adds what would help, which a list has no room for.
    """
    found: Assessment | None = None
    for step in verdict_steps(engine, combo, model, asked, cured=cured):
        found = step
    return found


def verdict_steps(
    engine: FitEngine, combo: Combo, model: LanguageModel, asked: Asked, *, cured: bool = True
) -> Iterator[Assessment | None]:
    """Yield ``None`` after each piece of work, then the verdict, if there is one."""
    question, loaded = question_of(engine, combo, model, asked)
    yield None
    if not loaded:
        return
    if question.tokens > model.context_tokens:
        yield _beyond(engine, question, loaded)
        return
    entries: list[Entry] = []
    for entry in _entries(engine, question, loaded):
        entries.append(entry)
        yield None
    best = verdict_entry(entries, driven_by(engine.catalog, combo.orchestrator))
    if best is not None:
        yield assembled(engine, question.request(best.subject), best.chosen, cured=cured)


def question_of(
    engine: FitEngine, combo: Combo, model: LanguageModel, asked: Asked
) -> tuple[OfModel, tuple[Prepared, ...]]:
    """Return what is asked of a model, and the checkpoints with runtimes that may answer it."""
    reference = int(engine.assumptions["reference-context-tokens"].value.mid)
    tokens = asked.context_tokens
    if tokens <= reference:
        tokens = min(tokens, model.context_tokens)
    loaded = tuple(
        prepared
        for prepared in _loaded(engine, model, asked.runtime)
        if kv_dtype_of(prepared.subject.runtime, asked.kv_bits)
    )
    return OfModel(combo, tokens, asked), loaded


def _loaded(engine: FitEngine, model: LanguageModel, runtime_id: str) -> tuple[Prepared, ...]:
    """List checkpoints under one runtime, or under those that a survey compares."""
    return engine.loaded_by(model, runtime_id) if runtime_id else engine.loadable(model)


@dataclass(frozen=True, slots=True)
class OfModel:
    """What is asked of one model; ``tokens`` is the context, at most the model's own."""

    combo: Combo
    tokens: int
    asked: Asked

    def workload(self, runtime: Runtime) -> Workload:
        """Return the workload in a runtime's own words."""
        dtype = kv_dtype_of(runtime, self.asked.kv_bits)
        return Workload(self.tokens, self.asked.sequences, dtype)

    def request(self, subject: Subject) -> FitRequest:
        """Return the question of one subject."""
        return FitRequest(
            subject.model,
            subject.checkpoint,
            self.combo,
            subject.runtime,
            subject.profile,
            self.workload(subject.runtime),
            goal=self.asked.goal,
        )


def judged(engine: FitEngine, question: OfModel, prepared: Prepared) -> Entry:
    """Choose the best plan of a checkpoint under a runtime."""
    return Entry(
        prepared.subject, best_plan(_asked(engine, question, prepared)), prepared.weights_bytes
    )


def _asked(engine: FitEngine, question: OfModel, prepared: Prepared) -> Question:
    workload = question.workload(prepared.subject.runtime)
    sets = engine.sets(question.combo)
    return Question(prepared, sets, workload, DEFAULTS, question.asked.goal)


def _entries(engine: FitEngine, question: OfModel, loaded: Sequence[Prepared]) -> Iterator[Entry]:
    """Judge as many checkpoints as the verdict of a survey rests on.

    Of each runtime the smallest production checkpoint that has a plan; a runtime that is not
    surveyed in full only where no checkpoint of the others is comfortable, or none that batches if
    it does. Without production checkpoints, the others until one is comfortable.
    """
    production = [p for p in loaded if p.subject.checkpoint.quantization.production]
    if not production:
        for prepared in loaded:
            entry = judged(engine, question, prepared)
            yield entry
            if entry.tier is FitTier.COMFORTABLE:
                return
        return
    whole = [p for p in production if _in_full(p, question)]
    apart = [p for p in production if not _in_full(p, question)]
    with_plan: set[str] = set()
    best = _Best()
    for prepared in sorted(whole, key=lambda p: p.weights_bytes):
        if prepared.subject.runtime.id not in with_plan:
            entry = judged(engine, question, prepared)
            yield entry
            best = best.after(entry.subject.runtime, entry.tier)
            if entry.chosen is not None:
                with_plan.add(entry.subject.runtime.id)
    # With a smaller cache nothing is comfortable, whatever the checkpoint: that is its own warning.
    plain = question.asked.kv_bits == KV_BITS[0]
    for prepared in whole if apart and plain else []:
        runtime = prepared.subject.runtime
        if best.needs(runtime) and fits_comfortably(_asked(engine, question, prepared)):
            best = best.after(runtime, FitTier.COMFORTABLE)
    for prepared in apart:
        if best.needs(prepared.subject.runtime):
            entry = judged(engine, question, prepared)
            yield entry
            best = best.after(entry.subject.runtime, entry.tier)


@dataclass(frozen=True, slots=True)
class _Best:
    """Whether anything was comfortable, and whether that was under a runtime that batches."""

    comfortable: bool = False
    served: bool = False

    def after(self, runtime: Runtime, tier: FitTier) -> _Best:
        """Take one more verdict into account."""
        if tier is not FitTier.COMFORTABLE:
            return self
        return _Best(True, self.served or batches(runtime))

    def needs(self, runtime: Runtime) -> bool:
        """Whether a comfortable verdict of this runtime would say more."""
        return not self.served and (not self.comfortable or batches(runtime))


def _in_full(prepared: Prepared, question: OfModel) -> bool:
    """Whether all checkpoints count: where one runtime is asked for, there is no other."""
    return prepared.subject.runtime.surveyed_in_full or question.asked.runtime != ""


def _beyond(engine: FitEngine, question: OfModel, loaded: Sequence[Prepared]) -> Assessment:
    """Refuse a context that the model does not promise, for its smallest production checkpoint."""
    smallest = min(
        loaded,
        key=lambda p: (not p.subject.checkpoint.quantization.production, p.weights_bytes),
    )
    model = smallest.subject.model
    arguments = {"context_tokens": question.tokens, "model_context": model.context_tokens}
    reason = Reason("CONTEXT_BEYOND_MODEL", arguments)
    return refused_assessment(engine, question.request(smallest.subject), reason, ())

"""The cheapest change that helps: tried in order of cost, each one recomputed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sitegen.catalog.domain.hardware import UnifiedMemory, Vendor
from sitegen.fit.assessment import Cure, FitRequest, FitTier
from sitegen.fit.evaluation import Evaluation
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import RANK
from sitegen.fit.runnable_checkpoint import RunnableCheckpoint, ServedCheckpoint
from sitegen.fit.usual_links import reaches
from sitegen.physics.cache_types import PLAIN, offers
from sitegen.physics.gpu_groups import GpuGroup, UsableGpu, resized
from sitegen.physics.memory.paged_replica import PagedReplica
from sitegen.physics.memory.profile_constants import scaled
from sitegen.physics.plan import DEFAULTS, Reason, Settings, Workload
from sitegen.physics.valid_splits import Split
from sitegen.units import GIB, MIB, PAGE
from sitegen.values import dataclass

HIGHER_FRACTION = 0.95
"""The highest memory fraction that operators run without a desktop on the GPU."""
LOWER_FRACTION = 0.85
"""A share that leaves room beside it for context, graphs and warm-up on any GPU."""
FEWER = 64
"""Sequences that a flag names; their memory is less than that of a runtime's own 256 or more."""
MORE_GPU_COUNTS = (2, 3, 4, 6, 8, 12, 16)
MORE_NODE_COUNTS = (2, 3, 4, 6, 8, 12, 16)
CONTEXT_STEP = 1_024
"""Tokens to which a context that a cure names is rounded down."""
RAM_SIZES = tuple(size * GIB for size in (32, 64, 96, 128, 192, 256))
"""Bytes of system RAM that desktop computers have: two or four modules of 16 to 64 GiB.

Source:
    Tom's Hardware, 2023-12-15: boards with X670E and Z790 take four modules of 64 GB, 256 GB in
    all; read 2026-11-28.
"""
MEMORY_REASONS = frozenset({"KV_BELOW_CONTEXT", "UNCERTAIN", "HEADROOM"})
"""Reasons that a shorter context may remove."""


@dataclass(frozen=True, slots=True)
class Owned:
    """What the reader has and asked for: a cure names no fewer GPUs, and no other plan.

    Attributes:
        gpus: GPUs in the largest node.
        nodes: Machines.
        tensor: Tensor parallel size that was named; ``None`` where any may be chosen.
        pipeline: The same of pipeline stages.
    """

    gpus: int
    nodes: int
    tensor: int | None = None
    pipeline: int | None = None

    @classmethod
    def of(cls, request: FitRequest) -> Owned:
        """Count the hardware of a question, and take the plan that it names."""
        nodes = request.combo.nodes
        named = (request.tensor_parallel_size, request.pipeline_parallel_size)
        return cls(max(len(node.gpus) for node in nodes), len(nodes), *named)

    def allows(self, split: Split) -> bool:
        """Return whether a tensor and pipeline split is what was named."""
        return self.tensor in {None, split[0]} and self.pipeline in {None, split[1]}


def cheapest_cure(
    engine: FitEngine, subject: ServedCheckpoint, evaluation: Evaluation, owned: Owned
) -> Cure | None:
    """Find the cheapest change that gives a better tier; None when the tier is the best.

    A flag costs less than another file, a file less than hardware, system RAM less than GPUs. RAM
    is named, too, where it gives room for a context that is not certain otherwise.
    """
    if evaluation.tier is FitTier.COMFORTABLE:
        return None
    no_room = any(one.code == "KV_BELOW_CONTEXT" for one in evaluation.reasons)
    trials = _Trials(engine, owned)
    steps = (
        _by_settings(trials, subject, evaluation),
        _by_checkpoint(trials, subject, evaluation),
        _by_other_file(trials, subject, evaluation),
        _by_ram(trials, subject, evaluation),
        _by_hardware(trials, subject, evaluation),
    )
    for step in steps:
        for reason, better in step:
            surer = no_room and better is evaluation.tier and reason.code == "EXPERTS_TO_RAM"
            if surer or RANK[better] < RANK[evaluation.tier]:
                return Cure(reason.code, reason.arguments, better)
    return None


Attempt = tuple[Reason, FitTier]


@dataclass(frozen=True, slots=True)
class _Trials:
    """Judges changes for a reader."""

    engine: FitEngine
    owned: Owned

    def tier(
        self,
        subject: ServedCheckpoint,
        group: GpuGroup,
        workload: Workload,
        settings: Settings,
    ) -> FitTier:
        """Return the best tier of the plans that the reader may take."""
        judged = self.engine.prepare(subject).evaluations(group, workload, settings)
        tiers = [found.tier for found in judged if self.owned.allows(found.split)]
        return min(tiers, key=RANK.__getitem__, default=FitTier.NOT_PRACTICAL)


def _by_settings(
    trials: _Trials, subject: ServedCheckpoint, evaluation: Evaluation
) -> Iterator[Attempt]:
    """Yield flags; none of them makes weights smaller."""
    workload, settings, group = evaluation.workload, evaluation.settings, evaluation.group
    if trials.engine.prepare(subject).exceeds_all_memory(((group, 1),), settings):
        return
    yield from _by_limit(trials, subject, evaluation)
    yield from _by_context(trials.engine, evaluation)
    if isinstance(evaluation.replica, PagedReplica):
        yield from _by_starting(trials, subject, evaluation)
        if subject.model.vision_parameters and not settings.text_only:
            changed = replace(settings, text_only=True)
            yield Reason("TEXT_ONLY", {}), trials.tier(subject, group, workload, changed)
        if settings.memory_fraction is None:
            changed = replace(settings, memory_fraction=HIGHER_FRACTION)
            yield (
                Reason("RAISE_MEMORY_FRACTION", {"fraction": HIGHER_FRACTION}),
                trials.tier(subject, group, workload, changed),
            )
        if not settings.enforce_eager:
            changed = replace(settings, enforce_eager=True)
            yield (
                Reason("ENFORCE_EAGER", {}),
                trials.tier(subject, group, workload, changed),
            )
        smaller = "fp8"
    else:
        smaller = "q8_0"
    if workload.kv_dtype == "f16":
        quantized = replace(workload, kv_dtype=smaller)
        yield (
            Reason("QUANTIZE_KV", {"kv_dtype": smaller}),
            trials.tier(subject, group, quantized, settings),
        )


def _by_limit(
    trials: _Trials, subject: ServedCheckpoint, evaluation: Evaluation
) -> Iterator[Attempt]:
    """Yield the system's limit on GPU memory, where a parameter of the kernel raises it."""
    first = evaluation.group.gpus[0]
    if first.reserved.mid <= first.raised_reserved.mid:
        return
    raised = replace(evaluation.settings, raised_limit=True)
    prepared = trials.engine.prepare(subject)
    for one in prepared.evaluations(evaluation.group, evaluation.workload, raised):
        if not trials.owned.allows(one.split):
            continue
        # With the limit raised, having to raise it is no reason any more.
        only = all(reason.code == "OS_LIMIT" for reason in one.reasons)
        tier = FitTier.COMFORTABLE if only else one.tier
        most = first.usable_bytes(raised=True)
        mac = first.gpu.vendor is Vendor.APPLE
        setting = {"mib": str(most // MIB)} if mac else {"pages": str(most // PAGE)}
        yield Reason("RAISE_OS_LIMIT", {"bytes": most, **setting}), tier


def _by_context(engine: FitEngine, evaluation: Evaluation) -> Iterator[Attempt]:
    """Yield the longest shorter context that is comfortable, where only memory is in the way."""
    workload, thresholds = evaluation.workload, engine.judge.thresholds
    if any(reason.code not in MEMORY_REASONS for reason in evaluation.reasons):
        return
    fewest, most = thresholds.reduced_context_tokens, workload.context_tokens
    low, high = fewest // CONTEXT_STEP, most // CONTEXT_STEP
    while low < high:
        middle = (low + high + 1) // 2
        full = evaluation.replica.utilization(middle * CONTEXT_STEP, workload.sequences)
        if full.high <= thresholds.comfortable:
            low = middle
        else:
            high = middle - 1
    tokens = low * CONTEXT_STEP
    if fewest <= tokens < most:
        full = evaluation.replica.utilization(tokens, workload.sequences)
        if full.high <= thresholds.comfortable:
            yield Reason("SHORTER_CONTEXT", {"context_tokens": tokens}), FitTier.COMFORTABLE


def _by_starting(
    trials: _Trials, subject: ServedCheckpoint, evaluation: Evaluation
) -> Iterator[Attempt]:
    """Yield the setting with which the runtime starts, where its default may not."""
    for reason in evaluation.reasons:
        if reason.code == "STATE_BLOCKS":
            most = int(reason.arguments["most"])
            lower = 1 << (most.bit_length() - 1) if most > 0 else 1
            changed = replace(evaluation.settings, max_num_seqs=lower)
            named = Reason("LOWER_MAX_NUM_SEQS", {"max_num_seqs": lower})
            yield named, trials.tier(subject, evaluation.group, evaluation.workload, changed)
        if reason.code == "START_ROOM":
            changed = replace(evaluation.settings, memory_fraction=LOWER_FRACTION)
            named = Reason("LOWER_MEMORY_FRACTION", {"fraction": LOWER_FRACTION})
            yield named, trials.tier(subject, evaluation.group, evaluation.workload, changed)


def _by_checkpoint(
    trials: _Trials, subject: ServedCheckpoint, evaluation: Evaluation
) -> Iterator[Attempt]:
    """Yield the model's smaller production checkpoints that the runtime loads, largest first."""
    size = evaluation.reduced.weights.total_bytes
    others = []
    for checkpoint in subject.model.checkpoints:
        other = replace(subject, checkpoint=checkpoint)
        recipe = checkpoint.quantization
        if recipe.production and recipe.format in subject.runtime.formats:
            held = trials.engine.prepare(other).reduced.weights.total_bytes
            if held < size:
                others.append((held, other))
    for _, other in sorted(others, key=lambda pair: _known_first(pair[1], pair[0])):
        tier = trials.tier(other, evaluation.group, evaluation.workload, evaluation.settings)
        yield Reason("SMALLER_CHECKPOINT", {"checkpoint": other.checkpoint.id}), tier


def _by_other_file(
    trials: _Trials, subject: ServedCheckpoint, evaluation: Evaluation
) -> Iterator[Attempt]:
    """Yield files that lose more, and those that other runtimes load, with what each loses.

    A file under 4 bits carries no verdict, and is free to try where the next cure is to buy. A
    file that fits comfortably comes before one that may not start. A runtime that has no cache of
    the type that is asked for keeps a plain one.
    """
    tight = []
    for attempt in _with_other_files(trials, subject, evaluation):
        if attempt[1] is FitTier.COMFORTABLE:
            yield attempt
            return
        tight.append(attempt)
    yield from tight


def _with_other_files(
    trials: _Trials, subject: ServedCheckpoint, evaluation: Evaluation
) -> Iterator[Attempt]:
    group, asked = evaluation.group, evaluation.workload
    for loss, other in _other_files(trials.engine, subject, evaluation):
        alike = other.subject.runtime.id == subject.runtime.id
        settings = evaluation.settings if alike else DEFAULTS
        if other.exceeds_all_memory(((group, 1),), settings):
            continue
        workload = _as_offered(other, asked)
        arguments: dict[str, int | float | str] = {
            "checkpoint": other.subject.checkpoint.id,
            "runtime": other.subject.runtime.id,
            "points": loss,
        }
        yield (
            Reason("OTHER_FILE", arguments),
            trials.tier(other.subject, group, workload, settings),
        )


def _as_offered(other: RunnableCheckpoint, asked: Workload) -> Workload:
    """Return a workload with a plain cache where a runtime has none of the type asked for."""
    offered = offers(other.subject.runtime, asked.kv_dtype)
    return asked if offered else replace(asked, kv_dtype=PLAIN)


def _other_files(
    engine: FitEngine, subject: ServedCheckpoint, evaluation: Evaluation
) -> list[tuple[float, RunnableCheckpoint]]:
    """List published smaller files of a model, the least loss first.

    On servers nobody leaves a runtime that serves many for one that serves few.
    """
    server = all(one.gpu.segment == "datacenter" for one in evaluation.group.gpus)
    found = []
    for other in engine.loadable(subject.model):
        served = other.subject
        tried = (
            served.runtime.id == subject.runtime.id and served.checkpoint.quantization.production
        )
        unlike = served.runtime.memory_model is not subject.runtime.memory_model
        larger = other.weights_bytes >= evaluation.reduced.weights.total_bytes
        if served.checkpoint.is_published and not (tried or larger or (server and unlike)):
            loss = engine.losses.of(subject.model, served.checkpoint).mid
            found.append((loss, other))
    return sorted(found, key=lambda pair: (pair[0], -pair[1].weights_bytes))


def _by_ram(
    trials: _Trials, subject: ServedCheckpoint, evaluation: Evaluation
) -> Iterator[Attempt]:
    """Yield the least system RAM for a mixture's experts with which answers can be read along.

    Most owners have it, and nobody has told us how much where a machine does not state it.
    """
    engine, group = trials.engine, evaluation.group
    if group.nodes > 1 or isinstance(group.gpus[0].gpu.memory, UnifiedMemory):
        return
    other = _offloaded(engine, subject, evaluation)
    if other is None:
        return
    reserved = int(scaled(engine.assumptions["ram-reserved-gib"]).mid)
    if group.ram_bytes >= RAM_SIZES[-1] - reserved:
        return
    roomy = engine.canonical(replace(group, ram_bytes=RAM_SIZES[-1] - reserved))
    enough = engine.assumptions["answer-speed-tokens-per-s"].value.mid
    workload = _as_offered(other, evaluation.workload)
    for found in other.evaluations(roomy, workload, DEFAULTS, offload=True):
        held = [one.arguments for one in found.reasons if one.code == "EXPERTS_IN_RAM"]
        speed = found.single_tokens_per_s.mid
        if not held or not trials.owned.allows(found.split) or speed < enough:
            continue
        need = int(held[0]["cpu_bytes"]) + reserved
        sizes = [size for size in RAM_SIZES if size >= need and size - reserved > group.ram_bytes]
        if sizes:
            arguments: dict[str, int | float | str] = {
                "bytes": sizes[0],
                "runtime": other.subject.runtime.id,
                "tokens_per_s": speed,
            }
            yield Reason("EXPERTS_TO_RAM", arguments), found.tier


def _offloaded(
    engine: FitEngine, subject: ServedCheckpoint, evaluation: Evaluation
) -> RunnableCheckpoint | None:
    """Find the smallest published file of a mixture whose runtime keeps experts in system RAM."""
    if not evaluation.reduced.architecture.experts:
        return None
    server = all(one.gpu.segment == "datacenter" for one in evaluation.group.gpus)
    known = [
        other
        for other in engine.loadable(subject.model)
        if other.subject.runtime.capabilities.cpu_offload
        and other.subject.runtime.surveyed_in_full
        and other.subject.checkpoint.quantization.production
        and other.subject.checkpoint.is_published
        and not (server and other.subject.runtime.memory_model is not subject.runtime.memory_model)
    ]
    return min(known, key=lambda one: (one.weights_bytes, one.subject.key), default=None)


def _known_first(other: ServedCheckpoint, size: int) -> tuple[bool, int]:
    """Order files to fall back on: those that can be downloaded, then the larger ones."""
    return (not other.checkpoint.is_published, -size)


def _by_hardware(
    trials: _Trials, subject: ServedCheckpoint, evaluation: Evaluation
) -> Iterator[Attempt]:
    """Yield more memory, more GPUs in the node or more nodes, the least of each first.

    What a system or a scheduler was told for want of memory is not told where there is more; a
    paged runtime may be told of fewer sequences, as a pick may.
    """
    engine, owned = trials.engine, trials.owned
    proposals = (
        _more_memory(evaluation.group),
        _more_gpus(engine, evaluation.group, owned),
        _more_nodes(engine, evaluation.group, owned),
    )
    plain = replace(evaluation.settings, raised_limit=False)
    tried = [plain]
    if isinstance(evaluation.replica, PagedReplica) and plain.max_num_seqs is None:
        tried.append(replace(plain, max_num_seqs=FEWER))
    for proposed in proposals:
        for reason, group in proposed:
            if group.usable_bytes >= evaluation.reduced.least_gpu_bytes:
                larger = engine.canonical(group)
                tiers = [
                    trials.tier(subject, larger, evaluation.workload, settings)
                    for settings in tried
                ]
                yield reason, min(tiers, key=RANK.__getitem__)


Proposal = tuple[Reason, GpuGroup]


def _more_memory(group: GpuGroup) -> Iterator[Proposal]:
    """Yield the larger sizes in which a chip with shared memory is sold."""
    first = group.gpus[0]
    memory = first.gpu.memory
    if not isinstance(memory, UnifiedMemory) or group.mixed:
        return
    for size in sorted(memory.options_bytes):
        if size > first.visible_bytes:
            arguments: dict[str, int | float | str] = {"bytes": size, "gpu": first.gpu.id}
            yield Reason("MORE_MEMORY", arguments), _repeated(group, resized(first, size))


def _more_gpus(engine: FitEngine, group: GpuGroup, owned: Owned) -> Iterator[Proposal]:
    """Yield more of the largest GPU in one node, joined as they are, or as so many usually are."""
    largest = max(group.gpus, key=lambda d: d.visible_bytes)
    if group.nodes > 1 or isinstance(largest.gpu.memory, UnifiedMemory):
        return
    for count in MORE_GPU_COUNTS:
        have = max(owned.gpus, len(group.ranks))
        if count > have or (group.mixed and count == have):
            arguments: dict[str, int | float | str] = {"count": count, "gpu": largest.gpu.id}
            larger = _repeated(group, largest, per_node=count)
            if group.link is None or not reaches(group.link, largest.gpu, count):
                larger = replace(larger, link=engine.usual_link(largest.gpu, count))
            yield Reason("MORE_GPUS", arguments), larger


def _more_nodes(engine: FitEngine, group: GpuGroup, owned: Owned) -> Iterator[Proposal]:
    """Yield more nodes like these, joined as such nodes are, or as most people can."""
    network = group.network or engine.usual_network(group.gpus[0].gpu.id)
    unified = isinstance(group.gpus[0].gpu.memory, UnifiedMemory)
    if network is None or group.mixed or (group.nodes == 1 and not unified):
        return
    for count in MORE_NODE_COUNTS:
        if count > max(group.nodes, owned.nodes):
            first = group.gpus[0]
            larger = _repeated(group, first, per_node=group.per_node, nodes=count)
            arguments: dict[str, int | float | str] = {
                "count": count,
                "each": group.per_node,
                "gpu": first.gpu.id,
                "link": network.id,
            }
            yield Reason("MORE_NODES", arguments), replace(larger, network=network)


def _repeated(
    group: GpuGroup, usable_gpu: UsableGpu, *, per_node: int = 0, nodes: int = 1
) -> GpuGroup:
    """Return a set of equal GPUs like ``usable_gpu``, without RAM for offload."""
    each = per_node or len(group.ranks)
    count = each * nodes
    return replace(
        group,
        ranks=tuple((node, at) for node in range(nodes) for at in range(each)),
        gpus=(usable_gpu,) * count,
        per_node=each,
        nodes=nodes,
        mixed=False,
        smallest=usable_gpu,
        ram_bytes=0,
        usable_bytes=usable_gpu.usable_bytes(raised=True) * count,
        visible_bytes=usable_gpu.visible_bytes * count,
    )

"""A benchmark run as the speed model sees it: the plan it stands for and what was timed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Quantization, Runtime
from sitegen.catalog.domain.provenance import Evidence
from sitegen.catalog.domain.runs import SpeedRun
from sitegen.physics.cache_types import element_bits
from sitegen.physics.gpu_groups import NO_HOPS, GpuGroup, exact_set
from sitegen.physics.memory.layer_layout import split_layout
from sitegen.physics.memory.profile_constants import dotted
from sitegen.physics.model_shape import stage_layers
from sitegen.physics.reduced_checkpoint import ReducedCheckpoint, reduce_checkpoint
from sitegen.physics.speed.constants import (
    EARLY_UNTIL,
    FORMER_UNTIL,
    SOFTWARE_2025,
    SOFTWARE_BEFORE_2025,
    differing,
)
from sitegen.physics.speed.estimate import SpeedModel
from sitegen.physics.speed.pipeline import ReplicaPipeline, Stage
from sitegen.physics.tensor_cut import tensor_conflict
from sitegen.values import dataclass

UNSTATED_DEPTH_TOKENS = 256
"""Depth of a figure that is posted without one: people try short prompts."""
UNSTATED_PROMPT_TOKENS = 64
UNSTATED_GENERATED_TOKENS = 256
EARLY_BUILD = 4_400
"""llama.cpp's build at the turn of 2024 to 2025."""
FORMER_BUILD = 8_140
"""llama.cpp's build of 24 February 2026."""
LAYERED_BUILD = 1_843
"""llama.cpp's build from which on several GPUs hold layers; before it they shared every matrix by
rows (ggml-org/llama.cpp pull request 4766, January 2024)."""
ROW_SPLIT = (
    "The run used llama.cpp from before 2024-01-12, which splits matrices by rows over several "
    "GPUs, not by layers."
)
HANDOVER = {"paged": 2, "layer-split": 1, "mlx": 1, "exllama": 1}
"""Hidden-size tensors that cross a boundary between stages."""

Weigh = Callable[[LanguageModel, Checkpoint], ReducedCheckpoint]
"""Reduces a checkpoint to numbers, once."""
Reason = str
"""Why a run cannot be predicted."""


@dataclass(frozen=True, slots=True)
class Case:
    """A run with the plan it stands for."""

    run: SpeedRun
    source: str
    model: LanguageModel
    checkpoint: Checkpoint
    reduced: ReducedCheckpoint
    path: ReplicaPipeline
    group: GpuGroup
    replicas: int


@dataclass(frozen=True, slots=True)
class Timing:
    """One measured rate and what happened in its time.

    ``quantity`` is ``decode`` (one stream), ``decode-of-many`` (one of several), ``aggregate`` or
    ``prefill``. A rate of decode is ``generated * streams`` tokens in the time of ``prompts``
    prompts and ``generated`` steps.
    """

    quantity: str
    measured: float
    context: int
    streams: int
    generated: int
    prompts: int
    prompt_tokens: int
    prompt_depth: int


def remembered() -> Weigh:
    """Return a way to reduce checkpoints that reduces each once."""
    known: dict[Hashable, ReducedCheckpoint] = {}

    def weigh(model: LanguageModel, checkpoint: Checkpoint) -> ReducedCheckpoint:
        key = (model.id, checkpoint.id)
        if key not in known:
            known[key] = reduce_checkpoint(model, checkpoint)
        return known[key]

    return weigh


class BenchmarkPlans:
    """Lays runs out over a catalog; remembers each checkpoint it reduced."""

    def __init__(self, catalog: Catalog, weigh: Weigh | None = None) -> None:
        self._catalog = catalog
        self._weigh = weigh or remembered()

    def all(self) -> Iterator[tuple[str, SpeedRun, Case | Reason]]:
        """Yield every run of the catalog with its source's id and its case, or why it has none."""
        for source in self._catalog.benchmarks.values():
            for run in source.runs:
                yield source.id, run, self.case(run, source.id)

    def case(self, run: SpeedRun, source: str) -> Case | Reason:
        """Lay a run out as stated, or as its runtime does where it does not say."""
        catalog, subject = self._catalog, run.subject
        model, runtime = catalog.models[subject.model], catalog.runtimes[subject.runtime]
        checkpoint = checkpoint_of(
            model, subject.checkpoint, subject.quantization, catalog.quantizations
        )
        if checkpoint is None:
            return "The model lists no such checkpoint."
        reduced = self._weigh(model, checkpoint)
        family = runtime.traits.speed_family
        replicas = run.split.data or 1
        if family == "layer-split" and len(run.system.gpus) > 1 and _splits_rows(run, runtime):
            return ROW_SPLIT
        size = len(run.system.gpus) // replicas
        if runtime.traits.one_gpu_where_it_fits and _fits_one(run, reduced):
            size = 1
        group = exact_set(run.system, size, catalog.assumptions)
        tp, pp = _split(run, reduced, family, size)
        if tp * pp != size:
            size = tp * pp
            group = exact_set(run.system, size, catalog.assumptions)
        broken = tensor_conflict(reduced.shape.ungrouped(), tp, expert_parallel=run.split.expert)
        if broken is not None and not runtime.capabilities.any_tensor_width:
            return f"The stated split over {tp} GPUs is not valid for this model."
        path = _path(run, reduced, runtime, group, (tp, pp))
        return Case(run, source, model, checkpoint, reduced, path, group, replicas)


def _fits_one(run: SpeedRun, reduced: ReducedCheckpoint) -> bool:
    """Return whether a model fits one GPU, with room for its cache."""
    return reduced.weights.total_bytes < 0.85 * run.system.gpus[0].visible_bytes


def _split(run: SpeedRun, reduced: ReducedCheckpoint, family: str, size: int) -> tuple[int, int]:
    """Tensor and pipeline size: stated, or all GPUs in the way that the family prefers."""
    tp, pp = run.split.tensor, run.split.pipeline
    if family == "layer-split":
        return (size, 1) if tp == size else (1, size)
    if tp is not None and pp is not None:
        return tp, pp
    if tp is not None:
        return tp, 1 if family == "paged" else max(1, size // tp)
    if pp is not None:
        return 1, pp
    whole = run.split.expert
    if family == "paged" and tensor_conflict(reduced.shape, size, expert_parallel=whole) is None:
        return size, 1
    return 1, size


def _path(
    run: SpeedRun,
    reduced: ReducedCheckpoint,
    runtime: Runtime,
    group: GpuGroup,
    split: tuple[int, int],
) -> ReplicaPipeline:
    tp, pp = split
    family, era = runtime.traits.speed_family, _era(run, runtime)
    crosses = tp > group.per_node
    limited, slot = run.power_limit_watts, run.system.nodes[0].link
    tdp = run.system.gpus[0].gpu.tdp_watts
    return ReplicaPipeline(
        reduced=reduced,
        stages=_stages(run, reduced, group, split, family),
        tp=tp,
        tensor_link=group.network if crosses else group.link,
        hops=group.hops(tp) if pp > 1 else NO_HOPS,
        family=family,
        runtime=differing(runtime),
        weights=reduced.weights_class,
        handover_tensors=HANDOVER[family],
        kv_bits=element_bits(reduced.shape.element_bits, run.workload.kv_dtype),
        overlapped=family == "paged",
        streamed=(group.network is None and tp == 1) or family == "paged",
        backend="vulkan" if "vulkan" in run.subject.build.lower() else "",
        era=era,
        weights_scale=_scale(run, reduced),
        power=min(1.0, limited / tdp) if limited and tdp else 1.0,
        unfused=family == "layer-split" and era == SOFTWARE_BEFORE_2025,
        chunk_tokens=run.workload.micro_batch_tokens or 0,
        uneven=family == "layer-split" and tp > 1,
        copied_expert_tokens=runtime.traits.copied_expert_tokens,
        slot=slot.id if slot else "",
        mapped_bytes_per_s=group.ram_bandwidth_bytes_per_s.mid if run.mapped else 0.0,
    )


def _stages(
    run: SpeedRun,
    reduced: ReducedCheckpoint,
    group: GpuGroup,
    split: tuple[int, int],
    family: str,
) -> tuple[Stage, ...]:
    tp, pp = split
    shape, in_ram = reduced.shape, run.split.cpu_expert_layers
    if in_ram == 0 and (family == "paged" or pp == 1):
        layers = stage_layers(shape.layers, pp)
        starts = [sum(layers[:s]) for s in range(pp)]
        return tuple(
            Stage(
                tuple(shape.kind_counts(starts[s], starts[s] + layers[s])),
                s == pp - 1,
                group.slowest(s * tp, (s + 1) * tp),
            )
            for s in range(pp)
        )
    shares = [max(1, d.usable_bytes()) for d in group.gpus]
    layout = split_layout(shape, shares, cpu_experts=in_ram)
    first, *others = (
        Stage(part.counts, part.has_output, gpu)
        for part, gpu in zip(layout.gpus, group.gpus, strict=True)
    )
    stored = layout.host.experts_bytes
    from_ram = replace(first, host_bytes=layout.host.read_bytes(shape), host_stored_bytes=stored)
    return from_ram, *others


def _era(run: SpeedRun, runtime: Runtime) -> str:
    """Era of a run's software: by its build or version, which say more than the day of its post."""
    number = run.subject.version
    if runtime.traits.llama_cpp_builds and number.isdigit():
        if int(number) < EARLY_BUILD:
            return SOFTWARE_BEFORE_2025
        return SOFTWARE_2025 if int(number) < FORMER_BUILD else ""
    since = runtime.traits.present_engine_since
    if since and number and dotted(number) < dotted(since):
        return SOFTWARE_BEFORE_2025
    if not run.date or run.date >= FORMER_UNTIL:
        return ""
    return SOFTWARE_BEFORE_2025 if run.date < EARLY_UNTIL else SOFTWARE_2025


def _splits_rows(run: SpeedRun, runtime: Runtime) -> bool:
    number = run.subject.version
    numbered = runtime.traits.llama_cpp_builds and number.isdigit()
    return numbered and int(number) < LAYERED_BUILD


def _scale(run: SpeedRun, reduced: ReducedCheckpoint) -> float:
    """Size of the file that the log states over what the recipe implies; vision stands apart."""
    if run.weights_bytes is None:
        return 1.0
    weights = reduced.weights
    return run.weights_bytes / (weights.total_bytes - weights.vision_bytes)


def timings(case: Case) -> tuple[Timing, ...]:
    """List what can be judged of a run, by rules that look at no result.

    A steady rate counts steps alone, in the middle of what was generated. An end-to-end rate
    counts the prompts' time too; a posted one is taken as steady. Where a source gives both the
    rate of one of several streams and of all, the sum is judged: they are one measurement.
    """
    return tuple(_timings(case))


def _timings(case: Case) -> Iterator[Timing]:
    asked, figures, timed = case.run.workload, case.run.figures, case.run.timed
    generated = asked.generated_tokens or UNSTATED_GENERATED_TOKENS
    prompt = asked.prompt_tokens or UNSTATED_PROMPT_TOKENS
    many = asked.sequences > 1
    depth = asked.depth_tokens
    if depth is None:
        steady = asked.prompt_tokens if timed == "steady" else None
        depth = prompt if timed == "end-to-end" else steady or UNSTATED_DEPTH_TOKENS
    context = depth + generated // 2
    streams = max(1, asked.sequences // case.replicas)
    ended = timed == "end-to-end"
    if figures.decode_tokens_per_s is not None and not (many and figures.aggregate_tokens_per_s):
        yield Timing(
            "decode-of-many" if many else "decode", figures.decode_tokens_per_s, context, streams,
            generated, int(ended), prompt, 0,
        )  # fmt: skip
    if figures.aggregate_tokens_per_s is not None:
        served = streams if timed != "steady" else 0
        yield Timing(
            "aggregate", figures.aggregate_tokens_per_s, context, streams, generated, served,
            prompt, 0,
        )  # fmt: skip
    if figures.prefill_tokens_per_s is not None and asked.prompt_tokens:
        ahead = asked.depth_tokens or 0
        if ahead == asked.prompt_tokens:
            ahead = 0
        yield Timing(
            "prefill", figures.prefill_tokens_per_s, 0, 1, 0, 1, asked.prompt_tokens, ahead
        )


def knows_rates(case: Case) -> bool:
    """Return whether every GPU of the case has a rate for what the checkpoint computes with."""
    return case.path.rate_is_known and all(
        stage.slowest.gpu.fp16_flops_per_s is not None for stage in case.path.stages
    )


def judgeable(case: Case, timing: Timing) -> bool:
    """Return whether the catalog states what a quantity needs; prefill needs an FP16 rate."""
    heavy = timing.quantity == "prefill" or timing.prompts > 1
    return knows_rates(case) or not heavy


def predicted(model: SpeedModel, case: Case, timing: Timing) -> tuple[float, float, float]:
    """Rate that the model gives a timing, in tokens/s: low, mid, high."""
    path, group = case.path, case.group
    reading = (
        model.prompt_s(path, timing.prompt_tokens, timing.prompt_depth)
        if timing.prompts
        else (0.0, 0.0, 0.0)
    )
    if timing.quantity == "prefill":
        high, mid, low = (timing.prompt_tokens / seconds for seconds in reading)
        return low, mid, high
    steps = model.step_s(path, group, timing.context, timing.streams)
    together = timing.streams * case.replicas if timing.quantity == "aggregate" else 1
    high, mid, low = (
        together * timing.generated / (timing.prompts * reading[b] + timing.generated * steps[b])
        for b in range(3)
    )
    return low, mid, high


def checkpoint_of(
    model: LanguageModel,
    checkpoint: str,
    quantization: str,
    quantizations: Mapping[str, Quantization],
) -> Checkpoint | None:
    """Find the checkpoint that a run names, or make one in the recipe that it names.

    A plain recipe is preferred to a listed checkpoint of another size; of block and tensor FP8
    the one that the model lists is taken.
    """
    listed = {one.id: one for one in model.checkpoints}
    if checkpoint:
        return listed.get(checkpoint)
    if quantization in listed:
        return listed[quantization]
    same = [c for c in model.checkpoints if c.quantization.id == quantization]
    if not same and quantization in {"fp8", "mxfp4", "mxfp4-moe"}:
        family = {"fp8": {"fp8"}, "mxfp4": {"mxfp4"}, "mxfp4-moe": {"mxfp4-moe"}}[quantization]
        same = [
            c
            for c in model.checkpoints
            if c.quantization.format in family or c.quantization.id in family
        ]
    if same:
        return same[0]
    recipe = quantizations.get(quantization)
    if recipe is None:
        return None
    return Checkpoint(recipe.id, recipe, "", None, {}, (), False, Evidence.ESTIMATED, ())

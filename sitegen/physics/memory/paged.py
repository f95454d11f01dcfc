"""How a checkpoint lies in runtimes that fill a fixed share of the GPU (vLLM and its kin)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, replace
from functools import lru_cache
from typing import Any, NamedTuple

from sitegen.catalog.domain.hardware import Interconnect, UnifiedMemory
from sitegen.catalog.domain.models import BudgetBase, DefaultsByMemory, Runtime, RuntimeProfile
from sitegen.physics.cache_types import HEAD_SCALE_BYTES, HEADED_CACHES, offers, stored_as
from sitegen.physics.gpu_groups import GpuGroup, UsableGpu
from sitegen.physics.memory.block_layout import BlockLayout, block_layout
from sitegen.physics.memory.paged_profile import FixedBytes, RankPlace, SchedulerStep
from sitegen.physics.memory.paged_replica import PagedReplica, PagedShape, StageBudget, seen_bytes
from sitegen.physics.memory.profile_constants import paged_profile
from sitegen.physics.model_shape import stage_layers
from sitegen.physics.plan import DEFAULTS, Settings, Workload
from sitegen.physics.reduced_checkpoint import ReducedCheckpoint
from sitegen.physics.valid_splits import Split
from sitegen.units import GB

WIDE = 4
"""Ranks from which SGLang captures larger decode graphs (0.5.23, ``memory_hook.py``)."""

LINES_INSIDE: Mapping[BudgetBase, frozenset[str]] = {
    BudgetBase.TOTAL: frozenset({"context", "weights", "compute", "communication", "graphs"}),
    BudgetBase.RESERVE: frozenset({"weights"}),
    BudgetBase.FREE: frozenset({"context", "weights", "compute", "communication", "graphs"}),
}
"""Ledger lines, cache and state apart, that lie inside a profile's share."""

FAST_LINKS = frozenset({"nvlink", "xgmi", "ualink"})
FABRIC = 450 * GB
"""Bytes per second of NVLink 4, on which memory of collectives over a fabric was logged."""


class MemoryShare(NamedTuple):
    """The base of a memory share: bytes seen, the fraction set (0 for the default), GPU context."""

    seen_bytes: int
    fraction: float
    gpu_context_bytes: int


class PagedEngine:
    """A runtime profile with its constants converted once; shapes are remembered."""

    def __init__(self, profile: RuntimeProfile) -> None:
        self.profile = profile
        self.constants = paged_profile(profile)
        self.handover_tensors = self.constants.handover_tensors
        self._steps: dict[
            tuple[int, Split, Settings, int], tuple[GpuGroup, SchedulerStep, MemoryShare]
        ] = {}
        self._one_of_each: dict[tuple[Any, ...], SchedulerStep] = {}
        self.shape = lru_cache(maxsize=None)(self._shape)
        self._fixed = lru_cache(maxsize=None)(self._fixed_of)
        self._budgets = lru_cache(maxsize=None)(self._budgets_of)
        self._stages = lru_cache(maxsize=None)(self._stages_of)

    def replica(
        self,
        reduced: ReducedCheckpoint,
        group: GpuGroup,
        split: Split,
        workload: Workload,
        settings: Settings,
    ) -> PagedReplica:
        """Lay a checkpoint out on a set of GPUs: ``tp * pp`` for each copy of the attention."""
        settings = self._started(group, settings)
        step, share = self._step(group, split, settings, workload.context_tokens)
        return PagedReplica(
            reduced=reduced,
            group=group,
            tp=split[0],
            pp=split[1],
            dp=step.data_parallel_size,
            shape=self.shape(reduced, split, step, workload.kv_dtype),
            budgets=self._budgets(reduced, split, step, share),
            settings=settings,
            context_tokens=workload.context_tokens,
        )

    def _started(self, group: GpuGroup, settings: Settings) -> Settings:
        """Name the share of one memory for CPU and GPU, where the runtime's own would not start."""
        share = self.constants.shared_memory_fraction
        if (
            settings.memory_fraction is not None
            or not share
            or not group.smallest.gpu.sees_system_memory
        ):
            return settings
        return replace(settings, memory_fraction=share)

    def supports_cache_type(
        self, reduced: ReducedCheckpoint, runtime: Runtime, cache_type: str
    ) -> bool:
        """Whether the runtime keeps a cache of this type for a checkpoint."""
        if cache_type not in HEAD_SCALE_BYTES:
            return offers(runtime, cache_type)
        kinds = {kind.cache.word for kind in reduced.shape.kinds}
        return offers(runtime, cache_type) and kinds <= HEADED_CACHES

    def _step(
        self, group: GpuGroup, split: Split, settings: Settings, context_tokens: int
    ) -> tuple[SchedulerStep, MemoryShare]:
        """Return the scheduler step of a GPU group under the settings; remembers the group."""
        row = scheduler_defaults(self.profile, group.smallest)
        prompt = context_tokens if context_tokens <= row.whole_prompt_tokens else 0
        key = (id(group), split, settings, prompt)
        if key not in self._steps:
            seen, tp = seen_bytes(group.smallest, settings), split[0]
            step = replace(
                step_of(self.profile, group.smallest, split, settings, prompt),
                fabric=fabric_share(link_between(group, tp * settings.attention_copies)),
                large=seen >= self.constants.graphs_large_from_bytes,
            )
            context = int(group.smallest.context.mid)
            share = MemoryShare(seen, settings.memory_fraction or 0.0, context)
            self._steps[key] = (group, self._one_of_each.setdefault(astuple(step), step), share)
        return self._steps[key][1:]

    def _shape(
        self, reduced: ReducedCheckpoint, split: Split, step: SchedulerStep, kv_dtype: str
    ) -> PagedShape:
        _, pp = split
        layers, counts, blocks = self._stages(
            reduced, split, kv_dtype, step.context_parallel_size, step.prediction_layers
        )
        c = self.constants
        flight = max(c.in_flight_batches, pp if pp > 1 else 0)
        bits = stored_as(reduced.shape, kv_dtype).bits
        gathered = max((kind.cache.gathered_bytes(bits) for kind in reduced.shape.kinds), default=0)
        return PagedShape(
            layers=layers,
            counts=counts,
            fixed=self._fixed(reduced, split, step),
            blocks=blocks,
            in_flight_tokens=step.max_num_batched_tokens * flight,
            block_tokens=c.blocks.block_tokens,
            max_num_seqs=step.max_num_seqs,
            with_graphs=c.graphs_in_budget and not step.eager,
            workspace=c.workspace,
            gathered_bytes=gathered,
            inside=LINES_INSIDE[self.profile.budget_base],
        )

    def _fixed_of(
        self, reduced: ReducedCheckpoint, split: Split, step: SchedulerStep
    ) -> tuple[FixedBytes, ...]:
        """Everything but the cache on a rank of each stage."""
        shape, (tp, pp) = reduced.shape, split
        found, start = [], 0
        for stage, number in enumerate(stage_layers(shape.layers, pp)):
            counts = shape.kind_counts(start, start + number)
            found.append(self.constants.fixed_bytes(shape, RankPlace(step, tp, pp, stage), counts))
            start += number
        return tuple(found)

    def _budgets_of(
        self,
        reduced: ReducedCheckpoint,
        split: Split,
        step: SchedulerStep,
        share: MemoryShare,
    ) -> tuple[StageBudget, ...]:
        """What each stage may fill and what of it is taken, at each bound."""
        shape, c, found, (tp, pp) = reduced.shape, self.constants, [], split
        seen = share.seen_bytes
        for stage, fixed in enumerate(self._fixed(reduced, split, step)):
            rank = RankPlace(step, tp, pp, stage)
            pairs = [
                c.share.budget(c, shape, rank, fixed, share.fraction, seen, bound)
                for bound in range(3)
            ]
            budgets, counted = (tuple(one) for one in zip(*pairs, strict=True))
            room = seen - budgets[1]
            excess = c.share.start_excess(c, shape, rank, fixed, room, share.gpu_context_bytes, 2)
            found.append(StageBudget(budgets, counted, excess))
        return tuple(found)

    def _stages_of(
        self,
        reduced: ReducedCheckpoint,
        split: Split,
        kv_dtype: str,
        dcp: int,
        prediction: bool,
    ) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[BlockLayout, ...]]:
        """Layers, layers by kind, and blocks of the cache of each stage."""
        tp, pp = split
        shape, ahead = reduced.shape, reduced.shape.prediction
        stored = stored_as(shape, kv_dtype)
        layers = stage_layers(shape.layers, pp)
        counts, blocks, start = [], [], 0
        for stage, number in enumerate(layers):
            held = shape.kind_counts(start, start + number)
            counts.append(tuple(held))
            if prediction and stage == pp - 1:
                held[shape.sequence[ahead.like_layer]] += ahead.layers
            blocks.append(
                block_layout(
                    shape, self.constants.blocks, held, tp=tp, context_ranks=dcp, stored=stored
                )
            )
            start += number
        return layers, tuple(counts), tuple(blocks)


def as_typed(profile: RuntimeProfile, settings: Settings) -> Settings:
    """Name the runtime's own share for a command that is not ours and names none."""
    stated = profile.constants.get("memory_fraction")
    ours = profile.constants.get("shared_memory_fraction")
    if settings.memory_fraction is not None or stated is None or ours is None:
        return settings
    return replace(settings, memory_fraction=stated.value.mid)


def step_of(
    profile: RuntimeProfile,
    usable_gpu: UsableGpu,
    split: Split,
    settings: Settings,
    prompt: int = 0,
) -> SchedulerStep:
    """Combine an operator's settings with a profile's defaults for a GPU; no link yet.

    A step holds at least ``prompt`` tokens where the runtime does not cut prompts (vLLM before 0.8
    up to 32,768 tokens: 0.7.3, ``config.py`` and ``engine/arg_utils.py``).
    """
    defaults = scheduler_defaults(profile, usable_gpu)
    tokens = max(defaults.max_num_batched_tokens, prompt)
    sequences = settings.max_num_seqs or defaults.max_num_seqs
    graph_batch = defaults.graph_batch_wide if split[0] >= WIDE else defaults.graph_batch
    return SchedulerStep(
        max_num_batched_tokens=settings.max_num_batched_tokens or tokens,
        max_num_seqs=sequences,
        graph_batch=min(graph_batch, sequences),
        fabric=0.0,
        large=False,
        eager=settings.enforce_eager,
        shared=isinstance(usable_gpu.gpu.memory, UnifiedMemory),
        images=not settings.text_only,
        data_parallel_size=settings.attention_copies,
        expert_parallel=settings.expert_parallel,
        context_parallel_size=settings.decode_context_parallel_size or 1,
        prediction_layers=settings.prediction_layers,
        draft_bytes=settings.draft_bytes or 0,
    )


def default_step(profile: RuntimeProfile, usable_gpu: UsableGpu, split: Split) -> SchedulerStep:
    """Return the step of a profile's defaults."""
    return step_of(profile, usable_gpu, split, DEFAULTS)


def scheduler_defaults(profile: RuntimeProfile, usable_gpu: UsableGpu) -> DefaultsByMemory:
    """Find the scheduler defaults for a GPU; the last row of a profile has no lower bound.

    Source:
        vLLM 0.33, ``engine/arg_utils.py``.
    """
    for row in profile.defaults:
        excluded = any(usable_gpu.gpu.id.startswith(stem) for stem in row.excluded_gpus)
        if usable_gpu.visible_bytes >= row.min_visible_bytes and not excluded:
            return row
    return profile.defaults[-1]


def link_between(group: GpuGroup, tp: int) -> Interconnect | None:
    """Return the link that joins ranks; ``None`` without tensor parallelism."""
    if tp == 1:
        return None
    crosses = tp > group.per_node or group.link is None
    return group.network if crosses else group.link


def fabric_share(link: Interconnect | None) -> float:
    """Return the rate of a fast link over that of ``FABRIC``, at most 1; 0 for any other link.

    Source:
        NCCL, ``graph/search.cc`` and ``graph/topo.h``: channels are opened until they fill the
        links (12 GB/s each of the four of a bridged RTX 3090), and each has buffers of its own
        (``init.cc``, ``computeBuffSizes``); read 2026-11-24.
    """
    if link is None or link.kind not in FAST_LINKS:
        return 0.0
    return min(1.0, (link.nominal_bytes_per_s or FABRIC) / FABRIC)

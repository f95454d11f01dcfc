"""One checkpoint on one set of GPUs under one split: judged, without a combo's name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from sitegen.catalog.domain.models import Runtime
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import FitTier
from sitegen.fit.verdict import Thresholds, VerdictInputs, tier_and_reasons
from sitegen.physics.cache_types import element_bits
from sitegen.physics.gpu_groups import NO_HOPS, Assumptions, GpuGroup
from sitegen.physics.memory.layer_split_replica import SplitReplica
from sitegen.physics.memory.paged import PagedEngine
from sitegen.physics.memory.paged_replica import PagedReplica
from sitegen.physics.plan import Reason, Settings, Workload
from sitegen.physics.reduced_checkpoint import ReducedCheckpoint
from sitegen.physics.speed.constants import backend_class, differing, only_slower, unpriced
from sitegen.physics.speed.estimate import SpeedModel
from sitegen.physics.speed.pipeline import ReplicaPipeline, Stage
from sitegen.physics.valid_splits import Split
from sitegen.values import dataclass

ROOM = ("pick-context-tokens", "answer-context-tokens")
"""Assumptions with the contexts that a pick should hold where the reader names none."""
UNKNOWN_SPEED = Interval(0, 0, 0)
"""Speed of what does not fit, or computes with a width of unknown rate: not estimated."""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """A candidate plan with its verdict; compared by identity, since an engine keeps one.

    ``single_tokens_per_s`` is the decode speed of one stream on one replica. It is zero and
    ``pipeline`` is ``None`` if the model does not fit, and for widths without a recorded rate on
    any GPU. Under settings that the speed model does not know, it only orders plans.
    ``utilization`` is the value at ``context_tokens``: the requested context, or the minimum
    context if the request does not fit even at the low estimate.
    """

    reduced: ReducedCheckpoint
    group: GpuGroup
    split: Split
    replica: PagedReplica | SplitReplica
    pipeline: ReplicaPipeline | None
    workload: Workload
    settings: Settings
    context_tokens: int
    utilization: Interval
    single_tokens_per_s: Interval
    tier: FitTier
    reasons: tuple[Reason, ...]
    too_close: bool
    shortage_bytes: int


class Judge:
    """Evaluates plans against a catalog's thresholds and speed constants."""

    def __init__(self, assumptions: Assumptions) -> None:
        self.speed = SpeedModel(assumptions)
        self.thresholds = Thresholds.of(assumptions)
        self.streams_cap = int(assumptions["aggregate-streams-cap"].value.mid)
        """Streams of a replica at most in an aggregate speed that names no number."""
        self.room = tuple(int(assumptions[id_].value.mid) for id_ in ROOM)
        """Contexts in tokens that people want when they name none, the longest first."""
        self.tie_share = assumptions["pick-tie-share"].value.mid
        """Share by which a plan may be slower and still be as fast."""
        self._link_share = assumptions["link-share-limit"].value.mid
        self._link_floor_s = assumptions["prefill-link-floor-s"].value.mid
        self._link_limit_s = assumptions["prefill-limit-s"].value.mid

    def paged(
        self,
        engine: PagedEngine,
        reduced: ReducedCheckpoint,
        group: GpuGroup,
        split: Split,
        *,
        workload: Workload,
        settings: Settings,
        runtime: Runtime,
        defects: tuple[Reason, ...] = (),
    ) -> Evaluation:
        """Judge a tensor and pipeline split of a paged runtime."""
        replica = engine.replica(reduced, group, split, workload, settings)
        warnings = (*_limit_warning(group, settings), *defects)
        if group.mixed:
            by_size = sorted(group.gpus, key=lambda d: d.visible_bytes)
            arguments = {"smallest": by_size[0].gpu.id, "largest": by_size[-1].gpu.id}
            warnings = (*warnings, Reason("MIXED_GPUS_TP_MIN", arguments))
        return self._judged(
            replica,
            lambda: _paged_path(replica, workload, engine.handover_tensors, runtime),
            workload,
            weights_bytes=replica.shape.fixed[0].weights[1],
            budget_bytes=replica.budget_bytes,
            warnings=warnings,
        )

    def split(
        self,
        replica: SplitReplica,
        workload: Workload,
        *,
        handover_tensors: int,
        runtime: Runtime,
        defects: tuple[Reason, ...] = (),
    ) -> Evaluation:
        """Judge a layer split, with or without layers in system RAM."""
        group, settings = replica.group, replica.settings
        warnings = (
            *_limit_warning(group, settings),
            *_spilled(replica, workload),
            *defects,
        )
        evaluation = self._judged(
            replica,
            lambda: _split_path(replica, workload, handover_tensors, runtime),
            workload,
            weights_bytes=max(gpu.weights_bytes for gpu in replica.layout.gpus),
            budget_bytes=min(d.usable_bytes(raised=settings.raised_limit) for d in group.gpus),
            warnings=warnings,
        )
        return self._allocated(evaluation, replica)

    def _allocated(self, evaluation: Evaluation, replica: SplitReplica) -> Evaluation:
        """Lower the verdict where the driver refuses the largest piece at the asked context.

        A shorter context helps where the piece is the graph; a tensor of the weights stays.
        """
        limit, sequences = replica.settings.largest_allocation_bytes, evaluation.workload.sequences
        tokens = evaluation.workload.context_tokens
        if limit is None or replica.largest_allocation_bytes(tokens, sequences) <= limit:
            return evaluation
        need = replica.largest_allocation_bytes(tokens, sequences)
        shortest = min(tokens, self.thresholds.reduced_context_tokens)
        helps = replica.largest_allocation_bytes(shortest, sequences) <= limit
        tier = FitTier.NOT_PRACTICAL
        if helps and evaluation.tier is not FitTier.NOT_PRACTICAL:
            tier = FitTier.BORDERLINE
        reason = Reason("ALLOCATION_LIMIT", {"need_bytes": need, "limit_bytes": limit})
        return replace(
            evaluation, tier=tier, reasons=(reason, *evaluation.reasons), too_close=False
        )

    def _judged(
        self,
        replica: PagedReplica | SplitReplica,
        lay_path: Callable[[], ReplicaPipeline],
        workload: Workload,
        *,
        weights_bytes: int,
        budget_bytes: int,
        warnings: tuple[Reason, ...],
    ) -> Evaluation:
        tokens, sequences = workload.context_tokens, workload.sequences
        shown, utilization = tokens, replica.utilization(tokens, sequences)
        reduced = utilization
        if utilization.low > 1:
            shown = min(tokens, self.thresholds.reduced_context_tokens)
            reduced = replica.utilization(shown, sequences)
        reduced_high = reduced.high
        if utilization.low <= 1 < utilization.high:
            shortest = min(tokens, self.thresholds.reduced_context_tokens)
            reduced_high = replica.utilization(shortest, sequences).high
        single, path = UNKNOWN_SPEED, None
        if reduced.low <= 1:
            warnings = (*warnings, *replica.start_warnings())
            laid = lay_path()
            if laid.rate_is_known:
                path = laid
                single = self.speed.single(path, replica.group, context=tokens // 2)
                warnings = (*warnings, *self._link_warnings(path, replica.group, tokens // 2))
            warnings = (*warnings, *_spikes(replica, weights_bytes))
        known = only_slower(unpriced(replica.settings, workload))
        facts = VerdictInputs(
            utilization=utilization,
            reduced=reduced,
            reduced_high=reduced_high,
            single_tokens_per_s=single if known else UNKNOWN_SPEED,
            warnings=warnings,
            context_tokens=tokens,
            need_bytes=int(reduced.low * budget_bytes),
            weights_bytes=weights_bytes,
            budget_bytes=budget_bytes,
        )
        tier, reasons, too_close = tier_and_reasons(facts, self.thresholds)
        return Evaluation(
            reduced=replica.reduced,
            group=replica.group,
            split=replica.split,
            replica=replica,
            pipeline=path,
            workload=workload,
            settings=replica.settings,
            context_tokens=shown,
            utilization=reduced,
            single_tokens_per_s=single,
            tier=tier,
            reasons=reasons,
            too_close=too_close,
            shortage_bytes=max(0, int((reduced.low - 1) * budget_bytes)),
        )

    def _link_warnings(
        self, pipeline: ReplicaPipeline, group: GpuGroup, context: int
    ) -> tuple[Reason, ...]:
        hops = pipeline.hops
        link = pipeline.tensor_link if pipeline.tp > 1 else hops.network or hops.link
        if link is None or (pipeline.tp == 1 and hops.count == 0):
            return ()
        warnings = []
        share = self.speed.communication_share(pipeline, group, context=context)
        if share > self._link_share:
            warnings.append(Reason("LINK_DECODE", {"share": share, "link": link.id}))
        of_link = self.speed.prompt_link_s(pipeline)
        if of_link > min(self._link_floor_s, self._link_limit_s):
            first = self.speed.prefill_s(pipeline)
            if first is not None:
                shares = of_link > max(self._link_share * first, self._link_floor_s)
                if shares or of_link > self._link_limit_s:
                    warnings.append(Reason("LINK_PREFILL", {"seconds": of_link, "link": link.id}))
        return tuple(warnings)


def _limit_warning(group: GpuGroup, settings: Settings) -> tuple[Reason, ...]:
    first = group.gpus[0]
    if not settings.raised_limit or first.reserved.mid <= first.raised_reserved.mid:
        return ()
    arguments = {
        "default_bytes": first.usable_bytes(),
        "needed_bytes": first.usable_bytes(raised=True),
    }
    return (Reason("OS_LIMIT", arguments),)


def _spikes(replica: PagedReplica | SplitReplica, weights_bytes: int) -> tuple[Reason, ...]:
    """Warn where loading needs more than the node has, although the model itself fits."""
    first = replica.group.gpus[0]
    spike = first.load_spike.mid
    if not spike or weights_bytes + spike <= first.visible_bytes:
        return ()
    return (Reason("LOAD_SPIKE", {"spike_bytes": int(spike), "gpu": first.gpu.id}),)


def _spilled(replica: SplitReplica, workload: Workload) -> tuple[Reason, ...]:
    if replica.cpu_expert_layers:
        held = replica.host_bytes(workload.context_tokens, workload.sequences)
        arguments = {"cpu_bytes": held, "layers": replica.cpu_expert_layers}
        return (Reason("EXPERTS_IN_RAM", arguments),)
    if replica.cpu_layers:
        held = replica.host_bytes(workload.context_tokens, workload.sequences)
        return (Reason("CPU_SPILL", {"cpu_bytes": held, "cpu_layers": replica.cpu_layers}),)
    return ()


def _paged_path(
    replica: PagedReplica, workload: Workload, handover_tensors: int, runtime: Runtime
) -> ReplicaPipeline:
    group, tp, pp = replica.group, replica.tp, replica.pp
    crosses = tp > group.per_node
    stages = _alike(
        Stage(replica.shape.counts[s], s == pp - 1, group.slowest(s * tp, (s + 1) * tp))
        for s in range(pp)
    )
    return ReplicaPipeline(
        reduced=replica.reduced,
        stages=stages,
        tp=tp,
        tensor_link=group.network if crosses else group.link,
        hops=group.hops(tp),
        family=runtime.traits.speed_family,
        runtime=differing(runtime),
        weights=replica.reduced.weights_class,
        handover_tensors=handover_tensors,
        kv_bits=element_bits(replica.reduced.shape.element_bits, workload.kv_dtype),
        overlapped=True,
        streamed=True,
        chunk_tokens=replica.settings.max_num_batched_tokens or 0,
        whole_experts=replica.settings.expert_parallel,
    )


def _split_path(
    replica: SplitReplica, workload: Workload, handover_tensors: int, runtime: Runtime
) -> ReplicaPipeline:
    group, layout = replica.group, replica.layout
    if replica.tensor > 1:
        return _cut_path(replica, workload, handover_tensors, runtime)
    stages = []
    for at, part in enumerate(layout.gpus):
        counts = part.counts
        if at == 0 and replica.cpu_layers:
            moved = layout.host.counts
            counts = tuple(a + b for a, b in zip(counts, moved, strict=True))
        host = layout.host.read_bytes(replica.reduced.shape) if at == 0 else 0
        stored = layout.host.weights_bytes + layout.host.experts_bytes if at == 0 else 0
        stages.append(
            Stage(
                counts,
                part.has_output,
                group.gpus[at],
                host,
                host_stored_bytes=stored,
            )
        )
    return ReplicaPipeline(
        reduced=replica.reduced,
        stages=_alike(stages),
        tp=1,
        tensor_link=None,
        hops=group.hops(1),
        family=runtime.traits.speed_family,
        runtime=differing(runtime),
        weights=replica.reduced.weights_class,
        handover_tensors=handover_tensors,
        kv_bits=element_bits(replica.reduced.shape.element_bits, workload.kv_dtype),
        overlapped=False,
        streamed=group.network is None,
        backend=backend_class(replica.settings.backend),
        unfused=not replica.flash,
        chunk_tokens=replica.settings.micro_batch_tokens or 0,
        copied_expert_tokens=runtime.traits.copied_expert_tokens,
        slot=group.slot,
        mapped_bytes_per_s=(
            0.0 if runtime.traits.unmapped_option else group.ram_bandwidth_bytes_per_s.mid
        ),
    )


def _cut_path(
    replica: SplitReplica, workload: Workload, handover_tensors: int, runtime: Runtime
) -> ReplicaPipeline:
    """The path of a token where every layer is cut over all GPUs."""
    group, size = replica.group, replica.tensor
    counts = replica.layout.gpus[0].counts
    return ReplicaPipeline(
        reduced=replica.reduced,
        stages=(Stage(counts, True, group.slowest(0, size)),),
        tp=size,
        tensor_link=group.network or group.link,
        hops=NO_HOPS,
        family=runtime.traits.speed_family,
        runtime=differing(runtime),
        weights=replica.reduced.weights_class,
        handover_tensors=handover_tensors,
        kv_bits=element_bits(replica.reduced.shape.element_bits, workload.kv_dtype),
        overlapped=False,
        streamed=False,
        uneven=len(replica.layout.cuts) > 0,
        backend=backend_class(replica.settings.backend),
        unfused=not replica.flash,
        chunk_tokens=replica.settings.micro_batch_tokens or 0,
    )


def _alike(stages: Iterable[Stage]) -> tuple[Stage, ...]:
    """Fold stages that repeat, wherever they stand: order does not change a sum or a maximum."""
    stages = tuple(stages)
    if len(stages) == 1:
        return stages
    found: dict[tuple[object, ...], list[Stage]] = {}
    for stage in stages:
        key = (stage.counts, stage.has_head, id(stage.slowest.gpu), stage.host_bytes)
        found.setdefault(key, []).append(stage)
    return tuple(
        same[0] if len(same) == 1 else replace(same[0], repeats=len(same))
        for same in found.values()
    )

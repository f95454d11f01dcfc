"""Valid splits of a replica on a GPU group, and the rules that refuse the others."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.hardware import Gpu
from sitegen.catalog.domain.models import CacheDefault, Capabilities, Runtime
from sitegen.physics.cache_types import PLAIN, quantized
from sitegen.physics.gpu_groups import GpuGroup
from sitegen.physics.plan import DEFAULTS, ParallelPlan, PlanKind, Reason, RefusedPlan, Settings
from sitegen.physics.reduced_checkpoint import ReducedCheckpoint
from sitegen.physics.tensor_cut import CutConflict, tensor_conflict

SHARED_CACHES = frozenset({"full", "latent", "none"})
"""Kinds of cache whose tokens ranks can share.

Source:
    vLLM 0.33, ``v1/core/single_type_kv_cache_manager.py``: "DCP not support sliding window attn
    now", "DCP not support chunked local attn now", "DCP not support mamba now".
"""
Split = tuple[int, int]
"""Tensor parallel size, pipeline parallel size."""

SHOWN_SIZES = (2, 3, 4, 5, 6, 7, 8, 16, 32)
"""Tensor parallel sizes that readers ask about."""


def refusal(
    reduced: ReducedCheckpoint,
    runtime: Runtime,
    group: GpuGroup,
    split: Split,
    settings: Settings = DEFAULTS,
) -> Reason | None:
    """Name the rule that refuses a split of ``tp * pp`` GPUs, or None when it is valid.

    Source:
        engine rules of vLLM 0.33 (``config/model.py``, ``layers/linear.py``).
    """
    tp, pp = split
    can = runtime.capabilities
    beyond = _indivisible(reduced, runtime, tp, settings) or _beyond_tensors(
        reduced, runtime, tp, settings
    )
    if beyond is not None:
        return beyond
    if tp > 1 and not (can.tensor_parallel and _cuts(reduced, can, group)):
        code = "TP_NOT_HERE" if can.tensor_parallel else "TP_UNSUPPORTED"
        return Reason(code, {"runtime": runtime.id})
    if pp > 1 and not (can.pipeline_parallel or can.layer_split):
        return Reason("PP_UNSUPPORTED", {"runtime": runtime.id})
    if pp > reduced.architecture.layers:
        return Reason("PP_TOO_FEW_LAYERS", {"layers": reduced.architecture.layers, "pp": pp})
    return _placement_refusal(can, runtime, group, tp)


def _indivisible(
    reduced: ReducedCheckpoint, runtime: Runtime, tp: int, settings: Settings
) -> Reason | None:
    """Name the size that ranks cannot share in the way that the runtime cuts layers.

    Source:
        exo b5375f8, ``master/placement.py``: ``kv_heads % len(cycle) == 0``.
    """
    shape, can = reduced.shape, runtime.capabilities
    conflict = tensor_conflict(shape, tp, expert_parallel=settings.expert_parallel)
    if can.any_tensor_width:
        conflict = None
    elif can.uneven_tensor_parallel:
        conflict = _uneven_conflict(reduced, tp)
    if conflict is not None:
        return tensor_reason(conflict)
    heads = shape.kv_heads
    if can.whole_kv_heads and heads % tp != 0:
        return Reason("TP_WHOLE_KV_HEADS", {"runtime": runtime.id, "kv_heads": heads, "tp": tp})
    return None


def _cuts(reduced: ReducedCheckpoint, can: Capabilities, group: GpuGroup) -> bool:
    """Whether the runtime knows how to cut this family, and cuts on GPUs of these makers."""
    family = reduced.architecture.family
    makers = {gpu.gpu.vendor for gpu in group.gpus}
    return (not can.tensor_families or family in can.tensor_families) and (
        not can.tensor_vendors or makers <= set(can.tensor_vendors)
    )


def _beyond_tensors(
    reduced: ReducedCheckpoint, runtime: Runtime, tp: int, settings: Settings
) -> Reason | None:
    """Name what experts, data, context or speculation in parallel cannot do here."""
    shape, can = reduced.shape, runtime.capabilities
    if settings.expert_parallel and not (can.expert_parallel and shape.experts > 0):
        return Reason("EP_UNSUPPORTED", {"runtime": runtime.id})
    if settings.attention_copies > 1 and not (can.data_parallel and shape.experts > 0):
        return Reason("DP_UNSUPPORTED", {"runtime": runtime.id})
    if settings.prediction_layers and shape.prediction.layers == 0:
        return Reason("NO_PREDICTION_LAYERS", {})
    dcp = settings.decode_context_parallel_size or 1
    return _unshared(reduced, runtime, tp, dcp) if dcp > 1 else None


def _unshared(reduced: ReducedCheckpoint, runtime: Runtime, tp: int, dcp: int) -> Reason | None:
    """Name what keeps ranks from sharing the tokens of a cache on any GPU.

    Source:
        vLLM 0.33, ``config/parallel.py``, ``config/model.py``: ranks share the tokens of a cache
        only where tensor parallelism repeats it, which latent attention always does.
    """
    if not runtime.capabilities.decode_context_parallel:
        return Reason("DCP_UNSUPPORTED", {"runtime": runtime.id})
    if any(kind.cache.word not in SHARED_CACHES for kind in reduced.shape.kinds):
        return Reason("DCP_KINDS", {"runtime": runtime.id})
    repeated = cache_repeats(reduced, tp)
    if tp % dcp or dcp > repeated:
        return Reason("DCP_SIZE", {"dcp": dcp, "tp": tp, "repeated": repeated})
    return None


def cache_repeats(reduced: ReducedCheckpoint, tp: int) -> int:
    """Return on how many ranks of tensor parallelism the same part of the cache lies."""
    return tp // max(1, reduced.shape.kv_heads)


def generation_of(gpu: Gpu) -> str:
    """Write a GPU's compute capability, such as ``10.0``; nothing for other vendors' GPUs."""
    has = gpu.compute_capability
    return "" if has is None else f"{has[0]}.{has[1]}"


def default_cache(reduced: ReducedCheckpoint, runtime: Runtime, group: GpuGroup, model: str) -> str:
    """Return the type of cache that a model has on these GPUs if nobody names one."""
    for default in runtime.cache_defaults:
        about = reduced.architecture.family in default.families
        about = about and (not default.models or model in default.models)
        if about and all(_is_about(default, installed.gpu) for installed in group.gpus):
            return default.kv_dtype
    return PLAIN


def _is_about(default: CacheDefault, gpu: Gpu) -> bool:
    excluded = any(gpu.id.startswith(name) for name in default.excluded_gpus)
    return generation_of(gpu) in default.compute_capabilities and not excluded


def sharing_refusal(
    reduced: ReducedCheckpoint,
    runtime: Runtime,
    group: GpuGroup,
    ranks: tuple[int, int],
    kv_dtype: str,
) -> Reason | None:
    """Say why ranks cannot share the tokens of this cache, or None where they can or need not.

    ``ranks`` are those of tensor parallelism, and how many of them share.
    """
    tp, dcp = ranks
    family = reduced.architecture.family
    limit = next((one for one in runtime.cache_sharing if family in one.families), None)
    if dcp == 1 or limit is None:
        return None
    arguments: dict[str, int | float | str] = {
        "runtime": runtime.id,
        "family": reduced.architecture.known_as[-1],
    }
    heads = reduced.shape.heads * dcp // tp
    for installed in group.gpus:
        gpu = installed.gpu
        generation = generation_of(gpu)
        if generation in limit.compute_capabilities:
            continue
        if generation not in limit.quantized_cache_only:
            return Reason("DCP_GPU", {**arguments, "gpu": gpu.id})
        if not quantized(kv_dtype):
            return Reason("DCP_CACHE", {**arguments, "gpu": gpu.id})
        if limit.most_heads is not None and heads > limit.most_heads:
            more = {"heads": heads, "most": limit.most_heads, "dcp": dcp}
            return Reason("DCP_HEADS", {**arguments, **more})
    return None


def settings_refusal(
    reduced: ReducedCheckpoint,
    runtime: Runtime,
    group: GpuGroup,
    settings: Settings,
    kv_dtype: str,
) -> Reason | None:
    """Name the rule by which settings refuse every split that is valid without them, or None.

    Of several splits the one with most tensor parallelism says why: it repeats a cache most often,
    so it comes nearest to what is asked.
    """
    size, shared = len(group.ranks), settings.attention_copies
    for tp in range(size, 0, -1):
        split = (tp, size // tp)
        if size % tp or refusal(reduced, runtime, group, split) is not None:
            continue
        reason = refusal(reduced, runtime, group, split, settings) or sharing_refusal(
            reduced, runtime, group, (tp, settings.decode_context_parallel_size or 1), kv_dtype
        )
        if reason is not None:
            return reason
    return Reason("DP_SIZE", {"dp": shared, "gpus": size}) if size % shared else None


def _uneven_conflict(reduced: ReducedCheckpoint, tp: int) -> CutConflict | None:
    """Refuse only more ranks than KV heads: shares of a layer may differ.

    Source:
        ExLlamaV3 ``model_tp_alloc.py``: channels are dealt out by free memory.
    """
    heads = reduced.shape.kv_heads
    return CutConflict("TP_KV_HEADS", heads, tp, 0) if 0 < heads < tp else None


def tensor_reason(conflict: CutConflict) -> Reason:
    """Return the reason for what a tensor split cannot cut."""
    code, size, tp, group = conflict
    first = {"TP_HEADS": "heads", "TP_KV_HEADS": "kv_heads", "TP_STATE": "heads"}.get(code, "size")
    arguments: dict[str, int | float | str] = {first: size, "tp": tp}
    if code == "TP_GROUP":
        arguments["group"] = group
    if code == "TP_FP8_BLOCK":
        arguments["block"] = group
    return Reason(code, arguments)


def _placement_refusal(
    can: Capabilities, runtime: Runtime, group: GpuGroup, tp: int
) -> Reason | None:
    if group.nodes > 1 and not can.multi_node:
        return Reason("MULTI_NODE_UNSUPPORTED", {"runtime": runtime.id})
    crosses = group.nodes > 1 and group.per_node % tp != 0
    fast = group.network is not None and group.network.rdma
    if crosses and not (fast and can.tensor_across_nodes):
        link = group.network.id if group.network else ""
        return Reason("TP_ACROSS_NODES", {"link": link})
    return None


def splits(
    reduced: ReducedCheckpoint,
    runtime: Runtime,
    group: GpuGroup,
    settings: Settings = DEFAULTS,
) -> tuple[Split, ...]:
    """List the valid splits of a whole set worth evaluating: the widest tensor parallel first.

    Of those that cut layers across nodes it is the widest alone.
    """
    size, rest = divmod(len(group.ranks), settings.attention_copies)
    if rest:
        return ()
    valid = [
        (tp, size // tp)
        for tp in range(size, 0, -1)
        if size % tp == 0 and refusal(reduced, runtime, group, (tp, size // tp), settings) is None
    ]
    inside = [split for split in valid if split[0] <= group.per_node]
    across = [split for split in valid if split[0] > group.per_node]
    return (*across[:1], *inside)


def refused(
    reduced: ReducedCheckpoint, runtime: Runtime, group: GpuGroup, replicas: int
) -> tuple[RefusedPlan, ...]:
    """List the tensor parallel sizes up to the set's GPUs that a rule refuses."""
    return tuple(_refused(reduced, runtime, group, replicas))


def _refused(
    reduced: ReducedCheckpoint, runtime: Runtime, group: GpuGroup, replicas: int
) -> Iterator[RefusedPlan]:
    for tp in SHOWN_SIZES:
        if tp <= len(group.ranks):
            reason = refusal(reduced, runtime, group, (tp, 1))
            if reason is not None:
                yield RefusedPlan(tp, 1, replicas, reason)


def paged_plan(
    group: GpuGroup, split: Split, layers: tuple[int, ...], replicas: int
) -> ParallelPlan:
    """Describe a tensor and pipeline split."""
    tp, pp = split
    kind = PlanKind.SINGLE
    if tp > 1 and pp > 1:
        kind = PlanKind.TENSOR_PIPELINE
    elif tp > 1:
        kind = PlanKind.TENSOR
    elif pp > 1:
        kind = PlanKind.PIPELINE
    return ParallelPlan(kind, tp, pp, replicas, group.ranks, layers)


def split_plan(
    group: GpuGroup,
    layers: tuple[int, ...],
    replicas: int,
    *,
    cpu_layers: int,
    cpu_expert_layers: int,
    tensor: int = 1,
) -> ParallelPlan:
    """Describe a layer split, or layers cut over all GPUs by a runtime of that kind."""
    if tensor > 1:
        layers = (layers[0],)
        return ParallelPlan(PlanKind.TENSOR, tensor, 1, replicas, group.ranks, layers)
    kind = PlanKind.SINGLE if len(group.ranks) == 1 else PlanKind.LAYER_SPLIT
    if group.nodes > 1:
        kind = PlanKind.REMOTE_LAYER_SPLIT
    if cpu_layers or cpu_expert_layers:
        kind = PlanKind.OFFLOAD
    return ParallelPlan(kind, 1, 1, replicas, group.ranks, layers, cpu_layers, cpu_expert_layers)

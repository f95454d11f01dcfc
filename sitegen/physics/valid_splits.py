"""Which splits of a replica are valid on a set of GPUs, and which rule refuses the others."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.models import Capabilities, Runtime
from sitegen.physics.gpu_groups import DeviceSet
from sitegen.physics.plan import DEFAULTS, ParallelPlan, PlanKind, Reason, RefusedPlan, Settings
from sitegen.physics.reduced_checkpoint import Coefficients
from sitegen.physics.tensor_cut import CutConflict, tensor_conflict

Split = tuple[int, int]
"""Tensor parallel size, pipeline parallel size."""

SHOWN_SIZES = (2, 3, 4, 5, 6, 7, 8, 16, 32)
"""Tensor parallel sizes that readers ask about."""


def refusal(
    coefficients: Coefficients,
    runtime: Runtime,
    devices: DeviceSet,
    split: Split,
    settings: Settings = DEFAULTS,
) -> Reason | None:
    """Name the rule that refuses a split of ``tp * pp`` GPUs, or None when it is valid.

    Source:
        engine rules of vLLM 0.33 (``config/model.py``, ``layers/linear.py``).
    """
    tp, pp = split
    can = runtime.capabilities
    shape, whole = coefficients.shape, settings.expert_parallel
    conflict = tensor_conflict(shape, tp, expert_parallel=whole)
    if can.any_tensor_width:
        conflict = None
    elif can.uneven_tensor_parallel:
        conflict = _uneven_conflict(coefficients, tp)
    if conflict is not None:
        return tensor_reason(conflict)
    beyond = _beyond_tensors(coefficients, runtime, tp, settings)
    if beyond is not None:
        return beyond
    if tp > 1 and not (can.tensor_parallel and _cuts(coefficients, can, devices)):
        code = "TP_NOT_HERE" if can.tensor_parallel else "TP_UNSUPPORTED"
        return Reason(code, {"runtime": runtime.id})
    if pp > 1 and not (can.pipeline_parallel or can.layer_split):
        return Reason("PP_UNSUPPORTED", {"runtime": runtime.id})
    if pp > coefficients.architecture.layers:
        return Reason("PP_TOO_FEW_LAYERS", {"layers": coefficients.architecture.layers, "pp": pp})
    return _placement_refusal(can, runtime, devices, tp)


def _cuts(coefficients: Coefficients, can: Capabilities, devices: DeviceSet) -> bool:
    """Whether the runtime knows how to cut this family, and cuts on GPUs of these makers."""
    family = coefficients.architecture.family
    makers = {device.gpu.vendor for device in devices.devices}
    return (not can.tensor_families or family in can.tensor_families) and (
        not can.tensor_vendors or makers <= set(can.tensor_vendors)
    )


def _beyond_tensors(
    coefficients: Coefficients, runtime: Runtime, tp: int, settings: Settings
) -> Reason | None:
    """Name what experts, data, context or speculation in parallel cannot do here.

    Source:
        vLLM 0.33, ``config/parallel.py``, ``config/model.py``: ranks share the tokens of a cache
        only where tensor parallelism repeats it, which latent attention always does.
    """
    shape, can = coefficients.shape, runtime.capabilities
    if settings.expert_parallel and not (can.expert_parallel and shape.experts > 0):
        return Reason("EP_UNSUPPORTED", {"runtime": runtime.id})
    if settings.attention_copies > 1 and not (can.data_parallel and shape.experts > 0):
        return Reason("DP_UNSUPPORTED", {"runtime": runtime.id})
    if settings.prediction_layers and shape.prediction.layers == 0:
        return Reason("NO_PREDICTION_LAYERS", {})
    dcp = settings.decode_context_parallel_size or 1
    repeated = tp // max(1, shape.kv_heads)
    if dcp > 1 and (tp % dcp or dcp > repeated):
        return Reason("DCP_SIZE", {"dcp": dcp, "tp": tp, "repeated": repeated})
    return None


def _uneven_conflict(coefficients: Coefficients, tp: int) -> CutConflict | None:
    """Refuse only more ranks than KV heads: shares of a layer may differ.

    Source:
        ExLlamaV3 ``model_tp_alloc.py``: channels are dealt out by free memory.
    """
    heads = coefficients.shape.kv_heads
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
    can: Capabilities, runtime: Runtime, devices: DeviceSet, tp: int
) -> Reason | None:
    if devices.nodes > 1 and not can.multi_node:
        return Reason("MULTI_NODE_UNSUPPORTED", {"runtime": runtime.id})
    crosses = devices.nodes > 1 and devices.per_node % tp != 0
    fast = devices.network is not None and devices.network.rdma
    if crosses and not (fast and can.tensor_across_nodes):
        link = devices.network.id if devices.network else ""
        return Reason("TP_ACROSS_NODES", {"link": link})
    return None


def splits(
    coefficients: Coefficients, runtime: Runtime, devices: DeviceSet, settings: Settings = DEFAULTS
) -> tuple[Split, ...]:
    """List the valid splits of a whole set worth evaluating: the widest tensor parallel first."""
    size, rest = divmod(len(devices.ranks), settings.attention_copies)
    if rest:
        return ()
    valid = [
        (tp, size // tp)
        for tp in range(size, 0, -1)
        if size % tp == 0
        and refusal(coefficients, runtime, devices, (tp, size // tp), settings) is None
    ]
    inside = [split for split in valid if split[0] <= devices.per_node]
    across = [split for split in valid if split[0] > devices.per_node]
    return (*across[:1], *inside[:1])


def refused(
    coefficients: Coefficients, runtime: Runtime, devices: DeviceSet, copies: int
) -> tuple[RefusedPlan, ...]:
    """List the tensor parallel sizes up to the set's GPUs that a rule refuses."""
    return tuple(_refused(coefficients, runtime, devices, copies))


def _refused(
    coefficients: Coefficients, runtime: Runtime, devices: DeviceSet, copies: int
) -> Iterator[RefusedPlan]:
    for tp in SHOWN_SIZES:
        if tp <= len(devices.ranks):
            reason = refusal(coefficients, runtime, devices, (tp, 1))
            if reason is not None:
                yield RefusedPlan(tp, 1, copies, reason)


def paged_plan(
    devices: DeviceSet, split: Split, layers: tuple[int, ...], copies: int
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
    return ParallelPlan(kind, tp, pp, copies, devices.ranks, layers)


def split_plan(
    devices: DeviceSet,
    layers: tuple[int, ...],
    copies: int,
    *,
    cpu_layers: int,
    cpu_expert_layers: int,
    tensor: int = 1,
) -> ParallelPlan:
    """Describe a layer split, or layers cut over all GPUs by a runtime of that kind."""
    if tensor > 1:
        layers = (layers[0],)
        return ParallelPlan(PlanKind.TENSOR, tensor, 1, copies, devices.ranks, layers)
    kind = PlanKind.SINGLE if len(devices.ranks) == 1 else PlanKind.LAYER_SPLIT
    if devices.nodes > 1:
        kind = PlanKind.REMOTE_LAYER_SPLIT
    if cpu_layers or cpu_expert_layers:
        kind = PlanKind.OFFLOAD
    return ParallelPlan(kind, 1, 1, copies, devices.ranks, layers, cpu_layers, cpu_expert_layers)

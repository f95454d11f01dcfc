"""One checkpoint on one set of GPUs under one split: judged, without a combo's name."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.catalog.domain.provenance import Interval
from sitegen.engine.assessment import FitTier, Reason, Settings, Speed, Workload
from sitegen.engine.coefficients import Coefficients
from sitegen.engine.devices import Assumptions, DeviceSet
from sitegen.engine.layer_split import LayerSplitEngine, SplitReplica
from sitegen.engine.paged import PagedEngine, PagedReplica
from sitegen.engine.plans import Split
from sitegen.engine.speed import Path, Stage, prefill_s, speed_of
from sitegen.engine.verdict import Evidenced, Thresholds, judge


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A candidate plan with its verdict; ``speed`` is that of one replica, one stream."""

    coefficients: Coefficients
    devices: DeviceSet
    split: Split
    replica: PagedReplica | SplitReplica
    path: Path
    workload: Workload
    settings: Settings
    utilization: Interval
    speed: Speed
    tier: FitTier
    reasons: tuple[Reason, ...]
    too_close: bool
    shortage_bytes: int


def evaluate_paged(
    engine: PagedEngine,
    coefficients: Coefficients,
    devices: DeviceSet,
    split: Split,
    workload: Workload,
    settings: Settings,
    assumptions: Assumptions,
) -> Evaluation:
    """Judge a tensor and pipeline split of a paged runtime."""
    tp, pp = split
    replica = engine.replica(coefficients, devices, tp, pp, workload, settings)
    counts, start = [], 0
    for layers in replica.shape.layers:
        counts.append(_counts(coefficients, start, start + layers))
        start += layers
    stages = tuple(
        Stage(counts[s], s == pp - 1, devices.devices[s * tp : (s + 1) * tp]) for s in range(pp)
    )
    crosses = tp > devices.per_node
    path = Path(
        coefficients=coefficients,
        stages=stages,
        tp=tp,
        tensor_link=devices.network if crosses else devices.link,
        hop_link=devices.network or devices.link,
        hops=pp - 1,
        memory_model="paged",
        handover_tensors=int(engine.constants["handover_tensors"][1]),
        kv_bits=16 if workload.kv_dtype == "f16" else 8,
        overlapped=True,
    )
    fixed = replica.shape.fixed[0]
    return _judged(
        replica, path, split, workload, settings, devices, assumptions, fixed["weights"][1],
        replica.budget_bytes, _paged_warnings(devices, workload, settings),
    )  # fmt: skip


def _paged_warnings(
    devices: DeviceSet, workload: Workload, settings: Settings
) -> tuple[Reason, ...]:
    warnings = list(_setting_warnings(devices, workload, settings))
    if devices.mixed:
        by_size = sorted(devices.devices, key=lambda d: d.visible_bytes)
        arguments = {"smallest": by_size[0].gpu.id, "largest": by_size[-1].gpu.id}
        warnings.append(Reason("MIXED_GPUS_TP_MIN", arguments))
    return tuple(warnings)


def _setting_warnings(
    devices: DeviceSet, workload: Workload, settings: Settings
) -> tuple[Reason, ...]:
    warnings = []
    if workload.kv_dtype != "f16":
        warnings.append(Reason("KV_QUANTIZED", {"kv_dtype": workload.kv_dtype}))
    first = devices.devices[0]
    if settings.raised_limit and first.reserved.mid > first.raised_reserved.mid:
        arguments = {
            "default_bytes": first.usable_bytes(),
            "needed_bytes": first.usable_bytes(raised=True),
        }
        warnings.append(Reason("OS_LIMIT", arguments))
    return tuple(warnings)


def evaluate_split(
    engine: LayerSplitEngine,
    coefficients: Coefficients,
    devices: DeviceSet,
    workload: Workload,
    settings: Settings,
    assumptions: Assumptions,
    *,
    offload: bool = False,
) -> Evaluation | None:
    """Judge a layer split; with ``offload`` as much as needed in RAM, None where that fails."""
    if offload:
        found = engine.offloaded(coefficients, devices, workload, settings)
        if found is None:
            return None
        replica = found
    else:
        replica = engine.replica(coefficients, devices, workload, settings)
    path = _split_path(replica, workload, int(engine.constants["handover_tensors"][1]))
    warnings = [*_setting_warnings(devices, workload, settings), *_spilled(replica, workload)]
    busiest = max(d["weights"] for d in replica.layout["devices"])
    budget = min(d.usable_bytes(raised=settings.raised_limit) for d in devices.devices)
    return _judged(
        replica, path, (1, 1), workload, settings, devices, assumptions, busiest, budget,
        tuple(warnings),
    )  # fmt: skip


def _split_path(replica: SplitReplica, workload: Workload, handover: int) -> Path:
    coefficients, devices = replica.coefficients, replica.devices
    m = coefficients.numbers
    stages = []
    for at, part in enumerate(replica.layout["devices"]):
        host = 0
        if at == 0:
            host = _host_read_bytes(replica)
        counts = tuple(part["counts"])
        if at == 0 and replica.cpu_layers:
            moved = replica.layout["host"]["counts"]
            counts = tuple(a + b for a, b in zip(counts, moved, strict=True))
        stages.append(Stage(counts, bool(part["output"]), (devices.devices[at],), host))
    nodes = [node for node, _ in devices.ranks]
    return Path(
        coefficients=coefficients,
        stages=tuple(stages),
        tp=1,
        tensor_link=None,
        hop_link=devices.network or devices.link,
        hops=len(set(nodes)) - 1 if devices.network else max(0, len(nodes) - 1),
        memory_model="layer-split",
        handover_tensors=handover,
        kv_bits={"f16": 16, "q8_0": 8, "q4_0": 4}[workload.kv_dtype] if m else 16,
        overlapped=False,
    )


def _host_read_bytes(replica: SplitReplica) -> int:
    """Bytes that one token reads from RAM: whole layers, or the chosen experts of a layer."""
    m, host = replica.coefficients.numbers, replica.layout["host"]
    chosen = m["experts_per_token"] / m["experts"] if m["experts"] else 1.0
    return int(host["weights"] + host["experts"] * chosen)


def _spilled(replica: SplitReplica, workload: Workload) -> tuple[Reason, ...]:
    held = replica.host_bytes(workload.context_tokens, workload.sequences)
    if replica.cpu_expert_layers:
        arguments = {"cpu_bytes": held, "layers": replica.cpu_expert_layers}
        return (Reason("EXPERTS_IN_RAM", arguments),)
    if replica.cpu_layers:
        return (Reason("CPU_SPILL", {"cpu_bytes": held, "cpu_layers": replica.cpu_layers}),)
    return ()


def _counts(coefficients: Coefficients, start: int, stop: int) -> tuple[int, ...]:
    m = coefficients.numbers
    counts = [0] * len(m["kinds"])
    for at in m["sequence"][start:stop]:
        counts[at] += 1
    return tuple(counts)


def _judged(
    replica: PagedReplica | SplitReplica,
    path: Path,
    split: Split,
    workload: Workload,
    settings: Settings,
    devices: DeviceSet,
    assumptions: Assumptions,
    weights_bytes: int,
    budget_bytes: int,
    warnings: tuple[Reason, ...],
) -> Evaluation:
    thresholds = Thresholds.of(assumptions)
    tokens, sequences = workload.context_tokens, workload.sequences
    utilization = replica.utilization(tokens, sequences)
    shortest = min(tokens, thresholds.reduced_context_tokens)
    reduced = replica.utilization(shortest, sequences) if utilization.low > 1 else utilization
    speed = speed_of(path, devices, assumptions, context=tokens // 2, batch=1, copies=1)
    facts = Evidenced(
        utilization=utilization,
        reduced=reduced,
        single_tokens_per_s=speed.single_tokens_per_s,
        warnings=(*warnings, *_link_warnings(path, speed, assumptions)),
        context_tokens=tokens,
        need_bytes=int(reduced.low * budget_bytes),
        weights_bytes=weights_bytes,
        budget_bytes=budget_bytes,
    )
    tier, reasons, too_close = judge(facts, thresholds)
    return Evaluation(
        coefficients=path.coefficients,
        devices=devices,
        split=split,
        replica=replica,
        path=path,
        workload=workload,
        settings=settings,
        utilization=utilization,
        speed=speed,
        tier=tier,
        reasons=reasons,
        too_close=too_close,
        shortage_bytes=max(0, int((reduced.low - 1) * budget_bytes)),
    )


def _link_warnings(path: Path, speed: Speed, assumptions: Assumptions) -> tuple[Reason, ...]:
    warnings = []
    link = path.tensor_link if path.tp > 1 else path.hop_link
    if link is None or (path.tp == 1 and path.hops == 0):
        return ()
    if speed.communication_share > assumptions["link-share-limit"].value.mid:
        share = speed.communication_share
        warnings.append(Reason("LINK_DECODE", {"share": share, "link": link.id}))
    first = prefill_s(path, assumptions)
    if first is not None:
        seconds, of_link = first
        shares = of_link > assumptions["link-share-limit"].value.mid * seconds
        noticed = of_link > assumptions["prefill-link-floor-s"].value.mid
        if (shares and noticed) or of_link > assumptions["prefill-limit-s"].value.mid:
            warnings.append(Reason("LINK_PREFILL", {"seconds": seconds, "link": link.id}))
    return tuple(warnings)

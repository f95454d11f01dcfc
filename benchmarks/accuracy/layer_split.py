"""Load logs of llama.cpp and its kin beside the layer-split memory model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.accuracy.load_log import LoadLog, Record
from benchmarks.accuracy.results import Comparison, Result, Skipped, Unmapped, Verdicts
from benchmarks.accuracy.world import World, combo_of
from sitegen.engine.assess import assess
from sitegen.engine.assessment import Settings, Workload
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.request import FitRequest
from sitegen.units import MIB

ON_HOST = re.compile(r"host|^CPU", re.IGNORECASE)
MAIN_GPU = "main GPU (VRAM scratch buffer)"
"""How builds of 2023 log the one scratch buffer, the same for any number of GPUs."""
ON_LLAMA_CPP = {
    "llama.cpp", "ik_llama.cpp", "koboldcpp", "LM", "llama-box", "llama-cpp-python",
}  # fmt: skip
"""Runtimes whose memory is llama.cpp's ("LM" is LM Studio)."""
SLOPE = (131_072, 262_144)
"""Contexts between which the growth of a buffer is taken."""
WHOLE = 0.02
"""Share by which the buffers of one load may differ from the file: metadata, a tied head."""


def compare(engine: FitEngine, world: World, record: Record) -> Iterator[Result]:
    """Yield a comparison or a reason for every quantity that the record has."""
    log = LoadLog(engine, world, record)
    name = str(record["id"])
    for quantity, usable in USABLE.items():
        if usable not in record["usable"]:
            continue
        try:
            yield from QUESTIONS[quantity](log, quantity)
        except Unmapped as reason:
            yield Skipped(name, log.kin, quantity, str(reason))


def _split_buffers(buffers: Sequence[Mapping[str, Any]]) -> tuple[list[float], list[float]]:
    """Sizes in MiB on GPUs and on the host, in the log's order."""
    on_gpu = [float(b["mib"]) for b in buffers if not ON_HOST.search(b["device"])]
    on_host = [float(b["mib"]) for b in buffers if ON_HOST.search(b["device"])]
    return on_gpu, on_host


def _all_on_gpus(record: Record) -> bool:
    """Whether the log shows, or does not deny, that every layer is on a GPU."""
    return record["layers_offloaded"] == record["layers_total"] and not record["tensor_override"]


def _weights(log: LoadLog, quantity: str) -> Iterator[Comparison]:
    """The model buffers: those of the GPUs where all layers are there, else all of them."""
    record = log.record
    on_gpu, on_host = _split_buffers(record["model_buffer_mib"])
    if not on_gpu and not on_host:
        raise Unmapped("no model buffers listed")
    replica = log.layout(log.checkpoint, 1)
    numbers = replica.coefficients.numbers
    placed = sum(device["weights"] for device in replica.layout["devices"])
    if _all_on_gpus(record) and sum(on_host) <= 1.1 * numbers["embedding"] / MIB:
        yield log.compared(quantity, sum(on_gpu), placed / MIB)
        return
    if record["file_size_gib"] is None or record["buffers_over_file"] is None:
        raise Unmapped("layers on GPU and host, and no file size to tell whether all are listed")
    if abs(record["buffers_over_file"] - 1) > WHOLE:
        raise Unmapped("listed buffers are not one copy of the file")
    total = placed + (0 if numbers["tied"] else numbers["embedding"])
    yield log.compared(quantity, sum(on_gpu) + sum(on_host), total / MIB)


def _cache(log: LoadLog, quantity: str) -> Iterator[Comparison]:
    """The cache over all devices, with recurrent state where the log adds it in."""
    record = log.record
    buffers = [float(b["mib"]) for b in record["kv_buffer_mib"]]
    if record["n_ctx"] is None:
        raise Unmapped("context not stated")
    any_file = log.file_of_any_type
    parts = log.parts(any_file, 1, 0)
    if buffers:
        yield log.compared(quantity, sum(buffers), (parts["kv"] + parts["state"]) / MIB)
    elif record["kv_total_mib"] is not None:
        yield log.compared(quantity, float(record["kv_total_mib"]), parts["kv"] / MIB)
    else:
        raise Unmapped("no KV buffers listed")


def _compute(log: LoadLog, quantity: str) -> Iterator[Comparison]:
    """The compute buffer of each GPU."""
    record = log.record
    on_gpu, _ = _split_buffers(record["compute_buffer_mib"])
    if record["compute_slope_b_per_ctx_tok_per_ubatch"] is not None:
        yield _slope(log, quantity)
        return
    if not on_gpu:
        raise Unmapped("no compute buffer of a GPU listed")
    devices = len(on_gpu)
    alone = [b["device"] for b in record["compute_buffer_mib"]] == [MAIN_GPU]
    if devices > 1 and record["split_mode"] not in {None, "layer"}:
        raise Unmapped("tensors split by rows: no pipeline of layers")
    if devices == 1 and (record["gpus_total"] or 1) > 1 and not (alone or _one_computes(record)):
        raise Unmapped("one of several GPUs listed")
    if any("draft" in str(b.get("kind", "")) for b in record["compute_buffer_mib"]):
        raise Unmapped("with the buffers of a draft model")
    numbers = log.layout(log.file_of_any_type, 1).coefficients.numbers
    if log.kin == "ik_llama.cpp" and any(numbers["low_rank"]):
        raise Unmapped("ik_llama.cpp computes latent attention in modes of its own")
    _, weights_on_host = _split_buffers(record["model_buffer_mib"])
    elsewhere = sum(weights_on_host) > 1.1 * numbers["embedding"] / MIB
    by_hand = bool(record["tensor_override"]) and numbers["experts"] > 0
    if not by_hand and (not _all_on_gpus(record) or elsewhere):
        raise Unmapped("part of the model on the host: its share of the graph is unknown")
    file = log.file_of_any_type
    if by_hand and log.kin != "ik_llama.cpp":
        file = log.nearest_file
    for index, measured in enumerate(on_gpu):
        parts = log.parts(file, devices, index, experts_on_host=by_hand)
        share = log.profile.constants["offload_copy_share"].value
        copied = 0 if log.kin == "ik_llama.cpp" else parts["borrowed"] / MIB
        error = log.profile.constants["compute_error_factor"].value
        low, mid, high = (
            max(factor * parts["compute"] / MIB, factor * parts["beside"] / MIB + part * copied)
            for factor, part in ((error.low, share.low), (1, share.mid), (error.high, share.high))
        )
        yield log.compared(quantity, measured, mid, low, high)


def _one_computes(record: Record) -> bool:
    """Whether one of several GPUs holds cache and graph: rows of tensors, or a model on one."""
    gpus = {b["device"] for b in record["model_buffer_mib"] if not ON_HOST.search(b["device"])}
    return record["split_mode"] in {"row", "none"} or len(gpus) == 1


def _slope(log: LoadLog, quantity: str) -> Comparison:
    """The buffer's growth, in bytes per token of context and of the micro-batch."""
    devices = int(log.record["gpus_total"] or 1)
    replica = log.layout(log.file_of_any_type, devices)
    near, far = (log.parts_of(replica, 0, tokens) for tokens in SLOPE)
    grown = (far["compute"] - near["compute"]) / (SLOPE[1] - SLOPE[0]) / log.micro_batch
    measured = float(log.record["compute_slope_b_per_ctx_tok_per_ubatch"])
    return log.compared(quantity, measured, grown)


def _verdict(log: LoadLog, _quantity: str) -> Iterator[Verdicts]:
    record = log.record
    outcome = str(record["outcome"])
    if log.kin == "ollama":
        raise Unmapped("its scheduler's estimates and refusals, not allocations")
    if "allocation-limit" in str(record["notes"]):
        raise Unmapped("a driver's limit of one allocation, says the record")
    if log.kin.split(" ")[0] not in ON_LLAMA_CPP:
        raise Unmapped("runtime without a memory profile")
    if record["tensor_override"] or outcome == "partial_offload":
        raise Unmapped("tensors placed by hand")
    if record["n_ctx"] is None and outcome != "oom":
        raise Unmapped("context not stated")
    words = ("f16", "q8_0", "q4_0")
    kv_dtype = str(record["kv_type_k"] or "f16")
    if kv_dtype not in words or str(record["kv_type_v"] or kv_dtype) != kv_dtype:
        raise Unmapped("no formula for this KV dtype")
    each = max(1, log.context_or_any // log.sequences)
    workload = Workload(each, log.sequences, kv_dtype)
    request = FitRequest(
        model=replace(log.model, context_tokens=max(each, log.model.context_tokens)),
        checkpoint=log.checkpoint,
        combo=combo_of(log.gpus, _nodes(record), log.world.catalog),
        runtime=log.runtime,
        profile=log.profile,
        workload=workload,
        settings=Settings(micro_batch_tokens=record["n_ubatch"]),
    )
    found = assess(log.engine, request)
    reasons = tuple(reason.code for reason in found.reasons)
    yield Verdicts(str(record["id"]), log.kin, outcome, str(found.tier), reasons)


def _nodes(record: Record) -> int:
    stated = int(record["nodes"] or 1)
    return stated if len(record["gpus"]) % stated == 0 else 1


USABLE = {
    "model buffers": "weights",
    "KV buffers": "kv",
    "compute buffers": "compute",
    "verdict": "verdict",
}
QUESTIONS: Mapping[str, Callable[[LoadLog, str], Iterator[Result]]] = {
    "model buffers": _weights,
    "KV buffers": _cache,
    "compute buffers": _compute,
    "verdict": _verdict,
}

"""Start-up logs of serving engines beside the paged memory model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from benchmarks.accuracy.results import Comparison, Result, Skipped, Unmapped, Verdicts
from benchmarks.accuracy.serving_log import Record, ServingLog, dotted
from benchmarks.accuracy.world import World
from sitegen.catalog.domain.provenance import Interval
from sitegen.engine import kernel
from sitegen.engine.assess import assess
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.paged_replica import PagedReplica
from sitegen.engine.request import FitRequest
from sitegen.units import GIB

LATEST_GROUPED_COUNT = "0.21"
"""First version whose log divides hybrids' tokens by the request's need, not by the groups."""


def compare(engine: FitEngine, world: World, record: Record) -> Iterator[Result]:
    """Yield a comparison or a reason for every quantity that the record has."""
    log = ServingLog(engine, world, record)
    name, runtime = str(record["id"]), str(record["runtime"])
    for quantity, question in QUESTIONS.items():
        if not log.has(quantity):
            continue
        try:
            yield question(log, quantity)
        except Unmapped as reason:
            yield Skipped(name, runtime, quantity, str(reason))


def _line(replica: PagedReplica, *lines: str) -> Interval:
    fixed = replica.shape.fixed[0]
    low, mid, high = (sum(fixed[line][b] for line in lines) / GIB for b in range(3))
    return Interval(low, mid, high)


def _weights(log: ServingLog, quantity: str) -> Comparison:
    log.require_plain_split()
    replica = log.replica(any_gpu=True)
    predicted = _line(replica, "weights")
    return log.compared(quantity, log.record["weights_gib_per_gpu"], predicted)


def _token_bytes(log: ServingLog, quantity: str) -> Comparison:
    record = log.record
    replica = log.replica(any_gpu=True, any_checkpoint=True)
    predicted = float(kernel.bytes_per_token(replica.shape.geometry[0]))
    return log.compared(quantity, _logged_token_bytes(record), _exact(predicted))


def _logged_token_bytes(record: Record) -> float:
    """Pool over tokens, or what the refusal says one full request needs."""
    need = re.search(r"need_gib_for_max_model_len=([\d.]+)", record["notes"] or "")
    if need and record["max_model_len"]:
        return float(need.group(1)) * GIB / int(record["max_model_len"])
    tokens = record["kv_cache_tokens"]
    if tokens is None and record["gpu_blocks"] and record["block_size"]:
        tokens = record["gpu_blocks"] * record["block_size"]
    if not tokens or record["kv_available_gib_per_gpu"] is None:
        raise Unmapped("no tokens beside the pool")
    return float(record["kv_available_gib_per_gpu"]) * GIB / float(tokens)


def _pool_tokens(log: ServingLog, quantity: str) -> Comparison:
    record = log.record
    replica = log.replica(any_gpu=True, any_checkpoint=True)
    geometry = replica.shape.geometry[0]
    late = not log.is_vllm or not log.version or dotted(log.version) >= dotted(LATEST_GROUPED_COUNT)
    if not geometry["uniform"] and late:
        raise Unmapped("hybrid: the token count depends on the version")
    if record["kv_available_gib_per_gpu"] is None:
        raise Unmapped("tokens without the pool they fill")
    pool = int(record["kv_available_gib_per_gpu"] * GIB)
    tokens = kernel.pool_tokens(geometry, pool)
    return log.compared(quantity, record["kv_cache_tokens"], _exact(tokens))


def _pool(log: ServingLog, quantity: str) -> Comparison:
    log.require_own_figures()
    log.require_plain_split()
    measured = log.record["kv_available_gib_per_gpu"]
    if measured <= 0:
        raise Unmapped("no pool was left")
    replica = log.replica()
    high, mid, low = (
        min(replica.pool_bytes(stage, b) for stage in range(replica.pp)) / GIB for b in range(3)
    )
    return log.compared(quantity, measured, Interval(low, mid, high))


def _activation(log: ServingLog, quantity: str) -> Comparison:
    log.require_own_figures()
    predicted = _line(log.replica(any_checkpoint=True), "compute")
    return log.compared(quantity, log.record["activation_peak_gib"], predicted)


def _non_torch(log: ServingLog, quantity: str) -> Comparison:
    log.require_own_figures()
    predicted = _line(log.replica(any_checkpoint=True), "context", "communication")
    measured = log.record["non_torch_gib"]
    if measured <= 0:
        raise Unmapped("a negative figure")
    return log.compared(quantity, measured, predicted)


def _graphs(log: ServingLog, quantity: str) -> Comparison:
    log.require_own_figures()
    predicted = _line(log.replica(any_checkpoint=True), "graphs")
    return log.compared(quantity, log.record["cudagraph_gib"], predicted)


def _verdict(log: ServingLog, _quantity: str) -> Verdicts:
    record = log.record
    if not log.is_vllm:
        raise Unmapped("runtime without a memory profile")
    log.require_plain_split()
    tp, pp = log.split
    longest = max(log.model.context_tokens, log.workload.context_tokens)
    request = FitRequest(
        model=replace(log.model, context_tokens=longest),
        checkpoint=log.checkpoint,
        combo=log.combo,
        runtime=log.runtime,
        profile=log.profile,
        workload=log.workload,
        settings=log.settings,
        tensor_parallel_size=tp,
        pipeline_parallel_size=pp,
    )
    found = assess(log.engine, request)
    reasons = tuple(reason.code for reason in found.reasons)
    return Verdicts(str(record["id"]), "vllm", str(record["outcome"]), str(found.tier), reasons)


def _exact(value: float) -> Interval:
    return Interval(value, value, value)


QUESTIONS: Mapping[str, Callable[[ServingLog, str], Result]] = {
    "weights per GPU": _weights,
    "KV bytes per token": _token_bytes,
    "KV tokens of the logged pool": _pool_tokens,
    "KV pool": _pool,
    "activation peak": _activation,
    "non-torch": _non_torch,
    "CUDA graphs": _graphs,
    "verdict": _verdict,
}

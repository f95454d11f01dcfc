"""Prefill and decode on GPUs of their own: two pools, two ledgers, and a cache that travels.

NVIDIA Dynamo, vLLM's and SGLang's disaggregation all work so: a prefill worker computes the cache
of a prompt, which a decode worker receives and continues. Each pool holds the whole model.
"""

from __future__ import annotations

from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo, Interconnect
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assess import assess, refused_assessment, subject_of
from sitegen.fit.assessment import Assessment, FitRequest
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import RANK
from sitegen.physics.cache_types import stored_as
from sitegen.physics.memory.paged import PagedEngine
from sitegen.physics.plan import Reason
from sitegen.physics.sequence_cache import SINGLE_TOKENS, sequence_bytes
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Disaggregated:
    """A prefill pool and a decode pool of one combo.

    ``transfer_bytes`` is the cache of one prompt, over all ranks; ``transfer_s`` what the link
    between the pools adds to the time to the first token, ``None`` where its speed is unknown.
    """

    prefill: Assessment
    decode: Assessment
    link: Interconnect | None
    transfer_bytes: int
    transfer_s: Interval | None

    @property
    def weaker(self) -> Assessment:
        """The pool that decides the verdict."""
        return max((self.prefill, self.decode), key=lambda pool: RANK[pool.tier])


def disaggregated(
    engine: FitEngine, request: FitRequest, *, prefill_gpus: int, decode_gpus: int
) -> Disaggregated:
    """Judge the first GPUs of a combo as prefill pool and the following ones as decode pool.

    The prefill pool works on one prompt at a time; the decode pool holds the sequences asked for.

    Source:
        NVIDIA Dynamo 1.3.0 documentation, disaggregated serving: each worker loads the model, and
        the cache of a prompt moves from a prefill to a decode worker.
    """
    available = len(request.combo.gpus)
    needed = prefill_gpus + decode_gpus
    if needed > available:
        reason = Reason("WORLD", {"needed": needed, "available": available})
        none = refused_assessment(engine, request, reason, ())
        return Disaggregated(none, none, None, 0, None)
    first = _carved(request.combo, 0, prefill_gpus, "prefill")
    second = _carved(request.combo, prefill_gpus, needed, "decode")
    one_prompt = replace(request.workload, sequences=1)
    size = prompt_bytes(engine, request)
    link = _between(request.combo, first, second)
    return Disaggregated(
        prefill=assess(engine, replace(request, combo=first, workload=one_prompt)),
        decode=assess(engine, replace(request, combo=second)),
        link=link,
        transfer_bytes=size,
        transfer_s=transfer_s(size, link),
    )


def prompt_bytes(engine: FitEngine, request: FitRequest) -> int:
    """Cache of one prompt of the workload's length, each layer once; 0 for a layer split."""
    prepared = engine.prepare(subject_of(request))
    if not isinstance(prepared.memory, PagedEngine):
        return 0
    shape, blocks = prepared.reduced.shape, prepared.memory.constants.blocks
    # Blocks are not sent whole: what travels is the tokens, without the padding of groups.
    return sequence_bytes(
        shape,
        request.workload.context_tokens,
        stored=stored_as(shape, request.workload.kv_dtype),
        rules=replace(SINGLE_TOKENS, state_bits=blocks.state_bits, state_slots=blocks.state_slots),
    )


def transfer_s(size: int, link: Interconnect | None) -> Interval | None:
    """Seconds that a cache of ``size`` bytes takes over a link: latency and bytes over bandwidth.

    >>> transfer_s(10**9, None) is None
    True
    """
    if link is None or link.bus_bandwidth_bytes_per_s is None:
        return None
    latency = link.latency_s or Interval.exact(0)
    return latency.plus(Interval.exact(size).over(link.bus_bandwidth_bytes_per_s))


def _carved(combo: Combo, start: int, stop: int, name: str) -> Combo:
    """Keep some GPUs of a combo, counted over its nodes in order."""
    nodes, at = [], 0
    for node in combo.nodes:
        kept = node.gpus[max(0, start - at) : max(0, stop - at)]
        at += len(node.gpus)
        if kept:
            nodes.append(replace(node, gpus=kept, link=node.link if len(kept) > 1 else None))
    return replace(combo, id=f"{combo.id}:{name}-{start}-{stop}", nodes=tuple(nodes))


def _between(combo: Combo, first: Combo, second: Combo) -> Interconnect | None:
    """Return the link from pool to pool: inside a node that holds both, else the network."""
    together = len(first.nodes) == len(second.nodes) == len(combo.nodes) == 1
    return combo.nodes[0].link if together else combo.network

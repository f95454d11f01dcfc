"""Startup logs of serving engines beside the paged memory model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sitegen.catalog.domain.measurements import LoggedQuantity
from sitegen.catalog.domain.models import RuntimeProfile
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import FitRequest
from sitegen.physics.cache_types import SPELLINGS, element_bits
from sitegen.physics.memory.paged import PagedEngine, as_typed, scheduler_defaults
from sitegen.physics.memory.paged_replica import PagedReplica
from sitegen.physics.memory.profile_constants import dotted
from sitegen.physics.plan import Settings, Workload
from sitegen.published import rules_of_thumb
from sitegen.published.accuracy.older_engines import (
    ENCODER_DECODER,
    encodes_for_all,
    encoding_images,
)
from sitegen.published.accuracy.subjects import LoggedRun, assessed
from sitegen.published.accuracy.values import Comparison, JudgedQuantity, Unmapped
from sitegen.units import GIB

COMMON_FRACTION = 0.9
"""The common rule's share of a GPU for a runtime whose share depends on the GPU (SGLang)."""
COUNTED_BY_REQUEST = (0, 21)
"""First vLLM whose log counts a hybrid's tokens as concurrency × length."""
LINES: Mapping[LoggedQuantity, tuple[str, ...]] = {
    LoggedQuantity.WEIGHTS: ("weights",),
    LoggedQuantity.ACTIVATION: ("compute",),
    LoggedQuantity.NON_TORCH: ("context", "communication"),
    LoggedQuantity.GRAPHS: ("graphs",),
}
"""Ledger lines that make up a quantity."""
UNPACKED_BITS = 8
"""Of a cache that sparse attention unpacks: room for that is logged as weights.

It is reserved while they load.

Source:
    vLLM 0.28, ``v1/attention/backends/mla/flashmla_sparse.py``, ``FlashMLASparseImpl.__init__``.
"""
RANK_SPREAD = 0.02
"""Share by which pools of one replica's ranks may differ.

All hold the tokens of the smallest pool, and the line with the pool's size may be any rank's.
Assumed: logs of several ranks show up to 1.9 % fewer tokens than their pool line holds.
"""
LAST_DIGIT_GIB = 0.005
"""Half of the last digit of logs that print GiB with two decimals."""


def question_of(quantity: LoggedQuantity) -> Callable[[LoggedRun], Comparison | JudgedQuantity]:
    """Return who compares a quantity."""
    return _QUESTIONS[quantity]


def _kv(run: LoggedRun) -> str:
    word = run.run.workload.keys or "auto"
    found = SPELLINGS.get(word, "")
    kept = run.runnable(run.any_checkpoint).supports_cache_type(found)
    if not kept or run.run.workload.values not in {word, ""}:
        raise Unmapped(f"no formula for a cache in {word}", says_enough=True)
    return found


def _workload(run: LoggedRun) -> Workload:
    length = run.run.workload.context_tokens or run.model.context_tokens
    return Workload(length, 1, _kv(run))


def _settings(run: LoggedRun) -> Settings:
    chosen = run.run.settings
    settings = Settings(
        memory_fraction=chosen.memory_fraction,
        max_num_seqs=chosen.max_num_seqs,
        max_num_batched_tokens=chosen.max_num_batched_tokens,
        enforce_eager=chosen.eager,
        expert_parallel=run.run.split.expert,
        data_parallel_size=_attention_copies(run) if _attention_copies(run) > 1 else None,
    )
    return as_typed(run.profile, settings)


def _attention_copies(run: LoggedRun) -> int:
    """Copies of the attention in one replica; of a dense model every copy is a replica."""
    experts = run.runnable(run.any_checkpoint).reduced.architecture.experts
    return (run.run.split.data or 1) if experts else 1


def _split(run: LoggedRun) -> tuple[int, int]:
    split = run.run.split
    if split.tensor is None:
        raise Unmapped("tensor parallel size not stated")
    return split.tensor, split.pipeline or 1


def replica_of(
    run: LoggedRun,
    *,
    any_gpu: bool = False,
    any_checkpoint: bool = False,
    memory: PagedEngine | None = None,
) -> PagedReplica:
    """Lay a run's checkpoint out; with ``memory`` under another profile than its own.

    Args:
        run: The run.
        any_gpu: No GPU changes what is asked.
        any_checkpoint: No quantization changes what is asked.
        memory: The memory model in place of the version's.

    Raises:
        Unmapped: If the run says too little.
    """
    tp, pp = _split(run)
    prepared = run.runnable(run.any_checkpoint if any_checkpoint else run.checkpoint)
    if not isinstance(prepared.memory, PagedEngine):
        raise Unmapped("no memory profile of this kind", says_enough=True)
    group = run.group(tp * pp * _attention_copies(run), any_gpu=any_gpu)
    return (memory or prepared.memory).replica(
        prepared.reduced, group, (tp, pp), _workload(run), _settings(run)
    )


def _require_own_figures(run: LoggedRun) -> None:
    """Ensure that version and GPU are known, which change what is compared."""
    run.require_own_profile()
    _ = run.system


def line_of(replica: PagedReplica, *lines: str) -> Interval:
    """Sum lines of the first stage's ledger, in GiB."""
    fixed = replica.shape.fixed[0]
    low, mid, high = (sum(fixed.of_line(line)[b] for line in lines) / GIB for b in range(3))
    return Interval(low, mid, high)


def _spread(replica: PagedReplica) -> float:
    """Share of a logged pool that may be out of use, because another rank has less room."""
    return RANK_SPREAD if replica.tp * replica.pp > 1 else 0.0


def _needed(value: float | None, what: str) -> float:
    if value is None:
        raise Unmapped(f"{what} not logged")
    return value


def _naive_weights(run: LoggedRun) -> float:
    """Weights of a rank by the common rule, GiB."""
    tp, pp = _split(run)
    recipe = run.checkpoint.quantization
    return rules_of_thumb.weight_bytes(run.reduced.parameters, recipe, tp * pp) / GIB


def _naive_token(run: LoggedRun, replica: PagedReplica) -> float:
    """Cache per token and GPU by the common rule, bytes."""
    design = replica.reduced.architecture
    each = element_bits(replica.reduced.shape.element_bits, _kv(run)) / 8
    by_heads = rules_of_thumb.cache_bytes_per_token(
        design.layers, design.hidden_size, element_bytes=each
    )
    return by_heads / (replica.tp * replica.pp)


def _weights(run: LoggedRun) -> Comparison:
    replica = replica_of(run, any_gpu=True)
    predicted = line_of(replica, *LINES[LoggedQuantity.WEIGHTS])
    if element_bits(run.reduced.shape.element_bits, _kv(run)) == UNPACKED_BITS:
        room = replica.workspace_bytes(replica.context_tokens) / GIB
        predicted = predicted.plus(Interval.exact(room))
    measured = _needed(run.run.observed.weights_gib, "weights")
    return run.compared(
        LoggedQuantity.WEIGHTS,
        measured,
        predicted,
        naive=_naive_weights(run),
        rounding=LAST_DIGIT_GIB,
    )


def _token_bytes(run: LoggedRun) -> Comparison:
    replica = replica_of(run, any_gpu=True, any_checkpoint=True)
    predicted = float(replica.shape.blocks[0].token_bytes())
    measured, share = _logged_token_bytes(run, _block(replica))
    return run.compared(
        LoggedQuantity.KV_BYTES,
        measured,
        Interval(predicted, predicted, predicted / (1 - _spread(replica))),
        naive=_naive_token(run, replica),
        rounding=share * measured,
    )


def _half_digit_gib(run: LoggedRun) -> float:
    """By how much rounding may move a pool's size: two sizes are rounded, or one."""
    return LAST_DIGIT_GIB * (2 if run.own_runtime.traits.logs_keys_and_values else 1)


def _logged_token_bytes(run: LoggedRun, block: int) -> tuple[float, float]:
    """Pool over tokens, or what a refusal says of one full request; and its rounding as a share."""
    seen, length = run.run.observed, run.run.workload.context_tokens
    half_digit = _half_digit_gib(run)
    if seen.kv_request_gib is not None and length:
        return seen.kv_request_gib * GIB / length, LAST_DIGIT_GIB / seen.kv_request_gib
    if seen.kv_pool_gib is None or not seen.kv_pool_tokens or seen.kv_pool_gib <= 0:
        raise Unmapped("the log states no token count for the pool")
    share = half_digit / seen.kv_pool_gib + block / seen.kv_pool_tokens
    return seen.kv_pool_gib * GIB / seen.kv_pool_tokens, share


def _block(replica: PagedReplica) -> int:
    """Tokens by which a pool's count jumps: a block, or one block of every group of layers."""
    rows = replica.shape.blocks[0].rows
    return max([replica.shape.block_tokens, *(row.block_tokens for row in rows)])


def _tokens_of(run: LoggedRun, replica: PagedReplica, pool: int) -> int:
    """Tokens of a pool as the version's log counts them."""
    blocks = replica.shape.blocks[0]
    by_request = blocks.counted_by_request
    if by_request and run.own_runtime.id != run.runtime.id:
        raise Unmapped(
            "the runtime counts tokens of a hybrid model in its own way", says_enough=True
        )
    version, length = run.run.subject.version, run.run.workload.context_tokens
    if not by_request or (version and dotted(version) < COUNTED_BY_REQUEST):
        return blocks.pool_tokens(pool)
    if not version:
        raise Unmapped(
            "the token count of a hybrid model depends on the version, which the log does not state"
        )
    if not length:
        raise Unmapped(
            "the token count of a hybrid model depends on the context length, which the log does "
            "not state"
        )
    own = replica_of(run, any_checkpoint=True) if run.system else replica
    return blocks.tokens_by_request(pool, length, own.shape.in_flight_tokens)


def _pool_tokens(run: LoggedRun) -> Comparison:
    seen = run.run.observed
    tokens = _needed(seen.kv_pool_tokens, "tokens of the pool")
    size = _needed(seen.kv_pool_gib, "size of the pool")
    if size <= 0:
        raise Unmapped("no pool was left")
    replica = replica_of(run, any_gpu=True, any_checkpoint=True)
    pool = int(size * GIB)
    held = _tokens_of(run, replica, pool)
    half_digit = _half_digit_gib(run)
    return run.compared(
        LoggedQuantity.KV_TOKENS,
        tokens,
        Interval((1 - _spread(replica)) * held, held, held),
        naive=pool / _naive_token(run, replica),
        rounding=tokens * half_digit / size + _block(replica),
    )


def _pools(run: LoggedRun) -> tuple[PagedReplica, Interval]:
    """Pool of the stage with the least room, in bytes, from the GPU's size alone."""
    _require_own_figures(run)
    replica = replica_of(run)
    high, mid, low = (
        min(replica.pool_bytes(stage, b) for stage in range(replica.pp)) for b in range(3)
    )
    return replica, Interval(low, mid, high)


def _naive_pool(run: LoggedRun, replica: PagedReplica) -> float:
    fraction = run.run.settings.memory_fraction
    if fraction is None:
        stated = run.profile.constants.get("memory_fraction")
        fraction = COMMON_FRACTION if stated is None else stated.value.mid
    visible = replica.group.smallest.visible_bytes
    return rules_of_thumb.pool_bytes(visible, fraction, _naive_weights(run) * GIB)


def _pool(run: LoggedRun) -> Comparison:
    measured = _needed(run.run.observed.kv_pool_gib, "the pool")
    if measured <= 0:
        raise Unmapped("no pool was left")
    replica, pool = _pools(run)
    return run.compared(
        LoggedQuantity.KV_POOL,
        measured,
        pool.per(GIB),
        naive=_naive_pool(run, replica) / GIB,
        rounding=LAST_DIGIT_GIB,
    )


def _tokens_from_size(run: LoggedRun) -> Comparison:
    measured = _needed(run.run.observed.kv_pool_tokens, "tokens of the pool")
    replica, pool = _pools(run)
    low, mid, high = (float(_tokens_of(run, replica, max(0, int(size)))) for size in pool.bounds)
    left = max(0.0, _naive_pool(run, replica))
    return run.compared(
        LoggedQuantity.POOL_TOKENS,
        measured,
        Interval(low, mid, high),
        naive=left / _naive_token(run, replica),
        rounding=replica.shape.block_tokens,
    )


def _of_profile(run: LoggedRun, quantity: LoggedQuantity, measured: float) -> Comparison:
    _require_own_figures(run)
    replica = replica_of(run, any_checkpoint=True)
    try:
        common: float | None = rules_of_thumb.peak_bytes(_naive_weights(run))
    except Unmapped:
        common = None
    return run.compared(
        quantity,
        measured,
        line_of(replica, *LINES[quantity]),
        naive=common if quantity is LoggedQuantity.ACTIVATION else None,
        rounding=LAST_DIGIT_GIB,
    )


def _activation(run: LoggedRun) -> Comparison:
    measured = _needed(run.run.observed.activation_gib, "activations")
    return _of_profile(run, LoggedQuantity.ACTIVATION, measured)


def _non_torch(run: LoggedRun) -> Comparison:
    measured = _needed(run.run.observed.non_torch_gib, "memory outside the allocator")
    if measured <= 0:
        raise Unmapped("a negative figure")
    return _of_profile(run, LoggedQuantity.NON_TORCH, measured)


def _graphs(run: LoggedRun) -> Comparison:
    measured = _needed(run.run.observed.graphs_gib, "graphs")
    if run.run.settings.eager:
        raise Unmapped("started without graphs")
    return _of_profile(run, LoggedQuantity.GRAPHS, measured)


def _verdict(run: LoggedRun) -> JudgedQuantity:
    run.require_covered_version()
    tp, pp = _split(run)
    workload = _workload(run)
    longest = max(run.model.context_tokens, workload.context_tokens)
    request = FitRequest(
        model=replace(run.model, context_tokens=longest),
        checkpoint=run.checkpoint,
        combo=run.system,
        runtime=run.runtime,
        profile=_then(run),
        workload=workload,
        settings=_settings(run),
        tensor_parallel_size=tp,
        pipeline_parallel_size=pp,
    )
    assessment = assessed(run, request)
    installed = sum(gpu.installed_bytes for gpu in run.system.gpus)
    return JudgedQuantity(
        origin=run.origin,
        outcome=run.run.outcome,
        tier=str(assessment.tier),
        reasons=tuple(reason.code for reason in assessment.reasons),
        naive_fits=rules_of_thumb.fits(
            run.reduced.parameters, run.checkpoint.quantization, installed
        ),
        cause=run.run.causes.get(LoggedQuantity.VERDICT, ""),
        disputed=run.run.disputed.get(LoggedQuantity.VERDICT, ""),
    )


def _then(run: LoggedRun) -> RuntimeProfile:
    """Return the profile of the run's version, with images for all sequences if it encoded them."""
    if run.reduced.architecture.family != ENCODER_DECODER or not encodes_for_all(run.profile):
        return run.profile
    tp, pp = _split(run)
    first = run.group(tp * pp * _attention_copies(run)).gpus[0]
    sequences = run.run.settings.max_num_seqs or scheduler_defaults(run.profile, first).max_num_seqs
    return encoding_images(run.profile, sequences, tp)


_QUESTIONS: Mapping[LoggedQuantity, Callable[[LoggedRun], Comparison | JudgedQuantity]] = {
    LoggedQuantity.WEIGHTS: _weights,
    LoggedQuantity.KV_BYTES: _token_bytes,
    LoggedQuantity.KV_TOKENS: _pool_tokens,
    LoggedQuantity.POOL_TOKENS: _tokens_from_size,
    LoggedQuantity.KV_POOL: _pool,
    LoggedQuantity.ACTIVATION: _activation,
    LoggedQuantity.NON_TORCH: _non_torch,
    LoggedQuantity.GRAPHS: _graphs,
    LoggedQuantity.VERDICT: _verdict,
}

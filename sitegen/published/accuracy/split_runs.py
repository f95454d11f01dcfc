"""Load logs of llama.cpp and its kin beside the layer-split memory model."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from sitegen.catalog.domain.measurements import LoggedQuantity
from sitegen.catalog.domain.models import Checkpoint
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import FitRequest
from sitegen.physics.cache_types import GGML_HALF_BITS, SPELLINGS, fused, ggml_half_bits, joined
from sitegen.physics.memory.layer_split import LayerSplitEngine
from sitegen.physics.memory.layer_split_profile import Allocation, GpuParts
from sitegen.physics.memory.layer_split_replica import SplitReplica
from sitegen.physics.plan import DEFAULTS, Settings, Workload
from sitegen.published import rules_of_thumb
from sitegen.published.accuracy.programs import (
    constants_of,
    draft_layers,
    fork_of,
    latent_beyond,
)
from sitegen.published.accuracy.subjects import LoggedRun, assessed
from sitegen.published.accuracy.values import Comparison, JudgedQuantity, Unmapped
from sitegen.units import MIB, pad

LENIENT_CONTEXT = 1_024
"""Context of a failure whose context is not stated: the fewer tokens, the stricter the test."""
WHOLE = 0.02
"""Share by which the buffers of one load may differ from the file: metadata, a tied head."""
LAST_DIGIT_MIB = 0.01
"""Logs print two decimals."""
ALIGNMENT_BYTES = 512
"""The most that alignment adds to a layer's keys and values: two tensors, to 256 bytes each."""
NO_COPY = (0.0, 0.0, 0.0)
REPACKED_BUFFERS = 2
"""Buffers of a host whose weights were repacked: those, and the embedding table."""
EMBEDDING_ROOM = 1.1
"""A host buffer up to this multiple of the embedding table holds that table and no layer."""


def questions_of(
    quantity: LoggedQuantity,
) -> Callable[[LoggedRun], Iterator[Comparison | JudgedQuantity]]:
    """Return who compares a quantity."""
    return _QUESTIONS[quantity]


def _whole(run: LoggedRun) -> bool:
    """Return whether the log shows, or does not deny, that every layer is on a GPU."""
    chosen = run.run.settings
    return chosen.gpu_layers == chosen.layers and not chosen.placed_by_hand


def _cache_type(run: LoggedRun) -> str:
    """Return the type of the cache, in the engine's words."""
    asked = run.run.workload
    words = asked.keys or "f16", asked.values or asked.keys or "f16"
    known = [SPELLINGS.get(word, "") for word in words]
    if any(word not in GGML_HALF_BITS for word in known):
        raise Unmapped(
            f"no formula for a cache in {' and '.join(dict.fromkeys(words))}", says_enough=True
        )
    return joined(known[0], known[1])


def _half_bits(run: LoggedRun) -> tuple[int, int]:
    return ggml_half_bits(_cache_type(run))


def _layout(
    run: LoggedRun, checkpoint: Checkpoint, gpus: int, *, experts_on_host: bool = False
) -> SplitReplica:
    """Lay a checkpoint out on equal GPUs; sums over GPUs do not depend on which."""
    prepared = run.runnable(checkpoint)
    if not isinstance(prepared.memory, LayerSplitEngine):
        raise Unmapped("no memory profile of this kind", says_enough=True)
    workload = Workload(run.run.workload.context_tokens or LENIENT_CONTEXT, _sequences(run), "f16")
    layers = prepared.reduced.architecture.layers if experts_on_host else 0
    return prepared.memory.replica(
        prepared.reduced,
        run.group(gpus, any_gpu=True),
        workload,
        DEFAULTS,
        cpu_expert_layers=layers,
    )


def _sequences(run: LoggedRun) -> int:
    return run.run.workload.sequences or 1


def _parts(run: LoggedRun, replica: SplitReplica, index: int, tokens: int) -> GpuParts:
    chosen, fork = run.run.settings, fork_of(run)
    flash = _flash(run, replica)
    constants = constants_of(run, replica.constants, flash=flash)
    pipelined = replica.layout.pipelined and fork.pipelined
    asked = Allocation(
        tokens,
        _sequences(run),
        chosen.micro_batch_tokens or constants.micro_batch_tokens,
        _half_bits(run),
        flash,
    )
    layout = replace(replica.layout, pipelined=pipelined)
    return constants.parts(replica.reduced.shape, layout, index, asked)


def _flash(run: LoggedRun, replica: SplitReplica) -> bool:
    """Flash attention, as stated or as the profile's build does unasked."""
    stated = run.run.settings.flash_attention
    return fused(_cache_type(run), stated, unasked=replica.constants.flash_attention)


def _context(run: LoggedRun) -> int:
    """Tokens of the whole cache, as stated or as the size of the logged cache reveals."""
    stated = run.run.workload.context_tokens
    if stated is not None:
        return stated
    logged = sum(run.run.observed.kv_mib)
    replica = _layout(run, run.plain_checkpoint, 1)
    flash = _flash(run, replica)
    step = constants_of(run, replica.constants, flash=flash).cell_multiple
    steps = range(step, max(run.model.context_tokens, step) + 1, step)

    def cache_mib(tokens: int) -> float:
        parts = _parts(run, replica, 0, tokens)
        return (_kv_bytes(run, replica, parts, tokens) + parts.state) / MIB

    at = bisect_left(steps, logged, key=cache_mib)
    if logged == 0 or at == len(steps) or abs(cache_mib(steps[at]) - logged) > 1:
        raise Unmapped("context not stated")
    return steps[at]


def _kv_bytes(run: LoggedRun, replica: SplitReplica, parts: GpuParts, tokens: int) -> float:
    """Cache of all layers, and what a fork or an older build caches beside."""
    design, shape = replica.reduced.architecture, replica.reduced.shape
    constants = constants_of(run, replica.constants, flash=_flash(run, replica))
    cells = pad(tokens, constants.cell_multiple)
    drafted = parts.kv * draft_layers(run, design.family) / design.layers
    return parts.kv + drafted + latent_beyond(run, shape, cells, _half_bits(run))


def _weights(run: LoggedRun) -> Iterator[Comparison]:
    """Compare the model buffers: those of the GPUs where they hold all layers, else all."""
    seen = run.run.observed
    on_gpu, on_host = sum(seen.model_gpu_mib), sum(seen.model_host_mib)
    if not on_gpu and not on_host:
        raise Unmapped("the log lists no model buffers")
    replica = _layout(run, run.checkpoint, 1)
    shape = replica.reduced.shape
    placed = sum(part.weights_bytes for part in replica.layout.gpus)
    embedding = 0 if shape.tied else shape.embedding_bytes
    if _whole(run) and on_host <= EMBEDDING_ROOM * shape.embedding_bytes / MIB:
        measured, total = on_gpu, placed
    else:
        if seen.file_gib is None:
            raise Unmapped(
                "some layers are in system RAM, and without the file's size we cannot tell "
                "whether the log lists all layers"
            )
        measured, total = on_gpu + on_host, placed + embedding
        if abs(measured / (seen.file_gib * 1_024) - 1) > WHOLE:
            raise Unmapped("the listed buffers do not add up to one copy of the file")
    common = rules_of_thumb.weight_bytes(replica.reduced.parameters, run.checkpoint.quantization)
    yield run.compared(
        LoggedQuantity.MODEL_BUFFERS,
        measured,
        Interval(*replica.constants.weights_error_factor).times(total).per(MIB),
        naive=common / MIB,
        rounding=LAST_DIGIT_MIB,
    )


def _cache(run: LoggedRun) -> Iterator[Comparison]:
    """Compare the cache over all GPUs, with recurrent state where the log adds it in."""
    seen, tokens = run.run.observed, run.run.workload.context_tokens
    if tokens is None:
        raise Unmapped("context not stated")
    replica = _layout(run, run.plain_checkpoint, 1)
    parts = _parts(run, replica, 0, tokens)
    cached = _kv_bytes(run, replica, parts, tokens)
    if seen.kv_mib:
        measured, predicted = sum(seen.kv_mib), cached + parts.state
    elif seen.kv_total_mib is not None:
        measured, predicted = seen.kv_total_mib, cached
    else:
        raise Unmapped("the log lists no KV buffers")
    design, each = replica.reduced.architecture, sum(_half_bits(run)) / 32
    by_heads = rules_of_thumb.cache_bytes_per_token(
        design.layers, design.hidden_size, element_bytes=each
    )
    yield run.compared(
        LoggedQuantity.KV_BUFFERS,
        measured,
        Interval.exact(predicted / MIB),
        naive=by_heads * tokens / MIB,
        rounding=LAST_DIGIT_MIB * max(1, len(seen.kv_mib)) + ALIGNMENT_BYTES * design.layers / MIB,
    )


def _compute(run: LoggedRun) -> Iterator[Comparison]:
    """Compare the compute buffer of each GPU."""
    seen, chosen = run.run.observed, run.run.settings
    on_gpu = seen.compute_gpu_mib
    if not on_gpu:
        raise Unmapped("the log lists no compute buffer on a GPU")
    gpus = len(on_gpu)
    if gpus > 1 and chosen.split_mode not in {"", "layer"}:
        raise Unmapped("the model is split by rows, not by layers", says_enough=True)
    if not run.profiled or (run.run.subject.version and not run.run.program):
        run.require_own_profile()
    plain = _layout(run, run.plain_checkpoint, gpus)
    shape, fork = plain.reduced.shape, fork_of(run)
    if any(plain.reduced.architecture.low_rank) and fork.own_latent:
        raise Unmapped(f"{run.origin.program} computes latent attention in its own modes")
    by_hand = chosen.placed_by_hand and shape.experts > 0
    elsewhere = sum(seen.model_host_mib) > EMBEDDING_ROOM * shape.embedding_bytes / MIB
    if chosen.gpu_layers != chosen.layers or (not by_hand and (elsewhere or not _whole(run))):
        raise Unmapped("part of the model is in system RAM, and its share of the graph is unknown")
    tokens = _context(run)
    copies = fork.copies_experts or _mapped(run)
    file = run.any_checkpoint if by_hand and copies else run.plain_checkpoint
    replica = _layout(run, file, gpus, experts_on_host=by_hand)
    for index, measured in enumerate(on_gpu):
        parts = _parts(run, replica, index, tokens)
        yield run.compared(
            LoggedQuantity.COMPUTE_BUFFERS,
            measured,
            _graph(replica, parts, copies=copies),
            rounding=LAST_DIGIT_MIB,
            note=f"GPU {index + 1} of {gpus}" if gpus > 1 else "",
        )


def _mapped(run: LoggedRun) -> bool:
    """Whether the host's weights lie in several buffers: parts of a mapped file, not repacked."""
    return len(run.run.observed.model_host_mib) > REPACKED_BUFFERS


def _graph(replica: SplitReplica, parts: GpuParts, *, copies: bool) -> Interval:
    """Return a GPU's graph in MiB: whole, or the part beside experts copied from the host."""
    c = replica.constants
    shares = c.offload_copy_share if copies else NO_COPY
    low, mid, high = (
        max(
            factor * parts.compute,
            factor * parts.beside + share * parts.borrowed,
        )
        / MIB
        for factor, share in zip(c.compute_error_factor, shares, strict=True)
    )
    return Interval(low, mid, high)


def _verdict(run: LoggedRun) -> Iterator[JudgedQuantity]:
    logged, asked = run.run, run.run.workload
    if run.older:
        run.require_own_profile()
    if logged.settings.placed_by_hand or logged.outcome == "partly-on-cpu":
        raise Unmapped("the user placed layers or tensors by hand")
    if asked.context_tokens is None and logged.outcome != "failed":
        raise Unmapped("context not stated")
    kv_dtype = _cache_type(run)
    each = max(1, (asked.context_tokens or LENIENT_CONTEXT) // _sequences(run))
    request = FitRequest(
        model=replace(run.model, context_tokens=max(each, run.model.context_tokens)),
        checkpoint=run.checkpoint,
        combo=run.system,
        runtime=run.runtime,
        profile=run.profile,
        workload=Workload(each, _sequences(run), kv_dtype),
        settings=Settings(
            micro_batch_tokens=logged.settings.micro_batch_tokens,
            flash_attention=logged.settings.flash_attention,
            largest_allocation_bytes=run.largest_allocation_bytes,
        ),
    )
    assessment = assessed(run, request)
    installed = sum(gpu.installed_bytes for gpu in run.system.gpus)
    parameters = run.reduced.parameters
    yield JudgedQuantity(
        origin=run.origin,
        outcome=logged.outcome,
        tier=str(assessment.tier),
        reasons=tuple(reason.code for reason in assessment.reasons),
        naive_fits=rules_of_thumb.fits(parameters, run.checkpoint.quantization, installed),
        cause=logged.causes.get(LoggedQuantity.VERDICT, ""),
        disputed=logged.disputed.get(LoggedQuantity.VERDICT, ""),
    )


_QUESTIONS: Mapping[
    LoggedQuantity, Callable[[LoggedRun], Iterator[Comparison | JudgedQuantity]]
] = {
    LoggedQuantity.MODEL_BUFFERS: _weights,
    LoggedQuantity.KV_BUFFERS: _cache,
    LoggedQuantity.COMPUTE_BUFFERS: _compute,
    LoggedQuantity.VERDICT: _verdict,
}

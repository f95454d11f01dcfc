"""Speculative decoding: what makes one user's answers faster, and what it costs."""

from __future__ import annotations

from sitegen.catalog.domain.models import MemoryModel, Publisher, Speculation
from sitegen.catalog.domain.provenance import Interval
from sitegen.physics.plan import CONTEXT_STEP
from sitegen.recipes.recipe import paragraphs
from sitegen.recipes.target import Target
from sitegen.units import GIB

KEPT_FREE_BYTES = GIB
"""What llama.cpp leaves free of a GPU.

Source:
    llama.cpp 0c1e57098, ``common/fit.cpp``: a fitted context leaves 1,024 MiB of each device free.
"""
LEAST_CONTEXT = 16_384
"""Tokens: a context that speculative decoding must leave, or nobody should use it.

Source:
    ``catalog/assumptions/answer-context-tokens.yaml``, the least context of a first answer.
"""


def speculation_note(target: Target) -> str:
    """Say which options make one user's answers faster; empty where none are known.

    What to add, the gain, the memory and the file are a paragraph each.
    """
    found = _speculation(target)
    if found is None or _is_crowded(target, found):
        return ""
    by = f"the draft model {found.draft}" if found.draft else "a part of the model"
    main = "main model" if found.draft else "model"
    where = " on every node" if len(target.span) > 1 else ""
    return paragraphs(
        f"To answer one user faster, add {' '.join(found.options)}{where}: {by} guesses the next "
        f"tokens, and the {main} checks all of them in one step.",
        _gain(found),
        _cost(target, found),
        _file(target, found),
    )


def measured_gain(target: Target) -> Interval | None:
    """Return one user's speed with the options over that without, where the note names a gain.

    A plan without room for what guesses has none, nor has a model with which somebody gained
    nothing.
    """
    found = _speculation(target)
    if found is None or found.gain is None or _is_crowded(target, found):
        return None
    return found.gain if found.gain.low > 1 else None


def _speculation(target: Target) -> Speculation | None:
    """Look the options up, where they bring something.

    Nothing is known for who serves many: guesses that are thrown away take their time.
    """
    assessment = target.assessment
    if assessment.workload.sequences > 1:
        return None
    for one in assessment.runtime.speculation:
        if assessment.model.id in one.models and _about(target, one):
            return None if target.plan.kind in one.excluded_plans else one
    return None


def _about(target: Target, one: Speculation) -> bool:
    """Whether an entry is about all GPUs of the plan."""
    if set(target.vendors) & set(one.excluded_vendors):
        return False
    nodes = target.combo.nodes
    gpus = {nodes[node].gpus[gpu].gpu.id for node, gpu in target.plan.ranks}
    return not one.only_gpus or all(gpu.startswith(one.only_gpus) for gpu in gpus)


def _gain(found: Speculation) -> str:
    if found.gain is None:
        return found.many_users
    low, mid, high = found.gain.bounds
    times = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    half = f"; half of the results are {mid:g} or more" if low < mid else ""
    return f"{found.measured_by} measured {times} times the usual speed{half}. {found.many_users}"


def _cost(target: Target, found: Speculation) -> str:
    """Say what memory it takes, and which context leaves room for it."""
    extra = found.extra_bytes
    if extra is None:
        return "Speculative decoding takes memory from the KV cache, so fewer tokens fit."
    low, high = f"{extra.low / GIB:.1f}", f"{extra.high / GIB:.1f}"
    amount = f"about {high}" if low == high else f"{low} to {high}"
    if target.assessment.runtime.memory_model is not MemoryModel.LAYER_SPLIT:
        return f"Speculative decoding takes {amount} GiB from the KV cache, so fewer tokens fit."
    said = f"Speculative decoding takes {amount} GiB more memory"
    left = _context_beside(target, found)
    if left is None:
        return f"{said}."
    return f"{said}: use --ctx-size {left}."


def _is_crowded(target: Target, found: Speculation) -> bool:
    """Whether what guesses leaves less context than a model needs to be of use."""
    left = _context_beside(target, found)
    return left is not None and left < LEAST_CONTEXT


def _context_beside(target: Target, found: Speculation) -> int | None:
    """Return the longest context that leaves room for what guesses.

    It is 0 where none does, and ``None`` where the context that is named stays, or where the
    runtime makes the room itself.
    """
    extra, each = found.extra_bytes, target.limits.kv_bytes_per_token_per_gpu
    split = target.assessment.runtime.memory_model is MemoryModel.LAYER_SPLIT
    if extra is None or not split or not each:
        return None
    missing = extra.high - _room_beside(target)
    if missing <= 0:
        return None
    left = max(target.context_tokens - int(missing / each), 0)
    return left // CONTEXT_STEP * CONTEXT_STEP


def _room_beside(target: Target) -> float:
    """Return the bytes that the named context leaves free on the fullest GPU, by the high estimate.

    Where memory ends the context that is nothing; elsewhere the model's own longest context does.
    The GiB that llama.cpp keeps free stays free, and holds what its buffers grow by.
    """
    found, fullest, tokens = target.assessment, target.busiest, target.context_tokens
    ended_by_memory = tokens + CONTEXT_STEP <= found.model.context_tokens
    if fullest is None or target.tight or ended_by_memory:
        return 0.0
    grown = (tokens - found.workload.context_tokens) * target.limits.kv_bytes_per_token_per_gpu
    return max(0.0, fullest.budget_bytes - fullest.need.high - grown - KEPT_FREE_BYTES)


def _file(target: Target, found: Speculation) -> str:
    checkpoint = target.assessment.checkpoint
    by_makers = checkpoint.publisher is Publisher.OFFICIAL
    if not (found.repositories or found.draft or by_makers):
        return (
            "The model's makers did not publish this file: if the server stops because "
            "weights are missing, the file lacks the part that guesses."
        )
    holds = checkpoint.prediction_layers > 0 and not found.draft
    owners = [one.partition(":")[0] for one in found.repositories]
    if holds or not owners or checkpoint.repository in owners:
        return ""
    named, kind = found.repositories[0], checkpoint.quantization.gguf_file_type
    if kind and ":" not in named:
        named = f"{named}:{kind}"
    part = "the draft model" if found.draft else "the part that guesses"
    return f"Use a file that contains {part}, such as MODEL={named}."

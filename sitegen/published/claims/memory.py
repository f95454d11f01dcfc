"""Judging claims about sizes: parameters, weights, caches, memory of GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.claims import (
    EffectiveMemory,
    GpuCount,
    KvCacheClaim,
    Memory,
    Parameters,
    TotalMemory,
    Weights,
)
from sitegen.catalog.domain.models import Quantization
from sitegen.physics.bounds.judgement import ClaimVerdict, Judgement, Step, kindest, unit_of
from sitegen.published.claims.context import SIZES, ClaimContext
from sitegen.survey.effective_vram import effective_vram

CONFIRMED, DOUBTFUL = ClaimVerdict.CONFIRMED, ClaimVerdict.DOUBTFUL
DISPUTED, IMPOSSIBLE = ClaimVerdict.DISPUTED, ClaimVerdict.IMPOSSIBLE


def parameters(cases: ClaimContext, claim: Parameters) -> Judgement:
    """Compare a number of parameters with the model's tensors.

    An active count may or may not include the embedding: both are tried. Names of models are
    often cut off, not rounded: 405B for 405.9.
    """
    model = claim.model
    counted = cases.weigh(model, model.checkpoints[0].quantization)
    exact: tuple[float, ...] = (counted.parameters + model.vision_parameters, counted.parameters)
    if claim.active:
        table = counted.architecture.vocabulary * counted.architecture.hidden_size
        exact = (counted.active_parameters, counted.active_parameters + table)
    low, high = cases.around(claim.billions)
    high = max(high, claim.billions + unit_of(claim.billions))
    steps = tuple(
        Step("active" if claim.active else "parameters", n, "parameters", f"model:{model.id}")
        for n in dict.fromkeys(exact)
    )
    within = any(low <= n / 1e9 <= high for n in exact)
    arguments = {"parameters": exact[0], "claimed": claim.billions * 1e9}
    if claim.active:
        code = "ACTIVE_AGREE" if within else "ACTIVE_DIFFER"
    else:
        code = "PARAMETERS_AGREE" if within else "PARAMETERS_DIFFER"
    return Judgement(CONFIRMED if within else DISPUTED, code, arguments, steps)


def weights(cases: ClaimContext, claim: Weights) -> Judgement:
    """Compare a size with the checkpoint's, for each precision and unit that may be meant."""
    return kindest(
        _weights(cases, claim, recipe, word, unit)
        for word, unit in SIZES
        for recipe in claim.quantizations
    )


def _weights(
    cases: ClaimContext, claim: Weights, recipe: Quantization, word: str, unit: int
) -> Judgement:
    exact = cases.weights_bytes(claim, recipe)
    low, high = (bound * unit for bound in cases.around(claim.gb, claim.gb_high))
    least = cases.weights_steps(claim, recipe)[0].value * min(4.0, recipe.nominal_bits) / 8
    if recipe.nominal_bits < 4:
        least = 0.0
    arguments = {"weights_bytes": exact, "claimed_bytes": claim.gb * unit}
    steps = (
        *cases.weights_steps(claim, recipe),
        Step("claimed-size", claim.gb, "GB", "claim", high=claim.gb_high),
    )
    reading = (recipe.id, word)
    error = cases.assumption("claim-size-share")
    slack = exact * (error.value.mid if error else 0.0)
    if low - slack <= exact <= high + slack:
        return Judgement(CONFIRMED, "WEIGHTS_AGREE", arguments, steps, reading)
    if high < least:
        bits = {**arguments, "least_bytes": least}
        return Judgement(IMPOSSIBLE, "BELOW_FOUR_BITS", bits, steps, reading)
    return Judgement(DISPUTED, "WEIGHTS_DIFFER", arguments, steps, reading)


def minimum_memory(cases: ClaimContext, claim: Memory) -> Judgement:
    """Compare a minimum of memory with what weights and cache take.

    It lies between the weights alone and weights with a cache at the page's context (or the
    reference) with the headroom of a comfortable fit.
    """
    return kindest(
        _minimum(cases, claim, recipe, word, unit)
        for word, unit in SIZES
        for recipe in claim.quantizations
    )


def _minimum(
    cases: ClaimContext, claim: Memory, recipe: Quantization, word: str, unit: int
) -> Judgement:
    held = cases.weights_bytes(claim, recipe)
    context = claim.context_tokens or int(
        cases.engine.assumptions["reference-context-tokens"].value.mid
    )
    cache = cases.cache_bytes(claim.model, context) if claim.model else 0
    comfortable = cases.engine.assumptions["comfortable-utilization"].value.mid
    most = (held + cache) / comfortable
    low, high = (bound * unit for bound in cases.around(claim.gb, claim.gb_high))
    steps = (
        *cases.weights_steps(claim, recipe),
        Step("cache", cache, "bytes", "engine", f"{context}"),
        Step("with-headroom", most, "bytes", "assumption:comfortable-utilization"),
        Step("claimed-size", claim.gb, "GB", "claim", high=claim.gb_high),
    )
    arguments = {
        "weights_bytes": held, "claimed_bytes": claim.gb * unit, "most_bytes": most,
        "context_tokens": context,
    }  # fmt: skip
    reading = (recipe.id, word)
    if high < held:
        return Judgement(IMPOSSIBLE, "MEMORY_BELOW_WEIGHTS", arguments, steps, reading)
    if low > most:
        return Judgement(DISPUTED, "MEMORY_ABOVE_NEED", arguments, steps, reading)
    return Judgement(CONFIRMED, "MEMORY_AGREES", arguments, steps, reading)


def cache(cases: ClaimContext, claim: KvCacheClaim) -> Judgement:
    """Compare the size of a KV cache with the model's layers, at 16 bits."""
    exact = cases.cache_bytes(claim.model, claim.context_tokens)
    return kindest(_cache(cases, claim, exact, word, unit) for word, unit in SIZES)


def _cache(cases: ClaimContext, claim: KvCacheClaim, exact: int, word: str, unit: int) -> Judgement:
    low, high = (bound * unit for bound in cases.around(claim.gb))
    steps = (
        Step("context", claim.context_tokens, "tokens", "claim"),
        Step("cache", exact, "bytes", f"model:{claim.model.id}", f"{claim.context_tokens}"),
        Step("claimed-size", claim.gb, "GB", "claim"),
    )
    agrees = low <= exact <= high
    code = "CACHE_AGREES" if agrees else "CACHE_DIFFERS"
    arguments = {"cache_bytes": exact, "claimed_bytes": claim.gb * unit}
    return Judgement(CONFIRMED if agrees else DISPUTED, code, arguments, steps, (word,))


def total_memory(cases: ClaimContext, claim: TotalMemory) -> Judgement:
    """Compare a sum of memory with what is installed; it says nothing about any one model."""
    installed = claim.on.installed_vram_bytes
    return kindest(_total(cases, claim, installed, word, unit) for word, unit in SIZES)


def _total(
    cases: ClaimContext, claim: TotalMemory, installed: int, word: str, unit: int
) -> Judgement:
    low, high = (bound * unit for bound in cases.around(claim.gb))
    steps = (
        *_counted(claim),
        Step("installed", installed, "bytes", "engine"),
        Step("claimed-size", claim.gb, "GB", "claim"),
    )
    agrees = low <= installed <= high
    arguments = {"installed_bytes": installed, "claimed_bytes": claim.gb * unit}
    code = "SUM_OF_MEMORY_AGREES" if agrees else "SUM_OF_MEMORY_DIFFERS"
    return Judgement(CONFIRMED if agrees else DISPUTED, code, arguments, steps, (word,))


def _counted(claim: TotalMemory) -> Iterator[Step]:
    counts: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for one in claim.on.gpus:
        counts[one.gpu.id] = counts.get(one.gpu.id, 0) + 1
        sizes[one.gpu.id] = one.installed_bytes
    for id_, count in counts.items():
        yield Step("gpus", count, "count", "claim", id_)
        yield Step("installed-each", sizes[id_], "bytes", f"gpu:{id_}", id_)


def effective_memory(cases: ClaimContext, claim: EffectiveMemory) -> Judgement:
    """Compare what one replica can fill with the plans of the combo that take as many GPUs."""
    return kindest(_effective(cases, claim, word, unit) for word, unit in SIZES)


def _effective(cases: ClaimContext, claim: EffectiveMemory, word: str, unit: int) -> Judgement:
    found = [e for e in effective_vram(cases.engine, claim.on) if e.gpus == claim.gpus]
    visible = sum(g.visible_bytes for g in claim.on.gpus[: claim.gpus])
    installed = sum(g.installed_bytes for g in claim.on.gpus[: claim.gpus])
    least = min((e.for_weights_and_kv_bytes for e in found), default=0)
    most = max((e.bytes for e in found), default=visible)
    low, high = (bound * unit for bound in cases.around(claim.gb))
    steps = (
        Step("gpus", claim.gpus, "count", "claim"),
        Step("installed", installed, "bytes", "engine"),
        Step("visible", visible, "bytes", "engine"),
        Step("fillable", least, "bytes", "engine", high=most),
        Step("claimed-size", claim.gb, "GB", "claim"),
    )
    arguments = {
        "claimed_bytes": claim.gb * unit, "least_bytes": least, "most_bytes": most,
        "installed_bytes": installed, "gpus": claim.gpus,
    }  # fmt: skip
    if low > installed:
        return Judgement(IMPOSSIBLE, "ABOVE_INSTALLED", arguments, steps, (word,))
    if low <= most and high >= least:
        return Judgement(CONFIRMED, "EFFECTIVE_AGREES", arguments, steps, (word,))
    return Judgement(DISPUTED, "EFFECTIVE_DIFFERS", arguments, steps, (word,))


def gpu_count(cases: ClaimContext, claim: GpuCount) -> Judgement:
    """Compare the memory of so many GPUs with the weights they must hold."""
    return kindest(_gpu_count(cases, claim, recipe) for recipe in claim.quantizations)


def _gpu_count(cases: ClaimContext, claim: GpuCount, recipe: Quantization) -> Judgement:
    held = cases.weights_bytes(claim, recipe)
    each = getattr(claim.gpu.memory, "installed_bytes", 0)
    installed = each * claim.count
    enough = -(-int(held) // each) if each else 0
    steps = (
        *cases.weights_steps(claim, recipe),
        Step("gpus", claim.count, "count", "claim", claim.gpu.id),
        Step("installed-each", each, "bytes", f"gpu:{claim.gpu.id}", claim.gpu.id),
        Step("installed", installed, "bytes", "engine"),
        Step("gpus-needed", enough, "count", "engine"),
    )
    arguments = {
        "weights_bytes": held, "installed_bytes": installed, "needed": enough,
        "gpu": claim.gpu.id, "available": claim.count,
    }  # fmt: skip
    if not each:
        return Judgement(DOUBTFUL, "MEMORY_VARIES", arguments, steps, (recipe.id,))
    if held > installed:
        return Judgement(IMPOSSIBLE, "TOO_FEW_GPUS", arguments, steps, (recipe.id,))
    return Judgement(CONFIRMED, "ENOUGH_GPUS", arguments, steps, (recipe.id,))

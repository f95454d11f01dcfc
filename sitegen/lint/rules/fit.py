"""Rules that ask the engine: does the very plan fit, and how long may the context be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sitegen.fit.assessment import Assessment, FitRequest, FitTier
from sitegen.lint.checkpoints import ResolvedCheckpoint
from sitegen.lint.facts import LintContext, runs_at_all, tokens_of
from sitegen.lint.findings import corrected, finding, place_of, sentence, warning
from sitegen.lint.launches import Launch
from sitegen.lint.rules.plans import instead
from sitegen.lint.scene import FileModel
from sitegen.lint.script import whole_number
from sitegen.physics.plan import CONTEXT_STEP, PlanKind, Reason
from sitegen.problems import Problem
from sitegen.units import GIB
from sitegen.values import dataclass

SAID = frozenset(
    {
        "WORLD", "TP_HEADS", "TP_KV_HEADS", "TP_FFN", "TP_GROUP", "TP_FP8_BLOCK", "TP_STATE",
        "TP_ACROSS_NODES", "CONTEXT_BEYOND_MODEL", "UNSUPPORTED_ARCHITECTURE",
    }
)  # fmt: skip
"""Refusals that have rules of their own."""
BELOW = ("KV_BELOW_CONTEXT", "KV_BELOW_SEQUENCES")
"""Reasons that a shorter context removes."""
UNSURE = frozenset({"DP_UNSUPPORTED", "DP_SIZE", "DCP_SIZE", "NO_VALID_PLAN"})
"""Refusals of plans that a launch may not mean as the engine reads them."""
MEMORY = frozenset({"WEIGHTS_EXCEED", "DOES_NOT_FIT", "ALLOCATION_LIMIT"})
KINDS = frozenset({"linear", "dynamic", "yarn", "deepseek_yarn", "ntk"})
"""Kinds of scaling whose factor multiplies a model's positions."""
OWN_FORMATS = frozenset({"mlx", "exl2", "exl3"})
"""Formats of one family of programs each; others are loaded by many, some behind an option."""


def context_is_within_the_model(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report a context that the model does not have: the whole, or that of each sequence."""
    for launch in scene.launches:
        meant, asked = facts.meant(launch), tokens_of(launch.text("context"))
        parts = launch.context_parts
        if meant is None or asked is None or parts is None or "overrides" in launch.settings:
            continue
        if _allows_more(launch):
            continue
        longest, each = facts.default_context(meant), asked // parts
        if each > max(longest, meant.model.context_tokens, stretched(meant)):
            reason = Reason(
                "CONTEXT_BEYOND_MODEL", {"model_context": longest, "context_tokens": each}
            )
            message = sentence(reason, facts.engine.catalog)
            message += f" in each of {parts} sequences" if parts > 1 else ""
            hint = corrected(launch, {"context": str(longest * parts)})
            say = warning if launch.traits.warns_of_context else finding
            yield say(place_of(launch, "context"), "context-beyond-model", message, hint)


def stretched(meant: ResolvedCheckpoint) -> int:
    """Return the positions of a config whose own factor multiplies them.

    Source:
        vLLM 0.33.0, ``config/model.py``: a factor multiplies the length, unless the scaling is of
        a kind whose length already has it.
    """
    scaling = meant.model.config.get("rope_scaling")
    if not isinstance(scaling, dict) or scaling.get("type", scaling.get("rope_type")) not in KINDS:
        return 0
    positions = scaling.get("original_max_position_embeddings") or meant.model.config.get(
        "max_position_embeddings"
    )
    factor = scaling.get("factor")
    if not isinstance(positions, int) or not isinstance(factor, int | float):
        return 0
    return int(positions * factor)


def computes_in_its_type(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report BF16 on GPUs that have none, which the runtime refuses by name.

    Source:
        vLLM 0.33.0, ``platforms/cuda.py``, ``check_if_supports_dtype``.
    """
    for launch in scene.launches:
        least, named = launch.traits.bfloat16_from, facts.named(launch)
        word = launch.text("dtype")
        if least is None or word != "bfloat16" or named is None or named.combo is None:
            continue
        combo = facts.combo(launch, named) or named.combo
        older = [
            one.gpu
            for one in combo.gpus
            if one.gpu.compute_capability is not None and one.gpu.compute_capability < least
        ]
        if older:
            gpu, capability = older[0], older[0].compute_capability or least
            message = (
                f"{gpu.name} cannot compute in BF16 (compute capability "
                f"{capability[0]}.{capability[1]}, "
                f"{least[0]}.{least[1]} is needed): {launch.traits.name} refuses to start"
            )
            hint = corrected(launch, {"dtype": "half"})
            yield finding(place_of(launch, "dtype"), "unsupported", message, hint)


def _allows_more(launch: Launch) -> bool:
    call = launch.invocation
    names = [name for name, _ in call.command.variables] if call is not None else []
    written = {one.written.replace("_", "-") for one in call.options} if call is not None else set()
    if written & launch.traits.replaced.keys():
        return True  # what it means is said where the option is reported
    return "VLLM_ALLOW_LONG_MAX_MODEL_LEN" in {*names, *launch.variables}


def format_is_loaded(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report files that only another family of programs loads."""
    for launch in scene.launches:
        meant = facts.meant(launch)
        subject = facts.subject(launch, meant) if meant is not None else None
        if subject is None:
            continue
        loaded = subject.checkpoint.quantization.format
        if loaded in OWN_FORMATS and loaded not in subject.runtime.formats:
            arguments = {"runtime": subject.runtime.id, "format": loaded}
            message = sentence(Reason("FORMAT_UNSUPPORTED", arguments), facts.engine.catalog)
            yield finding(place_of(launch, "model"), "unsupported", message)


def checkpoint_fits(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report weights and caches for which there is no room, by the engine's own ledger."""
    for launch in scene.launches:
        assessment = _assessed(launch, facts)
        if assessment is None:
            continue
        if assessment.plan is None:
            yield from _refused(launch, assessment, facts)
        else:
            yield from _too_large(launch, assessment, facts)


def _assessed(launch: Launch, facts: LintContext) -> Assessment | None:
    request = _asked(launch, facts)
    return facts.answer(request) if request is not None else None


def _asked(launch: Launch, facts: LintContext) -> FitRequest | None:
    """Put a launch as a question where its words and its hardware say enough."""
    named, meant = facts.named(launch), facts.meant(launch)
    if named is None or meant is None or "offload" in launch.settings:
        return None
    combo = facts.combo(launch, named)
    world = launch.world
    if combo is None or world is None or world > len(combo.gpus):
        return None
    if "layers" in launch.traits.settings and not _on_gpus(launch, meant, facts):
        return None
    kinds = {(gpu.gpu.id, gpu.visible_bytes) for gpu in combo.gpus}
    if len(kinds) > 1 and world < len(combo.gpus):
        return None  # which of them it takes depends on the driver's order
    return facts.request(launch, combo, meant)


def _on_gpus(launch: Launch, meant: ResolvedCheckpoint, facts: LintContext) -> bool:
    """Whether llama.cpp is told to keep every layer on GPUs: otherwise it makes do.

    The head counts as one more layer.
    """
    text = launch.text("layers")
    kept = whole_number(text)
    if kept is None or meant.checkpoint is None:
        return text == "all"
    layers = facts.engine.reduced(meant.model, meant.checkpoint).architecture.layers
    return kept > layers


def _refused(launch: Launch, assessment: Assessment, facts: LintContext) -> Iterator[Problem]:
    reason = assessment.reasons[0]
    if reason.code in SAID or reason.code in UNSURE:
        return
    if reason.code == "EP_UNSUPPORTED" or launch.traits.whole_layers:
        return  # a GPU may be left without a layer
    message = sentence(reason, facts.engine.catalog)
    added = reason.code in {"QUANT_UNSUPPORTED_ON_GPU", "MODEL_UNSUPPORTED_ON_GPU"}
    say = warning if added else finding  # kernels come with later versions, and with forks
    yield say(place_of(launch, "model"), "unsupported", message)


def _too_large(launch: Launch, assessment: Assessment, facts: LintContext) -> Iterator[Problem]:
    codes = {reason.code: reason for reason in assessment.reasons}
    named = facts.named(launch)
    if named is None or assessment.plan is None:
        return
    offloaded = assessment.plan.kind is PlanKind.OFFLOAD
    memory = next((codes[code] for code in MEMORY if code in codes), None)
    if offloaded or (memory is not None and assessment.tier is FitTier.NOT_PRACTICAL):
        message = f"{_weights(assessment)} {_plan(launch)} on {named.words}"
        if memory is not None:
            message += f" does not fit: {sentence(memory, facts.engine.catalog)}"
        else:
            message += " does not fit on the GPUs alone"
        hint = instead(launch, facts, named)
        yield finding(place_of(launch, "model", "tensor"), "does-not-fit", message, hint)
    elif "context" not in launch.settings and (launch.traits.fills_up or launch.open_ended):
        return
    elif below := [codes[code] for code in BELOW if code in codes]:
        yield _context(launch, assessment, below[0], facts)
    elif (
        "UNCERTAIN" in codes
        and assessment.busiest is not None
        and assessment.busiest.utilization.mid > 1
    ):
        use = assessment.busiest.utilization
        message = (
            f"{_weights(assessment)} {_plan(launch)} on {named.words} fills {use.low:.0%} to "
            f"{use.high:.0%} of the busiest GPU: it will probably not start"
        )
        place = place_of(launch, "context", "model")
        yield warning(place, "may-not-fit", message, _capped(launch, _reach(launch, facts)))


def _weights(assessment: Assessment) -> str:
    size = assessment.weights_bytes / GIB
    return f"{assessment.model.name}, {assessment.checkpoint.quantization.name} ({size:.1f} GiB),"


def _plan(launch: Launch) -> str:
    if launch.traits.whole_layers:
        return "in layers"
    pipeline = launch.pipeline or 1
    return f"with tensor {launch.tensor}" + (f" × pipeline {pipeline}" if pipeline > 1 else "")


def _context(launch: Launch, assessment: Assessment, reason: Reason, facts: LintContext) -> Problem:
    message = sentence(reason, facts.engine.catalog)
    named = facts.named(launch)
    words = named.words if named is not None else ""
    reach = _reach(launch, facts)
    whole = f"{_weights(assessment)} {_plan(launch)} on {words}: {message}{_certainty(reach)}"
    hint = _capped(launch, reach)
    if "context" in launch.settings:
        say = warning if launch.traits.cuts_context else finding
        return say(place_of(launch, "context"), "context-too-long", whole, hint)
    asked = f"without a limit, the runtime uses the model's own context. {whole}"
    return finding(place_of(launch, "model"), "no-context-cap", asked, hint)


@dataclass(frozen=True, slots=True)
class Reach:
    """The longest context that a hint offers: ``certain`` if the high estimate has room for it."""

    tokens: int
    sequences: int
    certain: bool


def _reach(launch: Launch, facts: LintContext) -> Reach:
    """Find the longest context of each sequence that is safe; 0 where none fits.

    Where what is safe is too short to be of use and much more is likely, that is offered.
    """
    request = _asked(launch, facts)
    found = facts.answer(request) if request is not None else None
    if request is None or found is None or found.limits is None:
        return Reach(0, 1, certain=False)
    sequences = request.workload.sequences
    safe, likely = found.limits.max_context_tokens_low, found.limits.max_context_tokens
    if sequences > 1:
        safe = _shared(request, safe, facts, certain=True)
        likely = _shared(request, likely, facts, certain=False)
    certain = safe > 0 and (safe >= facts.shortest_context or 2 * safe >= likely)
    tokens = safe if certain else likely
    return Reach(tokens // CONTEXT_STEP * CONTEXT_STEP, sequences, certain)


def _shared(request: FitRequest, longest: int, facts: LintContext, *, certain: bool) -> int:
    """Find the longest context that all sequences have at once.

    Together they need no less than one of their length. Where ``longest``, that of one alone, is
    the model's own, more than that has room.
    """
    whole = longest >= request.model.context_tokens
    low = 0
    high = (longest if whole else longest // request.workload.sequences) // CONTEXT_STEP
    while low < high:
        middle = (low + high + 1) // 2
        workload = replace(request.workload, context_tokens=middle * CONTEXT_STEP)
        found = facts.answer(replace(request, workload=workload))
        sure = found is not None and not any(one.code == "UNCERTAIN" for one in found.reasons)
        if found is not None and runs_at_all(found) and (sure or not certain):
            low = middle
        else:
            high = middle - 1
    return low * CONTEXT_STEP


def _certainty(reach: Reach) -> str:
    """Say how far the hint goes, and how sure that is; nothing where there is none."""
    if not reach.tokens:
        return ""
    if not reach.certain:
        return "; even that is not certain" if reach.sequences == 1 else ""
    each = "" if reach.sequences == 1 else " each"
    return f"; {reach.tokens:,} tokens{each} are safe"


def _capped(launch: Launch, reach: Reach) -> str:
    """Write the launch with the longest context that is safe, for all its sequences together."""
    tokens = reach.tokens * reach.sequences
    return corrected(launch, {"context": str(tokens)}) if tokens else ""

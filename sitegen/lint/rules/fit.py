"""Rules that ask the engine: does the very plan fit, and how long may the context be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.assessment import Assessment, FitRequest, FitTier
from sitegen.lint.checkpoints import ResolvedCheckpoint
from sitegen.lint.facts import LintContext, runs_at_all, tokens_of
from sitegen.lint.findings import corrected, finding, place_of, sentence, warning
from sitegen.lint.launches import Launch
from sitegen.lint.rules.plans import instead, shares_of
from sitegen.lint.scene import FileModel
from sitegen.lint.script import whole_number
from sitegen.physics.memory.layer_layout import split_layout
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
SHARING = frozenset({"DCP_GPU", "DCP_CACHE", "DCP_HEADS"})
"""Refusals of ranks that share one cache's tokens."""
ADDED = SHARING | {
    "QUANT_UNSUPPORTED_ON_GPU",
    "EXPERTS_UNSUPPORTED_ON_GPU",
    "MODEL_UNSUPPORTED_ON_GPU",
}
"""Refusals for want of kernels, which come with later versions, and with forks."""
WHOLE = frozenset({"max", "1", "1.0"})
"""How LM Studio is told to lay the whole model on GPUs (https://lmstudio.ai/docs/cli/load)."""
MEMORY = frozenset({"WEIGHTS_EXCEED", "DOES_NOT_FIT", "ALLOCATION_LIMIT"})
_FINE = 10_000
"""Whole shares in one: typed ones have a few digits."""
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
        if each > max(meant.model.context_tokens, stated(meant, facts), stretched(meant)):
            reason = Reason(
                "CONTEXT_BEYOND_MODEL", {"model_context": longest, "context_tokens": each}
            )
            message = sentence(reason, facts.engine.catalog)
            message += f" in each of {parts} sequences" if parts > 1 else ""
            hint = corrected(launch, {"context": str(longest * parts)})
            say = warning if launch.traits.warns_of_context else finding
            yield say(place_of(launch, "context"), "context-beyond-model", message, hint)


def stated(meant: ResolvedCheckpoint, facts: LintContext) -> int:
    """Return the positions in a model's config, which may be more than its makers promise.

    Source:
        vLLM 0.33.0, ``config/model.py`` (``_get_and_verify_max_len``), and SGLang 0.5.23,
        ``srt/configs/model_config.py``: they refuse a context beyond the config's alone.
    """
    design = facts.design(meant.model)
    return design.max_position if design is not None else 0


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
    allowed = launch.traits.stretches
    inline = allowed in names and allowed not in launch.variables
    return bool(allowed) and (inline or _is_on(launch.variables.get(allowed, "0")))


def _is_on(text: str) -> bool:
    return text.strip().lower() not in {"", "0", "false"}


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


NO_RULE = "sitegen has no rule for the memory of this program"
NO_SIZE = "the model is known, but the size of these files is not"
IN_RAM = "a part of the model may be in system RAM"
ORDER = (
    "whether the rest fits depends on which GPU each share of --tensor-split goes to: programs "
    "count GPUs in the driver's order"
)
MIXED = (
    "the machine has several kinds of GPU, the text does not say which are used, and the model "
    "fits only on some of them"
)
NO_SETTING = "it depends on a value that is not in the text, or that sitegen has no rule for"


def why_unweighed(launch: Launch, facts: LintContext) -> str:
    """Say why the memory of a launch was not checked; empty where it was, or where others say it.

    Without hardware and without a model that is known there is nothing to check; a plan for more
    GPUs than there are is said by its own rule.
    """
    named, meant = facts.named(launch), facts.meant(launch)
    if named is None or meant is None:
        return ""
    combo = facts.combo(launch, named)
    there = named.gpus if combo is None else len(combo.gpus)
    too_many = launch.world is not None and launch.world > there
    if too_many or _assessed(launch, facts) is not None:
        return ""
    layers = not _on_gpus(launch, meant, facts)
    if not launch.runtime or meant.checkpoint is None:
        return NO_SIZE if launch.runtime else NO_RULE
    if combo is not None and _is_mixed(launch, combo):
        return ORDER if "split" in launch.settings else MIXED
    return IN_RAM if layers or "offload" in launch.settings else NO_SETTING


def shares_fit_their_gpus(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report shares of whole layers that the GPUs do not hold, in whatever order they are counted.

    Weights alone are asked for: caches and buffers come on top.
    """
    for launch in scene.launches:
        split, meant, named = launch.settings.get("split"), facts.meant(launch), facts.named(launch)
        if split is None or not split.known or meant is None or named is None:
            continue
        told_more = any(name in launch.settings for name in ("offload", "devices", "rpc"))
        if told_more or launch.text("split_mode") not in {"", "layer"}:
            continue
        combo, shares = facts.combo(launch, named), shares_of(split.text)
        if combo is None or not shares or meant.checkpoint is None or sum(shares) <= 0:
            continue
        if len(shares) != len(combo.gpus) or not _on_gpus(launch, meant, facts):
            continue
        shape = facts.engine.reduced(meant.model, meant.checkpoint).shape
        layout = split_layout(shape, [round(share * _FINE) for share in shares])
        held = sorted((gpu.weights_bytes for gpu in layout.gpus), reverse=True)
        seen = sorted((gpu.visible_bytes for gpu in combo.gpus), reverse=True)
        if any(need > there for need, there in zip(held, seen, strict=True)):
            message = (
                f"the shares need {_gib(held)} GiB for weights; the GPUs have {_gib(seen)} GiB"
            )
            hint = "leave --tensor-split out: layers then follow the free memory of each GPU"
            yield finding(split.place, "split-size", message, hint)


def _gib(sizes: Sequence[int]) -> str:
    return " + ".join(f"{size / GIB:.1f}" for size in sizes)


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
    if not _on_gpus(launch, meant, facts):
        return None
    if not _is_mixed(launch, combo):
        return facts.request(launch, combo, meant)
    return None if "split" in launch.settings else _on_any(launch, combo, meant, facts)


def _is_mixed(launch: Launch, combo: Combo) -> bool:
    """Whether a launch takes some of several kinds of GPU: which depends on the driver's order.

    Whole layers go to all GPUs that a process sees, by their memory, unless it is told a split.
    """
    kinds = {(gpu.gpu.id, gpu.visible_bytes) for gpu in combo.gpus}
    spread = launch.traits.whole_layers and "split" not in launch.settings
    return len(kinds) > 1 and not spread and (launch.world or 1) < len(combo.gpus)


def _on_any(
    launch: Launch, combo: Combo, meant: ResolvedCheckpoint, facts: LintContext
) -> FitRequest | None:
    """Ask for the GPUs with the most memory; ``None`` where those with the least say otherwise."""
    asked = [
        facts.request(launch, part, meant) for part in facts.extremes(combo, launch.world or 1)
    ]
    found = [facts.answer(one) if one is not None else None for one in asked]
    told = [runs_at_all(one) for one in found if one is not None]
    return asked[0] if len(told) == len(asked) and len(set(told)) == 1 else None


def _on_gpus(launch: Launch, meant: ResolvedCheckpoint, facts: LintContext) -> bool:
    """Whether llama.cpp is told to keep every layer on GPUs: otherwise it makes do.

    The head counts as one more layer. Programs that cannot be told keep all of them.
    """
    if "gpu_share" in launch.traits.settings:
        return launch.text("gpu_share").lower() in WHOLE
    if "layers" not in launch.traits.settings:
        return True
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
    say = warning if reason.code in ADDED else finding
    where = ("decode_context",) if reason.code in SHARING else ("model",)
    yield say(place_of(launch, *where), "unsupported", message)


def _too_large(launch: Launch, assessment: Assessment, facts: LintContext) -> Iterator[Problem]:
    codes = {reason.code: reason for reason in assessment.reasons}
    named = facts.named(launch)
    if named is None or assessment.plan is None:
        return
    if launch.traits.spills:
        yield from _spilled(launch, assessment, facts, named.words)
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
            f"{use.high:.0%} of the fullest GPU's usable memory: it will probably not start"
        )
        place = place_of(launch, "context", "model")
        yield warning(place, "may-not-fit", message, _capped(launch, _reach(launch, facts)))


def _spilled(
    launch: Launch, assessment: Assessment, facts: LintContext, words: str
) -> Iterator[Problem]:
    """Warn of what GPUs do not hold where the program puts it in system RAM without a word.

    Source:
        https://docs.ollama.com/context-length, read 2026-11-27, and Ollama fb3076099,
        ``llm/llama_server.go``: it leaves the number of layers on GPUs to ``llama-server``.
    """
    if runs_at_all(assessment):
        return
    asked = assessment.workload
    many = f" for each of {asked.sequences} requests" if asked.sequences > 1 else ""
    context = f"{asked.context_tokens:,} tokens of context{many}"
    if "context" not in launch.settings:
        context = (
            f"the {asked.context_tokens:,} tokens that {launch.traits.name} uses by default{many}"
        )
    reach = _reach(launch, facts)
    beside = f" with {context}" if reach.tokens else ""  # else the weights alone are too much
    whole = f"{_weights(assessment)}{beside} is more than {words} can hold: "
    message = f"{whole}{launch.traits.name} puts the rest in system RAM, so answers are slow"
    hint = _capped(launch, reach)
    named = facts.named(launch)
    if not hint and named is not None:
        other = instead(launch, facts, named)
        hint = other if "hf.co/" in other else ""  # the same files would change nothing
    names = ("context", "parallel", "model") if reach.tokens else ("model",)
    yield warning(place_of(launch, *names), "partly-in-ram", message, hint)


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
    tokens = reach.tokens * (1 if launch.traits.context_each else reach.sequences)
    return corrected(launch, {"context": str(tokens)}) if tokens else ""

"""Judging claims about speed: decode, time to the first token, comparisons."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.catalog.domain.claims import FirstToken, Ratio, Side, Throughput
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel, Quantization
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment, PlanGoal
from sitegen.physics.bounds import peak_rates, plausibility
from sitegen.physics.bounds.judgement import (
    Arguments,
    BoundFinding,
    ClaimVerdict,
    Judgement,
    Step,
    kindest,
    refuted,
)
from sitegen.physics.memory.profile_constants import scaled
from sitegen.physics.reduced_checkpoint import weights_class
from sitegen.published.claims.context import ClaimContext, fits

CONFIRMED, DOUBTFUL = ClaimVerdict.CONFIRMED, ClaimVerdict.DOUBTFUL
DISPUTED, IMPOSSIBLE = ClaimVerdict.DISPUTED, ClaimVerdict.IMPOSSIBLE
APART = 1.5
"""Readings whose bits differ by more than this factor are two claims, not one."""


def throughput(cases: ClaimContext, claim: Throughput) -> Judgement:
    """Hold a decode speed against the bounds, then against the engine's interval.

    Where the page does not say the precision, and readings are far apart, the finding says that
    it holds at one of them.
    """
    if claim.aided:
        return Judgement(DOUBTFUL, "AIDED", {}, ())
    if claim.model is None:
        return Judgement(DOUBTFUL, "SAYS_TOO_LITTLE", {"missing": "the model"}, ())
    judged = [_throughput(cases, claim, claim.model, r) for r in claim.quantizations]
    # What no runtime serves in one precision was not measured in it, if another is served.
    served = [one for one in judged if any(step.code == "estimate" for step in one.steps)]
    judgement = kindest(served or judged)
    bits = [recipe.nominal_bits for recipe in claim.quantizations]
    if judgement.verdict is CONFIRMED and max(bits) > APART * min(bits):
        arguments: Arguments = {**judgement.arguments, "missing": "the precision"}
        code = "POSSIBLE_AT_ONE_PRECISION"
        return Judgement(CONFIRMED, code, arguments, judgement.steps, judgement.reading)
    return judgement


def _throughput(
    cases: ClaimContext, claim: Throughput, model: LanguageModel, recipe: Quantization
) -> Judgement:
    reading = (recipe.id,)
    low, high = cases.around(claim.tokens_per_s, claim.tokens_per_s_high)
    read = cases.read_bytes(model, recipe)
    if claim.on is None:
        needed = Interval(read * low, read * low, read * high)
        return _from_memory(cases, claim, recipe, read, needed)
    gate = plausibility.links(claim.on) or _too_large(cases, claim, model, recipe, claim.on)
    if gate is not None:
        return _refused(gate, claim, reading)
    if claim.streams > 1:
        return _aggregate(cases, claim, model, recipe, claim.on)
    parts = cases.stream_parts(model, recipe, claim.on, claim.tensor)
    gate = plausibility.stream(low, parts, cases.ram(claim.on))
    if gate is not None:
        return _refused(gate, claim, reading)
    bound = peak_rates.bound_steps(parts)
    speed = single_speed(cases, claim, model, recipe, claim.on)
    return _compared(speed, (low, high), claim.tokens_per_s, bound, reading)


def _from_memory(
    cases: ClaimContext, claim: Throughput, recipe: Quantization, read: float, needed: Interval
) -> Judgement:
    """Hold a speed without hardware against the memory that the page implies, if it implies any.

    Machines that hold a part of the layers each read one after the other: one machine's bandwidth
    counts, not the sum.
    """
    steps = [
        Step("read-token", read, "bytes", "engine", recipe.id),
        Step("claimed-speed", claim.tokens_per_s, "tokens/s", "claim"),
        Step("rate-needed", needed.low, "bytes/s", "engine", high=needed.high),
    ]
    arguments: Arguments = {"missing": "the hardware", "bytes_per_s": needed.low}
    if claim.memory_rate is None:
        return Judgement(DOUBTFUL, "HARDWARE_MISSING", arguments, tuple(steps), (recipe.id,))
    rate = scaled(cases.engine.assumptions[claim.memory_rate])
    share = cases.engine.assumptions["ram-efficiency"].value
    most = rate.high * share.high
    steps += [
        Step("rate-ram", rate.low, "bytes/s", f"assumption:{claim.memory_rate}", high=rate.high),
        Step("share-reached", share.low, "1", "assumption:ram-efficiency", high=share.high),
        Step("rate-reached", rate.low * share.low, "bytes/s", "engine", high=most),
    ]
    arguments = {"bytes_per_s": needed.low, "most_bytes_per_s": most}
    if needed.low <= most and needed.high >= rate.low * share.low:
        return Judgement(CONFIRMED, "RAM_FAST_ENOUGH", arguments, tuple(steps), (recipe.id,))
    return Judgement(DISPUTED, "RAM_DIFFERS", arguments, tuple(steps), (recipe.id,))


def _refused(gate: BoundFinding, claim: Throughput, reading: tuple[str, ...]) -> Judgement:
    """Turn a finding into a judgement that shows the figure as printed, not rounded down."""
    judged = refuted(gate)
    if gate.code == "ABOVE_SPREAD_BOUND":
        judged = Judgement(DOUBTFUL, gate.code, gate.arguments, gate.steps)
    figure = Step(
        "claimed-speed", claim.tokens_per_s, "tokens/s", "claim", high=claim.tokens_per_s_high
    )
    steps = tuple(figure if step.code == "claimed-speed" else step for step in judged.steps)
    return Judgement(judged.verdict, judged.code, judged.arguments, steps, reading)


def _too_large(
    cases: ClaimContext, claim: Throughput, model: LanguageModel, recipe: Quantization, combo: Combo
) -> BoundFinding | None:
    """Refuse what cannot be held; a plan with a tensor parallel size leaves nothing to RAM."""
    held = cases.weigh(model, recipe).least_gpu_bytes
    ram = cases.ram(combo) if claim.tensor is None else None
    return plausibility.memory(held, peak_rates.readers(combo.gpus), ram)


def single_speed(
    cases: ClaimContext,
    claim: Throughput | Side,
    model: LanguageModel,
    recipe: Quantization,
    combo: Combo,
) -> Interval | None:
    """Return the span of decode speeds over the runtimes that run it; ``None`` where none does."""
    found = cases.assessments(
        model, recipe, combo, tensor=claim.tensor, pipeline=claim.pipeline, goal=PlanGoal.LATENCY
    )
    speeds = [one.speed.single_tokens_per_s for one in found if _runs(one) and one.speed]
    if not speeds:
        return None
    return _span(speeds)


def _span(rates: Sequence[Interval]) -> Interval:
    """Span all of them, around the best middle estimate."""
    best = Interval.highest(rates)
    return Interval(min(rate.low for rate in rates), best.mid, best.high)


def _runs(assessment: Assessment) -> bool:
    return assessment.speed is not None and (
        fits(assessment) or assessment.speed.single_tokens_per_s.mid > 0
    )


def _compared(
    speed: Interval | None,
    stated: tuple[float, float],
    figure: float,
    steps: tuple[Step, ...],
    reading: tuple[str, ...],
) -> Judgement:
    claimed = Step("claimed-speed", figure, "tokens/s", "claim")
    if speed is None:
        arguments = {"tokens_per_s": figure}
        return Judgement(DOUBTFUL, "POSSIBLE_UNESTIMATED", arguments, (*steps, claimed), reading)
    estimate = Step("estimate", speed.low, "tokens/s", "engine", high=speed.high)
    arguments = {"tokens_per_s": figure, "speed_low": speed.low, "speed_high": speed.high}
    lines = (*steps, estimate, claimed)
    if stated[0] <= speed.high and stated[1] >= speed.low:
        return Judgement(CONFIRMED, "SPEED_AGREES", arguments, lines, reading)
    return Judgement(DISPUTED, "SPEED_OUTSIDE", arguments, lines, reading)


def _aggregate(
    cases: ClaimContext, claim: Throughput, model: LanguageModel, recipe: Quantization, combo: Combo
) -> Judgement:
    low, _ = cases.around(claim.tokens_per_s, claim.tokens_per_s_high)
    factor = cases.assumption("low-precision-rate-ratio")
    gpus = [one.gpu for one in combo.gpus]
    step = cases.read_bytes(model, recipe, claim.streams)
    rate = sum(gpu.memory_bandwidth_bytes_per_s for gpu in gpus)
    gate = plausibility.aggregate(
        low,
        streams=claim.streams,
        least_bytes=cases.read_bytes(model, recipe),
        spread_bytes=step,
        bytes_per_s=rate,
        active_parameters=cases.weigh(model, recipe).active_parameters,
        flops_per_s=peak_rates.peak_flops(
            gpus,
            weights_class(recipe),
            low_precision=factor.value.high if factor else peak_rates.LOW_PRECISION,
        ),
    )
    if gate is not None:
        return _refused(gate, claim, (recipe.id,))
    bound = claim.streams * rate / step
    steps = (
        Step("read-step", step, "bytes", "engine", recipe.id),
        Step("rate-gpus", rate, "bytes/s", "catalog"),
        Step("streams", claim.streams, "count", "claim"),
        Step("bound-memory", bound, "tokens/s", "engine"),
        Step("claimed-speed", claim.tokens_per_s, "tokens/s", "claim"),
    )
    arguments = {"bound": bound, "tokens_per_s": claim.tokens_per_s, "streams": claim.streams}
    return Judgement(DOUBTFUL, "BELOW_STEP_BOUND", arguments, steps, (recipe.id,))


def first_token(cases: ClaimContext, claim: FirstToken) -> Judgement:
    """Hold a time to the first token against the operations that the prompt takes.

    Without a prompt length, the finding says how long a prompt the engine expects to be read in
    that time; what a runtime spends on any prompt, however short, is neglected.
    """
    factor = cases.assumption("low-precision-rate-ratio")
    rate = peak_rates.peak_flops(
        [one.gpu for one in claim.on.gpus],
        "",
        low_precision=factor.value.high if factor else peak_rates.LOW_PRECISION,
    )
    model = claim.model
    active = cases.weigh(model, model.checkpoints[0].quantization).active_parameters
    seconds = claim.milliseconds / 1e3
    steps = [
        Step("active-parameters", active, "parameters", f"model:{model.id}"),
        Step("claimed-time", seconds, "s", "claim"),
    ]
    gate = plausibility.links(claim.on)
    if gate is not None:
        return refuted(gate)
    if rate is None:
        return Judgement(DOUBTFUL, "SAYS_TOO_LITTLE", {"missing": "the prompt"}, tuple(steps))
    longest = seconds * rate / (2 * active)
    steps.insert(1, Step("peak-rate", rate, "flop/s", "catalog"))
    steps.append(Step("longest-prompt", longest, "tokens", "engine"))
    arguments: Arguments = {"longest_tokens": int(longest), "seconds": seconds}
    if claim.prompt_tokens is not None and claim.prompt_tokens > longest:
        return Judgement(IMPOSSIBLE, "PROMPT_TOO_LONG", arguments, tuple(steps))
    reading = _reading_speed(cases, claim)
    if reading is None:
        return Judgement(DOUBTFUL, "PROMPT_UNESTIMATED", arguments, tuple(steps))
    least, most = seconds * reading.low, min(longest, seconds * reading.high)
    steps.append(Step("reading-speed", reading.low, "tokens/s", "engine", high=reading.high))
    steps.append(Step("prompt-read", least, "tokens", "engine", high=most))
    arguments = {"seconds": seconds, "least_tokens": int(least), "most_tokens": int(most)}
    if claim.prompt_tokens is None:
        holds, code = most >= 1, "PROMPT_MISSING"
    else:
        holds, code = least <= claim.prompt_tokens <= most, "PROMPT_READ"
    return Judgement(CONFIRMED if holds else DISPUTED, code, arguments, tuple(steps))


def _reading_speed(cases: ClaimContext, claim: FirstToken) -> Interval | None:
    """Return how fast prompts are read, over production precisions and runtimes that run it."""
    rates = [
        assessment.speed.prefill_tokens_per_s
        for checkpoint in claim.model.checkpoints
        if checkpoint.quantization.production
        for assessment in cases.assessments(
            claim.model, checkpoint.quantization, claim.on, goal=PlanGoal.LATENCY
        )
        if fits(assessment)
        and assessment.speed is not None
        and assessment.speed.prefill_tokens_per_s is not None
    ]
    if not rates:
        return None
    return _span(rates)


def ratio(cases: ClaimContext, claim: Ratio) -> Judgement:
    """Compare a ratio with the engine's, for each precision that either side may mean."""
    return kindest(
        _ratio(cases, claim, first, second)
        for first in claim.first.quantizations
        for second in claim.second.quantizations
    )


def _ratio(
    cases: ClaimContext, claim: Ratio, first: Quantization, second: Quantization
) -> Judgement:
    reading = (first.id, second.id)
    a, b = _side(cases, claim, claim.first, first), _side(cases, claim, claim.second, second)
    if a is None or b is None:
        missing = {"missing": "hardware that both sides run on"}
        return Judgement(DOUBTFUL, "SAYS_TOO_LITTLE", missing, (), reading)
    unit = "bytes" if claim.of == "weights" else "tokens/s"
    ends = sorted((a.low / b.low, a.mid / b.mid, a.high / b.high))
    low, high = cases.around(claim.ratio, claim.ratio_high)
    steps = (
        Step("first", a.low, unit, "engine", first.id, high=a.high),
        Step("second", b.low, unit, "engine", second.id, high=b.high),
        Step("ratio", ends[0], "1", "engine", high=ends[-1]),
        Step("claimed-ratio", claim.ratio, "1", "claim", high=claim.ratio_high),
    )
    arguments = {"ratio_low": ends[0], "ratio_high": ends[-1], "claimed_ratio": claim.ratio}
    agrees = low <= ends[-1] and high >= ends[0]
    code = "RATIO_AGREES" if agrees else "RATIO_DIFFERS"
    return Judgement(CONFIRMED if agrees else DISPUTED, code, arguments, steps, reading)


def _side(cases: ClaimContext, claim: Ratio, side: Side, recipe: Quantization) -> Interval | None:
    if claim.of == "weights":
        held = cases.weights_bytes(side, recipe)
        return Interval.exact(held)
    if side.model is None or side.on is None:
        return None
    return single_speed(cases, side, side.model, recipe, side.on)

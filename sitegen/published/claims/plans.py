"""Judging claims about set-ups: what fits on what, launch flags, users served at once."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.claims import Fits, LaunchFlags, Users
from sitegen.catalog.domain.hardware import (
    Combo,
    ComboProse,
    DedicatedMemory,
    Gpu,
    InstalledGpu,
    Node,
    OperatingSystem,
)
from sitegen.catalog.domain.models import Quantization
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.physics.bounds import peak_rates, plausibility
from sitegen.physics.bounds.judgement import (
    Arguments,
    ClaimVerdict,
    Judgement,
    Step,
    kindest,
    refuted,
)
from sitegen.physics.tensor_cut import tensor_conflict
from sitegen.problems import SourceSpan
from sitegen.published.claims.context import ClaimContext, fits

CONFIRMED, DOUBTFUL = ClaimVerdict.CONFIRMED, ClaimVerdict.DOUBTFUL
DISPUTED, IMPOSSIBLE = ClaimVerdict.DISPUTED, ClaimVerdict.IMPOSSIBLE


def fit(cases: ClaimContext, claim: Fits) -> Judgement:
    """Assess what a page says fits, or does not, for each precision that may be meant."""
    combos = (claim.on,) if claim.on is not None else tuple(single_gpus(cases))
    found = kindest(
        _fit(cases, claim, recipe, combo) for recipe in claim.quantizations for combo in combos
    )
    return found if claim.fits else _denied(found)


def _denied(judgement: Judgement) -> Judgement:
    """Turn around what was found for "it does not fit"."""
    turned = {
        CONFIRMED: (DISPUTED, "FITS_AFTER_ALL"),
        DOUBTFUL: (DOUBTFUL, judgement.code),
        DISPUTED: (CONFIRMED, judgement.code),
        IMPOSSIBLE: (CONFIRMED, judgement.code),
    }
    verdict, code = turned[judgement.verdict]
    return Judgement(verdict, code, judgement.arguments, judgement.steps, judgement.reading)


def single_gpus(cases: ClaimContext) -> Iterator[Combo]:
    """Yield a machine with one of each GPU that has memory of its own, the largest first."""
    gpus = [g for g in cases.engine.catalog.gpus.values() if isinstance(g.memory, DedicatedMemory)]
    for gpu in sorted(gpus, key=lambda g: (-_visible(g), g.id)):
        yield machine(gpu, 1)


def _visible(gpu: Gpu) -> int:
    return gpu.memory.visible_bytes if isinstance(gpu.memory, DedicatedMemory) else 0


def machine(gpu: Gpu, count: int, nodes: int = 1) -> Combo:
    """Build machines with so many of a GPU each, on links of which nothing is known."""
    size = gpu.memory.installed_bytes if isinstance(gpu.memory, DedicatedMemory) else 0
    one = InstalledGpu(gpu, size, _visible(gpu))
    node = Node("node", (one,) * count, None, None, None, OperatingSystem.LINUX, False)
    name = f"{nodes}x{count}x{gpu.id}"
    prose = ComboProse("", "", ())
    return Combo(name, name, "", (node,) * nodes, None, "", prose, "", (), SourceSpan(""))


def _fit(cases: ClaimContext, claim: Fits, recipe: Quantization, combo: Combo) -> Judgement:
    gate = plausibility.links(combo)
    if gate is not None:
        return refuted(gate)
    reading = (recipe.id, combo.gpus[0].gpu.id) if claim.on is None else (recipe.id,)
    weights = cases.weights_steps(claim, recipe)
    held = cases.held_bytes(claim, recipe)
    seen = peak_rates.readers(combo.gpus)
    gate = plausibility.memory(held, seen, cases.ram(combo) if _spare(combo) else None)
    if gate is not None:
        steps = (*weights, *gate.steps[1:])
        return Judgement(IMPOSSIBLE, gate.code, gate.arguments, steps, reading)
    visible = sum(gpu.visible_bytes for gpu in seen)
    alone = {"need_bytes": held, "visible_bytes": visible}
    counted = (*weights, Step("visible", visible, "bytes", "engine"))
    if claim.model is None:
        return Judgement(DOUBTFUL, "WEIGHTS_ALONE_FIT", alone, counted, reading)
    assessments = cases.assessments(
        claim.model, recipe, combo, tensor=claim.tensor, pipeline=claim.pipeline,
        context_tokens=claim.context_tokens,
    )  # fmt: skip
    if not assessments:
        return Judgement(DOUBTFUL, "WEIGHTS_ALONE_FIT", alone, counted, reading)
    return _assessed(assessments[0], weights, reading)


def _spare(combo: Combo) -> bool:
    return any(node.ram_bytes for node in combo.nodes)


def _assessed(best: Assessment, weights: tuple[Step, ...], reading: tuple[str, ...]) -> Judgement:
    """Say what an assessment means for "it fits"."""
    steps = (*weights, *_ledger_steps(best))
    arguments: dict[str, int | float | str] = {
        "runtime": best.runtime.id,
        "context_tokens": best.verdict_context_tokens,
    }
    reached = best.verdict_utilization
    if reached is None:
        refusal = best.reasons[0]
        merged = {**arguments, **refusal.arguments}
        return Judgement(IMPOSSIBLE, refusal.code, merged, steps, reading)
    arguments |= {"low": reached.low, "high": reached.high, "utilization": reached.mid}
    if not fits(best):
        return Judgement(DISPUTED, "NOT_PRACTICAL", arguments, steps, reading)
    if best.tier is FitTier.COMFORTABLE:
        return Judgement(CONFIRMED, "COMFORTABLE", arguments, steps, reading)
    if reached.high > 1:
        verdict = CONFIRMED if reached.mid <= 1 else DISPUTED
        return Judgement(verdict, "TOO_CLOSE", arguments, steps, reading)
    return Judgement(CONFIRMED, "BORDERLINE", arguments, steps, reading)


def _ledger_steps(best: Assessment) -> Iterator[Step]:
    busiest = best.busiest
    if busiest is None:
        return
    for line, value in busiest.lines.items():
        if value.high > 0:
            yield Step(f"ledger-{line}", value.low, "bytes", "engine", high=value.high)
    yield Step("budget", busiest.budget_bytes, "bytes", f"gpu:{busiest.gpu_id}", busiest.gpu_id)
    if best.verdict_utilization is not None:
        reached = best.verdict_utilization
        yield Step("utilization", reached.low, "1", "engine", high=reached.high)


def launch(cases: ClaimContext, claim: LaunchFlags) -> Judgement:
    """Hold launch flags against the number of GPUs, the model's widths and the memory there is."""
    each = claim.tensor * claim.pipeline
    needed = each if claim.per_replica else each * claim.replicas
    steps = (
        Step("tensor", claim.tensor, "count", "claim"),
        Step("pipeline", claim.pipeline, "count", "claim"),
        Step("replicas", claim.replicas, "count", "claim"),
        Step("gpus-needed", needed, "count", "engine"),
        Step("gpus-there", claim.gpus, "count", "claim"),
    )
    crowded = plausibility.world(needed, claim.gpus)
    if crowded is not None:
        return Judgement(IMPOSSIBLE, crowded.code, crowded.arguments, steps)
    counted = cases.weigh(claim.model, claim.quantization)
    broken = tensor_conflict(counted.shape, claim.tensor, expert_parallel=False)
    if broken:
        code, size, tp, group = broken
        arguments: dict[str, int | float | str] = {
            "heads": size, "kv_heads": size, "size": size, "tp": tp, "group": group, "block": group,
        }  # fmt: skip
        return Judgement(IMPOSSIBLE, code, arguments, steps)
    if claim.gpu is not None:
        return _launched(cases, claim, claim.gpu, steps)
    weights = Step(
        "weights-each", counted.weights.total_bytes / each, "bytes", "engine", claim.quantization.id
    )
    per_node = claim.gpus // claim.nodes
    arguments = {"needed": needed, "available": claim.gpus, "weights_bytes": weights.value}
    if claim.tensor > per_node:
        arguments["tp"] = claim.tensor
        return Judgement(CONFIRMED, "TENSOR_ACROSS_NODES", arguments, (*steps, weights))
    return Judgement(CONFIRMED, "FLAGS_AGREE", arguments, (*steps, weights))


def _launched(
    cases: ClaimContext, claim: LaunchFlags, gpu: Gpu, steps: tuple[Step, ...]
) -> Judgement:
    """Judge flags on GPUs that are named: then the memory counts too."""
    held = cases.weigh(claim.model, claim.quantization).weights.total_bytes
    combo = machine(gpu, max(1, claim.gpus // claim.nodes), claim.nodes)
    each = claim.tensor * claim.pipeline
    seen = peak_rates.readers(machine(gpu, each).gpus)
    gate = plausibility.memory(held, seen, None)
    weights = Step("weights", held, "bytes", "engine", claim.quantization.id)
    if gate is not None:
        return Judgement(IMPOSSIBLE, gate.code, gate.arguments, (*steps, weights, *gate.steps))
    assessments = cases.assessments(
        claim.model, claim.quantization, combo, tensor=claim.tensor, pipeline=claim.pipeline,
        context_tokens=claim.context_tokens,
    )  # fmt: skip
    if not assessments:
        arguments = {"quantization": claim.quantization.id}
        return Judgement(DOUBTFUL, "NO_PROFILE", arguments, (*steps, weights))
    return _assessed(assessments[0], (*steps, weights), ())


def users(cases: ClaimContext, claim: Users) -> Judgement:
    """Count how many sequences are resident at once, at the page's context or at several."""
    return kindest(_users(cases, claim, recipe) for recipe in claim.quantizations)


def _users(cases: ClaimContext, claim: Users, recipe: Quantization) -> Judgement:
    reading = (recipe.id,)
    if claim.model is None:
        return Judgement(DOUBTFUL, "SAYS_TOO_LITTLE", {"missing": "the model"}, (), reading)
    found = cases.assessments(claim.model, recipe, claim.on, context_tokens=claim.context_tokens)
    weights = cases.weights_steps(claim, recipe)
    if not found or not fits(found[0]) or found[0].limits is None:
        return Judgement(DISPUTED, "SERVES_NONE", {"users": claim.users}, weights, reading)
    best = max(found, key=lambda f: f.limits.kv_pool_tokens if f.limits else 0)
    limits, replicas = best.limits, best.plan.replicas if best.plan else 1
    pool = (limits.kv_pool_tokens if limits else 0) * replicas
    each = pool // claim.users
    steps = (
        *weights,
        Step("pool", pool, "tokens", "engine", best.runtime.id),
        Step("users", claim.users, "count", "claim"),
        Step("tokens-each", each, "tokens", "engine"),
    )
    arguments: Arguments = {
        "users": claim.users, "each_tokens": each, "runtime": best.runtime.id,
        "context_tokens": claim.context_tokens or 0,
    }  # fmt: skip
    if claim.context_tokens is None:
        least = int(cases.engine.assumptions["reduced-context-tokens"].value.mid)
        arguments = {**arguments, "context_tokens": least, "users_then": pool // least}
        verdict = CONFIRMED if each >= least else DISPUTED
        return Judgement(verdict, "USERS_WITHOUT_CONTEXT", arguments, steps, reading)
    enough = each >= claim.context_tokens
    code = "USERS_FIT" if enough else "USERS_DO_NOT_FIT"
    return Judgement(CONFIRMED if enough else DISPUTED, code, arguments, steps, reading)

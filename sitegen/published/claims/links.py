"""Judging claims about links: bandwidth, latency, whether a GPU has one, whether it is enough."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.claims import GpuLink, LinkFigure, LinkUse
from sitegen.catalog.domain.hardware import Interconnect
from sitegen.catalog.domain.models import Quantization
from sitegen.fit.assess import subject_of
from sitegen.fit.assessment import REFERENCE_WORKLOAD, FitRequest
from sitegen.fit.evaluation import Evaluation
from sitegen.models.unpublished import listed_or_made
from sitegen.physics import valid_splits
from sitegen.physics.bounds import plausibility
from sitegen.physics.bounds.judgement import (
    Arguments,
    ClaimVerdict,
    Judgement,
    Step,
    kindest,
    refuted,
)
from sitegen.physics.gpu_groups import exact_set
from sitegen.physics.memory.paged import PagedEngine
from sitegen.physics.plan import DEFAULTS, Reason
from sitegen.physics.speed.estimate import ReplicaPipeline
from sitegen.published.claims.context import ClaimContext
from sitegen.units import GB

CONFIRMED, DOUBTFUL = ClaimVerdict.CONFIRMED, ClaimVerdict.DOUBTFUL
DISPUTED, IMPOSSIBLE = ClaimVerdict.DISPUTED, ClaimVerdict.IMPOSSIBLE


def figure(cases: ClaimContext, claim: LinkFigure) -> Judgement:
    """Compare a bandwidth or a latency with the link's record."""
    if claim.link is None:
        missing = {"missing": "a record of this link in the catalog"}
        return Judgement(DOUBTFUL, "SAYS_TOO_LITTLE", missing, ())
    if claim.gb_s is not None:
        return _bandwidth(cases, claim, claim.link, claim.gb_s)
    return _latency(claim.link, claim.latency_us or 0.0)


def _bandwidth(
    cases: ClaimContext, claim: LinkFigure, link: Interconnect, gb_s: float
) -> Judgement:
    nominal, bus = link.nominal_bytes_per_s, link.bus_bandwidth_bytes_per_s
    if nominal is None:
        missing = {"missing": "the line rate of this link in the catalog"}
        return Judgement(DOUBTFUL, "SAYS_TOO_LITTLE", missing, ())
    low, high = (bound * GB for bound in cases.around(gb_s, claim.gb_s_high))
    source = f"link:{link.id}"
    steps = [
        Step("line-rate", nominal, "bytes/s", source, link.id),
        Step(
            "claimed-rate", gb_s * GB, "bytes/s", "claim",
            high=claim.gb_s_high * GB if claim.gb_s_high else None,
        ),
    ]  # fmt: skip
    if bus is not None:
        steps.insert(1, Step("bus-rate", bus.low, "bytes/s", source, link.id, bus.high))
    arguments: dict[str, int | float | str] = {
        "link": link.id,
        "nominal_bytes_per_s": nominal,
        "claimed_bytes_per_s": (claim.gb_s_high or gb_s) * GB,
    }
    least = min(bus.low, nominal) if bus is not None else nominal
    top = high if claim.gb_s_high is None else claim.gb_s_high * GB
    if low <= nominal and high >= least and (claim.gb_s_high is None or top <= nominal):
        return Judgement(CONFIRMED, "LINK_RATE_AGREES", arguments, tuple(steps))
    if low <= 2 * nominal <= top:
        if claim.gb_s_high is not None and top > 2 * nominal:
            return Judgement(IMPOSSIBLE, "ABOVE_LINE_RATE", arguments, tuple(steps))
        return Judgement(DOUBTFUL, "BOTH_DIRECTIONS", arguments, tuple(steps))
    if low > 2 * nominal:
        return Judgement(IMPOSSIBLE, "ABOVE_LINE_RATE", arguments, tuple(steps))
    return Judgement(DISPUTED, "LINK_RATE_DIFFERS", arguments, tuple(steps))


def _latency(link: Interconnect, claimed_us: float) -> Judgement:
    """Compare a latency with what an empty all-reduce costs, which is what a plan waits for."""
    if link.latency_s is None:
        missing = {"missing": "the latency of this link in the catalog"}
        return Judgement(DOUBTFUL, "SAYS_TOO_LITTLE", missing, ())
    seconds, known = claimed_us * 1e-6, link.latency_s
    steps = (
        Step("collective-latency", known.low, "s", f"link:{link.id}", link.id, known.high),
        Step("claimed-time", seconds, "s", "claim"),
    )
    arguments: Arguments = {
        "link": link.id, "seconds": seconds, "least_seconds": known.low,
        "most_seconds": known.high,
    }  # fmt: skip
    if seconds < known.low * (1 - 1e-9):
        return Judgement(DISPUTED, "LATENCY_BELOW_LINK", arguments, steps)
    if seconds > known.high:
        return Judgement(DISPUTED, "LATENCY_ABOVE_LINK", arguments, steps)
    return Judgement(CONFIRMED, "LATENCY_AGREES", arguments, steps)


def gpu_link(cases: ClaimContext, claim: GpuLink) -> Judgement:
    """Look a GPU's links up."""
    known = cases.engine.catalog.interconnects
    kinds = {known[id_].kind for id_ in claim.gpu.links if id_ in known}
    if claim.kind == "pcie" or claim.kind in kinds:
        arguments = {"gpu": claim.gpu.id, "kind": claim.kind}
        step = Step("links-of-gpu", len(claim.gpu.links), "count", f"gpu:{claim.gpu.id}")
        return Judgement(CONFIRMED, "LINK_ON_GPU", arguments, (step,))
    return refuted(plausibility.absent_link(claim.gpu, claim.kind))


def link_use(cases: ClaimContext, claim: LinkUse) -> Judgement:
    """Compute what share of a token's time the link takes under the split that is meant."""
    return kindest(_link_use(cases, claim, recipe) for recipe in claim.quantizations)


def _link_use(cases: ClaimContext, claim: LinkUse, recipe: Quantization) -> Judgement:
    reading = (recipe.id,)
    crowded = plausibility.world(claim.tensor * claim.pipeline, len(claim.on.gpus))
    if crowded is not None:
        return refuted(crowded)
    laid_out = tuple(_laid_out(cases, claim, recipe))
    fits = [found for found in laid_out if found[0] is not None and found[0].pipeline is not None]
    evaluation, refusal = (*fits, *laid_out, (None, None))[0]
    if refusal is not None and refusal.code != "TP_ACROSS_NODES":
        step = Step("tensor", claim.tensor, "count", "claim")
        return Judgement(IMPOSSIBLE, refusal.code, refusal.arguments, (step,), reading)
    if evaluation is None or evaluation.pipeline is None:
        missing = {"missing": "an assessed runtime that can lay this split out"}
        return Judgement(DOUBTFUL, "SAYS_TOO_LITTLE", missing, (), reading)
    return _shared(cases, claim, evaluation, evaluation.pipeline, refused=refusal is not None)


def _laid_out(
    cases: ClaimContext, claim: LinkUse, recipe: Quantization
) -> Iterator[tuple[Evaluation | None, Reason | None]]:
    """Lay the split out under each paged runtime; a slow link refuses it and is measured still."""
    if claim.model is None:
        return
    for runtime, profile in cases.runtimes(recipe):
        request = FitRequest(
            claim.model, listed_or_made(claim.model, recipe), claim.on, runtime, profile
        )
        prepared = cases.engine.prepare(subject_of(request))
        if not isinstance(prepared.memory, PagedEngine):
            continue
        split = (claim.tensor, claim.pipeline)
        size = claim.tensor * claim.pipeline
        group = cases.engine.canonical(exact_set(claim.on, size, cases.engine.assumptions))
        refusal = valid_splits.refusal(prepared.reduced, runtime, group, split)
        if refusal is not None and refusal.code != "TP_ACROSS_NODES":
            yield None, refusal
        else:
            workload, settings = REFERENCE_WORKLOAD, DEFAULTS
            yield prepared.evaluate_split(group, split, workload, settings), refusal


def _shared(
    cases: ClaimContext,
    claim: LinkUse,
    evaluation: Evaluation,
    pipeline: ReplicaPipeline,
    *,
    refused: bool,
) -> Judgement:
    """Compare the link's share of a token and of a long prompt with what it may take."""
    limit = cases.engine.assumptions["link-share-limit"].value.mid
    most = cases.engine.assumptions["prefill-limit-s"].value.mid
    speed, half = cases.engine.judge.speed, evaluation.workload.context_tokens // 2
    token = 1 / speed.single(pipeline, evaluation.group, context=half).mid
    share = speed.communication_share(pipeline, evaluation.group, context=half)
    first, of_first = speed.prefill_s(pipeline) or 0.0, speed.prompt_link_s(pipeline)
    enough = share <= limit and of_first <= most
    network = claim.on.network or claim.on.nodes[0].link
    steps = (
        Step("token-time", token, "s", "engine"),
        Step("link-time", share * token, "s", f"link:{network.id}" if network else "engine"),
        Step("share", share, "1", "engine"),
        Step("limit", limit, "1", "assumption:link-share-limit"),
        Step("prompt-time", first, "s", "engine"),
        Step("prompt-link-time", of_first, "s", "engine"),
        Step("prompt-limit", most, "s", "assumption:prefill-limit-s"),
    )
    arguments: Arguments = {
        "share": share, "seconds": of_first, "link": network.id if network else "",
    }  # fmt: skip
    code = "LINK_ENOUGH" if enough else "LINK_NOT_ENOUGH"
    if refused and enough:
        code = "TENSOR_OVER_SOCKETS"
    agrees = (enough and not refused) == claim.works
    recipe = evaluation.reduced.id.rpartition("--")[2]
    return Judgement(CONFIRMED if agrees else DISPUTED, code, arguments, steps, (recipe,))

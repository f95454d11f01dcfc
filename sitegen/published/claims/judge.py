"""Judging what public pages say: each kind of claim by the engine's own functions.

No verdict is written down anywhere: change a figure of a claim, or a fact of the catalog, and the
verdict follows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sitegen.catalog.domain import claims as said
from sitegen.catalog.domain.claims import Claim, ClaimedPage
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.bounds.judgement import ClaimVerdict, Judgement
from sitegen.published.claims import cost, links, memory, plain, plans, speed
from sitegen.published.claims.context import ClaimContext
from sitegen.values import dataclass

JUDGES: Mapping[type[Any], Callable[[ClaimContext, Any], Judgement]] = {
    said.Parameters: memory.parameters,
    said.Weights: memory.weights,
    said.Memory: memory.minimum_memory,
    said.KvCacheClaim: memory.cache,
    said.TotalMemory: memory.total_memory,
    said.EffectiveMemory: memory.effective_memory,
    said.GpuCount: memory.gpu_count,
    said.Fits: plans.fit,
    said.LaunchFlags: plans.launch,
    said.Users: plans.users,
    said.Throughput: speed.throughput,
    said.FirstToken: speed.first_token,
    said.Ratio: speed.ratio,
    said.LinkFigure: links.figure,
    said.GpuLink: links.gpu_link,
    said.LinkUse: links.link_use,
    said.BreakEven: cost.break_even,
    said.PowerCost: cost.power,
    said.Rental: cost.rental,
    said.ApiCost: cost.api,
    said.FigureClaim: plain.figure,
    said.TierRule: plain.tier_rule,
    said.Count: plain.count,
    said.Sum: plain.total,
    said.Open: plain.open_question,
}
"""Who judges which assertion."""


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim and what the engine says of it."""

    claim: Claim
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """A page and its claims, in the page's order."""

    page: ClaimedPage
    claims: tuple[JudgedClaim, ...]

    def count(self, verdict: ClaimVerdict) -> int:
        """Count the claims with a verdict."""
        return sum(1 for judged in self.claims if judged.judgement.verdict is verdict)


def judge_claim(cases: ClaimContext, claim: Claim) -> Judgement:
    """Judge one claim."""
    return JUDGES[type(claim.assertion)](cases, claim.assertion)


def judge_pages(engine: FitEngine) -> tuple[JudgedPage, ...]:
    """Judge every claim of the catalog, page by page."""
    cases = ClaimContext(engine)
    return tuple(
        JudgedPage(
            page, tuple(JudgedClaim(claim, judge_claim(cases, claim)) for claim in page.claims)
        )
        for page in engine.catalog.claims.values()
    )

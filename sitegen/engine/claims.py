"""Judging what public pages say: each kind of claim by the engine's own functions.

No verdict is written down anywhere: change a figure of a claim, or a fact of the catalog, and the
verdict follows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sitegen.catalog.domain import claims as said
from sitegen.catalog.domain.claims import Claim, ClaimedPage
from sitegen.engine import (
    claims_cost,
    claims_figures,
    claims_links,
    claims_memory,
    claims_plain,
    claims_plans,
    claims_speed,
)
from sitegen.engine.claim_cases import Cases
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.judgement import ClaimVerdict, Judgement
from sitegen.values import dataclass

JUDGES: Mapping[type[Any], Callable[[Cases, Any], Judgement]] = {
    said.Parameters: claims_memory.parameters,
    said.Weights: claims_memory.weights,
    said.Memory: claims_memory.minimum_memory,
    said.Cache: claims_memory.cache,
    said.TotalMemory: claims_memory.total_memory,
    said.EffectiveMemory: claims_memory.effective_memory,
    said.GpuCount: claims_memory.gpu_count,
    said.Fits: claims_plans.fit,
    said.Launch: claims_plans.launch,
    said.Users: claims_plans.users,
    said.Throughput: claims_speed.throughput,
    said.FirstToken: claims_speed.first_token,
    said.Ratio: claims_speed.ratio,
    said.LinkFigure: claims_links.figure,
    said.GpuLink: claims_links.gpu_link,
    said.LinkUse: claims_links.link_use,
    said.BreakEven: claims_cost.break_even,
    said.PowerCost: claims_cost.power,
    said.Rental: claims_cost.rental,
    said.ApiCost: claims_cost.api,
    said.Figure: claims_figures.figure,
    said.TierRule: claims_plain.tier_rule,
    said.Count: claims_plain.count,
    said.Sum: claims_plain.total,
    said.Open: claims_plain.open_question,
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


def judge(cases: Cases, claim: Claim) -> Judgement:
    """Judge one claim."""
    return JUDGES[type(claim.assertion)](cases, claim.assertion)


def judge_pages(engine: FitEngine) -> tuple[JudgedPage, ...]:
    """Judge every claim of the catalog, page by page."""
    cases = Cases(engine)
    return tuple(
        JudgedPage(page, tuple(JudgedClaim(claim, judge(cases, claim)) for claim in page.claims))
        for page in engine.catalog.claims.values()
    )

"""A combo's answer in one paragraph, and why its VRAM does or does not pool."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.physics.plan import PlanKind
from sitegen.site.words.hardware import PoolingShape, is_mixed, is_unified, shape_of
from sitegen.site.words.tiers import COMFORTABLY
from sitegen.survey.results import ComboSurvey
from sitegen.survey.runtime_support import RuntimeOnCombo, WayToPlan
from sitegen.values import dataclass

TENSOR_ACROSS_NODES = WayToPlan(PlanKind.TENSOR, over_machines=True)


def question(combo: Combo) -> str:
    """Return the title of a combo's page."""
    return f"What runs on {combo.name}?"


def _are(count: int) -> str:
    return f"{count or 'none'} {'is' if count <= 1 else 'are'}"


def description(survey: ComboSurvey) -> str:
    """Say the counts per tier for search engines, unrounded."""
    counts = {tier: len(survey.tier(tier)) for tier in FitTier}
    return (
        f"{counts[FitTier.COMFORTABLE]} of {len(survey.rows)} models fit {COMFORTABLY} on "
        f"{survey.combo.name}, {_are(counts[FitTier.BORDERLINE])} borderline, "
        f"{_are(counts[FitTier.NOT_PRACTICAL])} not practical. "
        "See memory per GPU, plans, limits and speed."
    )


@dataclass(frozen=True, slots=True)
class Pooling:
    """The facts that decide whether VRAM pools; the template has one sentence per case."""

    shape: PoolingShape
    mixed: bool
    unified: bool
    network: str
    node_links: str
    shared_nodes: bool
    tensor_across_nodes: bool
    tensor_across_nodes_refused: bool
    replicas: int


def pooling(survey: ComboSurvey, runtimes: Iterable[RuntimeOnCombo]) -> Pooling:
    """Gather what the explanation depends on."""
    combo = survey.combo
    links = dict.fromkeys(node.link.name for node in combo.nodes if node.link)
    largest: Assessment | None = survey.lead
    plan = largest.plan if largest else None
    return Pooling(
        shape_of(combo),
        is_mixed(combo),
        is_unified(combo),
        combo.network.name if combo.network else "",
        " and ".join(_with_article(link) for link in links),
        any(len(node.gpus) > 1 for node in combo.nodes),
        any(TENSOR_ACROSS_NODES in one.plans for one in runtimes),
        any(refused.reason.code == "TP_ACROSS_NODES" for refused in survey.refused),
        plan.replicas if plan else 1,
    )


def _with_article(link: str) -> str:
    """Write "an" before a bridge, which is a single part: "an NVLink 3 bridge"."""
    return f"an {link}" if " bridge" in link else link

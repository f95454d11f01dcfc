"""A combo's answer in one paragraph, and why its VRAM does or does not pool."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.physics.plan import PlanKind
from sitegen.site.cells import Cell, Link, NumberCell, Parts, TierMark, Unit
from sitegen.site.urls import url_of
from sitegen.site.words.hardware import PoolingShape, is_mixed, is_unified, shape_of
from sitegen.site.words.plans import as_plan
from sitegen.site.words.tiers import COMFORTABLY
from sitegen.site.words.verdicts import SHORT_CONTEXT, checkpoint_name
from sitegen.survey.answers import AnswerGoal
from sitegen.survey.best_for_use import FIRST
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


def answer(survey: ComboSurvey) -> Parts:
    """Say in one paragraph how many models run, and name the best and the one for many users."""
    count = {tier: len(survey.tier(tier)) for tier in FitTier}
    parts: list[Cell] = [
        f"{count[FitTier.COMFORTABLE]} of {len(survey.rows)} models fit {COMFORTABLY}, "
        f"{_are(count[FitTier.BORDERLINE])} borderline and "
        f"{_are(count[FitTier.NOT_PRACTICAL])} not practical. "
    ]
    parts += _lead(survey)
    parts += _serving(survey)
    return Parts(tuple(parts))


def _lead(survey: ComboSurvey) -> list[Cell]:
    """Name the first answer and how it runs."""
    lead = survey.lead
    if lead is None:
        return ["No model in the catalog runs here. "]
    best = next((one for one in survey.uses if one.use is FIRST), None)
    name = Link(url_of("model", lead.model.id), lead.model.name)
    parts: list[Cell] = [
        "Best overall: " if best else "Largest model that runs: ",
        name,
    ]
    parts.append(f" at {checkpoint_name(lead)} ")
    if best and len(best.picks) > 1:
        parts[-1] = f" at {checkpoint_name(lead)}, "
        parts.append(f"first of {len(best.picks)} models that published scores cannot tell apart, ")
    parts.append(TierMark(lead.tier, lead.too_close))
    if lead.plan is not None:
        parts.append(f" in {lead.runtime.name} {as_plan(lead.plan)}")
    if lead.speed is not None:
        speed = NumberCell(lead.speed.single_tokens_per_s.mid, Unit.TOKENS_PER_S)
        parts += [", about ", speed, " for one user"]
    return [*parts, ". "]


def _serving(survey: ComboSurvey) -> list[Cell]:
    serving = survey.aggregate_serving
    most = [one.best for one in survey.answers if one.goal is AnswerGoal.USERS_8K]
    if serving is None or not most:
        return []
    return [
        "For many users: ",
        Link(url_of("model", serving.model.id), serving.model.name),
        f" at {checkpoint_name(serving)} in {serving.runtime.name} serves ",
        NumberCell(most[0].amount.mid, Unit.COUNT),
        " users, each with ",
        NumberCell(SHORT_CONTEXT, Unit.TOKENS),
        " of context, at reading speed, if most of each prompt is already in the KV cache.",
    ]


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

"""The words of the pictures of combo pages and model pages."""

from __future__ import annotations

from sitegen.fit.assessment import Assessment
from sitegen.site.cells import Cell, NumberCell, Parts, Unit, span
from sitegen.site.social_card import SocialCard
from sitegen.site.tier_counts import TierTally
from sitegen.site.words.tiers import COMFORTABLY
from sitegen.site.words.verdicts import checkpoint_name
from sitegen.survey.results import ComboSurvey


def combo_card(survey: ComboSurvey, title: str, counts: TierTally) -> SocialCard:
    """Say what a combo's page says first."""
    found = survey.lead
    lines: tuple[Cell, ...] = ("No model in the catalog fits.",)
    if found is not None:
        lines = (f"Best: {found.model.name} at {checkpoint_name(found)}", _reach(found))
    return SocialCard(f"{counts.total} {counts.noun} checked", title, lines, counts)


def model_card(title: str, counts: TierTally, least: Assessment | None) -> SocialCard | None:
    """Say what a model's page says first; ``least`` is its verdict on the least memory.

    ``None`` for a model without verdicts.
    """
    if not counts.total:
        return None
    lines: tuple[Cell, ...] = (f"It fits {COMFORTABLY} on no machine in the catalog.",)
    if least is not None:
        installed = NumberCell(least.combo.installed_vram_bytes, Unit.GIB)
        lines = (
            f"Least memory: {least.combo.name}",
            Parts((f"at {checkpoint_name(least)}, ", installed, " installed")),
        )
    return SocialCard(f"{counts.total} {counts.noun} checked", title, lines, counts)


def _reach(assessment: Assessment) -> Cell:
    parts: list[Cell] = []
    if assessment.limits is not None and assessment.limits.max_context_tokens:
        parts += [NumberCell(assessment.limits.max_context_tokens, Unit.TOKENS), " of context"]
    if assessment.speed is not None:
        parts += [", "] if parts else []
        rate = span(assessment.speed.single_tokens_per_s, Unit.TOKENS_PER_S)
        parts += [rate, f" ({assessment.speed.evidence})"]
    return Parts(tuple(parts))

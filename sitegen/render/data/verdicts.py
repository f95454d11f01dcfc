"""Every verdict in a word and a speed, for the hits of the search page."""

from __future__ import annotations

import json

from sitegen.fit.assessment import Assessment, FitTier
from sitegen.render.cells import TIER_GLYPHS
from sitegen.render.filters import quantity
from sitegen.site.cells import NumberCell, Unit
from sitegen.site.search import VERDICTS_URL
from sitegen.site.words.tiers import TIER_WORDS
from sitegen.survey.results import Survey


def verdict_file(survey: Survey) -> dict[str, bytes]:
    """Write a script, since pages that are read from a folder may load nothing else.

    ``combos`` has, per combo, a part for each of ``models``: the number of its tier in ``tiers``,
    and the speed of one stream where it is estimated.
    """
    models = sorted({row.model.id for found in survey.combos.values() for row in found.rows})
    combos = {}
    for combo_id, found in survey.combos.items():
        rows = {row.model.id: f"{_NUMBERS[row.tier]}{_speed(row.pick)}" for row in found.rows}
        combos[combo_id] = " ".join(rows.get(model, "-") for model in models)
    tiers = [[tier, TIER_GLYPHS[tier], TIER_WORDS[tier]] for tier in FitTier]
    table = json.dumps(
        {"tiers": tiers, "models": models, "combos": combos},
        separators=(",", ":"),
        ensure_ascii=False,
    )
    return {VERDICTS_URL.lstrip("/"): f"var sitegenVerdicts = {table};\n".encode()}


_NUMBERS = {tier: number for number, tier in enumerate(FitTier)}


def _speed(pick: Assessment) -> str:
    """Print the middle of the speed as the rows do, after a colon."""
    if pick.speed is None:
        return ""
    mid = pick.speed.single_tokens_per_s.mid
    return ":" + quantity(NumberCell(mid, Unit.TOKENS_PER_S)).partition("\N{NO-BREAK SPACE}")[0]

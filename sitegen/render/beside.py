"""Scripts that the comparison page loads: one per machine, with its verdict on every model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sitegen.catalog.domain.models import LanguageModel
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.ownership.prices import build_to_buy
from sitegen.render.cells import text
from sitegen.render.filters import quantity
from sitegen.site.cells import Cell, Lines, NumberCell, Unit
from sitegen.site.combo.cards import loses_less
from sitegen.site.combo.comparison import TIER_LETTERS, UNJUDGED, compared_models
from sitegen.site.inputs import SiteInputs
from sitegen.site.pages.compare import MACHINES_URL
from sitegen.site.words.hardware import power_words
from sitegen.site.words.plans import plan_words
from sitegen.site.words.prices import brief_cost
from sitegen.site.words.verdicts import LONG_CONTEXT, SHORT_CONTEXT, checkpoint_name, ends_at_cap
from sitegen.survey.best_for_use import longest_context
from sitegen.survey.results import ComboSurvey

SCRIPT = "(self.sitegenBeside ??= {})[%s] = %s;\n"
"""A script, since pages that are read from a folder may load nothing else."""


def beside_files(inputs: SiteInputs) -> dict[str, bytes]:
    """Write a script for each machine, models in the order of the page's list."""
    models = compared_models(inputs)
    files = {}
    for combo_id, survey in inputs.survey.combos.items():
        written = SCRIPT % (_json(combo_id), _json(beside_data(survey, models)))
        files[f"{MACHINES_URL}{combo_id}.js".lstrip("/")] = written.encode()
    return files


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def beside_data(survey: ComboSurvey, models: Sequence[LanguageModel]) -> dict[str, Any]:
    """Write a machine: facts as printed, and in columns what it does with each model.

    ``tiers`` has a letter for each model; the other lists have an entry for each that runs. As in
    other answers, that is a file that can be read along; ``slower`` says of which rows another
    file loses less, by their place.
    """
    rows = {row.model.id: row for row in survey.rows}
    letters, running = "", []
    for model in models:
        row = rows.get(model.id)
        letters += UNJUDGED if row is None else TIER_LETTERS[row.tier]
        if row is not None and row.tier is not FitTier.NOT_PRACTICAL:
            running.append(row)
    picks = [row.answer for row in running]
    files = [_run(pick) for pick in picks]
    names = list(dict.fromkeys(files))
    usd = build_to_buy(survey.combo).seen_usd
    return {
        "lead": survey.lead.model.id if survey.lead else "",
        "usd": None if usd is None else float(round(usd)),
        "facts": [_lines(cell) for cell in _facts(survey)],
        "tiers": letters,
        "close": [int(row.too_close) for row in running],
        "one": [_one_user(pick) for pick in picks],
        "all": [_all_users(pick) for pick in picks],
        "context": [longest_context(pick) for pick in picks],
        "users": [[_users(pick, at) for at in (SHORT_CONTEXT, LONG_CONTEXT)] for pick in picks],
        "files": names,
        "file": [names.index(file) for file in files],
        "slower": {
            at: text(loses_less(row.pick)) for at, row in enumerate(running) if row.read_along
        },
    }


def _facts(survey: ComboSurvey) -> tuple[Cell, ...]:
    """Say memory, price and power, in the order of the page's rows."""
    combo = survey.combo
    memory = NumberCell(combo.installed_vram_bytes, Unit.GIB)
    return memory, brief_cost(combo), power_words(combo)


def _lines(cell: Cell) -> list[str]:
    return [text(line) for line in cell.lines] if isinstance(cell, Lines) else [text(cell)]


def _number(tokens_per_s: float) -> float:
    """Round as pages print: what a bar shows and what a sentence compares are the same."""
    plain = quantity(NumberCell(tokens_per_s, Unit.TOKENS_PER_S)).partition("\N{NO-BREAK SPACE}")[0]
    number = float(plain.replace(",", ""))
    return int(number) if number == int(number) and number >= 10 else number


def _one_user(pick: Assessment) -> list[float]:
    if pick.speed is None:
        return []
    return [_number(x) for x in pick.speed.single_tokens_per_s.bounds]


def _all_users(pick: Assessment) -> float:
    return _number(pick.speed.aggregate_tokens_per_s.mid) if pick.speed else 0


def _users(pick: Assessment, context: int) -> str:
    """Count full contexts as rows do, with a sign where the counting ended."""
    if context > pick.model.context_tokens:
        return ""
    if pick.best is not None:
        found = pick.best.users.get(context)
        count = found[0] if found is not None else None
    elif pick.limits is not None and pick.plan is not None:
        at = pick.limits.sequences_at.get(context)
        count = None if at is None else at * pick.plan.replicas
    else:
        count = None
    if count is None:
        return ""
    return f"{count}+" if ends_at_cap(pick, context) else str(count)


def _run(pick: Assessment) -> str:
    plan = f", {plan_words(pick.plan)}" if pick.plan is not None else ""
    return f"{checkpoint_name(pick)} in {pick.runtime.name}{plan}"

"""What a combo's file says of its rows by number is what the survey found."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import FitTier
from sitegen.physics.plan import ParallelPlan
from sitegen.site.json.schema.parts import Plan
from sitegen.site.json.shaped import shaped
from sitegen.survey.results import CheckpointOutcome, ModelOnCombo
from tests.by_columns import entries
from tests.render.built import files
from tests.site.fabricated import SURVEY

COMBOS = pytest.mark.parametrize("combo", sorted(SURVEY.combos))


def twin(combo: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files()[f"combos/{combo}/index.json"])["result"]
    return found


def listed(combo: str) -> list[tuple[ModelOnCombo, dict[str, Any]]]:
    """Rows of the survey beside those of the file."""
    rows = [row for tier in FitTier for row in SURVEY.combos[combo].tier(tier)]
    tiers = twin(combo)["tiers"]
    written = [entry for tier in FitTier for entry in entries(tiers[str(tier)])]
    return list(zip(rows, written, strict=True))


def others(combo: str) -> dict[FitTier, list[dict[str, Any]]]:
    found = twin(combo)["other_checkpoints"]
    return {tier: entries(found[str(tier)]) for tier in FitTier}


def six(number: float) -> float:
    return float(f"{number:.6g}")


def names(one: CheckpointOutcome, row: int) -> dict[str, Any]:
    """What the file says of an outcome; utilization by its middle."""
    mid = None if one.utilization is None else six(one.utilization.mid)
    return {
        "row": row, "checkpoint": one.checkpoint.id, "runtime": one.runtime.id,
        "too_close": one.too_close, "utilization": mid,
    }  # fmt: skip


@COMBOS
def test_rows_name_the_outcomes_that_decide_them(combo: str) -> None:
    found = others(combo)
    for number, (row, entry) in enumerate(listed(combo)):
        pick = row.pick
        if entry["verdict"] is None:
            assert row.verdict.checkpoint == pick.checkpoint
            assert row.verdict.utilization == pick.verdict_utilization
        else:
            assert found[row.tier][entry["verdict"]] == names(row.verdict, number)
        if row.better is None:
            assert entry["better"] is None
        else:
            at = found[FitTier.COMFORTABLE][entry["better"]]
            assert at == names(row.better, number)


@COMBOS
def test_every_other_checkpoint_is_listed_under_its_row_or_named_as_one_that_does_not_run(
    combo: str,
) -> None:
    found = others(combo)
    for number, (row, entry) in enumerate(listed(combo)):
        for tier in (FitTier.COMFORTABLE, FitTier.BORDERLINE):
            there = [one for one in found[tier] if one["row"] == number]
            expected = [names(one, number) for one in row.others if one.tier is tier]
            assert there[: len(expected)] == expected
        refused = [one.checkpoint.id for one in row.others if one.tier is FitTier.NOT_PRACTICAL]
        assert entry["others_not_practical"] == refused


def test_the_invented_site_has_rows_that_another_checkpoint_decides() -> None:
    rows = [entry for combo in SURVEY.combos for _, entry in listed(combo)]
    assert any(row["verdict"] is not None for row in rows)
    assert any(row["better"] is not None for row in rows)
    assert any(row["others_not_practical"] for row in rows)


@COMBOS
def test_plans_and_speeds_are_those_of_the_row(combo: str) -> None:
    plans = entries(twin(combo)["plans"])

    def is_plan(number: int | None, plan: ParallelPlan | None) -> bool:
        return (None if number is None else plans[number]) == (
            None if plan is None else shaped(Plan, plan)
        )

    def bounds(entry: dict[str, Any], name: str) -> list[float | None]:
        return [entry[f"{name}.{end}"] for end in ("low", "mid", "high")]

    def rounded(value: Interval | None) -> list[float | None]:
        return [None] * 3 if value is None else [six(end) for end in value.bounds]

    for row, entry in listed(combo):
        pick = row.pick
        speed, best = pick.speed, pick.best
        assert is_plan(entry["plan"], pick.plan)
        assert bounds(entry, "speed.single_tokens_per_s") == rounded(
            speed.single_tokens_per_s if speed else None
        )
        full = bounds(entry, "busiest_utilization")
        if full == [None] * 3:
            full = bounds(entry, "verdict_utilization")
        assert full == rounded(pick.busiest.utilization if pick.busiest else None)
        if best is None:
            assert entry["best.longest_context_plan"] is None
            continue
        assert entry["best.longest_context_tokens"] == best.longest_context[0]
        assert is_plan(entry["best.longest_context_plan"], best.longest_context[1])
        for context, (users, plan) in best.users.items():
            assert entry["best.users_at"][str(context)] == users
            own = entry["best.users_plan"].get(str(context), entry["plan"])
            assert is_plan(own, plan)
        if best.one_stream is not None:
            stream = bounds(entry, "best.one_stream_tokens_per_s")
            if stream == [None] * 3:
                stream = bounds(entry, "speed.single_tokens_per_s")
            assert stream == rounded(best.one_stream[0])
            assert is_plan(entry["best.one_stream_plan"], best.one_stream[1])

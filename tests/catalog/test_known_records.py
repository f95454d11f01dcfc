"""Reading a catalog again after an edit finds what reading it anew does."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sitegen.catalog.load import KnownRecords, parse_authored
from sitegen.problems import Problem, ProblemsFound
from tests.catalog.problem_cases import CASES, Case
from tests.catalog.sample import SAMPLE, changed

TODAY = "2026-11-20"


def problems_in(files: Mapping[str, str], known: KnownRecords | None) -> tuple[Problem, ...]:
    try:
        return parse_authored(files, today=TODAY, known=known)[1].warnings
    except ProblemsFound as found:
        return found.problems


@pytest.fixture(scope="module")
def known() -> KnownRecords:
    made = KnownRecords()
    assert problems_in(SAMPLE, made) == ()
    assert made.held is not None
    return made


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}-{case.new[:20]!r}")
def test_a_mistake_is_found_beside_records_that_were_sound(case: Case, known: KnownRecords) -> None:
    edited = changed(case.path, case.old, case.new)
    assert problems_in(edited, known) == problems_in(edited, None) != ()
    assert problems_in(SAMPLE, known) == ()


def test_a_sound_record_is_not_read_again_and_the_same_value(known: KnownRecords) -> None:
    first, _ = parse_authored(SAMPLE, today=TODAY, known=known)
    path = "catalog/gpus/rtx-4090.yaml"
    edited = {**SAMPLE, path: SAMPLE[path] + "# a word\n"}
    second, _ = parse_authored(edited, today=TODAY, known=known)
    assert second.gpus["rtx-4090"] is not first.gpus["rtx-4090"]
    assert all(second.gpus[id_] is one for id_, one in first.gpus.items() if id_ != "rtx-4090")
    assert second.models["llama-3.1-8b"] is first.models["llama-3.1-8b"]


def test_on_another_day_every_record_is_held_to_the_rules_again(known: KnownRecords) -> None:
    parse_authored(SAMPLE, today=TODAY, known=known)
    with pytest.raises(ProblemsFound) as found:
        parse_authored(SAMPLE, today="2020-01-01", known=known)
    assert {problem.code for problem in found.value.problems} >= {"date"}

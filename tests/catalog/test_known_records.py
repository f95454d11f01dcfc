"""Reading a catalog again after an edit finds what reading it anew does."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import KnownRecords, parse_authored
from sitegen.problems import Problem, ProblemsFound
from tests.catalog.problem_cases import CASES, Case
from tests.catalog.sample import SAMPLE, changed
from tests.one_change.changes import some, text_changes

TODAY = "2026-11-20"
EDITS = 12


def problems_in(files: Mapping[str, str], known: KnownRecords | None) -> tuple[Problem, ...]:
    try:
        return parse_authored(files, today=TODAY, known=known)[1].warnings
    except ProblemsFound as found:
        return found.problems


def catalog_or_problems(
    files: Mapping[str, str], known: KnownRecords | None
) -> Catalog | tuple[Problem, ...]:
    try:
        return parse_authored(files, today=TODAY, known=known)[1]
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
    mistakes = problems_in(edited, None)
    assert mistakes != ()
    assert problems_in(edited, known) == problems_in(edited, known) == mistakes
    assert problems_in(SAMPLE, known) == ()


@pytest.mark.parametrize("path", SAMPLE)
def test_a_catalog_after_an_edit_is_the_one_that_is_read_anew(
    path: str, known: KnownRecords
) -> None:
    for _, text in some(text_changes(SAMPLE[path]), EDITS):
        edited = {**SAMPLE, path: text}
        assert catalog_or_problems(edited, known) == catalog_or_problems(edited, None)


def test_what_no_edit_touches_is_the_same_value(known: KnownRecords) -> None:
    _, first = parse_authored(SAMPLE, today=TODAY, known=known)
    _, second = parse_authored(
        changed("catalog/gpus/rtx-4090.yaml", "name: RTX 4090", "name: RTX 4090 X"),
        today=TODAY,
        known=known,
    )
    assert second.gpus["rtx-4090"] != first.gpus["rtx-4090"]
    with_it = {id_ for id_, combo in first.combos.items() if "rtx-4090" in combo.gpu_ids}
    others = first.combos.keys() - with_it
    assert with_it
    assert others
    assert all(second.combos[id_] != first.combos[id_] for id_ in with_it)
    assert all(second.combos[id_] is first.combos[id_] for id_ in others)
    assert all(second.models[id_] is one for id_, one in first.models.items())


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

"""The first answer of a combo away from their workload: longer contexts and more streams."""

from __future__ import annotations

from itertools import pairwise

import pytest

from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment
from sitegen.survey.results import ComboSurvey
from tests.fit.questions import combo
from tests.survey.small_surveys import surveyed
from tests.survey.whole_catalog import whole_catalog


@pytest.fixture(scope="module", params=[1, 4])
def survey(request: pytest.FixtureRequest) -> ComboSurvey:
    where = combo(*["rtx-4090"] * request.param, link="pcie-4-x16")
    return surveyed(where, "llama8", "llama70")


def answer(found: Assessment | None) -> Assessment:
    assert found is not None
    assert found.limits is not None
    assert found.busiest is not None
    assert found.speed is not None
    return found


def ends(value: Interval) -> tuple[float, float, float]:
    return value.low, value.mid, value.high


def test_a_longer_context_never_needs_less(survey: ComboSurvey) -> None:
    points = survey.context_curve
    assert len(points) >= 4
    for one, longer in pairwise(points):
        assert one.context_tokens < longer.context_tokens
        assert all(a <= b for a, b in zip(ends(one.need), ends(longer.need), strict=True))


def test_the_curve_meets_the_ledger_at_the_reference_context(survey: ComboSurvey) -> None:
    found = answer(survey.lead)
    at = next(p for p in survey.context_curve if p.context_tokens == found.workload.context_tokens)
    assert found.verdict_utilization is not None
    assert ends(at.utilization) == ends(found.verdict_utilization)
    assert int(at.need.mid) == found.verdict_need_bytes


def test_the_curve_needs_what_the_ledger_says_where_the_system_s_part_has_bounds() -> None:
    survey = surveyed(whole_catalog().combos["mac-studio-m3-ultra-512gb"], "llama8")
    found = answer(survey.lead)
    at = next(p for p in survey.context_curve if p.context_tokens == found.workload.context_tokens)
    assert found.busiest is not None
    assert ends(at.need) == pytest.approx(ends(found.busiest.need))


def test_the_longest_context_that_fits_is_a_point_and_the_next_one_does_not_fit(
    survey: ComboSurvey,
) -> None:
    found = answer(survey.lead)
    assert found.limits is not None
    longest = found.limits.max_context_tokens
    at = [p.context_tokens for p in survey.context_curve].index(longest)
    assert survey.context_curve[at].utilization.mid <= 1
    if longest < found.model.context_tokens:
        assert survey.context_curve[-1].utilization.mid > 1


def test_the_last_point_of_the_load_is_the_answers_own_speed(survey: ComboSurvey) -> None:
    found = answer(survey.lead)
    last = survey.load_curve[-1]
    assert found.speed is not None
    assert found.plan is not None
    assert last.streams == found.speed.batch * found.plan.replicas
    assert ends(last.all_tokens_per_s) == pytest.approx(ends(found.speed.aggregate_tokens_per_s))


def test_no_stream_among_many_is_faster_than_one_alone(survey: ComboSurvey) -> None:
    found = answer(survey.lead)
    assert found.speed is not None
    alone = ends(found.speed.single_tokens_per_s)
    for one, more in pairwise(survey.load_curve):
        assert all(b <= a * 1.001 for a, b in zip(alone, ends(one.each_tokens_per_s), strict=True))
        assert more.each_tokens_per_s.mid <= one.each_tokens_per_s.mid * 1.001
        assert more.all_tokens_per_s.mid >= one.all_tokens_per_s.mid
    rows = [row.pick for row in survey.rows if row.pick.speed is not None]
    for row in rows:
        assert row.speed is not None
        assert row.plan is not None
        streams = row.speed.batch * row.plan.replicas
        most = streams * row.speed.single_tokens_per_s.mid
        assert row.speed.aggregate_tokens_per_s.mid <= most * 1.001

"""Where a count or a batch ends at a cap, and where memory is missing, the cells say so."""

from __future__ import annotations

from dataclasses import replace

from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.physics.plan import Limits
from sitegen.render.cells import text
from sitegen.site.combo.goal_table import gives
from sitegen.site.words.verdicts import decode, not_estimated, users, why
from sitegen.survey.answers import AnswerGoal, RankedPlan
from tests.site.fabricated import CATALOG, FOUR_BY_TWO, LARGE, Q4, assessment

LIMITS = Limits(93_456, 81_920, {8_192: 64, 32_768: 17}, 0, 40_960, counted_to=64)


def found(limits: Limits) -> Assessment:
    made = assessment(LARGE, Q4, FOUR_BY_TWO, FitTier.COMFORTABLE, 0.7)
    return replace(made, limits=limits)


def replicas() -> int:
    plan = found(LIMITS).plan
    assert plan is not None
    return plan.replicas


def test_a_count_that_ended_at_the_cap_has_a_plus() -> None:
    assert text(users(found(LIMITS))) == f"{64 * replicas()}+ / {17 * replicas()}"


def test_a_count_of_all_that_fit_has_none() -> None:
    assert "+" not in text(users(found(replace(LIMITS, counted_to=0))))


def test_the_goal_of_most_users_has_the_plus_too() -> None:
    standing = RankedPlan(found(LIMITS), Interval.exact(64 * replicas()))
    assert text(gives(AnswerGoal.USERS_8K, standing)) == f"{64 * replicas()}+ users"
    assert "+" not in text(gives(AnswerGoal.USERS_32K, standing))


def test_streams_that_end_at_the_cap_say_so() -> None:
    made = found(LIMITS)
    assert made.speed is not None
    assert "(our limit)" not in text(decode(made))
    capped = replace(made, speed=replace(made.speed, capped=True))
    assert "users together (our limit)" in text(decode(capped))


def test_settings_that_make_speed_unknown_are_called_as_on_the_command_line() -> None:
    made = replace(found(LIMITS), speed=None, unpriced=("enforce_eager", "data_parallel_size"))
    assert text(not_estimated(made)) == "not estimated with --enforce-eager, --data-parallel"
    assert text(decode(replace(made, unpriced=()))) == "not estimated"


def test_what_is_missing_is_said_only_where_something_is() -> None:
    tight = assessment(LARGE, Q4, FOUR_BY_TWO, FitTier.BORDERLINE, 0.95)
    assert tight.reasons
    enough = text(why(replace(tight, shortage_bytes=0), CATALOG))
    short = text(why(replace(tight, shortage_bytes=3 << 30), CATALOG))
    assert "lacks" not in enough
    assert "The fullest GPU lacks at least 3 GiB for the weights, KV cache and buffers." in (
        short.replace("\N{NO-BREAK SPACE}", " ")
    )

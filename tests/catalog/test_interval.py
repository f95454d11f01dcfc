"""Arithmetic of intervals, on numbers that a reader can add up."""

from __future__ import annotations

from sitegen.catalog.domain.provenance import Interval

WHOLE, PART = Interval(10, 14, 20), Interval(1, 2, 4)


def test_parts_add_up_and_are_taken_away_at_the_same_end() -> None:
    assert WHOLE.plus(PART) == Interval(11, 16, 24)
    assert WHOLE.minus(PART) == Interval(9, 12, 16)
    assert Interval.total([WHOLE, PART, PART]) == Interval(12, 18, 28)
    assert WHOLE.times(0.5) == Interval(5, 7, 10)


def test_the_more_is_taken_of_a_whole_the_less_is_left() -> None:
    assert PART.left_of(5) == Interval(1, 3, 4)

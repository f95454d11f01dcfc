"""What a buyer is told: the best model for the money, limits kept, the frontier without losers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sitegen.quality.values import Use
from sitegen.render.filters import quantity
from sitegen.site.cells import NumberCell, Unit
from sitegen.site.reports.buying import short_speed
from sitegen.survey.buying import (
    DOCUMENTS,
    IMAGES,
    OVERALL,
    Build,
    Choice,
    Offer,
    Wanted,
    best_first,
    choice_of,
    choices,
    frontier,
    priced,
    speed_of,
    timed,
)
from sitegen.survey.rated_tier import as_good

RATINGS = [
    {
        "overall": (60.0, 2.0, None, True),
        "vision": (60.0, 2.0, None, True),
        "long-context": (60.0, 2.0, None, True),
    },
    {"overall": (70.0, 2.0, None, True), "coding": (70.0, 2.0, None, True)},
    {"overall": (71.0, 2.0, None, True), "coding": (78.0, 2.0, None, False)},
    {},
]
WANTED = Wanted("overall", 32_768, 1, 0, 0, desktop=False, computer=False, least_speed=10, step=1)


def offer(model: int, **changes: Any) -> Offer:
    plain = Offer(model, "Q4, llama.cpp", "runtime=llama-cpp&file=q4", 0, 0, "tps", 30, 90, 4,
                  65_536, (8, 2, 0))  # fmt: skip
    return replace(plain, **changes)


def build(name: str, usd: float, *offers: Offer, **changes: Any) -> Build:
    plain = Build(name, name, f"/combos/{name}/", usd, "used, 2026-09", whole=False,
                  around="including a computer for $500", around_usd=500, special=False,
                  watts=350, desktop=True, counted=True, parts=(("a", 1),),
                  offers=offers)  # fmt: skip
    return replace(plain, **changes)


def test_of_models_that_tests_cannot_tell_apart_the_faster_one_is_run() -> None:
    found = choice_of(build("x", 1, offer(0), offer(1, speed=50), offer(2)), 1, WANTED, RATINGS)
    assert found is not None
    assert (found.offer.model, found.points) == (1, 70.0)


def test_a_model_without_a_rating_and_one_that_is_too_slow_or_short_are_never_the_answer() -> None:
    weak = (offer(3), offer(2, speed=9), offer(1, users=(9, 0, 0)))
    assert choice_of(build("x", 1, *weak), 1, WANTED, RATINGS) is None
    assert choice_of(build("x", 1, *weak, offer(0)), 1, WANTED, RATINGS) is not None


def test_the_loss_of_a_file_is_taken_off_its_model_s_rating() -> None:
    found = choice_of(build("x", 1, offer(2, loss=15.0), offer(1)), 1, WANTED, RATINGS)
    assert found is not None
    assert found.offer.model == 1


def test_several_users_need_room_and_speed_for_each_and_a_machine_that_was_counted() -> None:
    many = replace(WANTED, users=4)
    serving = offer(0, users=(9, 4, 0), total_speed=40)
    assert choice_of(build("x", 1, serving), 1, many, RATINGS) is not None
    assert choice_of(build("x", 1, replace(serving, users=(9, 3, 0))), 1, many, RATINGS) is None
    assert choice_of(build("x", 1, replace(serving, total_speed=39)), 1, many, RATINGS) is None
    assert choice_of(build("x", 1, serving, counted=False), 1, many, RATINGS) is None
    unread = replace(serving, traits="tp")  # nobody knows how long they wait for prompts
    assert choice_of(build("x", 1, unread), 1, many, RATINGS) is None
    longer = replace(many, context=65_536)
    assert choice_of(build("x", 1, serving), 1, longer, RATINGS) is None


def test_several_users_get_what_is_picked_for_many_and_one_user_does_not() -> None:
    alone = offer(0, runs="Q6, llama.cpp", users=(9, 8, 0), total_speed=900)
    together = offer(0, runs="FP8, vLLM", users=(9, 4, 0), speed=20, total_speed=300)
    both = build("x", 1, alone, together)
    for users, runs in ((1, "Q6, llama.cpp"), (4, "FP8, vLLM"), (8, "Q6, llama.cpp")):
        found = choice_of(both, 1, replace(WANTED, users=users), RATINGS)
        assert found is not None
        assert found.offer.runs == runs


def test_the_speed_of_fewer_users_than_were_judged_together_is_less() -> None:
    """Qwen3.6 35B A3B on 2x P40: 70 tok/s alone, 563 for 64; the engine's own 16 get 261 at 32K."""
    judged = offer(0, speed=70, total_speed=563, streams=64)
    assert speed_of(judged, WANTED) == 70
    assert speed_of(judged, replace(WANTED, users=64)) == 563
    assert speed_of(judged, replace(WANTED, users=200)) == 563
    assert 250 < speed_of(judged, replace(WANTED, users=16)) < 300
    assert speed_of(replace(judged, streams=1), replace(WANTED, users=16)) == 70


def test_limits_are_kept_and_what_has_no_price_or_no_power_is_left_out_where_they_count() -> None:
    builds = [
        build("dear", 5_000, offer(2)), build("cheap", 500, offer(0)), build("free", 0, offer(2)),
        build("loud", 600, offer(1), desktop=False), build("dark", 700, offer(1), watts=0),
    ]  # fmt: skip

    def names(**limits: Any) -> set[str]:
        found = choices(builds, replace(WANTED, **limits), RATINGS, {})
        return {one.build.name for one in found}

    assert names() == {"dear", "cheap", "loud", "dark"}
    assert names(usd=1_000) == {"cheap", "loud", "dark"}
    assert names(watts=400) == {"dear", "cheap", "loud"}
    assert names(desktop=True) == {"dear", "cheap", "dark"}


def test_what_cannot_be_told_from_the_best_goes_by_price() -> None:
    builds = [
        build("dear", 9_000, offer(2)),
        build("fair", 900, offer(1)),
        build("poor", 1, offer(0)),
    ]
    ordered = best_first(choices(builds, WANTED, RATINGS, {}), WANTED)
    assert [one.build.name for one in ordered] == ["fair", "dear", "poor"]


def test_more_gpus_that_do_no_more_than_fewer_are_not_offered() -> None:
    two = build("two", 800, offer(1, speed=37), parts=(("a", 2),))
    four = build("four", 1_600, offer(1, speed=37), parts=(("a", 4),))
    longer = build("longer", 1_600, offer(1, speed=37, context=131_072), parts=(("a", 4),))
    other = build("other", 1_600, offer(1, speed=37), parts=(("b", 4),))

    def names(*builds: Build) -> list[str]:
        found = best_first(choices(builds, WANTED, RATINGS, {}), WANTED)
        return [one.build.name for one in found]

    assert names(two, four) == ["two"]
    assert names(two, longer) == ["two", "longer"]
    assert names(two, other) == ["two", "other"]
    assert names(four) == ["four"]


def test_own_prices_count_where_each_part_has_one_and_for_a_whole_computer_too() -> None:
    pair = build("pair", 2_000, offer(1), parts=(("a", 2),))
    mixed = replace(pair, parts=(("a", 1), ("b", 1)))
    assert priced(pair, {"a": 700.0}) == 1_400
    assert priced(mixed, {"a": 700.0}) == 2_000, "half of them is none"
    assert priced(mixed, {"b": 700.0}) == 2_000
    assert priced(mixed, {"a": 700.0, "b": 100.0}) == 800
    assert priced(replace(pair, whole=True), {"a": 1.0}) == 2
    assert priced(replace(pair, parts=()), {"a": 1.0}) == 2_000, "seen for all together"
    assert priced(replace(pair, usd=0.0), {"a": 5.0}) == 10


def test_a_computer_around_gpus_counts_for_whoever_has_none() -> None:
    """A Mac at 1,200 costs less than two cards at 800 and the computer that they go into."""
    cards = build("cards", 800, offer(1, speed=40))
    whole = build("whole", 1_200, offer(1), whole=True, around="", around_usd=0)
    found = choices([cards, whole], replace(WANTED, computer=True), RATINGS, {})
    assert {one.build.name: one.usd for one in found} == {"cards": 1_300, "whole": 1_200}
    assert best_first(found, WANTED)[0].build.name == "whole"
    assert best_first(choices([cards, whole], WANTED, RATINGS, {}), WANTED)[0].usd == 800
    tight = replace(WANTED, computer=True, usd=1_250)
    assert [one.build.name for one in choices([cards, whole], tight, RATINGS, {})] == ["whole"]


def test_a_build_named_after_its_computer_is_bought_with_it() -> None:
    """Whoever has a computer has none with 1 TB of RAM."""
    epyc = build("epyc", 800, offer(1), special=True)
    (found,) = choices([epyc], WANTED, RATINGS, {})
    assert found.usd == 1_300


def test_an_offer_answers_a_use_only_if_it_can_be_used_so() -> None:
    """A text-only plan leads no images, and what was picked for images leads nothing else."""
    images = replace(WANTED, use="vision")
    blind, seeing = offer(0), offer(0, runs="Q4 with projector, llama.cpp", traits="ips")
    assert choice_of(build("x", 1, blind), 1, images, RATINGS) is None
    both = build("x", 1, blind, seeing)
    for wanted, chosen in ((WANTED, blind), (images, seeing)):
        found = choice_of(both, 1, wanted, RATINGS)
        assert found is not None
        assert found.offer == chosen
    assert choice_of(build("x", 1, seeing), 1, WANTED, RATINGS) is None
    documents = replace(WANTED, use="long-context")
    for traits, answers in (("tps", False), ("idps", False), ("tdps", True)):
        found = choice_of(build("x", 1, offer(0, traits=traits)), 1, documents, RATINGS)
        assert (found is not None) is answers


def test_an_unpublished_file_leads_only_where_no_other_does_and_so_does_a_short_context() -> None:
    unpublished, short = offer(1, traits="ts"), offer(1, context=9_000)
    asked = replace(WANTED, least_context=16_384)
    for weak in (unpublished, short):
        found = choice_of(build("x", 1, weak, offer(0)), 1, asked, RATINGS)
        assert found is not None
        assert found.offer.model == 0
        assert choice_of(build("x", 1, weak), 1, asked, RATINGS) is not None


def test_no_model_is_best_where_one_with_too_little_evidence_is_better() -> None:
    coding = replace(WANTED, use="coding")
    assert choice_of(build("x", 1, offer(1)), 1, coding, RATINGS) is not None
    assert choice_of(build("x", 1, offer(1), offer(2)), 1, coding, RATINGS) is None
    slow = offer(2, speed=9)
    assert choice_of(build("x", 1, offer(1), slow), 1, coding, RATINGS) is not None


def test_a_machine_that_may_need_minutes_for_a_prompt_comes_last() -> None:
    unread, better = build("m40", 300, offer(2, traits="tp")), build("dear", 900, offer(0))
    found = choices([unread, better], WANTED, RATINGS, {})
    assert [one.build.name for one in best_first(found, WANTED)] == ["dear", "m40"]
    assert [one.build.name for one in timed(found)] == ["dear"]
    assert [one.build.name for one in best_first(found[:1], WANTED)] == ["m40"]


def test_uses_with_a_rule_of_their_own_are_spelled_as_ratings_spell_them() -> None:
    assert [OVERALL, IMAGES, DOCUMENTS] == [Use.OVERALL, Use.VISION, Use.LONG_CONTEXT]


PRICES = st.lists(st.tuples(st.integers(1, 50), st.integers(0, 2)), min_size=1, max_size=8)


@given(PRICES)
def test_no_cheaper_build_than_one_of_the_frontier_runs_as_good_a_model(
    drawn: list[tuple[int, int]],
) -> None:
    builds = [build(str(at), usd, offer(model)) for at, (usd, model) in enumerate(drawn)]
    found = choices(builds, WANTED, RATINGS, {})
    kept = frontier(found, WANTED)
    assert kept, "somebody is always on it"
    for one in kept:
        cheaper = [other for other in found if other.usd < one.usd]
        assert all(other.points < one.points for other in cheaper)
    assert [one.usd for one in kept] == sorted(one.usd for one in kept)
    best = max(one.points for one in found)
    assert kept[-1].points >= best - WANTED.step


def test_two_models_are_told_apart_beyond_the_root_of_both_squared_halves() -> None:
    def choice(name: str, points: float, half: float) -> Choice:
        return Choice(build(name, 1000, offer(0)), offer(0), points, half, None, 1000)

    best, equal, worse = choice("best", 10, 3), choice("equal", 5, 4), choice("worse", 4.9, 4)
    assert as_good([worse, equal, best]) == [equal, best]  # 3² + 4² = 5²


@given(st.floats(0.01, 1e6))
def test_a_buyer_reads_the_speed_that_other_pages_print(tokens_per_s: float) -> None:
    """39.49 is 39 there, and 39.5, which is 39.49 in three digits, would be 40 here."""
    kept = short_speed(tokens_per_s)
    shown = [quantity(NumberCell(one, Unit.TOKENS_PER_S)) for one in (kept, tokens_per_s)]
    assert float(shown[0].split("\xa0")[0].replace(",", "")) == float(
        shown[1].split("\xa0")[0].replace(",", "")
    )
    assert short_speed(39.49) == 39.49
    assert short_speed(106.54321) == 107.0

"""Ratings on the committed scores: they say how sure they are, and order what is beyond dispute."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import median

import pytest

from benchmarks.quality.pairs import PAIRS
from sitegen.catalog.domain.scores import Use
from sitegen.problems import ProblemsFound
from sitegen.quality import policy
from sitegen.quality.held_out import boards_left_out, halves_agree, sources_left_out, spearman
from sitegen.quality.ratings import RatingsWithFits, Scores, rate, ratings_of
from sitegen.quality.values import EvidenceStanding, Rating
from sitegen.site.content.settings import as_published, parse_settings, unknown_sources
from tests.survey.whole_catalog import whole_catalog

CATALOG = whole_catalog()
SCORES = Scores.of(CATALOG)
TEXT = (Use.GENERAL, Use.CODING, Use.REASONING, Use.AGENTIC, Use.INSTRUCTION_FOLLOWING)
HALVES = 12


@cache
def rated() -> RatingsWithFits:
    return rate(SCORES)


def of(use: Use, model: str) -> Rating:
    found = rated().ratings.of(use, model)
    assert found is not None
    return found


def test_halves_of_the_evaluators_agree_as_often_as_they_say() -> None:
    found = {one.use: one for one in halves_agree(SCORES, HALVES)}
    compared = [one for one in found.values() if one.halves >= 5]
    assert {one.use for one in compared} >= {Use.OVERALL, Use.GENERAL, Use.CODING, Use.REASONING}
    inside = sum(one.inside for one in compared)
    assert 0.85 <= inside / sum(one.models for one in compared) <= 0.95
    for one in compared:
        assert 0.80 <= one.coverage <= 0.98, one
        assert one.rank_agreement >= 0.9, one


def test_ratings_order_the_models_of_boards_that_they_have_not_seen() -> None:
    boards = [
        board
        for board in CATALOG.boards.values()
        if board.use in TEXT and board.evaluator == "independent"
    ]
    found = [one for one in boards_left_out(SCORES, boards) if one.models >= 20]
    assert len(found) >= 35
    best = sorted(max(one.by_use, one.overall) for one in found)
    assert median(best) >= 0.88
    assert best[len(best) // 4] >= 0.82  # the lowest quarter: boards where most score near chance
    assert best[0] >= 0.6


def test_ratings_order_the_models_of_evaluators_that_they_have_not_seen() -> None:
    names = ("artificial-analysis", "lmarena", "livebench", "bigcodebench")
    sources = {name: {name} for name in names}
    for one in sources_left_out(SCORES, sources):
        assert one.order >= 0.99  # what remains rated keeps its order
        text = [board.overall for board in one.boards if board.use in TEXT]
        assert median(text) >= 0.75, one


@pytest.mark.parametrize(("use", "better", "worse"), PAIRS)
def test_what_nobody_disputes_comes_out_so(use: str, better: str, worse: str) -> None:
    first, second = of(Use(use), better), of(Use(use), worse)
    assert first.points.mid > second.points.mid


def test_ratings_take_less_than_two_seconds() -> None:
    begin = time.process_time()
    rate(SCORES)
    assert time.process_time() - begin < 2


def test_two_fits_are_the_same() -> None:
    assert rate(SCORES).ratings == rated().ratings


def test_the_rating_point_of_the_losses_is_that_of_the_fit() -> None:
    slopes = [
        item.slope
        for id_, item in rated().fits[Use.OVERALL].items.items()
        if CATALOG.boards[id_.partition("@")[0]].unit == "percent" and item.models >= 15
    ]
    stated = CATALOG.assumptions["rating-point-log-odds"].value.mid
    assert stated == pytest.approx(median(slopes) / policy.POINTS, rel=0.05)


def test_thin_evidence_is_no_rating() -> None:
    counts = Counter(
        one.standing for ratings in rated().ratings.by_use.values() for one in ratings.values()
    )
    assert min(counts[standing] for standing in EvidenceStanding) > 0
    for use, ratings in rated().ratings.by_use.items():
        for one in ratings.values():
            general = rated().ratings.of(Use.OVERALL, one.model)
            known = general is not None and general.is_rated
            fewest = 4 if use is Use.OVERALL else 1 if known else 2
            assert (one.place > 0) == (one.tier > 0) == (one.standing is EvidenceStanding.RATED)
            if one.standing is EvidenceStanding.RATED:
                assert one.independent >= fewest
                assert one.newest
            if one.standing is EvidenceStanding.MAKERS_WORD:
                assert one.independent == 0
                assert not one.newest


def test_models_without_evidence_are_not_rated_at_all() -> None:
    # As the harvest counted them by hand (shared/quality/README.md, "Coverage").
    for model in ("aya-23-8b", "llama-30b", "glm-z1-32b-0414", "smollm-1.7b"):
        assert model in CATALOG.models
        assert all(rated().ratings.of(use, model) is None for use in Use)


def test_tiers_end_where_a_model_is_surely_worse_than_the_leader() -> None:
    for use in Use:
        leader: Rating | None = None
        for one in rated().ratings.ranked(use):
            if leader is None or one.tier != leader.tier:
                leader = one
            gap = leader.points.mid - one.points.mid
            half = [each.points.high - each.points.mid for each in (leader, one)]
            assert gap <= (half[0] ** 2 + half[1] ** 2) ** 0.5 + 1e-9


def test_long_context_is_never_inferred_from_another_use() -> None:
    for one in rated().ratings.ranked(Use.LONG_CONTEXT):
        assert all(CATALOG.boards[id_].use is Use.LONG_CONTEXT for id_ in one.board_ids)


def test_a_publisher_can_leave_a_source_out() -> None:
    without = ratings_of(replace(CATALOG, left_out=("artificial-analysis",)))
    assert len(without.ranked(Use.OVERALL)) < len(rated().ratings.ranked(Use.OVERALL)) / 2
    assert ratings_of(replace(CATALOG, left_out=("livebench-2026-01-08",))) != rated().ratings
    assert ratings_of(CATALOG) == rated().ratings


def test_a_catalog_without_scores_rates_nothing() -> None:
    assert ratings_of(replace(CATALOG, scores={}, boards={})).by_use == {}


def test_makers_alone_cannot_lift_a_model() -> None:
    # Maker scores are a quarter of an independent one: the order of the rated hardly changes.
    makers = [id_ for id_, sheet in CATALOG.scores.items() if sheet.evaluator != "independent"]
    without = ratings_of(replace(CATALOG, left_out=tuple(makers)))
    both = [one.model for one in without.ranked(Use.OVERALL) if of(Use.OVERALL, one.model).place]
    points = [[view.points.mid for view in views] for views in (
        [of(Use.OVERALL, model) for model in both],
        [one for one in without.ranked(Use.OVERALL) if one.model in set(both)],
    )]  # fmt: skip
    assert spearman(*points) > 0.99


PATH = "content/site.yaml"
KNOWN = {id_ for sheet in CATALOG.scores.values() for id_ in (sheet.id, sheet.names)}
SETTINGS = (Path(__file__).parents[2] / PATH).read_text("utf-8")


def test_a_source_is_left_out_by_name_in_the_settings() -> None:
    content = {PATH: SETTINGS + "quality: {leave_out: [livebench, lmarena-2026-08-19]}\n"}
    published = as_published(CATALOG, content)
    assert published.left_out == ("livebench", "lmarena-2026-08-19")
    assert not list(unknown_sources(KNOWN, content))
    assert parse_settings(content[PATH], data_version="x").title
    assert as_published(CATALOG, {PATH: SETTINGS}) is CATALOG
    assert as_published(CATALOG, {}) is CATALOG


def test_a_source_that_does_not_exist_is_a_problem_with_a_place_and_a_hint() -> None:
    content = {PATH: SETTINGS + "quality: {leave_out: [livebnch]}\n"}
    (problem,) = unknown_sources(KNOWN, content)
    lines = content[PATH].splitlines()
    assert (problem.code, problem.span.line) == ("unknown-source", len(lines))
    assert lines[-1][problem.span.column - 1 :].startswith("livebnch")
    assert "livebench" in problem.hint


@pytest.mark.parametrize("given", ["livebench", "{leave: []}", "{leave_out: [1]}"])
def test_settings_of_another_shape_are_refused(given: str) -> None:
    with pytest.raises(ProblemsFound) as found:
        parse_settings(f"{SETTINGS}quality: {given}\n", data_version="x")
    problem = found.value.problems[0]
    assert "leave_out" in f"{problem.message} {problem.hint}"

"""What one, two, four or eight of a GPU run follows from verdicts that exist."""

from __future__ import annotations

from dataclasses import replace

from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.published.claims.plans import machine
from sitegen.quality.values import Rating, Ratings, Use
from sitegen.survey.gpu_counts import best_of_needs
from sitegen.survey.gpu_grid import OneKind, OnGpus, every_kind, on_gpus
from sitegen.units import GIB
from tests.fit.questions import catalog as real_catalog
from tests.site.fabricated import (
    CATALOG,
    HUGE,
    LARGE,
    M3_ULTRA,
    MAC,
    RTX_3060,
    RTX_4090,
    SINGLE,
    SMALL,
    SURVEY,
)  # fmt: skip

KINDS = every_kind(CATALOG, SURVEY)
NEEDS = SURVEY.needs[RTX_4090.id]
LARGEST = max((one.machine for one in NEEDS), key=lambda one: one.installed_vram_bytes)


def kind(gpu_id: str, gib: int = 0) -> OneKind:
    (found,) = (one for one in KINDS if one.gpu.id == gpu_id and gib in {0, one.each_bytes // GIB})
    return found


def tiers(count: int) -> dict[str, FitTier]:
    return {id_: one.tier for id_, one in on_gpus(kind(RTX_4090.id), count, NEEDS).items()}


def test_a_model_runs_on_the_smallest_machine_and_on_every_larger_one() -> None:
    assert tiers(1) == {SMALL.id: FitTier.COMFORTABLE}
    assert tiers(2) == {SMALL.id: FitTier.COMFORTABLE, LARGE.id: FitTier.COMFORTABLE}
    assert tiers(4) == tiers(2)
    assert tiers(8) == {**tiers(2), HUGE.id: FitTier.BORDERLINE}


def test_figures_are_those_of_the_gpus_that_were_judged() -> None:
    assert on_gpus(kind(RTX_4090.id), 4, NEEDS)[LARGE.id] == OnGpus(
        FitTier.COMFORTABLE, tokens_per_s=40.0, context_tokens=32_768, count=2, file="Q4_K_M"
    )


def test_a_model_is_borderline_where_a_smaller_machine_was_found_tight() -> None:
    small = replace(NEEDS[1], machine=machine(RTX_4090, 4), tight_on=machine(RTX_4090, 2))
    found = [on_gpus(kind(RTX_4090.id), count, [small]) for count in (1, 2, 4)]
    assert found[0] == {}
    assert found[1][LARGE.id] == OnGpus(FitTier.BORDERLINE)
    assert found[2][LARGE.id].tier is FitTier.COMFORTABLE


def test_a_machine_of_the_catalog_says_it_itself() -> None:
    assert kind(RTX_3060.id).listed[1].combo is SINGLE
    found = on_gpus(kind(RTX_3060.id), 1, SURVEY.needs[RTX_3060.id])
    assert {id_: one.tier for id_, one in found.items()} == {
        row.model.id: row.tier for row in SURVEY.combos[SINGLE.id].rows
    }
    assert found[SMALL.id].context_tokens == 93_456


def test_a_chip_is_a_kind_for_each_size_of_its_memory() -> None:
    small, large = kind(M3_ULTRA.id, 96), kind(M3_ULTRA.id, 256)
    assert list(small.machines) == list(large.machines) == [1]
    assert small.machines[1] is MAC
    assert not large.listed
    assert large.machines[1].installed_vram_bytes == 256 * GIB


def test_best_for_a_use_is_a_rated_comfortable_model_the_fastest_of_equals_first() -> None:
    points = {SMALL.id: 60.0, LARGE.id: 62.0, HUGE.id: 90.0}
    ratings = Ratings(
        {
            Use.OVERALL: {
                id_: Rating(Interval(mid - 5, mid, mid + 5), model=id_, use=Use.OVERALL)
                for id_, mid in points.items()
            }
        }
    )
    rated = FitEngine(replace(CATALOG, assumptions=real_catalog().assumptions), ratings=ratings)
    fast = replace(NEEDS[0], single_tokens_per_s=Interval(90.0, 100.0, 110.0))
    found = best_of_needs(rated, [fast, *NEEDS[1:]], Use.OVERALL, LARGEST)
    assert [need.model.id for need in found] == [SMALL.id, LARGE.id]
    slow = replace(fast, single_tokens_per_s=Interval(0.5, 1.0, 2.0))
    assert [need.model.id for need in best_of_needs(rated, [slow], Use.OVERALL, LARGEST)] == []
    assert best_of_needs(rated, NEEDS, Use.CODING, LARGEST) == ()

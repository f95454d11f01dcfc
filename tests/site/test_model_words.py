"""Sentences of a model's page that depend on numbers: how good it is, and what its layers keep."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.catalog.domain.provenance import Interval
from sitegen.quality.values import Rating
from sitegen.render.cells import text
from sitegen.render.data.grids import short_names
from sitegen.site.combo.model_answers import rating_words
from sitegen.site.tables.counts import counts_table
from sitegen.site.tables.models import cache_table, cache_words
from tests.site.fabricated import LARGE, RTX_4090, SURVEY, facts_of


@pytest.mark.parametrize(
    ("boards", "independent", "said"),
    [
        (9, 9, "from 9 benchmarks, all of them run independently."),
        (9, 2, "from 9 benchmarks, 2 of them run independently."),
        (9, 0, "from 9 benchmarks, none of them run independently."),
        (1, 1, "from 1 benchmark, run independently."),
        (1, 0, "from 1 benchmark, not run independently."),
    ],
)
def test_a_rating_says_how_many_of_its_benchmarks_are_independent(
    boards: int, independent: int, said: str
) -> None:
    rating = Rating(Interval(41.0, 47.0, 53.0), boards=boards, independent=independent)
    assert said in text(rating_words(rating))


def test_a_kind_of_layer_is_counted_as_one_or_several() -> None:
    kinds = (("full", 1), ("none", 23))
    facts = replace(facts_of(LARGE, 70_000_000_000), cache_kinds=kinds)
    assert cache_words(facts) == "full attention in 1 layer, no cache in 23 layers"


def test_files_keep_the_names_of_columns_whose_headings_changed() -> None:
    cache = cache_table([(LARGE, facts_of(LARGE, 70_000_000_000))], id="kv-cache")
    assert short_names(cache.columns)[-2:] == ("8k_being_read", "layers_keep")
    counts = counts_table(SURVEY.needs[RTX_4090.id], {}, None)
    assert short_names(counts.columns)[-1] == "power"

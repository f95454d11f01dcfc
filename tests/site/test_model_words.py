"""Sentences of a model's page that depend on numbers: how good it is, and what its layers keep."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sitegen.catalog.domain.provenance import Interval
from sitegen.models.cache_kinds import CellGrid, CompressedAttention
from sitegen.quality.values import Rating
from sitegen.render.cells import text
from sitegen.render.data.grids import short_names
from sitegen.site.combo.model_answers import rating_words
from sitegen.site.pages.model import ModelView, pages
from sitegen.site.tables.counts import counts_table
from sitegen.site.tables.models import cache_table, cache_words, models_table
from tests.site import fabricated
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


PLAIN = facts_of(LARGE, 70_000_000_000)
COMPRESSED = replace(PLAIN, kv_bytes_per_token=3_859, cache_kinds=(("compressed", 43),))


def page_of(**changed: Any) -> tuple[dict[str, str], dict[str, Any]]:
    """Facts and JSON of the large model's page, where its record says something else."""
    given, model = fabricated.inputs(), replace(LARGE, **changed)
    models = {**given.catalog.models, model.id: model}
    facts = {**given.facts, model.id: replace(PLAIN, vision_parameters=model.vision_parameters)}
    inputs = replace(given, catalog=replace(given.catalog, models=models), facts=facts)
    page = next(page for page in pages(inputs) if page.url == f"/models/{model.id}/")
    view, result = page.view, page.result
    assert isinstance(view, ModelView)
    assert result is not None
    rows = {text(row.cells[0]): text(row.cells[1]) for row in view.facts.rows}
    return {name: said.replace("\xa0", " ") for name, said in rows.items()}, dict(result)


def test_parameters_are_all_that_a_model_has_learned() -> None:
    facts, result = page_of(vision_parameters=580_000_000, mtp_parameters=420_000_000)
    assert facts["Parameters"] == "70.6 B; 0.42 B more in layers for speculative decoding"
    assert facts["Reads images"] == "yes; 0.58 B of the parameters are for input other than text"
    assert (result["parameters"], result["vision_parameters"]) == (70_000_000_000, 580_000_000)
    sees = replace(PLAIN, vision_parameters=580_000_000)
    (row,) = models_table([(LARGE, sees)], fabricated.ENGINE.ratings, id="m", caption="").rows
    assert text(row.cells[2]).replace("\xa0", " ") == "70.6 B"
    assert dict(row.facets)["size"] == "70.58"


def test_a_model_whose_image_part_is_not_counted_is_not_said_to_read_text_alone() -> None:
    assert page_of()[0]["Reads images"] == "no"
    part = page_of(vision_classes=("SeesForConditionalGeneration",))[0]["Reads images"]
    assert part == "yes; we count only the text part"


def test_tensor_parallel_sizes_are_said_to_be_of_runtimes_that_need_equal_parts() -> None:
    facts, _ = page_of()
    assert facts["Tensor parallel sizes with equal parts"] == "1, 2, 4, 8"
    assert not any(name.startswith("Valid") for name in facts)


@pytest.mark.parametrize(("announced", "name"), [(False, "Repository created"), (True, "Released")])
def test_a_date_says_of_what_it_is(announced: bool, name: str) -> None:
    facts, _ = page_of(announced=announced, released="2026-03-11")
    assert facts[name] == "2026-03-11"
    assert "Published" not in facts


def test_the_bits_of_a_cache_are_those_of_its_figures() -> None:
    assert page_of()[0]["KV cache per token"].endswith(" KiB (16 bits)")
    plain, own = ([(LARGE, facts)] for facts in (PLAIN, COMPRESSED))
    assert cache_table(plain, id="c").caption == "KV cache of one sequence (16 bits)"
    table = cache_table(own, id="c")
    assert table.caption == "KV cache of one sequence (mostly 8 bits)"
    assert table.columns[1].note == "mostly 8 bits"
    listed = models_table(plain + own, fabricated.ENGINE.ratings, id="m", caption="")
    for both, at in ((listed, 4), (cache_table(plain + own, id="c"), 1)):
        assert both.columns[at].note == "16 bits if not marked"
        assert ["mostly 8 bits" in text(row.cells[at]) for row in both.rows] == [False, True]


def test_compressed_attention_takes_nearly_twice_as_much_in_16_bits() -> None:
    """The layers of DeepSeek V4 Flash that have an indexer, which hold nearly all of its cache."""
    layer, tokens = CompressedAttention(512, 64, 0, 4, 128), 1_048_576
    grid = CellGrid(tokens, 1, 0, 256, False, True, 0, True)
    ratio = layer.cell_bytes(grid, 1, (32, 32)) / (layer.token_bytes(1, 16) * tokens)
    assert ratio == pytest.approx(1_280 / 716, rel=1e-3)

"""Traits of runtimes: stated with a source, filled in by the memory model, read by the engine."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from sitegen.catalog.domain.models import SPEED_FAMILIES, Runtime
from sitegen.catalog.load import parse_catalog
from sitegen.catalog.records.models import CacheTypeWord, TraitsRecord
from sitegen.physics.cache_types import BITS, GGML_HALF_BITS, offers
from sitegen.physics.speed.constants import differing
from sitegen.problems import ProblemsFound
from tests.catalog.sample import changed
from tests.fit.questions import catalog
from tests.yaml_files import read_yaml

ROOT = Path(__file__).parents[2]
VLLM = "catalog/runtimes/vllm.yaml"
GROUPED = {"speed_family", "speed_reference"}
"""How the speed model groups runtimes, which no source states."""


@cache
def stated() -> dict[str, TraitsRecord]:
    texts = {path.stem: path.read_text() for path in (ROOT / "catalog/runtimes").glob("*.yaml")}
    return {
        id_: TraitsRecord.model_validate(read_yaml(text).get("traits", {}), strict=False)
        for id_, text in texts.items()
    }


def sampled(traits: str = "", model: str = "paged") -> Runtime:
    """The sample's vLLM with traits and a memory model."""
    files = changed(VLLM, "memory_model: paged\n", f"memory_model: {model}\n{traits}")
    return parse_catalog(files).runtimes["vllm"]


@pytest.mark.parametrize("id_", sorted(stated()))
def test_every_trait_has_a_source_that_names_it(id_: str) -> None:
    record = stated()[id_]
    named = {name for source in record.sources for name in source.fields}
    assert named == record.model_fields_set - GROUPED - {"sources"}


def test_every_family_has_one_runtime_that_its_constants_are_of() -> None:
    found = [one.traits for one in catalog().runtimes.values()]
    references = Counter(one.speed_family for one in found if one.speed_reference)
    assert references == dict.fromkeys(SPEED_FAMILIES, 1)
    assert {one.speed_family for one in found} == set(SPEED_FAMILIES)


def test_types_of_cache_are_those_that_the_engine_knows() -> None:
    assert set(get_args(CacheTypeWord)) == set(BITS)


@pytest.mark.parametrize(
    ("model", "types", "family"),
    [
        ("paged", ("f16", "fp8"), "paged"),
        ("layer-split", ("f16", "q8_0", "q4_0"), "layer-split"),
        ("eager-split", ("f16", "q8_0", "q4_0"), "paged"),
    ],
)
def test_a_record_without_traits_has_those_of_its_memory_model(
    model: str, types: tuple[str, ...], family: str
) -> None:
    found = sampled(model=model).traits
    assert (found.cache_types, found.speed_family) == (types, family)
    assert (found.default_port, found.speed_reference, found.value_types_apart) == (0, False, False)


def test_what_a_record_states_holds() -> None:
    found = sampled("traits: {cache_types: [f16, q5_1], speed_family: mlx, default_port: 1234}\n")
    assert found.traits.cache_types == ("f16", "q5_1")
    assert (found.traits.speed_family, found.traits.default_port) == ("mlx", 1234)
    assert [word for word in BITS if offers(found, word)] == ["f16", "q5_1"]


def test_keys_and_values_of_two_types_are_for_runtimes_that_take_two() -> None:
    listed = "cache_types: [f16, q8_0]"
    one = sampled(f"traits: {{{listed}}}\n")
    two = sampled(f"traits: {{{listed}, value_types_apart: true}}\n")
    assert [offers(found, "q8_0:f16") for found in (one, two)] == [False, True]
    assert [offers(found, "q8_0:q4_0") for found in (one, two)] == [False, False]


def test_llama_cpp_offers_every_type_of_ggml() -> None:
    types = catalog().runtimes["llama-cpp"].traits.cache_types
    assert set(types) == set(GGML_HALF_BITS)


def test_a_reference_has_no_factors_of_its_own() -> None:
    assert differing(sampled("traits: {speed_reference: true}\n")) == ""
    assert differing(sampled()) == "vllm"


def test_an_unknown_type_of_cache_is_refused() -> None:
    with pytest.raises(ProblemsFound) as found:
        sampled("traits: {cache_types: [fp6]}\n")
    assert [problem.span.path for problem in found.value.problems] == [VLLM]

"""Files that exist: what the models that people download most can be fetched as."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Publisher
from sitegen.catalog.load import parse_catalog
from sitegen.models.families.names import known_as
from sitegen.models.weights.checkpoint import weigh_checkpoint
from sitegen.physics.reduced_checkpoint import design_of
from sitegen.units import GB
from tests.yaml_files import read_yaml

ROOT = Path(__file__).parents[2]
KINDS = ("models", "quantizations")
PATHS = [path for kind in KINDS for path in sorted((ROOT / "catalog" / kind).glob("*.yaml"))]
MOST = 80
BRANCHED = ("exl2", "exl3")


@cache
def catalog() -> Catalog:
    return parse_catalog({p.relative_to(ROOT).as_posix(): p.read_text() for p in PATHS})


def released(model: LanguageModel) -> Checkpoint:
    return next(one for one in model.checkpoints if one.native)


def downloaded_most() -> list[LanguageModel]:
    """Models by the downloads of their release, as the catalog has them."""
    models = catalog().models.values()
    return sorted(models, key=lambda model: -(released(model).downloads or 0))[:MOST]


def test_the_releases_of_the_models_that_many_download_can_be_fetched() -> None:
    for model in downloaded_most():
        one = released(model)
        assert one.repository == model.repository, model.id
        assert one.publisher is Publisher.OFFICIAL, model.id
        assert one.downloads, model.id


@cache
def loaded_by_llama_cpp() -> frozenset[str]:
    """Names of the models that llama.cpp has code for, by the record of the runtime."""
    record = read_yaml((ROOT / "catalog" / "runtimes" / "llama-cpp.yaml").read_text())
    return frozenset(record["known_models"]["names"])


def llama_cpp_loads(name: str) -> bool:
    return not loaded_by_llama_cpp().isdisjoint(known_as(catalog().models[name].config))


def with_code() -> list[str]:
    return [model.id for model in downloaded_most() if llama_cpp_loads(model.id)]


def test_few_of_these_models_are_none_that_llama_cpp_loads() -> None:
    assert MOST - len(with_code()) <= 5


def test_the_models_that_many_download_have_a_gguf_file_to_fetch() -> None:
    for name in with_code():
        files = [c for c in catalog().models[name].checkpoints if c.quantization.format == "gguf"]
        assert any(c.repository for c in files), name


def test_most_formats_of_these_models_can_be_fetched() -> None:
    listed = [c for model in downloaded_most() for c in model.checkpoints]
    listed = [c for c in listed if c.quantization.production]
    named = sum(bool(c.repository) for c in listed if c.quantization.format not in BRANCHED)
    assert named / sum(c.quantization.format not in BRANCHED for c in listed) > 0.85


@pytest.mark.parametrize(
    ("model", "checkpoint", "repository"),
    [
        ("qwen3-32b", "awq-4bit-g128", "Qwen/Qwen3-32B-AWQ"),
        ("qwen3-32b", "fp8-block", "Qwen/Qwen3-32B-FP8"),
        ("qwen3-32b", "q4-k-m", "unsloth/Qwen3-32B-GGUF"),
        ("qwen3-30b-a3b-instruct-2507", "fp8-block", "Qwen/Qwen3-30B-A3B-Instruct-2507-FP8"),
        ("gpt-oss-120b", "mxfp4-moe", "ggml-org/gpt-oss-120b-GGUF"),
        ("llama-3.3-70b-instruct", "awq-4bit-g128", "casperhansen/llama-3.3-70b-instruct-awq"),
        ("qwq-32b", "awq-4bit-g128", "Qwen/QwQ-32B-AWQ"),
        ("glm-4.5-air", "fp8", "zai-org/GLM-4.5-Air-FP8"),
    ],
)  # fmt: skip
def test_well_known_files_are_named(model: str, checkpoint: str, repository: str) -> None:
    found = {one.id: one.repository for one in catalog().models[model].checkpoints}
    assert found[checkpoint] == repository


def test_no_repository_stands_under_two_formats_of_one_model() -> None:
    """A repository holds one format; GGUF repositories hold many types of one."""
    for model in catalog().models.values():
        kinds = {(c.repository, c.quantization.format) for c in model.checkpoints if c.repository}
        twice = [name for name, count in Counter(name for name, _ in kinds).items() if count > 1]
        assert not twice, model.id


def test_a_repository_belongs_to_one_model() -> None:
    owners = {
        (c.repository.lower(), model.id)
        for model in catalog().models.values()
        for c in model.checkpoints
        if c.repository
    }
    shared = [name for name, count in Counter(name for name, _ in owners).items() if count > 1]
    assert not shared


def test_one_repository_has_one_count_of_downloads() -> None:
    seen: dict[str, int | None] = {}
    for model in catalog().models.values():
        for one in model.checkpoints:
            if one.repository:
                assert seen.setdefault(one.repository, one.downloads) == one.downloads


def test_a_model_with_such_files_says_where_their_names_come_from() -> None:
    for model in catalog().models.values():
        carried = {field for source in model.sources for field in source.fields}
        counted = any(one.downloads for one in model.checkpoints)
        assert not counted or "checkpoints" in carried, model.id


def test_publishers_are_told_apart() -> None:
    of = {c.repository: c.publisher for m in catalog().models.values() for c in m.checkpoints}
    assert of["Qwen/Qwen3-32B-AWQ"] is Publisher.OFFICIAL
    assert of["unsloth/Qwen3-32B-GGUF"] is Publisher.KNOWN_QUANTIZER
    assert of["cognitivecomputations/DeepSeek-R1-AWQ"] is Publisher.OTHER


def test_files_behind_a_licence_are_marked() -> None:
    of = {c.repository: c.gated for m in catalog().models.values() for c in m.checkpoints}
    assert of["meta-llama/Llama-3.1-8B-Instruct"]
    assert of["google/gemma-3-27b-it"]
    assert not of["unsloth/Llama-3.1-8B-Instruct-GGUF"]
    assert not of["Qwen/Qwen3-32B"]


def test_no_file_lies_in_raw_parts_that_no_program_loads() -> None:
    """Mradermacher cuts files above 50 GB into ``.gguf.part1of2``, which llama.cpp does not list.

    llama.cpp 0c1e57098, ``common/download.cpp``: a model's file ends in ``.gguf``.
    """
    for model in catalog().models.values():
        design = design_of(model)
        for one in model.checkpoints:
            if one.repository.startswith("mradermacher/") and one.quantization.format == "gguf":
                whole = weigh_checkpoint(design, one).total_bytes
                assert whole < 50 * GB, (model.id, one.id)

"""Names of repositories are read strictly: what is not accounted for names nothing."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.propose_repositories import main, proposals
from benchmarks.repositories import gguf, names
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import parse_catalog
from sitegen.inputs import read_project

ROOT = Path(__file__).parents[2]


@cache
def catalog() -> Catalog:
    return parse_catalog(read_project(ROOT).catalog)


def read(name: str) -> tuple[str, str, str] | None:
    models = catalog().models
    found = names.variant(name, 5, models, names.releases(models))
    return (found.model, found.quantization, found.publisher) if found else None


@pytest.mark.parametrize(
    ("name", "model", "quantization", "publisher"),
    [
        ("Qwen/Qwen3-32B-AWQ", "qwen3-32b", "awq-4bit-g128", "official"),
        ("Qwen/Qwen3-32B-FP8", "qwen3-32b", "fp8-block", "official"),
        ("RedHatAI/Qwen3-32B-FP8-dynamic", "qwen3-32b", "fp8", "known-quantizer"),
        ("zai-org/GLM-4.7-FP8", "glm-4.7", "fp8", "official"),
        ("zai-org/GLM-5.1-FP8", "glm-5.1", "fp8-block", "official"),
        ("hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4", "llama-3.1-8b-instruct",
         "awq-4bit-g128", "known-quantizer"),
        ("cyankiwi/Qwen3.8-27B-AWQ-INT4", "qwen3.8-27b", "w4a16-g32", "known-quantizer"),
        ("mlx-community/gemma-4-31b-it-4bit", "gemma-4-31b-it", "mlx-4bit", "known-quantizer"),
        ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4", "nemotron-3-nano-30b-a3b", "nvfp4",
         "official"),
    ],
)  # fmt: skip
def test_a_name_that_is_accounted_for_is_read(
    name: str, model: str, quantization: str, publisher: str
) -> None:
    assert read(name) == (model, quantization, publisher)


@pytest.mark.parametrize(
    "name",
    [
        "huihui-ai/Qwen3-32B-abliterated-AWQ",
        "someone/Qwen3-32B-AWQ",
        "RedHatAI/Qwen3-32B-speculator.eagle3",
        "nvidia/Qwen3-32B-Eagle3-NVFP4",
        "QuantTrio/GLM-4.5-Air-AWQ-FP16Mix",
        "cerebras/GLM-4.5-Air-REAP-82B-A12B-FP8",
        "mlx-community/Qwen3-32B-4bit-DWQ",
        "Qwen/Qwen3-32B",
        "unsloth/Qwen3.8-27B-FP8",
        "QuantTrio/Qwen3.5-27B-Claude-4.6-Opus-Reasoning-Distilled-v2-AWQ",
    ],
)
def test_a_word_that_is_not_accounted_for_names_nothing(name: str) -> None:
    assert read(name) is None


def test_the_model_s_own_file_goes_before_one_that_more_people_download() -> None:
    rows = [
        {"name": "QuantTrio/Qwen3-32B-AWQ", "hf_downloads": 9},
        {"name": "Qwen/Qwen3-32B-AWQ", "hf_downloads": 1},
        {"name": "nvidia/Qwen3-32B-NVFP4", "hf_downloads": 2},
        {"name": "RedHatAI/Qwen3-32B-NVFP4", "hf_downloads": 3},
    ]
    found = {p["quantization"]: p["repository"] for p in proposals(catalog(), rows, {})}
    assert found == {
        "awq-4bit-g128": "Qwen/Qwen3-32B-AWQ",
        "nvfp4": "RedHatAI/Qwen3-32B-NVFP4",
    }


def chosen(model: str, *repositories: str, listed: Any = None) -> dict[str, str]:
    one = catalog().models[model]
    experts = "experts" in json.dumps(dict(one.config))
    found = gguf.files(one, repositories, listed or {}, experts=experts)
    return {kind: file.repository for kind, file in found.items()}


def test_a_list_of_files_goes_before_the_standard_of_a_provider() -> None:
    repository = "unsloth/Qwen3-32B-GGUF"
    listed = {repository.lower(): gguf.Listed(repository, frozenset({"Q8_0", "UD-Q4_K_XL"}))}
    assert set(chosen("qwen3-32b", repository, listed=listed)) == {"Q8_0"}
    assert "Q4_K_M" in chosen("qwen3-32b", repository)


def test_unsloth_s_newer_mixtures_of_experts_have_few_plain_files() -> None:
    assert set(chosen("qwen3.6-35b-a3b", "unsloth/Qwen3.6-35B-A3B-GGUF")) == {"Q8_0"}
    both = chosen("qwen3.6-35b-a3b", "unsloth/X-GGUF", "mradermacher/X-GGUF")
    assert both["Q8_0"] == "unsloth/X-GGUF"
    assert both["Q4_K_M"] == "mradermacher/X-GGUF"


def test_files_cut_into_parts_that_have_to_be_joined_are_left_out() -> None:
    assert "Q8_0" not in chosen("qwen2.5-72b-instruct", "mradermacher/X-GGUF")
    assert "Q8_0" in chosen("qwen2.5-72b-instruct", "bartowski/X-GGUF")


def test_the_command_prints_proposals_and_what_is_covered(tmp_path: Path) -> None:
    listing = tmp_path / "hub.jsonl.gz"
    rows = [
        {"name": "Qwen/Qwen3-32B", "hf_downloads": 7, "catalog_id": "qwen3-32b",
         "gguf_sources": [{"repo": "unsloth/Qwen3-32B-GGUF"}]},
        {"name": "Qwen/Qwen3-32B-AWQ", "hf_downloads": 3},
    ]  # fmt: skip
    with gzip.open(listing, "wt", encoding="utf-8") as out:
        out.write("\n".join(map(json.dumps, rows)))
    run = CliRunner().invoke(main, [str(listing), "--project", str(ROOT)])
    assert run.exit_code == 0, run.output
    assert "| qwen3-32b | awq-4bit-g128 | Qwen/Qwen3-32B-AWQ | official | 3 | named |" in run.output
    assert "Of 2 formats that the listing has for these models the catalog names 2." in run.output

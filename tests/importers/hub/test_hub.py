"""Names of repositories are read strictly, and records take what is proposed without a change."""

from __future__ import annotations

import difflib
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import Publisher
from sitegen.catalog.load import parse_catalog
from sitegen.importers.hub import gguf
from sitegen.importers.hub.additions import ListingSource, with_proposals
from sitegen.importers.hub.listing import HubListing, row, rows
from sitegen.importers.hub.proposals import (
    TO_ADD,
    TO_NAME,
    Proposal,
    Usual,
    coverage,
    found,
    most_downloaded,
    report,
)
from sitegen.importers.hub.variants import FEW, MANY, Variant, VariantReader
from sitegen.importers.measured import UnusableError
from sitegen.inputs import read_project
from tests.yaml_files import read_yaml

ROOT = Path(__file__).parents[3]
SOURCE = ListingSource("A listing: of the Hub", "https://example.org/listing", "2026-11-23")


@cache
def catalog() -> Catalog:
    return parse_catalog(read_project(ROOT).catalog)


def bare(model: str) -> Catalog:
    """The catalog, with nothing but the release of a model listed."""
    one = catalog().models[model]
    return replace(
        catalog(),
        models={**catalog().models, model: replace(one, checkpoints=one.checkpoints[:1])},
    )


@cache
def reader() -> VariantReader:
    return VariantReader(catalog())


def read(name: str, downloads: int = FEW) -> tuple[str, str, str] | None:
    one = reader().read(name, downloads)
    return (one.model, one.quantization, one.publisher) if isinstance(one, Variant) else None


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
        ("unsloth/Qwen3-8B-GGUF", "qwen3-8b", "", "known-quantizer"),
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
        "someone/Qwen3-32B-NVFP4",
        "RedHatAI/Qwen3-32B-speculator.eagle3",
        "nvidia/Qwen3-32B-Eagle3-NVFP4",
        "QuantTrio/GLM-4.5-Air-AWQ-FP16Mix",
        "cerebras/GLM-4.5-Air-REAP-82B-A12B-FP8",
        "mlx-community/Qwen3-32B-4bit-DWQ",
        "Qwen/Qwen3-32B",
        "unsloth/Qwen3-32B-BF16",
        "unsloth/Qwen3.8-27B-FP8",
        "QuantTrio/Qwen3.5-27B-Claude-4.6-Opus-Reasoning-Distilled-v2-AWQ",
    ],
)
def test_a_word_that_is_not_accounted_for_names_nothing(name: str) -> None:
    assert read(name) is None


def test_somebody_unknown_needs_many_downloads_and_a_name_that_tells_the_layout() -> None:
    assert read("someone/Qwen3-32B-NVFP4", MANY - 1) is None
    assert read("someone/Qwen3-32B-NVFP4", MANY) == ("qwen3-32b", "nvfp4", "other")
    assert read("someone/Qwen3-32B-AWQ", MANY) is None  # groups of 32 or of 128
    assert read("someone/Qwen3-32B-FP8", MANY) is None  # rows or blocks
    assert read("RedHatAI/Qwen3-32B-FP8", FEW - 1) is None


@pytest.mark.parametrize(
    ("model", "quantization", "name"),
    [
        ("glm-4.7", "nvfp4", "nvidia/GLM-4.7-NVFP4"),
        ("deepseek-coder-v2-lite-instruct", "awq-4bit-g128",
         "TechxGenus/DeepSeek-Coder-V2-Lite-Instruct-AWQ"),  # 10,944 inputs in groups of 128
        ("qwen3.6-27b", "w4a16-g32", "cyankiwi/Qwen3.6-27B-AWQ-INT4"),
    ],
)  # fmt: skip
def test_what_a_maker_leaves_at_16_bits_is_looked_up_and_not_written(
    model: str, quantization: str, name: str
) -> None:
    made = found(bare(model), [HubListing(name, FEW)], {})
    assert made.open() == ()
    assert [one.repository for one in made.to_look_up()] == [name]
    assert f"- {model}, {quantization}: {name}" in list(report(made, catalog()))


def test_a_plain_model_has_nothing_to_look_up() -> None:
    listing = [HubListing("nvidia/Qwen3-32B-NVFP4", FEW), HubListing("nvidia/Qwen3-32B-FP8", FEW)]
    made = found(bare("qwen3-32b"), listing, {})
    assert [one.quantization for one in made.open()] == ["fp8", "nvfp4"]


def test_the_model_s_own_file_goes_before_a_quantizer_s_and_that_before_another_s() -> None:
    listing = [
        HubListing("QuantTrio/Qwen3-32B-AWQ", 9_000),
        HubListing("Qwen/Qwen3-32B-AWQ", 1),
        HubListing("someone/Qwen3-32B-NVFP4", MANY),
        HubListing("nvidia/Qwen3-32B-NVFP4", 2_000),
        HubListing("RedHatAI/Qwen3-32B-NVFP4", 3_000),
    ]
    chosen = {p.quantization: p.repository for p in found(catalog(), listing, {}).proposals}
    assert chosen == {
        "awq-4bit-g128": "Qwen/Qwen3-32B-AWQ",
        "nvfp4": "RedHatAI/Qwen3-32B-NVFP4",
    }


def test_files_that_were_read_say_which_types_a_repository_holds() -> None:
    files = ("a/Qwen3-32B-Q8_0.gguf", "Qwen3-32B-Q3_K_L.gguf", "Qwen3-32B-UD-Q4_K_XL.gguf",
             "mmproj-F16.gguf", "Qwen3-32B-Q5_0-00001-of-00002.gguf", "README.md")  # fmt: skip
    listing = [HubListing("unsloth/Qwen3-32B-GGUF", 7, files=files)]
    chosen = {p.quantization for p in found(catalog(), listing, {}, usual=Usual.ADD).proposals}
    assert chosen == {"q3-k-l", "q5-0"}


def test_a_usual_set_is_proposed_only_where_it_is_asked_for() -> None:
    listing = [HubListing("Qwen/Qwen3-32B", 7, gguf=("mradermacher/Qwen3-32B-GGUF",))]
    assert found(catalog(), listing, {}).open() == ()
    every = found(catalog(), listing, {}, usual=Usual.ADD)
    assert {one.provider for one in every.open()} <= {"mradermacher"}
    assert any("Qwen3-32B-GGUF" in one.repository for one in every.proposals)


def chosen_files(model: str, *repositories: str, listed: Any = None) -> dict[str, str]:
    one = catalog().models[model]
    experts = "experts" in json.dumps(dict(one.config))
    files = gguf.files(one, repositories, listed or {}, experts=experts)
    return {kind: file.repository for kind, file in files.items()}


def test_a_list_of_files_goes_before_the_standard_of_a_provider() -> None:
    repository = "unsloth/Qwen3-32B-GGUF"
    listed = {repository.lower(): gguf.Listed(repository, frozenset({"Q8_0", "UD-Q4_K_XL"}))}
    assert set(chosen_files("qwen3-32b", repository, listed=listed)) == {"Q8_0"}
    assert "Q4_K_M" in chosen_files("qwen3-32b", repository)


def test_unsloth_s_newer_mixtures_of_experts_have_few_plain_files() -> None:
    assert set(chosen_files("qwen3.6-35b-a3b", "unsloth/Qwen3.6-35B-A3B-GGUF")) == {"Q8_0"}
    both = chosen_files("qwen3.6-35b-a3b", "unsloth/X-GGUF", "mradermacher/X-GGUF")
    assert both["Q8_0"] == "unsloth/X-GGUF"
    assert both["Q4_K_M"] == "mradermacher/X-GGUF"


def test_files_cut_into_parts_that_have_to_be_joined_are_left_out() -> None:
    assert "Q8_0" not in chosen_files("qwen2.5-72b-instruct", "mradermacher/X-GGUF")
    assert "Q8_0" in chosen_files("qwen2.5-72b-instruct", "bartowski/X-GGUF")


def test_a_list_of_types_is_read_and_a_broken_one_is_told() -> None:
    spec = {"model_format": "ggufv2", "model_id": "a/B-GGUF", "quantizations": ["q8_0"]}
    assert gguf.listed_types(json.dumps([{"model_specs": [spec]}]).encode()) == {
        "a/b-gguf": gguf.Listed("a/B-GGUF", frozenset({"Q8_0"}))
    }
    with pytest.raises(UnusableError):
        gguf.listed_types(b'{"model_specs": 3}')


def test_a_report_shows_what_is_open_what_is_ambiguous_and_what_is_covered() -> None:
    listing = [HubListing("Qwen/Qwen3-32B", 7), HubListing("Qwen/Qwen3-32B-AWQ", 3),
               HubListing("RedHatAI/Qwen3-32B-MXFP4", 4_000)]  # fmt: skip
    made = found(bare("qwen3-32b"), listing, {})
    text = "\n".join(report(made, catalog()))
    assert (
        "| qwen3-32b | mxfp4 | RedHatAI/Qwen3-32B-MXFP4 | known-quantizer | 4000 | to add |" in text
    )
    assert "Qwen3-32B-AWQ" not in "\n".join(report(found(catalog(), listing, {}), catalog()))
    assert "2 names match, 0 are ambiguous, 1 mean no checkpoint" in text
    assert "the catalog names 2." in "\n".join(coverage(made, catalog(), listing))


def test_a_name_that_two_models_match_is_listed_and_not_proposed() -> None:
    twins = {**catalog().models, "twin": catalog().models["qwen3-32b"]}
    made = found(replace(catalog(), models=twins), [HubListing("Qwen/Qwen3-32B-FP8", 9)], {})
    assert made.proposals == ()
    assert "- Qwen/Qwen3-32B-FP8: qwen3-32b, twin" in list(report(made, catalog()))


RECORD = """\
name: A  # a comment
repository: own/A
checkpoints:
  - quantization: bf16
    native: true
  - quantization: nvfp4
  # what follows was measured
  - quantization: q4-k-m  # ours
    repository: own/A-GGUF

# sources of everything
sources:
- title: One
  url: https://example.org/one
  read: '2026-11-20'
"""


def proposal(quantization: str, state: str = TO_ADD, **other: Any) -> Proposal:
    said = {"publisher": Publisher.KNOWN_QUANTIZER, "downloads": 12, "gated": False, **other}
    return Proposal("a", quantization, f"maker/A-{quantization}", state=state, **said)


def test_a_record_takes_lines_and_loses_none() -> None:
    some = [proposal("fp8"), proposal("nvfp4", TO_NAME), proposal("q8-0", provider="bartowski")]
    text = with_proposals(RECORD, some, SOURCE)
    changes = list(difflib.ndiff(RECORD.splitlines(), text.splitlines()))
    assert not [line for line in changes if line.startswith("-")]
    record = read_yaml(text)
    named = {one["quantization"]: one.get("repository") for one in record["checkpoints"]}
    assert named == {
        "bf16": None, "nvfp4": "maker/A-nvfp4", "q4-k-m": "own/A-GGUF", "fp8": "maker/A-fp8",
        "q8-0": "maker/A-q8-0",
    }  # fmt: skip
    assert record["checkpoints"][-1] == {
        "quantization": "q8-0", "repository": "maker/A-q8-0", "downloads": 12,
        "publisher": "known-quantizer",
    }  # fmt: skip
    titles = [one["title"] for one in record["sources"]]
    assert titles == ["One", SOURCE.title, gguf.SOURCES["bartowski"][0]]
    assert record["sources"][1]["fields"] == ["checkpoints"]


def test_a_source_that_a_record_has_is_not_written_twice() -> None:
    once = with_proposals(RECORD, [proposal("fp8")], SOURCE)
    again = with_proposals(once, [proposal("q8-0")], SOURCE)
    assert again.count(SOURCE.url) == 1


def test_a_record_of_one_line_is_refused_with_its_place() -> None:
    with pytest.raises(UnusableError) as refused:
        with_proposals("name: A\ncheckpoints: [{quantization: bf16}]\n", [proposal("fp8")], SOURCE)
    assert refused.value.line == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "the line is no JSON"),
        (b"[1]", "an entry is a JSON object"),
        (b"{}", "the name is missing"),
        (b'{"name": "no owner"}', "the name is no repository"),
        (b'{"name": "../etc/passwd"}', "the name is no repository"),
        (b'{"name": "a/b", "hf_downloads": -1}', "hf_downloads is no count"),
        (b'{"name": "a/b", "hf_downloads": "12"}', "hf_downloads is no count"),
        (b'{"name": "a/b", "gguf_sources": 3}', "gguf_sources is no list"),
        (b'{"name": "a/b", "gguf_sources": [{"provider": "x"}]}', "the repo is missing"),
        (b'{"name": "a/b", "license": ["mit"]}', "license is no text"),
        (b"\xff\xfe", "the line is no JSON"),
    ],
)
def test_a_line_that_is_no_entry_is_told_with_its_number(line: bytes, message: str) -> None:
    with pytest.raises(UnusableError, match=message) as refused:
        list(rows([b'{"name": "a/b"}', b"", line]))
    assert refused.value.line == 3


def test_an_entry_keeps_what_can_be_trusted() -> None:
    entry = {"name": "a/b", "hf_downloads": 3, "license": "MIT", "format": "gguf",
             "quantization": "Q4_K_M", "gguf_sources": [{"repo": "c/d"}]}  # fmt: skip
    assert row(entry) == HubListing("a/b", 3, ("c/d",), (), "mit")
    assert row({"name": "a/b", "hf_downloads": 0}).downloads == 0, "nobody is a count"


def test_models_stand_in_the_order_of_downloads_and_an_unknown_count_is_none() -> None:
    listed = (
        HubListing("Qwen/Qwen3-8B"),
        HubListing("qwen/qwen3-32b", downloads=2),
        HubListing("meta-llama/Llama-3.1-8B-Instruct", downloads=9),
        HubListing("nobody/not-in-the-catalog", downloads=99),
    )
    assert most_downloaded(catalog(), listed) == [
        ("llama-3.1-8b-instruct", 9), ("qwen3-32b", 2), ("qwen3-8b", 0),
    ]  # fmt: skip

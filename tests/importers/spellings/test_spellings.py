"""A spelling means one record of the catalog or none: by rule, not by a list of names."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import DedicatedMemory
from sitegen.catalog.load import parse_catalog
from sitegen.importers.spellings.gpus import GpuNames
from sitegen.importers.spellings.models import ModelNames, Strictness
from sitegen.importers.spellings.quantizations import QuantizationNames
from sitegen.inputs import read_project
from sitegen.units import GIB

ROOT = Path(__file__).parents[3]
HELD_OUT = Path(__file__).with_name("held_out.txt")
FEWEST_MATCHED = 0.9


@cache
def catalog() -> Catalog:
    return parse_catalog(read_project(ROOT).catalog)


@cache
def models() -> ModelNames:
    return ModelNames(catalog().models)


@cache
def gpus() -> GpuNames:
    return GpuNames(catalog().gpus)


@cache
def quantizations() -> QuantizationNames:
    return QuantizationNames(catalog().quantizations)


def cases() -> list[tuple[str, str, tuple[str, ...]]]:
    """Kind, spelling and right answers of the data file."""
    lines = HELD_OUT.read_text(encoding="utf-8").splitlines()
    parts = [line.split(" | ") for line in lines if not line.startswith("#")]
    return [(kind, spelling, tuple(answers)) for kind, spelling, *answers in parts]


def understood(kind: str, spelling: str) -> tuple[str | None, ...]:
    """What the rule makes of a spelling."""
    if kind == "gpu":
        found = gpus().meant(spelling)
        return (found[0] if len(found) == 1 else None,)
    if kind == "model":
        return (models().meant(spelling).model,)
    if kind == "quantization":
        return (quantizations().meant(spelling),)
    meant = models().meant(spelling, Strictness.RELEASE)
    container = "mlx" if spelling.startswith("mlx-community/") else ""
    found_marks = quantizations().of_marks(meant.marks, container=container)
    return (meant.model, found_marks if meant.model else None)


def agrees(found: str | None, answer: str) -> bool:
    """Whether a rule found what was written by hand: `-` and `?` are nothing, `~` at most this."""
    if answer.startswith("~"):
        return found is None or found.startswith(answer.removeprefix("~ "))
    return found == (None if answer[0] in "-?" else answer)


def test_held_out_spellings_mean_what_was_written_by_hand() -> None:
    wrong = [
        (kind, spelling, found, answer)
        for kind, spelling, answers in cases()
        for found, answer in zip(understood(kind, spelling), answers, strict=True)
        if not agrees(found, answer)
    ]
    assert wrong == []


def test_nine_tenths_of_the_held_out_spellings_are_matched() -> None:
    answers = [one for *_, some in cases() for one in some if one[0] not in "-~"]
    counts = Counter(one.startswith("?") for one in answers)
    assert counts.total() >= 100
    assert counts[False] / counts.total() >= FEWEST_MATCHED


def test_every_record_is_found_by_its_own_name() -> None:
    for id, model in catalog().models.items():
        for name in (id, model.name, model.repository):
            assert models().meant(name, Strictness.RELEASE).models == (id,), name
    for id, gpu in catalog().gpus.items():
        memory = gpu.memory
        sold = isinstance(memory, DedicatedMemory) and memory.installed_bytes / GIB
        for name in (id, gpu.name):  # where two differ by memory alone, it has to be said
            assert gpus().meant(name, sold or None) == (id,), name
    for id, one in catalog().quantizations.items():
        assert (quantizations().meant(id), quantizations().meant(one.name)) == (id, id)


def test_published_checkpoints_are_of_the_model_that_lists_them() -> None:
    wrong = [
        one.repository
        for id, model in catalog().models.items()
        for one in model.checkpoints
        if one.repository
        and models().meant(one.repository, Strictness.RELEASE).models not in ((), (id,))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "several"),
    [
        ("mistral:7b", {"mistral-7b-instruct-v0.3", "mistral-7b-v0.1"}),
        ("Qwen3 235B", {"qwen3-235b-a22b", "qwen3-235b-a22b-instruct-2507"}),
    ],
)
def test_a_name_that_two_models_match_is_never_guessed(name: str, several: set[str]) -> None:
    found = models().meant(name)
    assert set(found.models) >= several
    assert found.model is None


def test_a_repository_says_all_and_a_person_leaves_out_what_is_clear() -> None:
    assert models().meant("Qwen/Qwen2.5-7B").model is None
    assert models().meant("qwen2.5:7b").model == "qwen2.5-7b-instruct"
    assert models().meant("llama-2-7b-chat").model is None
    assert models().meant("llama-2-7b-chat", Strictness.SHAPE).model == "llama-2-7b"
    assert models().meant("mistral-7b-instruct").model is None  # a later version than the first


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("a/Qwen3-8B-NVFP4-GB10", "qwen3-8b"),
        ("a/Qwen3-8B-GB10", None),  # no mark of quantized weights before it
        ("a/Qwen3-8B-BF16-turbo", None),  # whole weights, which another model may follow
        ("a/Qwen3-8B-AWQ-MTP-LMHead4", "qwen3-8b"),
        ("a/Qwen3-8B-MTP-AWQ", None),  # prediction layers alone
        ("a/Qwen3-8B-RAM-16GB-MLX", "qwen3-8b"),
        ("a/Qwen3-8B-GSQ-2bit", "qwen3-8b"),
        ("a/Qwen3-8B-EQ-FP8", None),  # a word, and no method
        ("a/Qwen3-8B-QwQ-FP8", None),
        ("a/Qwen3-8B-FP8-5090", "qwen3-8b"),
        ("a/Qwen3-8B-FP8-0731", None),  # a date
        ("deepseek-ai-DeepSeek-V3.2-8bit", "deepseek-v3.2"),
        ("meta-llama-3-8b-instruct", "llama-3-8b-instruct"),
        ("models--unsloth--Qwen3-8B-GGUF", "qwen3-8b"),
    ],
)
def test_a_word_says_more_of_the_files_beside_a_mark_alone(name: str, model: str | None) -> None:
    assert models().meant(name).model == model


def test_a_tag_of_a_library_is_not_the_base_where_a_tuned_model_is_called_so() -> None:
    assert models().meant("qwen2.5-0.5b").model == "qwen2.5-0.5b"
    assert models().meant("qwen2.5:0.5b").models == ("qwen2.5-0.5b", "qwen2.5-0.5b-instruct")
    assert models().meant("qwen2.5:0.5b-instruct").model == "qwen2.5-0.5b-instruct"


def test_words_of_a_quantization_that_several_makers_write() -> None:
    names = quantizations()
    assert names.meant("q4km") == "q4-k-m"
    assert names.of_marks(("gptq-4b", "128g")) == "gptq-4bit-g128"
    assert names.of_marks(("modelopt", "nvfp4", "w4a4", "vllm")) == "nvfp4"
    assert names.of_marks(("nvfp4", "gb10")) is None


def test_a_form_or_size_that_is_left_open_leaves_the_gpu_open() -> None:
    assert {"h100-nvl", "h100-pcie", "h100-sxm"} <= set(gpus().meant("H100"))
    assert gpus().meant("NVIDIA H100 80GB HBM3") == ("h100-sxm",)
    assert gpus().meant("RTX 4060 Ti", memory_gib=15.6) == ("rtx-4060-ti-16gb",)
    assert gpus().meant("RTX 4090 Laptop GPU") == ("rtx-4090-laptop",)
    assert gpus().meant("RTX 4050 Ti (laptop)") == ()


def test_a_group_that_nobody_states_is_not_guessed_for_the_unknown() -> None:
    names = quantizations()
    assert names.of_marks(("awq",)) == "awq-4bit-g128"
    assert names.of_marks(("awq",), group=None) is None
    assert names.of_marks(("gptq", "4bit", "128g"), group=None) == "gptq-4bit-g128"
    assert names.of_marks(("gptq", "4bit", "g32")) is None


@given(st.text(max_size=80))
def test_no_text_makes_the_rule_fail(text: str) -> None:
    for strictness in Strictness:
        assert set(models().meant(text, strictness).models) <= set(catalog().models)
    assert set(gpus().meant(text)) <= set(catalog().gpus)
    assert quantizations().meant(text) in {None, *catalog().quantizations}

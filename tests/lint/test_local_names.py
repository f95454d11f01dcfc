"""Files and folders that are called like a release, and machines of mixed GPUs."""

from __future__ import annotations

import pytest

from tests.lint.support import codes, facts, linted, only

MIXED = "rtx-5090-plus-2x-rtx-3090"


@pytest.mark.parametrize(
    ("name", "model", "checkpoint"),
    [
        ("/models/Qwen3.8-27B-Q4_K_M.gguf", "qwen3.8-27b", "q4-k-m"),
        ("./gpt-oss-120b/", "gpt-oss-120b", "mxfp4"),
        ("~/models/Llama-3.3-70B-Instruct", "llama-3.3-70b-instruct", "bf16"),
        ("/models/Qwen3.8-27B-UD-Q4_K_XL.gguf", "qwen3.8-27b", "ud-q4-k-xl"),
        ("/data/models/Qwen3-8B-AWQ", "qwen3-8b", "awq-4bit-g128"),
        ("/mnt/Qwen/Qwen3-8B", "qwen3-8b", "bf16"),
        ("C:/m/Qwen3-8B-Q8_0.gguf", "qwen3-8b", "q8-0"),
        ("/models/Qwen3-8B-GGUF", "qwen3-8b", ""),
        ("/models/my-qwen3-8b-finetune", "", ""),
        ("/models/qwen3", "", ""),
        ("./merged", "", ""),
    ],
)
def test_a_path_is_what_it_is_called(name: str, model: str, checkpoint: str) -> None:
    found = facts().repositories.find(name)
    assert (found.model.id if found else "") == model
    assert (found.checkpoint.id if found and found.checkpoint else "") == checkpoint
    assert found is None or found.by_name


def test_the_folder_of_the_hub_holds_its_repository() -> None:
    cache = "/root/.cache/huggingface/hub/models--Qwen--Qwen3-8B/snapshots/abc"
    found = facts().repositories.find(cache)
    assert found is not None
    assert found.model.id == "qwen3-8b"
    assert not found.by_name


def test_a_name_is_said_to_be_all_that_is_known() -> None:
    text = "llama-server -m $HOME/models/Qwen3-32B-Q8_0.gguf -ngl all -c 8192\n"
    found = linted(text, combo="1x-rtx-3090")
    assert [one.code for one in found.problems] == ["does-not-fit"]
    assert found.unnamed_models == 0
    assert [(one.place, one.name, one.meant) for one in found.by_name] == [
        ("a.txt:1", "$HOME/models/Qwen3-32B-Q8_0.gguf", "Qwen3 32B, Q8_0")
    ]
    assert linted('llama-server -m "$MODELS/$NAME" -ngl all\n').unnamed_models == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RTX 3090 + RTX 4090", (("rtx-3090", 1), ("rtx-4090", 1))),
        ("a 3090 + 2x 4090 box", (("rtx-3090", 1), ("rtx-4090", 2))),
        ("2 × RTX 3090 plus 5090", (("rtx-3090", 2), ("rtx-5090", 1))),
    ],
)
def test_a_sum_of_gpus_is_one_machine(text: str, expected: tuple[tuple[str, int], ...]) -> None:
    found = facts().in_text(text)
    assert found is not None
    assert found.combo is not None
    gpus = [one.gpu.id for one in found.combo.gpus]
    assert tuple((name, gpus.count(name)) for name in dict.fromkeys(gpus)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "3090 and 4090",
        "3090+ or better",
        "3090 + a cable, 4090",
        "H200 & B200",
        "8x H200 & 8x B200",
    ],
)
def test_gpus_that_are_only_named_are_no_machine(text: str) -> None:
    assert facts().in_text(text) is None


def test_layers_go_to_all_gpus_of_a_mixed_machine() -> None:
    text = "llama-server -hf unsloth/Llama-3.3-70B-Instruct-GGUF:{} -ngl all -c {}\n"
    assert codes(text.format("Q4_K_M", 32_768), combo=MIXED) == []
    problem = only(text.format("Q8_0", 131_072), combo=MIXED)
    assert problem.code == "context-too-long"
    assert linted(text.format("Q4_K_M", 32_768), combo=MIXED).unweighed == ()


def test_what_fits_none_of_the_gpus_is_said_whichever_is_taken() -> None:
    text = "vllm serve {} --max-model-len 4096\n"
    assert codes(text.format("meta-llama/Llama-3.3-70B-Instruct"), combo=MIXED) == ["does-not-fit"]
    assert linted(text.format("Qwen/Qwen3-4B"), combo=MIXED).unweighed == ()

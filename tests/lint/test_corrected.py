"""What a hint offers instead has to work itself."""

from __future__ import annotations

import re

from tests.lint.mutants import mutants
from tests.lint.support import codes, found, only

OFFERED = re.compile(
    r"(?:^|: )((?:[A-Z_]+=\S+ )*(?:vllm serve|python3? -m|llama-server|trtllm-serve) .*)$"
)


def offered(hint: str) -> str:
    """Return the command that a hint holds, empty for none."""
    match = OFFERED.search(hint)
    return match[1] if match else ""


def test_a_command_in_a_hint_no_longer_has_the_mistake() -> None:
    seen = 0
    for mutant in mutants():
        for problem in found(mutant.text, mutant.kind, mutant.combo):
            command = offered(problem.hint)
            if command and mutant.kind == "bash":
                seen += 1
                assert problem.code not in codes(command, combo=mutant.combo), command
    assert seen > 35


def test_only_what_is_wrong_changes() -> None:
    text = "CUDA_VISIBLE_DEVICES=0,1 vllm serve Qwen/Qwen3-8B -tp=4 --max-model-len 8K --port 8001"
    problem = only(text, combo="2x-rtx-4090")
    assert problem.code == "visible-gpus"
    assert problem.hint == text.replace("-tp=4", "-tp=2")


def test_a_continued_command_becomes_one_line_and_keeps_its_quotes() -> None:
    text = (
        'vllm serve Qwen/Qwen3-32B \\\n  --tensor-parallel-size 3 \\\n  --api-key "$API_KEY" \\\n'
        "  --hf-overrides '{\"a\": 1}' --max-model-len 8192"
    )
    problem = only(text, combo="4x-rtx-3090")
    assert problem.code == "tensor-split"
    assert problem.message == "tensor 3: 64 attention heads do not divide by 3"
    # 61 GiB of weights: two of the four cards do not hold them, all four do
    assert problem.hint == (
        'this plan fits: vllm serve Qwen/Qwen3-32B --tensor-parallel-size 4 --api-key "$API_KEY" '
        "--hf-overrides '{\"a\": 1}' --max-model-len 8192"
    )


def test_a_smaller_checkpoint_is_named_by_its_repository() -> None:
    text = "vllm serve Qwen/Qwen2.5-72B-Instruct -tp 2 --max-model-len 8192"
    problem = only(text, combo="2x-rtx-4090")
    assert problem.code == "does-not-fit"
    assert "the weights alone take 67.7 GiB, but only 21.6 GiB are usable" in problem.message
    assert "Qwen/Qwen2.5-72B-Instruct-AWQ" in problem.hint


def test_keywords_of_a_program_are_offered_as_keywords() -> None:
    text = 'from vllm import LLM\nLLM("Qwen/Qwen3-32B", tensor_parallel_size=6, max_model_len=8192)'
    problem = only(text, "python", "6x-rtx-3090")
    assert problem.code == "tensor-split"
    assert problem.hint == (
        "this plan fits: tensor_parallel_size=2, pipeline_parallel_size=3, max_model_len=8192"
    )


def test_a_size_that_divides_is_named_where_no_plan_fits_or_no_hardware_is_known() -> None:
    text = "vllm serve Qwen/Qwen3-32B -tp 6 --max-model-len 8192"
    assert only(text, combo="").hint == text.replace("-tp 6", "-tp 4")  # of 64 and of 8 KV heads

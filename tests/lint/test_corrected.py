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
    assert problem.message == "tensor 3: 64 attention heads are not divisible by 3"
    # 61 GiB of weights: two of the four cards do not hold them, all four do
    assert problem.hint == (
        'this plan fits: vllm serve Qwen/Qwen3-32B --tensor-parallel-size 4 --api-key "$API_KEY" '
        "--hf-overrides '{\"a\": 1}' --max-model-len 8192"
    )


def test_a_smaller_checkpoint_is_named_by_its_repository() -> None:
    text = "vllm serve Qwen/Qwen2.5-72B-Instruct -tp 2 --max-model-len 8192"
    problem = only(text, combo="2x-rtx-4090")
    assert problem.code == "does-not-fit"
    assert "the weights alone need 67.7 GiB on the fullest GPU, but only" in problem.message
    assert "only 21.6 GiB is usable" in problem.message
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


def test_a_hint_and_its_message_agree_on_the_context() -> None:
    text = (
        "python -m sglang.launch_server --model-path Qwen/Qwen3-30B-A3B-Instruct-2507-FP8 --tp 2 "
        "--context-length 40960"
    )
    problem = only(text, combo="2x-rtx-4090")
    said = re.search(r"at most ([\d,]+) tokens of context fit", problem.message)
    offered_tokens = int(problem.hint.rpartition(" ")[2])
    assert said is not None
    assert 0 <= int(said[1].replace(",", "")) - offered_tokens < 256
    assert problem.message.endswith("not 40,960 tokens; even that is not certain")
    assert codes(problem.hint, combo="2x-rtx-4090") == []


def test_a_context_that_is_safe_is_named_and_offered() -> None:
    text = "llama-server -m Qwen3-32B-Q4_K_M.gguf -ngl 99 -c 32768"
    problem = only(text, combo="1x-rtx-3090")
    assert problem.message.endswith("not 32,768 tokens; 16,384 tokens are safe")
    assert problem.hint == text.replace("32768", "16384")

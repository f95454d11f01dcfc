"""How many questions the tests have that losses of quantization are measured with."""

from __future__ import annotations

from collections.abc import Mapping

QUESTIONS: Mapping[str, int] = {
    "aider-edit-pass-rate-2": 133,  # exercises, said by the board
    "arc-challenge-chat": 1_172,
    "arc-challenge-recovery": 1_172,
    "gpqa-diamond": 198,
    "gsm8k": 1_319,
    "gsm8k-platinum": 1_209,
    "hellaswag": 10_042,  # validation set
    "humaneval": 164,
    "ifeval": 541,
    "math-500": 500,
    "mmlu": 14_042,
    "mmlu-5shot-recovery": 14_042,
    "mmlu-cot-recovery": 14_042,
    "mmlu-humanities": 4_705,
    "mmlu-pro": 12_032,
    "mmlu-relative-recovery": 14_042,
    "mmlu-stem": 3_153,
    "oobabooga-48": 48,
}
"""Sizes of the test sets as their papers and data cards state them."""
PER_TASK = 1_000
"""What a mean over tasks stands for, a task: the usual ones have 500 to 14,042 questions."""
TASKS: Mapping[str, int] = {
    "avg-mmlu-ceval-ifeval": 3,
    "lm-eval-5-avg": 5,
    "lm-eval-10-avg": 10,
    "lm-eval-11-avg": 11,
    "lm-eval-12-avg": 12,
    "maker-suite-recovery": 3,
    "openllm-v1-avg": 6,
}
"""Tasks of a mean, as its source names them; the maker's suite is counted as three."""
SMALL = 100
"""Questions of a private set whose size its source does not say."""


def questions(metric: str, unit: str) -> int | None:
    """Return the size of a test, or nothing for a figure that no questions are behind.

    >>> questions("mmlu", "percent"), questions("lm-eval-5-avg", "fraction")
    (14042, 5000)
    >>> questions("kld-mean", "nats")
    """
    if unit not in {"percent", "fraction"} or metric == "same-top-token":
        return None
    if metric in TASKS:
        return TASKS[metric] * PER_TASK
    return QUESTIONS.get(metric, SMALL)

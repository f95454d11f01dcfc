"""What editors write by mistake: one error for each slip, with the hint that mends it."""

from __future__ import annotations

import pytest

from sitegen.catalog.load import parse_catalog
from sitegen.problems import Problem, ProblemsFound
from tests.catalog.problem_cases import (
    BOXES,
    GPU,
    GPU_3090,
    LOGS,
    MODEL,
    SCORED,
    SPEEDS,
    STUDIO,
    priced,
)
from tests.catalog.sample import changed


def slip(path: str, old: str, new: str) -> tuple[Problem, ...]:
    with pytest.raises(ProblemsFound) as found:
        parse_catalog(changed(path, old, new), today="2026-11-20")
    return found.value.problems


LAUNCHED = "launched: 2022-10-12"
STUDIO_NODE = "  - gpus:\n      - gpu: m4-max\n        unified_memory_gib: 128\n    os:"


@pytest.mark.parametrize(
    ("path", "old", "new", "hint"),
    [
        (GPU, LAUNCHED, "launched: October 2022", "write 2022-10"),
        (GPU, LAUNCHED, "launched: 12.10.2022", "write 2022-10-12"),
        (GPU, LAUNCHED, "launched: 10/12/2022", "for example 2026-11-20"),
        (GPU, "sources:", priced("2026-11-18", "18 Nov 2026"), "write 2026-11-18"),
        (GPU, "sources:", priced("1850", "1,850"), "write `amount: 1850`"),
        (GPU, "sources:", priced("1850", "$1850"), "write `amount: 1850`"),
        (MODEL, "context_tokens: 131072", "context_tokens: 128k",
         "write the number in full, without 'k'"),
        (GPU, 'compute_capability: "8.9"', "compute_capability: sm_89", "for example '8.9'"),
        (SPEEDS, "runtime: vllm", "runtime: vllm, version: v0.19.1", "write '0.19.1'"),
        (SPEEDS, "runtime: vllm", "runtime: vllm, version: 0.19.0rc2",
         "write '0.19.0', and the rest in `build`"),
        (SPEEDS, "runtime: vllm", "runtime: vllm, version: main", "for example '0.19.1'"),
        (BOXES, "      - gpu: rtx-4090\n        count: 2\n", "      - rtx-4090\n",
         "write `{gpu: …}`"),
        (GPU, "  - title: Data sheet", "    title: Data sheet",
         "begin each item with a dash: `- title: …`"),
        (LOGS, "    outcome: ran", "    settings: {memory_fraction: 90}\n    outcome: ran",
         "it is a share: write 0.9"),
        (STUDIO, STUDIO_NODE, "  - os:",
         "GPUs in rank order"),
    ],
)  # fmt: skip
def test_a_slip_gets_one_hint_and_the_right_one(path: str, old: str, new: str, hint: str) -> None:
    assert hint in [problem.hint for problem in slip(path, old, new)]


@pytest.mark.parametrize(
    ("path", "old", "new", "code"),
    [
        (GPU, "memory_bandwidth_gb_s", "memory_bandwith_gbs", "unknown-key"),
        (GPU_3090, "fields: [vram_gib,", "fields: [vram,", "unknown-source-field"),
        (SCORED, "Other 7B: 50.25", "Other 7B: 50.25%", "wrong-type"),
    ],
)
def test_a_slip_is_one_error_and_not_its_consequences_too(
    path: str, old: str, new: str, code: str
) -> None:
    (problem,) = slip(path, old, new)
    assert problem.code == code
    assert "float" not in problem.message


def test_a_key_without_a_value_hides_no_other_slip_of_its_record() -> None:
    found = slip(GPU, "vendor: nvidia\n", "vendor:\ntdp: 450\n")
    assert [problem.code for problem in found] == ["no-value", "unknown-key"]


def test_a_comma_between_braces_is_explained() -> None:
    combo = "failure_modes:", "extra: {amount: 3,000}\nfailure_modes:"
    hints = [problem.hint for problem in slip(BOXES, *combo)]
    assert "between braces a comma ends a value: write thousands without it" in hints


def test_a_size_in_another_unit_is_named_in_full() -> None:
    (found, *_) = (
        one for one in slip(GPU, "vram_gib: 24", "vram_gib: 24576") if one.code == "visible-memory"
    )
    assert found.message == "only 24077 MiB are visible of 25,165,824 MiB installed"

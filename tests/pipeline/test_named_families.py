"""The families that a runtime's record names exist, and a misspelled one is pointed at."""

from __future__ import annotations

import pytest

from sitegen.catalog.load import parse_authored
from sitegen.pipeline.named_families import check
from tests.catalog.sample import changed

VLLM = "catalog/runtimes/vllm.yaml"
LIMIT = """\
model_limits:
  - families: [llama, {}]
    source: {{title: vLLM wheel, read: 2026-11-20}}
profiles:
"""
DEFECT = """\
    until: "0.10"
    defects:
      - formats: [awq]
        families: [{}]
        text: It answers nonsense.
        source: {{title: vLLM wheel, read: 2026-11-20}}
"""
PLACES = [
    pytest.param("profiles:\n", LIMIT, id="model-limit"),
    pytest.param('    until: "0.10"\n', DEFECT, id="defect"),
    pytest.param(
        "  cpu_offload: false\n", "  cpu_offload: false\n  tensor_families: [{}]\n", id="cut"
    ),
    pytest.param(
        "  cpu_offload: false\n", "  cpu_offload: false\n  stage_families: [{}]\n", id="lay"
    ),
    pytest.param("memory_model:", "families: [{}]\nmemory_model:", id="all-that-it-runs"),
]


@pytest.mark.parametrize(("old", "new"), PLACES)
def test_a_misspelled_family_is_pointed_at_with_the_nearest_known_one(old: str, new: str) -> None:
    files = changed(VLLM, old, new.format("deepseek_v23"))
    records, _ = parse_authored(files, today="2026-11-20")
    (problem,) = check(records)
    line = files[VLLM].split("\n")[problem.span.line - 1]
    assert line[problem.span.column - 1 :].startswith("deepseek_v23")
    assert (problem.code, problem.span.path) == ("unknown-family", VLLM)
    assert problem.hint.startswith("did you mean 'deepseek")


@pytest.mark.parametrize(("old", "new"), PLACES)
def test_a_family_that_has_a_formula_is_no_problem(old: str, new: str) -> None:
    records, _ = parse_authored(changed(VLLM, old, new.format("deepseek_v2")), today="2026-11-20")
    assert check(records) == ()


def test_a_family_written_with_hyphens_is_found() -> None:
    files = changed(VLLM, "memory_model:", "families: [deepseek-v32]\nmemory_model:")
    records, _ = parse_authored(files, today="2026-11-20")
    (problem,) = check(records)
    assert problem.hint == "did you mean 'deepseek_v32'?"

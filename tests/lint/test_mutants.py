"""Mistakes planted in what works: each is reported, or listed here with the reason why not."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.lint.mutants import BASES, Base, Mutant, mutants
from tests.lint.support import codes, found

NOT_CAUGHT: Mapping[str, str] = {
    "serve build_openai_app": "what an import path names is not looked up",
    "ray 10.0.0.1:6379": "the ports of a head and of its workers are not compared",
    "two  &\nCUDA": "a server in the foreground is how most documentation shows two",
    "compose vllm/vllm-openai:v0.33.0": "tags of images are nobody's to know here",
    "vllm Qwen/Qwen3-32B-FP8": "a repository that the catalog lacks may exist",
    "sglang --context-length 84 word": "SGLang parses the text itself",
}
"""Mutants that nothing is reported of, with the reason."""


@pytest.mark.parametrize("base", BASES, ids=[base.name for base in BASES])
def test_a_base_has_nothing_against_it(base: Base) -> None:
    assert [str(one) for one in found(base.text, base.kind, base.combo)] == []


@pytest.mark.parametrize("mutant", mutants(), ids=[mutant.name for mutant in mutants()])
def test_a_mistake_is_reported(mutant: Mutant) -> None:
    reported = mutant.code in codes(mutant.text, mutant.kind, mutant.combo)
    assert reported is (mutant.name not in NOT_CAUGHT)


def test_there_are_two_hundred_and_few_escape() -> None:
    names = [mutant.name for mutant in mutants()]
    assert len(names) == len(set(names)) >= 200
    assert set(NOT_CAUGHT) <= set(names)
    assert len(NOT_CAUGHT) <= len(names) // 20

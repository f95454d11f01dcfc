"""One pick whoever asks: the page, the command line, a named runtime, a composed build."""

from __future__ import annotations

import pytest

from benchmarks.same_pick import differences, refusals, typed_pick
from sitegen.cli.questions.choose import checkpoints_of
from sitegen.cli.questions.fit_options import FitOptions
from sitegen.cli.questions.fit_request import question_from
from sitegen.fit.assessment import FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.survey.verdict_policy import answered
from tests.survey.whole_catalog import whole_catalog, whole_engine

EVERYWAY = (
    "8x-h100-sxm", "1x-rtx-4090", "rtx-5090-plus-2x-rtx-3090", "mac-studio-m3-ultra-512gb",
    "4-nodes-2x-rtx-4090-ray-serve", "2x-mac-studio-m3-ultra-rdma",
)  # fmt: skip
"""Servers, a card, unequal cards, one Mac and two, nodes for an orchestrator."""
NAMED = (
    "8x-h100-sxm", "8x-b200-sxm", "8x-mi300x", "4x-a100-80gb-sxm", "1x-rtx-4090", "2x-dgx-spark",
    "2x-rtx-3090-nvlink", "4x-rtx-3090", "1x-rtx-3060-12gb", "2-nodes-2x-rtx-3090-10g",
)  # fmt: skip


@pytest.fixture(scope="module")
def engine() -> FitEngine:
    return whole_engine()


@pytest.mark.parametrize("combo", EVERYWAY)
def test_page_command_and_composed_build_name_one_pick_for_every_model(
    engine: FitEngine, combo: str
) -> None:
    assert list(differences(engine, engine.catalog.combos[combo])) == []


@pytest.mark.parametrize("combo", NAMED)
def test_a_named_runtime_answers_with_the_best_tier_that_any_of_its_files_reaches(
    engine: FitEngine, combo: str
) -> None:
    """It once answered for the smallest file alone, and refused where a larger type is loaded."""
    assert list(refusals(engine, engine.catalog.combos[combo], "vllm")) == []


@pytest.mark.parametrize(
    ("model", "combo", "runtime"),
    [
        ("gemma-3-27b-it", "8x-mi300x", "vllm"),
        ("llama-3.3-70b-instruct", "8x-mi300x", "vllm"),
        ("qwen3-32b", "8x-mi300x", "sglang"),
        ("gemma-3-27b-it", "2x-rx-7900-xtx", "vllm"),
    ],
)
def test_no_pair_is_refused_for_a_type_that_these_gpus_have_no_kernel_for(
    engine: FitEngine, model: str, combo: str, runtime: str
) -> None:
    """Each was once "not practical", for 4-bit weights that the reader had not named."""
    found = typed_pick(engine, model, combo, runtime)
    assert found is not None
    assert found.runtime.id == runtime
    assert found.tier is not FitTier.NOT_PRACTICAL


def test_fp8_means_the_published_file_of_that_format_whatever_its_groups() -> None:
    catalog, checked = whole_catalog(), 0
    for model in catalog.models.values():
        known = {one.id: one for one in model.checkpoints}
        blocks = known.get("fp8-block")
        plain = known.get("fp8")
        if blocks is None or not (blocks.native or blocks.repository):
            continue
        if plain is not None and (plain.native or plain.repository):
            continue
        assert checkpoints_of(model, "fp8", catalog) == (blocks,), model.id
        checked += 1
    assert checked > 10


def test_the_type_of_a_gguf_file_is_taken_at_its_word() -> None:
    """Q5_0 is as wide as Q5_K_S and no stand-in for it, published or not."""
    catalog = whole_catalog()
    for model in catalog.models.values():
        for id_, recipe in catalog.quantizations.items():
            if recipe.gguf_file_type:
                assert [c.quantization for c in checkpoints_of(model, id_, catalog)] == [recipe]


def test_fp8_of_a_model_finds_its_file_on_hardware_that_runs_it(engine: FitEngine) -> None:
    words = ("deepseek-r1", "2-nodes-8x-h100")
    question = question_from(FitOptions(targets=words, quantization="fp8", runtime="vllm"), engine)
    found = answered(engine, question, cured=False)
    assert found is not None
    assert found.checkpoint.id == "fp8-block"
    assert found.checkpoint.native
    assert found.tier is FitTier.COMFORTABLE

"""Machines without a GPU: what runs from RAM alone, how fast, and how it is started."""

from __future__ import annotations

import pytest

from sitegen.fit.assessment import Assessment, FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.recipes import recipes_for
from sitegen.survey.gpu_counts import machines_of
from sitegen.survey.verdict_policy import answered, reference_question
from tests.survey.whole_catalog import whole_engine

DESKTOP = "cpu-ddr5-5600-2-channels"


@pytest.fixture(scope="module")
def engine() -> FitEngine:
    return whole_engine()


def pick(engine: FitEngine, chip: str, gib: int, model: str) -> Assessment:
    catalog = engine.catalog
    machine = next(
        one
        for one in machines_of(catalog, catalog.gpus[chip])
        if one.installed_vram_bytes == gib << 30
    )
    found = answered(engine, reference_question(engine, machine, catalog.models[model]))
    assert found is not None
    return found


def test_only_runtimes_that_compute_on_processors_are_asked(engine: FitEngine) -> None:
    for model in ("llama-3.1-8b-instruct", "qwen3-30b-a3b-instruct-2507"):
        assert pick(engine, DESKTOP, 64, model).runtime.id == "llama-cpp"


def test_writing_is_as_fast_as_ram_is_read_and_the_speed_of_prompts_is_unknown(
    engine: FitEngine,
) -> None:
    """4.92 GB of weights and 0.54 GB of cache at 40 to 72 % of 89.6 GB/s: 6.6 to 11.8 tok/s."""
    found = pick(engine, DESKTOP, 64, "llama-3.1-8b-instruct")
    assert found.checkpoint.id == "q4-k-m"
    assert found.speed is not None
    assert found.speed.single_tokens_per_s.low == pytest.approx(6.6, rel=0.08)
    assert found.speed.single_tokens_per_s.high == pytest.approx(11.8, rel=0.08)
    assert found.speed.prefill_tokens_per_s is None


def test_what_the_system_keeps_is_not_filled(engine: FitEngine) -> None:
    """70.6 billion parameters at 4.8 bits are 42.5 GB, more than 64 GiB leave in comfort of 32."""
    assert pick(engine, DESKTOP, 32, "llama-3.3-70b-instruct").tier is FitTier.NOT_PRACTICAL
    assert pick(engine, DESKTOP, 96, "qwen3-30b-a3b-instruct-2507").tier is FitTier.COMFORTABLE


def test_its_server_is_built_and_started_without_a_gpu(engine: FitEngine) -> None:
    found = pick(engine, DESKTOP, 64, "llama-3.1-8b-instruct")
    recipe = next(one for one in recipes_for(found) if one.id == "llama-cpp")
    text = "\n".join(step.text for step in recipe.steps)
    assert "llama-server" in text
    assert "--n-gpu-layers" not in text
    assert "GGML_CUDA" not in text

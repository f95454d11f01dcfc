"""In which runtimes the answers of a combo run."""

from __future__ import annotations

from dataclasses import replace

from sitegen.fit.assessment import FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import RANK
from sitegen.survey.every_combo import survey_combo
from sitegen.survey.results import ComboSurvey
from tests.survey.whole_catalog import whole_catalog

MODELS = ("qwen3-8b", "gpt-oss-120b")


def surveyed(combo: str, *models: str) -> ComboSurvey:
    """Survey some models of the real catalog on one of its combos."""
    whole = whole_catalog()
    few = replace(
        whole,
        models={name: whole.models[name] for name in models},
        combos={combo: whole.combos[combo]},
    )
    return survey_combo(FitEngine(few), few.combos[combo])


def test_every_way_runs_and_the_answer_comes_first() -> None:
    found = surveyed("4x-rtx-4090", *MODELS)
    lead, serving = found.ways.lead, found.ways.serving
    assert lead[0] == found.lead
    assert {one.model.id for one in lead} == {lead[0].model.id}
    runtimes = [one.runtime.id for one in lead]
    assert len(set(runtimes)) == len(runtimes)
    for one in (*lead, *serving):
        assert one.plan is not None
        assert one.tier is not FitTier.NOT_PRACTICAL
        assert "nvidia" in one.runtime.vendors
    ranks = [RANK[one.tier] for one in lead[1:]]
    assert ranks == sorted(ranks)


def test_serving_repeats_no_plan_of_the_first_answer() -> None:
    found = surveyed("1x-rtx-4090", "qwen3-8b")
    plans = {(one.id, one.plan) for one in found.ways.lead}
    assert plans
    assert all((one.id, one.plan) not in plans for one in found.ways.serving)


def test_macs_run_nothing_that_needs_another_vendor() -> None:
    found = surveyed("mac-studio-m3-ultra-512gb", *MODELS)
    runtimes = {one.runtime.id for one in (*found.ways.lead, *found.ways.serving)}
    assert runtimes
    assert runtimes <= {"llama-cpp", "ollama", "mlx-lm", "exo"}


def test_a_way_gives_up_the_file_that_the_answer_gave_up_for_its_speed() -> None:
    """Q6_K of Qwen3.8 27B is written more slowly on a Strix Halo than people read."""
    found = surveyed("1x-strix-halo", "qwen3.8-27b")
    speeds = {one.runtime.id: one.speed for one in found.ways.lead}
    for runtime in ("llama-cpp", "ollama"):
        speed = speeds[runtime]
        assert speed is not None
        assert speed.single_tokens_per_s.mid >= 10


def test_no_way_starts_with_a_context_that_nobody_can_use() -> None:
    """Gemma 4 12B may start with 64 tokens in vLLM on a card of 12 GB, at the middle estimate."""
    found = surveyed("1x-rtx-3060-12gb", "gemma-4-12b-it")
    ways = {one.runtime.id: one.limits for one in (*found.ways.lead, *found.ways.serving)}
    assert "llama-cpp" in ways
    assert "vllm" not in ways
    assert all(limits and limits.max_context_tokens >= 4_096 for limits in ways.values())

"""Runtimes that build on another one: whose figures they give, and where they have their own."""

from __future__ import annotations

from sitegen.catalog.domain.models import MemoryModel
from sitegen.models.families import FAMILIES
from tests.recipes.everything import asked, engine
from tests.survey.whole_catalog import whole_catalog


def test_the_survey_does_not_judge_again_what_llama_cpp_says() -> None:
    judged = {runtime.id for runtime, _ in engine().surveyed_runtimes()}
    assert "llama-cpp" in judged
    assert judged.isdisjoint({"ik-llama-cpp", "ollama"})
    assert {runtime.id for runtime, _ in engine().assessed_runtimes()} >= {"ik-llama-cpp", "ollama"}


def test_a_fork_that_keeps_whole_windows_caches_more_of_gemma() -> None:
    """40 of 48 layers of Gemma 3 12B see 1,024 tokens: 8,192 cells each where nothing is cut."""
    own, other = (
        asked("1x-rtx-4090", "gemma-3-12b-it", runtime, "q4-k-m").busiest
        for runtime in ("ik-llama-cpp", "llama-cpp")
    )
    assert own is not None
    assert other is not None
    cached = 2 * 8 * 256 * 2  # keys and values of 8 heads of 256 numbers, in two bytes
    assert own.lines["kv"].mid == 48 * 8_192 * cached
    assert other.lines["kv"].mid < own.lines["kv"].mid / 2


def test_latent_attention_warns_of_what_its_modes_unpack() -> None:
    for model, warned in (("deepseek-v2-lite", True), ("qwen3-8b", False)):
        found = asked("1x-rtx-4090", model, "ik-llama-cpp", "q4-k-m")
        codes = {reason.code for reason in found.reasons}
        assert ("KNOWN_DEFECT" in codes) is warned
        plain = asked("1x-rtx-4090", model, "llama-cpp", "q4-k-m")
        assert "KNOWN_DEFECT" not in {reason.code for reason in plain.reasons}


def test_a_fault_names_families_that_there_are() -> None:
    named = {
        family
        for runtime in whole_catalog().runtimes.values()
        for profile in runtime.profiles
        for defect in profile.defects
        for family in defect.families
    }
    assert named
    assert named <= set(FAMILIES)


def test_what_drives_engines_has_no_figures_of_its_own() -> None:
    for runtime in whole_catalog().runtimes.values():
        if runtime.memory_model is MemoryModel.ORCHESTRATOR:
            assert not runtime.profiles
            driven = [whole_catalog().runtimes[one] for one in runtime.drives]
            assert set(runtime.formats) <= {one for engine in driven for one in engine.formats}

"""Experts in system RAM: how fast prompts are read through a bus, and in which steps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.fit.assess import assess
from sitegen.fit.assessment import Assessment, FitRequest, FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.plan import DEFAULTS, Settings, Workload
from sitegen.survey.verdict_policy import answered, reference_question
from sitegen.units import GIB
from tests.survey.whole_catalog import whole_catalog, whole_engine

PUBLISHED = {256: 240.0, 512: 380.0, 2048: 1112.5}
"""Prompt tokens/s of gpt-oss 120B (65 GB) on an RTX 3090, by the tokens of a step.

Experts of 25 or 26 layers in system RAM. AI Maestro, 2026-05-12, "Drastically improve prompt
processing speed for --n-cpu-moe partially offloaded models"; the steps of 4,096 and 8,192 were
measured over longer prompts than the engine's.
"""


def gpt_oss(settings: Settings, context_tokens: int = 8_192, *, sequences: int = 1) -> Assessment:
    """gpt-oss 120B at 4 bits on an RTX 3090 with more than enough RAM."""
    catalog = whole_catalog()
    combo, model = catalog.combos["rtx-3090-epyc-expert-offload"], catalog.models["gpt-oss-120b"]
    checkpoint = next(one for one in model.checkpoints if one.id == "q4-k-m")
    runtime = catalog.runtimes["llama-cpp"]
    profile = profile_of(runtime)
    assert profile is not None
    workload = Workload(context_tokens, sequences, "f16")
    request = FitRequest(model, checkpoint, combo, runtime, profile, workload, settings=settings)
    return assess(FitEngine(catalog), request)


@pytest.mark.parametrize("tokens", sorted(PUBLISHED))
def test_prompts_are_read_as_fast_as_somebody_measured(tokens: int) -> None:
    """A step copies the experts over PCIe once, and larger steps share the copy."""
    found = gpt_oss(replace(DEFAULTS, micro_batch_tokens=tokens))
    assert found.speed is not None
    read = found.speed.prefill_tokens_per_s
    assert read is not None
    assert read.low < PUBLISHED[tokens] < read.high
    assert PUBLISHED[tokens] / read.mid < 1.65


def test_the_rest_fits_even_at_the_high_estimate() -> None:
    """One more layer in RAM costs 2 % of the speed; a server that does not start costs all."""
    found = gpt_oss(DEFAULTS)
    assert found.limits is not None
    assert found.limits.max_context_tokens_low >= 8_192


def test_users_do_not_share_the_experts_in_ram() -> None:
    """Two users read nearly twice the experts of one: together they are hardly faster."""
    speed = gpt_oss(DEFAULTS, sequences=2).speed
    assert speed is not None
    assert speed.batch == 2
    one, both = speed.single_tokens_per_s, speed.aggregate_tokens_per_s
    assert one.mid < both.mid < 1.6 * one.mid


def test_a_layer_more_in_ram_makes_room_for_the_context_that_people_want() -> None:
    """DeepSeek V4 Flash was started with 10,496 tokens on an RTX 5090 with 256 GB of RAM."""
    engine, catalog = whole_engine(), whole_catalog()
    combo, model = (
        catalog.combos["rtx-5090-desktop-256gb"],
        catalog.models["deepseek-v4-flash-0731"],
    )
    question = reference_question(engine, combo, model)
    found = answered(engine, question, cured=False)
    assert found is not None
    assert found.limits is not None
    assert found.limits.max_context_tokens_low >= 32_768
    assert found.plan is not None
    assert found.plan.cpu_expert_layers == 38  # of 43; 37 leave room for the reference alone


def test_a_pick_reads_prompts_in_large_steps_where_answers_stay_as_fast() -> None:
    engine, catalog = whole_engine(), whole_catalog()
    combo, model = catalog.combos["rtx-3090-epyc-expert-offload"], catalog.models["gpt-oss-120b"]
    question = reference_question(engine, combo, model)
    found = answered(engine, question, cured=False)
    usual = answered(
        engine, replace(question, settings=Settings(micro_batch_tokens=512)), cured=False
    )
    assert found is not None
    assert usual is not None
    assert found.settings == Settings(micro_batch_tokens=4_096)
    assert (found.tier, found.checkpoint.id) == (usual.tier, usual.checkpoint.id)
    assert found.speed is not None
    assert usual.speed is not None
    assert found.speed.single_tokens_per_s.mid > 0.9 * usual.speed.single_tokens_per_s.mid
    faster, slower = found.speed.prefill_tokens_per_s, usual.speed.prefill_tokens_per_s
    assert faster is not None
    assert slower is not None
    assert faster.mid > 2 * slower.mid


def test_of_files_that_are_about_as_fast_the_one_that_loses_least_is_run() -> None:
    """IQ4_XS of Qwen3.6 35B A3B is smaller than Q4_K_M, and no faster from system RAM."""
    engine, catalog = whole_engine(), whole_catalog()
    combo, model = catalog.combos["1x-rtx-3060-12gb"], catalog.models["qwen3.6-35b-a3b"]
    with_ram = replace(combo, nodes=(replace(combo.nodes[0], ram_bytes=64 * GIB),))
    found = answered(engine, reference_question(engine, with_ram, model), cured=False)
    assert found is not None
    assert found.checkpoint.quantization.id == "q4-k-m"
    assert found.plan is not None
    assert found.plan.cpu_expert_layers > 0


def test_nothing_else_reads_in_large_steps() -> None:
    """The same model where its experts lie on GPUs, and on a card that holds its file whole."""
    engine, catalog = whole_engine(), whole_catalog()
    for combo, model in (("4x-rtx-3090", "gpt-oss-120b"), ("1x-rtx-4090", "gpt-oss-20b")):
        question = reference_question(engine, catalog.combos[combo], catalog.models[model])
        found = answered(engine, question, cured=False)
        assert found is not None
        assert found.settings.micro_batch_tokens is None


@pytest.mark.parametrize("name", ["1x-rtx-4090", "1x-rtx-3060-12gb"])
def test_whoever_lacks_memory_for_a_mixture_is_told_of_the_ram_that_is_enough(name: str) -> None:
    """The size that the cure names gives its verdict and its speed, and the next smaller none."""
    engine, catalog = whole_engine(), whole_catalog()
    combo, model = catalog.combos[name], catalog.models["gpt-oss-120b"]
    found = answered(engine, reference_question(engine, combo, model))
    assert found is not None
    assert found.tier is FitTier.NOT_PRACTICAL
    cure = found.cure
    assert cure is not None
    assert (cure.code, cure.arguments["runtime"]) == ("EXPERTS_TO_RAM", "llama-cpp")
    size = int(cure.arguments["bytes"])
    assert size == 64 * GIB  # what llama.cpp's users have beside such cards for this model
    for ram, tier in ((size, cure.tier), (size // 2, FitTier.NOT_PRACTICAL)):
        node = replace(combo.nodes[0], ram_bytes=ram)
        question = reference_question(engine, replace(combo, nodes=(node,)), model)
        with_ram = answered(engine, question, cured=False)
        assert with_ram is not None
        assert with_ram.tier is tier
        if tier is cure.tier:
            assert with_ram.speed is not None
            speed = with_ram.speed.single_tokens_per_s.mid
            assert speed == pytest.approx(float(cure.arguments["tokens_per_s"]), rel=0.1)


def test_a_dense_model_and_a_chip_with_shared_memory_are_told_of_no_ram() -> None:
    engine, catalog = whole_engine(), whole_catalog()
    for name, model in (("1x-rtx-4090", "llama-3.3-70b-instruct"), ("1x-strix-halo", "glm-5.3")):
        found = answered(
            engine, reference_question(engine, catalog.combos[name], catalog.models[model])
        )
        assert found is not None
        assert found.tier is not FitTier.COMFORTABLE
        assert found.cure is None or found.cure.code != "EXPERTS_TO_RAM"


def test_a_cache_that_the_runtime_of_the_cure_does_not_have_is_plain_there() -> None:
    """MiniMax on two RTX 4090 with vLLM and an FP8 cache: llama.cpp has no FP8."""
    engine, catalog = whole_engine(), whole_catalog()
    model, runtime = catalog.models["minimax-m2.1"], catalog.runtimes["vllm"]
    checkpoint = next(one for one in model.checkpoints if one.id == "awq-4bit-g128")
    profile = profile_of(runtime)
    assert profile is not None
    workload = Workload(8_192, 1, "fp8")
    combo = catalog.combos["2x-rtx-4090"]
    found = assess(engine, FitRequest(model, checkpoint, combo, runtime, profile, workload))
    assert found.cure is not None
    assert (found.cure.code, found.cure.arguments["runtime"]) == ("EXPERTS_TO_RAM", "llama-cpp")


def test_a_file_that_may_not_hold_the_context_is_helped_by_ram_before_a_second_gpu() -> None:
    """gpt-oss 20B on 11 GB: 12 GB of weights, of which owners leave some experts in RAM."""
    engine, catalog = whole_engine(), whole_catalog()
    combo, model = catalog.combos["1x-rtx-2080-ti"], catalog.models["gpt-oss-20b"]
    found = answered(engine, reference_question(engine, combo, model))
    assert found is not None
    assert found.tier is FitTier.BORDERLINE
    assert found.cure is not None
    assert found.cure.code == "EXPERTS_TO_RAM"
    node = replace(combo.nodes[0], ram_bytes=int(found.cure.arguments["bytes"]))
    with_ram = answered(
        engine, reference_question(engine, replace(combo, nodes=(node,)), model), cured=False
    )
    assert with_ram is not None
    assert with_ram.limits is not None
    assert with_ram.limits.max_context_tokens > 16_384


def test_a_file_that_fits_comfortably_is_named_before_one_that_may_not_start() -> None:
    """Qwen3.8 27B on 11 GB: two bits are comfortable, and the machine's page advises them."""
    engine, catalog = whole_engine(), whole_catalog()
    combo, model = catalog.combos["1x-rtx-2080-ti"], catalog.models["qwen3.8-27b"]
    found = answered(engine, reference_question(engine, combo, model))
    assert found is not None
    assert found.cure is not None
    assert (found.cure.code, found.cure.tier) == ("OTHER_FILE", FitTier.COMFORTABLE)

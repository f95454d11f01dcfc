"""No estimate is faster than the hardware: the high ends against bounds made from peak rates."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sitegen.fit.assess import assess
from sitegen.fit.assessment import Assessment, FitRequest
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.bounds import peak_rates
from sitegen.physics.plan import PlanKind, Workload
from sitegen.physics.reduced_checkpoint import ReducedCheckpoint, weights_class
from tests.survey.whole_catalog import whole_catalog, whole_engine

ROUNDING = 1 + 1e-9
STREAMED = {PlanKind.PIPELINE, PlanKind.TENSOR_PIPELINE, PlanKind.LAYER_SPLIT}


@cache
def engine() -> FitEngine:
    return whole_engine()


@cache
def questions() -> tuple[tuple[str, str, str], ...]:
    """Models with a runtime and a checkpoint that it loads, by id."""
    return tuple(
        (model.id, checkpoint.id, runtime.id)
        for model in whole_catalog().surveyed_models
        for checkpoint in model.checkpoints
        for runtime, _ in engine().assessed_runtimes()
        if checkpoint.quantization.format in runtime.formats
    )


def answer(
    question: tuple[str, str, str], combo: str, workload: Workload
) -> tuple[Assessment, ReducedCheckpoint]:
    whole = whole_catalog()
    model = whole.models[question[0]]
    checkpoint = next(one for one in model.checkpoints if one.id == question[1])
    runtime, profile = next(
        pair for pair in engine().assessed_runtimes() if pair[0].id == question[2]
    )
    request = FitRequest(model, checkpoint, whole.combos[combo], runtime, profile, workload)
    return assess(engine(), request), engine().reduced(model, checkpoint)


def held_to_the_bounds(found: Assessment, counted: ReducedCheckpoint) -> None:
    """Compare with the plausibility gate's arithmetic, which reads no constant that was fitted."""
    plan, speed = found.plan, found.speed
    assert plan is not None
    assert speed is not None
    installed = [found.combo.nodes[node].gpus[gpu] for node, gpu in plan.ranks]
    rates = [one.gpu.memory_bandwidth_bytes_per_s for one in installed]
    read = peak_rates.step_bytes(counted.shape, 1)
    together = plan.tensor_parallel_size if plan.tensor_parallel_size > 1 else 1
    widest = sum(sorted(rates, reverse=True)[:together])
    assert speed.single_tokens_per_s.high <= widest / read * ROUNDING
    flops = peak_rates.peak_flops(
        [one.gpu for one in installed],
        weights_class(found.checkpoint.quantization),
        low_precision=4.0,
    )
    computed = float("inf") if flops is None else flops / (2 * counted.active_parameters)
    moved = speed.batch * sum(rates) / read
    most = plan.replicas * min(moved, computed)
    assert speed.aggregate_tokens_per_s.high <= most * ROUNDING
    if flops is not None and speed.prefill_tokens_per_s is not None:
        # the last token alone is multiplied with the head
        body = counted.active_parameters - counted.shape.vocabulary * counted.shape.hidden
        at_once = flops if plan.kind in STREAMED or together > 1 else flops / len(installed)
        assert speed.prefill_tokens_per_s.high <= at_once / (2 * body) * ROUNDING


@settings(max_examples=150)
@given(data=st.data())
def test_no_estimate_passes_what_the_hardware_can_move_and_compute(data: st.DataObject) -> None:
    question = data.draw(st.sampled_from(questions()))
    combo = data.draw(st.sampled_from(sorted(whole_catalog().combos)))
    context = data.draw(st.sampled_from([512, 4_096, 8_192, 32_768]))
    sequences = data.draw(st.sampled_from([1, 1, 2, 8, 64]))
    assume(context <= whole_catalog().models[question[0]].context_tokens)
    found, counted = answer(question, combo, Workload(context, sequences, "f16"))
    spilled = found.plan is None or found.plan.cpu_layers or found.plan.cpu_expert_layers
    assume(found.speed is not None and not spilled)
    held_to_the_bounds(found, counted)


@pytest.mark.parametrize("combo", ["1x-rtx-4090", "1x-rtx-5090", "2x-rtx-4090"])
def test_the_high_end_of_a_dense_model_is_what_its_weights_take_to_read(combo: str) -> None:
    # decode-efficiency-layer-split-on-rtx-4090 is 0.95 with a high end of 1.21
    question = ("qwen3-32b", "q4-k-m", "llama-cpp")
    found, counted = answer(question, combo, Workload(512, 1, "f16"))
    assert found.speed is not None
    held_to_the_bounds(found, counted)
    gpu = found.combo.gpus[0].gpu
    read = peak_rates.step_bytes(counted.shape, 1)
    bound = gpu.memory_bandwidth_bytes_per_s / read
    assert found.speed.single_tokens_per_s.high > 0.9 * bound
    assert found.speed.single_tokens_per_s.mid < bound

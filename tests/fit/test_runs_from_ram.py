"""Runs with experts in system RAM: which estimates they are evidence for, and what is expected."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.provenance import Evidence
from sitegen.catalog.domain.runs import (
    Benchmarks,
    RunSplit,
    RunSubject,
    SpeedFigures,
    SpeedRun,
    SpeedWorkload,
)
from sitegen.fit.assess import assess
from sitegen.fit.assessment import Assessment, FitRequest
from sitegen.fit.catalog_checks import check
from sitegen.fit.nearest_record import evidence_of
from sitegen.fit.quarantine import Gate
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.plan import Workload
from sitegen.physics.speed.estimate import SpeedModel
from sitegen.problems import SourceSpan
from sitegen.published.accuracy.speed import compare_speeds
from sitegen.published.accuracy.speed_runs import BenchmarkPlans, Case, predicted, timings
from tests.survey.whole_catalog import cases, whole_catalog

CONTEXT = 8_192
GENERATED = 128


@cache
def found(model: str = "gpt-oss-120b", checkpoint: str = "mxfp4-moe") -> Assessment:
    """A model whose experts are partly in the RAM of a desktop computer."""
    catalog = whole_catalog()
    asked = catalog.models[model]
    listed = next(one for one in asked.checkpoints if one.quantization.id == checkpoint)
    runtime = catalog.runtimes["llama-cpp"]
    profile = profile_of(runtime)
    assert profile is not None
    combo = catalog.combos["rtx-5090-desktop-256gb"]
    request = FitRequest(asked, listed, combo, runtime, profile, Workload(CONTEXT, 1, "f16"))
    return assess(cases().engine, request)


def layers_in_ram() -> int:
    plan = found().plan
    assert plan is not None
    assert 0 < plan.cpu_expert_layers < 36
    return plan.cpu_expert_layers


def run(
    tokens_per_s: float = 30.0, layers: int | None = None, combo: Combo | None = None
) -> SpeedRun:
    """What the estimate is of, measured at half of the context."""
    one, moved = found(), layers_in_ram() if layers is None else layers
    subject = RunSubject(one.model.id, one.checkpoint.id, "", "llama-cpp", one.profile.version, "")
    return SpeedRun(
        id="run", group="run", date="", at="a log", subject=subject, weights_bytes=None,
        system=combo or one.combo, power_limit_watts=None,
        split=RunSplit(None, None, None, False, moved),
        workload=SpeedWorkload((CONTEXT - GENERATED) // 2, None, GENERATED, 1, "f16"),
        figures=SpeedFigures(tokens_per_s, None, None), timed="steady", speculative="",
        eager=False, doubt="", quote="", notes="",
    )  # fmt: skip


def file_of(run: SpeedRun) -> Benchmarks:
    return Benchmarks("file", "", (run,), (), (), SourceSpan("catalog/benchmarks/file.yaml", 7, 26))


def evidence(run: SpeedRun) -> tuple[Evidence, tuple[tuple[str, ...], ...]]:
    catalog = replace(whole_catalog(), benchmarks={"file": file_of(run)})
    word, anchors = evidence_of(catalog, cases().engine.reduced).speed(found())
    return word, tuple(anchor.differs for anchor in anchors)


def slower(combo: Combo) -> Combo:
    (node,) = combo.nodes
    rate = node.ram_bandwidth_bytes_per_s
    assert rate is not None
    return replace(combo, nodes=(replace(node, ram_bandwidth_bytes_per_s=rate // 2),))


def test_a_run_with_as_many_layers_and_the_same_ram_is_measured() -> None:
    assert evidence(run()) == (Evidence.MEASURED, ((),))


def test_more_layers_or_slower_ram_are_one_step_away() -> None:
    assert evidence(run(layers=36)) == (Evidence.MEASURED_NEAR, (("experts-in-ram",),))
    assert evidence(run(combo=slower(found().combo)))[1] == (("system-ram",),)


def test_a_run_with_every_expert_on_the_gpu_is_another_thing() -> None:
    assert evidence(run(layers=0)) == (Evidence.EXTRAPOLATED, ())


def test_such_a_run_is_expected_to_be_as_fast_as_the_page_says() -> None:
    one, case = found(), BenchmarkPlans(whole_catalog()).case(run(), "file")
    assert isinstance(case, Case)
    (timing,) = timings(case)
    low, mid, high = predicted(SpeedModel(whole_catalog().assumptions), case, timing)
    assert one.speed is not None
    speed = one.speed.single_tokens_per_s
    assert (low, mid, high) == pytest.approx((speed.low, speed.mid, speed.high), rel=0.002)


def rates(changed: SpeedRun) -> dict[str, float]:
    """What is expected of a run, in the middle, by quantity."""
    figures = SpeedFigures(30.0, None, 500.0)
    workload = replace(changed.workload, prompt_tokens=2_048, micro_batch_tokens=2_048)
    asked = replace(changed, figures=figures, workload=workload)
    catalog = replace(whole_catalog(), benchmarks={"file": file_of(asked)})
    return {one.quantity: one.predicted.mid for one in compare_speeds(catalog).judged}


def with_node(**fields: object) -> Combo:
    combo = found().combo
    return replace(combo, nodes=(replace(combo.nodes[0], **fields),))  # type: ignore[arg-type]


def test_a_narrow_slot_slows_prompts_alone() -> None:
    """PCIe 3.0 x16 copies 12.2 GB/s where the bus of an RTX 5090 copies 56.3."""
    own = rates(run(layers=36))
    slot = with_node(link=whole_catalog().interconnects["pcie-3-x16"])
    narrow = rates(run(layers=36, combo=slot))
    assert narrow["decode-from-ram"] == own["decode-from-ram"]
    assert 3 < own["prefill-from-ram"] / narrow["prefill-from-ram"] < 56.3 / 12.2


def test_ram_twice_as_fast_is_less_than_twice_as_fast_to_read() -> None:
    own = found().combo.nodes[0].ram_bandwidth_bytes_per_s
    assert own is not None
    before = rates(run(layers=36))
    after = rates(run(layers=36, combo=with_node(ram_bandwidth_bytes_per_s=2 * own)))
    assert 1.3 < after["decode-from-ram"] / before["decode-from-ram"] < 1.8
    assert after["prefill-from-ram"] == before["prefill-from-ram"]


def test_weights_that_are_looked_up_are_read_more_slowly_though_they_are_smaller() -> None:
    def of(quantization: str) -> float:
        subject = replace(run().subject, model="qwen3-235b-a22b", checkpoint="")
        changed = replace(run(layers=94), subject=replace(subject, quantization=quantization))
        return rates(changed)["decode-from-ram"]

    assert of("iq4-xs") < of("q4-k-m")


def test_a_runtime_that_leaves_small_steps_to_the_processor_has_no_rate_for_them() -> None:
    """PR 520: 512 tokens give each of 256 experts 16, and 2,048 give it 64; 32 are needed."""

    def prompts(step: int) -> bool:
        subject = RunSubject("deepseek-r1", "", "q4-k-m", "ik-llama-cpp", "", "")
        workload = SpeedWorkload(0, 4_096, GENERATED, 1, "f16", step)
        figures = SpeedFigures(None, None, 100.0)
        changed = replace(run(layers=61), subject=subject, workload=workload, figures=figures)
        catalog = replace(whole_catalog(), benchmarks={"file": file_of(changed)})
        compared = compare_speeds(catalog)
        assert len(compared.judged) + len(compared.unpredicted) == 1
        return bool(compared.judged)

    assert prompts(2_048)
    assert not prompts(512)


def test_what_is_measured_from_ram_is_a_quantity_of_its_own() -> None:
    catalog = replace(whole_catalog(), benchmarks={"file": file_of(run())})
    assert [one.quantity for one in compare_speeds(catalog).judged] == ["decode-from-ram"]


def test_no_run_reads_its_experts_faster_than_the_ram_can() -> None:
    gate = Gate(whole_catalog(), cases().engine.reduced)
    # 36 layers of 4 of 128 experts: 36 * 4 * 13.2 MB = 1.9 GB a token, 50 tokens/s from 96 GB/s
    assert gate.finding(run(45.0, layers=36)) is None
    broken = gate.finding(run(60.0, layers=36))
    assert broken is not None
    assert broken.code == "ABOVE_BANDWIDTH"


@pytest.mark.parametrize(("layers", "codes"), [(36, []), (37, ["experts-beyond-model"])])
def test_a_record_states_no_more_layers_than_the_model_has(layers: int, codes: list[str]) -> None:
    catalog = replace(whole_catalog(), benchmarks={"file": file_of(run(layers=layers))})
    assert [one.code for one in check(catalog)] == codes

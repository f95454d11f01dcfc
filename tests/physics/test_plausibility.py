"""The plausibility gate: bounds that a reader can check with a pocket calculator."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.catalog.domain.provenance import Source
from sitegen.catalog.domain.runs import (
    Benchmarks,
    RunSplit,
    RunSubject,
    SpeedFigures,
    SpeedRun,
    SpeedWorkload,
)
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.quarantine import Gate, quarantine
from sitegen.physics.bounds import plausibility
from sitegen.physics.bounds.judgement import BoundFinding, Plausibility
from sitegen.physics.bounds.peak_rates import (
    MemoryPart,
    MemoryReader,
    Ram,
    peak_flops,
    ram_of,
    stream_bound,
    token_parts,
)
from sitegen.problems import SourceSpan
from sitegen.published.claims.plans import machine
from tests.survey.whole_catalog import cases, whole_catalog

GB = 10**9
CARD = MemoryReader("card", 24 * GB, 1_000 * GB)
SLOW = MemoryReader("slow", 12 * GB, 500 * GB)
DESKTOP = Ram(None, 89.6 * GB, stated=False)


def test_a_stream_reads_every_weight_once_for_each_token() -> None:
    # 35 GB at 1,792 GB/s: 51 tokens/s, so 250 cannot be
    parts = (MemoryPart("gpus", 35 * GB, 1_792 * GB, "gpu:rtx-5090"),)
    assert stream_bound(parts) == pytest.approx(51.2)
    found = plausibility.stream(250, parts)
    assert found is not None
    assert (found.verdict, found.code) == (Plausibility.IMPOSSIBLE, "ABOVE_BANDWIDTH")
    assert [step.code for step in found.steps][-2:] == ["bound", "claimed-speed"]
    assert plausibility.stream(51, parts) is None


def test_the_memory_of_a_system_is_that_of_its_nodes_and_unknown_where_one_is() -> None:
    boxes = whole_catalog().combos["4-nodes-2x-rtx-4090-ray-serve"]

    def ram(*gigabytes: int | None) -> Ram:
        sizes = [None if size is None else size * GB for size in gigabytes]
        nodes = tuple(replace(boxes.nodes[0], ram_bytes=size) for size in sizes)
        return ram_of(replace(boxes, nodes=nodes), whole_catalog().assumptions)

    assert ram(64, 128).bytes == 192 * GB
    assert ram(64, None).bytes is None


def test_tensor_parallelism_pools_bandwidth_and_a_pipeline_does_not() -> None:
    def bound(tensor: int | None, read: float) -> float:
        found = token_parts(read, (CARD, CARD), tensor=tensor, host_bytes=0, ram=None)
        return stream_bound(found)

    assert bound(2, 40 * GB) == pytest.approx(50)
    assert bound(1, 40 * GB) == pytest.approx(25)
    assert bound(None, 40 * GB) == pytest.approx(50), "an unknown split gets the benefit"


def test_a_layer_split_of_unequal_gpus_fills_the_fast_one_first() -> None:
    parts = token_parts(30 * GB, (SLOW, CARD), tensor=1, host_bytes=0, ram=None)
    assert [(part.bytes / GB, part.source) for part in parts] == [
        (24, "gpu:card"),
        (6, "gpu:slow"),
    ]
    assert stream_bound(parts) == pytest.approx(1 / (0.024 + 0.012))


def test_what_the_gpus_cannot_hold_is_read_from_ram() -> None:
    # 18.5 GB at 89.6 GB/s and 23.4 GB at 1,008 GB/s: 4.35 tokens/s, so 14.8 needs 417 GB/s of RAM
    card = MemoryReader("rtx-4090", 24 * GB, 1_008 * GB)
    parts = token_parts(41.9 * GB, (card,), tensor=None, host_bytes=18.5 * GB, ram=DESKTOP)
    assert stream_bound(parts) == pytest.approx(4.35, abs=0.01)
    found = plausibility.stream(14.8, parts, DESKTOP)
    assert found is not None
    assert (found.verdict, found.code) == (Plausibility.DOUBTFUL, "ABOVE_RAM_BOUND")
    needed = next(step.value for step in found.steps if step.code == "ram-rate-needed")
    assert needed / GB == pytest.approx(417, abs=1)
    stated = Ram(64 * GB, 89.6 * GB, stated=True)
    hard = plausibility.stream(14.8, parts, stated)
    assert hard is not None
    assert hard.verdict is Plausibility.IMPOSSIBLE


@given(
    read=st.floats(1e9, 1e12),
    more=st.floats(0, 1e12),
    cards=st.integers(1, 8),
    ram=st.floats(0, 0.9),
)
def test_reading_more_never_raises_a_bound(
    read: float, more: float, cards: int, ram: float
) -> None:
    def bound(total: float) -> float:
        gpus = (MemoryReader("card", 10**15, 1_000 * GB),) * cards
        return stream_bound(token_parts(total, gpus, tensor=1, host_bytes=ram * total, ram=DESKTOP))

    assert bound(read + more) <= bound(read) * (1 + 1e-12)


def test_more_bytes_than_memory_are_refused_with_the_shortage() -> None:
    found = plausibility.memory(145 * GB, (CARD,) * 4, None)
    assert found is not None
    assert found.code == "MEMORY_EXCEEDED"
    assert next(s.value for s in found.steps if s.code == "missing") == 49 * GB
    assert plausibility.memory(145 * GB, (CARD,) * 4, Ram(64 * GB, 1, stated=True)) is None
    assert plausibility.memory(145 * GB, (CARD,), DESKTOP) is None, "RAM of unknown size may do"


def test_ram_that_nobody_states_may_hold_whatever_the_gpus_cannot() -> None:
    unstated = replace(DESKTOP, bytes=None)
    assert plausibility.memory(10**15, (CARD,), unstated) is None
    assert plausibility.memory(10**15, (CARD,), None) is not None


def aggregate(rate: float, streams: int, spread: float = 16) -> BoundFinding | None:
    return plausibility.aggregate(
        rate, streams=streams, least_bytes=16 * GB, spread_bytes=spread * GB,
        bytes_per_s=1_600 * GB, active_parameters=8 * 10**9, flops_per_s=400e12,
    )  # fmt: skip


def test_an_aggregate_is_bound_by_one_step_of_all_streams() -> None:
    assert aggregate(790, 8) is None  # 8 streams × 100 steps/s
    found = aggregate(810, 8)
    assert found is not None
    assert found.verdict is Plausibility.IMPOSSIBLE
    computed = aggregate(26_000, 512)  # 400 TFLOPS over 16 GFLOP is 25,000 tokens/s
    assert computed is not None
    assert computed.arguments["bound"] == pytest.approx(25_000)


def test_streams_that_all_choose_the_same_experts_are_doubtful_not_impossible() -> None:
    # 40 GB a step where streams differ: 320 tokens/s; 16 GB where they do not: 800
    assert aggregate(310, 8, spread=40) is None
    found = aggregate(500, 8, spread=40)
    assert found is not None
    assert (found.verdict, found.code) == (Plausibility.DOUBTFUL, "ABOVE_SPREAD_BOUND")
    assert found.arguments["bound"] == pytest.approx(320)


def test_prefill_is_bound_by_the_peak_rate() -> None:
    assert plausibility.prefill(24_000, active_parameters=8 * 10**9, flops_per_s=400e12) is None
    found = plausibility.prefill(26_000, active_parameters=8 * 10**9, flops_per_s=400e12)
    assert found is not None
    assert found.code == "ABOVE_PEAK_RATE"
    assert plausibility.prefill(1e9, active_parameters=1, flops_per_s=None) is None


def test_the_peak_rate_credits_whole_numbers_and_no_sparsity() -> None:
    catalog = whole_catalog()
    bf16, q4 = "bf16", "gguf-k"
    h100, geforce = catalog.gpus["h100-sxm"], catalog.gpus["rtx-4090"]
    assert peak_flops([h100], bf16, low_precision=4) == 989e12
    assert peak_flops([h100], q4, low_precision=4) == 1_978e12
    assert peak_flops([geforce], bf16, low_precision=4) == pytest.approx(660.8e12)


def test_the_peak_rate_of_four_bits_is_the_one_that_the_maker_states() -> None:
    # NVIDIA's whitepaper: 1,676 dense TFLOPS in FP4 on an RTX 5090, of 209.5 in FP16
    blackwell = whole_catalog().gpus["rtx-5090"]
    assert peak_flops([blackwell], "nvfp4", low_precision=4) == pytest.approx(1_676e12, rel=0.001)
    assert peak_flops([blackwell], "fp8", low_precision=4) == pytest.approx(838e12, rel=0.001)


def test_a_split_over_more_gpus_than_there_are_is_refused() -> None:
    found = plausibility.world(8, 4)
    assert found is not None
    assert found.arguments == {"needed": 8, "available": 4}
    assert plausibility.world(4, 4) is None


def run(gpu: str, count: int, rate: float, tensor: int | None = None) -> SpeedRun:
    """One stream of a 70B at Q4_K_M on a machine of equal GPUs."""
    return SpeedRun(
        id="run",
        group="run",
        date="",
        at="a table",
        subject=RunSubject("llama-3.1-70b-instruct", "", "q4-k-m", "llama-cpp", "", ""),
        weights_bytes=None,
        system=machine(whole_catalog().gpus[gpu], count),
        power_limit_watts=None,
        split=RunSplit(tensor, None, None, False),
        workload=SpeedWorkload(None, None, None, 1, "f16"),
        figures=SpeedFigures(rate, None, None),
        timed="steady",
        speculative="",
        eager=False,
        doubt="",
        quote="",
        notes="",
    )


def verdict_of(found: SpeedRun) -> str:
    finding = gated(found)
    return finding.code if finding else ""


def test_a_run_that_somebody_measured_passes_the_gate() -> None:
    # XiongjieDai/GPU-Benchmarks-on-LLM-Inference: 70B Q4_K_M on two RTX 4090, 19.06 tokens/s
    assert verdict_of(run("rtx-4090", 2, 19.06)) == ""


def test_a_run_above_a_bound_is_quarantined_with_its_reason() -> None:
    assert verdict_of(run("rtx-4090", 2, 250)) == "ABOVE_BANDWIDTH"
    assert verdict_of(run("rtx-4090", 1, 14.8)) == "ABOVE_RAM_BOUND"
    assert verdict_of(run("rtx-4090", 1, 4, tensor=1)) == "MEMORY_EXCEEDED"
    assert verdict_of(run("rtx-4090", 2, 19, tensor=4)) == "WORLD"


def gated(run: SpeedRun) -> BoundFinding | None:
    return Gate(whole_catalog(), cases().engine.reduced).finding(run)


def test_speculative_runs_are_not_judged_by_their_speed() -> None:
    found = run("rtx-4090", 2, 250)
    assert gated(replace(found, speculative="eagle3")) is None


def test_a_batch_is_not_read_as_one_stream() -> None:
    # 2,016 GB/s over 42 GB are 48 steps/s: 384 tokens/s for eight streams, 48 for one
    found = run("rtx-4090", 2, 100)
    batch = replace(found.workload, sequences=8)
    assert verdict_of(found) == "ABOVE_BANDWIDTH"
    assert verdict_of(replace(found, workload=batch)) == ""
    figures = SpeedFigures(None, 2_000, None)
    assert verdict_of(replace(found, workload=batch, figures=figures)) == "ABOVE_STEP_BOUND"


def test_the_quarantine_is_computed_from_the_catalog() -> None:
    source = Source("a page", "", "2026-11-20")
    runs = (run("rtx-4090", 2, 19.06), run("rtx-4090", 2, 250))
    page = Benchmarks("page", "", runs, (), (source,), SourceSpan("x"))
    engine = FitEngine(replace(whole_catalog(), benchmarks={"page": page}))
    (kept,) = quarantine(engine.catalog, engine.reduced)
    assert kept.run is runs[1]
    assert kept.finding.code == "ABOVE_BANDWIDTH"

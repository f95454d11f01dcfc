"""Invented records of what others measured and said, and invented comparisons with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sitegen.catalog.domain import claims as said
from sitegen.catalog.domain.claims import Claim, ClaimedPage
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.measurements import (
    LeftOutRun,
    LoggedQuantity,
    Measurements,
    MemoryRun,
    Observed,
    RunSettings,
    RunWorkload,
)
from sitegen.catalog.domain.provenance import Interval, Source
from sitegen.catalog.domain.runs import (
    Benchmarks,
    Histogram,
    Latencies,
    Latency,
    LeftOut,
    Load,
    RunSplit,
    RunSubject,
    SpeedFigures,
    SpeedRun,
    SpeedWorkload,
)
from sitegen.problems import SourceSpan
from sitegen.published.accuracy.speed import SpeedAccuracy, SpeedComparison, Unpredicted
from sitegen.published.accuracy.values import Comparison, JudgedQuantity, Origin, Result, Skipped

LOG = Source("A log", "https://log.example/1", "2026-11-20")
POST = Source("A post", "https://post.example/2", "2026-11-20")
PAGE = Source("A page", "https://page.example/3", "2026-11-20")
NOTHING = Observed(
    None, None, None, None, None, None, None, None, (), (), (), None, ()
)  # fmt: skip


def subject(model: str, runtime: str = "vllm", version: str = "0.19") -> RunSubject:
    return RunSubject(model, "q4-k-m", "q4-k-m", runtime, version, "")


def speed_run(id_: str, model: str, on: Combo, tokens_per_s: float) -> SpeedRun:
    """One stream of llama.cpp with an empty cache, timed after the first token."""
    return SpeedRun(
        id=id_, group=id_, date="2025-08-04", at="a table",
        subject=subject(model, "llama-cpp", ""), weights_bytes=None, system=on,
        power_limit_watts=None, split=RunSplit(None, None, None, False),
        workload=SpeedWorkload(512, 512, 128, 1, "f16"),
        figures=SpeedFigures(tokens_per_s, None, 1_234.5), timed="steady", speculative="",
        eager=False, doubt="", quote=f"{tokens_per_s:g} t/s", notes="",
    )  # fmt: skip


def memory_run(id_: str, model: str, on: Combo | None, outcome: str) -> MemoryRun:
    """A start of vLLM over two GPUs that logged its pool."""
    return MemoryRun(
        id=id_, subject=subject(model), program="", date="2025-06-01", system=on,
        split=RunSplit(2, None, None, False), workload=RunWorkload(8_192, None, "", ""),
        settings=RunSettings(0.9, None, None, False, None, None, "", "", None, None, False),
        assumed=(), observed=replace(NOTHING, weights_gib=19.75, kv_pool_gib=1.5),
        outcome=outcome,
        usable_for=(LoggedQuantity.WEIGHTS, LoggedQuantity.KV_POOL, LoggedQuantity.VERDICT),
        unsaid={}, uncovered={},
        causes={LoggedQuantity.KV_POOL: "another program held memory"}, disputed={}, group="",
        quote="19.75 GiB", notes="",
    )  # fmt: skip


def measurements(model: str, on: Combo) -> Measurements:
    """One start that ran, one that failed on hardware which the log leaves out."""
    runs = (memory_run("start-1", model, on, "ran"), memory_run("start-2", model, None, "failed"))
    left_out = (
        LeftOutRun("start-3", "model not named", (LoggedQuantity.WEIGHTS,), says_enough=False),
    )
    return Measurements(
        "a-log", "2025-06-01", runs, (), left_out, (LOG,), SourceSpan("catalog/measurements/a.yaml")
    )


def benchmarks(model: str, one: Combo, several: Combo) -> Benchmarks:
    """A run, a limited and aided one over machines, a batch, and one that no GPU could make."""
    aided = replace(
        speed_run("run-2", model, several, 88.0),
        power_limit_watts=280,
        speculative="eagle3",
        split=RunSplit(2, 2, None, False),
    )
    batch = replace(
        speed_run("run-3", model, one, 1.0),
        workload=SpeedWorkload(None, None, None, 16, "f16"),
        figures=SpeedFigures(None, 380.0, None),
        date="",
    )
    loads = tuple(
        replace(
            batch,
            id=f"load-{sequences}",
            workload=SpeedWorkload(512, 512, 128, sequences, "f16"),
            figures=SpeedFigures(speed / sequences, speed, None),
            tool="vllm",
            load=Load(sequences, None, 20 * sequences, 1, 61.5, "random", 0, "not-said"),
            latency=Latencies(
                {
                    "ttft": Latency(0.21, 0.2, 0.35, 0.5),
                    "tpot": Latency(0.02, 0.019, None, 0.04),
                    "e2e": Latency(
                        2.8,
                        2.75,
                        3.1,
                        3.9,
                        Histogram((2.5, 3.15, 4.0), (15 * sequences, 5 * sequences)),
                    ),
                },
                "tool",
            ),
        )
        for sequences, speed in ((2, 90.0), (8, 260.0), (32, 640.0))
    )
    runs = (
        speed_run("run-1", model, one, 48.5), aided, batch, speed_run("run-4", model, one, 4_000),
        *loads,
    )  # fmt: skip
    left_out = (LeftOut("run-5", "The model is not named."),)
    return Benchmarks(
        "a-post", "2025-08-04", runs, left_out, (POST,), SourceSpan("catalog/benchmarks/a.yaml")
    )


def claims(on: Combo) -> ClaimedPage:
    """Sums of the VRAM of a combo: one right, one wrong, and a claim that says too little."""
    listed = (
        Claim("right", "192 GB in all", "A table", "", said.TotalMemory(on=on, gb=192)),
        Claim("wrong", "300 GB in all", "A table", "A note.", said.TotalMemory(on=on, gb=300)),
        Claim("open", "fast", "", "", said.Open(missing=("a figure",))),
    )
    return ClaimedPage("a-page", "A page", listed, (PAGE,), SourceSpan("catalog/claims/a.yaml"))


def origin(run: str, model: str) -> Origin:
    return Origin(run, "a-log", "vLLM", "0.19", "llama", model, "q4-k-m")


def results(model: str) -> tuple[Result, ...]:
    """What a comparison with the starts yields: every kind of result, one far off."""
    first, second = origin("start-1", model), origin("start-2", model)
    near = Comparison(first, LoggedQuantity.WEIGHTS, 19.75, Interval(19.5, 19.75, 20.0), naive=17.5)
    far = Comparison(
        first, LoggedQuantity.KV_POOL, 1.5, Interval(1.8, 2.1, 2.4), naive=4.5,
        cause="another program held memory",
    )  # fmt: skip
    disputed = Comparison(
        second, LoggedQuantity.WEIGHTS, 10.0, Interval(19.5, 19.75, 20.0), naive=None,
        disputed="the log is of another checkpoint",
    )  # fmt: skip
    return (
        near, far, disputed,
        JudgedQuantity(first, "ran", "comfortable", (), True),
        JudgedQuantity(
            second, "failed", "comfortable", (), True, "a defect of that version"
        ),
        Skipped(second, LoggedQuantity.KV_POOL, "GPU not named", says_enough=False),
    )  # fmt: skip


def speed_results(gpu: str) -> SpeedAccuracy:
    """One rate inside its interval, one prompt rate outside, one that is not judged."""

    def one(
        run: str, quantity: str, measured: float, at: Sequence[float], note: str = ""
    ) -> SpeedComparison:
        return SpeedComparison(
            run, "a-post", quantity, measured, Interval(*at), 60.0 if quantity == "decode" else 0.0,
            "llama-cpp", gpu, "eagle3" if note else "", note,
        )  # fmt: skip

    return SpeedAccuracy(
        (
            one("run-1", "decode", 48.5, (40.0, 50.0, 60.0)),
            one("run-1", "prefill", 1_234.5, (2_000.0, 2_469.0, 3_000.0)),
            one("run-2", "decode", 88.0, (30.0, 40.0, 50.0), "Speculative decoding (eagle3)."),
        ),
        (Unpredicted("run-3", "a-post", "No rule for it."),),
    )

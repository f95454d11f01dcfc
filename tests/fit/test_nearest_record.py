"""How an assessment is known: by the nearest record, one step at a time."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.measurements import (
    LoggedQuantity,
    Measurements,
    MemoryRun,
    Observed,
    RunSettings,
    RunWorkload,
)
from sitegen.catalog.domain.provenance import Evidence, Interval
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
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.nearest_record import evidence_of
from sitegen.fit.quarantine import quarantine
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.plan import Workload
from tests.fit.questions import SPAN, ask, catalog, combo, model
from tests.survey.whole_catalog import whole_catalog

MODEL = "llama70"
PAIR = ("rtx-4090", "rtx-4090")
WEIGHED = FitEngine(catalog()).reduced


@cache
def found() -> Assessment:
    """A 70B in four bits over two GPUs of one machine, asked for 8,192 tokens."""
    return ask(model(MODEL), "awq-4bit-g128", pair(), "vllm", tp=2)


def pair(link: str = "pcie-4-x16") -> Combo:
    return combo(*PAIR, link=link)


def subject(recipe: str = "awq-4bit-g128") -> RunSubject:
    version = found().profile.version
    return RunSubject(found().model.id, recipe, recipe, "vllm", version, "")


def speed_run() -> SpeedRun:
    """The same tuple, measured at half of the context: what the estimate is made for."""
    return SpeedRun(
        id="run", group="run", date="", at="a log", subject=subject(), weights_bytes=None,
        system=pair(), power_limit_watts=None, split=RunSplit(2, 1, None, False),
        workload=SpeedWorkload(4_096, None, None, 1, "f16"),
        figures=SpeedFigures(30.0, None, None), timed="steady", speculative="", eager=False,
        doubt="", quote="", notes="",
    )  # fmt: skip


def memory_run() -> MemoryRun:
    """The same tuple, started."""
    nothing = Observed(
        None, None, None, None, None, None, None, None, (), (), (), None, ()
    )  # fmt: skip
    return MemoryRun(
        id="start", subject=subject(), program="", date="", system=pair(),
        split=RunSplit(2, 1, None, False), workload=RunWorkload(8_192, None, "auto", ""),
        settings=RunSettings(None, None, None, False, None, None, "", "", None, None, False),
        assumed=(), observed=replace(nothing, weights_gib=18.5), outcome="ran",
        usable_for=(LoggedQuantity.WEIGHTS, LoggedQuantity.VERDICT), unsaid={}, uncovered={},
        causes={}, disputed={}, group="", quote="", notes="",
    )  # fmt: skip


def of_speed(*runs: SpeedRun) -> tuple[Evidence, tuple[tuple[str, ...], ...]]:
    """How the speed is known, and what differs in each record that is near."""
    file = Benchmarks("file", "", runs, (), (), SPAN)
    index = evidence_of(replace(catalog(), benchmarks={"file": file}), WEIGHED)
    word, anchors = index.speed(found())
    return word, tuple(anchor.differs for anchor in anchors)


def of_memory(*runs: MemoryRun) -> tuple[Evidence, tuple[tuple[str, ...], ...]]:
    file = Measurements("file", "", runs, (), (), (), SPAN)
    index = evidence_of(replace(catalog(), measurements={"file": file}), WEIGHED)
    word, anchors = index.memory(found())
    return word, tuple(anchor.differs for anchor in anchors)


def test_the_same_tuple_is_measured() -> None:
    assert of_speed(speed_run()) == (Evidence.MEASURED, ((),))
    assert of_memory(memory_run()) == (Evidence.MEASURED, ((),))


ONE_STEP = {
    "version": lambda run: replace(run, subject=replace(run.subject, version="0.6")),
    "link": lambda run: replace(run, system=pair("oculink-4i")),
    "kv-dtype": lambda run: replace(run, workload=replace(run.workload, kv_dtype="fp8")),
    "context": lambda run: replace(run, workload=replace(run.workload, depth_tokens=512)),
    "power": lambda run: replace(run, power_limit_watts=280),
    "eager": lambda run: replace(run, eager=True),
}


@pytest.mark.parametrize("step", ONE_STEP)
def test_one_step_away_is_measured_near(step: str) -> None:
    assert of_speed(ONE_STEP[step](speed_run())) == (Evidence.MEASURED_NEAR, ((step,),))


def test_a_recipe_of_nearly_as_many_bits_is_one_step_and_others_are_another_thing() -> None:
    own = found().checkpoint.quantization.nominal_bits
    bits = {recipe.id: recipe.nominal_bits / own for recipe in catalog().quantizations.values()}
    near = next(name for name, ratio in bits.items() if 0.01 < abs(ratio - 1) <= 0.1)
    far = next(name for name, ratio in bits.items() if abs(ratio - 1) > 0.1)
    assert of_speed(replace(speed_run(), subject=subject(near))) == (
        Evidence.MEASURED_NEAR, (("quantization",),),
    )  # fmt: skip
    assert of_speed(replace(speed_run(), subject=subject(far))) == (Evidence.EXTRAPOLATED, ())


def test_two_steps_away_is_community() -> None:
    run = ONE_STEP["power"](ONE_STEP["context"](speed_run()))
    assert of_speed(run) == (Evidence.COMMUNITY, (("power", "context"),))


def test_a_figure_that_no_log_shows_is_community() -> None:
    assert of_speed(replace(speed_run(), timed="as-posted"))[0] is Evidence.COMMUNITY
    said = replace(memory_run(), usable_for=(LoggedQuantity.VERDICT,))
    assert of_memory(said)[0] is Evidence.COMMUNITY


def test_a_context_within_a_factor_of_two_is_the_same() -> None:
    run = speed_run()
    for depth, differs in ((2_048, ()), (8_192, ()), (2_000, ("context",)), (None, ("context",))):
        changed = replace(run, workload=replace(run.workload, depth_tokens=depth))
        assert of_speed(changed)[1] == (differs,)


@pytest.mark.parametrize(
    "change",
    [
        {"subject": RunSubject("other", "", "", "vllm", "", "")},
        {"split": RunSplit(1, 2, None, False)},
        {"split": RunSplit(1, 1, 2, False)},
    ],
    ids=["model", "split", "copies"],
)
def test_another_model_or_split_on_the_same_gpus_is_extrapolated(
    change: dict[str, object],
) -> None:
    assert of_speed(replace(speed_run(), **change)) == (Evidence.EXTRAPOLATED, ())  # type: ignore[arg-type]


def test_the_same_gpus_in_another_number_are_extrapolated() -> None:
    four = combo(*PAIR, *PAIR, link="pcie-4-x16")
    assert of_speed(replace(speed_run(), system=four))[0] is Evidence.EXTRAPOLATED


def test_other_gpus_or_another_runtime_tell_nothing() -> None:
    assert of_speed() == (Evidence.ESTIMATED, ())
    elsewhere = replace(speed_run(), system=combo("rtx-3090", "rtx-3090", link="pcie-4-x16"))
    assert of_speed(elsewhere) == (Evidence.ESTIMATED, ())
    other = replace(speed_run(), subject=replace(subject(), runtime="sglang"))
    assert of_speed(other) == (Evidence.ESTIMATED, ())


@pytest.mark.parametrize(
    "run",
    [
        replace(speed_run(), speculative="eagle3"),
        replace(speed_run(), doubt="the table contradicts the text"),
        replace(speed_run(), workload=SpeedWorkload(4_096, None, None, 8, "f16")),
        replace(speed_run(), figures=SpeedFigures(None, 300.0, None)),
    ],
    ids=["speculative", "doubted", "batch", "no-stream"],
)
def test_what_is_no_speed_of_one_plain_stream_is_no_evidence(run: SpeedRun) -> None:
    assert of_speed(run) == (Evidence.ESTIMATED, ())


@pytest.mark.parametrize(
    "run",
    [
        replace(memory_run(), program="a fork"),
        replace(memory_run(), outcome="unknown"),
        replace(memory_run(), system=None),
    ],
    ids=["fork", "outcome", "hardware"],
)
def test_a_start_of_something_else_is_no_evidence(run: MemoryRun) -> None:
    assert of_memory(run) == (Evidence.ESTIMATED, ())


def test_the_nearest_record_decides_and_stands_first() -> None:
    far = replace(ONE_STEP["eager"](ONE_STEP["power"](speed_run())), id="a-far")
    near = replace(ONE_STEP["power"](speed_run()), id="b-near")
    word, anchors = of_speed(far, near)
    assert word is Evidence.MEASURED_NEAR
    assert anchors == (("power",), ("power", "eager"))


def test_of_runs_that_are_equally_near_the_middle_speed_stands_first() -> None:
    """A run whose owner limited the power is none of them, however little else differs."""
    other = ONE_STEP["context"](speed_run())
    runs = [
        replace(other, id=name, figures=SpeedFigures(speed, None, None))
        for name, speed in (("a", 31.0), ("b", 44.0), ("c", 40.0))
    ]
    limited = replace(ONE_STEP["power"](speed_run()), id="d", figures=SpeedFigures(22, None, None))
    file = Benchmarks("file", "", (limited, *runs), (), (), SPAN)
    index = evidence_of(replace(catalog(), benchmarks={"file": file}), WEIGHED)
    _, anchors = index.speed(found())
    assert [anchor.run for anchor in anchors] == ["c", "a", "b", "d"]


def test_memory_and_speed_have_a_word_each_and_the_verdict_takes_the_weaker() -> None:
    speeds = Benchmarks("speeds", "", (speed_run(),), (), (), SPAN)
    starts = Measurements(
        "starts", "", (replace(memory_run(), program="a fork"),), (), (), (), SPAN
    )
    only_speed = assessed(speeds, starts)
    assert only_speed.speed is not None
    assert only_speed.speed.evidence is Evidence.MEASURED
    assert only_speed.evidence is Evidence.ESTIMATED
    assert only_speed.known_by is Evidence.ESTIMATED
    both = assessed(speeds, replace(starts, runs=(memory_run(),)))
    assert both.known_by is Evidence.MEASURED
    assert [anchor.quantity for anchor in both.anchors] == ["speed", "memory"]


def test_what_was_measured_stands_beside_the_estimate_and_never_changes_it() -> None:
    slow = replace(speed_run(), figures=SpeedFigures(3.0, None, None))
    known = assessed(Benchmarks("speeds", "", (slow,), (), (), SPAN), None)
    assert known.anchors[0].tokens_per_s == 3.0
    assert numbers(known) == numbers(found())


def numbers(of: Assessment) -> tuple[object, ...]:
    assert of.speed is not None
    single: Interval = of.speed.single_tokens_per_s
    return single, of.tier, of.reasons, of.ledger, of.limits, of.verdict_utilization


def assessed(speeds: Benchmarks, starts: Measurements | None) -> Assessment:
    """The same question to an engine whose catalog has these records."""
    whole = replace(
        catalog(),
        benchmarks={speeds.id: speeds},
        measurements={starts.id: starts} if starts else {},
    )
    asked = found()
    request = FitRequest(
        asked.model, asked.checkpoint, asked.combo, asked.runtime, asked.profile,
        tensor_parallel_size=2,
    )  # fmt: skip
    return assess(FitEngine(whole), request)


def test_no_engine_takes_a_run_that_breaks_a_bound_for_evidence() -> None:
    whole = whole_catalog()
    engine = FitEngine(whole)
    broken = quarantine(whole, engine.reduced)
    assert broken
    for one in broken:
        possible = replace(one.run, figures=SpeedFigures(1.0, None, None))
        file = replace(one.benchmarks, runs=(possible,))
        slower = FitEngine(replace(whole, benchmarks={file.id: file}))
        asked = request_of(engine, one.run)
        assert one.run.id in {anchor.run for anchor in assess(slower, asked).anchors}
        assert one.run.id not in {anchor.run for anchor in assess(engine, asked).anchors}


def test_the_index_holds_every_run_of_one_stream_that_a_gpu_could_have_made() -> None:
    whole = whole_catalog()
    engine = FitEngine(whole)
    broken = {one.run.id for one in quarantine(whole, engine.reduced)}
    expected = {
        run.id
        for file in whole.benchmarks.values()
        for run in file.runs
        if run.figures.decode_tokens_per_s is not None
        and run.workload.sequences == 1
        and not (run.speculative or run.doubt)
    }
    assert expected & broken
    for index in (engine.evidence.places["speed"], engine.evidence.met["speed"]):
        kept = {run.id for runs in index.values() for run in runs}
        assert kept == expected - broken


def test_the_evidence_of_an_engine_cannot_be_exchanged() -> None:
    engine = FitEngine(catalog())
    with pytest.raises(AttributeError):
        engine.evidence = engine.evidence  # type: ignore[misc]


def request_of(engine: FitEngine, run: SpeedRun) -> FitRequest:
    """Ask for what a run ran."""
    catalog, subject = engine.catalog, run.subject
    model, runtime = catalog.models[subject.model], catalog.runtimes[subject.runtime]
    names = {subject.checkpoint, subject.quantization}
    checkpoint = next(c for c in model.checkpoints if {c.id, c.quantization.id} & names)
    profile = profile_of(runtime)
    assert profile is not None
    workload = Workload(4_096, 1, "f16")
    return FitRequest(model, checkpoint, run.system, runtime, profile, workload)

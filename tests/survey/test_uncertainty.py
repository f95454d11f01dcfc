"""Too close to call: what is said to settle a verdict does, when it is measured so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, UnifiedMemory
from sitegen.catalog.domain.models import RuntimeProfile
from sitegen.catalog.domain.provenance import Constant, Interval
from sitegen.fit.assessment import FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.open_verdict import DecidingMeasurement, OpenVerdict, ToMeasure, Uncertain
from sitegen.physics.plan import DEFAULTS
from sitegen.survey.benchmark_priorities import opportunities, sessions
from sitegen.survey.every_combo import survey_combo
from sitegen.survey.results import ComboSurvey, ModelOnCombo
from sitegen.units import GIB, MIB
from tests.fit.questions import combo, with_visible
from tests.survey.small_surveys import few, small_catalog

NON_TORCH = (
    "non_torch_single_gib", "non_torch_bus_gib", "non_torch_nvlink_gib", "non_torch_pipeline_gib",
)  # fmt: skip
STEPS = range(0, 6144, 16)
"""MiB that are taken from a GPU until a verdict stands on the edge."""


def vllm_only(profile_of: RuntimeProfile | None = None, model: str = "llama8") -> Catalog:
    """A catalog with one model, its BF16 checkpoint and vLLM, whose profile may be another."""
    found = small_catalog(model)
    runtime = found.runtimes["vllm"]
    if profile_of is not None:
        others = tuple(p for p in runtime.profiles if p.version != profile_of.version)
        runtime = replace(runtime, profiles=(profile_of, *others))
    (kept,) = few(model, kept=("bf16",))
    return replace(found, runtimes={"vllm": runtime}, models={kept.id: kept})


def profile() -> RuntimeProfile:
    runtime = vllm_only().runtimes["vllm"]
    return next(p for p in runtime.profiles if p.version == runtime.assessed_version)


def at(constant: Constant, bound: str) -> Constant:
    value = getattr(constant.value, bound)
    return replace(constant, value=Interval(value, value, value))


def measured(names: tuple[str, ...], bound: str) -> RuntimeProfile:
    """The profile with some constants known exactly: one end of their interval."""
    whole = profile()
    constants = {n: at(c, bound) if n in names else c for n, c in whole.constants.items()}
    return replace(whole, constants=constants)


def only_these_in_doubt(names: tuple[str, ...]) -> RuntimeProfile:
    """The profile with every constant known at its middle, but these."""
    whole = profile()
    constants = {n: c if n in names else at(c, "mid") for n, c in whole.constants.items()}
    return replace(whole, constants=constants)


def survey_of(where: Combo, found: Catalog) -> ComboSurvey:
    return survey_combo(FitEngine(replace(found, combos={where.id: where})), where)


def row_of(where: Combo, found: Catalog) -> ModelOnCombo:
    (row,) = survey_of(where, found).rows
    return row


def on_the_edge(found: Catalog) -> Iterator[tuple[Combo, ModelOnCombo, OpenVerdict]]:
    """GPUs of many sizes, where a verdict is too close to call."""
    card = combo("rtx-4090")
    for taken in STEPS:
        where = with_visible(card, card.gpus[0].visible_bytes - taken * MIB)
        row = row_of(where, found)
        if row.open_verdict is not None:
            yield where, row, row.open_verdict


def helped_by_a_flag(row: ModelOnCombo) -> bool:
    """Whether the plan as it was is tight, as was said, and a flag makes it comfortable."""
    return row.tier is FitTier.COMFORTABLE and row.verdict.settings != DEFAULTS


def test_a_verdict_in_doubt_and_only_that_names_what_settles_it() -> None:
    card = combo("rtx-4090")
    rows = [
        row_of(with_visible(card, 23_000 * MIB - n * 128 * MIB), vllm_only()) for n in range(32)
    ]
    assert any(row.open_verdict for row in rows)
    assert all((row.open_verdict is not None) == row.verdict.too_close for row in rows)


def test_measuring_runtime_overhead_settles_what_it_is_said_to_settle() -> None:
    in_doubt = list(on_the_edge(vllm_only(only_these_in_doubt(NON_TORCH))))
    assert in_doubt
    for where, _, doubt in in_doubt:
        assert doubt.named.measure.quantity is Uncertain.RUNTIME_OVERHEAD
        for bound, tier in (("low", doubt.named.tier_at_low), ("high", doubt.named.tier_at_high)):
            base = only_these_in_doubt(NON_TORCH)
            known = {n: at(c, bound) if n in NON_TORCH else c for n, c in base.constants.items()}
            settled = row_of(where, vllm_only(replace(base, constants=known)))
            assert not settled.verdict.too_close
            assert settled.verdict.tier is tier or helped_by_a_flag(settled)


def test_with_every_constant_in_doubt_the_recomputed_tier_is_the_engines() -> None:
    """Whatever is named, the constants behind it collapsed to one end give the tier it says."""
    stems = {
        Uncertain.RUNTIME_OVERHEAD: ("non_torch_",),
        Uncertain.COMPUTE: ("activation_", "sampler_"),
        Uncertain.GRAPHS: ("graphs_",),
        Uncertain.WEIGHTS: ("weights_",),
    }
    every = tuple(stem for some in stems.values() for stem in some)
    seen: set[Uncertain] = set()
    for where, _, doubt in on_the_edge(vllm_only()):
        option = doubt.named
        seen.add(option.measure.quantity)
        wanted = stems.get(option.measure.quantity, every)
        names = tuple(name for name in profile().constants if name.startswith(wanted))
        for bound, tier in (("low", option.tier_at_low), ("high", option.tier_at_high)):
            settled = row_of(where, vllm_only(measured(names, bound)))
            assert not settled.verdict.too_close
            assert settled.verdict.tier is tier or helped_by_a_flag(settled)
    assert seen


def test_no_single_line_is_named_where_what_is_left_still_straddles() -> None:
    """Start-up memory is the fallback, so each line alone must leave a doubt at one end."""
    fallback = [
        where for where, _, doubt in on_the_edge(vllm_only())
        if doubt.named.measure.quantity is Uncertain.START_UP
    ]  # fmt: skip
    assert fallback
    for where in fallback[::8]:
        ends = [row_of(where, vllm_only(measured(NON_TORCH, b))) for b in ("low", "high")]
        assert any(row.verdict.too_close for row in ends)


def mac_with(share: Interval | None) -> tuple[Combo, Catalog]:
    """A Mac under llama.cpp, whose system grants the GPU this share of the memory."""
    small = small_catalog("llama8")
    (kept,) = few("llama8", kept=("q8-0",))
    found = replace(
        small, runtimes={"llama-cpp": small.runtimes["llama-cpp"]}, models={kept.id: kept}
    )
    where = combo("apple-m5-max", unified_gib=64)
    chip = where.gpus[0].gpu
    if share is None:
        return where, found
    assert isinstance(chip.memory, UnifiedMemory)
    memory = replace(chip.memory, default_fraction=share, larger_fractions=())
    known = replace(chip, memory=memory)
    node = replace(where.nodes[0], gpus=(replace(where.gpus[0], gpu=known),))
    return replace(where, nodes=(node,)), found


def test_what_the_system_of_a_mac_keeps_is_settled_by_reading_its_limit() -> None:
    """The kept memory's low end is the granted share's high end, and the other way round."""
    plain, found = mac_with(None)
    memory = plain.gpus[0].gpu.memory
    assert isinstance(memory, UnifiedMemory)
    share = memory.fraction_of(64 * GIB)
    assert share.low < share.high
    seen = 0
    for taken in range(30_000, 56_000, 250):
        size = plain.gpus[0].visible_bytes - taken * MIB
        doubt = row_of(with_visible(plain, size), found).open_verdict
        if doubt is None or doubt.named.measure.quantity is not Uncertain.RESERVED:
            continue
        seen += 1
        option = doubt.named
        for end, tier in ((share.high, option.tier_at_low), (share.low, option.tier_at_high)):
            known, _ = mac_with(Interval(end, end, end))
            settled = row_of(with_visible(known, size), found)
            assert not settled.verdict.too_close
            assert settled.verdict.tier is tier
    assert seen


def with_floor(found: Catalog, floor: float) -> Catalog:
    known = dict(found.assumptions)
    record = known["speed-floor-tokens-per-s"]
    known["speed-floor-tokens-per-s"] = replace(record, value=Interval(floor, floor, floor))
    return replace(found, assumptions=known)


def test_a_speed_on_both_sides_of_the_floor_is_too_close_and_a_benchmark_settles_it() -> None:
    where, found = combo("rtx-4090"), vllm_only()
    clear = row_of(where, found)
    assert clear.verdict.tier is FitTier.COMFORTABLE
    assert clear.open_verdict is None
    assert clear.pick.speed is not None
    speed = clear.pick.speed.single_tokens_per_s
    row = row_of(where, with_floor(found, speed.mid))
    assert row.verdict.too_close
    assert row.open_verdict is not None
    (option,) = row.open_verdict.options
    assert option.measure.quantity is Uncertain.SPEED
    assert option.bounds == speed
    assert (option.tier_at_low, option.tier_at_high) == (FitTier.BORDERLINE, FitTier.COMFORTABLE)
    assert not row_of(where, with_floor(found, speed.low * 0.99)).verdict.too_close


def test_memory_and_speed_in_doubt_together_need_a_whole_run() -> None:
    for where, row, doubt in on_the_edge(vllm_only()):
        if row.pick.speed is None or doubt.named.tier_at_high is not FitTier.BORDERLINE:
            continue
        floor = with_floor(vllm_only(), row.pick.speed.single_tokens_per_s.mid)
        both = row_of(where, floor)
        assert both.open_verdict is not None
        assert both.open_verdict.named.measure.quantity is Uncertain.RUN
        return
    pytest.fail("no verdict on the edge of comfortable")


def settled_by(row: ModelOnCombo, *measures: ToMeasure) -> ModelOnCombo:
    bounds, tier = Interval(1, 2, 3), FitTier.BORDERLINE
    return replace(
        row,
        open_verdict=OpenVerdict(
            tuple(DecidingMeasurement(m, bounds, tier, tier) for m in measures)
        ),
    )


def test_measurements_are_ordered_by_the_verdicts_that_each_settles() -> None:
    shared = ToMeasure(Uncertain.RUNTIME_OVERHEAD, "vllm", "0.33", gpus=(("rtx-4090", 0),))
    alone = ToMeasure(Uncertain.COMPUTE, "vllm", "0.33", gpus=(("rtx-4090", 0),), model_id="llama8")
    surveys = []
    for count in (1, 2, 4):
        where = combo(*["rtx-4090"] * count, link="pcie-4-x16" if count > 1 else "")
        found = survey_of(where, vllm_only())
        measures = (shared, alone) if count == 1 else (shared,)
        rows = tuple(settled_by(row, *measures) for row in found.rows)
        surveys.append(replace(found, rows=rows))
    first, second = opportunities(surveys)
    assert (first.measure, len(first.settles)) == (shared, 3)
    assert (second.measure, len(second.settles)) == (alone, 1)
    (sitting,) = sessions((first, second))
    assert sitting.verdicts == 3  # the row that both settle counts once
    assert len(sitting.opportunities) == 2

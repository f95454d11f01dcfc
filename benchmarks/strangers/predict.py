"""Ask the engine for rows of a catalog, as the accuracy page does."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from benchmarks.speeds.records import is_fitted
from benchmarks.speeds.subjects import STAND_IN
from benchmarks.strangers.rows import MEMORY, SPEED, VERDICT, Row
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.measurements import LoggedQuantity
from sitegen.fit.fit_engine import FitEngine
from sitegen.published.accuracy.report import accuracy
from sitegen.published.accuracy.speed import compare_speeds
from sitegen.published.accuracy.values import Comparison, JudgedQuantity, Skipped


def digest(catalog: Catalog) -> str:
    """Tell one set of constants from another: those of speed and those of memory profiles."""
    speeds = [
        (name, one.value.low, one.value.mid, one.value.high)
        for name, one in sorted(catalog.assumptions.items())
        if is_fitted(name)
    ]
    memory = [
        (runtime.id, profile.version, name, one.value.low, one.value.mid, one.value.high)
        for _, runtime in sorted(catalog.runtimes.items())
        for profile in runtime.profiles
        for name, one in sorted(profile.constants.items())
    ]
    return hashlib.sha256(repr((speeds, memory)).encode()).hexdigest()[:12]


def strangers_of(catalog: Catalog) -> frozenset[str]:
    """Name the runs and files of a catalog that no constant rests on."""
    rates = (run for page in catalog.benchmarks.values() for run in page.runs)
    logs = (
        one for page in catalog.measurements.values() for some in (page.runs, page.files)
        for one in some
    )  # fmt: skip
    return frozenset(one.id for one in (*rates, *logs) if one.stranger)


def rows_of(catalog: Catalog, before: Catalog | None = None) -> tuple[list[Row], Counter[str]]:
    """Predict every run of a catalog; also count what was not compared, by reason.

    Args:
        catalog: The catalog with its constants.
        before: The catalog that the constants come from; its runs are no strangers, and are left
            out. Without it, every run is asked for.
    """
    seen = Seen(before)
    uncompared: Counter[str] = Counter()
    rows = [*_memory(catalog, seen, uncompared), *_speeds(catalog, seen, uncompared)]
    return rows, uncompared


class Seen:
    """What the fits and the eyes of a catalog's authors have seen; doubted rates fit nothing."""

    def __init__(self, catalog: Catalog | None) -> None:
        logs = catalog.measurements.values() if catalog else ()
        rates = catalog.benchmarks.values() if catalog else ()
        self.used = {run.id for some in logs for run in some.runs}
        self.used |= {file.id for some in logs for file in some.files}
        fitted = {run.id: not run.doubt for some in rates for run in some.runs}
        self.used |= {id for id, counts in fitted.items() if counts}
        self.left_out = {one.id for some in (*logs, *rates) for one in some.left_out}
        self.left_out |= fitted.keys() - self.used
        self.sources = {some.id for some in logs if some.runs or some.files}
        self.sources |= {some.id for some in rates if some.runs}


def _memory(catalog: Catalog, seen: Seen, uncompared: Counter[str]) -> Iterator[Row]:
    systems = {run.id: run.system for one in catalog.measurements.values() for run in one.runs}
    for one in accuracy(FitEngine(catalog)).results:
        origin = one.origin
        if origin.run in seen.used:
            continue
        quantity = LoggedQuantity.VERDICT if isinstance(one, JudgedQuantity) else one.quantity
        common = Row(
            run=origin.run, source=origin.source, kind=MEMORY, quantity=quantity.value,
            vote=f"{origin.source} {origin.vote}", program=origin.program,
            hardware=hardware(systems.get(origin.run)),
            known_source=origin.source in seen.sources,
            left_out_before=origin.run in seen.left_out,
        )  # fmt: skip
        match one:
            case Skipped():
                says = "covered by no rule" if one.says_enough else "says too little"
                uncompared[f"{one.quantity.value}, {says}: {one.reason}"] += 1
            case Comparison():
                yield replace(
                    common, measured=one.measured, low=one.predicted.low, mid=one.predicted.mid,
                    high=one.predicted.high, naive=one.naive, rounding=one.rounding,
                    disputed=one.disputed,
                )  # fmt: skip
            case JudgedQuantity() if one.outcome in {"ran", "failed"}:
                yield replace(
                    common, kind=VERDICT, outcome=one.outcome, tier=one.tier,
                    reasons=one.reasons, naive_fits=one.naive_fits, disputed=one.disputed,
                )  # fmt: skip
            case JudgedQuantity():
                uncompared[f"verdict, says too little: outcome {one.outcome}"] += 1


def _speeds(catalog: Catalog, seen: Seen, uncompared: Counter[str]) -> Iterator[Row]:
    runs = {run.id: run for one in catalog.benchmarks.values() for run in one.runs}
    report = compare_speeds(catalog)
    for missing in report.unpredicted:
        if missing.run not in seen.used:
            uncompared[f"speed: {missing.reason}"] += 1
    for one in report.comparisons:
        if one.run in seen.used:
            continue
        if one.note:
            uncompared[f"speed: {one.note}"] += 1
            continue
        run = runs[one.run]
        gpus = " ".join(installed.gpu.id for installed in run.system.gpus)
        yield Row(
            run=one.run, source=one.source, kind=SPEED, quantity=one.quantity,
            vote=f"{one.source} {run.subject.model} {gpus} {one.runtime}",
            program=one.runtime, hardware=hardware(run.system),
            known_source=one.source in seen.sources,
            left_out_before=one.run in seen.left_out,
            measured=one.measured, low=one.predicted.low, mid=one.predicted.mid,
            high=one.predicted.high, naive=one.naive or None, stand_in=STAND_IN in run.notes,
        )  # fmt: skip


def hardware(combo: Combo | None) -> str:
    """Vendor and segment of a combo's first GPU, and whether there are several."""
    if combo is None or not combo.gpus:
        return ""
    gpu = combo.gpus[0].gpu
    return f"{gpu.vendor.value} {gpu.segment}"

"""Does accuracy come from having seen the record? Refits constants without each source in turn.

Run as ``python -m benchmarks.leave_one_out``. Constants of paged profiles whose source are logs
were fitted on them. For each repository that logs come from they are fitted anew on all others,
starting a quarter off, and then asked for what was left out. Where a constant is known from one
repository alone, nothing can be asked, and the figures are counted as such. What needs no such
constant (cache per token and pool, buffers and files) is the same with and without a source, since
it follows from configs and code alone; those rows are given for completeness.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from sitegen.catalog.domain.measurements import LoggedQuantity, Measurements
from sitegen.catalog.domain.models import RuntimeProfile
from sitegen.catalog.domain.provenance import Constant, Interval, Status
from sitegen.catalog.load import parse_catalog
from sitegen.fit.fit_engine import FitEngine
from sitegen.inputs import read_project
from sitegen.physics.memory.paged import PagedEngine
from sitegen.published.accuracy.aggregate import quantile
from sitegen.published.accuracy.paged_runs import LINES, line_of, replica_of
from sitegen.published.accuracy.report import accuracy
from sitegen.published.accuracy.subjects import LoggedRun
from sitegen.published.accuracy.values import AccuracyReport, Comparison

EXISTING = click.Path(exists=True, file_okay=False, path_type=Path)
DISCRETE = frozenset(
    {
        "state_bits",
        "mxfp4_width_multiple",
        "mxfp4_hidden_multiple",
        "mxfp4_triton_width_multiple",
        "mxfp4_triton_tile",
    }
)
"""Constants that count something: read from the layout of memory, not fitted to sizes."""
FROM_LOGS = re.compile(r"\blogs?\b|\bissues?\b", re.IGNORECASE)
"""Words by which a constant's source says that somebody logged it; source code does not."""
START = 1.25
STEPS = (2.0, 1.41, 1.19, 1.09, 1.04, 1.02, 1.01)
"""Factors by which a constant is tried up and down, coarse to fine."""
WORST = 1.0
"""Largest logarithm of an error that counts: a log that is far off must not rule the fit."""
EXACT = (
    LoggedQuantity.KV_BYTES,
    LoggedQuantity.KV_TOKENS,
    LoggedQuantity.MODEL_BUFFERS,
    LoggedQuantity.KV_BUFFERS,
    LoggedQuantity.COMPUTE_BUFFERS,
    LoggedQuantity.FILE_SIZE,
)
"""Quantities without a constant that was fitted on logs."""

Key = tuple[str, float]
"""Name and value of a constant: profiles that state the same share it."""
Values = Mapping[Key, float]


@dataclass(frozen=True, slots=True)
class Row:
    """One figure that fitted constants explain."""

    run: LoggedRun
    quantity: LoggedQuantity
    measured: float
    source: str
    """Repository or file: what is left out together."""


class Refit:
    """Profiles with other values for their fitted constants."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.keys = sorted({key for row in rows for key in keys_of(row.run.profile)})
        self._memory: dict[tuple[str, tuple[float, ...]], PagedEngine] = {}

    def predict(self, row: Row, values: Values) -> float:
        """The engine's middle estimate under these values, in GiB."""
        own = keys_of(row.run.profile)
        key = (row.run.profile.version, tuple(values[k] for k in own))
        if key not in self._memory:
            self._memory[key] = PagedEngine(changed(row.run.profile, values))
        weights = row.quantity is LoggedQuantity.WEIGHTS
        replica = replica_of(
            row.run, any_gpu=weights, any_checkpoint=not weights, memory=self._memory[key]
        )
        return line_of(replica, *LINES[row.quantity]).mid

    def known(self, row: Row, rows: Sequence[Row]) -> bool:
        """Whether every constant that moves a figure moves one of the others too."""
        values = {key: key[1] for key in self.keys}
        own = [key for key in self.keys if self._moved([row], key, values)]
        return all(self._moved(rows, key, values) for key in own)

    def fit(self, rows: Sequence[Row]) -> dict[Key, float]:
        """Fit all constants by turns, each on the figures that it moves."""
        values = {key: START * key[1] for key in self.keys}
        moved = {key: self._moved(rows, key, values) for key in self.keys}
        for step in STEPS:
            for key in self.keys:
                self._improve(values, key, step, moved[key])
        return values

    def _moved(self, rows: Sequence[Row], key: Key, values: Values) -> list[Row]:
        other = {**values, key: 2 * values[key]}
        return [row for row in rows if self.predict(row, values) != self.predict(row, other)]

    def _improve(
        self, values: dict[Key, float], key: Key, step: float, rows: Sequence[Row]
    ) -> None:
        best = self._loss(rows, values)
        for factor in (step, 1 / step):
            while True:
                before = values[key]
                values[key] = before * factor
                loss = self._loss(rows, values)
                if loss >= best - 1e-9:
                    values[key] = before
                    break
                best = loss

    def _loss(self, rows: Sequence[Row], values: Values) -> float:
        return sum(
            min(WORST, abs(math.log(max(self.predict(row, values), 1e-9) / row.measured)))
            for row in rows
        )


def keys_of(profile: RuntimeProfile) -> tuple[Key, ...]:
    """List the constants of a profile that were fitted on logs."""
    return tuple(
        (name, constant.value.mid)
        for name, constant in sorted(profile.constants.items())
        if _fitted(name, constant)
    )


def _fitted(name: str, constant: Constant) -> bool:
    bound = name.endswith("error_factor")
    logged = FROM_LOGS.search(constant.source.title) is not None
    return logged and constant.status is not Status.CODE and not bound and name not in DISCRETE


def changed(profile: RuntimeProfile, values: Values) -> RuntimeProfile:
    """Return the profile with other middle values of its fitted constants."""
    constants = {
        name: replace(constant, value=_point(values[name, constant.value.mid]))
        if _fitted(name, constant)
        else constant
        for name, constant in profile.constants.items()
    }
    return replace(profile, constants=constants)


def _point(value: float) -> Interval:
    return Interval(value, value, value)


def rows_of(engine: FitEngine, report: AccuracyReport) -> list[Row]:
    """List the undisputed figures that fitted constants explain."""
    runs = {
        run.id: LoggedRun(engine, source.id, run)
        for source in engine.catalog.measurements.values()
        for run in source.runs
    }
    places = {key: _place(source) for key, source in engine.catalog.measurements.items()}
    return [
        Row(runs[one.origin.run], one.quantity, one.measured, places[one.origin.source])
        for one in report.comparisons
        if one.quantity in LINES and not one.disputed
    ]


def _place(source: Measurements) -> str:
    """The repository of a source, or its own id where its address is not known."""
    found = re.match(r"https://github\.com/[^/]+/[^/]+", source.sources[0].url)
    return found[0] if found else source.id


@click.command()
@click.option("--project", type=EXISTING, default=Path(), help="Folder that holds catalog/.")
def main(project: Path) -> None:
    """Print errors of constants that have and have not seen the source."""
    engine = FitEngine(parse_catalog(read_project(project).catalog))
    report = accuracy(engine)
    rows = rows_of(engine, report)
    refit = Refit(rows)
    seen = refit.fit(rows)
    held_out: dict[int, float] = {}
    sources = sorted({row.source for row in rows})
    for source in sources:
        others = [row for row in rows if row.source != source]
        values = refit.fit(others)
        held_out |= {
            i: refit.predict(row, values)
            for i, row in enumerate(rows)
            if row.source == source and refit.known(row, others)
        }
    for line in lines(report, rows, [refit.predict(row, seen) for row in rows], held_out):
        click.echo(line)
    click.echo(f"{len(sources)} sources, {len(rows)} figures, {len(refit.keys)} constants:")
    for (name, value), found in seen.items():
        click.echo(f"  {name}: catalog {value:g}, fitted anew {found:.4g}")


def lines(
    report: AccuracyReport,
    rows: Sequence[Row],
    fitted: Sequence[float],
    held_out: Mapping[int, float],
) -> Iterable[str]:
    """Yield the table: median and 95th percentile of errors, in the catalog, seen, held out."""
    heads = "figures | sources | catalog | fitted on all | held out | held out, p95 | one source"
    yield f"| quantity | {heads} |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for quantity in LINES:
        at = [i for i, row in enumerate(rows) if row.quantity is quantity]
        today = [c for c in report.comparisons if c.quantity is quantity and not c.disputed]
        known = [abs(c.error) for c in today]
        seen = [_off(fitted[i], rows[i]) for i in at]
        unseen = [_off(held_out[i], rows[i]) for i in at if i in held_out]
        yield (
            f"| {quantity.value} | {len(at)} | {len({rows[i].source for i in at})} "
            f"| {_share(known, 0.5)} | {_share(seen, 0.5)} | {_share(unseen, 0.5)} "
            f"| {_share(unseen, 0.95)} | {len(at) - len(unseen)} |"
        )
    for quantity in EXACT:
        same = [c for c in report.comparisons if c.quantity is quantity and not c.disputed]
        yield _exact_line(quantity, same)
    yield ""


def _exact_line(quantity: LoggedQuantity, found: Sequence[Comparison]) -> str:
    errors = [abs(one.error) for one in found]
    middle, sources = _share(errors, 0.5), len({one.origin.source for one in found})
    return (
        f"| {quantity.value} (no constant) | {len(found)} | {sources} | {middle} | {middle} "
        f"| {middle} | {_share(errors, 0.95)} | |"
    )


def _off(predicted: float, row: Row) -> float:
    return abs(predicted / row.measured - 1)


def _share(errors: Iterable[float], share: float) -> str:
    return f"{quantile(sorted((error, 1.0) for error in errors), share):.2%}"


if __name__ == "__main__":
    main()

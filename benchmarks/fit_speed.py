"""Fit the speed constants to `catalog/benchmarks/` and write them to `catalog/assumptions/`.

Run as ``python -m benchmarks.fit_speed [--report]``. The same runs give the same records. With
``--report`` it also predicts every run by fits that have not seen its group, and by fits that have
not seen its source, and prints the tables of `benchmarks/README.md`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.speeds import held_out, records
from benchmarks.speeds.fitting import fitted, observations
from benchmarks.speeds.held_out import Judged
from benchmarks.speeds.spreads import spreads
from sitegen.catalog.load import parse_catalog
from sitegen.inputs import read_project

HEAD = (
    "| | runs | median error | p80 | p95 | inside low–high | high ÷ low |\n"
    "|---|---:|---:|---:|---:|---:|---:|"
)


def main(*, report: bool) -> None:
    """Fit, judge without what is judged, and write."""
    catalog = parse_catalog(read_project(Path.cwd()).catalog)
    seen = observations(catalog)
    fit = fitted(seen)
    judged, others = held_out.held_out(seen, catalog.assumptions, held_out.by_group)
    folder = Path("catalog/assumptions")
    count = records.write(folder, fit, spreads(fit, seen), seen, others)
    print(f"{count} constants from {len(seen)} figures")
    if report:
        _print("held out by group", judged)
        _print("held out by source", held_out.held_out(
            seen, catalog.assumptions, held_out.by_source
        )[0])  # fmt: skip


def _hardware(one: Judged) -> str:
    gpu = one.one.case.path.stages[0].device.gpu
    return f"{gpu.vendor.value} {gpu.segment}"


KEYS: tuple[tuple[str, Callable[[Judged], str]], ...] = (
    ("", lambda _: "all"),
    ("quantity", lambda one: one.one.timing.quantity),
    ("runtime", lambda one: one.one.case.run.subject.runtime),
    ("family and quantity", lambda one: f"{one.one.case.path.family} {one.one.timing.quantity}"),
    ("hardware", _hardware),
)


def _print(title: str, judged: list[Judged]) -> None:
    for name, key in KEYS:
        print(f"\n{title}, by {name or 'nothing'}\n{HEAD}")
        print("\n".join(held_out.table(judged, key)))
    worst = sorted(judged, key=lambda one: -max(one.mid / one.one.timing.measured,
                                                one.one.timing.measured / one.mid))  # fmt: skip
    print(f"\n{title}, the worst twenty")
    for one in worst[:20]:
        case = one.one.case
        print(f"| {case.run.id} | {one.one.timing.quantity} | {case.model.id} "
              f"| {one.one.timing.measured:g} | {one.mid:.3g} |")  # fmt: skip


if __name__ == "__main__":
    main(report="--report" in sys.argv)

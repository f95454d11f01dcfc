"""Fit the speed constants to `catalog/benchmarks/` and write them to `catalog/assumptions/`.

Run as ``python -m benchmarks.fit_speed [--report]``. The same runs give the same records. With
``--report`` it also predicts every run by fits that have not seen its group, and by fits that have
not seen its owner, and prints the tables of `benchmarks/README.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import click

from benchmarks.speeds import floor, held_out, records
from benchmarks.speeds.fitting import observations, setting_widths
from benchmarks.speeds.held_out import Judged
from benchmarks.speeds.search import fitted
from benchmarks.speeds.spreads import calibrated, quantity_of, spreads
from sitegen.catalog.load import parse_catalog
from sitegen.inputs import read_project

HEAD = (
    "| | rows | votes | median error | of votes | p80 | inside low–high | of votes | high ÷ low |\n"
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
)

FLOOR_HEAD = "| | rows | votes | median error | of votes | p80 |\n|---|---:|---:|---:|---:|---:|"


@click.command()
@click.option("--report", is_flag=True, help="Also print the errors of what a fit has not seen.")
def main(*, report: bool) -> None:
    """Fit the speed constants, judge without what is judged, and write the records."""
    catalog = parse_catalog(read_project(Path.cwd()).catalog)
    seen = observations(catalog)
    fit = fitted(seen)
    widths, others = calibrated(seen, fit, setting_widths(catalog))
    folder = Path("catalog/assumptions")
    count = records.write(folder, fit, spreads(fit, seen, widths), seen, others)
    print(f"{count} constants from {len(seen)} figures")
    for (quantity, known), width in widths.by.items():
        print(f"half-width of {quantity}, {known}: {width:.2f}")
    if report:
        print("\nother sources of the very same configuration\n" + FLOOR_HEAD)
        print("\n".join(floor.table(seen)))
        by_seed: dict[int, list[Judged]] = {}
        for seed in held_out.SEEDS:
            by_seed |= held_out.held_out("owner", (seed,))
            _print_seed("held out by owner", seed, by_seed[seed])
        _print("held out by owner", by_seed)
        by_group = held_out.held_out("group", held_out.SEEDS[:1])
        for seed, judged in by_group.items():
            _print_seed("held out by group", seed, judged)


def _hardware(one: Judged) -> str:
    gpu = one.one.case.path.stages[0].slowest.gpu
    return f"{gpu.vendor.value} {gpu.segment}"


def _knew(one: Judged) -> str:
    return f"{quantity_of(one.one)}, {'stranger' if one.one.case.run.stranger else 'known'}"


KEYS: tuple[tuple[str, Callable[[Judged], str]], ...] = (
    ("", lambda _: "all"),
    ("quantity", lambda one: one.one.timing.quantity),
    ("runtime", lambda one: one.one.case.run.subject.runtime),
    ("family and quantity", lambda one: f"{one.one.case.path.family} {one.one.timing.quantity}"),
    ("hardware", _hardware),
    ("quantity and hardware", lambda one: f"{quantity_of(one.one)}, {_hardware(one)}"),
    ("quantity and who knew it", _knew),
    ("source", lambda one: one.one.case.source),
)


def _print_seed(title: str, seed: int, judged: list[Judged]) -> None:
    print(f"\n{title}, seed {seed}\n{HEAD}")
    print("\n".join(held_out.table(judged, lambda _: "all")))
    print("\n".join(held_out.table(judged, lambda one: one.one.timing.quantity)))


def _print(title: str, by_seed: Mapping[int, list[Judged]]) -> None:
    every = [one for judged in by_seed.values() for one in judged]
    for name, key in KEYS:
        print(f"\n{title}, all seeds, by {name or 'nothing'}\n{HEAD}")
        print("\n".join(held_out.table(every, key)))
    first = next(iter(by_seed.values()))
    worst = sorted(first, key=lambda one: -max(one.mid / one.one.timing.measured,
                                               one.one.timing.measured / one.mid))  # fmt: skip
    print(f"\n{title}, the worst twenty")
    for one in worst[:20]:
        case = one.one.case
        print(f"| {case.run.id} | {one.one.timing.quantity} | {case.model.id} "
              f"| {one.one.timing.measured:g} | {one.mid:.3g} |")  # fmt: skip


if __name__ == "__main__":
    main()

"""Prints how far computed file sizes are from published ones.

Run as ``python -m benchmarks.file_sizes MEASUREMENTS [--all]``.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from benchmarks.accuracy.file_sizes import SizeComparison, SizeSkipped, compare, ordered
from benchmarks.measurements.world import read_world
from sitegen.units import GB

FILE = "published-file-sizes.jsonl"
GOAL = 0.003
"""Median error of GGUF files that the project set out to reach."""
SHOWN = 25

EXISTING = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.argument("measurements", type=EXISTING)
@click.option("--project", type=EXISTING, default=Path(), help="Folder that holds catalog/.")
@click.option("--all", "everything", is_flag=True, help="List every row, not the farthest only.")
def main(measurements: Path, project: Path, *, everything: bool) -> None:
    """Compare the published file sizes under MEASUREMENTS with computed ones."""
    path = measurements / FILE
    if not path.is_file():
        click.echo(f"{path} is missing", err=True)
        sys.exit(2)
    world = read_world(project)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    results = [compare(world, row) for row in rows]
    compared = [r for r in results if isinstance(r, SizeComparison)]
    skipped = [r for r in results if isinstance(r, SizeSkipped)]
    most = len(rows) if everything else SHOWN
    for line in (*table(compared, skipped), *farthest(compared, most)):
        click.echo(line)


def table(compared: Sequence[SizeComparison], skipped: Sequence[SizeSkipped]) -> Iterator[str]:
    """Yield coverage and errors per format and unit."""
    yield "| format | unit | compared | median | p95 | inside rounding |"
    yield "|---|---|---:|---:|---:|---:|"
    groups = sorted({("gguf", "all"), *((c.format, c.unit) for c in compared)})
    for form, unit in groups:
        mine = [c for c in compared if c.format == form and unit in {c.unit, "all"}]
        errors = sorted(abs(c.error) for c in mine)
        if errors:
            p95 = errors[min(len(errors) - 1, int(0.95 * len(errors)))]
            inside = sum(c.inside_rounding for c in mine)
            middle = statistics.median(errors)
            yield f"| {form} | {unit} | {len(mine)} | {middle:.2%} | {p95:.2%} | {inside} |"
    yield ""
    yield "| format | left out because | rows |"
    yield "|---|---|---:|"
    for (form, reason), count in Counter((s.format, s.reason) for s in skipped).most_common():
        yield f"| {form} | {reason} | {count} |"
    errors = [abs(c.error) for c in compared if c.format == "gguf"]
    verdict = "met" if errors and statistics.median(errors) <= GOAL else "missed"
    yield ""
    yield f"Goal for GGUF files: a median of at most {GOAL:.1%}: {verdict}."
    yield ""


def farthest(compared: Sequence[SizeComparison], most: int) -> Iterator[str]:
    """Yield the rows whose computed size is farthest off."""
    yield "| record | model | file | published GB | error |"
    yield "|---|---|---|---:|---:|"
    for one in ordered(iter(compared))[:most]:
        size = f"{one.published / GB:.3f}"
        file = f"{one.format} {one.quant}"
        yield f"| {one.record} | {one.model} | {file} | {size} | {one.error:+.2%} |"


if __name__ == "__main__":
    main()

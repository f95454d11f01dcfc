"""Prints what a whole build costs, stage by stage: the real catalog and made-up larger ones.

Run as ``python -m benchmarks.build_speed [--combos 100 --combos 1000] [--jobs N]``.
"""

from __future__ import annotations

import gc
import os
import resource
import time
from pathlib import Path

import click

from benchmarks.synthetic import with_combos
from sitegen.catalog.load import parse_catalog
from sitegen.inputs import ProjectFiles, read_project
from sitegen.pipeline.building import build
from sitegen.pipeline.garbage import collector_paused

EXISTING = click.Path(exists=True, file_okay=False, path_type=Path)
SIZES = (100, 1_000)
PROCESSORS = os.cpu_count() or 1
STAGES = ("parse", "survey", "collect", "render", "finish")


@click.command()
@click.option("--combos", type=int, multiple=True, default=SIZES, help="Made-up catalogs.")
@click.option("--jobs", type=click.IntRange(1, 64), default=PROCESSORS, help="Processes.")
@click.option("--project", type=EXISTING, default=Path(), help="Folder that holds catalog/.")
def main(combos: tuple[int, ...], jobs: int, project: Path) -> None:
    """Time builds in memory; nothing is published."""
    real = read_project(project)
    catalog = parse_catalog(real.catalog)
    click.echo(f"Seconds with {jobs} processes:")
    click.echo(
        _row(
            [
                "catalog",
                "combos",
                "models",
                "pages",
                "MB",
                *STAGES,
                "whole",
                "processor",
                "peak MiB",
            ]
        )
    )
    click.echo(_row(["---", *["---:"] * (len(STAGES) + 7)]))
    click.echo(measured("real", real, jobs))
    for size in combos:
        click.echo(measured(f"{size:,} combos", with_combos(real, catalog, size), jobs))


def measured(name: str, files: ProjectFiles, jobs: int) -> str:
    """Build once and return a row of the table; memory is the most of any process so far."""
    gc.collect()
    used, started = _processor_seconds(), time.perf_counter()
    with collector_paused():  # as the command does
        result = build(files, clock=time.perf_counter, jobs=jobs)
    whole, used = time.perf_counter() - started, _processor_seconds() - used
    size = sum(len(content) for content in result.files.values())
    peak = max(
        resource.getrusage(who).ru_maxrss // 1024
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    counts = [len(result.catalog.combos), len(result.catalog.models), len(result.site.pages)]
    stages = [f"{result.timings[stage]:.1f}" for stage in STAGES]
    cells = [name, *(f"{n:,}" for n in counts), f"{size / 1e6:.0f}", *stages]
    return _row([*cells, f"{whole:.1f}", f"{used:.1f}", f"{peak:,}"])


def _processor_seconds() -> float:
    """Time that this process and its ended children computed; other programs do not add to it."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()

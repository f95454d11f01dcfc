"""Prints how far the engine's memory figures are from what others logged.

Run as ``python -m benchmarks.memory_accuracy``: the records are those of the catalog, the
comparison is the one that the site publishes.
"""

from __future__ import annotations

import time
from pathlib import Path

import click

from benchmarks.accuracy.report import lines
from sitegen.catalog.load import parse_catalog
from sitegen.fit.fit_engine import FitEngine
from sitegen.inputs import read_project
from sitegen.published.accuracy.report import accuracy

EXISTING = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.option("--project", type=EXISTING, default=Path(), help="Folder that holds catalog/.")
@click.option("--collection", type=EXISTING, help="Folder of raw logs, to count them.")
def main(project: Path, collection: Path | None) -> None:
    """Compare the catalog's measurements with the engine."""
    catalog = parse_catalog(read_project(project).catalog)
    started = time.perf_counter()
    report = accuracy(FitEngine(catalog))
    took = time.perf_counter() - started
    for line in lines(report):
        click.echo(line)
    click.echo(f"compared in {took:.2f} s")
    if collection is not None:
        for path in sorted(collection.glob("*-memory-logs.jsonl")):
            logs = len(path.read_text(encoding="utf-8").splitlines())
            click.echo(f"{path.name}: {logs} logs")


if __name__ == "__main__":
    main()

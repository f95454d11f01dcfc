"""Prints how far the engine's memory figures are from what others logged.

Run as ``python -m benchmarks.memory_accuracy MEASUREMENTS [--configs FOLDER]``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.accuracy import layer_split, serving
from benchmarks.accuracy.report import lines
from benchmarks.accuracy.results import Result
from benchmarks.accuracy.world import World, read_world
from sitegen.engine.fit_engine import FitEngine

Compare = Callable[[FitEngine, World, Mapping[str, Any]], Iterator[Result]]

FILES: Mapping[str, Compare] = {
    "serving-memory-logs.jsonl": serving.compare,
    "llamacpp-memory-logs.jsonl": layer_split.compare,
}
"""Files of measurements, one JSON object a line, and who understands them."""

EXISTING = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.argument("measurements", type=EXISTING)
@click.option("--configs", type=EXISTING, help="Folder of model configs, one JSON file each.")
@click.option("--project", type=EXISTING, default=Path(), help="Folder that holds catalog/.")
def main(measurements: Path, configs: Path | None, project: Path) -> None:
    """Compare the records under MEASUREMENTS with the engine."""
    world = read_world(project, configs)
    engine = FitEngine(world.catalog)
    for name, compare in FILES.items():
        records = [json.loads(line) for line in _lines(measurements / name)]
        results = [result for record in records for result in compare(engine, world, record)]
        for line in lines(name, len(records), results):
            click.echo(line)


def _lines(path: Path) -> list[str]:
    if not path.is_file():
        click.echo(f"{path} is missing", err=True)
        sys.exit(2)
    return path.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    main()

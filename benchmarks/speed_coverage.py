"""Count which published speed figures are judged, and why the others are not.

Run as ``python -m benchmarks.speed_coverage MEASUREMENTS``, the folder that holds
``speeds.jsonl``. Only rows count that name model, quantization, runtime, GPUs and streams; such a
row is judged where at least one of its rates stands beside an estimate that counts.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import parse_catalog
from sitegen.inputs import read_project
from sitegen.published.accuracy.speed import compare_speeds

EXISTING = click.Path(exists=True, file_okay=False, path_type=Path)
FIRST_ROWS = 1_527
"""Rows of the collection before it grew: what stands behind them is new."""
NAMED = ("model", "quant", "runtime", "hardware")
NO_GPU = re.compile(r"(?<!core )cpu\b|raspberry|highcpu", re.IGNORECASE)
"""Hardware of which some or all is a processor."""
UNSTATED = "The source does not state the quantization."
SPECIFIC = re.compile(
    r"(such GPU|shape of|runtime|recipe for|of type|patched build|decoding|stated size).*"
)
"""Reasons that name what they are about; a table counts them by what they share."""


@click.command()
@click.argument("measurements", type=EXISTING)
@click.option("--names", is_flag=True, help="Name every row that is not judged.")
def main(measurements: Path, names: bool) -> None:
    """Print how many rows are judged, the first ones and the new ones apart."""
    lines = (measurements / "speeds.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    catalog = parse_catalog(read_project(Path()).catalog)
    why = reasons(catalog)
    for word, some in (("first", rows[:FIRST_ROWS]), ("new", rows[FIRST_ROWS:])):
        asked = [row for row in some if says_enough(row, why)]
        missed = [row for row in asked if why[row["id"].lower()]]
        share = 1 - len(missed) / len(asked) if asked else 0
        judged = len(asked) - len(missed)
        click.echo(f"{word}: {judged} of {len(asked)} judged ({share:.0%}), {len(some)} rows")
        for reason, count in counted(why[row["id"].lower()] for row in missed):
            click.echo(f"{count:5} {reason}")
        for row in missed if names else ():
            click.echo(f"      {row['id']} {row['runtime']}, {row['model']}, {row['quant']}")


def says_enough(row: Mapping[str, Any], why: Mapping[str, str]) -> bool:
    """Whether a row names model, quantization, runtime, GPUs and streams.

    >>> row = {"id": "a", "model": "b", "quant": "c", "runtime": "d", "concurrency": 1}
    >>> says_enough({**row, "hardware": "4x Raspberry Pi 5 (CPU)"}, {"a": ""})
    False
    >>> says_enough({**row, "hardware": "Apple M1"}, {"a": ""})
    True
    """
    named = all(row.get(key) for key in NAMED) and row.get("concurrency") is not None
    ran_on_gpus = row.get("gpus_total") != 0 and not NO_GPU.search(row.get("hardware") or "")
    return named and ran_on_gpus and why[row["id"].lower()] != UNSTATED


def reasons(catalog: Catalog) -> dict[str, str]:
    """Say of every row of the catalog why it is not judged, empty where it is."""
    found = {one.id: one.reason for page in catalog.benchmarks.values() for one in page.left_out}
    report = compare_speeds(catalog)
    found |= {one.run: one.reason for one in report.unpredicted}
    found |= {one.run: one.note for one in report.comparisons if one.note}
    return found | {one.run: "" for one in report.judged}


def counted(every: Iterable[str]) -> list[tuple[str, int]]:
    """Count reasons by what they share, most frequent first."""
    return Counter(SPECIFIC.sub(r"\1 …", one) for one in every).most_common()


if __name__ == "__main__":
    main()

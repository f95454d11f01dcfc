"""Print how far the engine was off for rows that it had never seen.

Run as ``python -m benchmarks.strangers``: the records in ``benchmarks/strangers/`` together, and
the same for those of their rows that are strangers still, asked anew. Rows are strangers as long
as their records say so: no constant rests on them. ``--write DAY --before FOLDER`` makes a record
of the runs that this catalog has and the one in FOLDER has not: its constants must be the same.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from benchmarks.strangers import rows as record
from benchmarks.strangers.predict import digest, rows_of, strangers_of
from benchmarks.strangers.rows import Record, Row
from benchmarks.strangers.tables import lines
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import parse_catalog
from sitegen.inputs import read_project

EXISTING = click.Path(exists=True, file_okay=False, path_type=Path)


def _catalog(project: Path) -> Catalog:
    return parse_catalog(read_project(project).catalog)


@click.command()
@click.option("--write", "day", help="Make a record of this day; words after it name the file.")
@click.option("--before", type=EXISTING, help="Project whose catalog the engine had seen.")
def main(day: str | None, before: Path | None) -> None:
    """Print the tables of all records, or make one."""
    catalog = _catalog(Path())
    if day is not None:
        if before is None:
            raise click.UsageError("--write needs --before")
        _write(catalog, _catalog(before), day)
    rows: list[Row] = []
    left_out: Counter[str] = Counter()
    for path in record.paths():
        found = record.read(path)
        rows += found.rows
        left_out.update(found.left_out)
        click.echo(f"{len(found.rows)} figures and outcomes, predicted on {found.day}")
    click.echo("\nAs they were predicted, before any fit:\n")
    for line in lines(rows):
        click.echo(line)
    for reason, count in sorted(left_out.items(), key=lambda one: (-one[1], one[0])):
        click.echo(f"{count:4} not compared: {reason}")
    _again(catalog, rows)


def _write(catalog: Catalog, seen: Catalog, day: str) -> None:
    if digest(catalog) != digest(seen):
        raise click.UsageError("the constants are others: these rows may have been seen")
    rows, uncompared = rows_of(catalog, seen)
    record.write(
        record.FOLDER / f"{day}.jsonl",
        Record(day[: len("2026-11-23")], digest(seen), tuple(rows), dict(uncompared)),
    )


def _again(catalog: Catalog, predicted: list[Row]) -> None:
    still = strangers_of(catalog)
    asked = {(row.run, row.kind) for row in predicted if row.run in still}
    rows = [row for row in rows_of(catalog)[0] if (row.run, row.kind) in asked]
    click.echo(f"\n{len(rows)} of them are strangers still; today's engine says of them:\n")
    for line in lines(rows):
        click.echo(line)


if __name__ == "__main__":
    main()

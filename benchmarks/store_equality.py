"""Builds a small project with and without memory after hundreds of edits, and compares the bytes.

Run as ``python -m benchmarks.store_equality [--edits 200] [--seed 19]``.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

import click

from sitegen.pipeline.memory import Past
from sitegen.store import code_digest, open_store
from tests.cli.small_project import small_project
from tests.pipeline.random_edits import differing, edits, is_broken


@click.command()
@click.option("--edits", "count", type=click.IntRange(1), default=200, help="Edits in a row.")
@click.option("--seed", type=int, default=19, help="Which edits.")
def main(count: int, seed: int) -> None:
    """Say how many edits of each kind were compared; fail at the first that differs."""
    done: Counter[str] = Counter()
    built = 0
    with tempfile.TemporaryDirectory() as folder:
        root = small_project(Path(folder) / "project")
        store = open_store(Path(folder) / "store")
        if store is None:
            sys.exit("no store can be made here")
        past = Past(store, code_digest())
        for edit in edits(root, seed, count):
            different = differing(root, past)
            if different:
                sys.exit(f"after {edit}: {len(different)} files differ, such as {different[0]}")
            done[edit.what] += 1
            built += not is_broken(root)
    for what, times in sorted(done.items()):
        click.echo(f"{what:<14} {times:>5}")
    click.echo(f"{count} edits, every outcome equal with and without memory; {built} were sites")


if __name__ == "__main__":
    main()

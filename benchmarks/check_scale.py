"""How time and memory of a check grow with the catalog: made-up combos, up to ten thousand.

Each size is a project in a folder of its own, checked by a process of its own, as an editor would::

    python -m benchmarks.check_scale 1000 10000
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

from benchmarks.synthetic import with_combos
from sitegen.catalog.load import parse_catalog
from sitegen.inputs import ProjectFiles, read_project

ROOT = Path(__file__).parents[1]


def written(project: ProjectFiles, folder: Path) -> Path:
    """Write the files of a project."""
    for path, text in (*project.catalog.items(), *project.content.items()):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (folder / "templates").mkdir(exist_ok=True)
    return folder


@click.command()
@click.argument("sizes", nargs=-1, type=click.IntRange(1), required=True)
def main(sizes: tuple[int, ...]) -> None:
    """Check projects of several sizes; print seconds, memory and the last words."""
    real = read_project(ROOT)
    catalog = parse_catalog(real.catalog)
    for size in sizes:
        with tempfile.TemporaryDirectory() as scratch:
            root = written(with_combos(real, catalog, size), Path(scratch))
            started = time.perf_counter()
            with (root / "said.txt").open("w+", encoding="utf-8") as said:
                child = subprocess.Popen(
                    [sys.executable, "-m", "sitegen", "--root", root, "check"],
                    cwd=ROOT, stdout=said, stderr=subprocess.STDOUT,
                )  # fmt: skip
                _, status, used = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
                said.seek(0)
                last = said.read().strip().splitlines()[-1]
            seconds = time.perf_counter() - started
            processor = used.ru_utime + used.ru_stime
            click.echo(
                f"{size:,} combos: {seconds:.1f} s, {processor:.1f} s of processor, "
                f"{used.ru_maxrss // 1024:,} MiB, status {child.returncode}: {last}"
            )


if __name__ == "__main__":
    main()

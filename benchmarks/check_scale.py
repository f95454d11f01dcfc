"""How time and memory of a check grow with the catalog: made-up combos, up to ten thousand.

Each size is a project in a folder of its own, checked by a process of its own, as an editor would::

    python -m benchmarks.check_scale 1000 10000
"""

from __future__ import annotations

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
MEASURE = """
import resource, sys
from sitegen.cli import main
try:
    main(sys.argv[1:])
finally:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak {peak // 1024} MiB", file=sys.stderr)
"""


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
            done = subprocess.run(
                [sys.executable, "-c", MEASURE, "--root", root, "check"],
                cwd=ROOT, capture_output=True, text=True, check=False,
            )  # fmt: skip
            seconds = time.perf_counter() - started
            said = (done.stdout + done.stderr).strip().splitlines()[-2:]
            click.echo(f"{size:,} combos: {seconds:.1f} s, status {done.returncode}, {said}")


if __name__ == "__main__":
    main()

"""What the command costs cold, again without a change, and after one edit of each of four kinds.

Run as ``python -m benchmarks.build_again [--combos 96 --combos 400] [--models 24]``: projects cut
down to so many models are written to a folder and built there by ``sitegen build``, each with a
store of its own. Processor time does not depend on what else a machine does; memory is the most
that any one process of the build had.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from benchmarks.synthetic import cut_down, write
from sitegen.inputs import read_project

EXISTING = click.Path(exists=True, file_okay=False, path_type=Path)
PRICE = r"(?<=kind: used\n    amount: )\d+"
COMBO = "catalog/combos/synthetic-0001.yaml"


def runs(root: Path) -> Iterator[str]:
    """Edit a project, and yield the name of each edit when it is made."""
    yield "cold"
    yield "no change"
    gpus = [path for path in sorted((root / "catalog/gpus").glob("*.yaml")) if _price(path)]
    combos = "".join(path.read_text() for path in (root / "catalog/combos").glob("*.yaml"))
    shown = next(path for path in gpus if f'"{path.stem}"' in combos)
    _sub(shown, PRICE, _dearer)
    yield "a price that combos show"
    alone = next((path for path in gpus if f'"{path.stem}"' not in combos), None)
    if alone is not None:
        _sub(alone, PRICE, _dearer)
        yield "a price of a GPU alone"
    _sub(root / "content/guides/a-guide.md", "Text of", "Other text of")
    yield "a guide"
    combo = root / COMBO
    twin = combo.with_name("synthetic-twin.yaml")
    twin.write_text(combo.read_text().replace('"name": "', '"name": "Another '))
    yield "a new combo"


def _price(path: Path) -> bool:
    return re.search(PRICE, path.read_text()) is not None


def _dearer(amount: re.Match[str]) -> str:
    return str(int(amount[0]) + 1)


def _sub(path: Path, pattern: str, put: str | Callable[[re.Match[str]], str]) -> None:
    text, found = re.subn(pattern, put, path.read_text(), count=1)
    if not found:
        raise RuntimeError(f"nothing to edit in {path}")
    path.write_text(text)


def built(root: Path, jobs: int) -> tuple[float, float, float]:
    """Build; return seconds, processor seconds, and the most MiB of a process."""
    command = [sys.executable, "-m", "sitegen", "--quiet", "--root", str(root), "build"]
    environment = {**os.environ, "SITEGEN_CACHE": str(root / ".sitegen-cache")}
    started = time.perf_counter()
    number = os.posix_spawn(sys.executable, [*command, "--jobs", str(jobs)], environment)
    _, status, used = os.wait4(number, 0)
    seconds = time.perf_counter() - started
    if status:
        raise RuntimeError(f"the build ended with {os.waitstatus_to_exitcode(status)}")
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


@click.command()
@click.option("--combos", type=int, multiple=True, default=(96, 400), help="Made-up catalogs.")
@click.option("--models", type=int, default=24, help="Models in each.")
@click.option("--jobs", type=click.IntRange(1, 64), default=os.cpu_count() or 1, help="Processes.")
@click.option("--project", type=EXISTING, default=Path(), help="Folder that holds catalog/.")
@click.option("--keep", type=click.Path(path_type=Path), help="Folder to leave the projects in.")
def main(combos: tuple[int, ...], models: int, jobs: int, project: Path, keep: Path | None) -> None:
    """Print a table."""
    real = read_project(project)
    click.echo("| combos | build | seconds | processor | MiB |\n|---:|---|---:|---:|---:|")
    for count in combos:
        folder = keep or Path(tempfile.mkdtemp())
        root = folder / f"project-{count}"
        write(cut_down(real, count, models), root)
        for name in runs(root):
            seconds, processor, memory = built(root, jobs)
            cells = (f"{count:,}", name, f"{seconds:.1f}", f"{processor:.1f}", f"{memory:,.0f}")
            click.echo(f"| {' | '.join(cells)} |")
        if keep is None:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()

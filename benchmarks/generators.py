"""Times the site beside Hugo and Eleventy, which print the same words, tables and JSON.

    python -m benchmarks.generators --programs FOLDER [--rounds 3] [--edits 5]

The project is built, and what its pages say is read back into values. Hugo and Eleventy print
those by templates of their own (``benchmarks/generator_sites``): they are given the answers, while
sitegen judges, and makes more files. Rounds are interleaved. ``--programs`` is where the two lie;
what is missing there is installed into it by pip and npm, and nothing into the project. It needs
Linux. The exit status is 1 where a cell of a table or a JSON file is missing or another.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import click

from benchmarks.generator_sites.pages import SitePage
from benchmarks.generator_sites.projects import (
    COLD,
    GUIDE_URL,
    STEPS,
    Generator,
    Given,
    differences,
    eleventy,
    given_by,
    hugo,
    installed,
    ours,
)
from benchmarks.generator_sites.running import Cost, run, seconds_of_edits, served

EXISTING = click.Path(exists=True, file_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
SAME_FILES = ("index.html", "index.json")


@click.command()
@click.option("--programs", type=FOLDER, required=True, help="Where Hugo and Eleventy lie.")
@click.option("--project", type=EXISTING, default=Path(), help="Folder that holds catalog/.")
@click.option("--rounds", type=click.IntRange(1), default=3, help="Of all builds, interleaved.")
@click.option("--edits", type=click.IntRange(0), default=5, help="While each of them serves.")
def main(programs: Path, project: Path, rounds: int, edits: int) -> None:
    """Print tables: what builds cost, and how soon an edit is served."""
    programs.mkdir(parents=True, exist_ok=True)
    program, packages = installed(programs.resolve())
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        site = ours(work, project)
        given = given_by(site)
        every = [site, hugo(work, program, given), eleventy(work, packages, given)]
        click.echo(described(given))
        found, wrong = measured(every, given, rounds)
        click.echo(table_of(every, given, found))
        if edits:
            click.echo("\n| served | edits | median s | most s |\n|---|---:|---:|---:|")
        for one in every if edits else ():
            one.to_state(COLD)
            with served(one.serve, one.root, GUIDE_URL) as address:
                seconds = seconds_of_edits(address, one.edit, edits)
            click.echo(f"| {one.name} | {edits} | {median(seconds):.2f} | {max(seconds):.2f} |")
    for line in wrong:
        click.echo(line)
    click.echo(f"{len(wrong)} differences from the tables and the JSON that were given")
    sys.exit(1 if wrong else 0)


def described(given: Given) -> str:
    """Say how much there is to print."""
    cells = sum(page.cells for page in given.pages)
    results = [page for page in given.pages if page.result is not None]
    return (
        f"{len(given.pages):,} pages, {cells:,} cells of tables, {len(results):,} files of JSON; "
        f"the price moves {len(given.moved):,} pages\n"
    )


def measured(
    every: Sequence[Generator], given: Given, rounds: int
) -> tuple[Mapping[tuple[str, str], list[Cost]], list[str]]:
    """Build in turns, each in the same four states; name what the others print otherwise."""
    found: dict[tuple[str, str], list[Cost]] = {}
    wrong: list[str] = []
    for turn in range(rounds):
        for one in (*every[turn % len(every) :], *every[: turn % len(every)]):
            for step in STEPS:
                one.to_state(step)
                if step == COLD:
                    for path in one.remembered:
                        shutil.rmtree(path, ignore_errors=True)
                cost = run(one.build, one.root)
                click.echo(f"{one.name}, {step}: {cost}", err=True)
                found.setdefault((one.name, step), []).append(cost)
                if step == COLD and turn == 0 and one is not every[0]:
                    wrong += [f"{one.name}: {line}" for line in differences(one.out, given)]
    return found, wrong


def table_of(
    every: Sequence[Generator], given: Given, found: Mapping[tuple[str, str], list[Cost]]
) -> str:
    """Write the medians; of a cold build also what it wrote, and the processor's time for a MB."""
    heads = ["", "step", "s", "of the processor", "MiB", "MB", "pages and JSON", "processor, s/MB"]
    rows = [heads, ["---", "---", *["---:"] * 6]]
    for one in every:
        whole, same = written(one.out, given.pages)
        for step in STEPS:
            costs = found[one.name, step]
            seconds, used = median(c.seconds for c in costs), median(c.processor for c in costs)
            size = (f"{whole:.0f}", f"{same:.0f}", f"{used / whole:.3f}")
            rows.append(
                [
                    one.name,
                    step,
                    f"{seconds:.1f}",
                    f"{used:.1f}",
                    f"{max(c.mib for c in costs):,.0f}",
                    *(size if step == COLD else ("", "", "")),
                ]
            )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def written(out: Path, pages: Sequence[SitePage]) -> tuple[float, float]:
    """Return the MB of a site, and of the pages and JSON that all of them have."""
    whole = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    asked = (out / page.url.strip("/") / name for page in pages for name in SAME_FILES)
    same = sum(path.stat().st_size for path in asked if path.is_file())
    return whole / 1e6, same / 1e6


if __name__ == "__main__":
    main()

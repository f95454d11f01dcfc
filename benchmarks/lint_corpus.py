"""Holds the linter against files of public repositories: launches read, findings to look at.

``benchmarks/lint_corpus.json`` lists the files by repository, commit and path; their text is not
part of the project. Given a folder with clones (``OWNER+NAME/repo`` or ``OWNER+NAME``), launches
are counted by a pattern that knows nothing of the linter, each with whether the linter read it
(lines that only speak of a server are marked as ``none`` by hand), and findings are printed for
somebody to judge. The part of the list marked ``held_out`` was never looked at while the linter was
written; ``first`` and ``second`` are files of further repositories, drawn with a fixed seed from
all that the pattern finds a launch in, at most eight of a repository (fourteen in the second),
``third`` and ``fourth`` what else those repositories have, ``fifth`` to ``twenty_second`` files of
ever further ones, at most eight of each. Nobody had looked at them when they were drawn. What other
files of a repository pin counts for a file as it does for ``sitegen lint-command`` in a clone::

    python -m benchmarks.lint_corpus FOLDER
    python -m benchmarks.lint_corpus FOLDER --part seen --unread --findings
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

import click

from sitegen.catalog.load import parse_catalog
from sitegen.catalog.text.source_text import SourceText
from sitegen.fit.fit_engine import FitEngine
from sitegen.inputs import read_project
from sitegen.lint.facts import LintContext
from sitegen.lint.files import lint_scene
from sitegen.lint.manifests import FOLDERS, PAGES, Pins, pins_of, speaks_of_versions, together
from sitegen.lint.options import option_tables
from sitegen.lint.reading import read
from sitegen.lint.scene import FileModel
from sitegen.lint.snippets import Spot

ROOT = Path(__file__).parents[1]
LISTED = ROOT / "benchmarks" / "lint_corpus.json"
PROGRAM = re.compile(
    r"(?:(?<![\w-])vllm\s+serve|-m\s+vllm\.entrypoints\.(?:openai\.)?api_server"
    r"|-m\s+sglang\.launch_server|sglang\s+serve|(?<![\w.:@-])llama-server(?=\s+(?:-|\\|$))"
    r"|text-generation-launcher(?=\s+(?:-|\\|$))|trtllm-serve(?=\s)|mlx_lm\.server(?=\s)"
    r"|lmdeploy\s+serve\s+api_server|(?<![\w/-])ollama\s+(?:run|serve)(?=\s|$|[\"'])"
    r"|-m\s+dynamo\.(?:vllm|sglang|trtllm))(?![\w./])"
)
"""What starts a model, as people write it."""
IMAGE = re.compile(
    r"\S*(?:vllm-openai|lmsysorg/sglang|text-generation-inference|llama\.cpp:server|openmmlab/lmdeploy)"
    r"(?![\w-]*:\S*build)\S*"
)
PARTS = (
    "seen",
    "held_out",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
    "twenty_first",
    "twenty_second",
)
CODE = {"md", "mdx", "markdown"}


@dataclass(frozen=True)
class Listed:
    """A file of the corpus."""

    repository: str
    commit: str
    path: str
    date: str
    part: str
    none: tuple[int, ...] = ()
    """Lines in which the pattern finds what starts nothing, marked by hand: mentions, searches."""

    def text(self, folder: Path) -> str:
        """Read it out of a clone."""
        return _shown(self.clone(folder), f"{self.commit}:{self.path}").replace("\r\n", "\n")

    def clone(self, folder: Path) -> Path:
        """Return where the clone of its repository lies."""
        name = self.repository.replace("/", "+")
        return next(one for one in (folder / name / "repo", folder / name) if one.is_dir())

    def beside(self, folder: Path) -> dict[str, str]:
        """Return the versions that other files of the repository pin for it."""
        clone = self.clone(folder)
        above = {parent.as_posix() for parent in PurePosixPath(self.path).parents}
        return together(
            _pins(clone, self.commit, path)
            for path in _names(clone, self.commit)
            if path != self.path and _speaks_for(above, PurePosixPath(path))
        )


def _speaks_for(above: Collection[str], path: PurePosixPath) -> bool:
    """Whether a file may pin a version for one that lies in or under some folders."""
    if path.parent.as_posix() in above:
        return speaks_of_versions(path.name)
    return any(
        inside.name in (FOLDERS if inside == path.parent else PAGES)
        and inside.parent.as_posix() in above
        and speaks_of_versions(path.name, inside.name)
        for inside in path.parents
    )


def _shown(clone: Path, name: str) -> str:
    command = ["git", "-C", str(clone), "show", name]
    shown = subprocess.run(command, capture_output=True, check=True)
    return shown.stdout.decode("utf-8", "replace")


@cache
def _names(clone: Path, commit: str) -> tuple[str, ...]:
    command = ["git", "-C", str(clone), "ls-tree", "-r", "--name-only", "-z", commit]
    shown = subprocess.run(command, capture_output=True, check=True)
    return tuple(shown.stdout.decode("utf-8", "replace").rstrip("\0").split("\0"))


@cache
def _pins(clone: Path, commit: str, path: str) -> Pins:
    try:
        return pins_of(PurePosixPath(path).name, _shown(clone, f"{commit}:{path}"))
    except subprocess.CalledProcessError:  # a submodule, or a file that the clone lacks
        return frozenset()


def listed(part: str = "all") -> tuple[Listed, ...]:
    """Read the list, or one part of it."""
    return tuple(
        Listed(
            repository,
            about["commit"],
            path,
            about["read"],
            name,
            tuple(about.get("none", {}).get(path, ())),
        )
        for repository, about in json.loads(LISTED.read_text("utf-8")).items()
        for name in PARTS
        for path in about.get(name, ())
        if part in {"all", name}
    )


def launches(path: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each launch that the pattern finds, counted from 1."""
    suffix = path.rpartition(".")[2].lower()
    lines = text.split("\n")
    inside = suffix not in CODE
    for at, line in enumerate(lines, 1):
        if suffix in CODE and re.match(r"\s*(?:>\s*)?(?:```|~~~)", line):
            inside = not inside
            continue
        if not inside or re.match(r"\s*(?:[#>]|//|-? ?description:)", line):
            continue
        commented = line.partition(" #")[0]
        if PROGRAM.search(commented) and not re.search(r"\b(?:grep|pkill|which|echo)\b", commented):
            yield at, at
        elif IMAGE.search(commented) and suffix in {"yaml", "yml"}:
            yield from _container(lines, at)
        elif IMAGE.search(commented) and re.match(
            r"\s*[\w./-]*(?::\S*)?\s+--model", line[line.find(":") :]
        ):
            yield at, at


def _container(lines: list[str], at: int) -> Iterator[tuple[int, int]]:
    """Yield the lines of a container whose image starts the program with its arguments."""
    found = re.match(r"(\s*(?:- )?)image:", lines[at - 1])
    if found is None:
        return
    indent = len(found[1])
    first = last = at
    while last < len(lines) and (_indent(lines[last]) >= indent or not lines[last].strip()):
        last += 1
    while first > 1 and (_indent(lines[first - 2]) >= indent or not lines[first - 2].strip()):
        first -= 1
    block = "\n".join(lines[first - 1 : last])
    if re.search(r"--model|--tp|--num-shard|--served-model", block) and not PROGRAM.search(block):
        yield first, last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" ")) + 2 * line.lstrip().startswith("- ")


def spans(scene: FileModel) -> list[tuple[int, int]]:
    """List the lines from and to which the linter read a launch or a call."""
    text = scene.source.text

    def line(place: Spot) -> int:
        return text.count("\n", 0, place.snippet.index(place.index)) + 1

    found = [
        (
            line(Spot(snippet, call.command.start)),
            line(Spot(snippet, call.command.end)),
        )
        for snippet, call in scene.invocations
    ]
    return found + [(line(one.place), line(one.place)) for one in scene.launches]


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--part", type=click.Choice(["all", *PARTS]), default="all")
@click.option("--unread", is_flag=True, help="Print the launches that the linter did not read.")
@click.option("--findings", is_flag=True, help="Print what the linter reports.")
@click.option("--combo", default="", help="The hardware that all of it is held against.")
def main(folder: Path, part: str, combo: str, *, unread: bool, findings: bool) -> None:
    """Count launches, those that were read, and findings by code."""
    catalog = parse_catalog(read_project(ROOT).catalog)
    facts = LintContext(
        FitEngine(catalog), option_tables(), catalog.combos[combo] if combo else None
    )
    there: Counter[str] = Counter()
    read_of: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    files = unlisted = 0
    for one in listed(part):
        files += 1
        source = SourceText(one.path, one.text(folder))
        scene = read(source, facts.tables, beside=one.beside(folder))
        known = spans(scene)
        lines = source.text.split("\n")
        for first, last in launches(one.path, source.text):
            if first in one.none:
                continue
            there[one.repository] += 1
            if any(start <= last and first <= end for start, end in known):
                read_of[one.repository] += 1
            elif unread:
                click.echo(
                    f"not read: {one.repository} {one.path}:{first}: {lines[first - 1][:110]}"
                )
        linted = lint_scene(scene, facts)
        unlisted += len(linted.unlisted)
        for said in linted.unlisted if findings else ():
            click.echo(f"{one.repository} {said} (in no list)")
        for problem in linted.problems:
            codes[problem.code] += 1
            if findings:
                place = f"{one.repository} {one.path}:{problem.span.line}"
                click.echo(f"{place}: {problem.severity}[{problem.code}]: {problem.message}")
    for name in sorted(there):
        click.echo(f"{name}: {read_of[name]} of {there[name]} launches read")
    total, known_of = there.total(), read_of.total()
    click.echo(
        f"{files} files, {known_of} of {total} launches read ({known_of / max(1, total):.1%})"
    )
    click.echo(
        f"{codes.total()} findings: " + ", ".join(f"{c} {n}" for c, n in codes.most_common())
    )
    click.echo(f"{unlisted} options that no list has")


if __name__ == "__main__":
    main()

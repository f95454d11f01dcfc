"""What a folder says of itself."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.recipes.files import gigabytes
from sitegen.recipes.folder.machines import Machines
from sitegen.recipes.folder.preflight import disk_bytes, needed_programs
from sitegen.recipes.folder.settings import KEY, variables
from sitegen.recipes.folder.stages import Stage, placed, staged
from sitegen.recipes.recipe import Phase, Recipe


def readme(recipe: Recipe, machines: Machines, *, title: str, asked: str) -> str:
    """Write the words: what runs, what it needs, how to start it, what to look for."""
    return "\n".join(_lines(recipe, machines, title, asked)) + "\n"


def _lines(recipe: Recipe, machines: Machines, title: str, asked: str) -> Iterator[str]:
    yield f"# {title}"
    yield ""
    yield f"{recipe.name}; options as in {recipe.read_in}. Written by `{asked}`."
    yield ""
    if recipe.warnings:
        yield "## Before you start"
        yield ""
        yield from (f"- {one}" for one in recipe.warnings)
        yield ""
    yield "## Start"
    yield ""
    yield "```sh"
    if machines.total > 1:
        yield "NODE=1 ./run.sh   # on the first machine; NODE=2 on the second, and so on"
    else:
        yield "./run.sh"
    yield "```"
    yield ""
    yield (
        "The script checks whether the machine can run this (programs, disk, ports, driver, "
        "GPUs), installs the programs, downloads the files, starts the server, waits until it "
        "answers, and sends a test question. It does not repeat a step that has worked. "
        "`./run.sh check` only checks; `./run.sh stop` stops everything that it started."
    )
    yield ""
    yield f"It needs {gigabytes(disk_bytes(recipe))} of disk space and {_programs(recipe)}."
    yield ""
    yield "## Settings"
    yield ""
    yield "The script, docker compose and the systemd unit read them from `.env`."
    yield ""
    for name, (value, comment) in variables(recipe).items():
        made = "created by `./run.sh`; set it yourself if you use only docker compose or a unit"
        shown = made if name == KEY else f"`{value}`"
        yield f"- `{name}`: {shown}{f' ({comment})' if comment else ''}"
    yield ""
    yield from _steps(recipe)
    yield from _instead(recipe)
    yield "## Afterwards"
    yield ""
    log = next((f"step_{number}.log" for number, _, step in staged(recipe) if step.stays), "*.log")
    yield (
        f"`sitegen compare state/logs/{log} --combo {recipe.assessment.combo.id} --date DAY` "
        "compares "
        "the startup log with the prediction, and `--contribute` writes a record of it."
    )


def _programs(recipe: Recipe) -> str:
    return ", ".join(needed_programs(recipe)) or "no programs other than those that it installs"


def _steps(recipe: Recipe) -> Iterator[str]:
    yield "## What the script does"
    yield ""
    for number, stage, step in staged(recipe):
        if stage is Stage.STOP:
            continue
        where = f" ({step.where})" if step.where else ""
        yield f"{number}. {step.title}{where}"
        expected = (f"Expect: {step.expect}",) if step.expect else ()
        for words in (*step.note_paragraphs, *expected):
            yield f"   {words}"
    yield ""


def _instead(recipe: Recipe) -> Iterator[str]:
    found = [step for step in recipe.steps if step.phase is Phase.INSTEAD]
    if not found:
        return
    yield "## Another way to start it"
    yield ""
    for step in found:
        named = f"`{placed(step)}`" if step.file else ""
        place = f" Copy it to {step.file}." if step.file.startswith("/") else ""
        note = " ".join(step.note_paragraphs)
        yield f"- {step.title}{': ' if named else ''}{named}.{place} {note}".rstrip()
        if not step.file:
            yield "  ```sh"
            yield from (f"  {line}" for line in step.text.splitlines())
            yield "  ```"
    yield ""

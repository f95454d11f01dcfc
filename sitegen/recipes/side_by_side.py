"""Several models on one combo at once: the recipes of all of them as one, on ports of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import yaml

from sitegen.fit.assessment import Assessment
from sitegen.recipes import FORMS
from sitegen.recipes.files import LLAMA_CPP
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep, paragraphs
from sitegen.recipes.services import COMPOSE, compose_step
from sitegen.recipes.target import Target

PARTS = re.compile(r"\b(source|whole|work)\b")
"""Names of files that making a checkpoint leaves behind."""
BESIDE = re.compile(r"- \./(?!tool_chat_template)")
"""A file beside a compose file that each model has its own of, by the same name."""

BUILD = re.compile(r"(?<!ik_)llama\.cpp/build\b")
"""The folder in which llama.cpp is built, which GPUs of two makers cannot share."""


def side_by_side(shares: Sequence[Assessment]) -> Recipe | None:
    """Write how to run plans that share a combo; ``None`` where one of them has no form.

    The GPUs of the plans must be disjoint, as ``sitegen.survey.colocation`` places them.
    """
    parts = [_plain(found, at) for at, found in enumerate(shares)]
    written = [part for part in parts if part is not None]
    if not written or len(written) < len(parts):
        return None
    steps = _with_own_builds([_own(part, at) for at, part in enumerate(written, 1)])
    reads = dict.fromkeys(part.read_in for part in written)
    first = written[0]
    alone = len(reads) == 1
    return Recipe(
        "side-by-side",
        " and ".join(dict.fromkeys(part.name for part in written)),
        first.reads,
        first.version if alone else " and ".join(reads),
        first.assessment,
        tuple(dict.fromkeys(warning for part in written for warning in part.warnings)),
        (*_merged(written, steps), *_compose(written)),
        tuple(shares[1:]),
        store_bytes=sum(part.store_bytes for part in written),
    )


def _plain(assessment: Assessment, at: int) -> Recipe | None:
    target = Target.of(assessment, at)
    if target is None:
        return None
    recipes = (form(target) for form in FORMS)
    return next((one for one in recipes if one is not None and not one.front), None)


def _own(part: Recipe, number: int) -> list[RecipeStep]:
    """Give the variables and files of a recipe names of their own."""
    names = {step.file: _numbered(step.file, number) for step in part.steps if _relative(step)}
    return [_renamed(step, number, names) for step in part.steps if step.phase is not Phase.INSTEAD]


def _with_own_builds(parts: list[list[RecipeStep]]) -> list[list[RecipeStep]]:
    """Give each build of llama.cpp that differs from the first a folder of its own."""
    builds = [_build(own) for own in parts]
    first = next((one for one in builds if one), "")
    return [
        [_built_apart(step, at) for step in own] if builds[at - 1] not in {"", first} else own
        for at, own in enumerate(parts, 1)
    ]


def _build(own: Sequence[RecipeStep]) -> str:
    found = (step.text for step in own if step.phase is Phase.INSTALL and BUILD.search(step.text))
    return next(found, "")


def _built_apart(step: RecipeStep, number: int) -> RecipeStep:
    """Build from the source that is there already, and run what that build made."""
    text = step.text
    if step.phase is Phase.INSTALL and BUILD.search(text):
        text = "\n".join(line for line in text.splitlines() if line not in LLAMA_CPP)
    return replace(step, text=BUILD.sub(f"llama.cpp/build-{number}", text))


def _relative(step: RecipeStep) -> bool:
    return bool(step.file) and "/" not in step.file and step.file != COMPOSE


def _numbered(name: str, number: int) -> str:
    """Number a file from the second on: ``server.yml``, ``server-2.yml``."""
    stem, dot, suffix = name.partition(".")
    return name if number == 1 else f"{stem}-{number}{dot}{suffix}"


def _renamed(step: RecipeStep, number: int, names: dict[str, str]) -> RecipeStep:
    text = re.sub(r"\$MODEL\b", f"$MODEL_{number}", step.text)
    text = re.sub(r"^(# )?MODEL\b", rf"\1MODEL_{number}", text, flags=re.MULTILINE)
    if step.phase is Phase.FILES and step.language is Language.BASH and number > 1:
        text = PARTS.sub(rf"\1-{number}", text)
    for old, new in names.items():
        text = re.sub(rf"(?<![^\s']){re.escape(old)}(?![^\s'])", new, text)
    return replace(step, text=text, file=names.get(step.file, step.file))


STAGES = (Phase.INSTALL, Phase.FILES, Phase.START, Phase.VERIFY)
"""Stages of the whole, by the phase that opens them; what comes before a start is ``FILES``."""


def _merged(parts: Sequence[Recipe], steps: Sequence[list[RecipeStep]]) -> Iterator[RecipeStep]:
    """Put the stages of all recipes behind one another, what is the same only once."""
    yield from _settings([step for own in steps for step in own if step.phase is Phase.SETTINGS])
    written = set()
    for stage in STAGES:
        for part, own in zip(parts, steps, strict=True):
            for step in _of_stage(own, stage):
                if step not in written:
                    written.add(step)
                    shared = sum(other.count(step) for other in steps) > 1
                    yield step if shared else _titled(step, part)
    yield from dict.fromkeys(step for own in steps for step in own if step.phase is Phase.STOP)


def _of_stage(own: Sequence[RecipeStep], stage: Phase) -> Iterator[RecipeStep]:
    started = next(at for at, step in enumerate(own) if step.phase is Phase.START)
    for at, step in enumerate(own):
        found = step.phase
        early = found is Phase.VERIFY and at < started
        if early or found in {Phase.FILES, Phase.NETWORK, Phase.LIMIT}:
            found = Phase.FILES
        if found is stage:
            yield step


def _titled(step: RecipeStep, part: Recipe) -> RecipeStep:
    if step.phase is Phase.INSTALL:
        return step
    apart = "Use a separate shell." if step.phase is Phase.START else ""
    title = f"{step.title}: {part.assessment.model.name}"
    return replace(step, title=title, note=paragraphs(step.note, apart))


def _settings(steps: Sequence[RecipeStep]) -> Iterator[RecipeStep]:
    """Set all variables at once, on each machine its own."""
    for where in dict.fromkeys(step.where for step in steps):
        here = [step for step in steps if step.where == where]
        lines = dict.fromkeys(line for step in here for line in step.text.splitlines())
        yield replace(here[0], text="\n".join(lines))


def _compose(parts: Sequence[Recipe]) -> tuple[RecipeStep, ...]:
    """Put all services into one file, where they share a machine and read no file beside it."""
    recipe_steps = [step for part in parts for step in part.steps if step.file == COMPOSE]
    plans = (part.assessment.plan for part in parts)
    machines = {rank[0] for plan in plans if plan for rank in plan.ranks}
    if (
        len(recipe_steps) < len(parts)
        or len(machines) > 1
        or any(BESIDE.search(one.text) for one in recipe_steps)
    ):
        return ()
    services: dict[str, object] = {}
    for number, step in enumerate(recipe_steps, 1):
        text = step.text.replace("${MODEL}", f"${{MODEL_{number}}}")
        services |= yaml.load(text, Loader=yaml.CSafeLoader)["services"]
    names = ", ".join(f"MODEL_{number}=…" for number, _ in enumerate(recipe_steps, 1))
    note = f"Put {names}, HOST=… and API_KEY=… into a file named .env in the same folder"
    return (compose_step(services, note=f"{note}, then run docker compose up -d."),)

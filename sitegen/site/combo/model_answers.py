"""The answers of a model's page: machines as cards, what each budget buys, one way to start."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.fit.assessment import Assessment, PlanGoal
from sitegen.quality.values import Rating
from sitegen.recipes import recipes_for
from sitegen.recipes.recipe import Recipe
from sitegen.site.cells import (
    Absent,
    Cell,
    EvidenceMark,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    TierMark,
    Unit,
    span,
)
from sitegen.site.combo.cards import commands
from sitegen.site.composed_address import with_model, write_build
from sitegen.site.plain_json import PlainJson
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import CUSTOM_URL, view_of
from sitegen.site.words.plans import plan_words
from sitegen.site.words.prices import brief_cost
from sitegen.site.words.quality import STANDINGS, URL, rating_cell
from sitegen.site.words.tiers import COMFORTABLY
from sitegen.site.words.verdicts import longest_context, start_note
from sitegen.survey.composed_build import build_of
from sitegen.survey.machines_for_model import BestMachines, GoalAmounts, OnMachine
from sitegen.survey.verdict_policy import MANY
from sitegen.values import dataclass

SMALLEST = {
    GoalAmounts.WELL: "Smallest machine that runs it well",
    GoalAmounts.COMFORTABLE: f"Smallest machine on which it fits {COMFORTABLY}",
    GoalAmounts.ANYHOW: "Smallest machine that can run it",
}
CHEAPEST, SERVING = "Lowest price", "For many users"


@dataclass(frozen=True, slots=True)
class MachineCard:
    """A machine and what it is the answer to; its name opens the model's view for it."""

    answers: str
    machine: Link
    mark: TierMark
    figures: tuple[tuple[str, Cell], ...]
    run: Cell


@dataclass(frozen=True, slots=True)
class Start:
    """Commands that download and start the model on one machine.

    ``to_start`` is a setting that the runtime needs; ``None`` where its defaults do.
    """

    machine: Link
    run: Cell
    to_start: Cell | None
    commands: str
    steps: Link


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """The first part of a model's page; ``start`` is ``None`` without commands."""

    cards: tuple[MachineCard, ...]
    budgets: Table | None
    start: Start | None
    note: str


def model_answers(chosen: BestMachines | None) -> ModelAnswers | None:
    """Show the machines that were chosen for a model; ``None`` where it runs on none."""
    if chosen is None:
        return None
    return ModelAnswers(tuple(_cards(chosen)), _budgets(chosen), _start(chosen), _note(chosen))


def _cards(chosen: BestMachines) -> Iterator[MachineCard]:
    """Yield one card per machine; a machine that answers twice has both names."""
    consumer = chosen.consumer
    asked = (
        (SMALLEST[chosen.asks], chosen.smallest),
        (CHEAPEST, chosen.cheapest),
        (_consumer_words(consumer) if consumer else "", consumer),
        (SERVING, chosen.serving),
    )
    named: list[tuple[OnMachine, list[str]]] = []
    for name, on_machine in asked:
        if on_machine is None:
            continue
        same = next((names for known, names in named if _runs_as(known, on_machine)), None)
        if same is None:
            named.append((on_machine, [name]))
        else:
            same.append(name[0].lower() + name[1:])
    for on_machine, names in named:
        many = SERVING.lower() in names[-1].lower()
        goal = f"&goal={PlanGoal.THROUGHPUT}" if names == [SERVING] else ""
        address = f"{_address(on_machine)}{goal}"
        yield _card(on_machine, ", ".join(names), address, many=many)


def _runs_as(known: OnMachine, on_machine: OnMachine) -> bool:
    """Return whether two answers are one machine that runs one file in one way."""
    return (
        known.machine.id == on_machine.machine.id
        and known.checkpoint.id == on_machine.checkpoint.id
        and known.runtime.id == on_machine.runtime.id
        and known.plan == on_machine.plan
    )


def _consumer_words(on_machine: OnMachine) -> str:
    count = len(on_machine.machine.gpus)
    return "Fastest on one consumer GPU" if count == 1 else f"Fastest on {count} consumer GPUs"


def _card(on_machine: OnMachine, answers: str, address: str, *, many: bool) -> MachineCard:
    figures: list[tuple[str, Cell]] = [
        ("Speed, one user", _speed(on_machine)),
        ("Longest context", longest_context(on_machine.context_tokens)),
    ]
    speed = on_machine.assessment.speed if on_machine.assessment else None
    if many:
        figures.append(("Users at 32K", NumberCell(on_machine.users, Unit.COUNT)))
        if speed is not None:
            all_users = NumberCell(speed.aggregate_tokens_per_s.mid, Unit.TOKENS_PER_S)
            figures.append(("Speed, all users", all_users))
    figures += [
        ("GPU memory", NumberCell(on_machine.machine.installed_vram_bytes, Unit.GIB)),
        ("GPU cost", brief_cost(on_machine.machine)),
    ]
    return MachineCard(
        answers,
        Link(address, _name(on_machine)),
        TierMark(on_machine.tier, on_machine.too_close),
        tuple(figures),
        _run(on_machine),
    )


def _address(on_machine: OnMachine) -> str:
    if on_machine.assessment is not None:
        return view_of(on_machine.machine.id, on_machine.model.id)
    build = write_build(build_of(on_machine.machine))
    return f"{CUSTOM_URL}#{with_model(build, on_machine.model.id)}"


def _name(on_machine: OnMachine) -> str:
    alone = on_machine.assessment is None and len(on_machine.machine.gpus) == 1
    return on_machine.machine.gpus[0].gpu.name if alone else on_machine.machine.name


def _speed(on_machine: OnMachine) -> Cell:
    if not on_machine.speed.mid:
        return Absent("not estimated")
    bounds = Small(span(on_machine.speed, Unit.TOKENS_PER_S))
    speed = on_machine.assessment.speed if on_machine.assessment else None
    mark = (EvidenceMark(speed.evidence),) if speed else ()
    return Lines((NumberCell(on_machine.speed.mid, Unit.TOKENS_PER_S), bounds, *mark))


def _run(on_machine: OnMachine) -> Cell:
    """Name the file, the runtime and the plan."""
    plan = f", {plan_words(on_machine.plan)}" if on_machine.plan is not None else ""
    return f"{on_machine.checkpoint.quantization.name} in {on_machine.runtime.name}{plan}"


def _budgets(chosen: BestMachines) -> Table | None:
    if not chosen.budgets:
        return None
    columns = (
        Column("Up to", numeric=True),
        Column("Machine"),
        Column("Speed", numeric=True, note="one user"),
        Column("Context", numeric=True, note="longest"),
        Column("GPU cost", numeric=True, note="newest price seen", key="GPUs cost"),
        Column("File", note="runtime"),
    )
    rows = tuple(
        Row(
            (
                NumberCell(budget.usd, Unit.USD),
                Link(_address(budget.best), _name(budget.best)),
                NumberCell(budget.best.speed.mid, Unit.TOKENS_PER_S),
                longest_context(budget.best.context_tokens),
                brief_cost(budget.best.machine),
                Lines((budget.best.checkpoint.quantization.name, Small(_plan(budget.best)))),
            )
        )
        for budget in chosen.budgets
    )
    note = (
        "The fastest machine for one user at each price, by the middle estimate. We leave "
        "out a budget if a smaller one buys the same speed. Prices are for the GPUs, or for the "
        "whole computer if it is sold as one."
    )
    return Table("budgets", "Fastest machine for each budget", columns, rows, note=note)


def _plan(on_machine: OnMachine) -> str:
    plan = f", {plan_words(on_machine.plan)}" if on_machine.plan is not None else ""
    return f"{on_machine.runtime.name}{plan}"


def _start(chosen: BestMachines) -> Start | None:
    for found in chosen.usual:
        for recipe in recipes_for(found):
            written = "" if recipe.front else commands(recipe)
            if written:
                return _started(found, recipe, written)
    return None


def _started(assessment: Assessment, recipe: Recipe, written: str) -> Start:
    view = view_of(assessment.combo.id, assessment.model.id)
    plan = f", {plan_words(assessment.plan)}" if assessment.plan is not None else ""
    return Start(
        Link(view, assessment.combo.name),
        f"{assessment.checkpoint.quantization.name} in {recipe.name} {assessment.version}{plan}",
        start_note(assessment),
        written,
        Link(view, "All steps: install, start, check, stop"),
    )


def start_twin(chosen: BestMachines | None) -> PlainJson:
    """Write the commands for the JSON twin, with the machine they are for."""
    start = _start(chosen) if chosen else None
    return None if start is None else {"machine": start.machine.text, "commands": start.commands}


def _note(chosen: BestMachines) -> str:
    well = (
        f"Runs well: fits {COMFORTABLY}, with room for 32K tokens of context or the model's "
        "maximum, at reading speed or faster. "
    )
    many = (
        f"Many users: {MANY} concurrent users, each with 32K tokens and at reading speed or "
        "faster. We show the machine with the lowest known price, and prefer a runtime made for "
        "serving."
    )
    return (well if chosen.asks is GoalAmounts.WELL else "") + many


def rating_words(rating: Rating | None) -> Cell:
    """Say how good the model is as far as published scores tell, and on what evidence."""
    how = Link(URL, "how we compute ratings")
    if rating is None or not rating.is_rated:
        return Parts(("Not rated: there are too few independent scores (", how, ")."))
    boards = "1 benchmark" if rating.boards == 1 else f"{rating.boards} benchmarks"
    return Parts(
        (
            "Overall rating: ",
            rating_cell(rating),
            f", from {boards}, {_independence(rating)}. The average model is rated 50. "
            f"Status: {STANDINGS[rating.standing].lower()} (",
            how,
            ").",
        )
    )


def _independence(rating: Rating) -> str:
    if rating.boards == 1:
        return "run independently" if rating.independent else "not run independently"
    words = {0: "none", rating.boards: "all"}
    return f"{words.get(rating.independent, rating.independent)} of them run independently"

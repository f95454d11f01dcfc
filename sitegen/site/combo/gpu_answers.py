"""The answers of a GPU's page: what one, two, four and eight of it run, and how one is started."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.quality.values import Use
from sitegen.recipes import recipes_for
from sitegen.site.cells import Absent, Cell, Link, NumberCell, Parts, Unit
from sitegen.site.combo.cards import commands
from sitegen.site.combo.first_answer import WISHES
from sitegen.site.combo.goal_table import GOAL_WORDS, gives
from sitegen.site.composed_address import FOR, with_model, write_build
from sitegen.site.inputs import SiteInputs
from sitegen.site.tables.combos import answer_view
from sitegen.site.tables.counts import NUMBERS
from sitegen.site.urls import CUSTOM_URL, url_of
from sitegen.site.words.plans import plan_words
from sitegen.site.words.prices import gpu_price_cell
from sitegen.site.words.verdicts import checkpoint_name, start_note
from sitegen.survey.answers import AnswerGoal, GpusNeeded
from sitegen.survey.best_for_use import longest_context
from sitegen.survey.composed_build import build_of
from sitegen.survey.first_answer import Wish, of_survey
from sitegen.survey.gpu_counts import best_of_needs
from sitegen.survey.gpu_grid import NOT, OneKind, every_kind, is_enough, on_gpus
from sitegen.survey.results import ComboSurvey
from sitegen.units import GIB
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Best:
    """A model that so many of a GPU run best: for what, its name, and how much it gives."""

    wish: str
    model: Link
    gives: Cell


@dataclass(frozen=True, slots=True)
class GpuCard:
    """The models that a number of GPUs, or a chip with some memory, runs.

    Attributes:
        heading: How many.
        tally: Models that fit comfortably, of all.
        price: What they cost; ``None`` for a chip, whose price is not for one size.
        best: The best models, none where none that is rated runs.
        whole: Where everything about the machine stands, with the commands.
    """

    heading: str
    tally: Cell
    price: Cell | None
    best: tuple[Best, ...]
    whole: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class GpuStart:
    """The commands that download and start the first answer on the catalog's smallest machine."""

    machine: Link
    model: Link
    run: str
    to_start: Cell | None
    commands: str
    steps: Link


@dataclass(frozen=True, slots=True)
class GpuAnswers:
    """The first answers of a GPU's page; ``start`` is ``None`` without commands.

    ``is_rated`` says whether any model is rated, without which none is the best.
    """

    cards: tuple[GpuCard, ...]
    start: GpuStart | None
    is_rated: bool


Kinds = Mapping[str, tuple[OneKind, ...]]


def kinds_by_gpu(inputs: SiteInputs) -> Kinds:
    """List the kinds of every GPU: a card is one, a chip one for each size of its memory."""
    found: dict[str, tuple[OneKind, ...]] = {}
    for kind in every_kind(inputs.catalog, inputs.survey):
        found[kind.gpu.id] = (*found.get(kind.gpu.id, ()), kind)
    return found


def gpu_answers(
    kinds: Sequence[OneKind], needs: Sequence[GpusNeeded], inputs: SiteInputs
) -> GpuAnswers:
    """Answer for each number of a GPU, or for each size of a chip's memory."""
    machines = [(kind, count) for kind in kinds for count in kind.machines]
    cards = tuple(_card(kind, count, needs, inputs) for kind, count in machines)
    listed = (kind.listed[count] for kind, count in machines if count in kind.listed)
    started = (_start(survey) for survey in listed)
    start = next((one for one in started if one is not None), None)
    return GpuAnswers(cards, start, is_rated=any(inputs.engine.ratings.by_use.values()))


def _card(kind: OneKind, count: int, needs: Sequence[GpusNeeded], inputs: SiteInputs) -> GpuCard:
    models = inputs.catalog.surveyed_models
    found = on_gpus(kind, count, needs)
    fitting = sum(found.get(one.id, NOT).tier is FitTier.COMFORTABLE for one in models)
    tally = Parts(
        (
            NumberCell(fitting, Unit.COUNT),
            " of ",
            NumberCell(len(models), Unit.COUNT),
            " models fit",
        )
    )
    listed = kind.listed.get(count)
    if listed is not None:
        best, whole = tuple(_of_survey(listed)), _whole(listed)
    else:
        machine = write_build(build_of(kind.machines[count]))
        enough = [need for need in needs if is_enough(need.machine, kind, count)]
        best = tuple(_of_needs(enough, machine, kind.machines[count], inputs))
        whole = (Link(f"{CUSTOM_URL}#{machine}", "Every model, with memory and commands"),)
    price = None if kind.is_chip else gpu_price_cell(kind.gpu, count)
    return GpuCard(_heading(kind, count), tally, price, best, whole)


def _heading(kind: OneKind, count: int) -> str:
    if kind.is_chip:
        return f"With {round(kind.each_bytes / GIB)} GiB"
    name = kind.gpu.name
    return f"{NUMBERS[count]} {name}{'s' if count > 1 and name.endswith('GPU') else ''}"


def _whole(survey: ComboSurvey) -> tuple[Link, ...]:
    page = url_of("combo", survey.combo.id)
    first = Link(page, survey.combo.name)
    return (first, Link(f"{page}#run", "Commands")) if survey.ways.lead else (first,)


OVERALL, CODING, FASTEST = (WISHES[one] for one in (Wish.OVERALL, Wish.CODING, Wish.FASTEST))
BOTH, USERS = "Best overall and for coding", GOAL_WORDS[AnswerGoal.USERS_8K]


def _of_survey(survey: ComboSurvey) -> Iterator[Best]:
    """Yield the answers that the home page gives for the machine."""
    answer = of_survey(survey)
    if answer.pick is None:
        return
    coding = next((one.picks[0] for one in survey.uses if one.use is Use.CODING), None)
    same = coding is not None and coding.assessment.model.id == answer.pick.model.id
    yield Best(BOTH if same else OVERALL, _view(survey, answer.pick), _figures(answer.pick))
    for one in answer.instead:
        found, standing = one.assessment, one.standing
        if one.wish is Wish.BEYOND:
            yield Best(WISHES[one.wish], _view(survey, found), _figures(found))
        elif one.wish is Wish.CODING or standing is None:
            yield Best(CODING, _view(survey, found), _figures(found))
        elif one.wish is Wish.FASTEST:
            yield Best(FASTEST, _view(survey, found), gives(AnswerGoal.ONE_STREAM, standing))
        else:
            yield Best(USERS, _view(survey, found), gives(AnswerGoal.USERS_8K, standing))


def _view(survey: ComboSurvey, found: Assessment) -> Link:
    return Link(answer_view(survey, found), found.model.name)


def _figures(found: Assessment) -> Cell:
    speed = found.speed.single_tokens_per_s.mid if found.speed else 0.0
    return _printed(speed, longest_context(found))


def _printed(speed: float, context: int) -> Cell:
    known: Cell = NumberCell(speed, Unit.TOKENS_PER_S) if speed else Absent("speed not estimated")
    return Parts((known, ", ", NumberCell(context, Unit.TOKENS)))


def _of_needs(
    needs: Sequence[GpusNeeded], address: str, machine: Combo, inputs: SiteInputs
) -> Iterator[Best]:
    """Yield the best of the models whose smallest machine is no larger than this one."""
    overall = best_of_needs(inputs.engine, needs, Use.OVERALL, machine)
    coding = best_of_needs(inputs.engine, needs, Use.CODING, machine)
    same = bool(overall and coding and overall[0].model.id == coding[0].model.id)
    if overall:
        yield _of_need(BOTH if same else OVERALL, overall[0], address, machine)
    if coding and not same:
        yield _of_need(CODING, coding[0], address, machine)


def _of_need(wish: str, need: GpusNeeded, machine_address: str, machine: Combo) -> Best:
    cell = _printed(need.single_tokens_per_s.mid, need.max_context_tokens)
    if need.count < len(machine.gpus):
        cell = Parts((cell, f", on {NUMBERS[need.count].lower()} of the GPUs"))
    address = f"{CUSTOM_URL}#{with_model(machine_address, need.model.id)}&for={FOR[False]}"
    return Best(wish, Link(address, need.model.name), cell)


def _start(survey: ComboSurvey) -> GpuStart | None:
    found = survey.lead
    if found is None:
        return None
    for recipe in recipes_for(found):
        written = "" if recipe.front else commands(recipe)
        if written:
            plan = f", {plan_words(found.plan)}" if found.plan is not None else ""
            version = f"{recipe.name} {found.version}"
            return GpuStart(
                Link(url_of("combo", survey.combo.id), survey.combo.name),
                _view(survey, found),
                f"{checkpoint_name(found)} in {version}{plan}",
                start_note(found),
                written,
                Link(
                    answer_view(survey, found),
                    "All steps: install, start, check, stop",
                ),
            )
    return None

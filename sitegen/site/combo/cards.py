"""The answers of a combo as cards: a model, what it is best for, its figures and its commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sitegen.fit.assessment import Assessment, PlanGoal
from sitegen.physics.plan import ParallelPlan
from sitegen.quality.values import Use
from sitegen.recipes import recipes_for
from sitegen.recipes.recipe import Language, Phase, Recipe
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
    joined,
    span,
)
from sitegen.site.combo.first_answer import FOR_USE
from sitegen.site.combo.goal_table import beyond_words, gives
from sitegen.site.combo.recipes import RecipeGroup, recipe_group, serving_all
from sitegen.site.combo.uses import rating_cell
from sitegen.site.composed_address import FOR
from sitegen.site.urls import recipes_of, row_url, view_of
from sitegen.site.words.plans import idle_words, plan_words
from sitegen.site.words.quality import USE_WORDS
from sitegen.site.words.speeds import faster
from sitegen.site.words.verdicts import checkpoint_name, start_note, sure_context, users
from sitegen.survey.answers import Answer, AnswerGoal
from sitegen.survey.best_for_use import FIRST, RatedPick, UseAnswer
from sitegen.survey.results import ComboSurvey
from sitegen.values import dataclass

LEAD, SERVING, HIGHER = "Best overall", "Serving many users", "Rated higher"
READERS = "Users at 8K, at reading speed"
FASTEST, FASTEST_SHOWN = "Fastest good model", "Fastest of these picks"
FASTEST_LOWER = "Top speed (lower overall rating)"
"""The same of a model that is faster than every *good* one, for it is not one of them."""
MUCH_FASTER = 1.1
"""How much faster than every other answer the fastest good model is to have a card of its own."""
SHOWN_AS_GOOD = 3
"""Models named as perhaps as good; the table of models has the rest."""
COPIED = (Phase.SETTINGS, Phase.FILES, Phase.LIMIT, Phase.START)


@dataclass(frozen=True, slots=True)
class Card:
    """One model and all that it is the best for.

    Attributes:
        best_for: The uses that it is best for; overall comes first.
        model: Its name, a link to its own view.
        figures: Names with values; ``as_good`` are others that the evidence cannot tell apart.
        faster: What speculative decoding brings; ``None`` where the commands name no measured gain.
        run: The file, the runtime and the plan.
        to_start: A setting that the runtime needs; ``None`` where its defaults do.
        left_out: Sentences about the file that loses less and writes too slowly to read along, and
            about machines that stay idle.
        commands: What downloads and starts it, empty where it takes more than one shell.
        steps: Where all steps stand; ``None`` where the catalog knows no commands.
    """

    best_for: str
    model: Link
    mark: TierMark
    figures: tuple[tuple[str, Cell], ...]
    faster: Cell | None
    as_good: Cell | None
    run: str
    to_start: Cell | None
    left_out: tuple[Cell, ...]
    commands: str
    steps: Link | None


_Figures = tuple[tuple[str, Cell], ...]
"""Names with values."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """An assessment with what it is the best for; ``beside`` are figures of that alone."""

    found: Assessment
    best_for: tuple[str, ...]
    uses: tuple[UseAnswer, ...] = ()
    beside: _Figures = ()


def _answers(survey: ComboSurvey) -> list[_Answer]:
    """List the answers, one entry for each file, runtime and plan, the first answer first."""
    by_file: dict[_Key, _Answer] = {}

    def add(
        assessment: Assessment, name: str, use: UseAnswer | None = None, *, beside: _Figures = ()
    ) -> None:
        known = by_file.setdefault(_key(assessment), _Answer(assessment, ()))
        if name in known.best_for:
            return
        uses = (*known.uses, use) if use else known.uses
        found, figures = assessment if beside else known.found, (*known.beside, *beside)
        by_file[_key(assessment)] = _Answer(found, (*known.best_for, name), uses, figures)

    for use in survey.uses:
        if use.use in USE_WORDS:
            name = LEAD if use.use is FIRST else USE_WORDS[use.use]
            add(use.picks[0].assessment, name, use)
    if survey.lead is not None and not by_file:
        add(survey.lead, "The largest model that runs")
    if survey.aggregate_serving is not None:
        add(serving_all(survey.aggregate_serving), SERVING, beside=_readers(survey))
    fastest = max((_one_stream(one.found) for one in by_file.values()), default=0.0)
    for answer in survey.answers:
        if answer.goal is AnswerGoal.BEYOND:
            larger = answer.best.assessment
            add(larger, f"{HIGHER}, {beyond_words(larger)}", beside=_of_larger(answer))
    for answer in filter(_is_fastest, survey.answers):
        if answer.best.amount.mid >= MUCH_FASTER * fastest:
            add(answer.best.assessment, FASTEST)
    found = list(by_file.values())
    if len(found) > 1 and all(FASTEST not in one.best_for for one in found):
        first = max(found, key=lambda one: _one_stream(one.found))
        good = next((one.best.amount.mid for one in survey.answers if _is_fastest(one)), None)
        lower = good is not None and _one_stream(first.found) > good
        name = FASTEST_LOWER if lower else FASTEST_SHOWN
        found[found.index(first)] = replace(first, best_for=(*first.best_for, name))
    return found


def _is_fastest(answer: Answer) -> bool:
    return answer.goal is AnswerGoal.ONE_STREAM


_Shown = tuple[str, bool, bool, bool]
"""Model, and whether it starts without images, with a projector, and for several requests."""


def _shown_as(assessment: Assessment) -> _Shown:
    """Part what starts with images, or for many, from what does not; the rest is one card."""
    settings, many = assessment.settings, assessment.workload.sequences > 1
    return assessment.model.id, settings.text_only, settings.images, many


def _of_larger(answer: Answer) -> _Figures:
    """Give the rating, and the time that prompts take where experts are read from RAM."""
    speed = answer.best.assessment.speed
    rating = ("Rating", gives(answer.goal, answer.best))
    if speed is None or speed.first_token_s is None:
        return (rating,)
    seconds = NumberCell(speed.first_token_s.mid, Unit.SECONDS)
    return (rating, (f"First token, {speed.prompt_tokens:,} tokens of prompt", seconds))


def _readers(survey: ComboSurvey) -> _Figures:
    """Count the users at reading speed, where the plan of the card has them."""
    of_8k = next(one for one in survey.answers if one.goal is AnswerGoal.USERS_8K)
    if of_8k.best.plan is not None:
        return ()
    return ((READERS, gives(AnswerGoal.USERS_8K, of_8k.best)),)


def _one_stream(assessment: Assessment) -> float:
    return assessment.speed.single_tokens_per_s.mid if assessment.speed else 0.0


def further_recipes(
    survey: ComboSurvey, written: Sequence[tuple[str, tuple[Recipe, ...]]]
) -> tuple[tuple[str, tuple[Recipe, ...]], ...]:
    """Write the commands of answers that the combo's recipes do not have, by id of a group."""
    known = {_of(recipe) for _, found in written for recipe in found}
    groups: list[tuple[str, tuple[Recipe, ...]]] = []
    for one in _answers(survey):
        if _key(one.found) not in known:
            first = next(iter(recipes_for(one.found)), None)
            if first is not None:
                groups.append((_group_id(one), (first,)))
    return tuple(groups)


def _group_id(answer: _Answer) -> str:
    """Name the group of an answer's commands: a model has others for images and for many."""
    found = answer.found
    seeing = [use.use for use in answer.uses] == [Use.VISION] and not found.settings.text_only
    many = found.workload.sequences > 1 or answer.best_for[0] == SERVING
    return f"run-{found.model.id}{'-images' if seeing else ''}{'-many' if many else ''}"


def further_groups(
    survey: ComboSurvey, found: Sequence[tuple[str, tuple[Recipe, ...]]]
) -> Iterator[RecipeGroup]:
    """Show those commands, each group headed by what its model is best for."""
    names = {_group_id(one): one.best_for for one in _answers(survey)}
    for id, recipes in found:
        yield recipe_group(id, _sentence(names[id]), recipes)


def answer_cards(
    survey: ComboSurvey, recipes: Sequence[tuple[str, tuple[Recipe, ...]]]
) -> tuple[Card, ...]:
    """Show every answer of a combo."""
    by_answer: dict[_Key, tuple[str, Recipe]] = {}
    for group, found in recipes:
        for recipe in found:
            by_answer.setdefault(_of(recipe), (group, recipe))
    usual = {_key(one) for row in survey.rows for one in (row.pick, row.answer)}
    slower = {_key(row.answer): row.pick for row in survey.rows if row.read_along}
    return tuple(
        _card(
            one,
            by_answer.get(_key(one.found)),
            usual=_key(one.found) in usual or [use.use for use in one.uses] == [Use.VISION],
            slower=slower.get(_key(one.found)),
        )
        for one in _answers(survey)
    )


_Key = tuple[str, str, ParallelPlan | None, _Shown]
"""Checkpoint, runtime and plan, and what is shown as one card."""


def _key(assessment: Assessment) -> _Key:
    return assessment.checkpoint.id, assessment.runtime.id, assessment.plan, _shown_as(assessment)


def _of(recipe: Recipe) -> _Key:
    """Name what a recipe runs; with two models at once, nothing that an answer asks for."""
    nothing: _Key = ("", "", None, ("", False, False, False))
    return nothing if recipe.beside else _key(recipe.assessment)


def _card(
    answer: _Answer,
    recipe: tuple[str, Recipe] | None,
    *,
    usual: bool,
    slower: Assessment | None,
) -> Card:
    """Show an answer; one that is not the model's usual pick was sought for many users.

    ``slower`` is the pick of the model's row, where the answer leaves it for its speed.
    """
    assessment = answer.found
    asked = "" if usual else f"&goal={PlanGoal.THROUGHPUT}"
    if assessment.settings.images or slower is not None:
        asked += f"&for={FOR[assessment.settings.images]}"
    held = any(name == READERS for name, _ in answer.beside)
    view = f"{view_of(assessment.combo.id, assessment.model.id)}{asked}"
    steps, address = None, ""
    if recipe is not None:
        group, written = recipe
        address = f"{recipes_of(assessment.combo.id)}#{group}-{written.id}"
        steps = Link(address, f"All steps with {written.name}")
    return Card(
        best_for=_sentence(answer.best_for),
        model=Link(view, assessment.model.name),
        mark=TierMark(assessment.tier, assessment.too_close),
        figures=(
            *speed_figure(assessment),
            *(_shared(assessment) if SERVING in answer.best_for else ()),
            ("Longest context", sure_context(assessment)),
            *((("Users at 8K / 32K", users(assessment)),) if not held else ()),
            *answer.beside,
            *_rating(answer),
        ),
        faster=None if recipe is None else faster(recipe[1].one_user_gain, address),
        as_good=_as_good(answer),
        run=run_words(assessment),
        to_start=start_note(assessment),
        left_out=_left_out(assessment, slower),
        commands="" if recipe is None else commands(recipe[1]),
        steps=steps,
    )


def _left_out(assessment: Assessment, slower: Assessment | None) -> tuple[Cell, ...]:
    """Name what is left out for a plan.

    That is the file that loses less and writes too slowly to read along, and machines that stay
    idle.
    """
    plan = assessment.plan
    idle = idle_words(assessment.combo, plan) if plan is not None else ""
    found: list[Cell] = []
    if slower is not None:
        found.append(loses_less(slower))
    if idle:
        found.append(idle)
    return tuple(found)


def loses_less(slower: Assessment) -> Parts:
    """Say of the file that an answer leaves for its speed what it has and what it lacks."""
    return Parts((f"{checkpoint_name(slower)} loses less quality", *_at_speed(slower), "."))


def _at_speed(assessment: Assessment) -> tuple[Cell, ...]:
    speed = assessment.speed
    if speed is None:
        return ()
    return (" but generates only ", NumberCell(speed.single_tokens_per_s.mid, Unit.TOKENS_PER_S))


def _sentence(names: Sequence[str]) -> str:
    """Join names as a heading does.

    >>> _sentence(("Best overall", "Coding", "Long context"))
    'Best overall, coding, long context'
    """
    return ", ".join((names[0], *(name[0].lower() + name[1:] for name in names[1:])))


def speed_figure(assessment: Assessment) -> tuple[tuple[str, Cell], ...]:
    """Name the speed of one user, with its bounds and how it is known."""
    speed = assessment.speed
    if speed is None:
        return (("Speed", Absent("not estimated")),)
    single = speed.single_tokens_per_s
    known = (Small(span(single, Unit.TOKENS_PER_S)), EvidenceMark(speed.evidence))
    return (("Speed, one user", Lines((NumberCell(single.mid, Unit.TOKENS_PER_S), *known))),)


def _shared(assessment: Assessment) -> tuple[tuple[str, Cell], ...]:
    """Name the speed that each of many users gets while all of them are answered."""
    speed, plan = assessment.speed, assessment.plan
    if speed is None or plan is None or speed.batch * plan.replicas < 2:
        return ()
    each = speed.each_tokens_per_s
    known = (NumberCell(each.mid, Unit.TOKENS_PER_S), Small(span(each, Unit.TOKENS_PER_S)))
    return ((f"Speed, each of {speed.batch * plan.replicas:,} users", Lines(known)),)


def _rating(answer: _Answer) -> tuple[tuple[str, Cell], ...]:
    if not answer.uses:
        return ()
    first = answer.uses[0]
    name = "Rating" if first.use is FIRST else f"Rating, {USE_WORDS[first.use].lower()}"
    return ((name, rating_cell(first.picks[0])),)


def _as_good(answer: _Answer) -> Cell | None:
    """Name the models that are as good for the same use, as far as published scores tell."""
    lines: list[Cell] = []
    for use in answer.uses:
        rest = use.picks[1:]
        if rest:
            named = tuple(_named(pick) for pick in rest[:SHOWN_AS_GOOD])
            more = len(rest) - SHOWN_AS_GOOD
            which = "These models" if len(rest) > 1 else "This model"
            words = f"{which} may be as good as this pick {FOR_USE[use.use]}: "
            tail = f" and {more} more" if more > 0 else ""
            lines.append(Parts((words, joined(named), tail)))
    return Lines(tuple(lines)) if lines else None


def _named(pick: RatedPick) -> Cell:
    found = pick.assessment
    return Link(row_url(found.combo.id, found.model.id), found.model.name)


def run_words(assessment: Assessment) -> str:
    """Name the file, the runtime and the plan."""
    plan = f", {plan_words(assessment.plan)}" if assessment.plan is not None else ""
    version = f"{assessment.runtime.name} {assessment.version}"
    images = ", with its image projector" if assessment.settings.images else ""
    return f"{checkpoint_name(assessment)} in {version}{plan}{images}"


def commands(recipe: Recipe) -> str:
    """Write what downloads and starts a model as one text to paste.

    It is empty where a step is for one of several machines or is a file to write: then only all
    steps together work.
    """
    taken = [step for step in recipe.steps if step.phase in COPIED]
    plain = all(s.language is Language.BASH and not s.file and not s.where for s in taken)
    starts = [step for step in taken if step.phase is Phase.START]
    if not plain or len(starts) != 1:
        return ""
    return "\n\n".join(step.text.rstrip() for step in taken)

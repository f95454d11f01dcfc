"""The first answer in words: the pick, its figures, two commands, and what else one may want.

Runs in the browser too (decision 27).
"""

from __future__ import annotations

from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, UnifiedMemory
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.quality.values import Use
from sitegen.recipes import recipes_for
from sitegen.recipes.recipe import Phase, Recipe
from sitegen.site.cells import (
    Cell,
    EvidenceMark,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    TierMark,
    Unit,
)
from sitegen.site.combo.goal_table import GOAL_WORDS, gives
from sitegen.site.composed_address import State, write_state
from sitegen.site.urls import CUSTOM_URL, url_of
from sitegen.site.words.hardware import plain_gpus
from sitegen.site.words.plans import plan_words
from sitegen.site.words.quality import URL
from sitegen.site.words.speeds import faster
from sitegen.site.words.tiers import COMFORTABLY
from sitegen.site.words.verdicts import (
    checkpoint_name,
    context_label,
    most_sequences,
    not_estimated,
    start_note,
    sure_context,
    users,
    why,
)
from sitegen.survey.answers import AnswerGoal
from sitegen.survey.composed_build import CUSTOM_ID_PREFIX
from sitegen.survey.first_answer import FirstAnswer, Instead, Wish
from sitegen.units import GIB
from sitegen.values import dataclass

FOR_USE = {
    Use.OVERALL: "overall",
    Use.GENERAL: "for general use",
    Use.CODING: "for coding",
    Use.REASONING: "for reasoning and math",
    Use.AGENTIC: "for agents and tools",
    Use.LONG_CONTEXT: "for long texts",
    Use.VISION: "for images",
    Use.MULTILINGUAL: "in many languages",
    Use.INSTRUCTION_FOLLOWING: "for following instructions",
}
"""Names of uses in the middle of a sentence."""
WISHES = {
    Wish.OVERALL: "Best overall",
    Wish.CODING: "Best for coding",
    Wish.FASTEST: "Fastest good model",
    Wish.USERS: "Serves the most users",
    Wish.BEYOND: GOAL_WORDS[AnswerGoal.BEYOND],
}
FIRST_START = "The first start downloads the model."
WITHOUT_IMAGES = "These commands start the model without images, which leaves more memory for text."


@dataclass(frozen=True, slots=True)
class PasteCommand:
    """Something to paste into a terminal, and what it does."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class InsteadView:
    """Another answer: what for, the model, and how much it gives."""

    wish: str
    model: Link
    gives: Cell


@dataclass(frozen=True, slots=True)
class FirstView:
    """The first view of a reader.

    Attributes:
        heading: A sentence that names model and hardware.
        mark: The verdict; ``None`` without a model.
        about: How sure the choice is, or why the verdict is not better.
        figures: Names and values.
        faster: What speculative decoding brings; ``None`` where the commands name no measured gain.
        commands: Download, then launch.
        note: What has to be known before the launch.
        instead: Other answers.
        whole: Links to everything else that is known.
    """

    heading: Parts
    mark: TierMark | None
    about: Cell | None
    figures: tuple[tuple[str, Cell], ...]
    faster: Cell | None
    commands: tuple[PasteCommand, ...]
    note: Cell | None
    instead: tuple[InsteadView, ...]
    whole: tuple[Link, ...]


def hardware_words(combo: Combo) -> str:
    """Name the hardware: a combo by its name, a composed build by its GPUs and its RAM."""
    if not combo.id.startswith(CUSTOM_ID_PREFIX):
        return combo.name
    words = plain_gpus(combo, "×\N{NO-BREAK SPACE}")
    if len(combo.gpus) == 1:
        words = combo.gpus[0].gpu.name
    sizes = {one.installed_bytes // GIB for one in combo.gpus}
    if len(sizes) == 1 and all(isinstance(one.gpu.memory, UnifiedMemory) for one in combo.gpus):
        words += f", {min(sizes)} GB"
    ram_bytes = combo.nodes[0].ram_bytes
    if ram_bytes is not None:
        words += f" + {ram_bytes // GIB} GB RAM"
    return words if len(combo.nodes) == 1 else f"{words} in {len(combo.nodes)} machines"


def first_view(answer: FirstAnswer, state: State, catalog: Catalog) -> FirstView:
    """Show an answer; ``state`` is what was asked."""
    assessment, where = answer.pick, hardware_words(answer.combo)
    instead = tuple(
        _instead(one, _opened(state, one.assessment, catalog)) for one in answer.instead
    )
    if assessment is None:
        return FirstView(
            heading=Parts((_nothing(answer, where),)),
            mark=None,
            about="Choose a shorter context, fewer users or another use.",
            figures=(),
            faster=None,
            commands=(),
            note=None,
            instead=instead,
            whole=_whole(answer.combo, state, None, catalog),
        )
    name = Link(url_of("model", assessment.model.id), assessment.model.name)
    runs = assessment.tier is not FitTier.NOT_PRACTICAL
    recipe = _recipe(assessment) if runs else None
    address = _opened(state, assessment, catalog)
    opened = Link(address, "See the calculation")
    said = _about(answer, assessment, catalog)
    if said is not None and answer.too_many and state.asked.sequences > 1:
        tokens = NumberCell(state.asked.context_tokens, Unit.TOKENS)
        said = Parts(("Each of them has ", tokens, " of context. ", said))
    return FirstView(
        heading=_heading(answer, name, state, where) if runs else Parts((name, f" on {where}")),
        mark=TierMark(assessment.tier, assessment.too_close),
        about=opened if said is None else Parts((said, " ", opened)),
        figures=_figures(assessment) if runs and assessment.plan is not None else (),
        faster=None if recipe is None else faster(recipe.one_user_gain, address),
        commands=_commands(recipe) if recipe is not None else (),
        note=_note(assessment, recipe),
        instead=instead,
        whole=_whole(answer.combo, state, assessment, catalog),
    )


def _opened(state: State, assessment: Assessment | None, catalog: Catalog) -> str:
    """Return the address at which an answer is shown whole; without one, all models."""
    asked = replace(state.asked, read_along=False, images=False)
    if assessment is not None:
        asked = replace(asked, read_along=True, images=assessment.settings.images)
    model = "" if assessment is None else assessment.model.id
    address = write_state(State(state.build, asked, state.combo, model), catalog)
    return f"{CUSTOM_URL}#{address}" if address else CUSTOM_URL


def _heading(answer: FirstAnswer, name: Link, state: State, where: str) -> Parts:
    """Name what to run, and for how many where it is not for all who were asked for."""
    if not answer.too_many:
        return Parts(("Run ", name, f" on {where}"))
    fewer = users_in_words(state.asked.sequences)
    return Parts((f"{_too_many(answer.too_many, where)} For {fewer}, run ", name))


def _too_many(users: int, where: str) -> str:
    return f"No rated model serves {users:,} concurrent users at reading speed on {where}."


def users_in_words(count: int) -> str:
    """Count users.

    >>> users_in_words(1), users_in_words(1024)
    ('one user', '1,024 users')
    """
    return "one user" if count == 1 else f"{count:,} users"


def _nothing(answer: FirstAnswer, where: str) -> str:
    if answer.use is None:
        return f"None of the runtimes that we assess loads this model on {where}."
    if answer.too_many:
        return f"{_too_many(answer.too_many, where)} For one user, no model can be called the best."
    return (
        f"With this context and number of users, no model that fits {COMFORTABLY} on {where} can "
        f"be called the best {FOR_USE[answer.use]}: published scores say too little."
    )


def _about(answer: FirstAnswer, assessment: Assessment, catalog: Catalog) -> Cell | None:
    if answer.use is None:
        return None if assessment.tier is FitTier.COMFORTABLE else why(assessment, catalog)
    if answer.as_good == 0:
        return (
            "This is the largest model that runs here. None of the models that run here have a "
            "rating."
        )
    ratings = Link(URL, "published scores")
    if answer.as_good == 1:
        return Parts((f"Best {FOR_USE[answer.use]} by ", ratings, "."))
    return Parts(
        (
            "By ",
            ratings,
            f", any of {answer.as_good} models may be the best {FOR_USE[answer.use]}. "
            "Among those with the best scores, this one is the fastest here.",
        )
    )


def _figures(assessment: Assessment) -> tuple[tuple[str, Cell], ...]:
    plan = assessment.plan
    runtime = Link(url_of("runtime", assessment.runtime.id), assessment.runtime.name)
    return (
        *_speeds(assessment),
        (context_label(assessment), sure_context(assessment)),
        ("Users at 8K / 32K", users(assessment)),
        (
            "File",
            Lines(
                (checkpoint_name(assessment), Small(NumberCell(assessment.weights_bytes, Unit.GIB)))
            ),
        ),
        (
            "Runtime",
            Lines(
                (
                    Parts((runtime, f" {assessment.version}")),
                    Small(plan_words(plan) if plan is not None else ""),
                )
            ),
        ),
    )


def _speeds(assessment: Assessment) -> tuple[tuple[str, Cell], ...]:
    speed = assessment.speed
    if speed is None:
        return (("Speed", not_estimated(assessment)),)
    asked = assessment.workload.sequences
    if asked == 1:
        return (("Speed, one user", _speed(speed.single_tokens_per_s.mid, assessment)),)
    return (
        ("Speed, each user", _speed(speed.each_tokens_per_s.mid, assessment)),
        ("Speed, all users", _speed(speed.aggregate_tokens_per_s.mid, assessment)),
    )


def _speed(mid: float, assessment: Assessment) -> Cell:
    """Print a speed, and how it is known."""
    speed = assessment.speed
    mark: tuple[Cell, ...] = (EvidenceMark(speed.evidence),) if speed is not None else ()
    return Lines((NumberCell(mid, Unit.TOKENS_PER_S), *mark))


def _recipe(assessment: Assessment) -> Recipe | None:
    recipes = recipes_for(assessment)
    return recipes[0] if recipes else None


def _without_comments(text: str) -> str:
    """Keep the lines that a shell runs: the recipe itself explains them."""
    return "\n".join(line for line in text.split("\n") if not line.startswith("# "))


def _commands(recipe: Recipe) -> tuple[PasteCommand, ...]:
    files = [one for one in recipe.steps if one.phase is Phase.FILES and not one.file]
    starts = [one for one in recipe.steps if one.phase is Phase.START]
    set_up = [one.text for one in recipe.steps if one.phase in {Phase.SETTINGS, Phase.LIMIT}]
    before = [_without_comments(one) for one in set_up]
    shown = [PasteCommand(one.title, one.text) for one in files[:1]]
    if starts:
        first = starts[0]
        where = f" ({first.where})" if first.where else ""
        named = f": write this to {first.file}" if first.file else ""
        text = first.text if first.file else "\n".join([*before, first.text])
        shown.append(PasteCommand(f"{first.title}{where}{named}", text))
    return tuple(shown)


def _note(assessment: Assessment, recipe: Recipe | None) -> Cell | None:
    """Say what the commands do not show; without commands, the settings too."""
    parts: list[Cell] = []
    if recipe is not None and not any(one.phase is Phase.FILES for one in recipe.steps):
        parts.append(FIRST_START)
    to_start = start_note(assessment) if recipe is None else most_sequences(assessment)
    if recipe is not None and assessment.settings.text_only:
        parts += [" ", WITHOUT_IMAGES] if parts else [WITHOUT_IMAGES]
    if to_start is not None:
        parts += [" ", to_start] if parts else [to_start]
    return Parts(tuple(parts)) if parts else None


def _instead(alternative: Instead, opened: str) -> InsteadView:
    assessment = alternative.assessment
    link = Link(opened, assessment.model.name)
    if alternative.standing is not None and alternative.wish is not Wish.BEYOND:
        goal = AnswerGoal.ONE_STREAM if alternative.wish is Wish.FASTEST else AnswerGoal.USERS_8K
        amount = alternative.standing.amount
        given: Cell = (
            NumberCell(amount.mid, Unit.TOKENS_PER_S)
            if goal is AnswerGoal.ONE_STREAM
            else Parts((gives(goal, alternative.standing), " at 8K"))
        )
    else:
        speed = assessment.speed
        given = NumberCell(speed.single_tokens_per_s.mid, Unit.TOKENS_PER_S) if speed else ""
    return InsteadView(
        WISHES[alternative.wish], link, Parts((checkpoint_name(assessment), ", ", given))
    )


def _with_article(name: str) -> str:
    """Name one thing with its article; a name that counts or joins several things needs none.

    >>> _with_article("RTX 3090"), _with_article("2× RTX 3090"), _with_article("A40 + L4")
    ('the RTX 3090', '2× RTX 3090', 'A40 + L4')
    """
    return name if name[:1].isdigit() or " + " in name else f"the {name}"


def _whole(
    combo: Combo, state: State, assessment: Assessment | None, catalog: Catalog
) -> tuple[Link, ...]:
    links: list[Link] = []
    if assessment is not None and assessment.tier is not FitTier.NOT_PRACTICAL:
        opened = _opened(state, assessment, catalog)
        links.append(Link(opened, "All steps: install, start, check, stop"))
    links.append(Link(_opened(state, None, catalog), "All models on this machine"))
    if not combo.id.startswith(CUSTOM_ID_PREFIX):
        links.append(Link(url_of("combo", combo.id), f"All about {_with_article(combo.name)}"))
    else:
        for gpu in {one.gpu.id: one.gpu for one in combo.gpus}.values():
            links.append(Link(url_of("gpu", gpu.id), f"All about the {gpu.name}"))
    return tuple(links)

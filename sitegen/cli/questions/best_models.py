"""``sitegen fit --best``: the best models for a use on some hardware, at a context and users."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel
from sitegen.catalog.domain.provenance import Interval
from sitegen.cli.questions.choose import runtime_of, usage_error
from sitegen.cli.questions.fit_options import FitOptions, cache_type_from, typed
from sitegen.cli.questions.fit_request import combo_from, settings_from
from sitegen.cli.questions.projects import catalog_at
from sitegen.cli.session import CliSession
from sitegen.cli.text.fit import CACHE_MAY_LOSE
from sitegen.cli.text.tables import print_table
from sitegen.fit.assessment import Assessment, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.runnable_checkpoint import Ask, Asks
from sitegen.physics.cache_types import quantized
from sitegen.physics.plan import Workload
from sitegen.problems import did_you_mean
from sitegen.quality.values import Use
from sitegen.recipes import recipes_for
from sitegen.site.combo.first_answer import users_in_words
from sitegen.site.combo.goal_table import GOAL_WORDS, beyond_words
from sitegen.site.combo.recipes import gain_record
from sitegen.site.combo.uses import table_of_best
from sitegen.site.json.schema.record import to_record
from sitegen.site.words.quality import OTHER_WORDS, USE_WORDS
from sitegen.site.words.speeds import faster_words
from sitegen.site.words.tiers import COMFORTABLY
from sitegen.survey.answers import Answer, RankedPlan
from sitegen.survey.best_for_goal import rated_higher
from sitegen.survey.best_for_use import FIRST, Candidates, RatedPick, UseAnswer, answer_for
from sitegen.survey.first_answer import fewer_users
from sitegen.survey.verdict_policy import (
    ModelQuestion,
    answered,
    driven_by,
    loaded_on,
    usual_goal,
    usual_room,
)

FOR_ONE_MODEL = (
    "config", "quantization", "tensor_parallel", "pipeline_parallel", "prediction_layers",
    "draft_gib", "expert_parallel", "data_parallel", "decode_context_parallel", "backend",
)  # fmt: skip
"""Options that say something of one model."""


HARDWARE = (
    "targets", "gpu", "nodes", "link", "node_link", "unified_memory_gib", "ram_gib",
)  # fmt: skip
"""Options that say which machine is asked about."""


def best_answered(
    session: CliSession, options: FitOptions
) -> tuple[Catalog, Combo, UseAnswer | None, Answer | None]:
    """Pick every model for the hardware and the load, and choose the best for the use.

    The last answer is a model that is rated higher and runs with a trade-off; pages name it, too.

    Raises:
        click.UsageError: If a word names nothing, or an option is for one model.
        ProblemsFound: If the catalog is broken.
    """
    use = use_of(options.best)
    catalog, engine, combo = _asked_of(session, options)
    picks = _picks(engine, combo, use, options)
    higher = None
    if use is FIRST:
        higher = rated_higher(engine, combo, picks, reference=_is_reference(options))
    return catalog, combo, answer_for(use, Candidates.of(engine, picks)), higher


def _is_reference(options: FitOptions) -> bool:
    """Return whether nothing is asked but the hardware and the use."""
    asked = replace(options, best="", **{name: getattr(FitOptions(), name) for name in HARDWARE})
    return asked == FitOptions()


def most_served(session: CliSession, options: FitOptions) -> tuple[int, UseAnswer] | None:
    """Choose the best for fewer users, the most of powers of two whom a rated model serves.

    ``None`` where none serves even one, or only one was asked for.
    """
    users, use = options.users or options.sequences, use_of(options.best)
    if users == 1:
        return None
    _, engine, combo = _asked_of(session, options)

    def best(exponent: int) -> UseAnswer | None:
        return _best(engine, combo, use, replace(options, users=1 << exponent))

    least, most = 0, fewer_users(users).bit_length()
    served = best(least)
    while served is not None and most - least > 1:
        middle = (least + most) // 2
        answer = best(middle)
        if answer is None:
            most = middle
        else:
            least, served = middle, answer
    return None if served is None else (1 << least, served)


def _asked_of(session: CliSession, options: FitOptions) -> tuple[Catalog, FitEngine, Combo]:
    for name in FOR_ONE_MODEL:
        if getattr(options, name):
            raise usage_error(
                f"--{name.replace('_', '-')}", "this option works for one model, not with --best"
            )
    catalog = catalog_at(session)
    if options.runtime:
        runtime_of(options.runtime, catalog)
    engine = FitEngine(catalog)
    return catalog, engine, combo_from(options, catalog)


def _best(engine: FitEngine, combo: Combo, use: Use, options: FitOptions) -> UseAnswer | None:
    return answer_for(use, Candidates.of(engine, _picks(engine, combo, use, options)))


def _picks(engine: FitEngine, combo: Combo, use: Use, options: FitOptions) -> list[Assessment]:
    seeing = use is Use.VISION or options.images
    found = (
        _picked(engine, combo, model, options, seeing=seeing)
        for model in engine.catalog.surveyed_models
    )
    return [one for one in found if one is not None]


def use_of(given: str) -> Use:
    """Choose a use by its id, or by another word that people type for it.

    Raises:
        click.UsageError: With every use that there is.
    """
    word = given.strip().casefold().replace(" ", "-").replace("_", "-")
    uses = {str(use): use for use in Use if use in USE_WORDS}
    found = uses.get(word) or OTHER_WORDS.get(word)
    if found is None:
        near, listed = did_you_mean(word, [*uses, *OTHER_WORDS]), ", ".join(sorted(uses))
        hint = f"{near} Uses: {listed}" if near else f"uses are {listed}"
        raise usage_error("--best", f"no use is called {given!r}", hint)
    return found


def _picked(
    engine: FitEngine, combo: Combo, model: LanguageModel, options: FitOptions, *, seeing: bool
) -> Assessment | None:
    """Pick one model; ``None`` where it promises less than the context asked for."""
    reference = int(engine.assumptions["reference-context-tokens"].value.mid)
    tokens = options.context or min(reference, model.context_tokens)
    if tokens > model.context_tokens:
        return None
    users = options.users or options.sequences
    runtime = options.runtime.partition("@")[0]
    loaded = loaded_on(engine, combo, model, runtime)
    workload = Workload(tokens, users, cache_type_from(options))
    asks = tuple(Ask(one, workload) for one in loaded if one.supports_cache_type(workload.kv_dtype))
    if not asks:
        return None
    preferred = driven_by(engine, combo)
    usual = PlanGoal.THROUGHPUT if users > 1 else usual_goal(engine, combo, preferred)
    question = ModelQuestion(
        model,
        combo,
        Asks(asks),
        PlanGoal(options.goal) if options.goal else usual,
        preferred,
        settings_from(options),
        named=runtime != "",
        read_along=True,
        room=() if options.context else usual_room(engine, model),
    )
    asked = question.for_images() if seeing else question
    return answered(engine, asked, cured=False) if asked is not None else None


def print_best(
    combo: Combo,
    answer: UseAnswer | None,
    options: FitOptions,
    fewer: tuple[int, UseAnswer] | None = None,
    higher: Answer | None = None,
) -> None:
    """Print the tier of the best models, then the next one; without any, that of fewer users."""
    if answer is None and fewer is not None:
        users, served = fewer
        asked, first = options.users or options.sequences, served.picks[0].assessment
        print(
            f"No rated model serves {asked:,} concurrent users at reading speed there. "
            f"{first.model.name} serves {users_in_words(users)}: --users {users}"
        )
        return
    if answer is None:
        print(
            "Published scores say too little to name the best model for this use among those that "
            f"fit {COMFORTABLY} there with this load."
        )
        for line in _higher_rated(higher, options):
            print(line)
        return
    print_table(table_of_best(answer, f"Best for {USE_WORDS[answer.use].lower()} on {combo.name}"))
    for line in (*_closing(answer, options), *_higher_rated(higher, options)):
        print(line)


def _closing(answer: UseAnswer, options: FitOptions) -> Iterator[str]:
    if len(answer.picks) > 1:
        yield (
            f"Published evidence cannot separate these {len(answer.picks)} models; the fastest of "
            "those with the best scores comes first."
        )
    if answer.unrated:
        yield f"{answer.unrated} more models fit but are not rated for this use."
    first = answer.picks[0].assessment
    gain = _one_user_gain(first)
    if gain is not None:
        yield f"{faster_words(gain)} ({first.model.name}): see the recipe."
    if quantized(first.workload.kv_dtype):
        yield CACHE_MAY_LOSE
    images = options.images or answer.use is Use.VISION
    yield f"Commands: {_recipe_of(first, replace(options, images=images))}"


def _recipe_of(found: Assessment, options: FitOptions) -> str:
    """Write the command that prints how to start a pick, for what was asked."""
    users = options.users or options.sequences
    asked = replace(
        options,
        targets=() if options.gpu else (found.combo.id,),
        quantization=found.checkpoint.id,
        sequences=users,
        goal=options.goal or ("throughput" if users > 1 else None),
        best="",
        users=None,
    )
    return f"sitegen recipe {shlex.join((found.model.id, *typed(asked)))}"


def _higher_rated(higher: Answer | None, options: FitOptions) -> Iterator[str]:
    """Say which model is rated higher and runs with a trade-off, as the page of a combo does."""
    if higher is None:
        return
    found = higher.best.assessment
    words = f"{round(higher.best.amount.mid)} points"
    if found.speed is not None:
        words += f", {round(found.speed.single_tokens_per_s.mid)} tok/s for one user"
    yield f"{GOAL_WORDS[higher.goal]}: {found.model.name}, {beyond_words(found)} ({words})."
    yield f"Commands: {_recipe_of(found, options)}"


def to_best_record(
    combo: Combo, answer: UseAnswer | None, higher: Answer | None = None
) -> dict[str, Any]:
    """Write the answer with the whole record of each pick."""
    beyond = {} if higher is None else {"rated_higher": _standing(higher.best)}
    if answer is None:
        return {"combo": combo.id, "best": [], "next_best": [], **beyond}
    return {
        "combo": combo.id,
        "use": str(answer.use),
        "best": [_rated(one) for one in answer.picks],
        "next_best": [_rated(one) for one in answer.following],
        "rated": answer.rated,
        "not_rated": answer.unrated,
        **beyond,
    }


def _standing(standing: RankedPlan) -> dict[str, Any]:
    return {"points": standing.amount.mid, "assessment": to_record(standing.assessment)}


def _rated(rated_pick: RatedPick) -> dict[str, Any]:
    gain = _one_user_gain(rated_pick.assessment)
    faster = {} if gain is None else {"one_user_gain": gain_record(gain)}
    return {
        "points": rated_pick.points,
        "half_width": rated_pick.half_width,
        **faster,
        "assessment": to_record(rated_pick.assessment),
    }


def _one_user_gain(assessment: Assessment) -> Interval | None:
    """Return what the commands gain with speculative decoding, where somebody measured it."""
    first = next(iter(recipes_for(assessment)), None)
    return None if first is None else first.one_user_gain

"""Combo pages: one per combo, at ``/combos/<id>/``, with all its models and all its commands.

The page answers; the two below it list: ``models/`` has a row for every model, ``recipes/`` the
steps of every command. Their data is in the files of the page itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.fit.open_verdict import ToMeasure
from sitegen.ownership.power_and_space import Facilities, facilities
from sitegen.recipes.recipe import Recipe
from sitegen.site.cells import Cell, Link, NumberCell, Unit
from sitegen.site.combo import runtime_support
from sitegen.site.combo.benchmark_priorities import combo_table, first_table
from sitegen.site.combo.cards import Card, answer_cards, further_groups, further_recipes
from sitegen.site.combo.comparison import Neighbours, comparison_link
from sitegen.site.combo.failures import about_losses, losses_table
from sitegen.site.combo.goal_table import goals_table
from sitegen.site.combo.key_facts import key_facts
from sitegen.site.combo.links import links_table
from sitegen.site.combo.model_rows import ModelRows, choosing, model_rows
from sitegen.site.combo.power_and_space import facilities_table
from sitegen.site.combo.power_and_space import twin as facilities_twin
from sitegen.site.combo.recipes import RecipeGroup, recipe_groups, twin, written
from sitegen.site.combo.uses import uses_table
from sitegen.site.drawings.answers import context_plot, load_plot
from sitegen.site.drawings.ledger import LedgerView, ledger_view
from sitegen.site.drawings.plot import Drawn
from sitegen.site.drawings.topology import TopologyDrawing, nodes_table, topology
from sitegen.site.inputs import SiteInputs
from sitegen.site.json import combos
from sitegen.site.json.schema import pages as shapes
from sitegen.site.json.schema.parts import Opportunity, WholeAssessment
from sitegen.site.json.shaped import shaped
from sitegen.site.page import Lazy, Page, unheard
from sitegen.site.plain_json import PlainJson
from sitegen.site.row_filters import Choosing
from sitegen.site.sources import sources_table
from sitegen.site.table import Table
from sitegen.site.tables.combos import effective_table, effective_vram, refused_table
from sitegen.site.tables.running_costs import (
    OwnPrices,
    RunningCosts,
    costs_table,
    own_prices,
    running_costs,
)
from sitegen.site.tables.running_costs import twin as costs_twin
from sitegen.site.tier_counts import TierTally, tally
from sitegen.site.urls import models_of, recipes_of, url_of
from sitegen.site.words.combo_answer import (
    Pooling,
    description,
    pooling,
    question,
)
from sitegen.site.words.social_cards import combo_card
from sitegen.survey.benchmark_priorities import opportunities
from sitegen.survey.results import ComboSurvey
from sitegen.survey.runtime_support import RuntimeOnCombo, runtimes_on
from sitegen.values import dataclass

TEMPLATE, MODELS, RECIPES = "combo.html", "combo-models.html", "combo-recipes.html"
Written = tuple[tuple[str, tuple[Recipe, ...]], ...]
Settled = Mapping[ToMeasure, int]
"""How many verdicts of all combos a measurement settles."""


@dataclass(frozen=True, slots=True)
class ComboView:
    """Values of ``combo.html``; ``best`` and ``tiers`` are for the files beside it alone."""

    combo: Combo
    tally: TierTally
    key_facts: tuple[tuple[str, Cell], ...]
    cards: tuple[Card, ...]
    first_models: Table | None
    choosing: Choosing
    models_url: str
    recipes_url: str
    best: Table | None
    goals: Table | None
    good_gap: Cell
    judged_last: str
    about_losses: str
    losses: Table | None
    opportunities: Table | None
    first_opportunities: Table | None
    topology: TopologyDrawing
    nodes: Table
    links: Table | None
    installed: Cell
    visible: Cell
    effective: Cell
    effective_table: Table
    pooling: Pooling
    ledger: LedgerView | None
    drawn: tuple[Drawn, ...]
    tiers: tuple[Table, ...]
    refused: Table | None
    refused_lead: Table | None
    recipes: tuple[RecipeGroup, ...]
    runtimes: Table
    costs: Table
    own_prices: OwnPrices | None
    facilities: Table
    operations: tuple[tuple[str, str], ...]
    sources: Table
    alternatives: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class ModelsView:
    """Values that ``combo-models.html`` shows: every model, by verdict."""

    combo: Combo
    above: str
    choosing: Choosing
    tiers: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class RecipesView:
    """Values that ``combo-recipes.html`` shows."""

    combo: Combo
    above: str
    recipes: tuple[RecipeGroup, ...]


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield three pages per combo: its answers, all its models, all its commands."""
    with unheard():
        surveys = inputs.survey.combos.values()
        settled = {one.measure: len(one.settles) for one in opportunities(surveys)}
        near = Neighbours(surveys)
        ids = tuple(inputs.survey.combos)
    for id_ in ids:
        with unheard() as own:
            survey = inputs.survey.combos[id_]
            made = tuple(_pages(survey, inputs, settled, near.of(survey.combo)))
        yield from (replace(page, read=tuple(own)) for page in made)


def _pages(
    survey: ComboSurvey, inputs: SiteInputs, settled: Settled, near: Iterable[Combo]
) -> Iterator[Page]:
    beside = tuple(comparison_link(survey.combo, other) for other in near)
    everywhere = {one.measure: settled[one.measure] for one in opportunities([survey])}
    commands = _commands(survey)
    rows = Lazy(partial(model_rows, survey, inputs.catalog))
    yield _page(survey, inputs, everywhere, beside=beside, commands=commands, rows=rows)
    yield _models_page(survey, rows)
    if survey.lead is not None:
        yield _recipes_page(survey, commands)


@dataclass(frozen=True, slots=True)
class _Commands:
    """The recipes that a combo's files have, and those of further answers."""

    recipes: Written
    further: Written


def _commands(survey: ComboSurvey) -> Lazy[_Commands]:
    """Write the recipes once for all pages of a combo, when the first of them is made."""

    def make() -> _Commands:
        recipes = written(survey)
        return _Commands(recipes, further_recipes(survey, recipes))

    return Lazy(make)


def _models_page(survey: ComboSurvey, rows: Lazy[ModelRows]) -> Page:
    combo = survey.combo

    def view() -> ModelsView:
        return ModelsView(combo, url_of("combo", combo.id), choosing(), rows.value().tiers)

    return Page(
        models_of(combo.id),
        f"Every model on {combo.name}",
        MODELS,
        Lazy(view),
        "combo-models",
        combo.span,
        f"{len(survey.rows)} models on {combo.name}: verdicts, speed, context and users.",
        part=True,
        listed=True,
    )


def _recipes_page(survey: ComboSurvey, commands: Lazy[_Commands]) -> Page:
    combo = survey.combo

    def view() -> RecipesView:
        groups = recipe_groups(commands.value().recipes)
        more = tuple(further_groups(survey, commands.value().further))
        return RecipesView(combo, url_of("combo", combo.id), (*groups, *more))

    return Page(
        recipes_of(combo.id),
        f"Commands for {combo.name}",
        RECIPES,
        Lazy(view),
        "combo-recipes",
        combo.span,
        f"Commands that run the best models on {combo.name}: install, start, check, stop.",
        part=True,
    )


def _page(
    survey: ComboSurvey,
    inputs: SiteInputs,
    everywhere: Settled,
    *,
    beside: tuple[Link, ...],
    commands: Lazy[_Commands],
    rows: Lazy[ModelRows],
) -> Page:
    catalog = inputs.catalog
    combo = survey.combo
    room = facilities(combo, catalog.assumptions, catalog.interconnects)
    runtimes = runtimes_on(combo, catalog.runtimes.values())
    costs = Lazy(lambda: running_costs(combo, survey.lead, room.draw_watts, catalog.assumptions))

    def view() -> ComboView:
        return _view(
            survey,
            inputs,
            everywhere,
            commands=commands.value(),
            models=rows.value(),
            beside=beside,
            room=room,
            costs=costs.value(),
            runtimes=runtimes,
        )

    def result() -> dict[str, PlainJson]:
        return _result(survey) | {
            "recipes": [twin(one) for _, found in commands.value().recipes for one in found],
            "runtimes": runtime_support.twin(runtimes),
            "facilities": facilities_twin(room),
            "costs": costs_twin(costs.value()),
        }

    return Page(
        url_of("combo", combo.id),
        question(combo),
        TEMPLATE,
        Lazy(view),
        "combo",
        combo.span,
        description(survey),
        Lazy(result),
        len(survey.rows),
        combo_card(survey, question(combo), tally(survey.rows, "models")),
        given=" ".join((*(f"{one.url} {one.text}" for one in beside), repr(everywhere))),
        sources=(*combo.sources, *combo.prose.operations.sources),
    )


def _view(
    survey: ComboSurvey,
    inputs: SiteInputs,
    everywhere: Settled,
    *,
    commands: _Commands,
    models: ModelRows,
    beside: tuple[Link, ...],
    room: Facilities,
    costs: RunningCosts,
    runtimes: tuple[RuntimeOnCombo, ...],
) -> ComboView:
    catalog = inputs.catalog
    combo, lead = survey.combo, survey.lead
    measurements = combo_table(opportunities([survey]), everywhere, catalog)
    refused_caption = "Plans ruled out here for every model"
    return ComboView(
        combo=combo,
        tally=tally(survey.rows, "models", models_of(combo.id)),
        key_facts=key_facts(survey, costs),
        cards=answer_cards(survey, (*commands.recipes, *commands.further)),
        first_models=models.first,
        choosing=choosing(),
        models_url=models_of(combo.id),
        recipes_url=recipes_of(combo.id),
        best=uses_table(survey.uses),
        goals=goals_table(survey),
        good_gap=NumberCell(catalog.assumptions["good-rating-gap"].value.mid, Unit.COUNT),
        judged_last=_judged_last(runtimes),
        about_losses=about_losses(combo, "every model"),
        losses=losses_table(survey, catalog),
        opportunities=measurements,
        first_opportunities=first_table(measurements),
        topology=topology(combo),
        nodes=nodes_table(combo),
        links=links_table(survey),
        installed=NumberCell(combo.installed_vram_bytes, Unit.GIB),
        visible=NumberCell(sum(gpu.visible_bytes for gpu in combo.gpus), Unit.GIB),
        effective=effective_vram(survey),
        effective_table=effective_table(survey, catalog),
        pooling=pooling(survey, runtimes),
        ledger=ledger_view(lead) if lead and lead.ledger else None,
        drawn=_drawn(survey),
        tiers=tuple(replace(table, on_page=False) for table in models.tiers),
        refused=refused_table(survey.refused, catalog, caption=refused_caption)
        if survey.refused
        else None,
        refused_lead=_refused_lead(lead, catalog) if lead else None,
        recipes=recipe_groups(commands.recipes),
        alternatives=beside,
        runtimes=runtime_support.matrix_table(runtimes, survey, catalog),
        costs=costs_table(costs),
        own_prices=own_prices(costs),
        facilities=facilities_table(combo, room, catalog.assumptions),
        operations=tuple(_operations(combo)),
        sources=sources_table((*combo.sources, *combo.prose.operations.sources)),
    )


def _drawn(survey: ComboSurvey) -> tuple[Drawn, ...]:
    """Draw how far the first answer goes."""
    lead = survey.lead
    if lead is None:
        return ()
    both = (context_plot(lead, survey.context_curve), load_plot(lead, survey.load_curve))
    return tuple(one for one in both if one is not None)


def _operations(combo: Combo) -> Iterator[tuple[str, str]]:
    """Yield what an editor says of running it, each under its heading."""
    said = combo.prose.operations
    pairs = (
        ("Power", said.power),
        ("Circuit", said.circuit),
        ("Slots and lanes", said.slots),
        ("Cooling", said.cooling),
        ("Noise", said.noise),
        ("Second-hand", said.used_market),
    )
    yield from ((name, text) for name, text in pairs if text)


def _refused_lead(assessment: Assessment, catalog: Catalog) -> Table | None:
    if not assessment.refused:
        return None
    runtime = assessment.runtime.name
    caption = f"Plans of {runtime} ruled out for {assessment.model.name}"
    return refused_table(assessment.refused, catalog, caption=caption, id="refused-lead")


def _result(survey: ComboSurvey) -> dict[str, PlainJson]:
    combo = survey.combo

    def whole(assessment: Assessment | None) -> PlainJson:
        return None if assessment is None else shaped(WholeAssessment, assessment)

    return {
        "combo": combo.id,
        "name": combo.name,
        "installed_vram_bytes": combo.installed_vram_bytes,
        "effective_vram": [shaped(shapes.EffectiveVram, row) for row in survey.effective_vram],
        "lead": whole(survey.lead),
        "uses": [shaped(shapes.BestForUse, one) for one in survey.uses],
        "largest_single_model": whole(survey.largest_single_model),
        "aggregate_serving": whole(survey.aggregate_serving),
        "answers": [shaped(shapes.GoalAnswer, one) for one in survey.answers],
        "context_curve": [shaped(shapes.ContextPoint, one) for one in survey.context_curve],
        "load_curve": [shaped(shapes.LoadPoint, one) for one in survey.load_curve],
        "losses": [shaped(shapes.Loss, one) for one in survey.losses],
        "opportunities": [shaped(Opportunity, one) for one in opportunities([survey])],
        **combos.rows_twin({tier: survey.tier(tier) for tier in FitTier}),
    }


def _judged_last(runtimes: Iterable[RuntimeOnCombo]) -> str:
    """Name the runtimes that run here and whose plans the answers by goal may not know."""
    return ", ".join(
        one.runtime.name for one in runtimes if one.plans and not one.runtime.surveyed_in_full
    )

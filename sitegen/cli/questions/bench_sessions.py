"""Which sessions are worth their time on a combo: doubts first, then speeds nobody measured."""

from __future__ import annotations

from sitegen.catalog.domain.catalog import Catalog
from sitegen.cli.questions.choose import record
from sitegen.cli.questions.projects import catalog_at
from sitegen.cli.questions.this_machine import combo_named
from sitegen.cli.session import CliSession
from sitegen.fit.assessment import Assessment
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.open_verdict import ToMeasure
from sitegen.recipes import recipes_for
from sitegen.recipes.recipe import Recipe
from sitegen.survey.benchmark_priorities import opportunities, sessions
from sitegen.survey.every_combo import assess_outcome, survey_combo
from sitegen.survey.results import ComboSurvey, ModelOnCombo
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Planned:
    """One sitting: what to start, and what it tells.

    ``measures`` are what is in doubt; empty where the run only makes an estimate a measurement.
    ``verdicts`` counts the verdicts that they settle.
    """

    recipe: Recipe
    measures: tuple[ToMeasure, ...]
    verdicts: int

    @property
    def found(self) -> Assessment:
        """The plan that a session runs."""
        return self.recipe.assessment


def planned(
    session: CliSession, combo_id: str, model_id: str
) -> tuple[Catalog, tuple[Planned, ...]]:
    """Survey a combo and plan its sessions, most verdicts first.

    Raises:
        click.UsageError: If a word names nothing.
        ProblemsFound: If the catalog is broken.
    """
    catalog = catalog_at(session)
    combo = combo_named(combo_id, catalog)
    if model_id:
        record("--model", "model", model_id, catalog.models)
    engine = FitEngine(catalog)
    survey = survey_combo(engine, combo)
    return catalog, (*_in_doubt(engine, survey, model_id), *_unmeasured(survey, model_id))


def _in_doubt(engine: FitEngine, survey: ComboSurvey, model_id: str) -> tuple[Planned, ...]:
    """Give each session of doubts a checkpoint in doubt that runs."""
    found = []
    for benchmark_session in sessions(opportunities((survey,))):
        rows = [
            _judged_checkpoint(engine, settled.row)
            for opportunity in benchmark_session.opportunities
            for settled in opportunity.settles
            if not model_id or settled.row.pick.model.id == model_id
        ]
        recipe = next((recipe for row in rows for recipe in recipes_for(row)), None)
        if recipe is not None:
            measures = tuple(opportunity.measure for opportunity in benchmark_session.opportunities)
            found.append(Planned(recipe, measures, benchmark_session.verdicts))
    return tuple(found)


def _judged_checkpoint(engine: FitEngine, row: ModelOnCombo) -> Assessment:
    """Assess the checkpoint that carries a row's verdict; the pick where it is that one."""
    outcome, pick = row.verdict, row.pick
    if (outcome.checkpoint.id, outcome.runtime.id) == (pick.checkpoint.id, pick.runtime.id):
        return pick
    return assess_outcome(engine, outcome)


def _unmeasured(survey: ComboSurvey, model_id: str) -> tuple[Planned, ...]:
    """Runs that no verdict waits for: the answers of the combo, or the model that was named."""
    if model_id:
        wanted = [row.pick for row in survey.rows if row.pick.model.id == model_id]
    else:
        answers = (survey.lead, survey.aggregate_serving)
        wanted = [one for one in answers if one is not None]
    found: dict[str, Planned] = {}
    for one in wanted:
        for recipe in recipes_for(one)[:1]:
            found.setdefault(one.id, Planned(recipe, (), 0))
    return tuple(found.values())

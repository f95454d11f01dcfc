"""Finding what content names: ids of the catalog and rows of the survey, with hints when wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from sitegen.fit.assessment import Assessment
from sitegen.problems import did_you_mean
from sitegen.site.content.references import NotUnderstood
from sitegen.site.inputs import SiteInputs
from sitegen.survey.every_combo import assess_outcome
from sitegen.survey.results import ComboSurvey, ModelOnCombo

Value = TypeVar("Value")


def look_up(table: Mapping[str, Value], noun: str, word: str) -> Value:
    """Return what a word names.

    Raises:
        NotUnderstood: With the nearest word as a hint.
    """
    if word not in table:
        near = did_you_mean(word, table)
        hint = near or (f"one of {', '.join(sorted(table))}" if len(table) <= 30 else "")
        raise NotUnderstood(f"no {noun} is called '{word}'", hint)
    return table[word]


def combo_survey(inputs: SiteInputs, combo_id: str) -> ComboSurvey:
    """Return the survey of a combo."""
    return look_up(inputs.survey.combos, "combo", combo_id)


def row_of(inputs: SiteInputs, model_id: str, combo_id: str) -> ModelOnCombo:
    """Return a model's row on a combo."""
    look_up(inputs.catalog.models, "model", model_id)
    for row in combo_survey(inputs, combo_id).rows:
        if row.pick.model.id == model_id:
            return row
    raise NotUnderstood(f"{combo_id} has no row for {model_id}")


def assessment_of(
    inputs: SiteInputs, model_id: str, combo_id: str, checkpoint_id: str = ""
) -> Assessment:
    """Return the pick of a row, or the assessment of one of its other checkpoints."""
    row = row_of(inputs, model_id, combo_id)
    if not checkpoint_id or checkpoint_id == row.pick.checkpoint.id:
        return row.pick
    outcomes = {outcome.checkpoint.id: outcome for outcome in row.others}
    outcome = look_up(outcomes, f"checkpoint of {model_id} on {combo_id}", checkpoint_id)
    return assess_outcome(inputs.engine, outcome)

"""Runtimes of a combo, with their plans and verdicts, as a table and as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.assessment import Assessment
from sitegen.physics.plan import PlanKind
from sitegen.site.cells import Cell, Link, TierMark
from sitegen.site.plain_json import PlainJson
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import url_of
from sitegen.site.words.sentences import reason_sentence
from sitegen.survey.results import ComboSurvey
from sitegen.survey.runtime_support import RuntimeOnCombo, WayToPlan

PLANS: Mapping[WayToPlan, str] = {
    WayToPlan(PlanKind.SINGLE): "one GPU",
    WayToPlan(PlanKind.TENSOR): "TP within a machine",
    WayToPlan(PlanKind.PIPELINE): "PP within a machine",
    WayToPlan(PlanKind.LAYER_SPLIT): "layers split over GPUs",
    WayToPlan(PlanKind.TENSOR, over_machines=True): "TP across machines",
    WayToPlan(PlanKind.PIPELINE, over_machines=True): "PP across machines",
    WayToPlan(PlanKind.REMOTE_LAYER_SPLIT, over_machines=True): "layers split over machines (RPC)",
    WayToPlan(PlanKind.OFFLOAD): "layers or experts in RAM",
}


def matrix_table(
    runtime_on_combos: Iterable[RuntimeOnCombo], survey: ComboSurvey, catalog: Catalog
) -> Table:
    """List runtimes with their plans here and the verdicts on two answers of the combo."""
    columns = (
        Column("Runtime"),
        Column("Plans here", prose=True),
        Column("Best overall"),
        Column("Many users"),
    )
    largest = {one.runtime.id: one for one in survey.ways.lead}
    serving = {one.runtime.id: one for one in _serving(survey)}
    rows = tuple(
        Row(
            (
                Link(url_of("runtime", one.runtime.id), one.runtime.name),
                ", ".join(PLANS[plan] for plan in one.plans) or _why(one, catalog),
                _mark(one, largest),
                _mark(one, serving),
            )
        )
        for one in runtime_on_combos
    )
    return Table("runtimes", "Runtimes on this hardware", columns, rows)


def _serving(survey: ComboSurvey) -> Iterator[Assessment]:
    """Yield how the serving answer runs; what stands for both answers is under the first alone."""
    answer = survey.aggregate_serving
    if answer is not None:
        yield from (one for one in survey.ways.lead if one.model == answer.model)
        yield from survey.ways.serving


def _why(runtime_on_combo: RuntimeOnCombo, catalog: Catalog) -> Cell:
    return (
        ""
        if runtime_on_combo.refusal is None
        else reason_sentence(runtime_on_combo.refusal, catalog)
    )


def _mark(runtime_on_combo: RuntimeOnCombo, answers: Mapping[str, Assessment]) -> Cell:
    found = answers.get(runtime_on_combo.runtime.id)
    return "–" if found is None else TierMark(found.tier, found.too_close)


def twin(runtime_on_combos: Iterable[RuntimeOnCombo]) -> PlainJson:
    """Return the plans as data."""
    return [
        {
            "runtime": one.runtime.id,
            "plans": [PLANS[plan] for plan in one.plans],
            "reason": one.refusal.code if one.refusal else None,
        }
        for one in runtime_on_combos
    ]

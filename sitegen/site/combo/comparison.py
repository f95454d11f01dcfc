"""Combos side by side: one row of figures each, from the objects that combo pages show.

The page shows few of them, its files all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, log

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel
from sitegen.fit.assessment import FitTier
from sitegen.ownership.cost import power_usd_a_month
from sitegen.ownership.prices import build_to_buy
from sitegen.site.cells import (
    NOT_RECORDED,
    Absent,
    Cell,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    Span,
    Unit,
    recorded,
)
from sitegen.site.combo.goal_table import gives
from sitegen.site.inputs import SiteInputs
from sitegen.site.json.schema.pages import Cost as CostShape
from sitegen.site.json.shaped import shaped
from sitegen.site.plain_json import PlainJson
from sitegen.site.table import Column, Row, Table
from sitegen.site.tables.combos import answer_model, effective_vram
from sitegen.site.tables.running_costs import ELECTRICITY
from sitegen.site.urls import url_of
from sitegen.site.words.hardware import gpu_watts, plain_gpus
from sitegen.site.words.plans import effective_words
from sitegen.site.words.prices import PRICE_NOTE, brief_cost, build_usd, cost_cell
from sitegen.site.words.tiers import TIER_HEADINGS
from sitegen.site.words.verdicts import reachable_context, row_link
from sitegen.survey.answers import Answer, AnswerGoal
from sitegen.survey.results import ComboSurvey

URL = "/compare/index.html"
MOST = 4
"""Combos that fit beside each other on a screen."""
TIER_LETTERS = {
    FitTier.COMFORTABLE: "c",
    FitTier.BORDERLINE: "b",
    FitTier.NOT_PRACTICAL: "n",
}
UNJUDGED = "-"
GOALS = (AnswerGoal.ONE_STREAM, AnswerGoal.USERS_8K, AnswerGoal.USERS_32K)


def comparison_table(surveys: Iterable[ComboSurvey], catalog: Catalog) -> Table:
    """List every combo with its figures."""
    columns = (
        Column("Combo"),
        Column("GPUs"),
        Column("Price", numeric=True, note=PRICE_NOTE),
        Column("Power", numeric=True, note="GPUs"),
        Column("Electricity", numeric=True, note="a month at full power"),
        Column("Installed", numeric=True),
        Column("Effective", numeric=True, note="one replica, at most"),
        Column("Effective by plan", note="low–high of runtimes", prose=True),
        Column("Best overall"),
        Column("Its context", numeric=True, note="one sequence"),
        Column("Fastest good model", numeric=True, note="for one user"),
        Column("Users at 8K", numeric=True, note="at most"),
        Column("Users at 32K", numeric=True, note="at most"),
        Column(TIER_HEADINGS[FitTier.COMFORTABLE], numeric=True, note="models"),
        Column(TIER_HEADINGS[FitTier.BORDERLINE], numeric=True, note="models"),
        Column(TIER_HEADINGS[FitTier.NOT_PRACTICAL], numeric=True, note="models"),
    )
    rows = tuple(_row(survey, catalog) for survey in surveys)
    return Table("combos", "Every combo", columns, rows, counted=True, on_page=False)


def compared_models(inputs: SiteInputs) -> tuple[LanguageModel, ...]:
    """List the models that combos have verdicts on, by name."""
    found = (model for model in inputs.catalog.models.values() if model.id in inputs.rows)
    return tuple(sorted(found, key=lambda model: (model.name.casefold(), model.id)))


def machines_table(surveys: Iterable[ComboSurvey]) -> Table:
    """List every machine with what a reader chooses by, and its first answer."""
    columns = (
        Column("Machine"),
        Column("GPU memory", numeric=True),
        Column("GPUs cost", numeric=True, note="newest seen"),
        Column("Power", numeric=True, note="GPUs"),
        Column("Best overall", note="file"),
        Column("Speed", numeric=True, note="one user"),
        Column("Models that fit", numeric=True),
    )
    rows = tuple(_machine(survey) for survey in surveys)
    return Table(
        "machines", "Every machine", columns, rows, counted=True, sortable=True, ascends_by=1,
        in_files=False,
    )  # fmt: skip


def _machine(survey: ComboSurvey) -> Row:
    combo, lead = survey.combo, survey.lead
    speed = lead.speed.single_tokens_per_s.mid if lead and lead.speed else None
    return Row(
        (
            Link(url_of("combo", combo.id), combo.name),
            NumberCell(combo.installed_vram_bytes, Unit.GIB),
            brief_cost(combo),
            recorded(gpu_watts(combo), Unit.WATTS),
            answer_model(lead),
            Absent("–") if speed is None else NumberCell(speed, Unit.TOKENS_PER_S),
            NumberCell(len(survey.tier(FitTier.COMFORTABLE)), Unit.COUNT),
        )
    )


def _row(survey: ComboSurvey, catalog: Catalog) -> Row:
    combo, lead = survey.combo, survey.lead
    return Row(
        (
            Link(url_of("combo", combo.id), combo.name),
            plain_gpus(combo),
            cost_cell(build_to_buy(combo)),
            recorded(gpu_watts(combo), Unit.WATTS),
            _electricity(combo, catalog),
            NumberCell(combo.installed_vram_bytes, Unit.GIB),
            effective_vram(survey),
            _by_plan(survey),
            answer_model(lead),
            reachable_context(lead) if lead else Absent("none fits"),
            *(_answer(survey, goal) for goal in GOALS),
            *(NumberCell(len(survey.tier(tier)), Unit.COUNT) for tier in FitTier),
        ),
    )


def monthly_usd(combo: Combo, catalog: Catalog) -> float | None:
    """Return what full board power costs a month, at the catalog's price of electricity."""
    watts, price = gpu_watts(combo), catalog.assumptions.get(ELECTRICITY)
    return None if watts is None or price is None else power_usd_a_month(watts, price.value.mid)


def _electricity(combo: Combo, catalog: Catalog) -> Cell:
    usd = monthly_usd(combo, catalog)
    return NOT_RECORDED if usd is None else NumberCell(usd, Unit.USD)


def _by_plan(survey: ComboSurvey) -> Cell:
    """Print each plan with what one replica can fill, from the least to the most of runtimes."""
    sizes: dict[str, list[int]] = {}
    for row in sorted(survey.effective_vram, key=lambda row: -row.bytes):
        sizes.setdefault(effective_words(row), []).append(row.bytes)
    if not sizes:
        return Absent("none")
    return Lines(
        tuple(
            Parts((Span(found[-1], found[-1], found[0], Unit.GIB), " ", Small(words)))
            for words, found in sizes.items()
        )
    )


def best_answer(survey: ComboSurvey, goal: AnswerGoal) -> Answer | None:
    """Return the answer that a combo page gives for a goal."""
    return next((answer for answer in survey.answers if answer.goal is goal), None)


def _answer(survey: ComboSurvey, goal: AnswerGoal) -> Cell:
    answer = best_answer(survey, goal)
    if answer is None:
        return Absent("none fits")
    found = answer.best.assessment
    model = Small(Link(row_link(found), found.model.name))
    return Lines((gives(goal, answer.best), model))


def alternatives(
    surveys: Mapping[str, ComboSurvey], each: int = 2
) -> Mapping[str, tuple[Combo, ...]]:
    """For each combo, the nearest others by installed VRAM and by price, nearest first."""
    combos = {survey.combo.id: survey.combo for survey in surveys.values()}
    installed = {id_: combo.installed_vram_bytes for id_, combo in combos.items()}
    price = {id_: build_usd(combo) for id_, combo in combos.items()}

    def apart(one: str, other: str, amounts: Mapping[str, int | None]) -> float:
        ours, theirs = amounts[one], amounts[other]
        return abs(log(theirs / ours)) if ours and theirs else inf

    def near(
        one: str, first: Mapping[str, int | None], then: Mapping[str, int | None]
    ) -> list[Combo]:
        """Of equals by the first amount, the nearest by the second."""
        by_first = ((apart(one, other, first), other) for other in combos if other != one)
        found = sorted((far, apart(one, id_, then), id_) for far, id_ in by_first if far < inf)
        return [combos[id_] for _, _, id_ in found[:each]]

    return {
        combo.id: tuple(
            {
                other.id: other
                for other in (
                    *near(combo.id, installed, price),
                    *near(combo.id, price, installed),
                )
            }.values()
        )
        for combo in combos.values()
    }


def comparison_link(combo: Combo, other: Combo) -> Link:
    """Link two combos side by side."""
    return Link(f"{URL}?a={combo.id}&b={other.id}", other.name)


def comparison_twin(surveys: Iterable[ComboSurvey], catalog: Catalog) -> list[PlainJson]:
    """Write the rows for the JSON twin."""
    return [
        {
            "combo": survey.combo.id,
            "gpu_price_usd": build_usd(survey.combo),
            "price": shaped(CostShape, build_to_buy(survey.combo)),
            "gpu_watts": gpu_watts(survey.combo),
            "electricity_usd_per_month": monthly_usd(survey.combo, catalog),
            "installed_vram_bytes": survey.combo.installed_vram_bytes,
            "effective_vram_bytes": max((row.bytes for row in survey.effective_vram), default=None),
            "best_for_general_use": survey.lead.model.id if survey.lead else None,
            "largest_single_model": survey.largest_single_model.model.id
            if survey.largest_single_model
            else None,
            **{str(goal): _amount(survey, goal) for goal in GOALS},
            "models": {str(tier): len(survey.tier(tier)) for tier in FitTier},
        }
        for survey in surveys
    ]


def _amount(survey: ComboSurvey, goal: AnswerGoal) -> PlainJson:
    answer = best_answer(survey, goal)
    if answer is None:
        return None
    return {"model": answer.best.assessment.model.id, "mid": answer.best.amount.mid}

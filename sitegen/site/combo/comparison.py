"""Combos side by side: one row of figures each, from the objects that combo pages show.

The page shows few of them, its files all.
"""

from __future__ import annotations

from bisect import bisect_left
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
from sitegen.site.words.hardware import (
    gpu_watts,
    machine_watts,
    most_watts,
    plain_gpus,
    power_words,
)
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
        Column("Machine", key="combo"),
        Column("GPUs"),
        Column("Price", numeric=True, note=PRICE_NOTE),
        Column("Power", numeric=True),
        Column("Electricity", numeric=True, note="a month at full power"),
        Column("Installed", numeric=True),
        Column("Effective", numeric=True, note="one replica, at most"),
        Column("Effective VRAM by plan", note="low–high of runtimes", prose=True),
        Column("Best overall"),
        Column("Its context", numeric=True, note="one sequence"),
        Column("Fastest good model", numeric=True, note="for one user"),
        Column("Users at 8K", numeric=True, note="at reading speed"),
        Column("Users at 32K", numeric=True, note="at reading speed"),
        Column(TIER_HEADINGS[FitTier.COMFORTABLE], numeric=True, note="models"),
        Column(TIER_HEADINGS[FitTier.BORDERLINE], numeric=True, note="models"),
        Column(TIER_HEADINGS[FitTier.NOT_PRACTICAL], numeric=True, note="models"),
    )
    rows = tuple(_row(survey, catalog) for survey in surveys)
    return Table("combos", "All machines", columns, rows, counted=True, on_page=False)


def compared_models(inputs: SiteInputs) -> tuple[LanguageModel, ...]:
    """List the models that combos have verdicts on, by name."""
    found = (model for model in inputs.catalog.models.values() if model.id in inputs.rows)
    return tuple(sorted(found, key=lambda model: (model.name.casefold(), model.id)))


def machines_table(surveys: Iterable[ComboSurvey]) -> Table:
    """List every machine with what a reader chooses by, and its first answer."""
    columns = (
        Column("Machine"),
        Column("GPU memory", numeric=True),
        Column("GPU cost", numeric=True, note="newest seen", key="GPUs cost"),
        Column("Power", numeric=True),
        Column("Best overall", note="file"),
        Column("Speed", numeric=True, note="one user"),
        Column("Models that fit", numeric=True),
    )
    rows = tuple(_machine(survey) for survey in surveys)
    return Table(
        "machines", "All machines", columns, rows, counted=True, sortable=True, ascends_by=1,
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
            power_words(combo),
            answer_model(survey),
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
            power_words(combo),
            _electricity(combo, catalog),
            NumberCell(combo.installed_vram_bytes, Unit.GIB),
            effective_vram(survey),
            _by_plan(survey),
            answer_model(survey),
            reachable_context(lead) if lead else Absent("none fits"),
            *(_answer(survey, goal) for goal in GOALS),
            *(NumberCell(len(survey.tier(tier)), Unit.COUNT) for tier in FitTier),
        ),
    )


def monthly_usd(combo: Combo, catalog: Catalog) -> float | None:
    """Return what full power costs a month, at the catalog's price of electricity."""
    watts, price = most_watts(combo), catalog.assumptions.get(ELECTRICITY)
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


class Neighbours:
    """Finds the combos nearest to one by an amount, without a look at all others."""

    def __init__(self, surveys: Iterable[ComboSurvey]) -> None:
        combos = [survey.combo for survey in surveys]
        self._combos = {combo.id: combo for combo in combos}
        installed = {combo.id: combo.installed_vram_bytes for combo in combos}
        price = {combo.id: build_usd(combo) for combo in combos}
        self._orders = (_Order(installed, price), _Order(price, installed))

    def of(self, combo: Combo, each: int = 2) -> tuple[Combo, ...]:
        """List the nearest other combos by installed VRAM, then by price, each nearest first."""
        found = (id_ for order in self._orders for id_ in order.near(combo.id, each))
        return tuple(self._combos[id_] for id_ in dict.fromkeys(found))


class _Order:
    """Ids in the order of an amount; of those equally far, the nearest by a second amount."""

    def __init__(self, first: Mapping[str, int | None], then: Mapping[str, int | None]) -> None:
        self._first, self._then = first, then
        self._equal: dict[int, list[str]] = {}
        for id_, amount in first.items():
            if amount:
                self._equal.setdefault(amount, []).append(id_)
        self._amounts = sorted(self._equal)

    def near(self, one: str, count: int) -> list[str]:
        """Return so many others, nearest first; none for one without an amount."""
        ours = self._first[one]
        if not ours:
            return []
        found: list[tuple[float, float, str]] = []
        below = bisect_left(self._amounts, ours) - 1
        above = below + 1
        while below >= 0 or above < len(self._amounts):
            down = _apart(ours, self._amounts[below]) if below >= 0 else inf
            up = _apart(ours, self._amounts[above]) if above < len(self._amounts) else inf
            far = min(down, up)
            if len(found) >= count and far > found[-1][0]:
                break
            amount = self._amounts[below if down <= up else above]
            below, above = (below - 1, above) if down <= up else (below, above + 1)
            found += (
                (far, _apart(self._then[one], self._then[other]), other)
                for other in self._equal[amount]
                if other != one
            )
        return [id_ for _, _, id_ in sorted(found)[:count]]


def _apart(ours: int | None, theirs: int | None) -> float:
    return abs(log(theirs / ours)) if ours and theirs else inf


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
            "machine_watts": machine_watts(survey.combo),
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

"""The page that puts machines side by side for one model, or two models on one machine."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.fit.assessment import FitTier
from sitegen.problems import SourceSpan
from sitegen.quality.values import Use
from sitegen.site.cells import TierMark
from sitegen.site.combo.comparison import (
    MOST,
    compared_models,
    comparison_table,
    comparison_twin,
    machines_table,
)
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Lazy, Page
from sitegen.site.pages.home import usual_machines
from sitegen.site.table import Table
from sitegen.values import dataclass

TEMPLATE = "compare.html"
MACHINES_URL = "/assets/beside/"
"""Where each machine's verdicts are, as a script."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a list; ``points`` is a model's rating, empty where it has none."""

    value: str
    words: str
    points: str = ""


@dataclass(frozen=True, slots=True)
class CompareView:
    """Values of ``compare.html``; ``table`` is for the files beside it alone.

    ``first`` are the machines that a reader begins with, ``rows`` the names of facts in the order
    of the scripts.
    """

    table: Table
    machines: Table
    combos: tuple[Choice, ...]
    models: tuple[Choice, ...]
    first: tuple[str, ...]
    marks: tuple[TierMark, ...]
    machines_url: str
    most: int


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the one page."""
    surveys = sorted(
        inputs.survey.combos.values(), key=lambda s: (s.combo.installed_vram_bytes, s.combo.id)
    )

    def view() -> CompareView:
        return CompareView(
            table=comparison_table(surveys, inputs.catalog),
            machines=machines_table(surveys),
            combos=tuple(Choice(one.combo.id, one.combo.name) for one in surveys),
            models=tuple(_models(inputs)),
            first=tuple(one.combo.id for one in usual_machines(inputs)[:2]),
            marks=tuple(TierMark(tier) for tier in FitTier),
            machines_url=MACHINES_URL,
            most=MOST,
        )

    yield Page(
        "/compare/",
        "Compare machines and models",
        TEMPLATE,
        Lazy(view),
        "compare",
        SourceSpan("catalog/combos"),
        "One model on two to four machines, or two models on one: verdict, speed, context, users, "
        "price and power side by side.",
        {"combos": comparison_twin(surveys, inputs.catalog)},
        len(surveys),
    )


def _models(inputs: SiteInputs) -> Iterator[Choice]:
    for model in compared_models(inputs):
        rating = inputs.engine.ratings.of(Use.OVERALL, model.id)
        points = str(round(rating.points.mid)) if rating and rating.is_rated else ""
        yield Choice(model.id, model.name, points)

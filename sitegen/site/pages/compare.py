"""The page that puts combos side by side: every one in a table, two to four with a script."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.fit.assessment import FitTier
from sitegen.problems import SourceSpan
from sitegen.site.cells import Link, TierMark
from sitegen.site.combo.comparison import MOST, comparison_table, comparison_twin
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.row_filters import Choosing, choosing_combos
from sitegen.site.table import Table
from sitegen.site.urls import url_of
from sitegen.values import dataclass

TEMPLATE = "compare.html"


@dataclass(frozen=True, slots=True)
class CompareView:
    """Values of ``compare.html``; ``models`` are in the order of the rows' ``data-tiers``."""

    table: Table
    choosing: Choosing
    models: tuple[Link, ...]
    marks: tuple[TierMark, ...]
    most: int


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the one page."""
    surveys = sorted(
        inputs.survey.combos.values(), key=lambda s: (s.combo.installed_vram_bytes, s.combo.id)
    )
    models = sorted(
        (model for model in inputs.catalog.models.values() if model.id in inputs.rows),
        key=lambda model: (-inputs.facts[model.id].parameters, model.id),
    )
    view = CompareView(
        comparison_table(surveys, models, inputs.catalog),
        choosing_combos(survey.combo for survey in surveys),
        tuple(Link(url_of("model", model.id), model.name) for model in models),
        tuple(TierMark(tier) for tier in FitTier),
        MOST,
    )
    yield Page(
        "/compare/",
        "Compare combos",
        TEMPLATE,
        view,
        "compare",
        SourceSpan("catalog/combos"),
        "Price, power, effective VRAM, largest model, speed, users and verdicts of every combo, "
        "two to four of them side by side.",
        {"combos": comparison_twin(surveys, inputs.catalog)},
        len(surveys),
    )

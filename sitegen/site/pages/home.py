"""The home page: what the site answers, and the way to every combo, model and guide."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.fit.assessment import FitTier
from sitegen.fit.fit_engine import PROFILED
from sitegen.problems import SourceSpan
from sitegen.site.cells import Cell, Link, Quantity, TierMark, Unit
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.table import Column, Row, Table
from sitegen.site.tables.combos import answer_model, combo_heading
from sitegen.site.tier_counts import shares
from sitegen.site.urls import url_of
from sitegen.site.words.hardware import SHAPE_WORDS, Shape, shape_of
from sitegen.site.words.tiers import TIER_HEADINGS
from sitegen.survey.results import ComboSurvey
from sitegen.values import dataclass

TEMPLATE = "home.html"


@dataclass(frozen=True, slots=True)
class ComboGroup:
    """Combos of one shape."""

    heading: str
    table: Table


@dataclass(frozen=True, slots=True)
class ModelGroup:
    """Models of one organization."""

    organization: str
    models: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class HomeView:
    """What ``home.html`` shows."""

    counts: tuple[tuple[str, Cell, str], ...]
    marks: tuple[TierMark, ...]
    combos: tuple[ComboGroup, ...]
    models: tuple[ModelGroup, ...]
    guides: tuple[tuple[Link, str], ...]
    runtimes: tuple[Link, ...]


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the home page."""
    view = HomeView(
        counts=_counts(inputs),
        marks=tuple(TierMark(tier) for tier in FitTier),
        combos=tuple(_combos(inputs)),
        models=_models(inputs),
        guides=tuple(
            (Link(document.url, document.title), document.description)
            for document in inputs.documents
            if document.kind == "guide"
        ),
        runtimes=tuple(
            Link(url_of("runtime", runtime.id), runtime.name)
            for runtime in inputs.catalog.runtimes.values()
            if runtime.memory_model in PROFILED
        ),
    )
    settings = inputs.settings
    source = SourceSpan("content/site.yaml")
    yield Page("/", settings.tagline, TEMPLATE, view, "home", source, settings.description)


def _counts(inputs: SiteInputs) -> tuple[tuple[str, Cell, str], ...]:
    catalog = inputs.catalog
    verdicts = sum(len(survey.rows) for survey in inputs.survey.combos.values())
    sizes = (
        ("combos", len(catalog.combos), "/combos/"),
        ("models", len(catalog.models), "/models/"),
        ("GPUs", len(catalog.gpus), "/gpus/"),
        ("verdicts", verdicts, "/framework/"),
    )
    return tuple((name, Quantity(size, Unit.COUNT), url) for name, size, url in sizes)


def _combos(inputs: SiteInputs) -> Iterator[ComboGroup]:
    for shape in Shape:
        found = [s for s in inputs.survey.combos.values() if shape_of(s.combo) is shape]
        if found:
            found.sort(key=lambda s: (s.combo.installed_vram_bytes, s.combo.id))
            yield ComboGroup(SHAPE_WORDS[shape], _table(shape, found))


def _table(shape: Shape, surveys: list[ComboSurvey]) -> Table:
    columns = (
        Column("Combo"),
        Column("Installed", numeric=True),
        Column("Best overall"),
        Column(TIER_HEADINGS[FitTier.COMFORTABLE], numeric=True, note="models"),
        Column("All models", note="by verdict"),
    )
    rows = tuple(
        Row(
            (
                combo_heading(survey.combo),
                Quantity(survey.combo.installed_vram_bytes, Unit.GIB),
                answer_model(survey.lead),
                Quantity(len(survey.tier(FitTier.COMFORTABLE)), Unit.COUNT),
                shares(survey.rows),
            )
        )
        for survey in surveys
    )
    return Table(shape, SHAPE_WORDS[shape], columns, rows, counted=True)


def _models(inputs: SiteInputs) -> tuple[ModelGroup, ...]:
    groups: dict[str, list[Link]] = {}
    for model in inputs.catalog.models.values():
        link = Link(url_of("model", model.id), model.name)
        groups.setdefault(model.organization, []).append(link)
    return tuple(
        ModelGroup(name, tuple(sorted(links, key=lambda link: link.text.casefold())))
        for name, links in sorted(groups.items(), key=lambda item: item[0].casefold())
    )

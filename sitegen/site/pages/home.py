"""The home page: one form that says what to run, usual machines with their answers, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from sitegen.catalog.domain.hardware import Combo, DedicatedMemory
from sitegen.fit.assessment import FitTier
from sitegen.problems import SourceSpan
from sitegen.site.cells import Cell, Lines, Link, NumberCell, Small, TierMark, Unit
from sitegen.site.combo.first_answer import FirstView, first_view
from sitegen.site.composed_address import State, usual_combo
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.pages.custom import DATA_URLS, ENGINE_URL, MODEL_URL
from sitegen.site.reports.accuracy_headline import AccuracyFigure, headline_figures
from sitegen.site.table import Column, Row, Table
from sitegen.site.tables.combos import combo_heading
from sitegen.site.urls import url_of
from sitegen.site.words.hardware import SHAPE_WORDS, PoolingShape, plain_gpus, shape_of
from sitegen.site.words.quality import USE_WORDS
from sitegen.site.words.verdicts import checkpoint_name, row_link
from sitegen.survey.composed_build import BuildQuestion, build_of
from sitegen.survey.first_answer import of_survey
from sitegen.survey.results import ComboSurvey
from sitegen.values import dataclass

TEMPLATE = "home.html"
NAMES_URL = "/assets/names.js"
ANSWERS_URL = "/assets/answers/"
"""Address of each combo's answer to the form's first question, as a script."""
CONTEXTS = (4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 262_144)
TABLED = 12
"""Usual machines with their answer in a table."""
OFFERED = 8
"""Uses that a button fills in."""


@dataclass(frozen=True, slots=True)
class MachineOption:
    """An option of a list; ``gpu`` is the id of the one GPU of a machine that has one alone."""

    value: str
    words: str
    gpu: str = ""


@dataclass(frozen=True, slots=True)
class ComboGroup:
    """Combos of one shape, by name."""

    heading: str
    combos: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class HomeView:
    """Values that ``home.html`` shows.

    ``answer`` is that of ``shown``, the first of the usual machines; ``None`` without combos.
    """

    answer: FirstView | None
    shown: MachineOption
    offered: tuple[MachineOption, ...]
    uses: tuple[MachineOption, ...]
    models: tuple[MachineOption, ...]
    contexts: tuple[int, ...]
    context: int
    scripts: tuple[str, ...]
    names_url: str
    answers_url: str
    marks: tuple[TierMark, ...]
    figures: tuple[AccuracyFigure, ...]
    machines: Table
    combos: tuple[ComboGroup, ...]
    guides: tuple[tuple[Link, str], ...]
    counts: tuple[tuple[str, Cell, str], ...]


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the home page."""
    catalog = inputs.catalog
    usual = usual_machines(inputs)
    first = _first(usual, inputs)
    offered = tuple(_choice(one.combo) for one in usual[:OFFERED])
    context = int(catalog.assumptions["reference-context-tokens"].value.mid)
    models = sorted(catalog.surveyed_models, key=lambda model: model.name.casefold())
    view = HomeView(
        answer=_answer(first, context, inputs) if first else None,
        shown=_choice(first.combo) if first else MachineOption("", ""),
        offered=offered,
        uses=tuple(MachineOption(use.value, words) for use, words in USE_WORDS.items()),
        models=tuple(MachineOption(model.id, model.name) for model in models),
        contexts=tuple(sorted({*CONTEXTS, context})),
        context=context,
        scripts=(ENGINE_URL, MODEL_URL, *DATA_URLS),
        names_url=NAMES_URL,
        answers_url=ANSWERS_URL,
        marks=tuple(TierMark(tier) for tier in FitTier),
        figures=tuple(headline_figures(inputs.records.memory, inputs.records.speed)),
        machines=_machines(usual),
        combos=tuple(_combos(inputs)),
        guides=tuple(
            (Link(document.url, document.title), document.description)
            for document in inputs.documents
            if document.kind == "guide"
        ),
        counts=_counts(inputs),
    )
    settings = inputs.settings
    source = SourceSpan("content/site.yaml")
    yield Page("/", settings.tagline, TEMPLATE, view, "home", source, settings.description)


def usual_machines(inputs: SiteInputs) -> tuple[ComboSurvey, ...]:
    """Return the machines that most sources measured, one for each set of GPUs, most first.

    Where nothing was measured they are the smallest. With experts in system RAM a run is of the
    whole computer, and says little of how common its GPUs are.
    """
    known = Counter(
        hardware
        for source in inputs.catalog.benchmarks.values()
        for hardware in {
            plain_gpus(run.system) for run in source.runs if not run.split.cpu_expert_layers
        }
    )
    first: dict[str, ComboSurvey] = {}
    fewest_nodes_first = sorted(inputs.survey.combos.values(), key=lambda s: len(s.combo.nodes))
    for survey in fewest_nodes_first:
        if survey.lead is not None:
            first.setdefault(plain_gpus(survey.combo), survey)
    ordered = sorted(first, key=lambda words: (-known[words], _size(first[words].combo)))
    return tuple(first[words] for words in ordered[:TABLED])


def _first(usual: Sequence[ComboSurvey], inputs: SiteInputs) -> ComboSurvey | None:
    """Return what the form begins with: the GPU that most combos have, as on the custom page."""
    combo = usual_combo(inputs.catalog)
    found = inputs.survey.combos.get(combo.id) if combo is not None else None
    if found is not None and found.lead is not None:
        return found
    return usual[0] if usual else None


def _choice(combo: Combo) -> MachineOption:
    """Name a machine in few words."""
    alone = len(combo.gpus) == 1 and isinstance(combo.gpus[0].gpu.memory, DedicatedMemory)
    gpu = combo.gpus[0].gpu.id if alone else ""
    return MachineOption(combo.id, combo.name.partition(" (")[0], gpu)


def _size(combo: Combo) -> tuple[int, str]:
    return (combo.installed_vram_bytes, combo.id)


def _answer(survey: ComboSurvey, context: int, inputs: SiteInputs) -> FirstView:
    combo = survey.combo
    state = State(build_of(combo), BuildQuestion(context), combo.id)
    return first_view(of_survey(survey), state, inputs.catalog)


def _machines(usual: tuple[ComboSurvey, ...]) -> Table:
    columns = (
        Column("Machine"),
        Column("Best overall", note="file, runtime"),
        Column("Speed", numeric=True, note="one user"),
    )
    rows = tuple(Row(_machine(survey)) for survey in usual)
    return Table("usual", "The best model for each machine", columns, rows)


def _machine(survey: ComboSurvey) -> tuple[Cell, ...]:
    lead = survey.lead
    if lead is None:
        return (combo_heading(survey.combo), "none", "")
    runs = Small(f"{checkpoint_name(lead)}, {lead.runtime.name}")
    mark = () if lead.tier is FitTier.COMFORTABLE else (TierMark(lead.tier),)
    return (
        combo_heading(survey.combo),
        Lines((Link(row_link(lead), lead.model.name), runs, *mark)),
        NumberCell(lead.speed.single_tokens_per_s.mid, Unit.TOKENS_PER_S) if lead.speed else "–",
    )


def _combos(inputs: SiteInputs) -> Iterator[ComboGroup]:
    for shape in PoolingShape:
        found = [one for one in inputs.catalog.combos.values() if shape_of(one) is shape]
        if found:
            ordered = sorted(found, key=_size)
            links = tuple(Link(url_of("combo", one.id), one.name) for one in ordered)
            yield ComboGroup(SHAPE_WORDS[shape], links)


def _counts(inputs: SiteInputs) -> tuple[tuple[str, Cell, str], ...]:
    catalog = inputs.catalog
    sizes = (
        ("machines", len(catalog.combos), "/combos/"),
        ("GPUs", len(catalog.gpus), "/gpus/"),
        ("models", len(catalog.models), "/models/"),
        ("runtimes", len(catalog.runtimes), "/runtimes/"),
    )
    return tuple((name, NumberCell(size, Unit.COUNT), url) for name, size, url in sizes)

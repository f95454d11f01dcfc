"""Index pages of combos, models, GPUs, runtimes and guides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sitegen.catalog.domain.models import LanguageModel
from sitegen.catalog.resolve.parts import resolve_source
from sitegen.physics.model_facts import ModelFacts
from sitegen.problems import SourceSpan
from sitegen.quality.values import Use
from sitegen.site.content.unjudged import Unjudged
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.row_filters import Choosing, choosing_combos, choosing_gpus, choosing_models
from sitegen.site.sources import source_cell
from sitegen.site.table import Column, Fold, Row, Table
from sitegen.site.tables.combos import combos_table
from sitegen.site.tables.hardware import gpus_table
from sitegen.site.tables.models import models_table
from sitegen.site.tables.runtimes import runtimes_table
from sitegen.site.words.hardware import SHAPE_WORDS, VENDOR_NAMES, PoolingShape, shape_of
from sitegen.survey.results import ComboSurvey
from sitegen.values import dataclass

TEMPLATE = "index.html"


@dataclass(frozen=True, slots=True)
class IndexView:
    """Values that ``index.html`` shows: an opening sentence, tables, and what to choose rows by.

    ``unjudged`` lists what is not judged, and why.
    """

    opening: str
    tables: tuple[Table, ...]
    choosing: Choosing | None = None
    unjudged: Fold | None = None


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the indexes of the catalog's records."""
    models = _models(inputs)
    yield _page(
        "/combos/",
        "Machines",
        "One GPU, several GPUs, or several computers together: the memory that one model can use, "
        "the price, the best model, and how many models fit.",
        combo_tables(inputs),
        kind="combos",
        choosing=choosing_combos(inputs.catalog.combos.values()),
    )
    yield _page(
        "/models/",
        "Models",
        "Open-weight models, best rated first, with the numbers that set their memory use: "
        "parameters, KV cache per token, context, and the number of GPUs that tensor parallelism "
        "can use.",
        (models_table(models, inputs.engine.ratings, id="models", caption="All models"),),
        kind="models",
        choosing=choosing_models(models),
        unjudged=_unjudged("Models without a verdict yet", inputs.unjudged.models),
    )
    yield _page(
        "/gpus/",
        "GPUs",
        "Memory (installed and usable), bandwidth, power and price of every GPU.",
        tuple(_gpus(inputs)),
        kind="gpus",
        choosing=choosing_gpus(inputs.catalog.gpus.values()),
        unjudged=_unjudged("Not assessed here", inputs.unjudged.gpus),
    )
    yield _page(
        "/runtimes/",
        "Runtimes",
        "Programs that serve models: what each one can do, and which ones we rate.",
        (runtimes_table(inputs.catalog.runtimes.values(), id="runtimes"),),
        kind="runtimes",
        unjudged=_unjudged("Not assessed here", inputs.unjudged.runtimes),
    )


def _page(
    url: str,
    title: str,
    opening: str,
    tables: tuple[Table, ...],
    *,
    kind: str,
    choosing: Choosing | None = None,
    unjudged: Fold | None = None,
) -> Page:
    view = IndexView(opening, tables, choosing, unjudged)
    source = SourceSpan(f"catalog/{kind}")
    return Page(url, title, TEMPLATE, view, kind, source, opening)


def _unjudged(heading: str, names: Sequence[Unjudged]) -> Fold | None:
    """List unjudged models, runtimes or GPUs with reasons; ``None`` if there are none."""
    if not names:
        return None
    columns = (Column("Name"), Column("Why"), Column("Source"))
    rows = tuple(
        Row((_named(one), one.reason, source_cell(resolve_source(one.source)))) for one in names
    )
    return Fold(f"{heading} ({len(rows)})", Table("unjudged", heading, columns, rows, counted=True))


def _named(unjudged: Unjudged) -> str:
    return f"{unjudged.name} ({unjudged.repository})" if unjudged.repository else unjudged.name


def combo_tables(inputs: SiteInputs) -> tuple[Table, ...]:
    """List combos by shape, the least installed VRAM first."""
    groups: dict[PoolingShape, list[ComboSurvey]] = {shape: [] for shape in PoolingShape}
    for survey in inputs.survey.combos.values():
        groups[shape_of(survey.combo)].append(survey)
    return tuple(
        combos_table(
            sorted(combo_surveys, key=lambda s: (s.combo.installed_vram_bytes, s.combo.id)),
            id=shape,
            caption=SHAPE_WORDS[shape],
            ascends=True,
            prices=True,
        )
        for shape, combo_surveys in groups.items()
        if combo_surveys
    )


def _models(inputs: SiteInputs) -> list[tuple[LanguageModel, ModelFacts]]:
    """List models, best rated first, then those without a rating, newest first."""
    ratings = inputs.engine.ratings

    def rank(pair: tuple[LanguageModel, ModelFacts]) -> float:
        rating = ratings.of(Use.OVERALL, pair[0].id)
        return -rating.points.mid if rating and rating.is_rated else 0.0

    known = [(model, inputs.facts[model.id]) for model in inputs.catalog.models.values()]
    known.sort(key=lambda pair: pair[0].released, reverse=True)
    return sorted(known, key=rank)


def _gpus_caption(vendor: str) -> str:
    what = "Processors" if vendor == VENDOR_NAMES["cpu"] else f"{vendor} GPUs"
    return f"{what}, fastest memory first"


def _gpus(inputs: SiteInputs) -> Iterator[Table]:
    for vendor, name in VENDOR_NAMES.items():
        chosen = [gpu for gpu in inputs.catalog.gpus.values() if gpu.vendor == vendor]
        if chosen:
            chosen.sort(key=lambda gpu: (-gpu.memory_bandwidth_bytes_per_s, gpu.id))
            yield gpus_table(chosen, id=vendor, caption=_gpus_caption(name))

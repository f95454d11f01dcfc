"""Models by GPUs: who is in the grid, in which order, and what a cell says and opens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil

from sitegen.catalog.domain.models import LanguageModel
from sitegen.fit.assessment import FitTier
from sitegen.quality.values import Use
from sitegen.site.cells import Absent, Cell, Link, NumberCell, Parts, TierMark, Unit
from sitegen.site.composed_address import with_model, write_build
from sitegen.site.inputs import SiteInputs
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import CUSTOM_URL, url_of, view_of
from sitegen.site.words.quality import USE_WORDS
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.composed_build import build_of
from sitegen.survey.gpu_grid import NOT, OneKind, OnGpus, every_kind, on_gpus
from sitegen.units import GIB
from sitegen.values import dataclass

COLUMNS, ROWS = 10, 25
"""What a page shows before anybody asks for more."""
FEW = 4
"""One in so many GPUs at least runs a model that is shown unasked."""


@dataclass(frozen=True, slots=True)
class Head:
    """A column: some number of one kind of GPU; ``gib`` is the memory of each."""

    gpu: str
    name: str
    vendor: str
    gib: int
    is_chip: bool
    counts: tuple[int, ...]
    kind: OneKind

    @property
    def url(self) -> str:
        """The page of the GPU."""
        return url_of("gpu", self.gpu)


@dataclass(frozen=True, slots=True)
class Pair:
    """A cell: how a model runs on some GPUs, and the address of the whole answer."""

    found: OnGpus
    url: str


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A row: a model with its rating, and a cell for each column."""

    model: Link
    points: int | None
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """All that the matrix is cut from.

    Attributes:
        heads: Columns, those first that most published runs name.
        models: Rows, the best rated first.
        points: Ratings by use and model, in whole points.
        needs: The smallest machine for each model, by GPU.
    """

    heads: tuple[Head, ...]
    models: tuple[LanguageModel, ...]
    points: Mapping[Use, Mapping[str, int]]
    needs: Mapping[str, tuple[GpusNeeded, ...]]


def grid_of(inputs: SiteInputs) -> Grid:
    """Order GPUs by how many sources ran one, and rated models by their rating.

    Where no model is rated all are listed, by name.
    """
    catalog, ratings = inputs.catalog, inputs.engine.ratings
    models = sorted(catalog.surveyed_models, key=lambda model: model.name.casefold())
    points = {
        use: {
            model.id: round(rating.points.mid)
            for model in models
            if (rating := ratings.of(use, model.id)) is not None and rating.is_rated
        }
        for use in USE_WORDS
    }
    overall = points[Use.OVERALL]
    current = [model for model in models if not model.base and model.id in overall]
    rated = sorted(current, key=lambda model: -_points(overall, model))
    return Grid(_heads(inputs), tuple(rated or models), points, inputs.survey.needs)


def _points(points: Mapping[str, int], model: LanguageModel) -> int:
    return points.get(model.id, 0)


def _heads(inputs: SiteInputs) -> tuple[Head, ...]:
    catalog = inputs.catalog
    ran = Counter(
        (gpu.gpu.id, gpu.installed_bytes)
        for source in catalog.benchmarks.values()
        for gpu in {
            (one.gpu.id, one.installed_bytes): one for run in source.runs for one in run.system.gpus
        }.values()
    )
    kinds = [kind for kind in every_kind(catalog, inputs.survey) if kind.machines]
    kinds.sort(key=lambda kind: (-ran[kind.gpu.id, kind.each_bytes], kind.gpu.id, kind.each_bytes))
    return tuple(_head(kind) for kind in kinds)


def _head(kind: OneKind) -> Head:
    gib = round(kind.each_bytes / GIB)
    plain = kind.gpu.name.partition(" (")[0]
    name = f"{plain}, {gib} GiB" if kind.is_chip else plain
    return Head(
        kind.gpu.id, name, str(kind.gpu.vendor), gib, kind.is_chip, tuple(kind.machines), kind
    )


def machine_address(head: Head, count: int) -> str:
    """Write the machine of a column as the page of composed builds reads it."""
    listed = head.kind.listed.get(count)
    if listed is not None:
        return f"combo={listed.combo.id}"
    return write_build(build_of(head.kind.machines[count]))


@dataclass(frozen=True, slots=True)
class Cut:
    """The part of the matrix that a page shows at first: some columns, by memory, and some rows."""

    heads: tuple[Head, ...]
    rows: tuple[ModelRow, ...]
    models: int
    """Models that enough of the columns run comfortably."""


def first_cut(grid: Grid) -> Cut:
    """Cut the best known GPUs, one of each, and the best models that enough of them run."""
    heads = in_order(grid.heads[:COLUMNS])
    columns = [on_gpus(head.kind, 1, grid.needs.get(head.gpu, ())) for head in heads]
    shown = [model for model in grid.models if _running(model, columns) >= ceil(len(columns) / FEW)]
    rows = tuple(
        ModelRow(
            Link(url_of("model", model.id), model.name),
            grid.points[Use.OVERALL].get(model.id),
            tuple(
                _pair(model, head, found.get(model.id, NOT))
                for head, found in zip(heads, columns, strict=True)
            ),
        )
        for model in shown[:ROWS]
    )
    return Cut(heads, rows, len(shown))


def _running(model: LanguageModel, columns: Sequence[Mapping[str, OnGpus]]) -> int:
    return sum(found.get(model.id, NOT).tier is FitTier.COMFORTABLE for found in columns)


def in_order(heads: Sequence[Head]) -> tuple[Head, ...]:
    """Order columns by memory: verdicts then change once along a row, as a rule."""
    return tuple(sorted(heads, key=lambda head: (head.gib, head.gpu)))


def _pair(model: LanguageModel, head: Head, found: OnGpus) -> Pair:
    listed = head.kind.listed.get(1)
    if listed is not None:
        return Pair(found, view_of(listed.combo.id, model.id))
    return Pair(found, f"{CUSTOM_URL}#{with_model(machine_address(head, 1), model.id)}")


def cut_table(cut: Cut) -> Table:
    """Write the cut as a table for the files beside the page."""
    columns = (
        Column("Model"),
        Column("Rating", numeric=True),
        *(Column(head.name, note="verdict, speed of one user") for head in cut.heads),
    )
    rows = tuple(
        Row(
            (
                row.model,
                Absent("not rated") if row.points is None else NumberCell(row.points, Unit.COUNT),
                *(_cell(pair) for pair in row.pairs),
            )
        )
        for row in cut.rows
    )
    return Table("verdicts", "Models on GPUs", columns, rows, on_page=False)


def _cell(pair: Pair) -> Cell:
    mark, speed = TierMark(pair.found.tier), pair.found.tokens_per_s
    return Parts((mark, ", ", NumberCell(speed, Unit.TOKENS_PER_S))) if speed else mark

"""Models by GPUs at ``/matrix/``: a grid of verdicts, whole in a script and cut in the page."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.hardware import Vendor
from sitegen.fit.assessment import FitTier
from sitegen.problems import SourceSpan
from sitegen.site.cells import Cell, NumberCell, TierMark, Unit
from sitegen.site.combo.matrix import COLUMNS, ROWS, Cut, Grid, cut_table, first_cut, grid_of
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Lazy, Page
from sitegen.site.pages.home import NAMES_URL
from sitegen.site.table import Table
from sitegen.site.words.hardware import VENDOR_NAMES
from sitegen.site.words.quality import USE_WORDS
from sitegen.survey.gpu_counts import POWERS
from sitegen.values import dataclass

TEMPLATE = "matrix.html"
DATA_URL = "/assets/matrix-data.js"
REST_URL = "/assets/matrix-rest.js"
"""The whole grid, as scripts: pages that are read from a folder may load nothing else."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a list."""

    value: str
    words: str


@dataclass(frozen=True, slots=True)
class MatrixView:
    """The values that ``matrix.html`` shows; only the files beside it use ``table``."""

    cut: Cut
    table: Table
    marks: tuple[TierMark, ...]
    vendors: tuple[Choice, ...]
    uses: tuple[Choice, ...]
    counts: tuple[int, ...]
    models: int
    kinds: int
    rest_url: str
    names_url: str
    reference_context: Cell
    most_rows: int = ROWS
    most_columns: int = COLUMNS


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the one page."""

    def view() -> MatrixView:
        grid = grid_of(inputs)
        cut = first_cut(grid)
        return MatrixView(
            cut=cut,
            table=cut_table(cut),
            marks=tuple(TierMark(tier) for tier in FitTier),
            vendors=tuple(_vendors(grid)),
            uses=tuple(
                Choice(str(use), words) for use, words in USE_WORDS.items() if grid.points[use]
            ),
            counts=POWERS,
            models=len(grid.models),
            kinds=len(grid.heads),
            rest_url=REST_URL,
            names_url=NAMES_URL,
            reference_context=NumberCell(
                inputs.catalog.assumptions["reference-context-tokens"].value.mid, Unit.TOKENS
            ),
        )

    yield Page(
        "/matrix/",
        "Which GPU runs which model?",
        TEMPLATE,
        Lazy(view),
        "matrix",
        SourceSpan(f"templates/{TEMPLATE}"),
        "Every rated model on one, two, four or eight of every GPU: whether it fits, how fast it "
        "answers and how long its context can be.",
    )


def _vendors(grid: Grid) -> Iterator[Choice]:
    known = {head.vendor for head in grid.heads}
    for vendor in Vendor:
        if vendor in known:
            yield Choice(str(vendor), VENDOR_NAMES[vendor])

"""How to take the data away, at ``/api/``: lists, files beside pages, formats."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.kinds import Kind
from sitegen.problems import SourceSpan
from sitegen.site.cells import Code, Link
from sitegen.site.inputs import SiteInputs
from sitegen.site.json.api import DESCRIPTIONS, ROOT
from sitegen.site.page import Page
from sitegen.site.table import Column, Row, Table
from sitegen.values import dataclass

TEMPLATE = "api.html"
URL = "/api/"


@dataclass(frozen=True, slots=True)
class ApiView:
    """Values that ``api.html`` shows."""

    lists: Table
    beside: Table
    records: Table


BESIDE = (
    ("index.json", "The page's result in full: bytes exact, other numbers to six digits."),
    ("data.csv", "The page's tables, one row each: UTF-8, CRLF, as RFC 4180 has it."),
    ("metadata.json", "Columns with units, sources, licence, version, thresholds, citation."),
    ("page.md", "What the page says, as Markdown."),
)


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the one page."""
    del inputs
    view = ApiView(_lists(), _beside(), _records())
    yield Page(
        URL,
        "Data and API",
        TEMPLATE,
        view,
        "api",
        SourceSpan("sitegen/site/json/api.py"),
        "Every list of the catalog and every verdict as JSON with schemas, the files beside each "
        "page, and the whole site to read offline.",
    )


def _lists() -> Table:
    rows = [
        ("index", "Every list with its number of entries."),
        ("verdicts", "Every verdict in a few words."),
        ("pages", "Every page with the files beside it."),
        *((kind.folder, DESCRIPTIONS[kind]) for kind in DESCRIPTIONS),
        ("openapi", "All of this in OpenAPI 3.1, with a JSON Schema for each answer."),
    ]
    return Table(
        "lists",
        "Lists",
        (Column("File"), Column("What it holds")),
        tuple(Row((Link(f"/{ROOT}{name}.json", f"/{ROOT}{name}.json"), words))
              for name, words in rows),
        counted=True,
    )  # fmt: skip


def _beside() -> Table:
    rows = tuple(Row((Code(name), words)) for name, words in BESIDE)
    return Table("beside", "Files beside a page", (Column("File"), Column("What it holds")), rows)


def _records() -> Table:
    rows = tuple(
        Row((Link(f"/{kind.schema_path}", f"/{kind.schema_path}"), kind.value)) for kind in Kind
    )
    columns = (Column("Schema"), Column("Kind of record"))
    return Table("record-schemas", "Schemas of the catalog's records", columns, rows, counted=True)

"""The page of the data, at ``/api/``: lists, files beside pages, formats."""

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
    moved: Table
    beside: Table
    records: Table


MOVED = (
    ("/api/v1/", "/api/v2/"),
    ("result[] of verdicts.json", "result, stored by column"),
    ("row of a verdict, row_id of a combo's row", "m-<model>--<checkpoint>"),
    ("tiers.<tier>[] of a combo or a model", "tiers.<tier>, stored by column"),
    ("gpus_needed[] of a model", "gpus_needed, stored by column"),
    ("tables[].rows[]", "tables[].columns"),
    ("columns[] of metadata.json", "columns, stored by column"),
    ("uses[].best[], uses[].next_best[]", "the same, stored by column"),
    (
        "rows of tier-… in data.csv",
        "the rows of the tables on each page; index.json has all figures",
    ),
    ("combo of a combo's row", "combo of the file"),
    ("plan of a row", "index of an entry in plans, counted from 0"),
    (
        "others[] of a row",
        "entries of other_checkpoints by tier, with the index of the row, counted from 0",
    ),
    (
        "verdict, better",
        "index of the checkpoint in other_checkpoints; null if no such checkpoint exists or if it "
        "is the row's own",
    ),
    ("best_plans", "best, which refers to plans by their position in the list"),
    ("speed.each_tokens_per_s", "aggregate_tokens_per_s ÷ (batch_per_replica × replicas)"),
    ("busiest.utilization", "busiest_utilization; null if it equals verdict_utilization"),
)
"""What a client of version 1 reads elsewhere in version 2."""
BESIDE = (
    ("index.json", "The page's full result: byte counts are exact, other numbers have six digits."),
    ("data.csv", "The page's tables, one line per row: UTF-8, CRLF, RFC 4180."),
    ("metadata.json", "Columns with units, sources, license, version, thresholds, citation."),
    ("page.md", "The text of the page, as Markdown."),
)


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the one page."""
    del inputs
    view = ApiView(_lists(), _moved(), _beside(), _records())
    yield Page(
        URL,
        "Data and API",
        TEMPLATE,
        view,
        "api",
        SourceSpan("sitegen/site/json/api.py"),
        "All lists in the catalog and all verdicts as JSON with schemas, the files of each page, "
        "and the whole site for offline use.",
    )


def _lists() -> Table:
    rows = [
        ("index", "Every list, with its number of entries."),
        ("verdicts", "Every verdict, abridged."),
        ("pages", "Every page, with its files."),
        *((kind.folder, DESCRIPTIONS[kind]) for kind in DESCRIPTIONS),
        (
            "openapi",
            "An OpenAPI 3.1 description of this API, with a JSON Schema for each response.",
        ),
    ]
    return Table(
        "lists",
        "All lists",
        (Column("File"), Column("Contents")),
        tuple(Row((Link(f"/{ROOT}{name}.json", f"/{ROOT}{name}.json"), words))
              for name, words in rows),
        counted=True,
    )  # fmt: skip


def _moved() -> Table:
    rows = tuple(Row((Code(before), now)) for before, now in MOVED)
    columns = (Column("Version 1"), Column("Version 2"))
    return Table("moved", "From version 1 to version 2", columns, rows)


def _beside() -> Table:
    rows = tuple(Row((Code(name), words)) for name, words in BESIDE)
    return Table("beside", "Files of a page", (Column("File"), Column("Contents")), rows)


def _records() -> Table:
    rows = tuple(
        Row((Link(f"/{kind.schema_path}", f"/{kind.schema_path}"), kind.value)) for kind in Kind
    )
    columns = (Column("Schema"), Column("Kind of record"))
    return Table("record-schemas", "Schemas of the catalog's records", columns, rows, counted=True)

"""The files that a reader takes away from a page, and ``metadata.json``, which explains them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sitegen.catalog.domain.provenance import Constant, Source
from sitegen.render.data.grids import FIRST, Grid, GridColumn, columns, data_csv, grids
from sitegen.render.data.machine import envelope, json_twin
from sitegen.render.data.page_markdown import page_markdown
from sitegen.site.citation import address_of, citation
from sitegen.site.content.site_settings import SiteSettings
from sitegen.site.json.schema.lists import ColumnEntry
from sitegen.site.json.shaped import by_column
from sitegen.site.page import DATA, MARKDOWN, METADATA, TWIN, Page
from sitegen.site.plain_json import PlainJson
from sitegen.site.table import tables_in
from sitegen.values import dataclass

_OWN: dict[str, str] = {
    "table": "Id of the table on the page",
    "row": "Anchor of the row on the page; empty where it has none",
}


def metadata(page: Page, found: tuple[Grid, ...], settings: SiteSettings) -> dict[str, PlainJson]:
    """Describe a page's files: columns with units, tables, sources, licence, thresholds."""
    return {
        "title": page.title,
        "description": page.description,
        "kind": page.kind,
        "url": address_of(page, settings),
        "data_date": settings.data_date,
        "data_licence_url": settings.data_licence_url,
        "citation": citation(page, settings).plain,
        "tables": [
            {
                "id": grid.id,
                "caption": grid.caption,
                "rows": len(grid.rows),
                "columns": [field.name for field in grid.fields],
            }
            for grid in found
        ],
        "columns": by_column(ColumnEntry, _columns(found) if found else ()),
        "sources": [source_json(source) for source in page.sources],
        "thresholds": [_threshold(one) for one in settings.thresholds],
    }


def source_json(source: Source) -> PlainJson:
    """Return a source as JSON carries it; no fields means all of them."""
    return {
        "title": source.title,
        "url": source.url,
        "read": source.read,
        "fields": list(source.fields),
    }


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of ``data.csv`` as ``ColumnEntry`` has it."""

    name: str
    description: str
    type: str = "string"
    unit: str = ""


def _columns(found: tuple[Grid, ...]) -> Iterator[_Column]:
    yield from (_Column(name, _OWN[name]) for name in FIRST)
    yield from map(_column, columns(found))


def _column(field: GridColumn) -> _Column:
    what = f"{field.heading} ({field.note})" if field.note else field.heading
    words = {"low": ", low bound", "mid": ", best estimate", "high": ", high bound", "": ""}
    bound = words[field.bound]
    more = ": detail shown next to it" if field.detail else ""
    kind = "number" if field.numeric else "string"
    return _Column(field.name, f"{what}{bound}{more}", kind, field.unit)


def _threshold(constant: Constant) -> PlainJson:
    value = constant.value
    return {
        "name": constant.name,
        "unit": constant.unit,
        "low": value.low,
        "mid": value.mid,
        "high": value.high,
        "status": constant.status.value,
        "source": source_json(constant.source),
    }


def files_beside(page: Page, html: str, settings: SiteSettings) -> Mapping[str, bytes]:
    """Write the files beside a page, by name.

    A page without tables has no ``data.csv``; a part of a page has ``page.md`` alone, and none
    where it only lists what the files of the page above it have.
    """
    if page.listed:
        return {}
    tables = tuple(tables_in(page.view))
    found = grids(table for table in tables if table.in_files)
    closing = f"{citation(page, settings).plain} Licence of the data: {settings.data_licence}."
    if page.part:
        return {MARKDOWN: page_markdown(html, found, closing)}
    described = metadata(page, found, settings)
    extracts = grids(one for one in tables if one.on_page and not one.in_files)
    files = {
        TWIN: json_twin(page, found, settings),
        METADATA: envelope(described, len(found), settings.origin(page.source.path), settings),
        MARKDOWN: page_markdown(html, _shown(found, extracts), closing),
    }
    return {**files, DATA: data_csv(found)} if found else files


def _shown(found: tuple[Grid, ...], extracts: tuple[Grid, ...]) -> tuple[Grid, ...]:
    """Take the extract of a table that its page shows: Markdown says what the page says."""
    cut = {one.id: one for one in extracts}
    return tuple(cut.get(one.id, one) for one in found)

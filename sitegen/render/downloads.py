"""The files that a reader takes away from a page: JSON, CSV, what it means, Markdown."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.render.data_csv import data_csv
from sitegen.render.grids import grids
from sitegen.render.machine import envelope, json_twin
from sitegen.render.metadata import metadata
from sitegen.render.page_markdown import page_markdown
from sitegen.site.citation import citation
from sitegen.site.page import DATA, MARKDOWN, METADATA, TWIN, Page, Settings
from sitegen.site.tables import tables_in


def files_beside(page: Page, html: str, settings: Settings) -> Mapping[str, bytes]:
    """Write the files beside a page, by name; a page without tables has no ``data.csv``."""
    found = grids(tables_in(page.view))
    described = metadata(page, found, settings)
    closing = f"{citation(page, settings).plain} Licence of the data: {settings.data_licence}."
    files = {
        TWIN: json_twin(page, found, settings),
        METADATA: envelope(described, len(found), page.source.path, settings),
        MARKDOWN: page_markdown(html, found, closing),
    }
    return {**files, DATA: data_csv(found, settings)} if found else files

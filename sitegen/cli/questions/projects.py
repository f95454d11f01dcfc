"""The catalog of a project on disk, as its site publishes it."""

from __future__ import annotations

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import parse_catalog
from sitegen.cli.session import CliSession
from sitegen.site.content.settings import as_published


def catalog_at(session: CliSession) -> Catalog:
    """Read and parse the catalog of a project, without the scores that its site leaves out.

    Raises:
        ProblemsFound: With every problem of every file.
    """
    project = session.read()
    return as_published(parse_catalog(project.catalog), project.content)

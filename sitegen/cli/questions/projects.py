"""The catalog of a project on disk, as its site publishes it."""

from __future__ import annotations

from pathlib import Path

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import parse_catalog
from sitegen.cli.session import CliSession
from sitegen.cli.shares import CHECKOUT, INSTALLED
from sitegen.site.content.settings import as_published


def readable_root(session: CliSession) -> Path:
    """Find the project to read: the one that is worked on, else what came with the program.

    People ask questions and run the linter in folders of their own, where a folder may be called
    ``catalog`` too.

    Raises:
        CommandError: If there is none at all.
    """
    if session.given_root is not None:
        return session.root
    places = (Path.cwd(), *Path.cwd().parents, CHECKOUT, INSTALLED)
    found = next((place for place in places if (place / "catalog" / "gpus").is_dir()), None)
    return found or session.root


def catalog_at(session: CliSession) -> Catalog:
    """Read and parse a project's catalog, without the scores that its site leaves out.

    Where no project is, it is the catalog that came with the program, and that is said.

    Raises:
        ProblemsFound: With every problem of every file.
    """
    root = readable_root(session)
    if root not in {session.given_root and session.root, Path.cwd(), *Path.cwd().parents}:
        session.note("no project here: this is from the catalog that came with sitegen")
    project = session.read(root)
    return as_published(parse_catalog(project.catalog), project.content)

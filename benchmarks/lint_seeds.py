"""Holds the four seed pages under the linter and compares with what was checked by hand.

``tests/lint/seed-findings.json`` lists every finding with its place and why it is right. The pages
are not part of the project; given the folder that holds their text, this script says what is
reported and not listed, and what is listed and not reported::

    python -m benchmarks.lint_seeds FOLDER
"""

from __future__ import annotations

import json
from pathlib import Path

import click

from sitegen.catalog.load import parse_catalog
from sitegen.catalog.text.source_text import SourceText
from sitegen.fit.fit_engine import FitEngine
from sitegen.inputs import read_project
from sitegen.lint.facts import LintContext
from sitegen.lint.files import lint
from sitegen.lint.options import option_tables

ROOT = Path(__file__).parents[1]
LISTED = ROOT / "tests" / "lint" / "seed-findings.json"
Finding = tuple[str, int, int, str]


def reported(folder: Path, facts: LintContext) -> dict[Finding, str]:
    """Lint every page of a folder; messages by file, line, column and code.

    Raises:
        click.ClickException: If the folder holds no page.
    """
    pages = sorted(folder.glob("*.txt"))
    if not pages:
        message = f"{folder}: no page (*.txt) to read"
        raise click.ClickException(message)
    return {
        (page.name[:3], found.span.line, found.span.column, found.code): found.message
        for page in pages
        for found in lint(SourceText(page.name, page.read_text("utf-8")), facts).problems
    }


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(folder: Path) -> None:
    """Print every finding, and what differs from the list."""
    catalog = parse_catalog(read_project(ROOT).catalog)
    found = reported(folder, LintContext(FitEngine(catalog), option_tables()))
    rows = json.loads(LISTED.read_text("utf-8"))
    listed = {(r["seed"], r["line"], r["column"], r["code"]): r["why"] for r in rows}
    for (seed, line, column, code), message in sorted(found.items()):
        click.echo(f"{seed}:{line}:{column}: {code}: {message}")
    for kind, more in (
        ("not listed", found.keys() - listed.keys()),
        ("not found", listed.keys() - found.keys()),
    ):
        for seed, line, column, code in sorted(more):
            click.echo(f"{kind}: {seed}:{line}:{column}: {code}")
    click.echo(f"{len(found)} findings, {len(listed)} listed")
    if found.keys() != listed.keys():
        raise SystemExit(1)


if __name__ == "__main__":
    main()

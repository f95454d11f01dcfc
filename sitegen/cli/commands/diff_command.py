"""``sitegen diff``: which verdicts move between two published sites."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sitegen.cli.exits import CommandError
from sitegen.output.ownership import MANIFEST

if TYPE_CHECKING:
    from sitegen.site.json.differences import SiteState

EPILOG = """\b
Examples:
  sitegen diff published/ public/
  sitegen diff published/ public/ --format yaml > content/changes/2026-11-21.yaml
"""
APIS = ("api/v2", "api/v1")
"""Folders of a published site that may have the lists; one of an older release has the last."""


@click.command("diff", epilog=EPILOG)
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("head", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "md", "json", "yaml"]),
    default="text",
    show_default=True,
    help="Use md for a comment and yaml for a release in content/changes/.",
)
def command(base: Path, head: Path, form: str) -> int:
    """Print what changed between two built sites, and why.

    BASE and HEAD are folders that sitegen published into. The list has added and removed records,
    changed verdicts and picks with the facts behind them, changed pages, and the measured accuracy.
    The exit status is 0 even if verdicts changed.
    """
    from sitegen.cli.text.diff import FORMATS
    from sitegen.site.json.differences import compare

    sys.stdout.write(FORMATS[form](compare(_read(base), _read(head))))
    return 0


def _read(site: Path) -> SiteState:
    from sitegen.site.json.differences import READ, publication

    api = next((one for one in APIS if (site / one).is_dir()), APIS[0])
    try:
        lists = {name: _json(site / api / f"{name}.json")["result"] for name in READ}
        verdicts = _json(site / api / "verdicts.json")
    except FileNotFoundError as error:
        raise CommandError(f"{site} is not a published site: it has no {api}/") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CommandError(f"{site}/{api}: {error}") from error
    try:
        files = _json(site / MANIFEST)["files"] if (site / MANIFEST).is_file() else ()
        accuracy = site / "accuracy" / "index.json"
        stated = _json(accuracy)["result"] if accuracy.is_file() else ()
        goals = stated.get("goals", ()) if isinstance(stated, dict) else ()
        return publication(verdicts, lists, files, goals)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CommandError(f"{site}: {error}") from error


def _json(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found

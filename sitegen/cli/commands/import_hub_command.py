"""``sitegen import-hub``: repositories of the Hub that the catalog does not name yet."""

from __future__ import annotations

import json
from pathlib import Path

import click

from sitegen.cli.exits import CLEAN
from sitegen.cli.imports.options import iso_date
from sitegen.cli.session import CliSession, pass_session

EPILOG = """\b
Examples:
  sitegen import-hub hub-models.jsonl.gz
  sitegen import-hub hub-models.jsonl.gz --write --read 2026-11-23 \\
      --title "Repositories on the Hugging Face Hub, in llmfit 1.1.17" \\
      --source https://github.com/AlexsJones/llmfit
  sitegen import-hub --live Qwen/Qwen3-8B-AWQ unsloth/Qwen3-8B-GGUF

\b
A name must consist of the owner, the name of the release and words for a
format. If a name matches two models, the command lists it and does not guess.
"""
_EXISTING = click.Path(dir_okay=False, path_type=Path)


@click.command("import-hub", epilog=EPILOG)
@click.argument("words", nargs=-1, required=True, metavar="LISTING | --live OWNER/NAME...")
@click.option(
    "--live", is_flag=True, help="Query the Hub for these repositories (needs sitegen[hub])."
)
@click.option("--write", is_flag=True, help="Add the proposals to catalog/models/.")
@click.option("--source", default="", metavar="URL", help="Address of the listing.")
@click.option("--title", default="", metavar="TEXT", help="Title of the listing.")
@click.option(
    "--read", default="", metavar="DATE", callback=iso_date, help="Date on which you read it."
)
@click.option(
    "--most",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only the N most downloaded models.",
)
@click.option(
    "--gguf-types", type=_EXISTING, metavar="FILE", help="Path to llm_family.json from xinference."
)
@click.option(
    "--usual-files",
    type=click.Choice(["no", "name", "add"]),
    default="no",
    help="Assume the GGUF files that a provider usually makes, without reading them: name listed "
    "checkpoints, or add missing ones too.",
)
@click.option(
    "--coverage", is_flag=True, help="Also print the formats of these models that the catalog has."
)
@click.option("--json", "as_json", is_flag=True, help="Print one proposal per line.")
@pass_session
def command(
    session: CliSession,
    /,
    words: tuple[str, ...],
    *,
    live: bool,
    write: bool,
    source: str,
    title: str,
    read: str,
    most: int | None,
    gguf_types: Path | None,
    usual_files: str,
    coverage: bool,
    as_json: bool,
) -> int:
    """Propose repositories of quantized files for the models in the catalog.

    LISTING is JSON lines, plain or .gz: name, hf_downloads, gguf_sources. The name of a
    repository gives its format and quantization. For each model and quantization, the model's own
    organisation comes before a known quantizer, and others need many downloads.
    """
    from sitegen.cli.imports import hub_steps as steps
    from sitegen.importers.hub.additions import ListingSource
    from sitegen.importers.hub.proposals import Usual, report
    from sitegen.importers.hub.proposals import coverage as covered

    said = ListingSource(title, source, read)
    if write:
        steps.check_source(said)
    rows = steps.rows_of(words, live=live)
    project, catalog, proposals = steps.proposed(
        session, rows, gguf_types, most=most, usual=Usual(usual_files)
    )
    if as_json:
        for one in proposals.open():
            click.echo(json.dumps(steps.as_json(one)))
    else:
        for line in report(proposals, catalog):
            click.echo(line)
    if coverage:
        for line in covered(proposals, catalog, rows):
            click.echo(line)
    if write:
        for path in steps.written(session, project, proposals.open(), said):
            session.note(path)
        session.note("review the changes, then run `sitegen check`")
    return CLEAN

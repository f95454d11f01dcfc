"""Prints repositories that a listing of the Hub has and the catalog does not name.

Run as ``python -m benchmarks.propose_repositories LISTING [--gguf-types llm_family.json]
[--names FILE]``.

LISTING is the package llmfit's list of models as JSON lines (``hub-models.jsonl.gz``). Names are
read strictly: known owner, name of the release, one known suffix, and nothing else. What it
prints is a proposal; a person reads it before it is written into ``catalog/models/``.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks.repositories import gguf, names
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import LanguageModel
from sitegen.catalog.load import parse_catalog
from sitegen.engine.families import architecture
from sitegen.inputs import read_project

EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
MOST_DOWNLOADED = 80
FORMATS = ("fp8", "int4", "nvfp4", "gguf", "mlx")
_FORMAT = {
    "awq": "int4", "gptq": "int4", "compressed-tensors": "int4", "mxfp4": "nvfp4",
}  # fmt: skip


@click.command()
@click.argument("listing", type=EXISTING)
@click.option("--gguf-types", type=EXISTING, help="xinference's llm_family.json.")
@click.option("--names", "read_elsewhere", type=EXISTING, help="More repositories, one a line.")
@click.option("--project", type=FOLDER, default=Path(), help="Folder that holds catalog/.")
@click.option("--json", "as_json", is_flag=True, help="One proposal a line, as JSON.")
def main(
    listing: Path,
    gguf_types: Path | None,
    read_elsewhere: Path | None,
    project: Path,
    *,
    as_json: bool,
) -> None:
    """Print proposals for the catalog from LISTING, then what is covered."""
    catalog = parse_catalog(read_project(project).catalog)
    text = gzip.decompress(listing.read_bytes()).decode("utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    if read_elsewhere is not None:
        known = {row["name"].lower() for row in rows}
        named = read_elsewhere.read_text(encoding="utf-8").split()
        rows += [{"name": name} for name in named if name.lower() not in known]
    found = proposals(catalog, rows, gguf.listed_types(gguf_types))
    if as_json:
        for one in found:
            click.echo(json.dumps(one, sort_keys=True))
        return
    for line in (*_lines(found, catalog), *counts(catalog), *coverage(catalog, rows, found)):
        click.echo(line)


def proposals(
    catalog: Catalog, rows: Sequence[Mapping[str, Any]], listed: Mapping[str, gguf.Listed]
) -> list[dict[str, Any]]:
    """List every checkpoint that the rows name for a model of the catalog."""
    known = names.releases(catalog.models)
    read = (names.variant(r["name"], _downloads(r), catalog.models, known) for r in rows)
    found = [
        {"model": one.model, "quantization": one.quantization, "repository": one.repository,
         "publisher": one.publisher, "downloads": one.downloads}
        for one in names.best(one for one in read if one).values()
    ]  # fmt: skip
    downloads = {row["name"].lower(): _downloads(row) for row in rows}
    for row in rows:
        key = str(row.get("catalog_id", ""))
        if key in catalog.models:
            found += _gguf(catalog, catalog.models[key], row, listed, downloads)
    return sorted(found, key=lambda one: (one["model"], one["quantization"]))


def _gguf(
    catalog: Catalog,
    model: LanguageModel,
    row: Mapping[str, Any],
    listed: Mapping[str, gguf.Listed],
    downloads: Mapping[str, int],
) -> Iterator[dict[str, Any]]:
    sources = {one["repo"] for one in row.get("gguf_sources", ())}
    sources |= gguf.sources_of(listed, names.spellings(model.repository))
    experts = any(tensor.group.startswith("exp_") for tensor in architecture(model.config).tensors)
    recipes = {q.gguf_file_type: q.id for q in catalog.quantizations.values() if q.gguf_file_type}
    for one in gguf.files(model, sources, listed, experts=experts).values():
        if one.file_type in recipes:
            yield {
                "model": model.id,
                "quantization": recipes[one.file_type],
                "repository": one.repository,
                "publisher": names.publisher(one.repository, model),
                "downloads": downloads.get(one.repository.lower(), 0),
                "listed": one.listed,
            }


def _downloads(row: Mapping[str, Any]) -> int:
    return int(row.get("hf_downloads") or 0)


def _lines(found: Sequence[Mapping[str, Any]], catalog: Catalog) -> Iterator[str]:
    yield "| model | quantization | repository | publisher | downloads | catalog |"
    yield "|---|---|---|---|---:|---|"
    for one in found:
        listed = catalog.models[one["model"]].checkpoints
        same = [c for c in listed if c.quantization.id == one["quantization"]]
        named = any(c.repository for c in same)
        state = "named" if named else "to name" if same else "to add"
        yield (
            f"| {one['model']} | {one['quantization']} | {one['repository']} "
            f"| {one['publisher']} | {one['downloads']} | {state} |"
        )
    yield ""


def counts(catalog: Catalog) -> Iterator[str]:
    """Yield how many checkpoints of each format name a repository."""
    listed = [c for model in catalog.models.values() for c in model.checkpoints]
    every = Counter(c.quantization.format for c in listed)
    named = Counter(c.quantization.format for c in listed if c.repository)
    yield "| format | checkpoints | with a repository |"
    yield "|---|---:|---:|"
    for form, count in every.most_common():
        yield f"| {form} | {count} | {named[form]} |"
    yield f"| all | {len(listed)} | {sum(named.values())} |"
    yield ""


def coverage(
    catalog: Catalog, rows: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Yield which formats the listing and the catalog have for the models downloaded most."""
    yield f"| model | downloads | {' | '.join(FORMATS)} |"
    yield f"|---|---:|{'---|' * len(FORMATS)}"
    wanted = met = 0
    for key, downloads in most_downloaded(catalog, rows):
        there = {_kind(catalog.quantizations[one["quantization"]].format) for one in found
                 if one["model"] == key}  # fmt: skip
        here = {_kind(c.quantization.format) for c in catalog.models[key].checkpoints
                if c.repository and not c.native}  # fmt: skip
        wanted, met = wanted + len(there & set(FORMATS)), met + len(there & here & set(FORMATS))
        cells = (_cell(form in there, form in here) for form in FORMATS)
        yield f"| {key} | {downloads} | {' | '.join(cells)} |"
    yield ""
    yield f"Of {wanted} formats that the listing has for these models the catalog names {met}."


def most_downloaded(catalog: Catalog, rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, int]]:
    """Order the catalog's models by the downloads of their release."""
    known = [(row["catalog_id"], _downloads(row)) for row in rows
             if row.get("catalog_id") in catalog.models]  # fmt: skip
    return sorted(known, key=lambda pair: -pair[1])[:MOST_DOWNLOADED]


def _kind(form: str) -> str:
    return _FORMAT.get(form, form)


def _cell(there: bool, here: bool) -> str:
    return "both" if there and here else "listing" if there else "catalog" if here else ""


if __name__ == "__main__":
    main()

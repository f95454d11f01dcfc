"""Changed verdicts, release by release, at ``/changes/``; the feed has the same entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sitegen.catalog.domain.catalog import Catalog
from sitegen.problems import SourceSpan
from sitegen.site.cells import Cell, Code, Link, Parts, TierMark, joined
from sitegen.site.content.history import Release, ReleaseFile
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.plain_json import PlainJson
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import FOLDERS, model_row_id, url_of
from sitegen.values import dataclass

TEMPLATE = "changes.html"
URL = "/changes/"


@dataclass(frozen=True, slots=True)
class ReleaseView:
    """One release, removals first."""

    id: str
    release: Release
    removed: tuple[tuple[str, Cell], ...]
    added: tuple[tuple[str, Cell], ...]
    moved: Table


@dataclass(frozen=True, slots=True)
class ChangesView:
    """Values that ``changes.html`` shows."""

    releases: tuple[ReleaseView, ...]


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the one page."""
    releases = inputs.history.releases
    yield Page(
        URL,
        "Changed verdicts",
        TEMPLATE,
        ChangesView(tuple(_view(one, inputs) for one in releases)),
        "changes",
        SourceSpan("content/changes"),
        "The verdicts that each release changed, removed and added, newest first.",
        {"releases": [_json(one) for one in releases]},
        len(releases),
    )


def _view(release_file: ReleaseFile, inputs: SiteInputs) -> ReleaseView:
    release, catalog = release_file.release, inputs.catalog
    return ReleaseView(
        f"release-{release_file.slug}",
        release,
        _named(release.removed, catalog),
        _named(release.added, catalog),
        _moved(release_file, inputs),
    )


def _records(kind: str, catalog: Catalog) -> Mapping[str, object]:
    """Today's records of a kind that has pages; an id of before may not be among them."""
    known: Mapping[str, Mapping[str, object]] = {
        "combo": catalog.combos, "model": catalog.models, "gpu": catalog.gpus,
        "runtime": catalog.runtimes,
    }  # fmt: skip
    return known.get(kind, {})


def _named(ids: Mapping[str, tuple[str, ...]], catalog: Catalog) -> tuple[tuple[str, Cell], ...]:
    return tuple(
        (kind, joined(tuple(_link(kind, id_, catalog) for id_ in found)))
        for kind, found in ids.items()
        if found
    )


def _link(kind: str, id_: str, catalog: Catalog, anchor: str = "") -> Cell:
    if kind in FOLDERS and id_ in _records(kind, catalog):
        return Link(url_of(kind, id_) + anchor, id_)
    return Code(id_)


def _moved(release_file: ReleaseFile, inputs: SiteInputs) -> Table:
    columns = (Column("Model"), Column("Machine", key="combo"), Column("Before"), Column("After"))
    catalog = inputs.catalog
    surveyed = {(row.pick.combo.id, model) for model, rows in inputs.rows.items() for row in rows}
    rows = tuple(
        Row(
            (
                _link("model", model, catalog),
                _link(
                    "combo",
                    combo,
                    catalog,
                    f"models/#{model_row_id(model)}" if (combo, model) in surveyed else "",
                ),
                TierMark(moved.before),
                Parts(("→ ", TierMark(moved.after))),
            )
        )
        for moved in release_file.release.moved
        for combo, models in moved.rows.items()
        for model in models
    )
    caption = f"Verdicts that changed on {release_file.release.date}"
    return Table(f"moved-{release_file.slug}", caption, columns, rows, counted=True)


def _json(release_file: ReleaseFile) -> PlainJson:
    release = release_file.release
    return {
        "id": release_file.slug,
        "date": release.date,
        "title": release.title,
        "summary": release.summary,
        "base": release.base,
        "head": release.head,
        "removed": {kind: list(ids) for kind, ids in release.removed.items()},
        "added": {kind: list(ids) for kind, ids in release.added.items()},
        "moved": [
            {
                "before": str(moved.before),
                "after": str(moved.after),
                "rows": {combo: list(models) for combo, models in moved.rows.items()},
            }
            for moved in release.moved
        ],
    }

"""JSON Schemas of all JSON files of the site, and the files under ``/api/v2/``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from sitegen.catalog.kinds import Kind
from sitegen.catalog.schema import DIALECT
from sitegen.render.data.machine import SCHEMA_VERSION, envelope, json_bytes
from sitegen.site.content.site_settings import SiteSettings
from sitegen.site.json.api import DESCRIPTIONS, ROOT, ApiList
from sitegen.site.json.schema import lists, pages, reports
from sitegen.site.json.schema.columns import Columns
from sitegen.site.json.schema.record import FitRecord
from sitegen.site.plain_json import PlainJson

PAGE_SHAPES: Mapping[str, Any] = {
    "tables": pages.TablesPage,
    "combo": pages.ComboPage,
    "model": pages.ModelPage,
    "compare": pages.ComparePage,
    "opportunities": reports.OpportunitiesPage,
    "claims": reports.ClaimsPage,
    "accuracy": reports.AccuracyPage | reports.ProgramPage,
    "quality": reports.QualityPage | reports.UsePage,
    "changes": reports.ChangesPage,
    "errors": reports.ErrorsPage,
    "status": reports.StatusPage,
}
"""Result of ``index.json`` by kind of page; ``tables`` for a page that states none."""
_SHAPES: Mapping[str, Any] = {
    **{f"{kind}-page": shape for kind, shape in PAGE_SHAPES.items()},
    "metadata": lists.Metadata,
    "index": list[lists.Endpoint],
    "verdicts": Columns[lists.Verdict],
    "pages": list[lists.PageEntry],
}


def schema_path(name: str) -> str:
    """Return the path of a schema from the site's root."""
    return f"{ROOT}schema/{name}.schema.json"


def schemas(settings: SiteSettings) -> dict[str, dict[str, Any]]:
    """Return every schema by name.

    They allow keys that they do not know, because keys may be added to the files; ``strict``
    makes the one that a test validates with.
    """
    found = {name: _enveloped(name, result, settings) for name, result in _results().items()}
    for kind in DESCRIPTIONS:
        found[kind.folder] = _enveloped(kind.folder, _records(kind), settings)
    printed = {"$schema": DIALECT, "$id": f"{settings.base_url}{schema_path('fit')}"}
    found["fit"] = printed | _open(FitRecord.model_json_schema())
    return found


@cache
def _results() -> Mapping[str, dict[str, Any]]:
    return {
        name: _open(TypeAdapter(shape).json_schema(mode="validation"))
        for name, shape in _SHAPES.items()
    }


def _records(kind: Kind) -> dict[str, Any]:
    entry = {
        "type": "object",
        "required": ["id", "page", "record"],
        "properties": {
            "id": {"type": "string", "description": "Name of its file in the catalog."},
            "page": {"type": ["string", "null"], "description": "Its page, from the site's root."},
            "record": {"$ref": f"../../../{kind.schema_path}"},
        },
    }
    return {"type": "array", "items": entry}


def _enveloped(name: str, result: Mapping[str, Any], settings: SiteSettings) -> dict[str, Any]:
    inner = {key: value for key, value in result.items() if key != "$defs"}
    text = {"type": "string"}
    properties = {
        "schema_version": {"const": SCHEMA_VERSION},
        "data_version": {
            **text,
            "description": "Of what the page says; in a list, of every byte of the catalog.",
        },
        "data_licence": text,
        "generated_from": {**text, "description": "File or folder of the project."},
        "total": {"type": "integer", "minimum": 0, "description": "Entries of the result."},
        "result": inner,
    }
    return {
        "$schema": DIALECT,
        "$id": f"{settings.base_url}{schema_path(name)}",
        "title": name,
        "type": "object",
        "required": list(properties),
        "properties": properties,
        **({"$defs": result["$defs"]} if "$defs" in result else {}),
    }


def _open(node: Any) -> Any:
    """Drop what forbids unknown keys, and titles that only repeat names."""
    if isinstance(node, list):
        return [_open(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _open(value)
        for key, value in node.items()
        if not (key == "additionalProperties" and value is False)
        and not (key == "title" and isinstance(value, str))
    }


def openapi(api_lists: Iterable[ApiList], settings: SiteSettings) -> dict[str, Any]:
    """Describe every address that answers with data, in OpenAPI 3.1."""
    paths: dict[str, Any] = {
        f"/{ROOT}index.json": _get("Every list of the API.", "index"),
        **{f"/{ROOT}{one.name}.json": _get(one.description, one.name) for one in api_lists},
        "/combos/{id}/index.json": _get("A combo and every verdict on it.", "combo-page", "id"),
        "/models/{id}/index.json": _get("A model and every combo by verdict.", "model-page", "id"),
        "/gpus/{id}/index.json": _get("The tables of a GPU's page.", "tables-page", "id"),
        "/runtimes/{id}/index.json": _get("The tables of a runtime's page.", "tables-page", "id"),
        "/claims/index.json": _get("Claims on public pages, with verdicts.", "claims-page"),
        "/accuracy/index.json": _get("Estimates next to published measurements.", "accuracy-page"),
        "/quality/index.json": _get("Ratings by use, checks, losses.", "quality-page"),
        "/compare/index.json": _get("Figures of every combo.", "compare-page"),
        "/benchmarks/opportunities/index.json": _get("What to measure next.", "opportunities-page"),
        "/changes/index.json": _get("Verdicts that releases changed.", "changes-page"),
        "/status/index.json": _get("The state of the data.", "status-page"),
        **{
            f"/{folder}/{{id}}/{name}": _get(words, schema, "id", form)
            for folder in ("combos", "models", "gpus", "runtimes")
            for name, words, schema, form in (
                ("metadata.json", "What the files of a page mean.", "metadata", _JSON),
                ("data.csv", "The tables of a page, RFC 4180.", "", "text/csv"),
                ("page.md", "A page as Markdown.", "", "text/markdown"),
            )
        },
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"{settings.title} data",
            "description": settings.description,
            "version": f"{SCHEMA_VERSION}.0.0",
            "license": {"name": settings.data_licence, "url": settings.data_licence_url},
        },
        "servers": [{"url": settings.base_url.removesuffix("/")}],
        "paths": paths,
    }


_JSON = "application/json"


def _get(words: str, schema: str, parameter: str = "", form: str = _JSON) -> dict[str, Any]:
    shape = {"$ref": f"schema/{schema}.schema.json"} if schema else {"type": "string"}
    answer = {"description": words, "content": {form: {"schema": shape}}}
    operation: dict[str, Any] = {
        "summary": words,
        "responses": {"200": answer, "404": {"description": "There is no such record."}},
    }
    if parameter:
        operation["parameters"] = [
            {"name": parameter, "in": "path", "required": True, "schema": {"type": "string"}}
        ]
    return {"get": operation}


def api_files(api_lists: Iterable[ApiList], settings: SiteSettings) -> dict[str, bytes]:
    """Write the lists of the API: bytes by path from the site's root."""
    listed = tuple(api_lists)
    endpoints: list[PlainJson] = [
        {
            "name": api_list.name,
            "path": f"/{ROOT}{api_list.name}.json",
            "description": api_list.description,
            "total": api_list.total,
            "schema_path": f"/{schema_path(api_list.name)}",
        }
        for api_list in listed
    ]
    files = {
        f"{ROOT}{api_list.name}.json": envelope(
            api_list.entries, api_list.total, api_list.generated_from, settings
        )
        for api_list in listed
    }
    files[f"{ROOT}index.json"] = envelope(endpoints, len(endpoints), "catalog", settings)
    files[f"{ROOT}openapi.json"] = json_bytes(openapi(listed, settings))
    return files


def api_schemas(settings: SiteSettings) -> dict[str, bytes]:
    """Write the schemas of the API's lists and of pages' data, by path from the site's root."""
    return {schema_path(name): json_bytes(schema) for name, schema in schemas(settings).items()}

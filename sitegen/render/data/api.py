"""The files under ``/api/v1/``: lists in envelopes, their schemas, and what describes them."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.render.data.machine import envelope, json_bytes
from sitegen.render.data.schemas import openapi, schema_path, schemas
from sitegen.site.content.site_settings import Settings
from sitegen.site.json.api import ROOT, Listing
from sitegen.site.plain_json import PlainJson


def api_files(found: Iterable[Listing], settings: Settings) -> dict[str, bytes]:
    """Write the API: bytes by path from the site's root."""
    listed = tuple(found)
    endpoints: list[PlainJson] = [
        {
            "name": one.name,
            "path": f"/{ROOT}{one.name}.json",
            "description": one.description,
            "total": len(one.entries),
            "schema_path": f"/{schema_path(one.name)}",
        }
        for one in listed
    ]
    files = {
        f"{ROOT}{one.name}.json": envelope(
            one.entries, len(one.entries), one.generated_from, settings
        )
        for one in listed
    }
    files[f"{ROOT}index.json"] = envelope(endpoints, len(endpoints), "catalog", settings)
    files[f"{ROOT}openapi.json"] = json_bytes(openapi(listed, settings))
    for name, schema in schemas(settings).items():
        files[schema_path(name)] = json_bytes(schema)
    return files

"""JSON Schemas of the authored records, for editors and for tools that write catalogs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from sitegen.catalog.kinds import RECORDS, Kind

_EXAMPLE = re.compile(r"e\.g\. `([^`]+)`")
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_files() -> Mapping[str, str]:
    """Return the text of every schema file by its path relative to the project root."""
    return {
        kind.schema_path: json.dumps(schema(kind), indent=2, ensure_ascii=False) + "\n"
        for kind in Kind
    }


def schema(kind: Kind) -> dict[str, Any]:
    """Return the JSON Schema of one kind.

    It says what a single record must look like. Rules across records and keys need the whole
    catalog and are not in it.
    """
    generated = RECORDS[kind].model_json_schema(mode="validation")
    described = _with_markdown(generated)
    return {"$schema": DIALECT, **described, "title": f"sitegen {kind}"}


def _with_markdown(node: Any) -> Any:
    """Add what editors show beside each description: a rendered one, and its examples."""
    if isinstance(node, list):
        return [_with_markdown(item) for item in node]
    if not isinstance(node, dict):
        return node
    plain = {key: _with_markdown(value) for key, value in _simplified(node).items()}
    description = plain.get("description")
    if isinstance(description, str):
        plain["markdownDescription"] = description
        examples = _EXAMPLE.findall(description)
        if examples:
            plain["examples"] = [example.strip("'") for example in examples]
    return plain


def _simplified(node: dict[str, Any]) -> dict[str, Any]:
    """Drop titles that only repeat key names, and nulls: an author leaves an optional key out."""
    kept = {
        key: value
        for key, value in node.items()
        if not (key == "title" and isinstance(value, str))
        and not (key == "default" and value is None)
    }
    options = [option for option in kept.get("anyOf", ()) if option != {"type": "null"}]
    if len(options) == 1 and len(options) < len(kept["anyOf"]):
        del kept["anyOf"]
        kept |= {key: value for key, value in options[0].items() if key not in kept}
    return kept

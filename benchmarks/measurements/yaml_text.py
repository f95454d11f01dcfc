"""Records of measurements as YAML: one key a line, values in flow style, which parses quickly."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.measurements.parts import Entry
from sitegen.catalog.kinds import Kind


def yaml_text(record: Entry) -> str:
    """Return the text of one file.

    >>> print(yaml_text({"runs": [{"id": "a", "outcome": "ran"}], "date": "2026"}), end="")
    # yaml-language-server: $schema=../../schema/v1/measurement.schema.json
    runs:
      - id: "a"
        outcome: "ran"
    date: "2026"
    """
    return "\n".join([Kind.MEASUREMENT.modeline, *_lines(record)]) + "\n"


def _lines(record: Entry) -> Iterator[str]:
    for key, value in record.items():
        if isinstance(value, list) and value and isinstance(value[0], Mapping):
            yield f"{key}:"
            for entry in value:
                yield from _item(entry)
        else:
            yield f"{key}: {flow(value)}"


def _item(entry: Entry) -> Iterator[str]:
    lead = "  - "
    for key, value in entry.items():
        yield f"{lead}{key}: {flow(value)}"
        lead = "    "


def flow(value: object) -> str:
    """Write a value on one line.

    >>> flow({"tensor": 2, "keys": "f16", "kv_mib": [1.5, 2.0]})
    '{tensor: 2, keys: "f16", kv_mib: [1.5, 2.0]}'
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(flow(part) for part in value) + "]"
    return json.dumps(value, ensure_ascii=False)

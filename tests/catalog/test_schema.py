"""The published schemas: made of the records, true of the catalog, strict where the records are.

``python -m tests.catalog.test_schema`` writes them anew after a record's shape has changed.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from sitegen.catalog.kinds import FOLDERS, Kind
from sitegen.catalog.schema import schema_files
from sitegen.catalog.text.source_text import SourceText
from sitegen.catalog.text.yaml_source import Plain, compose
from tests.catalog.sample import SAMPLE, changed

ROOT = Path(__file__).parents[2]
CATALOG = sorted((ROOT / "catalog").rglob("*.yaml"))


@cache
def validator(kind: Kind) -> Draft202012Validator:
    published = json.loads((ROOT / kind.schema_path).read_text())
    Draft202012Validator.check_schema(published)
    return Draft202012Validator(published)


def value_of(path: str, text: str) -> tuple[Kind, Plain]:
    value, problems = compose(SourceText(path, text))
    assert not problems
    return FOLDERS[path.split("/")[-2]], value


@pytest.mark.parametrize("path", sorted(schema_files()))
def test_the_published_schema_is_the_one_the_records_make(path: str) -> None:
    assert (ROOT / path).read_text() == schema_files()[path]


@pytest.mark.parametrize("kind", list(Kind))
def test_every_key_has_a_description(kind: Kind) -> None:
    def undescribed(node: Any) -> list[str]:
        keys = [
            key for key, value in node.get("properties", {}).items() if "description" not in value
        ]
        return keys + [
            key for inner in node.get("$defs", {}).values() for key in undescribed(inner)
        ]

    assert undescribed(json.loads((ROOT / kind.schema_path).read_text())) == []


@pytest.mark.parametrize("folder", sorted(FOLDERS))
def test_every_file_of_the_catalog_validates(folder: str) -> None:
    for path in (path for path in CATALOG if path.parent.name == folder):
        kind, value = value_of(path.as_posix(), path.read_text())
        errors = [error.message for error in validator(kind).iter_errors(value)]
        assert errors == [], path


@pytest.mark.parametrize("path", sorted(SAMPLE))
def test_every_file_of_the_sample_validates(path: str) -> None:
    kind, value = value_of(path, SAMPLE[path])
    validator(kind).validate(value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("vram_gib: 24", "vram_gib: 24 GB"),
        ("vram_gib: 24", "vram_gib: 0"),
        ("vram_gib: 24", "vram_gb: 24"),
        ("vendor: nvidia\n", ""),
        ("vendor: nvidia", "vendor: nvida"),
        ('"8.9"', "8.9"),
        ("bus: pcie-4-x16", "bus: PCIe 4"),
        ("bus: pcie-4-x16", "bus:"),
    ],
)
def test_an_editor_sees_the_same_mistakes_as_the_check(old: str, new: str) -> None:
    path = "catalog/gpus/rtx-4090.yaml"
    kind, value = value_of(path, changed(path, old, new)[path])
    assert not validator(kind).is_valid(value)


def test_a_modeline_leads_from_a_record_to_its_schema() -> None:
    for kind in Kind:
        relative = kind.modeline.partition("$schema=")[2]
        target = os.path.normpath(ROOT / "catalog" / kind.folder / relative)
        assert target == os.path.normpath(ROOT / kind.schema_path)


if __name__ == "__main__":
    for schema_path, schema_text in schema_files().items():
        (ROOT / schema_path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / schema_path).write_text(schema_text)

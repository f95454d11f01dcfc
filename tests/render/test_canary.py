"""Whatever the catalog or the content says appears as text: in no field can markup hide."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from pydantic import BaseModel

from sitegen.physics.bounds.judgement import Step
from sitegen.pipeline.pages import render
from sitegen.problems import SourceSpan
from sitegen.site.collect import collect_pages
from sitegen.site.content.documents import Document
from sitegen.site.inputs import SiteInputs
from tests.render.built import parse, project
from tests.site import fabricated

CANARY = "<script>alert(1)</script>\"'onmouseover=alert(1) x=</style>]]><!--{{7*7}}{% raw %}&amp;"

FAMILY = "model_type"
"""Key of a model's config that has to name a family that the engine knows."""
KEPT = {
    "id", "code", "read", "bus", "links", "drives", "families", "format", "formats", "version",
    "assessed_version", "base_url", "segment", "slug", "kind", "gpu_id", "bound", "cache_kinds",
    "run", "source", "model", "checkpoint", "quantization", "runtime", "gpu", "quantity", "measure",
    "outcome", "tier", "timed", "runtimes", "data_date", "date", "address", "instead",
    "unpredicted", "since", "until", FAMILY,
}  # fmt: skip
"""Fields that the catalog's patterns restrict, or that select; everything else is free text."""


def with_canary(value: Any, change: Callable[[str], str], name: str = "") -> Any:
    """Copy a value with every free text changed; keys of mappings stay."""
    if isinstance(value, SourceSpan | Document | Enum | Step):
        return value
    if isinstance(value, str):
        return value if name in KEPT else change(value)
    if isinstance(value, tuple):
        return tuple(with_canary(item, change, name) for item in value)
    if isinstance(value, Mapping):
        return {
            key: with_canary(item, change, key if key == FAMILY else name)
            for key, item in value.items()
        }
    if isinstance(value, BaseModel) or (is_dataclass(value) and not isinstance(value, type)):
        return _changed(value, change)
    return value


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    """Copy a record with every free text of its fields changed."""
    if isinstance(value, BaseModel):
        given = {name: with_canary(item, change, name) for name, item in value}
        return value.model_copy(update=given)
    changed = {
        field.name: with_canary(getattr(value, field.name), change, field.name)
        for field in fields(value)
        if field.init
    }
    return replace(value, **changed)


@pytest.fixture(scope="module")
def poisoned() -> dict[str, bytes]:
    """The invented site with the canary behind every text."""
    inputs: SiteInputs = with_canary(fabricated.inputs(), lambda text: f"{text}{CANARY}")
    return render(collect_pages(inputs), project().templates, project().assets)


def test_the_canary_is_everywhere(poisoned: dict[str, bytes]) -> None:
    silent = [p for p, c in poisoned.items() if p.endswith(".html") and b"alert(1)" not in c]
    assert silent == []


def test_the_canary_is_text_and_nothing_else(poisoned: dict[str, bytes]) -> None:
    expected = parse_shape()
    for path, content in poisoned.items():
        if not path.endswith(".html"):
            continue
        root = parse(content)
        for element in root.iter():
            if element.tag == "script" and element.text:
                assert element.get("type") == "application/ld+json", path
                assert json.loads(element.text)["@context"] == "https://schema.org"
            elif element.tag == "script":
                assert re.fullmatch(r"(\.\./|/)*assets/[\w-]+\.js", str(element.get("src"))), path
            assert "alert" not in str(element.tag)
            for name in element.attrib:
                assert not str(name).startswith("on"), f"{path}: {name}"
        assert {str(element.tag) for element in root.iter()} <= expected
        assert "49" not in content.decode().split("7*7")[0][-3:]


def parse_shape() -> set[str]:
    """Every tag that templates and writers use."""
    from tests.render.built import pages, tree

    tags = {str(element.tag) for path in pages() for element in tree(path).iter()}
    return tags | {"em", "strong", "code", "p"}


def test_the_canary_breaks_no_feed_no_drawing_and_no_data(poisoned: dict[str, bytes]) -> None:
    seen: dict[str, int] = {}
    for path, content in poisoned.items():
        kind = path.rpartition(".")[2]
        held = b"alert(1)" in content
        seen[kind] = seen.get(kind, 0) + held
        if kind in {"xml", "atom", "svg"}:
            root = ET.fromstring(content)  # noqa: S314 - of our own writing
            tags = {str(one.tag).rpartition("}")[2] for one in root.iter()}
            assert not tags & {"script", "img", "style", "iframe"}, path
        elif kind == "json" and held:
            assert json.loads(content) is not None, path
        elif kind == "csv" and held:
            rows = list(csv.reader(io.StringIO(content.decode(), newline=""), strict=True))
            assert len({len(row) for row in rows}) == 1, path
    assert all(seen.get(kind, 0) > 0 for kind in ("html", "json", "csv", "md")), seen


def test_the_canary_survives_into_the_twin_unharmed(poisoned: dict[str, bytes]) -> None:
    twin = json.loads(poisoned["combos/four-by-two/index.json"])
    assert twin["result"]["name"] == f"4 nodes × 2× RTX 4090{CANARY}"


@pytest.mark.parametrize("text", ["{{ config }}", "{{ self.env }}", "{% include 'x' %}"])
def test_template_syntax_in_a_note_stays_text(text: str) -> None:
    inputs: SiteInputs = with_canary(fabricated.inputs(), lambda old: f"{old} {text}")
    files = render(collect_pages(inputs), project().templates, project().assets)
    shown = "".join(parse(files["models/small-8b/index.html"]).itertext())
    assert f"A note with a link: https://notes.example/page. {text}" in shown

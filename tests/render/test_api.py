"""Every JSON file that is published follows the schema that is published for it, to the key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from sitegen.inputs import read_project
from sitegen.pipeline.building import build
from sitegen.render.data.schemas import PAGE_SHAPES
from sitegen.site.page import Page
from tests.by_columns import entries
from tests.cli.small_project import small_project
from tests.render.built import files, site

BASE = "https://example.org/"
UNENVELOPED = {"anchors.json", "api/v2/openapi.json", "sitegen-manifest.json"}


def schema_of(path: str, published: Mapping[str, bytes]) -> str:
    """The schema that the site itself names for a file."""
    if path.endswith("metadata.json"):
        return "api/v2/schema/metadata.schema.json"
    name = path.removeprefix("api/v2/").removesuffix(".json")
    if path.startswith("api/v2/"):
        return f"api/v2/schema/{name}.schema.json"
    pages = json.loads(published["api/v2/pages.json"])["result"]
    by_url = {page["url"]: page["schema_path"].removeprefix("/") for page in pages}
    return str(by_url[f"/{path.removesuffix('index.json')}"])


def strict(schema: Any) -> Any:
    """Forbid, in a copy of a schema, keys that it does not name."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(value) for key, value in schema.items()}
    if "properties" in closed and "additionalProperties" not in closed:
        closed["additionalProperties"] = False
    return closed


def mistakes(published: Mapping[str, bytes]) -> tuple[int, list[str]]:
    """Validate every enveloped file against its schema, unknown keys forbidden."""
    schemas = {p: json.loads(c) for p, c in published.items() if p.endswith(".schema.json")}
    registry: Registry[Any] = Registry().with_resources(
        (BASE + path, DRAFT202012.create_resource(strict(schema)))
        for path, schema in schemas.items()
    )
    validators: dict[str, Draft202012Validator] = {}
    found: list[str] = []
    count = 0
    for path, content in published.items():
        if not path.endswith(".json") or "schema/" in path or path in UNENVELOPED:
            continue
        name = schema_of(path, published)
        if name not in validators:
            Draft202012Validator.check_schema(schemas[name])
            validators[name] = Draft202012Validator(strict(schemas[name]), registry=registry)
        count += 1
        for error in validators[name].iter_errors(json.loads(content)):
            found.append(f"{path}: {error.json_path}: {error.message[:200]}")
    return count, found


def test_every_file_of_the_invented_site_follows_its_schema() -> None:
    count, found = mistakes(files())
    assert found == []
    assert count > 60


def test_every_file_of_a_build_follows_its_schema(tmp_path: Path) -> None:
    count, found = mistakes(build(read_project(small_project(tmp_path))).files)
    assert found == []
    assert count > 40


def test_a_key_more_a_key_less_and_a_wrong_type_are_mistakes() -> None:
    path = "combos/four-by-two/index.json"
    good = json.loads(files()[path])
    changes: tuple[tuple[str, object], ...] = (("surprise", 1), ("name", 7), ("losses", None))
    for key, value in changes:
        bad = {**good, "result": {**good["result"], key: value}}
        assert mistakes({**files(), path: json.dumps(bad).encode()})[1] != []
    del good["result"]["tiers"]
    assert mistakes({**files(), path: json.dumps(good).encode()})[1] != []


def test_a_published_schema_bears_keys_that_are_added_later() -> None:
    for path, content in files().items():
        if path.startswith("api/v2/schema/"):
            assert b'"additionalProperties":false' not in content.replace(b" ", b""), path


def test_every_page_with_a_result_of_its_own_has_a_shape() -> None:
    kinds = {page.kind for page in site().pages.values() if page.result is not None}
    assert kinds <= set(PAGE_SHAPES)


def test_the_index_lists_every_list_and_every_path_exists() -> None:
    listed = json.loads(files()["api/v2/index.json"])["result"]
    there = {p for p in files() if p.startswith("api/v2/") and p.count("/") == 2}
    assert {one["path"].removeprefix("/") for one in listed} == there - {
        "api/v2/index.json",
        "api/v2/openapi.json",
    }
    for one in listed:
        assert one["schema_path"].removeprefix("/") in files()
        found = json.loads(files()[one["path"].removeprefix("/")])
        listed = found["result"]
        several = entries(listed) if isinstance(listed, dict) else listed
        assert one["total"] == found["total"] == len(several)


def test_openapi_names_addresses_and_schemas_that_exist() -> None:
    document = json.loads(files()["api/v2/openapi.json"])
    assert document["openapi"].startswith("3.1.")
    samples = {
        "combos": "four-by-two",
        "models": "small-8b",
        "gpus": "rtx-4090",
        "runtimes": "vllm",
    }
    for path, operations in document["paths"].items():
        id_ = samples.get(path.split("/")[1], "")
        assert path.replace("{id}", id_).removeprefix("/") in files()
        (content,) = operations["get"]["responses"]["200"]["content"].values()
        reference = content["schema"].get("$ref")
        assert reference is None or f"api/v2/{reference}" in files()
        named = [parameter["name"] for parameter in operations["get"].get("parameters", [])]
        assert named == (["id"] if "{id}" in path else [])


def test_the_list_of_verdicts_has_each_row_of_each_combo_page() -> None:
    listed = entries(json.loads(files()["api/v2/verdicts.json"])["result"])
    rows = {(one["combo"], one["assessment"], one["tier"]) for one in listed}
    pages = {
        (page.url.split("/")[2], row["id"], tier)
        for page in site().pages.values()
        if page.kind == "combo"
        for tier, found in result(page)["tiers"].items()
        for row in entries(found)
    }
    assert rows == pages
    assert len(listed) == len(rows)


def result(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files()[f"{page.url[1:]}index.json"])["result"]
    return found


@pytest.mark.parametrize("path", sorted(p for p in files() if p.endswith(".json")))
def test_json_is_finite_sorted_and_ends_with_one_line_feed(path: str) -> None:
    text = files()[path].decode()

    def refused(word: str) -> None:
        raise AssertionError(word)

    value = json.loads(text, parse_constant=refused)
    assert text.endswith("}\n")
    if not path.startswith("schema/"):
        again = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        assert text == f"{again}\n"

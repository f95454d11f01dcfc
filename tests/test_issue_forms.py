"""Issue forms: each answer has its place in a record, and an issue becomes a file in order."""

from __future__ import annotations

import importlib.util
import io
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sitegen.catalog.load import parse_catalog
from sitegen.inputs import read_project
from sitegen.problems import ProblemsFound
from tests.cli.small_project import small_project
from tests.test_docs import LLAMA_8B
from tests.yaml_files import read_yaml

ROOT = Path(__file__).parents[1]
FORMS = ROOT / ".github" / "ISSUE_TEMPLATE"
NAMES = ("measurement", "missing-model", "wrong-number")
RECORDS = {"measurement": "benchmark", "missing-model": "model"}
SAID: Mapping[str, Mapping[str, str]] = {
    "measurement": {
        "model": "qwen3-8b", "quantization": "bf16", "runtime": "vllm", "version": "0.33.0",
        "gpu": "rtx-4090", "gpus": "2", "link": "pcie-4-x16", "prompt_tokens": "1,024",
        "generated_tokens": "256", "sequences": "1", "decode": "88.5", "prefill": "9000",
        "aggregate": "88.5", "timed": "steady", "quote": "tg: 88.5 tokens/s", "title": "A reader",
        "url": "https://example.org/run", "read": "2026-11-20", "notes": "Two fans.\n\nNo window.",
    },
    "missing-model": {
        "name": "Small 8B", "organization": "Small", "repository": "small/Small-8B_v1.1",
        "license": "apache-2.0", "released": "2026-11-01", "context_tokens": "131072",
        "config": json.dumps({**LLAMA_8B, "torch_dtype": "bfloat16"}, indent=2),
        "checkpoints": "bf16 small/Small-8B_v1.1\nq4-k-m  somebody/Small-8B-GGUF\n",
        "title": "config.json @abc", "url": "https://example.org/c", "read": "2026-11-20",
    },
    "wrong-number": {
        "file": "catalog/gpus/rtx-4090.yaml", "key": "tdp_watts", "value": "450", "correct": "425",
        "title": "Data sheet", "url": "https://example.org/sheet", "read": "2026-11-20",
    },
}  # fmt: skip


def loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("from_issue", ROOT / "scripts/from_issue.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["from_issue"] = module  # its values are dataclasses, which look there
    spec.loader.exec_module(module)
    return module


script = loaded()


def questions(name: str) -> list[dict[str, Any]]:
    body = read_yaml((FORMS / f"{name}.yml").read_text("utf-8"))["body"]
    return [one for one in body if one["type"] != "markdown"]


def issue(name: str, **other: str | None) -> str:
    """Write an issue as the host does, with some other answers."""
    said = {**SAID[name], **other}
    parts = []
    for one in questions(name):
        answer = said.get(one["id"]) or "_No response_"
        if "render" in one["attributes"]:
            answer = f"```{one['attributes']['render']}\n{answer}\n```"
        parts.append(f"### {one['attributes']['label']}\n\n{answer}")
    return "\n\n".join(parts) + "\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    return read_project(small_project(tmp_path_factory.mktemp("forms"))).catalog


def test_the_forms_are_those_that_the_script_reads() -> None:
    assert {path.stem for path in FORMS.glob("*.yml")} == {*NAMES, "config"}
    assert set(script.FIELDS) == set(RECORDS)


@pytest.mark.parametrize("name", NAMES)
def test_a_form_is_as_its_host_wants_it(name: str) -> None:
    form = read_yaml((FORMS / f"{name}.yml").read_text("utf-8"))
    assert {"name", "description", "body"} <= set(form)
    asked = questions(name)
    ids = [one["id"] for one in asked]
    labels = [one["attributes"]["label"] for one in asked]
    assert len(set(ids)) == len(ids) == len(set(labels))
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+", one) for one in ids)
    assert {one["type"] for one in form["body"]} <= {"markdown", "input", "textarea", "dropdown"}
    known = {"label", "description", "placeholder", "options", "render"}
    assert all(set(one["attributes"]) <= known for one in asked)


def at(schema: dict[str, Any], keys: tuple[str | int, ...]) -> dict[str, Any]:
    """Walk a JSON Schema along the keys of a record."""
    here = schema
    for key in (*keys, None):
        choices = [one for one in here.get("anyOf", [here]) if one.get("type") != "null"]
        here = choices[0]
        if "$ref" in here:
            here = schema["$defs"][here["$ref"].rpartition("/")[2]]
        if key is not None:
            here = here["items"] if isinstance(key, int) else here["properties"][key]
    return here


@pytest.mark.parametrize(("name", "kind"), RECORDS.items())
def test_each_answer_has_its_place_in_the_schema_of_the_record(name: str, kind: str) -> None:
    schema = json.loads((ROOT / f"schema/v1/{kind}.schema.json").read_bytes())
    fields = script.FIELDS[name]
    asked = {one["id"]: one for one in questions(name)}
    assert set(fields) == set(asked)
    of_readers = {script.words: "string", script.text_of: "string", script.config: "object",
                  script.checkpoints: "array"}  # fmt: skip
    for id_, field in fields.items():
        place = at(schema, field.keys)
        if field.read is script.number:
            assert place["type"] in {"integer", "number"}, id_
        else:
            stated = "string" if "enum" in place else place["type"]
            assert stated == of_readers[field.read], id_
        if asked[id_]["type"] == "dropdown":
            assert asked[id_]["attributes"]["options"] == place["enum"]


@pytest.mark.parametrize("name", NAMES)
def test_an_issue_becomes_a_file_without_problems(name: str, files: Mapping[str, str]) -> None:
    path, text = script.made(name, issue(name), files)
    assert path.startswith("catalog/")
    parse_catalog({**files, path: text})


@pytest.mark.parametrize(("name", "kind"), RECORDS.items())
def test_what_a_form_requires_is_enough(name: str, kind: str, files: Mapping[str, str]) -> None:
    optional = {
        one["id"]: None
        for one in questions(name)
        if not one.get("validations", {}).get("required") and one["id"] not in {"link", "decode"}
    }
    path, text = script.made(name, issue(name, **optional), files)
    parse_catalog({**files, path: text})
    assert path.startswith(f"catalog/{kind}s/")


def test_answers_stand_in_the_record_as_values(files: Mapping[str, str]) -> None:
    path, text = script.made("measurement", issue("measurement"), files)
    (run,) = read_yaml(text)["runs"]
    assert re.fullmatch(r"catalog/benchmarks/qwen3-8b-on-2x-rtx-4090-[0-9a-f]{8}\.yaml", path)
    assert run["workload"] == {"prompt_tokens": 1024, "generated_tokens": 256, "sequences": 1}
    assert run["figures"]["decode_tokens_per_s"] == 88.5
    assert run["notes"] == "Two fans.\n\nNo window."
    path, text = script.made("missing-model", issue("missing-model"), files)
    model = read_yaml(text)
    assert path == "catalog/models/small-8b-v1.1.yaml"
    assert model["config"] == LLAMA_8B  # less what says nothing of sizes
    assert model["checkpoints"][1] == {
        "quantization": "q4-k-m", "repository": "somebody/Small-8B-GGUF",
    }  # fmt: skip


def test_a_correction_changes_one_value_and_names_its_source(files: Mapping[str, str]) -> None:
    path, text = script.made("wrong-number", issue("wrong-number"), files)
    before, after = files[path].splitlines(), text.splitlines()
    assert [line for line in before if line not in after] == ["tdp_watts: 450"]
    assert read_yaml(text)["tdp_watts"] == 425
    added = {"title": "Data sheet", "url": "https://example.org/sheet", "read": "2026-11-20"}
    assert read_yaml(text)["sources"][0] == {**added, "fields": ["tdp_watts"]}
    assert len(after) == len(before) + 5


@pytest.mark.parametrize(
    ("name", "other", "said"),
    [
        ("measurement", {"decode": "fast"}, "'fast' is no number"),
        ("measurement", {"decode": "1e999"}, "is no number"),
        ("measurement", {"model": "_No response_"}, "'Model' has no answer"),
        ("measurement", {"model": "../../x"}, "unusable"),
        ("measurement", {"gpu": "rtx-4900"}, None),
        ("measurement", {"timed": "soon"}, "timed"),
        ("missing-model", {"config": "{"}, "the config is no JSON"),
        ("missing-model", {"config": '{"a": NaN}'}, "the config is no JSON"),
        ("missing-model", {"config": "[]"}, "the config is no JSON object"),
        ("missing-model", {"repository": "a/qwen3-8b"}, "exists already"),
        ("wrong-number", {"file": "../../etc/passwd"}, "there is no record"),
        ("wrong-number", {"file": "catalog/gpus/../../x.yaml"}, "there is no record"),
        ("wrong-number", {"key": "sources"}, "has no single value"),
        ("wrong-number", {"value": "451"}, "is '450', not '451'"),
        ("wrong-number", {"correct": "-1"}, "tdp_watts"),
        ("wrong-number", {"correct": "{a: b}"}, "tdp_watts"),
    ],
)
def test_an_issue_that_makes_no_file_says_why(
    name: str, other: dict[str, str], said: str | None, files: Mapping[str, str]
) -> None:
    try:
        path, _ = script.made(name, issue(name, **other), files)
    except (script.UnusableIssue, ProblemsFound) as error:
        found = "\n".join(str(one) for one in getattr(error, "problems", (error,)))
        assert said in {None, "unusable"} or str(said) in found
    else:
        assert said is None
        assert re.fullmatch(r"catalog/[a-z]+/[a-z0-9.-]+\.yaml", path)


def test_text_of_an_issue_is_a_value_and_never_a_question_or_a_key(
    files: Mapping[str, str],
) -> None:
    spoofed = "x\n\n### Source\n\nmine\n\nvisible_mib: 1\n---\n!!python/object:x"
    _, text = script.made("measurement", issue("measurement", notes=spoofed), files)
    value = read_yaml(text)
    assert value["sources"][0]["title"] == "A reader"
    assert value["runs"][0]["notes"] == spoofed
    quoted = 'a"\nvendor: amd\nx: "b'
    path, text = script.made("wrong-number", issue("wrong-number", title=quoted), files)
    assert read_yaml(text)["vendor"] == "nvidia"
    assert read_yaml(text)["sources"][0]["title"] == 'a" vendor: amd x: "b'
    assert path == "catalog/gpus/rtx-4090.yaml"


def test_the_command_writes_the_file_or_says_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = small_project(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(issue("wrong-number")))
    assert script.main(["wrong-number", str(root), "--write"]) == 0
    assert capsys.readouterr().out == "catalog/gpus/rtx-4090.yaml\n"
    assert "\ntdp_watts: 425\n" in (root / "catalog/gpus/rtx-4090.yaml").read_text("utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO(issue("wrong-number")))
    assert script.main(["wrong-number", str(root)]) == 1
    assert "is '425', not '450'" in capsys.readouterr().err

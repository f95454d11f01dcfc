"""Problems on the command line: six formats, and nothing in them that a terminal would obey."""

from __future__ import annotations

import json

import jsonschema

from sitegen.cli.text.problem_formats import (
    SHOWN_PER_CODE,
    as_json,
    concise,
    full,
    github,
    rdjson,
    sarif,
)
from sitegen.problems import Problem, Severity, SourceSpan

PLAIN = Problem(
    SourceSpan("catalog/combos/quad.yaml", 3, 10),
    "unknown-gpu",
    "no GPU has the id 'rtx-4900'",
    "did you mean 'rtx-4090'?",
    "  - gpu: rtx-4900",
)
WARNING = Problem(SourceSpan("content/a.md"), "stale", "old", severity=Severity.WARNING)
HOSTILE = Problem(
    SourceSpan("catalog/gpus/a,b:c.yaml", 1, 1),
    "x",
    "\x1b[31mred\x07\n::error::forged\r\u202egnp.exe",
    "50 % \x1b]8;;http://evil\x07link",
    "name: \x1b[2J\tx",
)


def test_full_shows_position_message_source_caret_and_hint() -> None:
    assert full([PLAIN]) == (
        "catalog/combos/quad.yaml:3:10: error[unknown-gpu]: no GPU has the id 'rtx-4900'\n"
        "      - gpu: rtx-4900\n"
        "             ^\n"
        "  hint: did you mean 'rtx-4090'?\n"
        "  more: sitegen check --explain unknown-gpu\n"
        "\n"
    )


def test_where_to_read_more_is_said_once_for_a_code() -> None:
    assert full([PLAIN, PLAIN, WARNING]).count("more: sitegen check --explain") == 2


def test_concise_is_one_line_each() -> None:
    assert concise([PLAIN, WARNING]) == (
        "catalog/combos/quad.yaml:3:10: error[unknown-gpu]: no GPU has the id 'rtx-4900' "
        "(did you mean 'rtx-4090'?)\n"
        "content/a.md:1:1: warning[stale]: old\n"
    )


def test_json_counts_and_carries_everything() -> None:
    document = json.loads(as_json([PLAIN, WARNING]))
    assert (document["errors"], document["warnings"]) == (1, 1)
    assert document["problems"][0] == {
        "path": "catalog/combos/quad.yaml",
        "line": 3,
        "column": 10,
        "severity": "error",
        "code": "unknown-gpu",
        "message": "no GPU has the id 'rtx-4900'",
        "hint": "did you mean 'rtx-4090'?",
        "source_line": "  - gpu: rtx-4900",
    }


def test_github_annotations_are_one_workflow_command_each() -> None:
    assert github([PLAIN]) == (
        "::error file=catalog/combos/quad.yaml,line=3,col=10,title=unknown-gpu::"
        "no GPU has the id 'rtx-4900'%0Adid you mean 'rtx-4090'?\n"
    )


def test_data_cannot_forge_a_workflow_command() -> None:
    lines = github([HOSTILE]).splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("::error file=catalog/gpus/a%2Cb%3Ac.yaml,line=1,col=1,title=x::")
    assert "50 %25" in lines[0]


def test_data_cannot_move_the_terminal() -> None:
    for write in (full, concise, github, as_json, rdjson, sarif):
        text = write([HOSTILE])
        controls = {c for c in text if ord(c) < 32 or c in "\x7f\u202e"} - {"\n"}
        assert controls == set(), write.__name__
    assert r"\x1b[31mred\x07\n::error::forged\r\u202egnp.exe" in full([HOSTILE])


def test_people_are_spared_the_hundredth_problem_of_a_kind_but_scripts_are_not() -> None:
    many = [
        Problem(SourceSpan("catalog/gpus/a.yaml", line), "typo", "wrong")
        for line in range(1, SHOWN_PER_CODE + 38)
    ]
    assert full(many).endswith("… 37 more of [typo]\n")
    assert full(many).count("error[typo]") == SHOWN_PER_CODE
    assert len(json.loads(as_json(many))["problems"]) == SHOWN_PER_CODE + 37


SEVERITIES = {"enum": ["ERROR", "WARNING", "INFO"]}
POSITION = {
    "type": "object",
    "required": ["line", "column"],
    "properties": {"line": {"type": "integer"}, "column": {"type": "integer", "minimum": 1}},
    "additionalProperties": False,
}
RDJSON = {
    "type": "object",
    "required": ["diagnostics"],
    "additionalProperties": False,
    "properties": {
        "source": {"type": "object", "properties": {"name": {"type": "string"}}},
        "diagnostics": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["message", "location"],
                "additionalProperties": False,
                "properties": {
                    "message": {"type": "string"},
                    "severity": SEVERITIES,
                    "code": {"type": "object", "properties": {"value": {"type": "string"}}},
                    "location": {
                        "type": "object",
                        "required": ["path", "range"],
                        "properties": {
                            "path": {"type": "string"},
                            "range": {"properties": {"start": POSITION}, "required": ["start"]},
                        },
                    },
                },
            },
        },
    },
}
"""Keys, types and words of reviewdog's DiagnosticResult that we write, read on 2026-11-23 in
proto/rdf/reviewdog.proto of github.com/reviewdog/reviewdog at 6c307503."""


def test_rdjson_has_the_keys_and_words_of_reviewdog_and_counts_bytes() -> None:
    accented = Problem(SourceSpan("content/a.md", 2, 4), "stale", "old", "", "\u00e9\u00e8 x")
    document = json.loads(rdjson([PLAIN, WARNING, HOSTILE, accented]))
    jsonschema.validate(document, RDJSON)
    plain, warning, _, last = document["diagnostics"]
    assert plain["location"] == {
        "path": "catalog/combos/quad.yaml",
        "range": {"start": {"line": 3, "column": 10}},
    }
    assert (plain["severity"], warning["severity"]) == ("ERROR", "WARNING")
    assert plain["code"] == {"value": "unknown-gpu"}
    assert last["location"]["range"]["start"]["column"] == 6, "two letters of two bytes, a blank"


def _object(required: str, **properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "required": required.split(),
        "additionalProperties": False,
        "properties": properties,
    }


_TEXT = {"type": "string"}
_LINE = {"type": "integer", "minimum": 1}
_REGION = _object("", startLine=_LINE, startColumn=_LINE, snippet=_object("text", text=_TEXT))
_LOCATION = _object(
    "",
    physicalLocation=_object(
        "", artifactLocation=_object("", uri=_TEXT, uriBaseId=_TEXT), region=_REGION
    ),
)
_RESULT = _object(
    "message",
    ruleId=_TEXT,
    ruleIndex={"type": "integer", "minimum": -1},
    level={"enum": ["none", "note", "warning", "error"]},
    message=_object("text", text=_TEXT),
    locations={"type": "array", "items": _LOCATION},
)
_RULE = _object("id", id=_TEXT, help=_object("text", text=_TEXT))
_DRIVER = _object(
    "name",
    name=_TEXT,
    version=_TEXT,
    rules={"type": "array", "uniqueItems": True, "items": _RULE},
)
SARIF = _object(
    "version runs",
    **{"$schema": _TEXT},
    version={"const": "2.1.0"},
    runs={
        "type": "array",
        "items": _object(
            "tool",
            tool=_object("driver", driver=_DRIVER),
            results={"type": "array", "items": _RESULT},
            columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        ),
    },
)
"""The keys, types and words of OASIS SARIF 2.1.0 (sections 3.13 to 3.52) that we may write."""


def test_sarif_has_the_keys_and_words_of_its_standard() -> None:
    for problems in ([], [PLAIN, WARNING, HOSTILE]):
        jsonschema.validate(json.loads(sarif(problems)), SARIF)


def test_sarif_names_a_rule_for_each_result() -> None:
    document = json.loads(sarif([PLAIN, WARNING, PLAIN]))
    (run,) = document["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert document["version"] == "2.1.0"
    assert [rules[result["ruleIndex"]] for result in run["results"]] == [
        result["ruleId"] for result in run["results"]
    ]
    assert {result["level"] for result in run["results"]} == {"error", "warning"}
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 3, "startColumn": 10}

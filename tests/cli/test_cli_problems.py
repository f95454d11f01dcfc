"""Problems on the command line: four formats, and nothing in them that a terminal would obey."""

from __future__ import annotations

import json

from sitegen.cli.text.problem_formats import SHOWN_PER_CODE, as_json, concise, full, github
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
        "\n"
    )


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
    for write in (full, concise, github, as_json):
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

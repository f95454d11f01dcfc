"""The table of requirements: complete, and every test that it names is there."""

from __future__ import annotations

import ast
import re
import time
from functools import cache
from pathlib import Path

import pytest

from sitegen.catalog.stated_numbers import stated_number
from sitegen.problems import did_you_mean
from sitegen.site.content.authored_links import authored_links

ROOT = Path(__file__).parents[1]
TABLE = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
ROWS: dict[str, str] = {
    found[0]: found[1]
    for found in re.findall(r"^\| ([A-Z]+-?[0-9]+) \| [^|]+ \| (.+) \|$", TABLE, re.MULTILINE)
}
COUNTS = {"ED-": 24, "CL-": 12, "RS-": 56, "RD-": 20, "BM-": 13, "D": 12}
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
WITHOUT = "not shown: "


@cache
def names_in(path: str) -> frozenset[str]:
    """Read the names of the tests of a file, without running any of it."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def test_every_requirement_stands_in_the_table_once() -> None:
    wanted = [f"{kind}{number}" for kind, most in COUNTS.items() for number in range(1, most + 1)]
    assert list(ROWS) == wanted
    assert len(re.findall(r"^\| [A-Z]+-?[0-9]+ \|", TABLE, re.MULTILINE)) == len(wanted)


@pytest.mark.parametrize("id_", ROWS)
def test_a_requirement_names_tests_that_exist_or_a_reason(id_: str) -> None:
    named = NAMED.findall(ROWS[id_])
    assert named or ROWS[id_].startswith(WITHOUT)
    missing = [f"{path}::{name}" for path, name in named if name not in names_in(path)]
    assert missing == []
    unread = NAMED.sub("", ROWS[id_]) if not ROWS[id_].startswith(WITHOUT) else ""
    assert unread.strip(", ") == ""


def test_a_test_that_is_not_there_would_be_noticed() -> None:
    assert "test_that_nobody_wrote" not in names_in("tests/test_requirements.py")
    assert NAMED.findall("`tests/a.py::test_b`") == [("tests/a.py", "test_b")]


def test_few_requirements_are_without_a_test() -> None:
    assert [id_ for id_, shown in ROWS.items() if shown.startswith(WITHOUT)] == ["RS-45"]


def test_every_untrusted_input_names_tests_that_exist() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    table = text.partition("## Each untrusted input")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == 11
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)`", row)
        assert named, row[:60]
        assert all(names_in(path) for path in named)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 50_000,
        "](" * 25_000,
        "`" * 49_999,
        "![a](" * 10_000,
        "1" * 50_000,
        "# sitegen:" * 5_000,
        "` `` " * 10_000,
    ],
    ids=["open", "close", "ticks", "images", "digits", "comments", "runs"],
)
def test_text_of_50_kb_is_searched_in_no_time(text: str) -> None:
    started = time.process_time()
    list(authored_links(text))
    stated_number(text)
    did_you_mean(text[:100], ["rtx-4090"])
    assert time.process_time() - started < 2, "100 ms on an idle machine"

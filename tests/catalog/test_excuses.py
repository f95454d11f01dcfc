"""An excuse for a problem: on its line, for its code, with a reason, and not longer than needed."""

from __future__ import annotations

import re

import pytest

from sitegen.catalog.excuses import EXCUSABLE
from sitegen.catalog.load import parse_catalog
from sitegen.problems import ProblemsFound
from tests.catalog.problem_cases import GPU
from tests.catalog.sample import changed
from tests.catalog.test_problems import DOCUMENT

CORES = "cores: 16384\nmultiprocessors: 144"


def codes_of(new: str, old: str = "bus: pcie") -> list[str]:
    try:
        parse_catalog(changed(GPU, old, f"{new}\n{old}"))
    except ProblemsFound as found:
        return sorted(problem.code for problem in found.problems)
    return []


def test_a_comment_on_the_line_excuses_its_code_and_no_other() -> None:
    assert codes_of(CORES) == ["cores"]
    assert codes_of(f"{CORES} # sitegen: ignore[cores] a part is fused off") == []
    assert codes_of(f"{CORES} # sitegen: ignore[cores, bandwidth] fused off") == ["needless-ignore"]
    assert sorted(codes_of(f"# sitegen: ignore[cores] above\n{CORES}")) == [
        "cores",
        "needless-ignore",
    ]


def test_an_excuse_needs_a_reason() -> None:
    assert sorted(codes_of(f"{CORES} # sitegen: ignore[cores]")) == ["bad-ignore", "cores"]


def test_nobody_knows_what_is_needed_while_a_file_cannot_be_read() -> None:
    found = codes_of(f"nonsense: 1\n{CORES} # sitegen: ignore[cores] fused off")
    assert found == ["unknown-key"]


@pytest.mark.parametrize("code", ["no-source", "out-of-range", "unknown-gpu", "url"])
def test_what_no_page_can_be_made_of_is_never_excused(code: str) -> None:
    assert code not in EXCUSABLE
    found = codes_of(f"{CORES} # sitegen: ignore[{code}] please")
    assert sorted(found) == ["bad-ignore", "cores"]


def test_the_page_lists_what_can_be_excused() -> None:
    listed = DOCUMENT.partition("These can be excused:")[2].partition("\n\n")[0]
    assert set(re.findall(r"`([a-z-]+)`", listed)) == EXCUSABLE
    assert all(f"### `{code}`" in DOCUMENT for code in EXCUSABLE)

"""Every code of the linter has words for the page of checks."""

from __future__ import annotations

import re
from pathlib import Path

from sitegen.site.words.lint_codes import CODES

ROOT = Path(__file__).parents[2]


def test_every_code_that_the_manual_lists_has_words_and_no_other() -> None:
    text = (ROOT / "docs/linter.md").read_text("utf-8").partition("## Codes")[2]
    listed = set(re.findall(r"^\| `([a-z-]+)` \|", text, re.MULTILINE))
    assert len(listed) >= 25
    assert set(CODES) - {"too-large"} == listed


def test_words_are_sentences_and_no_two_codes_share_them() -> None:
    assert len({said.what for said in CODES.values()}) == len(CODES)
    assert all(not said.what.endswith(".") and said.why.endswith(".") for said in CODES.values())

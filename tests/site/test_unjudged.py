"""What is not judged: a list with reasons, folded on the indexes, of nothing that is judged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sitegen.problems import ProblemsFound
from sitegen.site.content.unjudged import PATH, parse_unjudged
from tests.survey.whole_catalog import whole_catalog

ROOT = Path(__file__).parents[2]
ENTRY = """\
  - name: X
    reason: Nobody knows.
    source: {title: Its page, read: '2026-11-23'}
"""


def real() -> dict[str, str]:
    return {PATH: (ROOT / PATH).read_text("utf-8")}


def plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def test_nothing_of_the_list_is_in_the_catalog() -> None:
    found, catalog = parse_unjudged(real()), whole_catalog()
    assert {one.name for one in found.runtimes} >= {"LMDeploy", "KTransformers"}
    judged = {plain(one.name) for one in catalog.runtimes.values()}
    judged |= {plain(one) for one in catalog.runtimes}
    assert not judged & {plain(one.name) for one in found.runtimes}
    gpus = {plain(one.name) for one in catalog.gpus.values()} | set(map(plain, catalog.gpus))
    parts = {plain(part) for one in found.gpus for part in re.split(r" and ", one.name)}
    assert parts
    assert not gpus & parts


def test_without_the_file_everything_is_judged() -> None:
    found = parse_unjudged({})
    assert (found.runtimes, found.gpus) == ((), ())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"runtimes:\n{ENTRY}{ENTRY}", "unjudged"),
        (f"runtimes:\n{ENTRY}gpus:\n{ENTRY}", "unjudged"),
        (f"runtimes:\n{ENTRY}".replace("reason", "why"), "unjudged"),
        (f"gpus:\n{ENTRY}".replace("Nobody knows", "It has 24.0 GiB"), "prose-states-number"),
    ],
)
def test_a_mistake_in_the_list_is_a_problem(text: str, code: str) -> None:
    with pytest.raises(ProblemsFound) as caught:
        parse_unjudged({PATH: text})
    assert code in {problem.code for problem in caught.value.problems}

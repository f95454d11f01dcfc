"""What is not judged: a list with reasons, folded on the indexes, of nothing that is judged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sitegen.problems import ProblemsFound
from sitegen.site.content.unjudged import PATH, already_judged, parse_unjudged
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


def test_a_model_of_the_list_has_no_record_or_the_check_says_so() -> None:
    found = parse_unjudged(real())
    assert [one.name for one in found.models] == ["DBRX Instruct", "Intern-S2 Preview"]
    assert list(already_judged(found, whole_catalog(), real())) == []
    text = f"models:\n{ENTRY}    repository: deepseek-ai/DeepSeek-V4.1-Flash\n"
    (problem,) = already_judged(parse_unjudged({PATH: text}), whole_catalog(), {PATH: text})
    assert (problem.code, problem.span.path) == ("unjudged", PATH)
    line = text.splitlines()[problem.span.line - 1]
    assert line[problem.span.column - 1 :] == "deepseek-ai/DeepSeek-V4.1-Flash"
    assert "catalog/models/deepseek-v4.1-flash.yaml" in problem.message


def test_without_the_file_everything_is_judged() -> None:
    found = parse_unjudged({})
    assert (found.models, found.runtimes, found.gpus) == ((), (), ())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"runtimes:\n{ENTRY}{ENTRY}", "unjudged"),
        (f"runtimes:\n{ENTRY}gpus:\n{ENTRY}", "unjudged"),
        (f"runtimes:\n{ENTRY}".replace("reason", "why"), "unknown-key"),
        (f"gpus:\n{ENTRY}".replace("Nobody knows", "It has 24.0 GiB"), "prose-states-number"),
    ],
)
def test_a_mistake_in_the_list_is_a_problem(text: str, code: str) -> None:
    with pytest.raises(ProblemsFound) as caught:
        parse_unjudged({PATH: text})
    assert code in {problem.code for problem in caught.value.problems}

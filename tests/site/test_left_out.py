"""Models that are not judged: each with a reason and a source, none of them in the catalog."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.inputs import read_project
from sitegen.pipeline.sources import parse
from sitegen.problems import ProblemsFound
from sitegen.site.content.left_out import PATH, parse_left_out
from tests.render.built import ROOT

PROJECT = read_project(ROOT)
ENTRY = """- name: Small 8B
  repository: acme/small-8b
  reason: Nobody has read its config.
  source: {title: A list, read: '2026-11-23'}
"""


def test_every_entry_has_a_reason_a_source_and_no_record() -> None:
    entries = parse_left_out(PROJECT.content)
    records = "".join(
        text for path, text in PROJECT.catalog.items() if path.startswith("catalog/models/")
    )
    assert entries
    for one in entries:
        assert len(one.reason.split()) > 5
        assert one.source.url.startswith("https://")
        assert f"repository: {one.repository}\n" not in records


def test_entries_stand_by_name_and_a_project_without_the_file_has_none() -> None:
    two = ENTRY.replace("Small 8B", "a small one") + ENTRY
    assert [one.name for one in parse_left_out({PATH: two})] == ["a small one", "Small 8B"]
    assert parse_left_out({}) == ()


def test_an_entry_without_a_reason_is_a_problem_with_its_code() -> None:
    with pytest.raises(ProblemsFound) as caught:
        parse_left_out({PATH: ENTRY.replace("  reason: Nobody has read its config.\n", "")})
    assert {problem.code for problem in caught.value.problems} == {"left-out"}
    assert {problem.span.path for problem in caught.value.problems} == {PATH}


def test_a_model_of_the_catalog_cannot_stay_on_the_list() -> None:
    changed = ENTRY.replace("acme/small-8b", "deepseek-ai/DeepSeek-V4.1-Flash")
    project = replace(PROJECT, content={**PROJECT.content, PATH: changed})
    with pytest.raises(ProblemsFound) as caught:
        parse(project)
    (problem,) = caught.value.problems
    assert (problem.code, problem.span.path) == ("left-out", PATH)
    assert "catalog/models/deepseek-v4.1-flash.yaml" in problem.message

"""Errors that people met: read with their places, shown word for word, and enough of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.inputs import read_project
from sitegen.pipeline.sources import parse
from sitegen.problems import Problem, ProblemsFound
from sitegen.site.content.known_errors import parse_errors
from sitegen.site.pages.errors import ErrorsView, pages
from tests.render.built import ROOT, files
from tests.render.built import parse as parsed
from tests.site import fabricated

TEXT = fabricated.ERRORS_TEXT


def problems_of(**changed: str) -> tuple[Problem, ...]:
    content = TEXT
    for before, after in changed.items():
        old = {"number": "The cache is full.", "field": "means:", "runtime": "[vllm]"}[before]
        assert old in content
        content = content.replace(old, after)
    with pytest.raises(ProblemsFound) as caught:
        parse_errors({"content/errors/memory.yaml": content})
    return caught.value.problems


def test_a_number_in_our_words_has_a_place_and_one_in_the_literal_text_may_stand() -> None:
    (problem,) = problems_of(number="It wants 24 GiB.")
    assert problem.code == "prose-states-number"
    assert (problem.span.path, problem.span.line) == ("content/errors/memory.yaml", 7)
    literal = TEXT.replace("blocks is", "blocks of 24.0 GiB is")
    assert parse_errors({"content/errors/memory.yaml": literal})


def test_an_unknown_key_says_so() -> None:
    found = problems_of(field="says:")
    assert {problem.code for problem in found} == {"missing-key", "unknown-key"}
    assert any(problem.message == "errors.0 has no key 'says'" for problem in found)
    assert {problem.span.line for problem in found} >= {7}


def test_two_errors_of_one_name_are_a_problem_over_all_topics() -> None:
    with pytest.raises(ProblemsFound) as caught:
        parse_errors({"content/errors/a.yaml": TEXT, "content/errors/b.yaml": TEXT})
    (problem,) = caught.value.problems
    assert "another error is called 'pool-too-small'" in problem.message
    assert problem.span.path == "content/errors/b.yaml"


@pytest.mark.parametrize("topic", ["a-topic", "z-topic"])
def test_an_error_is_not_called_as_a_topic_is(topic: str) -> None:
    named = TEXT.replace("pool-too-small", topic)
    files = {"content/errors/m.yaml": named, f"content/errors/{topic}.yaml": TEXT}
    with pytest.raises(ProblemsFound) as caught:
        parse_errors(files)
    (problem,) = caught.value.problems
    assert problem.message == f"a topic is called '{topic}'"
    assert str(problem.span) == "content/errors/m.yaml:3:9"


def test_a_runtime_that_does_not_exist_is_named_with_its_place() -> None:
    topics = parse_errors({"content/errors/memory.yaml": TEXT.replace("[vllm]", "[vlm]")})
    with pytest.raises(ProblemsFound) as caught:
        list(pages(replace(fabricated.inputs(), errors=topics)))
    (problem,) = caught.value.problems
    assert problem.message == "no runtime has the id 'vlm'"
    assert "vllm" in problem.hint
    assert (problem.span.line, problem.span.column) == (6, 16)


def test_without_errors_there_is_no_page() -> None:
    assert list(pages(replace(fabricated.inputs(), errors=()))) == []


def test_the_page_shows_the_text_literally_and_the_likeliest_cause_first() -> None:
    root = parsed(files()["errors/index.html"])
    shown = next(e for e in root.iter() if str(e.tag).endswith("pre"))
    assert "".join(shown.itertext()) == "ValueError: the pool of <8> blocks is *too small*"
    causes = ["".join(e.itertext()).strip() for e in root.iter() if str(e.tag).endswith("li")]
    numbered = [words for words in causes if "Check:" in words]
    assert numbered[0].startswith("No context was stated.")
    assert numbered[1].startswith("Somebody else was first.")


def test_the_catalog_of_errors_is_large_and_every_one_names_where_it_was_met() -> None:
    real = parse(read_project(ROOT))
    (page,) = pages(replace(fabricated.inputs(), catalog=real.catalog, errors=real.errors))
    assert isinstance(page.view, ErrorsView)
    found = [error for topic in real.errors for error in topic.record.errors]
    assert page.total == len(found) >= 25
    assert all(error.source.url.startswith("https://") for error in found)
    assert len({error.text for error in found}) == len(found)

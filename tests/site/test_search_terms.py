"""What people type that names no page: read strictly, and each word stands for one idea."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.problems import ProblemsFound
from sitegen.site.content.search_terms import PATH, parse_search_terms
from sitegen.site.search import SearchView, search_page
from tests.site import fabricated

ROOT = Path(__file__).parents[2]
TERM = "  - typed: [oom]\n    answers: [{title: Errors, page: /errors/}]\n"


def test_the_words_that_readers_typed_have_answers() -> None:
    found = parse_search_terms({PATH: (ROOT / PATH).read_text("utf-8")})
    first = {typed: term.answers[0].page for term in found.terms for typed in term.typed}
    assert first["oom"] == first["out of memory"] == "/errors/#memory"
    assert first["awq"] == first["gguf"] == first["exl2"] == "/guides/quantization/"
    assert first["nvl"].startswith("/guides/")
    assert first["best model"] == "/quality/"
    assert {"have", "machine", "model", "fits"} <= {*found.ignored}  # they choose no page


def test_without_the_file_no_word_stands_for_another() -> None:
    found = parse_search_terms({})
    assert (found.terms, found.ignored) == ((), ())


@pytest.mark.parametrize(
    ("text", "told", "code"),
    [
        (f"terms:\n{TERM}{TERM}", "'oom' stands here twice", "search-term"),
        (f"terms:\n{TERM}".replace("oom", "OOM"), "never what is looked for", "search-term"),
        (
            f"terms:\n{TERM}".replace("oom", "out-of-memory"),
            "never what is looked for",
            "search-term",
        ),
        (
            f"terms:\n{TERM}".replace("/errors/", "errors"),
            "must be an address of this site",
            "bad-format",
        ),
        (f"terms:\n{TERM}".replace("typed", "words"), "has no key 'words'", "unknown-key"),
    ],
)
def test_a_mistake_in_the_list_is_a_problem(text: str, told: str, code: str) -> None:
    with pytest.raises(ProblemsFound) as caught:
        parse_search_terms({PATH: text})
    assert any(
        told in problem.message and problem.code == code for problem in caught.value.problems
    )


def test_numbers_of_a_known_error_are_no_words_of_it() -> None:
    view = search_page([], fabricated.inputs()).view
    assert isinstance(view, SearchView)
    assert [(one.url, one.words) for one in view.errors] == [
        ("/errors/#pool-too-small", "valueerror the pool of blocks is too small")
    ]


def test_the_script_knows_which_pairs_have_a_page() -> None:
    shown = search_page(fabricated.pair_pages(), fabricated.inputs()).shown
    assert isinstance(shown, SearchView)
    assert shown.pairs == "four-by-two/large-70b/ single-rtx-3060/large-70b/"
    assert shown.groups == ()

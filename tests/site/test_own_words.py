"""Our pages are written in our own words, and state no figure of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.seed_ngrams import LENGTH, known, ngrams
from sitegen.problems import ProblemsFound
from sitegen.site.content.documents import parse_documents
from tests.yaml_files import read_yaml, strings_of

ROOT = Path(__file__).parents[2]
SEEDS = known((ROOT / "tests/site/seed_ngrams.bin").read_bytes())
FRONT = "---\ntitle: A\ndescription: B.\nkind: guide\norder: 1\n"


def _taken(text: str, hashes: frozenset[bytes]) -> list[str]:
    return [text[at : at + 60] for at, hashed in ngrams(text) if hashed in hashes]


def _texts() -> list[Path]:
    written = [p for p in (ROOT / "content").rglob("*") if p.suffix in {".md", ".yaml"}]
    return sorted(written)


@pytest.mark.parametrize("path", _texts(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_eight_words_of_the_seeds_stand_in_content(path: Path) -> None:
    assert _taken(path.read_text("utf-8"), SEEDS) == []


def test_no_eight_words_of_the_seeds_stand_in_the_prose_of_combos() -> None:
    taken = {}
    for path in sorted((ROOT / "catalog/combos").glob("*.yaml")):
        record = read_yaml(path.read_text("utf-8"))
        if found := [one for text in strings_of(record) for one in _taken(text, SEEDS)]:
            taken[path.name] = found
    assert taken == {}


def test_eight_taken_words_are_seen_whatever_their_case_and_punctuation() -> None:
    sentence = "Two boxes on one cable share their memory, or so they say in shops."
    hashes = frozenset(hashed for _, hashed in ngrams(sentence))
    assert len(hashes) == 14 - LENGTH + 1
    assert _taken("And **two boxes** on\none cable share their MEMORY; no more.", hashes)
    assert not _taken("Two boxes on one cable share their disk, or so they say.", hashes)


def test_the_seeds_are_all_there() -> None:
    """Four pages of 4,151 words as `wc -w` counts them: some thousand n-grams, each one hashed."""
    assert 3_500 < len(SEEDS) < 6_000


@pytest.mark.parametrize(
    ("body", "column"),
    [
        ("A card of 24 GiB.", 11),
        ("It writes 30 tokens/s.", 11),
        ("Draws 450 W at the wall.", 7),
        ("Costs $1,600 used.", 7),
        ("A hop of 50 µs.", 10),
        ("Over 100 Gb/s.", 6),
        ("`--mem 24GB`", 8),
        ("Some 2 kWh a day.", 6),
        ("For 700 euros.", 5),
    ],
)
def test_a_document_that_states_a_figure_says_where(body: str, column: int) -> None:
    with pytest.raises(ProblemsFound) as caught:
        parse_documents({"content/guides/a.md": FRONT + "---\nWords.\n\n" + body + "\n"})
    (problem,) = caught.value.problems
    assert problem.code == "prose-states-number"
    assert (problem.span.line, problem.span.column) == (9, column)


@pytest.mark.parametrize(
    "body",
    [
        "Port 6379, MTU 9000, PCIe 4.0, 10 GbE, TP 2 × PP 4, RTX 4090, 4-bit, Llama 3.1 70B.",
        "{{ gpu rtx-4090 visible }} and {{ assess a b decode }}",
        "[a source](https://example.org/24 GB) is no link; see [one](https://example.org/x-24GB).",
    ],
)
def test_names_and_references_are_no_figures(body: str) -> None:
    body = body.replace("24 GB)", "x)")
    assert parse_documents({"content/guides/a.md": FRONT + "---\n" + body + "\n"})


def test_an_excused_phrase_may_stand_and_an_idle_excuse_may_not() -> None:
    front = FRONT + 'states: {"of 24 GiB": the text of an error}\n---\n'
    assert parse_documents({"content/guides/a.md": front + "It says: of 24 GiB.\n"})
    with pytest.raises(ProblemsFound) as caught:
        parse_documents({"content/guides/a.md": front + "It says nothing.\n"})
    assert "needs no excuse" in caught.value.problems[0].message
    with pytest.raises(ProblemsFound):
        parse_documents({"content/guides/a.md": front + "It says: of 24 GiB. And 25 GiB.\n"})


def test_an_excuse_names_the_words_that_it_excuses() -> None:
    front = FRONT + 'states:\n  "": any words\n---\n'
    with pytest.raises(ProblemsFound) as caught:
        parse_documents({"content/guides/a.md": front + "A card of 24 GiB.\n"})
    (problem,) = caught.value.problems
    assert problem.message == "`states` excuses an empty phrase"
    assert (problem.span.line, problem.span.column) == (FRONT.count("\n") + 2, 3)
    assert problem.hint


def test_a_title_has_no_excuse() -> None:
    with pytest.raises(ProblemsFound) as caught:
        parse_documents({"content/guides/a.md": FRONT.replace("A\n", "A 24 GB card\n") + "---\n"})
    assert "`title` states '24 GB'" in caught.value.problems[0].message

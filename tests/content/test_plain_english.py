"""What we print reads like the work of a native technical writer.

A short list of patterns that only translated prose uses. Each one stands for a rule of *Plain
English* in the style guide: no sentence without a noun as its subject, no aphorisms, no
literary verbs. A pattern that good prose also uses has no place here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.yaml_files import read_yaml, strings_of

ROOT = Path(__file__).parents[2]

ODD = {
    "a headless relative clause with who": r"(?:^|[.:;] )Who (?![^.]*\?)",
    "a headless relative clause with what": (
        r"(?:^|[.;] )What (?![^.]*\?)(?:is|was|fits|they|it|a|the) [^.]*? "
        r"(?:is|are|was|were|becomes) "
    ),
    "whoever": r"\bwhoever\b",
    "possession by 'is theirs'": r"\b(?:is|are) theirs\b",
    "stands beside": r"\bstands? beside\b",
    "a text that stands somewhere": (
        r"\b(?:reason|text|words?|answers?|page|record|commands?|each|besides) "
        r"stands? (?:on|in|with|there|here)\b"
    ),
    "a noun 'of its own'": r"\bof (?:its|their|one's) own(?=[.,;:]|$)",
    "what is said of something": r"\bsays of\b|\bis said (?:of|to be)\b",
    "'of before'": r"\b(?:the one|those|that|of) before\.",
    "a plan at home or at ease": r"\b(?:parallelism|pipeline|split) is at (?:home|ease)\b",
    "paid instead of cost": r"\b(?:is|are) paid (?:once|per|for each)\b",
    "dealt out": r"\bdealt out\b",
    "a memory that ends": r"\b(?:memory|circuits?) ends?\b",
    "an aphorism": r"\bends? sooner than\b|\bthe discussion is over\b",
    "much with a noun, at the start": r"(?:^|[.:;] )Much (?:memory|arithmetic|RAM)\b",
    "allot for reserve": r"\ballot(?:s|ted|ting)?\b",
    "without a word": r"\bwithout a word\b",
}


def _plain_lines(markdown: str) -> Iterator[str]:
    """The paragraphs of a document, without code, references and front matter's marks."""
    text = re.sub(r"^```.*?^```", "", markdown, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`]*`", "x", text)
    for paragraph in re.split(r"\n\s*\n|\n(?=[-*>|\d#])", text):
        yield " ".join(re.sub(r"[*_]", "", paragraph).split()).lstrip("->#|1234567890. ")


def _error_words() -> Iterator[tuple[str, str]]:
    """All prose of the known errors; ``text`` is what programs print."""
    for path in sorted((ROOT / "content/errors").glob("*.yaml")):
        for error in read_yaml(path.read_text("utf-8"))["errors"]:
            ours = [error["title"], error["means"], *strings_of(error["likely"])]
            yield from ((path.name, text) for text in ours)


def _operations(record: dict[str, Any]) -> Iterator[str]:
    fields = record.get("operations") or {}
    yield from (text for key, text in fields.items() if key != "sources")


def _record_words() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "catalog/combos").glob("*.yaml")):
        record = read_yaml(path.read_text("utf-8"))
        ours = [record.get(key, "") for key in ("summary", "why", "not_for", "notes")]
        ours += strings_of(record.get("failure_modes", []))
        ours += _operations(record)
        yield from ((path.name, text) for text in ours)
    for path in sorted((ROOT / "catalog/runtimes").glob("*.yaml")):
        record = read_yaml(path.read_text("utf-8"))
        ours = [record["summary"], record.get("notes", ""), *record.get("traps", [])]
        yield from ((path.name, text) for text in ours)


def _documents() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "content").rglob("*.md")):
        yield from ((path.name, line) for line in _plain_lines(path.read_text("utf-8")))


def odd(text: str) -> list[str]:
    """The patterns that a paragraph has, by name."""
    line = " ".join(re.sub(r"`[^`]*`", "x", text).split())
    return [name for name, pattern in ODD.items() if re.search(pattern, line)]


@pytest.mark.parametrize(
    "words", [_documents, _error_words, _record_words], ids=["documents", "errors", "records"]
)
def test_no_text_has_a_pattern_of_translated_prose(
    words: Callable[[], Iterator[tuple[str, str]]],
) -> None:
    texts = list(words())
    assert len(texts) > 100
    assert [(where, names, text[:90]) for where, text in texts if (names := odd(text))] == []


@pytest.mark.parametrize(
    "text",
    [
        "Who has one of these machines can settle all its verdicts in one sitting.",
        "Whoever reaches that port can use the server; whoever pays.",
        "Commands for plans that were judged here: the sizes are theirs.",
        "The word stands beside the figure.",
        "The board has no fan of its own.",
        "The reason stands in the server's log only.",
        "What is saved becomes context.",
        "Power: ordinary circuits end sooner than ambitions.",
        "The experts are dealt out to the ranks.",
        "Price: memory ends, and the H200 has more.",
        "Much memory for little money.",
        "The runtime allots the whole context at start.",
        "Here tensor parallelism is at home in a machine.",
    ],
)
def test_a_sentence_that_the_audit_found_odd_is_found(text: str) -> None:
    assert odd(text)


@pytest.mark.parametrize(
    "text",
    [
        "Who can reach the port? Anyone on the network.",
        "What does a second GPU add? It is a question of memory.",
        "What is sent only once? The weights are.",
        "Look at the hardware that stands for your case. Replicas have caches of their own users.",
        "What is a GPU that is busy? It computes.",
        "Nothing stands in the way of a second GPU. The server can stand in an office.",
        "You need as much memory as the file, and much faster disks.",
    ],
)
def test_good_prose_raises_no_alarm(text: str) -> None:
    assert odd(text) == []


def test_every_pattern_can_fail() -> None:
    """Each pattern is a valid expression that does not match the empty text."""
    assert all(re.compile(pattern).search("") is None for pattern in ODD.values())


@pytest.mark.parametrize(
    "path", sorted((ROOT / "content/guides").glob("*.md")), ids=lambda path: path.stem
)
def test_a_guide_begins_with_three_things_to_do(path: Path) -> None:
    body = path.read_text("utf-8").split("\n---\n", 1)[1].strip().split("\n")
    assert body[:2] == ["> **Do this**", ">"]
    box = body[2 : body.index("")]
    assert [line[:5] for line in box] == ["> 1. ", "> 2. ", "> 3. "]
    assert all(len(line) < 240 for line in box)

"""A rule on documents: numbers with a unit come from the catalog, but for a few with a reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sitegen.catalog.source_text import SourceText, quoted
from sitegen.catalog.stated_numbers import stated_number
from sitegen.problems import Problem

HINT = (
    "refer to the value ({{ gpu … }}, {% … %}), or list the words under `states:` with the reason"
)


def stated_numbers(
    source: SourceText, body_index: int, states: Mapping[str, str]
) -> Iterator[Problem]:
    """Yield each number with a unit that a document states without a reason, and idle reasons.

    Args:
        source: The file.
        body_index: Where its text starts.
        states: By the exact words that may stand, none of them empty, why they may.
    """
    text = source.text
    excused = [span for words in states for span in _places(text, words, body_index)]
    start = body_index
    while found := stated_number(text, start):
        start = found.end()
        if not any(first <= found.start() and found.end() <= last for first, last in excused):
            message = f"prose states {quoted(found.group())}"
            yield source.problem_at("prose-states-number", message, index=found.start(), hint=HINT)
    for words in states:
        if stated_number(words) is None or not any(_places(text, words, body_index)):
            message = f"`states:` excuses {quoted(words)}, which needs no excuse"
            at = max(text.find(words), 0)
            yield source.problem_at("prose-states-number", message, index=at, hint="remove it")


def _places(text: str, words: str, start: int) -> Iterator[tuple[int, int]]:
    at = text.find(words, start)
    while at >= 0:
        yield at, at + len(words)
        at = text.find(words, at + len(words))

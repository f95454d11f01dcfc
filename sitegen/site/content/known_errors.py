"""Errors that people met, word for word: what each means, likeliest cause first, check and fix.

One file of ``content/errors/`` per topic; the file's name is the topic's id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import Field

from sitegen.catalog.authored import PlacedSource
from sitegen.catalog.checks.prose import numbers_stated
from sitegen.catalog.checks.provenance import bad_source
from sitegen.catalog.records.parts import Record, Slug, SourceRecord, Text
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.source_text import SourceText, quoted
from sitegen.problems import Problem, ProblemsFound
from sitegen.site.content.records import parsed_record
from sitegen.values import dataclass

FOLDER = "content/errors/"
HINT = "see docs/content.md"


class Cause(Record):
    """One cause of an error."""

    cause: Text = Field(description="What is wrong, in a sentence.")
    check: Text = Field(description="How to see whether it is that; Markdown.")
    fix: Text = Field(description="What to do about it; Markdown.")


class KnownError(Record):
    """An error as programs print it."""

    id: Slug = Field(description="Anchor on the page; no other error or topic has it.")
    title: Text = Field(description="A name of a few words.")
    text: Text = Field(description="What is printed, literally; parts left out are written …")
    runtimes: tuple[Slug, ...] = Field(description="Ids of the runtimes that it was seen with.")
    means: Text = Field(description="What the program says with it, in plain words; Markdown.")
    likely: tuple[Cause, ...] = Field(min_length=1, description="Causes, likeliest first.")
    source: SourceRecord = Field(description="Where somebody met it.")


class TopicRecord(Record):
    """Errors of one kind."""

    title: Text = Field(description="What these errors have in common.")
    order: int = Field(default=0, description="Topics are listed by order.")
    errors: tuple[KnownError, ...] = Field(min_length=1, description="The errors.")


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic, its id and its file."""

    id: str
    record: TopicRecord
    source: PlacedSource


def parse_errors(files: Mapping[str, str]) -> tuple[Topic, ...]:
    """Parse the known errors of ``content/``, by order of their topics.

    Args:
        files: POSIX paths relative to the project root, with their text; others are left alone.

    Raises:
        ProblemsFound: With the problems of all files.
    """
    problems: list[Problem] = []
    topics: list[Topic] = []
    paths = {
        path.removeprefix(FOLDER).removesuffix(".yaml"): path
        for path in sorted(files)
        if path.startswith(FOLDER) and path.endswith(".yaml")
    }
    # Both are anchors of one page, so that a topic's id is taken too.
    owners = dict.fromkeys(paths, "a topic")
    for id, path in paths.items():
        source = SourceText(path, files[path].replace("\r\n", "\n"))
        record = parsed_record(TopicRecord, source, problems, noun="topic", hint=HINT)
        if record is not None:
            topics.append(Topic(id, record, PlacedSource(source)))
            problems += _problems(topics[-1], owners)
    if problems:
        raise ProblemsFound(problems)
    return tuple(sorted(topics, key=lambda topic: (topic.record.order, topic.id)))


def _problems(topic: Topic, owners: dict[str, str]) -> Iterator[Problem]:
    placed = topic.source
    for index, error in enumerate(topic.record.errors):
        at: KeyPath = ("errors", index)
        if error.id in owners:
            message = f"{owners[error.id]} is called {quoted(error.id)}"
            yield placed.problem((*at, "id"), "known-error", message, "ids are unique")
        owners.setdefault(error.id, "another error")
        for path, words in _prose(error):
            hint = "say it without the number; only `text` is literal"
            yield from numbers_stated(placed, (*at, *path), words, hint)


def bad_sources(topics: tuple[Topic, ...], today: str) -> Iterator[Problem]:
    """Yield each source whose address is none, or that was read on no day until today."""
    for topic in topics:
        for index, error in enumerate(topic.record.errors):
            yield from bad_source(topic.source, ("errors", index, "source"), error.source, today)


def _prose(error: KnownError) -> Iterator[tuple[KeyPath, str]]:
    yield ("title",), error.title
    yield ("means",), error.means
    for index, cause in enumerate(error.likely):
        for key in ("cause", "check", "fix"):
            yield ("likely", index, key), getattr(cause, key)

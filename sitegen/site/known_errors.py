"""Errors that people met, word for word: what each means, likeliest cause first, check and fix.

One file of ``content/errors/`` per topic; the file's name is the topic's id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import Field, TypeAdapter

from sitegen.catalog.authored import PlacedSource
from sitegen.catalog.positions import KeyPath
from sitegen.catalog.records.parts import Record, Slug, SourceRecord, Text
from sitegen.catalog.source_text import SourceText, quoted
from sitegen.catalog.stated_numbers import stated_number
from sitegen.problems import Problem, ProblemsFound, SourceSpan
from sitegen.site.content_records import parsed_record
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

    id: Slug = Field(description="Anchor on the page; unique over all topics.")
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
    source: SourceText

    @property
    def span(self) -> SourceSpan:
        """The file."""
        return SourceSpan(self.source.path)


_SHAPE = TypeAdapter(TopicRecord)


def parse_errors(files: Mapping[str, str]) -> tuple[Topic, ...]:
    """Parse the known errors of ``content/``, by order of their topics.

    Args:
        files: POSIX paths relative to the project root, with their text; others are left alone.

    Raises:
        ProblemsFound: With the problems of all files.
    """
    problems: list[Problem] = []
    topics: list[Topic] = []
    owners: set[str] = set()
    for path in sorted(files):
        if not (path.startswith(FOLDER) and path.endswith(".yaml")):
            continue
        source = SourceText(path, files[path].replace("\r\n", "\n"))
        record = parsed_record(_SHAPE, source, problems, code="known-error", hint=HINT)
        if record is not None:
            topics.append(Topic(path.removeprefix(FOLDER).removesuffix(".yaml"), record, source))
            problems += _problems(record, PlacedSource(source), owners)
    if problems:
        raise ProblemsFound(problems)
    return tuple(sorted(topics, key=lambda topic: (topic.record.order, topic.id)))


def _problems(record: TopicRecord, placed: PlacedSource, owners: set[str]) -> Iterator[Problem]:
    for index, error in enumerate(record.errors):
        at: KeyPath = ("errors", index)
        if error.id in owners:
            message = f"another error is called {quoted(error.id)}"
            yield placed.problem((*at, "id"), "known-error", message, "ids are unique")
        owners.add(error.id)
        for path, words in _prose(error):
            found = stated_number(words)
            if found:
                message = f"prose states {quoted(found.group())}"
                hint = "say it without the number; only `text` is literal"
                yield placed.problem((*at, *path), "prose-states-number", message, hint)


def _prose(error: KnownError) -> Iterator[tuple[KeyPath, str]]:
    yield ("title",), error.title
    yield ("means",), error.means
    for index, cause in enumerate(error.likely):
        for key in ("cause", "check", "fix"):
            yield ("likely", index, key), getattr(cause, key)

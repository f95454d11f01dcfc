"""Errors that people met, at ``/errors/``: literal text, likeliest cause first, check and fix."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.kinds import Kind
from sitegen.problems import ProblemsFound, SourceSpan
from sitegen.site.cells import Link
from sitegen.site.content.known_errors import FOLDER, KnownError, Topic
from sitegen.site.guides.names import unknown_runtimes
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.plain_json import PlainJson
from sitegen.site.urls import url_of
from sitegen.values import dataclass

TEMPLATE = "errors.html"
URL = "/errors/"
GUIDE = "/guides/troubleshooting/"
"""The guide that goes on where there is no text."""


@dataclass(frozen=True, slots=True)
class ErrorView:
    """One error and links to the runtimes that print it."""

    error: KnownError
    runtimes: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class TopicView:
    """A topic and its errors."""

    id: str
    title: str
    errors: tuple[ErrorView, ...]


@dataclass(frozen=True, slots=True)
class ErrorsView:
    """Values that ``errors.html`` shows."""

    topics: tuple[TopicView, ...]
    guide: Link | None
    """The guide for a symptom without a text."""


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the page, unless nothing is recorded.

    Raises:
        ProblemsFound: If an error names a runtime that does not exist.
    """
    if not inputs.errors:
        return
    ids = {Kind.RUNTIME: frozenset(inputs.catalog.runtimes)}
    problems = [p for topic in inputs.errors for p in unknown_runtimes(topic, ids)]
    if problems:
        raise ProblemsFound(problems)
    topics = tuple(
        TopicView(
            topic.id,
            topic.record.title,
            tuple(_view(error, inputs) for error in topic.record.errors),
        )
        for topic in inputs.errors
    )
    count = sum(len(topic.errors) for topic in topics)
    yield Page(
        URL,
        "Errors, word for word",
        TEMPLATE,
        ErrorsView(topics, _guide(inputs)),
        "errors",
        SourceSpan(FOLDER.rstrip("/")),
        (
            f"{count} error messages as programs print them, with the likeliest cause, how to "
            "check for it and how to fix it."
        ),
        {
            "errors": [
                _twin(topic, error) for topic in inputs.errors for error in topic.record.errors
            ]
        },
        count,
    )


def _guide(inputs: SiteInputs) -> Link | None:
    found = (one for one in inputs.documents if one.url == GUIDE)
    return next((Link(one.url, one.title) for one in found), None)


def _view(error: KnownError, inputs: SiteInputs) -> ErrorView:
    names = ((id_, inputs.catalog.runtimes[id_].name) for id_ in error.runtimes)
    return ErrorView(error, tuple(Link(url_of("runtime", id_), name) for id_, name in names))


def _twin(topic: Topic, error: KnownError) -> PlainJson:
    return {
        "id": error.id,
        "title": error.title,
        "topic": topic.id,
        "text": error.text,
        "runtimes": list(error.runtimes),
        "means": error.means,
        "likely": [
            {"cause": one.cause, "check": one.check, "fix": one.fix} for one in error.likely
        ],
        "source": {
            "title": error.source.title, "url": error.source.url, "read": error.source.read,
        },
    }  # fmt: skip

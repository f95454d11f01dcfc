"""Models, runtimes and GPUs that people ask about and that are not judged, with the reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import Field

from sitegen.catalog.authored import PlacedSource
from sitegen.catalog.checks.provenance import bad_source
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.records.parts import Record, SourceRecord, Text
from sitegen.catalog.stated_numbers import stated_number
from sitegen.catalog.text.source_text import SourceText, quoted
from sitegen.problems import Problem, ProblemsFound
from sitegen.site.content.records import parsed_record

PATH = "content/unjudged.yaml"
HINT = "see docs/content.md"


class Unjudged(Record):
    """A model, a runtime or a GPU, and why nothing is said about it."""

    name: Text = Field(description="Name as its makers write it.")
    repository: str = Field(default="", description="Of a model: `owner/name` on Hugging Face.")
    reason: Text = Field(description="Why it is not judged, in a sentence or two.")
    source: SourceRecord = Field(description="What the reason rests on.")


class UnjudgedRecord(Record):
    """Models and runtimes without a verdict, by kind."""

    models: tuple[Unjudged, ...] = Field(default=(), description="Models.")
    runtimes: tuple[Unjudged, ...] = Field(default=(), description="Runtimes.")
    gpus: tuple[Unjudged, ...] = Field(default=(), description="GPUs and other accelerators.")


NOTHING = UnjudgedRecord()


def parse_unjudged(files: Mapping[str, str]) -> UnjudgedRecord:
    """Parse the list; empty without the file.

    Raises:
        ProblemsFound: With all problems of the file.
    """
    if PATH not in files:
        return NOTHING
    source = _source(files)
    problems: list[Problem] = []
    record = parsed_record(UnjudgedRecord, source.text, problems, noun="list", hint=HINT)
    if record is not None:
        problems += _problems(record, source)
    if record is None or problems:
        raise ProblemsFound(problems)
    return record


def _problems(record: UnjudgedRecord, placed: PlacedSource) -> Iterator[Problem]:
    names: set[str] = set()
    for key in ("models", "runtimes", "gpus"):
        for index, one in enumerate(getattr(record, key)):
            if one.name.casefold() in names:
                message = f"{quoted(one.name)} stands here twice"
                yield placed.problem((key, index, "name"), "unjudged", message, "name it once")
            names.add(one.name.casefold())
            found = stated_number(one.reason)
            if found:
                message = f"prose states {quoted(found.group())}"
                hint = "say it without the number"
                yield placed.problem((key, index, "reason"), "prose-states-number", message, hint)


def bad_sources(record: UnjudgedRecord, files: Mapping[str, str], today: str) -> Iterator[Problem]:
    """Yield each source whose address is none, or that was read on no day until today."""
    placed = _source(files)
    for key in ("models", "runtimes", "gpus"):
        for index, one in enumerate(getattr(record, key)):
            yield from bad_source(placed, (key, index, "source"), one.source, today)


def already_judged(
    record: UnjudgedRecord, catalog: Catalog, files: Mapping[str, str]
) -> Iterator[Problem]:
    """Yield a problem for each model of the list that the catalog has meanwhile."""
    by_repository = {model.repository: model.id for model in catalog.models.values()}
    source = _source(files)
    for index, one in enumerate(record.models):
        if one.repository in by_repository:
            message = f"{one.repository} is catalog/models/{by_repository[one.repository]}.yaml"
            at = ("models", index, "repository")
            yield source.problem(at, "unjudged", message, "take it off this list")


def _source(files: Mapping[str, str]) -> PlacedSource:
    return PlacedSource(SourceText(PATH, files.get(PATH, "").replace("\r\n", "\n")))

"""Models that readers ask for and that the catalog does not judge, each with the reason.

One file, ``content/left-out.yaml``, by hand. A model that enters the catalog leaves it: a check
compares their repositories.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import Field, TypeAdapter

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.records.parts import Record, SourceRecord, Text
from sitegen.catalog.text.source_text import SourceText
from sitegen.problems import Problem, ProblemsFound, SourceSpan
from sitegen.site.content.records import parsed_record

PATH = "content/left-out.yaml"
HINT = "see docs/content.md"


class LeftOut(Record):
    """A model without a record, and why."""

    name: Text = Field(description="Name as people write it.")
    repository: Text = Field(description="Hugging Face repository, `owner/name`.")
    reason: Text = Field(description="What is missing, in a sentence or two.")
    source: SourceRecord = Field(description="What the reason is read from.")


_SHAPE = TypeAdapter(tuple[LeftOut, ...])


def parse_left_out(files: Mapping[str, str]) -> tuple[LeftOut, ...]:
    """Parse the list, by name; nothing where the file is missing.

    Args:
        files: POSIX paths relative to the project root, with their text; others are left alone.

    Raises:
        ProblemsFound: With the problems of the file.
    """
    if PATH not in files:
        return ()
    problems: list[Problem] = []
    source = SourceText(PATH, files[PATH].replace("\r\n", "\n"))
    found = parsed_record(_SHAPE, source, problems, code="left-out", hint=HINT)
    if found is None:
        raise ProblemsFound(problems)
    return tuple(sorted(found, key=lambda one: one.name.lower()))


def entered(left_out: tuple[LeftOut, ...], catalog: Catalog) -> Iterator[Problem]:
    """Yield a problem for each entry that the catalog has meanwhile."""
    by_repository = {model.repository: model.id for model in catalog.models.values()}
    for one in left_out:
        if one.repository in by_repository:
            message = f"{one.repository} is catalog/models/{by_repository[one.repository]}.yaml"
            yield Problem(SourceSpan(PATH), "left-out", message, hint="take it off this list")

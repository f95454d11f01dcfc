"""Records of ``content/``: YAML files with a strict shape, under the rules of catalog files."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter

from sitegen.catalog.authored import PlacedSource
from sitegen.catalog.one_record import validated
from sitegen.catalog.text.source_text import SourceText
from sitegen.catalog.text.yaml_source import Plain, compose
from sitegen.problems import Problem

T = TypeVar("T")
_adapter = cache(TypeAdapter[Any])


def parsed_record(
    shape: type[T], source: SourceText, problems: list[Problem], *, noun: str, hint: str
) -> T | None:
    """Read one file; what is wrong with it is added to the problems.

    Args:
        shape: What the file must be.
        source: The file.
        problems: Where problems are added.
        noun: What the file describes, as messages say it.
        hint: Where the shape is described, for problems that say nothing better.
    """
    value, found = compose(source)
    if found:
        problems += found
        return None
    return shaped_value(shape, value, PlacedSource(source), problems, noun=noun, hint=hint)


def shaped_value(
    shape: type[T],
    value: Plain,
    source: PlacedSource,
    problems: list[Problem],
    *,
    noun: str,
    hint: str,
) -> T | None:
    """Give plain values their shape, as ``parsed_record`` does."""
    read = _adapter(cast("Hashable", shape)).validate_json
    record, wrong = validated(read, value, source, shape=shape, noun=noun)
    problems += (replace(one, hint=one.hint or hint) for one in wrong)
    return None if wrong else cast("T | None", record)

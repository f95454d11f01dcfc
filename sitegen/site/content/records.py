"""Records of ``content/``: YAML files with a strict shape and problems that have their place."""

from __future__ import annotations

from typing import TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from sitegen.catalog.authored import PlacedSource
from sitegen.catalog.text.source_text import SourceText
from sitegen.catalog.text.yaml_source import compose
from sitegen.problems import Problem

T = TypeVar("T")


def parsed_record(
    shape: TypeAdapter[T], source: SourceText, problems: list[Problem], *, code: str, hint: str
) -> T | None:
    """Read one file; what is wrong with it is added to the problems.

    Args:
        shape: What the file must be.
        source: The file.
        problems: Where problems are added.
        code: Code of a problem of shape.
        hint: Where the shape is described.
    """
    value, found = compose(source)
    if found:
        problems += found
        return None
    try:
        return shape.validate_json(to_json(value))
    except ValidationError as error:
        placed = PlacedSource(source)
        for detail in error.errors(include_url=False, include_input=False):
            where = tuple(detail["loc"])
            key = ".".join(map(str, where)) or "the file"
            message = f"{key}: {detail['msg'][:1].lower()}{detail['msg'][1:]}"
            problems.append(placed.problem(where, code, message, hint))
        return None

"""One catalog file, from its text to a record: what can be said without the other files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import to_json

from sitegen.catalog.authored import Authored, PlacedSource
from sitegen.catalog.file_names import CatalogFile, is_public
from sitegen.catalog.kinds import RECORDS, Kind
from sitegen.catalog.records.parts import Record
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.yaml_source import Plain, compose
from sitegen.catalog.validation_messages import problems_of
from sitegen.problems import Problem

T = TypeVar("T")
FREE_KEYS = {"config", "config_overrides"}
"""Keys that hold a model's own config, where null means what it means there."""


def _empty_values(value: object, path: KeyPath = ()) -> Iterator[KeyPath]:
    """Yield the path of each key without a value, model configs left out.

    Args:
        value: The composed value at ``path``.
        path: Where the value stands.
    """
    if isinstance(value, dict):
        for key, inner in value.items():
            if inner is None:
                yield (*path, key)
            elif isinstance(inner, dict | list) and key not in FREE_KEYS:
                yield from _empty_values(inner, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict | list):
                yield from _empty_values(item, (*path, index))


def _no_value(source: PlacedSource, path: KeyPath) -> Problem:
    hint = "remove the key or fill it"
    if str(path[-1]).isdigit():
        hint = "between braces a comma ends a value: write thousands without it"
    message = f"`{'.'.join(map(str, path))}` has no value"
    return source.problem(path, "no-value", message, hint)


def read_record(
    file: CatalogFile, ids: Mapping[Kind, frozenset[str]]
) -> tuple[Authored[Record] | None, tuple[Problem, ...]]:
    """Read one record: its text, keys and values, and that the ids it names exist as files.

    Args:
        file: What the file is called and has in it.
        ids: Every id of the catalog, by kind.

    Returns:
        The record, or nothing where something is wrong, and the problems.
    """
    value, broken = compose(file.source)
    return record_of(file, value, broken, ids)


def record_of(
    file: CatalogFile,
    value: Plain,
    broken: tuple[Problem, ...],
    ids: Mapping[Kind, frozenset[str]],
) -> tuple[Authored[Record] | None, tuple[Problem, ...]]:
    """Return the record of a file's plain values, or nothing, and what is wrong with the file.

    Args:
        file: What the file is called and has in it.
        value: What its YAML says.
        broken: What is wrong with the YAML.
        ids: Every id of the catalog, by kind.
    """
    modeline = tuple(_modeline_problems(file))
    if broken:
        return None, modeline + broken
    source = PlacedSource(file.source)
    shape = RECORDS[file.kind]
    record, problems = validated(
        shape.model_validate_json, value, source, shape=shape, noun=file.kind, ids=ids
    )
    if record is None or problems:
        return None, (*modeline, *problems)
    return Authored(file.kind, file.id, record, source), modeline


def validated(
    read: Callable[[bytes], T],
    value: Plain,
    source: PlacedSource,
    *,
    shape: Any,
    noun: str,
    ids: Mapping[Kind, frozenset[str]] | None = None,
) -> tuple[T | None, tuple[Problem, ...]]:
    """Return what the plain values of a file stand for, and what is wrong with them.

    Args:
        read: Validates JSON: strict validation takes lists for tuples only from there, which is
            also its fastest way.
        value: What its YAML says.
        source: The file.
        shape: What it must be: a record, or a mapping of them.
        noun: What it describes: a ``gpu``, a ``release``.
        ids: Every id of the catalog, by kind; nothing for files that name none.
    """
    paths = tuple(_empty_values(value))
    empty = tuple(_no_value(source, path) for path in paths)
    try:
        return read(to_json(value)), empty
    except ValidationError as error:
        places = [source.place(path) for path in paths]
        said = {(at.line, at.column) for at in places}
        said |= {(at.key_line, at.key_column) for at in places}
        others = (
            problem
            for problem in problems_of(error, source, shape, noun, ids)
            if (problem.span.line, problem.span.column) not in said
        )
        return None, (*empty, *others)


def _modeline_problems(file: CatalogFile) -> tuple[Problem, ...]:
    """Report a file whose first line does not tell editors where the schema is."""
    first, _, _ = file.source.text.partition("\n")
    first = first.lstrip("\ufeff").rstrip()
    elsewhere = not is_public(file.source.path) and first.endswith(f"/{file.kind.schema_path}")
    if first == file.kind.modeline or elsewhere or not file.source.text:
        return ()  # a byte order mark and an empty file are reported as such
    other = first.startswith("# yaml-language-server")
    message = "the modeline points to another schema" if other else "the modeline is missing"
    hint = f"begin the file with {file.kind.modeline}"
    return (file.source.problem("modeline", message, hint=hint),)

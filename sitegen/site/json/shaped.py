"""Values to published JSON by the shapes that the schemas are made of: no key is named twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from sitegen.site.json.schema.columns import Columns, columns_of, is_list
from sitegen.site.json.schema.parts import Of, Shape
from sitegen.site.plain_json import PlainJson

Write = Callable[[Any], Any]


def shaped(shape: type[Shape], value: object) -> dict[str, PlainJson]:
    """Write a value under the keys of a shape; an empty one that has a default is left out.

    >>> from sitegen.catalog.domain.provenance import Interval
    >>> from sitegen.site.json.schema.parts import ByteBounds
    >>> shaped(ByteBounds, Interval(1.0, 2.5, 3.0))
    {'low': 1, 'mid': 2, 'high': 3}
    """
    required, optional = _keys(shape)
    out = {key: write(read(value)) for key, read, write in required}
    for key, read, write in optional:
        if found := read(value):
            out[key] = write(found)
    return out


def by_column(shape: type[Shape], values: Iterable[object]) -> dict[str, PlainJson]:
    """Write a list of values under the columns of a shape, each key once.

    A column in which all entries have the same value has it once, where it is no list.

    >>> from sitegen.catalog.domain.provenance import Interval
    >>> from sitegen.site.json.schema.parts import ByteBounds
    >>> by_column(ByteBounds, [Interval(1.0, 2.5, 3.0), Interval(1.0, 3.5, 4.0)])
    {'total': 2, 'columns': {'low': 1, 'mid': [2, 3], 'high': [3, 4]}}
    """
    found = list(values)
    columns: dict[str, PlainJson] = {}
    for name, path, write, may_be_one in _columns(shape):
        column = found
        for read in path:
            column = [None if value is None else read(value) for value in column]
        written = [None if value is None else write(value) for value in column]
        columns[name] = shared(written) if may_be_one else written
    return {"total": len(found), "columns": columns}


def shared(column: list[PlainJson]) -> PlainJson:
    """Return the one value of a column that has no other, or the column.

    >>> shared(["vllm", "vllm"]), shared([1, 2]), shared([])
    ('vllm', [1, 2], [])
    """
    return column[0] if column and column.count(column[0]) == len(column) else column


_Columns = tuple[tuple[str, tuple[Write, ...], Write, bool], ...]


@cache
def _columns(shape: type[Shape]) -> _Columns:
    return tuple(
        (one.name, one.path, _writer(one.kind), not is_list(one.kind)) for one in columns_of(shape)
    )


_Keys = tuple[tuple[str, Write, Write], ...]


@cache
def _keys(shape: type[Shape]) -> tuple[_Keys, _Keys]:
    """Keys with what reads and what writes them: those that always stand there, and the others."""
    required: list[tuple[str, Write, Write]] = []
    optional: list[tuple[str, Write, Write]] = []
    for name, field in shape.model_fields.items():
        stated = next((one.read for one in field.metadata if isinstance(one, Of)), name)
        read = attrgetter(stated) if isinstance(stated, str) else stated
        entry = (field.alias or name, read, _writer(field.annotation))
        (required if field.is_required() else optional).append(entry)
    return tuple(required), tuple(optional)


def _writer(kind: Any) -> Write:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in {UnionType, Union} and NoneType in inner:
        some = _writer(next(one for one in inner if one is not NoneType))
        return lambda value: None if value is None else some(value)
    if origin is Columns:
        return lambda value: by_column(inner[0], value)
    if origin in {tuple, list, dict}:
        return _several(origin, _writer(inner[0] if origin is tuple else inner[-1]))
    if isinstance(kind, type) and issubclass(kind, Shape):
        return lambda value: shaped(kind, value)
    return str if origin is Literal else {str: str, int: int}.get(kind, lambda value: value)


def _several(origin: Any, entry: Write) -> Write:
    if origin is tuple:
        return lambda value: [entry(end) for end in value.bounds]
    if origin is list:
        return lambda value: [entry(one) for one in value]
    return lambda value: {str(key): entry(one) for key, one in value.items()}

"""What an authored shape expects at a key path: which keys, and what they are for."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from sitegen.catalog.records.parts import Record
from sitegen.catalog.text.positions import KeyPath


def fields_at(model: type[Record], path: KeyPath) -> Mapping[str, FieldInfo]:
    """Return the fields of the mapping at a key path; empty where keys are free.

    >>> from sitegen.catalog.records.hardware import ComboRecord
    >>> sorted(fields_at(ComboRecord, ("nodes", 0, "gpus", 1)))
    ['count', 'gpu', 'unified_memory_gib']
    """
    annotation: Any = model
    for part in path:
        annotation = _inside(annotation, part)
    record = _record(annotation)
    return record.model_fields if record else {}


def field_at(model: type[Record], path: KeyPath) -> FieldInfo | None:
    """Return the field that a key path names, if it names one."""
    if not path or not isinstance(path[-1], str):
        return None
    return fields_at(model, path[:-1]).get(path[-1])


def _inside(annotation: Any, part: str | int) -> Any:
    """Return the annotation of an item, a value or a field."""
    record = _record(annotation)
    if record is not None:
        found = record.model_fields.get(str(part))
        return found.annotation if found else None
    plain = _without_none(annotation)
    if get_origin(plain) is tuple:
        return get_args(plain)[0]
    return get_args(plain)[1] if get_origin(plain) is dict else None


def _record(annotation: Any) -> type[Record] | None:
    plain = _without_none(annotation)
    return plain if isinstance(plain, type) and issubclass(plain, Record) else None


def _without_none(annotation: Any) -> Any:
    """Strip ``Annotated`` and ``| None``."""
    if get_origin(annotation) is Annotated:
        return _without_none(get_args(annotation)[0])
    if get_origin(annotation) in {Union, types.UnionType}:
        rest = [option for option in get_args(annotation) if option is not type(None)]
        return _without_none(rest[0]) if len(rest) == 1 else None
    return annotation

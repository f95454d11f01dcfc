"""Rules on the size of numbers: every one is within the bounds of its unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.bounds import (
    OF_CONFIG,
    NumberRange,
    bounded_keys,
    bounds_of_constant,
    bounds_of_key,
)
from sitegen.catalog.checks.constants import constants_of
from sitegen.catalog.records.parts import ConstantRecord, IntervalRecord, Record
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.source_text import written
from sitegen.problems import Problem

Number = int | float
Found = tuple[KeyPath, Number, NumberRange]
_CONFIGS = ("config", "config_overrides")


def constants_are_within_bounds(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure no constant is negative, beyond its unit's bounds, or zero where it divides."""
    for owner, path, name, constant in constants_of(records):
        bounds = bounds_of_constant(name, constant.unit)
        for key in ("value", "low", "mid", "high"):
            number = getattr(constant, key)
            if (
                number is None
                or (number == 0 and bounds.zero)
                or (number > 0 and bounds.holds(number))
            ):
                continue
            message = f"`{key}` of {name!r} must be {bounds}, not {written(number)}"
            hint = f"its unit is {constant.unit!r}: compare number and unit with the source"
            yield owner.problem((*path, key), "out-of-range", message, hint)


def numbers_are_within_bounds(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure no number of a record is smaller or larger than its unit allows."""
    for authored in records.all:
        if isinstance(authored.record, ConstantRecord):
            continue
        for path, number, bounds in _numbers(authored.record, ()):
            if number and not bounds.holds(number):
                yield _beyond(authored, path, number, bounds)


def _beyond(
    authored: Authored[Record], path: KeyPath, number: Number, bounds: NumberRange
) -> Problem:
    name = ".".join(map(str, path))
    message = f"`{name}` must be {bounds}, not {written(number)}"
    return authored.problem(
        path, "out-of-range", message, "compare number and unit with the source"
    )


def _numbers(record: Record, path: KeyPath) -> Iterator[Found]:
    """Yield each number of a record that does not state its own bounds, constants left out."""
    stated = bounded_keys(type(record))
    for key, value in record.__dict__.items():
        if key in _CONFIGS:
            yield from _in_config(value, (*path, key))
        elif key not in stated:
            yield from _under(key, value, (*path, key))


def _under(key: str, value: object, path: KeyPath) -> Iterator[Found]:
    """Yield the numbers of a key: its own, those of its list, those of the records in it."""
    if isinstance(value, IntervalRecord):
        for end in ("low", "mid", "high"):
            yield (*path, end), getattr(value, end), bounds_of_key(key)
    elif isinstance(value, Record):
        if not isinstance(value, ConstantRecord):
            yield from _numbers(value, path)
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            if not isinstance(item, str):
                yield from _under(key, item, (*path, index))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value, bounds_of_key(key)


def _in_config(value: object, path: KeyPath) -> Iterator[Found]:
    """Yield the numbers of a model's config, however deep they lie."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _in_config(item, (*path, str(key)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _in_config(item, (*path, index))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value, OF_CONFIG

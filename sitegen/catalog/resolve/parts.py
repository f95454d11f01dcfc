"""Sources, intervals, constants and versions: from authored parts to domain values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from sitegen.catalog.domain.provenance import Constant, Interval, Source, Status
from sitegen.catalog.records.parts import ConstantRecord, IntervalRecord, SourceRecord
from sitegen.units import GB, GIB

T = TypeVar("T")


def checked(value: T | None, rule: str) -> T:
    """Return a value that a rule of the catalog has made sure of.

    >>> checked(24, "vram")
    24
    >>> checked(None, "vram")
    Traceback (most recent call last):
    ValueError: the rule vram let a record through

    Raises:
        ValueError: If the rule let a record without it through.
    """
    if value is None:
        raise ValueError(f"the rule {rule} let a record through")
    return value


def resolve_source(record: SourceRecord) -> Source:
    """Turn one authored source into its domain value."""
    return Source(title=record.title, url=record.url, read=record.read, fields=record.fields)


def resolve_sources(records: Iterable[SourceRecord]) -> tuple[Source, ...]:
    """Turn authored sources into domain values, order kept."""
    return tuple(resolve_source(record) for record in records)


def resolve_interval(record: IntervalRecord, *, unit: float = 1.0) -> Interval:
    """Turn an authored interval into one in units of ``1 / unit``.

    >>> resolve_interval(IntervalRecord(low=10, mid=12, high=14), unit=1e-6).mid
    1.2e-05
    """
    return Interval(record.low, record.mid, record.high).times(unit)


def resolve_constant(name: str, record: ConstantRecord) -> Constant:
    """Turn an authored constant into its domain value; an exact value is an interval of one point.

    Args:
        name: Key or record id it is known by.
        record: Checked: it has either ``value`` or all of ``low``, ``mid``, ``high``.
    """
    if record.value is not None:
        value = Interval.exact(record.value)
    else:
        bounds = (record.low, record.mid, record.high)
        value = Interval(*(checked(bound, "constant-value") for bound in bounds))
    return Constant(
        name=name,
        unit=record.unit,
        value=value,
        status=Status(record.status),
        source=resolve_source(record.source),
        note=record.note,
    )


def gib_to_bytes(gib: float) -> int:
    """Convert GiB (2^30) to whole bytes.

    >>> gib_to_bytes(0.5)
    536870912
    """
    return round(gib * GIB)


def gb_to_bytes(gb: float) -> int:
    """Convert decimal GB (10^9) to whole bytes; a rate in GB/s becomes bytes/s.

    >>> gb_to_bytes(1008)
    1008000000000
    """
    return round(gb * GB)


def resolve_capability(version: str | None) -> tuple[int, int] | None:
    """Split a compute capability such as ``8.9``.

    >>> resolve_capability("12.0")
    (12, 0)
    """
    if version is None:
        return None
    major, _, minor = version.partition(".")
    return int(major), int(minor or 0)

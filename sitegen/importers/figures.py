"""Numbers out of foreign files: finite or refused, in milliseconds whatever unit they had."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from math import floor, log10
from typing import Any

from sitegen.importers.measured import UnusableError

MILLISECONDS: Mapping[str, float] = {
    "ns": 1e-6, "nanoseconds": 1e-6, "us": 1e-3, "µs": 1e-3, "microseconds": 1e-3,
    "ms": 1.0, "milliseconds": 1.0, "s": 1e3, "sec": 1e3, "seconds": 1e3,
}  # fmt: skip
"""Milliseconds in one of each unit of time that files name."""

UNITS: Mapping[str, str] = {
    "vllm": "ms", "vllm-samples": "s", "guidellm": "ms", "guidellm-request-latency": "s",
    "inferencex": "s", "localscore": "ms", "mlperf": "ns",
}  # fmt: skip
"""Unit of each tool's latencies where the file does not name it beside the figure."""

STEPS = (
    1.0, 1.12, 1.25, 1.4, 1.6, 1.8, 2.0, 2.24, 2.5, 2.8,
    3.15, 3.55, 4.0, 4.5, 5.0, 5.6, 6.3, 7.1, 8.0, 9.0,
)  # fmt: skip
"""Ends of buckets within a power of ten: the series R20 of preferred numbers (ISO 3), so that the
buckets of any two runs are the same and can be compared."""


def milliseconds(value: float, unit: str) -> float:
    """Convert a time.

    >>> milliseconds(875_073_063, "ns"), milliseconds(0.25, "s")
    (875.073063, 250.0)

    Raises:
        UnusableError: If the unit is none of time.
    """
    if unit not in MILLISECONDS:
        raise UnusableError(f"{unit[:20]!r} is no unit of time")
    factor = MILLISECONDS[unit]
    return value / round(1 / factor) if factor < 1 else value * factor


LEAST, MOST = 1e-15, 1e21
"""Bounds of figures: nanoseconds since 1970 are some 1e18. Within them no product or quotient that
is computed here overflows."""


def _measurable(value: float) -> bool:
    return value == 0 or LEAST <= abs(value) <= MOST


def number(fields: Mapping[str, Any], key: str) -> float | None:
    """Read a number that may be missing or null.

    Raises:
        UnusableError: If it is something else, or out of range.
    """
    value = fields.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnusableError(f"{key} is no number")
    if not _measurable(value):
        raise UnusableError(f"{key} is out of range: nothing measures that")
    return float(value)


def positive(fields: Mapping[str, Any], key: str) -> float | None:
    """Read a number, where zero means that there is none.

    Raises:
        UnusableError: If it is negative or no number.
    """
    value = number(fields, key)
    if value is not None and value < 0:
        raise UnusableError(f"{key} is negative")
    return value or None


def whole(fields: Mapping[str, Any], key: str) -> int | None:
    """Read a count; zero is one.

    Raises:
        UnusableError: If it is negative or no whole number.
    """
    value = number(fields, key)
    if value is None:
        return None
    if value < 0 or value != int(value):
        raise UnusableError(f"{key} is no count")
    return int(value)


def words(fields: Mapping[str, Any], key: str) -> str:
    """Read a text that may be missing."""
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def inside(fields: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Go down into objects, empty where one is missing."""
    for key in keys:
        inner = fields.get(key)
        if not isinstance(inner, dict):
            return {}
        fields = inner
    return fields


def in_milliseconds(fields: Mapping[str, Any], key: str, unit: str) -> float | None:
    """Read a time in the tool's unit; negative ones are refused."""
    value = number(fields, key)
    if value is not None and value < 0:
        raise UnusableError(f"{key} is negative")
    return None if value is None else milliseconds(value, unit)


def samples(fields: Mapping[str, Any], key: str, unit: str) -> array[float] | None:
    """Read a column of times.

    Raises:
        UnusableError: If one is negative or out of range.
    """
    column = fields.get(key)
    if not isinstance(column, array) or not column:
        return None
    if not all(value >= 0 and _measurable(value) for value in column):
        raise UnusableError(f"{key} holds a time that is negative or out of range")
    return array("d", (milliseconds(value, unit) for value in column))


def percentile(rising: Sequence[float], share: float) -> float:
    """Percentile of sorted samples, between neighbours by distance, as numpy computes it.

    >>> percentile([10.0, 20.0, 30.0, 40.0], 0.5)
    25.0
    """
    at = share * (len(rising) - 1)
    low = floor(at)
    high = min(low + 1, len(rising) - 1)
    return rising[low] + (rising[high] - rising[low]) * (at - low)


def histogram(times_ms: Sequence[float]) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Count samples in buckets of the R20 series, lower ends included.

    Returns:
        Edges in milliseconds, from the bucket of the shortest to that of the longest, and counts.

    >>> histogram([0.9, 1.0, 1.1, 2.1])
    ((0.9, 1.0, 1.12, 1.25, 1.4, 1.6, 1.8, 2.0, 2.24), (1, 2, 0, 0, 0, 0, 0, 1))
    """
    counts: dict[int, int] = {}
    for time in times_ms:
        at = _bucket(time)
        counts[at] = counts.get(at, 0) + 1
    low, high = min(counts), max(counts)
    edges = tuple(_edge(at) for at in range(low, high + 2))
    return edges, tuple(counts.get(at, 0) for at in range(low, high + 1))


SHORTEST_MS = 0.001
"""Lower end of the first bucket; shorter times, and none, fall into it."""


def _bucket(time: float) -> int:
    held = max(time, SHORTEST_MS)
    power = floor(log10(held) + 1e-12)
    at = bisect_right(STEPS, held / 10.0**power * (1 + 1e-12)) - 1
    return power * len(STEPS) + max(at, 0)


def _edge(at: int) -> float:
    power, step = divmod(at, len(STEPS))
    return float(f"{STEPS[step] * 10.0**power:.6g}")


def stated_number(text: str, what: str, line: int) -> float:
    """Read a number that stands in a text.

    Raises:
        UnusableError: If it is none.
    """
    try:
        return float(text)
    except ValueError:
        raise UnusableError(f"{what} is no number", line) from None


_DAY = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})(?!\d)", re.ASCII)


def stated_day(stated: str) -> str:
    """ISO date that a time begins with, the time of day cut off; empty where it is none.

    >>> stated_day("20260820-120501"), stated_day("2026-03-12T08:00:00Z"), stated_day("2026-13-40")
    ('2026-08-20', '2026-03-12', '')
    """
    found = _DAY.match(stated)
    try:
        return date(*map(int, found.groups())).isoformat() if found else ""
    except ValueError:
        return ""


def day_of(seconds: float | None) -> str:
    """ISO date of seconds since 1970, in UTC; empty where unknown or absurd.

    >>> day_of(1_759_813_207.5), day_of(-1.0)
    ('2025-10-07', '')
    """
    if seconds is None or not 1.2e9 < seconds < 4e9:
        return ""
    return datetime.fromtimestamp(seconds, tz=UTC).date().isoformat()

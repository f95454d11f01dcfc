"""Rules on constants and intervals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.records.parts import ConstantRecord, IntervalRecord, Record
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.source_text import quoted, written
from sitegen.problems import Problem

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
UNITS = {
    "_usd_per_gib": "USD/GiB",
    "_tokens_per_s": "tokens/s",
    "_bytes_per_token": "bytes/token",
    "_gb_s": "GB/s",
    "_gib": "GiB",
    "_mib": "MiB",
    "_kib": "KiB",
    "_bytes": "bytes",
    "_bits": "bits",
    "_tokens": "tokens",
    "_us": "us",
    "_ms": "ms",
    "_s": "s",
    "_fraction": "/1",
    "_factor": "/1",
    "_efficiency": "/1",
    "_utilization": "/1",
    "_ratio": "/1",
    "_share": "/1",
}
"""Unit that the end of a name announces, longest ending first."""


def constants_of(
    records: CatalogRecords,
) -> Iterator[tuple[Authored[Record], KeyPath, str, ConstantRecord]]:
    """Yield each constant with its owner, its key path and its name in snake case."""
    for assumption in records.assumptions.values():
        yield assumption, (), assumption.id.replace("-", "_"), assumption.record
    for runtime in records.runtimes.values():
        for index, profile in enumerate(runtime.record.profiles):
            for name, constant in profile.constants.items():
                path = ("profiles", index, "constants", name)
                yield runtime, path, name.replace("-", "_"), constant


def names_are_words(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure constants and flags have names that a formula can use."""
    for runtime in records.runtimes.values():
        for index, profile in enumerate(runtime.record.profiles):
            for key, names in (("constants", profile.constants), ("flags", profile.flags)):
                for name in names:
                    if not _NAME.fullmatch(name):
                        message = f"{quoted(name)} cannot be the name of a number or switch"
                        path = ("profiles", index, key, name)
                        hint = "use lower-case words joined by underscores"
                        yield runtime.problem(path, "constant-name", message, hint, at_key=True)


def constants_have_one_value(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a constant is exact (``value``) or an interval (``low``, ``mid``, ``high``)."""
    for owner, path, _, constant in constants_of(records):
        bounds = (constant.low, constant.mid, constant.high)
        exact, given = constant.value is not None, [b for b in bounds if b is not None]
        if (exact and given) or (not exact and len(given) < len(bounds)):
            message = "a number is `value`, or all of `low`, `mid` and `high`"
            yield owner.problem(path, "constant-value", message)


def constants_name_their_unit(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure the end of a constant's name agrees with its unit."""
    for owner, path, name, constant in constants_of(records):
        expected = next((unit for end, unit in UNITS.items() if f"_{name}".endswith(end)), None)
        if expected is not None and constant.unit != expected:
            message = (
                f"the name {name!r} implies the unit {expected}, but its unit is {constant.unit!r}"
            )
            hint = f"write `unit: {expected}` or rename it"
            yield owner.problem((*path, "unit"), "constant-unit", message, hint)


def intervals_are_in_order(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure low ≤ mid ≤ high."""
    for owner, path, _, constant in constants_of(records):
        low, mid, high = constant.low, constant.mid, constant.high
        if low is not None and mid is not None and high is not None and not low <= mid <= high:
            yield _out_of_order(owner, (*path, "mid"), low, mid, high)
    for authored in records.hardware:
        for key, value in authored.record:
            if isinstance(value, IntervalRecord) and not value.low <= value.mid <= value.high:
                yield _out_of_order(authored, (key, "mid"), value.low, value.mid, value.high)


def _out_of_order(
    owner: Authored[Record], path: KeyPath, low: float, mid: float, high: float
) -> Problem:
    message = f"low {written(low)}, mid {written(mid)} and high {written(high)} are not in order"
    return owner.problem(path, "interval-order", message)

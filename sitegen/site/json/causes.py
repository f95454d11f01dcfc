"""Causes of a changed verdict between two publications: the facts behind it that differ.

A row is judged from its combo with GPUs and links, its model, the checkpoint and the runtime
that it shows, and the constants of the engine. Where one of these records changed, it is named
with its facts before and after; several are named together, because a publication does not say
which of them decided. Where none changed, the published evidence or the program did.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from typing import Any, TypeAlias

from sitegen.values import dataclass

Records: TypeAlias = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Authored records by list of the API and id."""

PROSE = frozenset({"failure_modes", "name", "not_for", "notes", "note", "operations", "prices",
                   "quote", "renamed_from", "sources", "source", "summary", "title",
                   "why"})  # fmt: skip
"""Keys that no verdict is computed from: words, provenance and prices."""
UNREAD: Mapping[str, frozenset[str]] = {
    "gpus": frozenset({
        "cooler", "launch_price_usd", "launched", "length_mm", "memory_bus_bits", "memory_gbit_s",
        "power_connectors", "slots", "tdp_watts",
    }),
    "models": frozenset({"license", "organization", "published_parameters"}),
    "runtimes": frozenset({
        "backends", "chat_options", "environment", "license", "replicas", "speculation", "traps",
        "url",
    }),
}  # fmt: skip
"""Facts of a record, by list, that pages and recipes show and no verdict is computed from."""
CONSTANTS = "assumptions"
EVIDENCE = ("benchmarks", "boards", "losses", "measurements")
PROGRAM = "the program: no published record behind these rows changed"
MOST_FACTS = 4
"""Facts of one record that a cause shows; it says how many more there are."""
MOST_RECORDS = 6
LONGEST_VALUE = 48
PROFILES = "profiles"
"""Of a runtime, by version: verdicts stand on the one that is shown and those that it is like."""
_KEY = re.compile(r"[\[\]]|\.(?![^\[]*\])")
"""Between the keys of a path; not in a version."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A value of a record before and after; None where there was none."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class ChangedRecord:
    """A record of one list that is not the same in both publications."""

    kind: str
    id: str
    facts: tuple[Fact, ...]
    """Empty for a record that came or went."""
    came: bool = False
    went: bool = False
    unread: tuple[Fact, ...] = ()
    """Those of ``facts`` that move no verdict."""


class Causes:
    """Finds what changed behind a row; each record is compared once."""

    def __init__(self, base: Records, head: Records) -> None:
        self.base, self.head = base, head
        self._changed: dict[tuple[str, str], ChangedRecord | None] = {}
        self._constants = tuple(self._all_changed(CONSTANTS))
        self._evidence = tuple(one for kind in EVIDENCE for one in self._all_changed(kind))

    def of_row(
        self, combo: str, model: str, checkpoints: frozenset[str], runtimes: frozenset[str]
    ) -> tuple[ChangedRecord, ...]:
        """Return the changed records behind a row, the combo's first.

        Args:
            combo: Id of the row's combo.
            model: Id of the row's model.
            checkpoints: Ids of the quantizations shown before and after.
            runtimes: Ids of the runtimes shown before and after.
        """
        behind = [("combos", combo), *self._parts("combos", combo), ("models", model)]
        behind += [("quantizations", id_) for id_ in sorted(checkpoints)]
        behind += [("runtimes", id_) for id_ in sorted(runtimes)]
        changed = (self._record(*key) for key in behind)
        found = [cause for one in changed if one and (cause := _as_cause(one)) is not None]
        return (*found, *self._constants) or self._evidence

    def _parts(self, kind: str, id_: str) -> list[tuple[str, str]]:
        """Return GPUs and links that a record names, before or after, and the links of those."""
        named = {
            word
            for side in (self.base, self.head)
            for word in _words(side.get(kind, {}).get(id_, {}))
        }
        found = [
            (part, word)
            for part in ("gpus", "interconnects")
            for word in sorted(named)
            if word in self.base.get(part, {}) or word in self.head.get(part, {})
        ]
        links = [link for part, word in found if part == "gpus" for link in self._parts(part, word)]
        return list(dict.fromkeys([*found, *links]))

    def _record(self, kind: str, id_: str) -> ChangedRecord | None:
        if (kind, id_) not in self._changed:
            before, after = (side.get(kind, {}).get(id_) for side in (self.base, self.head))
            self._changed[kind, id_] = _changed(kind, id_, before, after)
        return self._changed[kind, id_]

    def changed(self, kinds: Iterable[str]) -> Iterator[ChangedRecord]:
        """Yield the records of some kinds that are not the same, in the order of ids."""
        for kind in kinds:
            yield from self._all_changed(kind)

    def _all_changed(self, kind: str) -> Iterator[ChangedRecord]:
        for id_ in sorted(self.base.get(kind, {}).keys() | self.head.get(kind, {}).keys()):
            changed = self._record(kind, id_)
            if changed is not None:
                yield changed


def _as_cause(changed: ChangedRecord) -> ChangedRecord | None:
    """Return a record with what of it can have moved a verdict, or nothing."""
    read = tuple(fact for fact in changed.facts if fact not in changed.unread)
    if changed.facts and not read:
        return None
    return replace(changed, facts=read, unread=())


def without_effect(
    changed: Iterable[ChangedRecord], causes: Set[ChangedRecord]
) -> Iterator[ChangedRecord]:
    """Yield the facts that changed and stand behind none of some causes."""
    named = {(one.kind, one.id) for one in causes}
    for one in changed:
        facts = one.unread if (one.kind, one.id) in named else one.facts
        if facts:
            yield replace(one, facts=facts, unread=())


def told(causes: tuple[ChangedRecord, ...]) -> str:
    """Return causes in a line: which records changed, and their facts before and after."""
    if not causes:
        return PROGRAM
    shown = "; ".join(_told(one) for one in causes[:MOST_RECORDS])
    more = len(causes) - MOST_RECORDS
    return f"{shown}; and {more} more records" if more > 0 else shown


def _told(record: ChangedRecord) -> str:
    if record.came or record.went:
        return f"{record.kind}/{record.id} {'is new' if record.came else 'is gone'}"
    facts = ", ".join(
        f"{fact.path} {_value(fact.before)} → {_value(fact.after)}"
        for fact in record.facts[:MOST_FACTS]
    )
    more = len(record.facts) - MOST_FACTS
    return f"{record.kind}/{record.id}: {facts}{f' and {more} more' if more > 0 else ''}"


def _value(value: str | None) -> str:
    if value is None:
        return "nothing"
    return value if len(value) <= LONGEST_VALUE else f"{value[: LONGEST_VALUE - 1]}…"


def _changed(
    kind: str, id_: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> ChangedRecord | None:
    if before is None or after is None:
        came, went = before is None and after is not None, after is None and before is not None
        return ChangedRecord(kind, id_, (), came, went) if came or went else None
    if before == after:
        return None
    old, new = dict(_leaves(before)), dict(_leaves(after))
    facts = tuple(
        Fact(path, old.get(path), new.get(path))
        for path in sorted(old.keys() | new.keys())
        if old.get(path) != new.get(path)
    )
    keys, shown = UNREAD.get(kind, frozenset()), {*_profiles(before), *_profiles(after)}
    unread = tuple(fact for fact in facts if _is_unread(_KEY.split(fact.path), keys, shown))
    return ChangedRecord(kind, id_, facts, unread=unread) if facts else None


def _is_unread(path: list[str], keys: Set[str], profiles: Set[str]) -> bool:
    return path[0] in keys or (path[0] == PROFILES and path[1] not in profiles)


def _profiles(runtime: Mapping[str, Any]) -> Iterator[str]:
    """Yield the versions whose profiles a runtime's verdicts stand on: the shown one's, and on."""
    like = {str(one.get("version")): str(one.get("like")) for one in runtime.get(PROFILES, ())}
    version = str(runtime.get("assessed_version"))
    while version in like:  # each stands on an earlier one
        yield version
        version = like.pop(version)


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield each plain value of a record with its path, prose left out."""
    match value:
        case dict():
            for key in value.keys() - PROSE:
                yield from _leaves(value[key], f"{path}.{key}" if path else str(key))
        case list():
            for at, entry in enumerate(value):
                by_version = path == PROFILES and isinstance(entry, dict)
                named = entry.get("version", at) if by_version else at
                yield from _leaves(entry, f"{path}[{named}]")
        case str():
            yield path, value
        case _:
            yield path, json.dumps(value)


def _words(value: object) -> Iterator[str]:
    match value:
        case dict():
            for entry in value.values():
                yield from _words(entry)
        case list():
            for entry in value:
                yield from _words(entry)
        case str():
            yield value

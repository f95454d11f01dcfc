"""Records as authored, each with its file, so that a rule can point at what it judges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Generic, TypeVar

from sitegen.catalog.kinds import REFERENCES, Kind
from sitegen.catalog.records.parts import Record, Renamable
from sitegen.catalog.text.positions import KeyPath, Place, locate
from sitegen.catalog.text.source_text import SourceText, line_starts, quoted, visible
from sitegen.problems import Problem, SourceSpan, did_you_mean, listed
from sitegen.values import dataclass

if TYPE_CHECKING:
    from sitegen.catalog.records.benchmarks import BenchmarkRecord
    from sitegen.catalog.records.claims import ClaimRecord
    from sitegen.catalog.records.hardware import ComboRecord, GpuRecord, InterconnectRecord
    from sitegen.catalog.records.losses import LossRecord
    from sitegen.catalog.records.measurements import MeasurementRecord
    from sitegen.catalog.records.models import (
        AssumptionRecord,
        ModelRecord,
        QuantizationRecord,
        RuntimeRecord,
    )
    from sitegen.catalog.records.scores import BoardRecord, NamesRecord, ScoreRecord

R_co = TypeVar("R_co", bound=Record, covariant=True)
LONGEST_GUESSED = 100
LONGEST_MESSAGE = 500
_START = Place(line=1, column=1, key_line=1, key_column=1, text=None)


@dataclass(slots=True)
class PlacedSource:
    """A file whose key paths can be looked up; the lookup is built when first asked for."""

    text: SourceText
    _places: Mapping[KeyPath, Place] | None = field(default=None, repr=False)

    def place(self, path: KeyPath) -> Place:
        """Return where a key path stands, or the nearest parent of one that is missing."""
        if self._places is None:
            self._places = locate(self.text.text)
        while path and path not in self._places:
            path = path[:-1]
        return self._places.get(path, _START)

    def index_of(self, path: KeyPath, words: str, *, after: int = 0) -> int:
        """Return where words of a text begin in the file; where its value does, if it folds them.

        Args:
            path: Key path of the text.
            words: What is looked for; a line may end between two of them.
            after: Index before which nothing is looked for.
        """
        place = self.place(path)
        begins = line_starts(self.text.text)[place.line - 1] + place.column - 1
        pattern = re.compile(r"\s+".join(map(re.escape, words.split())))
        found = pattern.search(self.text.text, max(begins, after))
        return found.start() if found else begins

    def part(self, line: int) -> str | int | None:
        """Return the key of the record that a line belongs to; nothing above the first."""
        self.place(())
        places = self._places or {}
        starts = ((at.key_line, path[0]) for path, at in places.items() if len(path) == 1)
        above = [(start, key) for start, key in starts if start <= line]
        return max(above, key=lambda one: one[0])[1] if above else None

    def problem(
        self, path: KeyPath, code: str, message: str, hint: str = "", *, at_key: bool = False
    ) -> Problem:
        """Build a problem at the value (or the key) of a key path."""
        place = self.place(path)
        line, column = (place.key_line, place.key_column) if at_key else (place.line, place.column)
        # Keys may hold line breaks; a message on a line of its own could pass for another's.
        message, hint = visible(message)[:LONGEST_MESSAGE], visible(hint)[:LONGEST_MESSAGE]
        return self.text.problem(code, message, line=line, column=column, hint=hint)


@dataclass(frozen=True, slots=True)
class Authored(Generic[R_co]):
    """A valid record, its id, and the file it was read from."""

    kind: Kind
    id: str
    record: R_co
    source: PlacedSource

    @property
    def span(self) -> SourceSpan:
        """The beginning of its file."""
        return SourceSpan(self.source.text.path)

    def problem(
        self, path: KeyPath, code: str, message: str, hint: str = "", *, at_key: bool = False
    ) -> Problem:
        """Build a problem at a key path of this record."""
        return self.source.problem(path, code, message, hint, at_key=at_key)


@dataclass(frozen=True, slots=True)
class CatalogRecords:
    """All valid records by id, in id order.

    Attributes:
        ids: The ids that exist, records with broken files included: what a reference may name
            without being reported a second time.
        today: ISO date after which nothing can have been read; empty for no limit.
    """

    gpus: Mapping[str, Authored[GpuRecord]]
    interconnects: Mapping[str, Authored[InterconnectRecord]]
    combos: Mapping[str, Authored[ComboRecord]]
    models: Mapping[str, Authored[ModelRecord]]
    quantizations: Mapping[str, Authored[QuantizationRecord]]
    runtimes: Mapping[str, Authored[RuntimeRecord]]
    assumptions: Mapping[str, Authored[AssumptionRecord]]
    measurements: Mapping[str, Authored[MeasurementRecord]]
    benchmarks: Mapping[str, Authored[BenchmarkRecord]]
    claims: Mapping[str, Authored[ClaimRecord]]
    losses: Mapping[str, Authored[LossRecord]]
    boards: Mapping[str, Authored[BoardRecord]]
    scores: Mapping[str, Authored[ScoreRecord]]
    names: Mapping[str, Authored[NamesRecord]]
    ids: Mapping[Kind, frozenset[str]]
    today: str

    @property
    def hardware(self) -> tuple[Authored[Record], ...]:
        """GPUs and interconnects: the records whose every number needs a source."""
        return (*self.gpus.values(), *self.interconnects.values())

    @property
    def all(self) -> tuple[Authored[Record], ...]:
        """Every record, kind by kind."""
        kinds: tuple[Mapping[str, Authored[Record]], ...] = (
            self.gpus,
            self.interconnects,
            self.combos,
            self.models,
            self.quantizations,
            self.runtimes,
            self.assumptions,
            self.measurements,
            self.benchmarks,
            self.claims,
            self.losses,
            self.boards,
            self.scores,
            self.names,
        )
        return tuple(authored for kind in kinds for authored in kind.values())


def holds_the_same(before: object, now: object) -> bool:
    """Return whether a part of a catalog has the very values that it had; equal words will do.

    >>> holds_the_same({"a": 1}, {"a": 1}), holds_the_same({"a": []}, {"a": []})
    (True, False)
    """
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        return before.keys() == now.keys() and all(
            _is_one(value, now[key]) for key, value in before.items()
        )
    if isinstance(before, tuple) and isinstance(now, tuple):
        return len(before) == len(now) and all(map(_is_one, before, now))
    return _is_one(before, now)


def _is_one(before: object, now: object) -> bool:
    return before is now or (isinstance(before, str | float | frozenset) and before == now)


def renamed(records: CatalogRecords, kind: Kind) -> Mapping[str, str]:
    """Return the ids of today by the ids of before, for one kind."""
    return {
        old: authored.id
        for authored in records.all
        if authored.kind is kind and isinstance(authored.record, Renamable)
        for old in authored.record.renamed_from
    }


def leaves(record: Record, at: KeyPath = ()) -> Iterator[tuple[KeyPath, str, object]]:
    """Yield each value of a record and of the records in it: its path, the name of its key, itself.

    Of a list, each item has a path of its own.
    """
    for key in type(record).model_fields:
        value = getattr(record, key)
        many = isinstance(value, tuple)
        for index, item in enumerate(value if many else (value,)):
            path = (*at, key, index) if many else (*at, key)
            if isinstance(item, Record):
                yield from leaves(item, path)
            else:
                yield path, key, item


def unknown_reference(
    source: PlacedSource, path: KeyPath, key: str, given: str, ids: Mapping[Kind, frozenset[str]]
) -> Problem:
    """Build the problem for an id that names no record, with the nearest real id as hint."""
    reference = REFERENCES[key]
    known = ids[reference.kind]
    hint = guess(given, known)
    if not hint:
        there = f"; known ids: {listed(known)}" if known else ""
        hint = f"add catalog/{reference.kind.folder}/<id>.yaml{there}"
    message = f"no {reference.kind} has the id {quoted(given)}"
    return source.problem(path, reference.code, message, hint)


def guess(given: str, known: frozenset[str]) -> str:
    """Return a did-you-mean sentence, or nothing where the text is too long to compare."""
    return did_you_mean(given, known) if len(given) <= LONGEST_GUESSED else ""

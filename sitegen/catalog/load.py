"""The whole way from catalog files to a catalog: read, validate, check, resolve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import field, fields, replace
from typing import Any, TypeVar, cast

from sitegen.catalog import checks
from sitegen.catalog.authored import Authored, CatalogRecords, renamed
from sitegen.catalog.checks.references import references_of
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.excuses import without_excused
from sitegen.catalog.file_names import CatalogFile, catalog_path, list_files
from sitegen.catalog.kinds import RECORDS, REFERENCES, Kind
from sitegen.catalog.one_record import read_record
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
from sitegen.catalog.records.parts import Record
from sitegen.catalog.records.scores import BoardRecord, NamesRecord, ScoreRecord
from sitegen.catalog.resolve.catalog import Resolved, resolve
from sitegen.problems import Problem, ProblemsFound, Severity
from sitegen.values import dataclass

R = TypeVar("R", bound=Record)


class BrokenCatalog(ProblemsFound):
    """A catalog with errors, with the records of it that could be read."""

    def __init__(self, problems: Iterable[Problem], records: CatalogRecords) -> None:
        super().__init__(problems)
        self.records = records


@dataclass(slots=True)
class KnownRecords:
    """Records of files that were read before, by path, and the ids that stood beside them."""

    ids: Mapping[Kind, frozenset[str]] = field(default_factory=dict)
    by_path: dict[str, Authored[Record]] = field(default_factory=dict)
    sound: frozenset[int] = frozenset()
    """Records of the last catalog without problems, by identity; ``held`` keeps them alive."""
    held: CatalogRecords | None = None
    findings: checks.Findings = field(default_factory=checks.Findings)
    resolved: Resolved = field(default_factory=Resolved)

    def fresh(self, records: CatalogRecords) -> CatalogRecords:
        """Leave out the records of the last catalog without problems, on the same day."""
        if self.held is None or self.held.today != records.today:
            return records
        return _without(records, self.sound)

    def hold(self, records: CatalogRecords) -> None:
        """Remember a catalog in which no rule found anything."""
        self.held, self.sound = records, frozenset(id(one) for one in records.all)

    def read(
        self, file: CatalogFile, ids: Mapping[Kind, frozenset[str]]
    ) -> tuple[Authored[Record] | None, tuple[Problem, ...]]:
        """Read a file, unless it and all ids are as they were when it was read without problems."""
        if ids is not self.ids:  # the same for all files of a reading
            if ids != self.ids:
                self.by_path.clear()
            self.ids = ids
        path = file.source.path
        before = self.by_path.get(path)
        if before is not None and before.source.text.text == file.source.text:
            return before, ()
        record, problems = read_record(file, ids)
        if record is not None and not problems:
            self.by_path[path] = record
        return record, problems


def parse_catalog(files: Mapping[str, str], *, today: str = "") -> Catalog:
    """Turn the text of all catalog files into a catalog.

    Args:
        files: Text by POSIX path relative to the project root (``catalog/gpus/rtx-4090.yaml``).
        today: ISO date after which no source can have been read; empty for no limit, because
            there is no clock in here.

    Returns:
        The catalog, ids in alphabetical order, references resolved, rules checked.

    Raises:
        ProblemsFound: With every problem of every file.
    """
    return parse_authored(files, today=today)[1]


def parse_authored(
    files: Mapping[str, str], *, today: str = "", known: KnownRecords | None = None
) -> tuple[CatalogRecords, Catalog]:
    """Parse as ``parse_catalog`` does, and keep the records as they are written beside it.

    Args:
        files: As ``parse_catalog``.
        today: As ``parse_catalog``.
        known: Records of files that were read before; takes those that are read now.

    Raises:
        BrokenCatalog: With every problem of every file.
    """
    known = known or KnownRecords()
    records, problems = read_records(files, today=today, known=known)
    whole = not problems
    sources = (authored.source.text for authored in records.all)
    judged = checks.problems_of(records, known.fresh(records), known.findings)
    problems += without_excused(judged, sources, whole=whole)
    if not problems:
        known.hold(records)
    if any(problem.severity is Severity.ERROR for problem in problems):
        raise BrokenCatalog(problems, records)
    return records, replace(resolve(records, known.resolved), warnings=tuple(sorted(set(problems))))


def read_records(
    files: Mapping[str, str], *, today: str = "", known: KnownRecords | None = None
) -> tuple[CatalogRecords, list[Problem]]:
    """Read every file that can be read, with the problems of those that cannot."""
    known = known or KnownRecords()
    listing = list_files(files)
    problems = list(listing.problems)
    valid: dict[Kind, dict[str, Authored[Record]]] = {kind: {} for kind in Kind}
    for file in listing.files:
        record, found = known.read(file, listing.ids)
        problems += found
        if record is not None:
            valid[file.kind][file.id] = record

    by_shape = {RECORDS[kind]: dict(sorted(found.items())) for kind, found in valid.items()}

    def of(shape: type[R]) -> dict[str, Authored[R]]:
        return cast("dict[str, Authored[R]]", by_shape[shape])

    records = CatalogRecords(
        gpus=of(GpuRecord),
        interconnects=of(InterconnectRecord),
        combos=of(ComboRecord),
        models=of(ModelRecord),
        quantizations=of(QuantizationRecord),
        runtimes=of(RuntimeRecord),
        assumptions=of(AssumptionRecord),
        measurements=of(MeasurementRecord),
        benchmarks=of(BenchmarkRecord),
        claims=of(ClaimRecord),
        losses=of(LossRecord),
        boards=of(BoardRecord),
        scores=of(ScoreRecord),
        names=of(NamesRecord),
        ids=listing.ids,
        today=today,
    )
    return records, problems


def sound_catalog(
    records: CatalogRecords, problems: Iterable[Problem]
) -> tuple[Catalog | None, bool]:
    """Resolve the records without errors whose references are without errors too.

    Args:
        records: Records that could be read.
        problems: What is wrong with the project.

    Returns:
        The catalog, nothing where an assumption is broken, for no figure is sure without it; and
        whether it is the whole one.
    """
    errors = {one.span.path for one in problems if one.severity is Severity.ERROR}
    broken = {id(one) for one in records.all if one.source.text.path in errors}
    kept = _without(records, broken)
    while True:
        known = {(one.kind, one.id) for one in kept.all}
        known |= {(kind, old) for kind in Kind for old in renamed(kept, kind)}
        dangling = {
            id(one)
            for one, _, key, given in references_of(kept)
            if given is not None and (REFERENCES[key].kind, given) not in known
        }
        if not dangling:
            break
        kept = _without(kept, dangling)
    whole = sum(map(len, records.ids.values())) == len(kept.all)
    lacking = any(catalog_path(path).startswith("catalog/assumptions/") for path in errors)
    return None if lacking else resolve(kept), whole


def _without(records: CatalogRecords, left_out: Set[int]) -> CatalogRecords:
    """Return the records that are none of some values."""
    kept: dict[str, Any] = {
        one.name: {id_: r for id_, r in found.items() if id(r) not in left_out}
        for one in fields(records)
        if one.name not in {"ids", "today"}
        for found in [getattr(records, one.name)]
    }
    return replace(records, **kept)

"""The whole way from catalog files to a catalog: read, validate, check, resolve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar, cast

from sitegen.catalog import checks
from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.file_names import list_files
from sitegen.catalog.kinds import RECORDS, Kind
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
from sitegen.catalog.resolve.catalog import resolve
from sitegen.problems import Problem, ProblemsFound, Severity

R = TypeVar("R", bound=Record)


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


def parse_authored(files: Mapping[str, str], *, today: str = "") -> tuple[CatalogRecords, Catalog]:
    """Parse as ``parse_catalog`` does, and keep the records as they are written beside it."""
    records, problems = read_records(files, today=today)
    problems += checks.problems_of(records)
    if any(problem.severity is Severity.ERROR for problem in problems):
        raise ProblemsFound(problems)
    return records, replace(resolve(records), warnings=tuple(sorted(set(problems))))


def read_records(
    files: Mapping[str, str], *, today: str = ""
) -> tuple[CatalogRecords, list[Problem]]:
    """Read every file that can be read, with the problems of those that cannot."""
    listing = list_files(files)
    problems = list(listing.problems)
    valid: dict[Kind, dict[str, Authored[Record]]] = {kind: {} for kind in Kind}
    for file in listing.files:
        record, found = read_record(file, listing.ids)
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

"""The whole way from catalog files to a catalog: read, validate, check, resolve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import replace
from typing import TypeVar, cast

from pydantic import ValidationError
from pydantic_core import to_json

from sitegen.catalog import checks
from sitegen.catalog.authored import Authored, CatalogRecords, PlacedSource
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.file_names import CatalogFile, list_files
from sitegen.catalog.kinds import RECORDS, Kind
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
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.yaml_source import compose
from sitegen.catalog.validation_messages import problems_of
from sitegen.problems import Problem, ProblemsFound, Severity

_FREE_KEYS = {"config", "config_overrides"}
"""Keys that hold a model's own config, where null means what it means there."""


def empty_values(value: object, source: PlacedSource, path: KeyPath = ()) -> Iterator[Problem]:
    """Yield a problem for each key without a value, model configs left out.

    Args:
        value: The composed value at ``path``.
        source: Its file.
        path: Where the value stands.
    """
    if isinstance(value, dict):
        for key, inner in value.items():
            if inner is None:
                name = ".".join(map(str, (*path, key)))
                message = f"`{name}` has no value"
                yield source.problem((*path, key), "no-value", message, "remove the key or fill it")
            elif isinstance(inner, dict | list) and key not in _FREE_KEYS:
                yield from empty_values(inner, source, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict | list):
                yield from empty_values(item, source, (*path, index))


R = TypeVar("R", bound=Record)
Known = MutableMapping[str, Authored[Record]]
"""Records by the path of their file."""


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
    files: Mapping[str, str], *, today: str = "", known: Known | None = None
) -> tuple[CatalogRecords, Catalog]:
    """Parse as ``parse_catalog`` does, and keep the records as they are written beside it.

    Args:
        files: As ``parse_catalog``.
        today: As ``parse_catalog``.
        known: Records of files that were read before; takes those that are read now.
    """
    records, problems = read_records(files, today=today, known=known)
    problems += checks.problems_of(records)
    if any(problem.severity is Severity.ERROR for problem in problems):
        raise ProblemsFound(problems)
    return records, replace(resolve(records), warnings=tuple(sorted(set(problems))))


def read_records(
    files: Mapping[str, str], *, today: str = "", known: Known | None = None
) -> tuple[CatalogRecords, list[Problem]]:
    """Read every file that can be read, with the problems of those that cannot."""
    known = {} if known is None else known
    listing = list_files(files)
    problems = list(listing.problems)
    valid: dict[Kind, dict[str, Authored[Record]]] = {kind: {} for kind in Kind}
    for file in listing.files:
        problems += _modeline_problems(file)
        record, found = _read_once(file, listing.ids, known)
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


def _read_once(
    file: CatalogFile, ids: Mapping[Kind, frozenset[str]], known: Known
) -> tuple[Authored[Record] | None, tuple[Problem, ...]]:
    """Read a file unless the same text stood there before; problems may name other files' ids."""
    path, text = file.source.path, file.source.text
    before = known.get(path)
    if before is not None and before.source.text.text == text:
        return before, ()
    record, problems = _read(file, ids)
    if record is not None:
        known[path] = record
    return record, problems


def _read(
    file: CatalogFile, ids: Mapping[Kind, frozenset[str]]
) -> tuple[Authored[Record] | None, tuple[Problem, ...]]:
    value, problems = compose(file.source)
    if problems:
        return None, problems
    source = PlacedSource(file.source)
    problems = tuple(empty_values(value, source))
    if problems:
        return None, problems
    try:
        # Strict validation takes lists for tuples only from JSON, which is also its fastest way.
        record = RECORDS[file.kind].model_validate_json(to_json(value))
    except ValidationError as error:
        return None, tuple(problems_of(error, source, file.kind, ids))
    return Authored(file.kind, file.id, record, source), ()


def _modeline_problems(file: CatalogFile) -> tuple[Problem, ...]:
    """Report a file whose first line does not tell editors where the schema is."""
    first, _, _ = file.source.text.partition("\n")
    first = first.lstrip("\ufeff").rstrip()
    if first == file.kind.modeline or not file.source.text:
        return ()  # a byte order mark and an empty file are reported as such
    other = first.startswith("# yaml-language-server")
    message = "the modeline points to another schema" if other else "the modeline is missing"
    hint = f"begin the file with {file.kind.modeline}"
    return (file.source.problem("modeline", message, hint=hint),)

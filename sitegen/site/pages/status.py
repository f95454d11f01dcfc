"""The state of the data, at ``/status/``: version, counts, what waits for a review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.measurements import Measurements
from sitegen.catalog.domain.runs import Benchmarks
from sitegen.fit.assessment import FitTier
from sitegen.fit.fit_engine import PROFILED
from sitegen.problems import SourceSpan
from sitegen.site.cells import Cell, Code, Link, NumberCell, TierMark, Unit
from sitegen.site.content.site_settings import SiteSettings
from sitegen.site.dates import STALE_DAYS
from sitegen.site.freshness import Stale, stale_records
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.plain_json import PlainJson
from sitegen.site.table import Column, Row, Table, facts
from sitegen.site.urls import FOLDERS, url_of
from sitegen.values import dataclass

TEMPLATE = "status.html"
URL = "/status/"


@dataclass(frozen=True, slots=True)
class StatusView:
    """Values that ``status.html`` shows."""

    facts: Table
    verdicts: Table
    records: Table
    stale: Table
    stale_days: int
    quarantined: Cell
    left_out: Table
    private: Table | None


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the one page."""
    settings = inputs.settings
    old = stale_records(inputs.catalog, settings.data_date)
    yield Page(
        URL,
        "Status of the data",
        TEMPLATE,
        StatusView(
            facts=_facts(inputs, len(old)),
            verdicts=_verdicts(inputs),
            records=_records(inputs.catalog),
            stale=_stale(old),
            stale_days=STALE_DAYS,
            quarantined=NumberCell(len(inputs.records.quarantined), Unit.COUNT),
            left_out=_left_out(inputs.catalog),
            private=_private(settings),
        ),
        "status",
        SourceSpan("catalog"),
        "Version and date of the data, how many records and verdicts there are, which records are "
        "waiting for a review, and which are in quarantine.",
        _result(inputs, old),
        len(old),
    )


def _sizes(catalog: Catalog) -> dict[str, int]:
    return {
        "GPUs": len(catalog.gpus),
        "Interconnects": len(catalog.interconnects),
        "Combos": len(catalog.combos),
        "Models": len(catalog.models),
        "Quantizations": len(catalog.quantizations),
        "Runtimes": len(catalog.runtimes),
        "Assumptions": len(catalog.assumptions),
        "Sources of memory logs": len(catalog.measurements),
        "Memory logs": sum(len(file.runs) for file in catalog.measurements.values()),
        "Sources of speeds": len(catalog.benchmarks),
        "Measured speeds": sum(len(file.runs) for file in catalog.benchmarks.values()),
        "Public pages whose claims are checked": len(catalog.claims),
    }


def _tiers(inputs: SiteInputs) -> Counter[FitTier]:
    rows = (row for survey in inputs.survey.combos.values() for row in survey.rows)
    return Counter(row.tier for row in rows)


def _too_close(inputs: SiteInputs) -> int:
    rows = (row for survey in inputs.survey.combos.values() for row in survey.rows)
    return sum(row.too_close for row in rows)


def _facts(inputs: SiteInputs, stale: int) -> Table:
    catalog, settings = inputs.catalog, inputs.settings
    assessed = [r for r in catalog.runtimes.values() if r.memory_model in PROFILED]
    pairs: tuple[tuple[str, Cell], ...] = (
        ("Data version", Code(settings.data_version)),
        ("Date of the newest source", settings.data_date or "none"),
        ("Verdicts", NumberCell(sum(_tiers(inputs).values()), Unit.COUNT)),
        ("Too close to call", NumberCell(_too_close(inputs), Unit.COUNT)),
        ("Models assessed", NumberCell(len(inputs.rows), Unit.COUNT)),
        (
            "Models with a page but no verdict",
            NumberCell(len(catalog.models) - len(inputs.rows), Unit.COUNT),
        ),
        ("Runtimes assessed", NumberCell(len(assessed), Unit.COUNT)),
        (
            "Runtimes listed but not assessed",
            NumberCell(len(catalog.runtimes) - len(assessed), Unit.COUNT),
        ),
        (
            "Benchmark records in quarantine",
            NumberCell(len(inputs.records.quarantined), Unit.COUNT),
        ),
        ("Records waiting for a review", NumberCell(stale, Unit.COUNT)),
        ("Warnings from checks of the catalog", NumberCell(len(catalog.warnings), Unit.COUNT)),
        ("Addresses that redirect to a new one", NumberCell(_moved(catalog), Unit.COUNT)),
        ("Addresses that we removed", NumberCell(len(inputs.history.removed), Unit.COUNT)),
    )
    return facts("facts", "Totals", pairs)


def _moved(catalog: Catalog) -> int:
    return sum(len(old) for kind, old in catalog.renamed.items() if kind in FOLDERS)


def _verdicts(inputs: SiteInputs) -> Table:
    counts = _tiers(inputs)
    columns = (Column("Verdict"), Column("Rows", numeric=True))
    rows = tuple(Row((TierMark(tier), NumberCell(counts[tier], Unit.COUNT))) for tier in FitTier)
    return Table("verdicts", "Verdicts by tier", columns, rows)


def _records(catalog: Catalog) -> Table:
    columns = (Column("Records"), Column("Count", numeric=True))
    rows = tuple(
        Row((name, NumberCell(count, Unit.COUNT))) for name, count in _sizes(catalog).items()
    )
    return Table("records", "Records by kind", columns, rows)


def _stale(stales: tuple[Stale, ...]) -> Table:
    columns = (
        Column("Record"),
        Column("Kind"),
        Column("Last reviewed"),
        Column("Days before the newest", numeric=True),
    )
    rows = tuple(
        Row(
            (
                Link(url_of(stale.kind, stale.id), stale.id)
                if stale.kind in FOLDERS
                else Code(stale.id),
                stale.kind,
                stale.reviewed,
                NumberCell(stale.days, Unit.COUNT),
            )
        )
        for stale in stales
    )
    return Table("stale", "Records waiting for a review", columns, rows, counted=True)


def _left_out(catalog: Catalog) -> Table:
    """Count what sources state and the catalog cannot use; each has its reason in its record."""
    columns = (Column("Source"), Column("Used", numeric=True), Column("Left out", numeric=True))
    files: tuple[Benchmarks | Measurements, ...] = (
        *catalog.benchmarks.values(),
        *catalog.measurements.values(),
    )
    rows = tuple(
        Row(
            (
                Link(source.url, source.title) if source.url else source.title,
                NumberCell(len(file.runs), Unit.COUNT),
                NumberCell(len(file.left_out), Unit.COUNT),
            )
        )
        for file in files
        if file.left_out
        for source in file.sources[:1]
    )
    return Table("left-out", "Sources with figures that we cannot use", columns, rows,
                 counted=True)  # fmt: skip


def _private(settings: SiteSettings) -> Table | None:
    """List the records of the private catalog; ``None`` without one."""
    if not settings.private:
        return None
    names = (record.split("/") for record in settings.private_records)
    kinds = {folder: kind for kind, folder in FOLDERS.items()}
    rows = tuple(
        Row((Link(url_of(kinds[folder], id_), id_) if folder in kinds else Code(id_), folder))
        for folder, id_ in names
    )
    columns = (Column("Record"), Column("Kind"))
    return Table("private", "Private records", columns, rows, counted=True)


def _result(inputs: SiteInputs, old: tuple[Stale, ...]) -> dict[str, PlainJson]:
    catalog = inputs.catalog
    return {
        "data_date": inputs.settings.data_date,
        "records": dict(_sizes(catalog)),
        "verdicts": {str(tier): _tiers(inputs)[tier] for tier in FitTier},
        "too_close": _too_close(inputs),
        "models_surveyed": len(inputs.rows),
        "quarantined": len(inputs.records.quarantined),
        "warnings": [
            {
                "path": inputs.settings.origin(one.span.path),
                "line": one.span.line,
                "code": one.code,
                "message": one.message,
            }
            for one in catalog.warnings
        ],
        "stale_days": STALE_DAYS,
        "stale": [
            {"kind": one.kind, "id": one.id, "reviewed": one.reviewed, "days": one.days}
            for one in old
        ],
    }

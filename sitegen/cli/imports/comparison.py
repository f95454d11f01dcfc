"""A log or a benchmark file beside the prediction: the record it would make, compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.kinds import Kind
from sitegen.catalog.load import parse_authored, parse_catalog
from sitegen.cli.exits import CommandError
from sitegen.cli.imports.choice import choice_of, refuse_future_dates
from sitegen.cli.imports.file import opened
from sitegen.cli.imports.options import ImportOptions
from sitegen.cli.imports.steps import imported
from sitegen.cli.questions.choose import usage_error
from sitegen.cli.session import CliSession
from sitegen.fit.fit_engine import FitEngine
from sitegen.importers.measured import ToolRun, UnusableError
from sitegen.importers.names import checkpoints_named, models_named
from sitegen.importers.startup_log import StartupLog, read_log, told
from sitegen.importers.startup_record import record_id, record_text
from sitegen.problems import Problem, ProblemsFound, SourceSpan
from sitegen.published.accuracy.report import compare_run
from sitegen.published.accuracy.speed import SpeedAccuracy, compare_speeds
from sitegen.published.accuracy.values import Result
from sitegen.values import dataclass

LARGEST_LOG_BYTES = 2**26


@dataclass(frozen=True, slots=True)
class Compared:
    """A record that a file makes, and how its figures lie beside the prediction.

    Attributes:
        path: Of the record, from the project root.
        text: Of the record.
        exists: Whether the catalog has it already.
        memory: Figures of a start.
        speed: Figures of a benchmark.
    """

    path: str
    text: str
    exists: bool
    memory: tuple[Result, ...] = ()
    speed: SpeedAccuracy | None = None


def compared(session: CliSession, words: Sequence[str], options: ImportOptions) -> Compared:
    """Read a file, make its record and compare that.

    Raises:
        ProblemsFound: With what is wrong with the file or the record.
        click.UsageError: If something that no file says was not said.
        OSError: If it cannot be read.
    """
    path = Path(words[-1])
    text = _log_text(path) if len(words) == 1 else ""
    runtime = told(text)
    if runtime:
        return _start(session, path, text, runtime, options)
    record, where, exists = imported(session, words, options)
    name = Path(where).stem
    catalog = parse_catalog({**session.read().catalog, where: record})
    alone = replace(catalog, benchmarks={name: catalog.benchmarks[name]})
    return Compared(where, record, exists, speed=compare_speeds(alone))


def _log_text(path: Path) -> str:
    """Read a file as text, where it is small enough for a log; empty for anything else.

    Raises:
        CommandError: If there is no such file.
        ProblemsFound: If it is no regular file.
    """
    try:
        files = list(opened(path))
    except UnusableError as error:
        raise ProblemsFound([_unreadable(path, error)]) from None
    except FileNotFoundError:
        raise CommandError(f"{path}: no such file") from None
    if len(files) > 1 or path.stat().st_size > LARGEST_LOG_BYTES:
        return ""
    return path.read_text(encoding="utf-8", errors="replace")


def _unreadable(path: Path, error: UnusableError) -> Problem:
    span = SourceSpan(path.name, error.line or 1)
    return Problem(span, "import-unreadable", str(error), error.hint)


def _start(
    session: CliSession, path: Path, text: str, runtime: str, options: ImportOptions
) -> Compared:
    """Compare the log of a start."""
    files = session.read().catalog
    refuse_future_dates(options, files)
    records, catalog = parse_authored(files)
    try:
        log = read_log(text.splitlines(), runtime)
    except UnusableError as error:
        raise ProblemsFound([_unreadable(path, error)]) from None
    given = _with_names(log, options, catalog)
    named = ToolRun(line=1, model=log.model, runtime=runtime)
    choice = choice_of(given, records, catalog, [named])
    if not (choice.said.date or choice.said.read):
        raise usage_error("--date", "a log has no date: say when it started")
    _require_kin(choice.runtime, runtime, catalog)
    record = record_text(log, choice, text)
    name = record_id(choice, text)
    where = f"{session.folder}/{Kind.MEASUREMENT.folder}/{name}.yaml"
    whole = parse_catalog({**files, where: record})
    (run,) = whole.measurements[name].runs
    results = tuple(compare_run(FitEngine(whole), name, run))
    return Compared(where, record, files.get(where) == record, memory=results)


def _with_names(log: StartupLog, options: ImportOptions, catalog: Catalog) -> ImportOptions:
    """Take model, checkpoint and runtime from the log, where it names one of the catalog's."""
    model, checkpoint = options.model, options.checkpoint
    if not model and log.model:
        found = models_named(log.model, catalog)
        model = found[0] if len(found) == 1 else ""
    if model in catalog.models and not checkpoint and not options.quantization and log.model:
        listed = checkpoints_named(log.model, model, catalog)
        checkpoint = listed[0] if len(listed) == 1 else ""
    runtime = options.runtime or log.runtime
    gpus = options.gpus or (log.gpus or None if log.runtime == "llama-cpp" else None)
    return replace(options, model=model, checkpoint=checkpoint, runtime=runtime, gpus=gpus)


def _require_kin(runtime: str, logged: str, catalog: Catalog) -> None:
    """Refuse a runtime that does not log like that.

    Raises:
        click.UsageError: With the runtime whose log it is.
    """
    said, own = catalog.runtimes[runtime], catalog.runtimes[logged]
    if said.memory_model is not own.memory_model:
        raise usage_error("--runtime", f"the log comes from {own.name}, not from {said.name}")

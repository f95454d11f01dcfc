"""The steps of an import: read the files, judge the runs, ask, write the record, judge that."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from pathlib import Path

from sitegen.catalog.file_names import catalog_path
from sitegen.catalog.kinds import Kind
from sitegen.catalog.load import parse_authored, parse_catalog
from sitegen.cli.exits import CommandError
from sitegen.cli.imports.choice import choice_of, contradicted, refuse_future_dates
from sitegen.cli.imports.file import HashedStream, Opened, opened
from sitegen.cli.imports.options import ImportOptions
from sitegen.cli.imports.reading import LOOK, values_in
from sitegen.cli.questions.choose import usage_error
from sitegen.cli.session import CATALOG, CliSession
from sitegen.cli.text.problem_formats import full
from sitegen.importers import ALSO, FORMATS, chosen
from sitegen.importers.evidence import Contradiction
from sitegen.importers.format import Format, Value
from sitegen.importers.latency import merged
from sitegen.importers.measured import ToolRun, UnusableError
from sitegen.importers.quality import doubts, implausible, refusals
from sitegen.importers.record import record_id, record_text
from sitegen.problems import Problem, ProblemsFound, Severity, SourceSpan
from sitegen.values import dataclass

MOST_RUNS = 500
"""Runs of one record: more is a file of many benchmarks."""


@dataclass(slots=True)
class _ImportFindings:
    """The runs that the files hold."""

    format: Format | None = None
    files: list[tuple[str, str, tuple[ToolRun, ...]]] = field(default_factory=list)
    """Hash, name for messages, and runs of each."""
    skipped: list[str] = field(default_factory=list)

    @property
    def hashes(self) -> list[str]:
        """Of all files, in the order in which their runs are numbered: whatever order they came."""
        return sorted(hash_ for hash_, _, _ in self.files)

    @property
    def runs(self) -> list[tuple[str, ToolRun]]:
        """All runs, each with the name of its file."""
        return [(name, run) for _, name, runs in sorted(self.files, key=_hash) for run in runs]


def _hash(file: tuple[str, str, tuple[ToolRun, ...]]) -> str:
    return file[0]


def imported(
    session: CliSession, words: Sequence[str], options: ImportOptions
) -> tuple[str, str, bool]:
    """Make the record of some files.

    Returns:
        Its text, its path from the project root, and whether it is there already.

    Raises:
        ProblemsFound: With what is wrong with the files, the runs or the record.
        click.UsageError: If something that only the editor knows was not said.
        CommandError: If another record holds the same files.
    """
    asked, paths = _split(words)
    project = session.read().catalog
    refuse_future_dates(options, project)
    records, catalog = parse_authored(project)
    findings = _read(asked, paths)
    for name in findings.skipped:
        session.note(f"skipped: {name}")
    runs, left_out = _judged(session, findings, options)
    if not findings.format or not (runs or left_out):
        raise ProblemsFound([_problem(paths[0].name, 0, "it contains no run")])
    choice = choice_of(options, records, catalog, runs)
    against, choice = contradicted(choice, options.despite, catalog, runs)
    if against:
        raise ProblemsFound([_against(paths[0].name, one) for one in against])
    path = f"{session.folder}/{Kind.BENCHMARK.folder}/{record_id(choice, findings.hashes)}.yaml"
    try:
        if options.merge:
            runs = list(merged(runs))
        text = record_text(
            runs,
            left_out,
            choice,
            tool=(findings.format.id, findings.format.name),
            hashes=findings.hashes,
        )
    except UnusableError as error:
        raise ProblemsFound([_of(paths[0].name, error)]) from None
    if project.get(path) == text:
        return text, path, True
    _only_once(project, path, findings.hashes)
    whole = parse_catalog({**project, path: text})
    raised = [
        Problem(SourceSpan(path, *place), "import-implausible", message, hint)
        for place, message, hint in implausible(whole, record_id(choice, findings.hashes), text)
    ]
    if raised:
        raise ProblemsFound(raised)
    return text, path, False


def _split(words: Sequence[str]) -> tuple[str, list[Path]]:
    """Tell the format's word from the files."""
    known = {one.id for one in FORMATS} | set(ALSO)
    asked = words[0] if words[0] in known and len(words) > 1 else ""
    files = [Path(word) for word in words[bool(asked) :]]
    if len(words) > 1 and not asked and not files[0].exists() and "." not in words[0]:
        names = ", ".join(sorted(known))
        raise usage_error("FORMAT", f"{words[0]!r} is not a format", f"known are {names}")
    return asked, files


def _read(asked: str, paths: Sequence[Path]) -> _ImportFindings:
    """Read every file; in an archive, files of no known format are passed over.

    Raises:
        ProblemsFound: With the first thing that makes a file unreadable.
    """
    findings = _ImportFindings()
    for path in paths:
        name = path.name
        try:
            for one in opened(path):
                alone = one.name == path.name
                name = path.name if alone else f"{path.name}/{one.name}"
                _read_one(asked, replace(one, name=name), findings, alone=alone)
        except UnusableError as error:
            raise ProblemsFound([_of(name, error)]) from None
        except FileNotFoundError:
            raise CommandError(f"{path}: no such file") from None
    if len(findings.runs) > MOST_RUNS:
        raise ProblemsFound([_problem(paths[0].name, 0, f"there are more than {MOST_RUNS} runs")])
    return findings


def _read_one(asked: str, one: Opened, findings: _ImportFindings, *, alone: bool) -> None:
    with one.open() as plain, HashedStream(plain, one.limit) as hashed:
        try:
            format_, values = _told(asked, values_in(io.BufferedReader(hashed, LOOK)))
        except UnusableError:
            if alone:
                raise
            findings.skipped.append(one.name)
            return
        if findings.format is not None and findings.format is not format_:
            message = (
                f"it is a file in the format {format_.id}; the others are in {findings.format.id}"
            )
            raise UnusableError(message, hint="import them one by one")
        findings.format = format_
        runs = []
        for run in format_.read(values):
            runs.append(run)
            if len(runs) > MOST_RUNS:
                raise UnusableError(f"there are more than {MOST_RUNS} runs", run.line)
        digest = hashed.finished()
        if digest in findings.hashes:
            findings.skipped.append(f"{one.name}, which you gave twice")
        else:
            findings.files.append((digest, one.name, tuple(runs)))


def _told(asked: str, values: Iterator[Value]) -> tuple[Format, Iterator[Value]]:
    """Tell the format by the first value, and put that back."""
    first = next(values, None)
    if first is None:
        raise UnusableError("it contains nothing that sitegen recognises")
    return chosen(first[1], asked), chain((first,), values)


def _judged(
    session: CliSession, findings: _ImportFindings, options: ImportOptions
) -> tuple[list[ToolRun], list[tuple[int, str]]]:
    """Keep the runs that can be used, and say what is wrong with the others.

    Raises:
        ProblemsFound: With every run that cannot be used, unless those are to be listed.
    """
    wrong, doubtful, runs, left_out = [], [], [], []
    for at, (name, run) in enumerate(findings.runs, 1):
        reasons = list(refusals(run))
        doubtful += [_problem(name, run.line, why, Severity.WARNING) for why in doubts(run)]
        if not reasons:
            runs.append(run)
        elif options.leave_out:
            left_out.append((at, "; ".join(reasons)))
        else:
            wrong += [_problem(name, run.line, why) for why in reasons]
    if options.strict:
        wrong += [replace(one, severity=Severity.ERROR) for one in doubtful]
    if wrong:
        raise ProblemsFound(wrong)
    if doubtful:
        session.note(full(tuple(doubtful)).rstrip("\n"))
    return runs, left_out


def _problem(
    name: str, line: int, message: str, severity: Severity = Severity.ERROR, hint: str = ""
) -> Problem:
    return Problem(SourceSpan(name, line or 1), "import-refused", message, hint, "", severity)


def _against(name: str, contradiction: Contradiction) -> Problem:
    hint = f"check {contradiction.option}; if the file is wrong: --despite {contradiction.kind}"
    return Problem(SourceSpan(name, 1), "import-contradicts", contradiction.message, hint)


def _of(name: str, error: UnusableError) -> Problem:
    span = SourceSpan(name, error.line or 1)
    return Problem(span, "import-unreadable", str(error), error.hint)


def _only_once(files: Mapping[str, str], path: str, hashes: Sequence[str]) -> None:
    """Refuse to write files of one run into a second record.

    Raises:
        CommandError: With the record that holds them.
    """
    if path in files:
        raise CommandError(f"{path} already holds these files with other details: remove it first")
    for other, text in files.items():
        if catalog_path(other).startswith(f"{CATALOG}/{Kind.BENCHMARK.folder}/") and any(
            one in text for one in hashes
        ):
            raise CommandError(f"{other} already holds one of these files: remove it first")

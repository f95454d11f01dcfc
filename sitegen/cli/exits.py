"""From exceptions to exit statuses: what a user can cause never ends in a traceback."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence
from typing import TextIO

import click

from sitegen.cli.text.problem_formats import full
from sitegen.cli.text.terminal import printable
from sitegen.problems import ProblemsFound

CLEAN, PROBLEMS, FAILED, INTERRUPTED = 0, 1, 2, 130


class CommandError(Exception):
    """Something a user can put right: a wrong argument, a folder that is not there."""


def run_safely(command: click.Command, arguments: Sequence[str]) -> int:
    """Run ``command`` and return the exit status, whatever happens in it."""
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a terminal that cannot show a character must not end the run
            reconfigure(errors="backslashreplace")
    said, sys.stderr = sys.stderr, _Said(sys.stderr)
    try:
        result = command.main(list(arguments), prog_name="sitegen", standalone_mode=False)
        sys.stdout.flush()
    except BaseException as error:  # the last place that can say something
        return _status_of(error)
    finally:
        sys.stderr = said
    return result if isinstance(result, int) else CLEAN


def _open_streams() -> None:
    """Let what is written to a closed stream go nowhere, as where a clock or a daemon starts us.

    A file that is opened later must not get the number of a stream: programs that we start would
    write into it.
    """
    while (opened := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(opened, True)
    os.close(opened)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - as long as we live


class _Said:
    """Standard error on which nothing fails: what cannot be said changes no result."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def _status_of(error: BaseException) -> int:
    if isinstance(error, KeyboardInterrupt | click.Abort):
        notes = getattr(error.__cause__ or error, "__notes__", ())  # click wraps an interruption
        print("; ".join(("interrupted", *notes)), file=sys.stderr)
        return INTERRUPTED
    if isinstance(error, BrokenPipeError | SystemExit):  # click turns the one into the other
        _silence(sys.stdout)
        return FAILED
    if isinstance(error, ProblemsFound):
        print(full(error.problems), end="", file=sys.stderr)
        return PROBLEMS
    if isinstance(error, click.ClickException):
        said = io.StringIO()  # it repeats what was typed
        error.show(said)
        print(printable(said.getvalue(), keep_newlines=True), end="", file=sys.stderr)
        return FAILED
    return _failed(error)


def _failed(error: BaseException) -> int:
    from sitegen.output.errors import PublishError

    if isinstance(error, CommandError | PublishError):
        message = str(error)
    elif isinstance(error, OSError):
        where = f": {error.filename}" if error.filename else ""
        message = f"{error.strerror or error}{where}"
    elif isinstance(error, MemoryError):
        message = "out of memory"
    elif isinstance(error, ModuleNotFoundError) and error.name == "fcntl":
        message = "sitegen needs the file locks of Linux or macOS; on Windows, run it in WSL"
    elif isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("sitegen"):
        message = (
            f"the package that holds the module {error.name!r} is not installed; install sitegen "
            "with all it needs (pip install sitegen; in a copy of the project: make site)"
        )
    else:
        message = _reported(error)
    print(f"sitegen: error: {printable(message)}", file=sys.stderr)
    return FAILED


def _reported(error: BaseException) -> str:
    """Keep the traceback in a file and return the one line that names it."""
    import tempfile
    import traceback

    notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
    kind = f"internal error: {type(error).__name__}: {str(error)[:200]}{notes}"
    try:
        handle, path = tempfile.mkstemp(prefix="sitegen-report-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as report:
            report.write("".join(traceback.format_exception(error)))
    except OSError:
        return f"{kind}; sitegen could not write a report"
    return f"{kind}; please report it with {path}"


def _silence(stream: object) -> None:
    """Point standard output at nothing, or Python complains once more while it shuts down."""
    if hasattr(stream, "fileno"):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)

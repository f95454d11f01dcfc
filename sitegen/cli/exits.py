"""From exceptions to exit statuses: what a user can cause never ends in a traceback."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from sitegen.cli.text.problem_formats import full
from sitegen.cli.text.terminal import printable
from sitegen.problems import ProblemsFound

CLEAN, PROBLEMS, FAILED, INTERRUPTED = 0, 1, 2, 130


class CommandError(Exception):
    """Something a user can put right: a wrong argument, a folder that is not there."""


class _Unheard(io.TextIOWrapper):
    """Standard error; what cannot be said does not change what happens."""

    def write(self, text: str, /) -> int:
        """Write, or do without."""
        with contextlib.suppress(OSError):
            return super().write(text)
        return len(text)

    def flush(self) -> None:
        """Flush, or do without."""
        with contextlib.suppress(OSError):
            super().flush()


def usable_streams() -> None:
    """Put something in the place of standard streams that are closed, and bear a full one.

    Daemons close them, and files take their numbers: what is printed would end in a file. Standard
    output stays as strict as it is, because a result that nobody got is no success.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nothing = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - to the end
            setattr(sys, name, nothing)
    if sys.stderr is sys.__stderr__ and isinstance(sys.stderr, io.TextIOWrapper):
        encoding = sys.stderr.encoding
        sys.stderr = _Unheard(sys.stderr.buffer, encoding, "backslashreplace", line_buffering=True)


def run_safely(command: click.Command, arguments: Sequence[str]) -> int:
    """Run ``command`` and return the exit status, whatever happens in it."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a terminal that cannot show a character must not end the run
            reconfigure(errors="backslashreplace")
    try:
        result = command.main(list(arguments), prog_name="sitegen", standalone_mode=False)
        sys.stdout.flush()
    except BaseException as error:  # the last place that can say something
        return _status_of(error)
    return result if isinstance(result, int) else CLEAN


def _status_of(error: BaseException) -> int:
    if isinstance(error, KeyboardInterrupt | click.Abort):
        print("interrupted; nothing was published", file=sys.stderr)
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
        return f"{kind}; no report could be written"
    return f"{kind}; please report it with {path}"


def _silence(stream: object) -> None:
    """Point standard output at nothing, or Python complains once more while it shuts down."""
    if hasattr(stream, "fileno"):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)

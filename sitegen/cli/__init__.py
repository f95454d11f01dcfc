"""The command line: ``sitegen build``, ``check``, ``fit``, ``explain``, ``serve`` and ``new``."""

from __future__ import annotations

import signal
import sys

INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit status, also when interrupted early or late."""
    try:
        from sitegen.cli.exits import run_safely
        from sitegen.cli.group import cli

        status = run_safely(cli, sys.argv[1:] if arguments is None else arguments)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        status = INTERRUPTED
    sys.exit(status)

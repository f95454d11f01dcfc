"""The command line: ``build``, ``check``, ``fit``, ``recipe``, ``diff``, ``serve`` and others."""

from __future__ import annotations

import _thread
import contextlib
import gc
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

INTERRUPTED = 130
MOMENT_S = 0.01
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
"""Looking for plugins reads what every installed package says of itself; sitegen has none."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit status, also when interrupted early or late."""
    sys.unraisablehook = _interrupt_again
    gc.disable()  # while modules load: what they make lives as long as the command
    try:
        from sitegen.cli.exits import run_safely, usable_streams
        from sitegen.cli.group import cli

        gc.enable()
        usable_streams()
        status = run_safely(cli, sys.argv[1:] if arguments is None else arguments)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        status = INTERRUPTED
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)  # the system takes back in no time what would be freed value by value


def _interrupt_again(ignored: UnraisableHookArgs) -> None:
    """Deliver an interrupt once more that fell where no exception can leave, such as a callback.

    A moment later and from another thread: at once it would fall into this function, which no
    exception can leave either.
    """
    if issubclass(ignored.exc_type, KeyboardInterrupt):
        threading.Timer(MOMENT_S, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(ignored)

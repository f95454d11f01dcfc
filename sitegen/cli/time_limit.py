"""A build ends after a while, whatever keeps it busy."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import click

from sitegen.cli.exits import CommandError

F = TypeVar("F", bound=Callable[..., object])
TIME_LIMIT_S = 1_800
"""Seconds that a build may take: many times what the whole catalog needs on a slow machine."""


def time_limit_option() -> Callable[[F], F]:
    """Return the option that says how long a build may take."""
    return click.option(
        "--time-limit",
        type=click.IntRange(1, 86_400),
        default=TIME_LIMIT_S,
        show_default=True,
        metavar="SECONDS",
        help="Stop a build that takes longer, and publish nothing.",
    )


AGAIN_S = 15.0
"""Seconds until work that has not ended is interrupted once more; it cleans up in less than one."""


@contextmanager
def ended_after(seconds: int) -> Iterator[None]:
    """End the work in this block after some time, as an interruption would.

    Raises:
        CommandError: If the work takes longer.
    """
    passed = False

    def end(*_: object) -> None:
        nonlocal passed
        passed = True
        raise KeyboardInterrupt  # and again, if it falls where no exception can leave

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_S)
    try:
        yield
    except KeyboardInterrupt:
        if passed:
            raise CommandError(too_long(seconds)) from None
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def too_long(seconds: int) -> str:
    """Say that a build was ended, and what to do."""
    return (
        f"the build took longer than {seconds} s, so sitegen stopped it and published nothing. "
        "Undo the latest change if the project is small; give a large project more time with "
        "--time-limit"
    )

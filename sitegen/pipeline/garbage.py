"""No garbage is collected of values that live until a command ends."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_KEPT: list[object] = []


def kept(value: object) -> None:
    """Keep a value until the process ends, which frees it faster than Python does."""
    _KEPT.append(value)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Free by reference counts only; searching so many living values costs a third of a build.

    What was made meanwhile is never searched: the first search of it would take seconds.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.freeze()
            gc.enable()

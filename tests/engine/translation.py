"""The kernel as JavaScript, run by the Node that comes with Playwright."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sitegen.engine import kernel
from tests.javascript.running import run_calls


def functions() -> tuple[str, ...]:
    """Names of the kernel's functions, in the order of the file."""
    members = inspect.getmembers(kernel, inspect.isfunction)
    return tuple(name for name, found in members if found.__module__ == kernel.__name__)


def run(calls: Sequence[tuple[str, list[Any]]], folder: Path) -> list[Any]:
    """Evaluate kernel calls in JavaScript."""
    source = {kernel.__name__: inspect.getsource(kernel)}
    return run_calls(source.get, kernel.__name__, calls, folder)

"""The kernel as JavaScript, run by the Node that comes with Playwright."""

from __future__ import annotations

import inspect
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright._impl._driver import compute_driver_executable
from pscript import py2js

from sitegen.engine import kernel

RUNNER = """
const calls = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const table = {%s};
process.stdout.write(JSON.stringify(calls.map(([name, args]) => table[name](...args))));
"""


def functions() -> tuple[str, ...]:
    """Names of the kernel's functions, in the order of the file."""
    members = inspect.getmembers(kernel, inspect.isfunction)
    return tuple(name for name, found in members if found.__module__ == kernel.__name__)


def javascript() -> str:
    """Translate the kernel; its imports are for types alone and are left out.

    Raises:
        pscript.JSError: If a line leaves the subset that can be translated.
    """
    lines = inspect.getsource(kernel).splitlines()
    source = "\n".join(line for line in lines if not line.startswith("from "))
    return str(py2js(source))


def run(calls: Sequence[tuple[str, list[Any]]], folder: Path) -> list[Any]:
    """Evaluate kernel calls in JavaScript."""
    table = ", ".join(f"{name}: {name}" for name in functions())
    script = folder / "kernel.cjs"
    script.write_text(javascript() + RUNNER % table)
    node = compute_driver_executable()[0]
    done = subprocess.run(
        [node, str(script)], input=json.dumps(calls), capture_output=True, text=True, check=True
    )
    results: list[Any] = json.loads(done.stdout)
    return results

"""Runs translated modules in Node."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from playwright._impl._driver import compute_driver_executable

from sitegen.browser.translator import bundle
from sitegen.browser.translator.names import Key, Reader

RUNNER = """
const calls = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const answers = calls.map(([name, given]) => table[name](...given));
process.stdout.write(JSON.stringify(answers, (_, v) => (v instanceof $Set ? [...v] : v)));
"""


def runtime() -> str:
    return files("sitegen.browser.translator").joinpath("runtime.js").read_text("utf-8")


def run_script(script: str, given: object, folder: Path) -> Any:
    """Run a script that reads JSON and writes JSON."""
    path = folder / "script.cjs"
    path.write_text(script, encoding="utf-8")
    done = subprocess.run(
        [compute_driver_executable()[0], str(path)],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def run_calls(
    read: Reader,
    module: str,
    calls: Sequence[tuple[str, list[Any]]],
    folder: Path,
    provided: Mapping[Key, str] | None = None,
) -> list[Any]:
    """Call functions of a module in JavaScript."""
    names = sorted({name for name, _ in calls})
    made = bundle(read, [(module, name) for name in names], provided or {})
    table = ", ".join(f"{name}: {made.names[module, name]}" for name in names)
    script = f'"use strict";\n{runtime()}\n{made.script}\nconst table = {{{table}}};\n{RUNNER}'
    found: list[Any] = run_script(script, calls, folder)
    return found

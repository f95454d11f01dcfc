"""A small project made of real records, in a folder of its own."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from sitegen.cli.exits import run_safely
from sitegen.cli.group import cli
from tests.catalog.sample import NAME_MAP as SAMPLE_NAMES

REPOSITORY = Path(__file__).resolve().parents[2]
NAME_MAP = SAMPLE_NAMES.replace(": llama-3.1-8b\n", ": llama-3.1-8b-instruct\n")
WHOLE = ("interconnects", "quantizations", "runtimes", "assumptions")
CHOSEN = {
    "gpus": ("rtx-3090", "rtx-4090", "dgx-spark"),
    "combos": ("2x-rtx-3090-nvlink", "2x-rtx-4090"),
    "models": ("qwen3-8b", "llama-3.1-8b-instruct"),
    "boards": ("scicode",),
}


def small_project(folder: Path) -> Path:
    """Copy what the two combos and two models need, and the templates; no guides."""
    for kind in WHOLE:
        shutil.copytree(REPOSITORY / "catalog" / kind, folder / "catalog" / kind)
    for kind, ids in CHOSEN.items():
        (folder / "catalog" / kind).mkdir()
        for name in ids:
            source = REPOSITORY / "catalog" / kind / f"{name}.yaml"
            shutil.copy(source, folder / "catalog" / kind)
    (folder / "catalog" / "names").mkdir()
    (folder / "catalog" / "names" / "somebody.yaml").write_text(NAME_MAP, encoding="utf-8")
    (folder / "content").mkdir()
    shutil.copy(REPOSITORY / "content" / "site.yaml", folder / "content")
    shutil.copytree(REPOSITORY / "templates", folder / "templates")
    return folder


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command did."""

    status: int
    out: str
    err: str


def run(*arguments: str | Path) -> Ran:
    """Run the command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = run_safely(cli, [str(argument) for argument in arguments])
    return Ran(status, out.getvalue(), err.getvalue())


def run_process(*arguments: str | Path, **environment: str) -> Ran:
    """Run the command line in a process of its own, both outputs piped."""
    command = [sys.executable, "-m", "sitegen", *(str(argument) for argument in arguments)]
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), **environment},
        stdin=subprocess.DEVNULL,
        timeout=120,
    )
    decoded = (text.decode("utf-8", "surrogateescape") for text in (done.stdout, done.stderr))
    return Ran(done.returncode, *decoded)

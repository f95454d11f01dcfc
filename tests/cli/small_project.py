"""A small project made of real records, in a folder of its own."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sitegen.cli.exits import run_safely
from sitegen.cli.group import cli
from sitegen.inputs import read_project
from sitegen.pipeline.building import build
from sitegen.pipeline.memory import Past
from sitegen.pipeline.recall import program_of
from sitegen.store import FOLDER, code_digest, open_store
from tests.catalog.sample import NAME_MAP as SAMPLE_NAMES
from tests.made_once import made_once

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
    """Copy what the two combos and two models need, and the templates; no guides.

    The store holds what is made of the program alone, so that processes need not make it again.
    """
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
    remember_program(folder)
    return folder


def remember_program(folder: Path) -> None:
    """Put what is made of the program alone into the store of a project."""
    store = open_store(folder / FOLDER)
    assert store is not None
    program_of(Past(store, digest_of_code()))


digest_of_code = cache(code_digest)


def remembered_project(folder: Path) -> Path:
    """Make the small project with a store that has what a build of it made, by this very program.

    For those who build to ask something else: nothing is judged or written but what they change.
    The index of texts is not in it.
    """
    small_project(folder)
    for name, content in made_before().items():
        path = folder / FOLDER / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return folder


@cache
def made_before() -> Mapping[str, bytes]:
    """Read the files of the store of a small project that was built."""
    return made_once("the store of the small project", _stored)


def _stored() -> Mapping[str, bytes]:
    with TemporaryDirectory() as name:
        root = small_project(Path(name))
        store = open_store(root / FOLDER)
        assert store is not None
        build(read_project(root), past=Past(store, digest_of_code()))
        files = [path for path in (root / FOLDER).rglob("*") if path.is_file()]
        return {str(path.relative_to(root / FOLDER)): path.read_bytes() for path in files}


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

"""A build touches nothing: no disk, no network, no clock, no chance, no other process."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.cli.small_project import REPOSITORY, small_project

EDGES = ("cli", "serve", "pipeline", "browser", "inputs", "output", "store", "__main__")
ATLAS_EDGES = {f"sitegen/atlas/{name}.py" for name in ("folder", "local_workers", "run")}
WORLD = {
    "os", "pathlib", "time", "random", "secrets", "uuid", "subprocess", "socket", "tempfile",
    "shutil", "urllib.request", "http.client", "getpass", "platform", "locale", "threading",
}  # fmt: skip
CLOCKS = {"now", "today", "utcnow", "time", "monotonic", "perf_counter"}
AUDITED = """
import sys
from pathlib import Path
import sitegen
from sitegen.pipeline.building import build
from sitegen.inputs import read_project
project = read_project(Path(sys.argv[1]))
first = build(project).files
touched = []
OWN_CODE = str(Path(sitegen.__file__).parent)
WATCHED = ("open", "socket.", "subprocess.", "os.", "shutil.", "tempfile.", "urllib.", "time.")
def hook(event, arguments):
    if event.startswith(WATCHED) and not str(arguments[:1]).startswith(f"('{OWN_CODE}"):
        touched.append((event, arguments))
sys.addaudithook(hook)
second = build(project).files
assert touched == [], touched[:5]
assert first == second
print(len(first))
"""


def modules() -> list[Path]:
    """Every module below the edges."""
    package = REPOSITORY / "sitegen"
    return [
        path
        for path in sorted(package.rglob("*.py"))
        if path.relative_to(package).parts[0].removesuffix(".py") not in EDGES
        and path.relative_to(REPOSITORY).as_posix() not in ATLAS_EDGES
    ]


def impurities(path: Path) -> Iterator[str]:
    """Yield what a module imports of the world, and where it reads a clock."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in WORLD)
        elif isinstance(node, ast.ImportFrom) and node.module in WORLD:
            yield node.module
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in CLOCKS
        ):
            yield ast.unparse(node)


def test_below_the_edges_nothing_imports_the_world_or_reads_a_clock() -> None:
    found = {path.relative_to(REPOSITORY).as_posix(): [*impurities(path)] for path in modules()}
    assert len(found) > 300
    assert {path: names for path, names in found.items() if names} == {}


def test_a_build_opens_no_file_no_socket_and_no_process(tmp_path: Path) -> None:
    command = [sys.executable, "-c", AUDITED, str(small_project(tmp_path))]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=REPOSITORY)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 10

"""Builds the real catalog twice, as differently as one machine can, and compares every byte.

The second build runs from a copy of the project in another folder, with another hash seed, time
zone, language, umask and number of processes. Both trees must be the same.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INPUTS = ("catalog", "content", "templates")
ONE = {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
OTHER = {"PYTHONHASHSEED": "4711", "TZ": "Pacific/Kiritimati", "LC_ALL": "POSIX"}


def main() -> int:
    """Build both, compare, say how many files agree."""
    with tempfile.TemporaryDirectory() as folder:
        here, there = Path(folder, "a"), Path(folder, "b", "deeper")
        for place in (here, there):
            place.mkdir(parents=True)
            for name in INPUTS:
                shutil.copytree(ROOT / name, place / name)
        with ThreadPoolExecutor() as both:
            first = both.submit(built, here, ONE, 0o022, "1")
            second = both.submit(built, there, OTHER, 0o077, "2")
            one, other = first.result(), second.result()
    differing = sorted(p for p in one.keys() | other.keys() if one.get(p) != other.get(p))
    for path in differing[:20]:
        print(f"differs: {path}")
    print(f"{len(one)} files built twice, {len(differing)} differ")
    return 1 if differing else 0


def built(root: Path, settings: dict[str, str], umask: int, jobs: str) -> dict[str, bytes]:
    """Build ``root`` in a process of its own and read what it wrote."""
    command = [sys.executable, "-m", "sitegen", "--root", str(root), "-q", "build", "--jobs", jobs]
    environment = {**os.environ, **settings, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, check=True, env=environment, umask=umask, cwd=root)
    out = root / "public"
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}


if __name__ == "__main__":
    sys.exit(main())

"""Builds the real catalog twice, as differently as one machine can, and compares every byte.

The second build runs from a copy of the project in another folder, with another hash seed, time
zone, language, umask and number of processes. Both trees must be the same.

What was the same stays the same: with ``--if-changed``, sources and a program that have passed
before in this environment are not built again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INPUTS = ("catalog", "content", "templates")
PROGRAM = ("sitegen", "scripts/reproduce.py", "requirements.lock", "pyproject.toml")
PASSED = Path(".venv", "reproduced")
"""Remembers the last sources and program of which both builds were the same."""
ONE = {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
OTHER = {"PYTHONHASHSEED": "4711", "TZ": "Pacific/Kiritimati", "LC_ALL": "POSIX"}


def main(arguments: list[str]) -> int:
    """Build both, compare, say how many files agree."""
    passed, now = ROOT / PASSED, fingerprint(ROOT)
    if "--if-changed" in arguments and passed.is_file() and passed.read_text("ascii") == now:
        print("built twice before from these very sources: nothing differed")
        return 0
    differing = compared()
    if not differing and passed.parent.is_dir() and fingerprint(ROOT) == now:
        passed.write_text(now, encoding="ascii")
    return 1 if differing else 0


def fingerprint(root: Path) -> str:
    """Tell apart all that a site's bytes come from: sources, program, packages, Python."""
    digest = hashlib.sha256(f"{sys.version}\n{os.uname()}\n".encode())
    for name in (*INPUTS, *PROGRAM):
        place = root / name
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file() and path.suffix != ".pyc":
                content = path.read_bytes()
                at = path.relative_to(root).as_posix()
                digest.update(f"{at}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def compared() -> list[str]:
    """Build both, and list the files that differ."""
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
    return differing


def built(root: Path, settings: dict[str, str], umask: int, jobs: str) -> dict[str, bytes]:
    """Build ``root`` in a process of its own and read what it wrote."""
    command = [sys.executable, "-m", "sitegen", "--root", str(root), "-q", "build", "--jobs", jobs]
    environment = {**os.environ, **settings, "PYTHONPATH": str(ROOT), "SITEGEN_CACHE": ""}
    subprocess.run(command, check=True, env=environment, umask=umask, cwd=root)
    out = root / "public"
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

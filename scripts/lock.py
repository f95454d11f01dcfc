"""Writes the lock files: resolves pyproject.toml in a fresh environment and pins what came out.

Runs with the system's Python; uses whatever package index pip is configured for, and records names
and versions only.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUN_HEADER = "# What sitegen runs with, pinned by `make lock`: names and versions, no addresses.\n"
TEST_HEADER = (
    "# What the checks need beside requirements.lock, pinned by `make lock`.\n"
    "-r requirements.lock\n"
)


def main() -> int:
    """Resolve twice (run, then test on top) and write both files."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    run = [*settings["build-system"]["requires"], *settings["project"]["dependencies"]]
    test = settings["project"]["optional-dependencies"]["test"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = str(Path(folder, "bin", "python"))
        needed = pinned(python, run)
        extra = pinned(python, test) - needed
    (ROOT / "requirements.lock").write_text(RUN_HEADER + listed(needed), encoding="utf-8")
    (ROOT / "requirements-test.lock").write_text(TEST_HEADER + listed(extra), encoding="utf-8")
    return 0


def pinned(python: str, packages: list[str]) -> frozenset[str]:
    """Install ``packages`` and return every ``name==version`` that is there afterwards."""
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--no-input"]
    subprocess.run([*pip, "install", "-qq", *packages], check=True)
    frozen = subprocess.run([*pip, "freeze", "--all"], check=True, capture_output=True, text=True)
    return frozenset(line for line in frozen.stdout.splitlines() if not line.startswith("pip=="))


def listed(pins: frozenset[str]) -> str:
    """One pin per line, in the order a reader looks for them."""
    return "".join(f"{pin}\n" for pin in sorted(pins, key=str.lower))


if __name__ == "__main__":
    sys.exit(main())

"""Writes the lock files: resolves pyproject.toml in a fresh environment and pins what came out.

Runs with the system's Python; uses whatever package index pip is configured for, and records names,
versions and hashes only, with the list of materials (SBOM) that follows from them. ``lock.py
hashes`` leaves the versions as they are pinned.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import sbom

ROOT = Path(__file__).resolve().parent.parent
RUN_HEADER = (
    "# What sitegen runs with, pinned by `make lock`: names, versions and hashes, no addresses.\n"
)
TEST_HEADER = (
    "# What the checks need beside requirements.lock, pinned by `make lock`.\n"
    "-r requirements.lock\n"
)


LOCKS = ("requirements.lock", "requirements-test.lock")


def main(arguments: list[str]) -> int:
    """Resolve twice (run, then test on top) and write both files, and the list of materials."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    run = [*settings["build-system"]["requires"], *settings["project"]["dependencies"]]
    test = settings["project"]["optional-dependencies"]["test"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = str(Path(folder, "bin", "python"))
        if arguments == ["hashes"]:
            needed, extra = (frozenset(sbom.pins(ROOT / name)) for name in LOCKS)
        else:
            needed = pinned(python, run)
            extra = pinned(python, test) - needed
        hashes = hashes_of(python, needed | extra)
    for name, header, pins in zip(LOCKS, (RUN_HEADER, TEST_HEADER), (needed, extra), strict=True):
        (ROOT / name).write_text(header + listed(pins, hashes), encoding="utf-8")
    sbom.write(ROOT)
    return 0


def pinned(python: str, packages: list[str]) -> frozenset[str]:
    """Install ``packages`` and return every ``name==version`` that is there afterwards."""
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--no-input"]
    subprocess.run([*pip, "install", "-qq", *packages], check=True)
    frozen = subprocess.run([*pip, "freeze", "--all"], check=True, capture_output=True, text=True)
    return frozenset(line for line in frozen.stdout.splitlines() if not line.startswith("pip=="))


def hashes_of(python: str, pins: frozenset[str]) -> dict[str, list[str]]:
    """Return the hashes of every file of each release, for any Python and system."""
    asking = [python, str(ROOT / "scripts" / "release_hashes.py")]
    answer = subprocess.run(
        asking, input="\n".join(pins), check=True, stdout=subprocess.PIPE, text=True
    )
    found: dict[str, list[str]] = json.loads(answer.stdout)
    return found


def listed(pins: frozenset[str], hashes: dict[str, list[str]]) -> str:
    """Each pin with its hashes below it, in the order a reader looks for them."""
    return "".join(
        " \\\n    ".join([pin, *(f"--hash=sha256:{one}" for one in hashes[pin])]) + "\n"
        for pin in sorted(pins, key=str.lower)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Makes the virtual environment from the lock files, and leaves it alone while they are the same.

Runs with the system's Python and the standard library only: ``environment.py [test]``. The
environment is made of this Python, or of another build of the same version on the path that is
much faster: one compiled without optimization by profile takes up to half as long again for
everything. With ``PYTHON`` set (``make site PYTHON=…``) it is made of this one, whatever its speed.
"""

from __future__ import annotations

import hashlib
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv"
PYTHON = FOLDER / "bin" / "python"
LOCKS = {"run": ("requirements.lock",), "test": ("requirements.lock", "requirements-test.lock")}
MUCH_FASTER = 0.8
"""Share of this Python's time that another may take at most, to be worth taking."""
TRIAL = """
import sys, time
import ensurepip, venv

def trial():
    started, held = time.process_time(), {}
    for at in range(30_000):
        held[at % 100] = (at, at * 2.5)
        at -= max(held[at % 100][0], len([one for one in (1, 2, 3)]))
    return time.process_time() - started

print("%d.%d" % sys.version_info[:2], min(trial() for _ in range(5)))
"""
"""Prints a Python's version and how many seconds it takes for some work."""
NO_VENV = (
    "This Python cannot make virtual environments.\n"
    "Install the module (Debian, Ubuntu: apt-get install python3-venv) and try again."
)


def main(arguments: list[str]) -> int:
    """Bring the environment up to date; return the exit status."""
    kind = arguments[0] if arguments else "run"
    if sys.version_info < (3, 11):  # noqa: UP036 - any Python may run this file
        print(f"sitegen needs Python 3.11 or newer, this is {sys.version.split()[0]}")
        return 2
    version = started()
    if "PYTHON" in os.environ and version != sys.version:
        version = ""
    if version and is_installed(kind, version):
        return 0
    print(f"Making the environment for '{kind}' (some seconds, once) …", flush=True)
    if not version and not created():
        print(NO_VENV)
        return 2
    install(LOCKS[kind][-1])
    for name in LOCKS:
        stamp(name).unlink(missing_ok=True)
    stamp(kind).write_text(fingerprint(kind, started()), encoding="ascii")
    return 0


def is_installed(kind: str, version: str) -> bool:
    """Whether the last complete installation has all that is wanted; tests' packages are more."""
    stamped = {name: stamp(name).read_text("ascii") for name in LOCKS if stamp(name).is_file()}
    return any(
        stamped.get(name) == fingerprint(name, version) for name in LOCKS if name in {kind, "test"}
    )


def fingerprint(kind: str, version: str) -> str:
    """Everything that decides what is installed: locks, project file, place, Python."""
    digest = hashlib.sha256(f"{FOLDER}\n{version}\n".encode())
    for name in (*LOCKS[kind], "pyproject.toml"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def stamp(kind: str) -> Path:
    """The file that remembers what was installed."""
    return FOLDER / f"installed-{kind}"


def started() -> str:
    """The version of the environment's Python; empty where there is none that starts."""
    if not PYTHON.exists():
        return ""
    question = "import sys, pip; sys.stdout.write(sys.version)"
    answer = subprocess.run([PYTHON, "-c", question], capture_output=True, text=True, check=False)
    return answer.stdout if answer.returncode == 0 else ""


def fastest() -> str:
    """This Python, or the fastest build of the same version on the path if that is much faster."""
    if "PYTHON" in os.environ:
        return sys.executable
    names = ("python3", f"python3.{sys.version_info.minor}")
    folders = os.get_exec_path()
    others = {found for one in folders for name in names if (found := shutil.which(name, path=one))}
    seconds = {other: trial_seconds(other) for other in sorted(others)}
    best = min(seconds, key=lambda one: seconds[one], default=sys.executable)
    limit = MUCH_FASTER * trial_seconds(sys.executable)
    return best if seconds.get(best, math.inf) < limit else sys.executable


def trial_seconds(python: str) -> float:
    """Time of some work in a Python; infinite if it cannot make an environment of this version."""
    trial = [python, "-c", TRIAL]
    answer = subprocess.run(trial, capture_output=True, text=True, check=False)
    version, _, seconds = answer.stdout.strip().partition(" ")
    same = version == f"3.{sys.version_info.minor}"
    return float(seconds) if answer.returncode == 0 and same else math.inf


def created() -> bool:
    """Make the environment; on a bare Debian as root, fetch the missing module first."""
    command = [fastest(), "-m", "venv", "--clear", str(FOLDER)]
    if subprocess.run(command, check=False, capture_output=True).returncode == 0:
        return True
    if shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        module = f"python3.{sys.version_info.minor}-venv"
        for step in (["update"], ["install", "-y", "--no-install-recommends", module]):
            subprocess.run(["apt-get", "-qq", *step], check=False, env=quiet)
    return subprocess.run(command, check=False).returncode == 0


def install(lock: str) -> None:
    """Install the pinned packages, each with a hash of its lock, then the project itself in place.

    pip compiles the modules that it copies; those of a project in place are compiled here.
    """
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "-qq"]
    for what in (
        ["--require-hashes", "-r", lock],
        ["--no-deps", "--no-build-isolation", "-e", "."],
    ):
        done = subprocess.run([*pip, *what], cwd=ROOT, check=False, stdin=subprocess.DEVNULL)
        if done.returncode:
            sys.exit(f"pip could not install {' '.join(what)}; the lines above say why")
    compiling = [str(PYTHON), "-m", "compileall", "-q", "-j", "0", "sitegen"]
    subprocess.run(compiling, cwd=ROOT, check=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Makes the virtual environment from the lock files, and leaves it alone while they are the same.

Runs with the system's Python and the standard library only: ``environment.py [test]``.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv"
PYTHON = FOLDER / "bin" / "python"
LOCKS = {"run": ("requirements.lock",), "test": ("requirements.lock", "requirements-test.lock")}
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
    wanted = {name: fingerprint(name) for name in LOCKS}
    if stamped(kind) == wanted[kind] or (kind == "run" and stamped("test") == wanted["test"]):
        return 0
    print(f"Making the environment for '{kind}' (some seconds, once) …", flush=True)
    if not healthy() and not created():
        print(NO_VENV)
        return 2
    install(LOCKS[kind][-1])
    for name in LOCKS:
        stamp(name).unlink(missing_ok=True)
    stamp(kind).write_text(wanted[kind], encoding="ascii")
    return 0


def fingerprint(kind: str) -> str:
    """Everything that decides what is installed: locks, project file, place, Python."""
    digest = hashlib.sha256(f"{FOLDER}\n{sys.version}\n".encode())
    for name in (*LOCKS[kind], "pyproject.toml"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def stamp(kind: str) -> Path:
    """The file that remembers what was installed."""
    return FOLDER / f"installed-{kind}"


def stamped(kind: str) -> str:
    """The fingerprint of the last complete installation, or nothing."""
    return stamp(kind).read_text(encoding="ascii") if stamp(kind).is_file() else ""


def healthy() -> bool:
    """Whether there is an environment that starts and was made by this very Python."""
    if not PYTHON.exists():
        return False
    question = "import sys, pip; print(sys.version)"
    answer = subprocess.run([PYTHON, "-c", question], capture_output=True, text=True, check=False)
    return answer.returncode == 0 and answer.stdout.strip() == sys.version.strip()


def created() -> bool:
    """Make the environment; on a bare Debian as root, fetch the missing module first."""
    command = [sys.executable, "-m", "venv", "--clear", str(FOLDER)]
    if subprocess.run(command, check=False, capture_output=True).returncode == 0:
        return True
    if shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        module = f"python3.{sys.version_info.minor}-venv"
        for step in (["update"], ["install", "-y", "--no-install-recommends", module]):
            subprocess.run(["apt-get", "-qq", *step], check=False, env=quiet)
    return subprocess.run(command, check=False).returncode == 0


def install(lock: str) -> None:
    """Install the pinned packages, then the project itself in place."""
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "-qq"]
    for what in (["-r", lock], ["--no-deps", "--no-build-isolation", "-e", "."]):
        done = subprocess.run([*pip, *what], cwd=ROOT, check=False, stdin=subprocess.DEVNULL)
        if done.returncode:
            sys.exit(f"pip could not install {' '.join(what)}; the lines above say why")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

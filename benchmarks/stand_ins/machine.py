"""A machine of stand-ins: programs on a path of their own, GPUs as a plan has them, a home."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.stand_ins.program import PROGRAMS

NOTHING: Mapping[str, str] = {}
PROGRAM = Path(__file__).with_name("program.py")
MOMENTS = 10
"""Moments of a second: scripts wait for servers a second at a time, and these answer at once."""
WAIT_S = 30


@dataclass(frozen=True, slots=True)
class Done:
    """What a script did: its status, its words, and what it called."""

    status: int
    said: str
    calls: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine in a folder.

    ``gpus`` are the megabytes that a driver would show of each, largest first.
    """

    folder: Path
    gpus: Sequence[int]
    driver: str = "580.65.06"
    memory_bytes: int = 2**40
    disk_kib: int = 10**12
    repositories: Path | None = None

    def prepare(self) -> None:
        """Put the programs in place."""
        path = self.folder / "bin"
        path.mkdir(parents=True)
        for name in ("home", "state"):
            (self.folder / name).mkdir()
        oneapi = self.folder / "oneapi"
        oneapi.mkdir()
        oneapi.joinpath("setvars.sh").write_text("export SETVARS_COMPLETED=1\n", encoding="utf-8")
        card = self.folder / "sys/class/drm/card0/device"
        card.mkdir(parents=True)
        for kind in ("gtt", "vram"):
            reach = sum(self.gpus) * 2**20 // 2
            card.joinpath(f"mem_info_{kind}_total").write_text(str(reach), encoding="utf-8")
        for at, _ in enumerate(self.gpus):
            device = self.folder / f"sys/class/drm/renderD{128 + at}/device"
            device.mkdir(parents=True)
            device.joinpath("vendor").write_text("0x8086\n", encoding="utf-8")
        for name in PROGRAMS:
            made = path / name
            made.write_text(
                f'#!/bin/bash\nexec "{sys.executable}" -S "{PROGRAM}" "$0" "$@"\n',
                encoding="utf-8",
            )
            made.chmod(0o755)
        pause = f"exec /bin/sleep {1 / MOMENTS}"
        mapped = (
            'case "$1" in /sys/class/drm/*) echo 1099511627776 ;; *) exec /bin/cat "$@" ;; esac'
        )
        for called, text in (("sleep", pause), ("cat", mapped)):
            made = path / called
            made.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            made.chmod(0o755)

    def environment(self, settings: Mapping[str, str]) -> Mapping[str, str]:
        """What a script finds in its environment."""
        found = {
            "gpus": list(self.gpus),
            "driver": self.driver,
            "memory_bytes": self.memory_bytes,
            "disk_kib": self.disk_kib,
        }
        listed = {"STAND_IN_REPOSITORIES": str(self.repositories)} if self.repositories else {}
        return {
            "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin",
            "HOME": str(self.folder / "home"),
            "STAND_IN_STATE": str(self.folder / "state"),
            "STAND_IN_LOG": str(self.folder / "calls"),
            "STAND_IN_MACHINE": json.dumps(found),
            "SYSFS": str(self.folder / "sys"),
            "ONEAPI_ROOT": str(self.folder / "oneapi"),
            "WAIT_S": str(WAIT_S * MOMENTS),
            **listed,
            **settings,
        }

    def run(
        self,
        script: Path,
        *words: str,
        timeout_s: float = 120,
        settings: Mapping[str, str] = NOTHING,
    ) -> Done:
        """Run a script to its end.

        Raises:
            subprocess.TimeoutExpired: If it does not end.
        """
        log = self.folder / "calls"
        with self._alone():
            return self._run(log, script, words, timeout_s, settings)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep machines apart that would listen on the same ports."""
        with Path(tempfile.gettempdir(), "sitegen-stand-ins.lock").open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield

    def _run(
        self,
        log: Path,
        script: Path,
        words: Sequence[str],
        timeout_s: float,
        settings: Mapping[str, str],
    ) -> Done:
        before = log.read_text("utf-8").count("\n") if log.exists() else 0
        done = subprocess.run(
            ["bash", str(script), *words],
            env={**self.environment(settings), "LC_ALL": os.environ.get("LC_ALL", "C.UTF-8")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        lines = log.read_text("utf-8").splitlines()[before:] if log.exists() else []
        calls = tuple(tuple(json.loads(line)) for line in lines)
        return Done(done.returncode, done.stdout + done.stderr, calls)

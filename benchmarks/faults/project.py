"""A small project in a folder of its own, builds of it as processes, and what a site must be."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.output import MANIFEST
from tests.cli.small_project import REPOSITORY, small_project

LIMIT_S = 180
"""No build of a small project takes as long, whatever is wrong with it."""
DOCUMENTED = frozenset({0, 1, 2, 130})
OURS = re.compile(r"Traceback \(most recent call last\)|internal error")
VERSIONS = ("Two RTX 4090 in a workstation", "A pair of RTX 4090 in a workstation")
"""Words of a combo, of which a site shows the one or the other."""
CHANGED = "catalog/combos/2x-rtx-4090.yaml"
NOBODY = 65534


@dataclass(frozen=True, slots=True)
class Outcome:
    """One fault: what was done, and what is wrong afterwards; nothing wrong is survived."""

    name: str
    wrong: str = ""


class NotTried(Exception):  # noqa: N818 - the name says what happened
    """The system does not let a scenario run; the message says what it needs."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended."""

    status: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """All it said."""
        return self.out + self.err


@dataclass(slots=True)
class Place:
    """A project, and where it is published."""

    folder: Path
    chance: Callable[[float, float], float]
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        """The project."""
        return self.folder / "project"

    @property
    def out(self) -> Path:
        """The published folder, with nothing beside it that is not a build's."""
        return self.folder / "www" / "public"

    def made(self) -> Place:
        """Write the project, anew if it is there."""
        import shutil

        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        small_project(self.root)
        return self

    def write(self, path: str, content: str | bytes) -> Path:
        """Put a file into the project."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    def say(self, version: int) -> None:
        """Make the project say one thing or the other."""
        path = self.root / CHANGED
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(VERSIONS[1 - version], VERSIONS[version]), encoding="utf-8")

    def command(self, *words: str | Path) -> list[str]:
        """Return the words that start sitegen on the project."""
        started = [sys.executable, "-m", "sitegen", "--root", str(self.root)]
        return [*started, *map(str, words)]

    def build_words(self) -> list[str]:
        """Return the words that build it into its place."""
        return self.command("build", "--out", self.out, "--jobs", "2")

    def known(self) -> dict[str, str]:
        """Return the environment of every process; no store, so that each build does all."""
        return {
            **os.environ, "PYTHONPATH": str(REPOSITORY), "SITEGEN_CACHE": "", **self.environment,
        }  # fmt: skip

    def start(self, words: Sequence[str], **how: object) -> subprocess.Popen[bytes]:
        """Start a process in a group of its own."""
        asked: dict[str, object] = {
            "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
            "env": self.known(), "process_group": 0, "cwd": self.folder, **how,
        }  # fmt: skip
        return subprocess.Popen(list(words), **asked)  # type: ignore[call-overload,no-any-return]

    def run(self, words: Sequence[str], **how: object) -> Ended:
        """Run a process to its end; one that takes too long is killed with its group."""
        return ended(self.start(words, **how))

    def build(self, **how: object) -> Ended:
        """Build the project into its place."""
        return self.run(self.build_words(), **how)

    def must_build(self) -> None:
        """Build the project without a fault.

        Raises:
            NotBegun: If that fails.
        """
        done = self.build()
        if done.status:
            raise NotBegun(done.said[-300:])


class NotBegun(Exception):  # noqa: N818 - the name says what happened
    """Something failed before the fault; the message says what."""


def ended(process: subprocess.Popen[bytes]) -> Ended:
    """Wait for a process; one that hangs is ended, and its status says so."""
    try:
        out, err = process.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Ended(-signal.SIGALRM, "", f"hung for {LIMIT_S} s")
    return Ended(process.returncode, out.decode(errors="replace"), err.decode(errors="replace"))


def against(done: Ended, *allowed: int) -> str:
    """Say what is wrong with an end: a traceback, a hang, a status that was not meant."""
    if done.status == -signal.SIGALRM:
        return done.err
    if OURS.search(done.said):
        return f"our own error: {done.said.strip()[-300:]}"
    if done.status not in (allowed or DOCUMENTED):
        return f"status {done.status}: {done.said.strip()[-200:]}"
    return ""


def not_whole(out: Path) -> str:
    """Say what is wrong with a published folder, if anything: each file is what its list says."""
    try:
        listed = json.loads((out / MANIFEST).read_bytes())["files"]
    except (OSError, ValueError, KeyError) as error:
        return f"the site has no list of its files: {error}"
    found = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    names = {one["path"] for one in listed}
    if found - {MANIFEST} != names:
        return f"files and list differ in {sorted(found ^ names)[:3]}"
    for one in listed:
        content = (out / one["path"]).read_bytes()
        if hashlib.sha256(content).hexdigest() != one["sha256"]:
            return f"{one['path']} is not what the list says"
    return ""


def version_of(out: Path) -> int:
    """Return which of the two versions a site shows."""
    page = (out / "combos/2x-rtx-4090/index.html").read_text(encoding="utf-8")
    return next(number for number, words in enumerate(VERSIONS) if words in page)


def left_beside(out: Path) -> str:
    """Say what a build has left beside the site."""
    others = sorted(path.name for path in out.parent.iterdir() if path != out)
    return f"left beside the site: {', '.join(others)}" if others else ""


def first_wrong(*findings: str) -> str:
    """Return the first finding that is one."""
    return next((one for one in findings if one), "")


def _running(parent: int | None = None, group: int | None = None) -> list[int]:
    """Return the processes that still run, of a parent or of a process group."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, its_parent, its_group = (
                (folder / "stat").read_text().rpartition(")")[2].split()[:3]
            )
        except OSError:
            continue
        if state != "Z" and (int(its_parent) == parent or int(its_group) == group):
            found.append(int(folder.name))
    return found


def children(pid: int) -> list[int]:
    """Return the processes that a process has started and that still run."""
    return _running(parent=pid)


def orphans(group: int) -> list[int]:
    """Return the processes of a group that are left half a second after its leader has ended."""
    time.sleep(0.5)
    return _running(group=group)


Scenario = Callable[[Place], Iterator[Outcome]]

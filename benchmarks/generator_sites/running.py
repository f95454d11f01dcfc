"""Runs a program to its end, or serves with it, and says what that took."""

from __future__ import annotations

import re
import resource
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

LOOK_S = 0.1
LOOK_AGAIN_S = 0.02
WAIT_S = 600.0
TRIES = 10
REST_S = 2.0
"""After an edit is seen: most of what goes on behind an answer is over then."""


@dataclass(frozen=True)
class Cost:
    """What a run took; ``mib`` is the most that its processes had together."""

    seconds: float
    processor: float
    mib: float


def run(command: Sequence[str], folder: Path) -> Cost:
    """Run a program to its end.

    Raises:
        RuntimeError: If it fails.
    """
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as begun:
        watched = Watched(begun.pid)
        _, said = begun.communicate()
        seconds, mib = time.perf_counter() - began, watched.end()
    if begun.returncode:
        raise RuntimeError(f"{Path(command[0]).name}: {said[-2_000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(seconds, used, mib)


class Watched:
    """Looks now and then how much memory a process and its children have, shared pages once."""

    def __init__(self, pid: int) -> None:
        """Begin to look."""
        self._pid, self._most, self._over = pid, 0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def end(self) -> float:
        """Return the most that was seen, in MiB."""
        self._over.set()
        self._thread.join()
        return self._most / 1024

    def _watch(self) -> None:
        while not self._over.wait(LOOK_S):
            self._most = max(self._most, sum(map(_kib, _family(self._pid))))


def _family(pid: int) -> list[int]:
    """List a process and all that came of it."""
    found = [pid]
    for one in found:
        for path in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found += map(int, path.read_text().split())
            except OSError:
                continue
    return found


def _kib(pid: int) -> int:
    """Return the memory of a process, with its share of pages that others have too."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    found = re.search(r"^Pss: +(\d+)", text, re.MULTILINE)
    return int(found[1]) if found else 0


@contextmanager
def served(command: Sequence[str], folder: Path, page: str) -> Iterator[str]:
    """Serve until a page is there; yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://localhost:{port}{page}"
    with subprocess.Popen(
        [*command, str(port)], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as begun:
        try:
            until(address, "<main")
            yield address
        finally:
            begun.terminate()


def until(address: str, words: str, wait_s: float = WAIT_S) -> None:
    """Ask for a page until it has some words.

    Raises:
        TimeoutError: If it does not come to have them.
    """
    ends = time.monotonic() + wait_s
    while time.monotonic() < ends:
        try:
            with urllib.request.urlopen(address, timeout=WAIT_S) as answer:  # noqa: S310 - our own
                if words in answer.read().decode():
                    return
        except (urllib.error.URLError, ConnectionError):
            pass
        time.sleep(LOOK_AGAIN_S)
    raise TimeoutError(f"{words!r} is not on {address}")


def seconds_of_edits(address: str, edit: Callable[[str], None], count: int) -> list[float]:
    """Write words and ask for the page until it has them, so many times."""
    _noticed(address, edit)
    found = []
    for turn in range(count):
        words = f"EDIT{turn}OF{count}"
        began = time.perf_counter()
        edit(f"{words} ")
        until(address, words)
        found.append(time.perf_counter() - began)
        time.sleep(REST_S)
    return found


def _noticed(address: str, edit: Callable[[str], None]) -> None:
    """Edit until an edit is seen: a server may answer before it watches its files."""
    for turn in range(TRIES):
        edit(f"TRY{turn} ")
        try:
            until(address, f"TRY{turn}", WAIT_S / TRIES)
        except TimeoutError:
            continue
        time.sleep(REST_S)
        return
    raise RuntimeError(f"{address} shows no edit")

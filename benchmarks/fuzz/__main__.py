"""Fuzz for some time, or one case again: ``python -m benchmarks.fuzz [--case KIND:NUMBER]``.

Prints cases, outcomes and the slowest for each kind, and every finding with its name; ``--keep``
writes what was put in. The exit status is 1 if there is a finding.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.fuzz.kinds import KINDS, Bench, Case
from sitegen.store import digest_of

LIMIT_S = 30
"""Seconds of work that a case may take, however busy the machine is; a build takes three."""
SHARE_OF_BUILDS = 0.1


class TooLong(BaseException):
    """A case works too long; no handler of exceptions may keep it."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """End the work in this block after some seconds of computing."""

    def end(*_: object) -> None:
        raise TooLong

    signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def tried(bench: Bench, kind: str, seed: int, number: int) -> tuple[Case, float]:
    """Run one case; what it raises is a finding."""
    dice = random.Random(f"{kind} {seed} {number}")  # noqa: S311 - cases, not secrets
    began = time.process_time()
    try:
        with limited(LIMIT_S):
            case = KINDS[kind][1](bench, dice)
    except TooLong:
        case = Case(b"", "too long", f"worked for more than {LIMIT_S} s")
    except Exception as error:  # whatever it is, it is a finding
        last = traceback.extract_tb(error.__traceback__)[-1]
        case = Case(
            b"", "raised", f"{type(error).__name__}: {error} ({last.filename}:{last.lineno})"
        )
    return case, time.process_time() - began


def order(seconds: float) -> Iterator[tuple[str, int]]:
    """Yield kinds and numbers for some time, builds as their share of the time allows."""
    numbers: Counter[str] = Counter()
    began, building = time.monotonic(), 0.0
    while (now := time.monotonic()) < began + seconds:
        for kind, (times, _) in KINDS.items():
            for _ in range(times):
                numbers[kind] += 1
                yield kind, numbers[kind]
                if time.monotonic() > began + seconds:
                    return
        if building <= SHARE_OF_BUILDS * (now - began):
            numbers["whole build"] += 1
            before = time.monotonic()
            yield "whole build", numbers["whole build"]
            building += time.monotonic() - before


def tree(root: Path) -> str:
    """Name all that is in a folder."""
    files = [path for path in sorted(root.rglob("*")) if path.is_file()]
    return digest_of(*(part for path in files for part in (str(path), path.read_bytes())))


def main() -> int:
    """Fuzz; return 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", help="one case again, as its finding is named")
    parser.add_argument("--keep", type=Path, help="folder for what was put in and did harm")
    asked = parser.parse_args()
    began = time.monotonic()
    cases: Counter[str] = Counter()
    outcomes: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    slowest = dict.fromkeys(KINDS, 0.0)
    found: dict[tuple[str, str], list[str]] = {}
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        root, scratch = Path(folder, "project"), Path(folder, "scratch")
        root.mkdir()
        scratch.mkdir()
        bench = Bench(root, scratch)
        before = tree(root)
        wanted = order(asked.seconds)
        if asked.case:
            kind, _, number = asked.case.rpartition(":")
            wanted = iter([(kind, int(number))])
        for kind, number in wanted:
            case, seconds = tried(bench, kind, asked.seed, number)
            cases[kind] += 1
            outcomes[kind][case.outcome] += 1
            slowest[kind] = max(slowest[kind], seconds)
            if case.wrong:
                known = found.setdefault((kind, case.wrong[-160:]), [])
                known.append(f"{kind}:{number}")
                if asked.keep and len(known) == 1:
                    asked.keep.mkdir(parents=True, exist_ok=True)
                    (asked.keep / f"{kind}-{asked.seed}-{number}").write_bytes(case.given)
            if asked.case:
                print(case.given.decode("utf-8", "backslashreplace"))
        written = tree(root) != before
    print(f"seed {asked.seed}: {cases.total()} cases in {time.monotonic() - began:.0f} s")
    for kind, counted in outcomes.items():
        told = ", ".join(f"{count} {what}" for what, count in sorted(counted.items()))
        print(f"{kind:<14} {cases[kind]:>6}   slowest {slowest[kind]:5.1f} s   {told}")
    for (_, wrong), names in found.items():
        print(f"FOUND {len(names)} × {names[0]}: {wrong}")
    if written:
        print("FOUND: something was written into the project")
    return 1 if found or written else 0


if __name__ == "__main__":
    sys.exit(main())

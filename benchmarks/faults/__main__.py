"""Run all faults, or those whose names hold a word: ``python -m benchmarks.faults [WORD]…``.

Prints for each fault how often it was tried and survived, and what went wrong. The exit status is
1 if anything did. What needs root or ``unshare`` and has neither is said, and counts as not tried.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.faults import inputs, killing, server, targets
from benchmarks.faults.project import NotBegun, NotTried, Outcome, Place, Scenario

SCENARIOS: dict[str, Scenario] = {
    **killing.SCENARIOS, **targets.SCENARIOS, **inputs.SCENARIOS, **server.SCENARIOS,
}  # fmt: skip


def main() -> int:
    """Run the scenarios; return 1 if one of them was not survived."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__)
    parser.add_argument("words", nargs="*", help="only faults with such a word in their name")
    parser.add_argument("--seed", type=int, default=20261123, help="of the moments")
    parser.add_argument("--folder", type=Path, help="where to work; a scratch folder by default")
    asked = parser.parse_args()
    chance = random.Random(asked.seed)  # noqa: S311 - moments, not secrets
    chosen = {
        name: run
        for name, run in SCENARIOS.items()
        if not asked.words or any(word in name for word in asked.words)
    }
    folder = Path(tempfile.mkdtemp(prefix="faults-", dir=asked.folder))
    folder.chmod(0o755)  # a scenario works as another user
    lost, print_line = 0, "{:<36} {:>6} {:>9} {:>8}"
    print(print_line.format("fault", "tried", "survived", "seconds"), flush=True)
    try:
        for name, scenario in chosen.items():
            began = time.monotonic()
            place = Place(folder / "place", chance.uniform).made()
            try:
                outcomes = tuple(scenario(place))
            except NotTried as reason:
                print(f"{name:<36} not tried: {reason}", flush=True)
                continue
            except NotBegun as error:
                outcomes = (Outcome("to begin with", f"could not begin: {error}"),)
            wrong = [one for one in outcomes if one.wrong]
            lost += len(wrong)
            survived, seconds = len(outcomes) - len(wrong), time.monotonic() - began
            print(print_line.format(name, len(outcomes), survived, f"{seconds:.0f}"), flush=True)
            for one in wrong:
                print(f"    {one.name}: {one.wrong}", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if lost else 0


if __name__ == "__main__":
    os.umask(0o022)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))  # and what it has started ends with it
    sys.exit(main())

"""Makes one atlas by one, two and four processes, here and on Ray, and compares every byte.

    python -m benchmarks.atlas_scale FOLDER [--runs local-1,local-2,ray-2,ray-4,ray-2-killed]

In a run named ``killed`` one process of the run is killed by ``SIGKILL`` once the first file is
there. It needs the extra ``ray``. The exit status is 1 where bytes differ.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

RUNS = "local-1,local-2,ray-2,ray-4,ray-2-killed"
ONLY = (
    "gpu=rtx-3090,rtx-4090,rtx-5090,rtx-3060-12gb,rtx-4060-ti-16gb,rtx-5060-ti-16gb,rtx-5070-ti,"
    "rtx-5080,rtx-6000-ada,l40s,a100-80gb-sxm,h100-sxm,mi300x,rx-7900-xtx,rx-9070-xt,arc-b580",
    "model=gpt-oss-20b,qwen3-32b",
    "nodes=1",
    "context=8192,32768",
)


def descendants(pid: int) -> Iterator[tuple[int, str]]:
    """List the processes that a process began, and those that they began, with their names."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(path.parent.name)] = int(fields[1])
    for one in parents:
        at = one
        while at in parents and at != pid:
            at = parents[at]
        if at == pid and one != pid:
            try:
                name = Path(f"/proc/{one}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            yield one, name


def kill_one(begun: subprocess.Popen[str], out: Path, *, ray: bool) -> bool:
    """Kill a process at work once a file is there; false where there was none to kill."""
    while begun.poll() is None:
        if any(out.glob("verdicts/*/*.parquet")):
            wanted = "ray::judge_remotely" if ray else "sitegen atlas"
            for pid, name in descendants(begun.pid):
                if wanted in name:
                    os.kill(pid, signal.SIGKILL)
                    return True
        time.sleep(0.05)
    return False


def run(name: str, folder: Path) -> tuple[str, str]:
    """Make the atlas; return its digest and a row of the table."""
    out = folder / name
    where, number, *how = name.split("-")
    chosen = [word for one in ONLY for word in ("--only", one)]
    command = [sys.executable, "-m", "sitegen", "atlas", str(out), *chosen]
    command += ["--on", where, "--jobs", number]
    began = time.monotonic()
    begun = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    killed = kill_one(begun, out, ray=where == "ray") if how else False
    _, said = begun.communicate()
    seconds = time.monotonic() - began
    if begun.returncode:
        raise SystemExit(said)
    last = said.strip().splitlines()[-1]
    found = re.search(r"([\d,]+) tuples judged in (\d+) s.*\(([\d,]+) a second", last)
    if found is None:
        raise SystemExit(f"{name}: {last}")
    tuples, judging, rate = found.groups()
    made = hashlib.sha256()
    for path in sorted(out.rglob("*.*")):
        if path.is_file() and path.suffix in {".parquet", ".json"}:
            made.update(path.relative_to(out).as_posix().encode() + path.read_bytes())
    words = "one killed" if killed else "none killed"
    row = f"| {name} | {tuples} | {seconds:.0f} | {judging} | {rate} | {words} |"
    return made.hexdigest(), row


def main(words: list[str]) -> int:
    """Make all, print the table, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", default=RUNS)
    given = parser.parse_args(words)
    print("| run | tuples | seconds | of these judging | tuples/s of processor time | workers |")
    print("|---|---:|---:|---:|---:|---|")
    digests = set()
    for name in given.runs.split(","):
        digest, row = run(name, given.folder)
        digests.add(digest)
        print(row, flush=True)
    print("every byte is equal" if len(digests) == 1 else "bytes differ")
    return 0 if len(digests) == 1 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

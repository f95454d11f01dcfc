"""Holds rows of an atlas against ``sitegen fit``, one process of the command line for each.

    python -m benchmarks.atlas_rows FOLDER [--rows 24] [--seed 0]

Rows are drawn at random, as many of each verdict, of one machine and of several. It needs the
extra ``atlas``. The exit status is 1 where a row differs.
"""

from __future__ import annotations

import argparse
import json
import random
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

NONE = (None, None, None)
PLAN = (
    "tensor_parallel_size", "pipeline_parallel_size", "replicas", "cpu_layers", "cpu_expert_layers",
)  # fmt: skip
SHARES = 6
"""Three verdicts, each on one machine and on several."""


def as_stored(value: float | None) -> float | None:
    """Round as a column of 32 bits does."""
    return None if value is None else float(struct.unpack("f", struct.pack("f", value))[0])


def rows_at(folder: Path, count: int, seed: int) -> list[dict[str, Any]]:
    """Draw rows, each with the words that describe its build."""
    import pyarrow.parquet

    options = {
        one["build"]: (one["fit_options"], one["nodes"])
        for one in pyarrow.parquet.read_table(folder / "builds.parquet").to_pylist()
    }
    chance = random.Random(seed)  # noqa: S311 - a sample, no secret
    paths = sorted(folder.glob("verdicts/*/*.parquet"))
    chance.shuffle(paths)
    found: dict[tuple[str, bool], list[dict[str, Any]]] = {}
    for path in paths[: 4 * count]:
        table = pyarrow.parquet.ParquetFile(path).read()
        taken = sorted(chance.sample(range(table.num_rows), min(60, table.num_rows)))
        for row in table.take(taken).to_pylist():
            words, nodes = options[row["build"]]
            found.setdefault((row["tier"], nodes > 1), []).append({**row, "fit_options": words})
    drawn = []
    for key in sorted(found):
        chance.shuffle(found[key])
        drawn += found[key][: -(-count // SHARES)]
    return drawn


def asked(row: dict[str, Any]) -> dict[str, Any]:
    """Ask ``sitegen fit`` the same question."""
    words = [
        *("fit", row["model"], *row["fit_options"].split(), "--runtime", row["runtime"]),
        *("--context", str(row["context_tokens"]), "--sequences", str(row["sequences"]), "--json"),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "sitegen", *words], check=True, capture_output=True, text=True
    )
    return dict(json.loads(done.stdout))


def differences(row: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Name the columns that say something else."""
    plan, speed, limits = found["plan"], found["speed"], found["limits"]
    fit = found["fit"]
    full, speeds = fit["verdict_utilization"] or NONE, speed or {}
    one, first = speeds.get("single_tokens_per_s") or NONE, speeds.get("first_token_s") or NONE
    said: dict[str, Any] = {
        "tier": fit["tier"],
        "too_close": fit["too_close_to_call"],
        "checkpoint": found["checkpoint"],
        "weights_bytes": found["weights_bytes"],
        "shortage_bytes": fit["shortage_bytes"],
        "reasons": "+".join(reason["code"] for reason in fit["reasons"]),
        "max_context_tokens": limits and limits["max_context_tokens"],
        "all_tokens_per_s_mid": as_stored((speeds.get("aggregate_tokens_per_s") or NONE)[1]),
        "first_token_s_mid": as_stored(first[1]),
    }
    for name in PLAN:
        said[name] = plan and plan[name]
    for at, end in enumerate(("low", "mid", "high")):
        said[f"utilization_{end}"] = as_stored(full[at])
        said[f"one_tokens_per_s_{end}"] = as_stored(one[at])
    held = limits and limits["sequences_at"].get(str(row["context_tokens"]))
    if held is not None:
        said["users"] = held * (plan["replicas"] if plan else 0)
    wrong = {name: value for name, value in said.items() if row[name] != value}
    return [f"{name}: {row[name]} and {value}" for name, value in wrong.items()]


def main(words: list[str]) -> int:
    """Compare, and say what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(words)
    wrong, compared = 0, 0
    for row in rows_at(given.folder, given.rows, given.seed):
        found = differences(row, asked(row))
        named = f"{row['model']} {row['runtime']} {row['build']} {row['context_tokens']}"
        print(f"{'differs' if found else 'equal'}: {named} × {row['sequences']}: {row['tier']}")
        for line in found:
            print(f"  {line}")
        wrong, compared = wrong + bool(found), compared + 1
    print(f"{compared - wrong} of {compared} rows are equal")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

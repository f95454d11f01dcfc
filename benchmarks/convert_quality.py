"""Write `catalog/losses/` from a collection of published figures.

Run as ``python -m benchmarks.convert_quality COLLECTION``, the folder that holds
``quantization-loss.jsonl``. Files that were written by hand carry no line that this script wrote
them, and stay.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from benchmarks.quality.losses import loss_files

BODY = "# Written by benchmarks/convert_quality.py: change that, not this.\n"


def main(folder: str) -> None:
    """Convert the whole collection."""
    lines = Path(folder, "quantization-loss.jsonl").read_text(encoding="utf-8").splitlines()
    write(Path("catalog/losses"), loss_files([json.loads(line) for line in lines]))


def write(target: Path, files: Iterable[tuple[str, str]]) -> None:
    """Put files of a kind in place of those that this script wrote before."""
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob("*.yaml"):
        if BODY in old.read_text(encoding="utf-8"):
            old.unlink()
    for name, text in files:
        modeline, _, rest = text.partition("\n")
        Path(target, f"{name}.yaml").write_text(f"{modeline}\n{BODY}{rest}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])

"""Write losses, boards, scores and names of `catalog/` from a collection of published figures.

Run as ``python -m benchmarks.convert_quality COLLECTION``, the folder that holds
``quantization-loss.jsonl`` and ``quality-scores.jsonl.gz``. What was reviewed after the collection
was made, names and scores that it lacks, comes from ``benchmarks/quality/*.yaml``. Files that were
written by hand carry no line that this script wrote them, and stay.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable
from pathlib import Path

from benchmarks.quality.losses import loss_files
from benchmarks.quality.review import added, review
from benchmarks.quality.scores import NAME_MAPS, board_files, name_files, score_files, usable

BODY = "# Written by benchmarks/convert_quality.py: change that, not this.\n"


def main(folder: str) -> None:
    """Convert the whole collection."""
    lines = Path(folder, "quantization-loss.jsonl").read_text(encoding="utf-8").splitlines()
    write(Path("catalog/losses"), loss_files([json.loads(line) for line in lines]))
    with gzip.open(Path(folder, "quality-scores.jsonl.gz"), "rt", encoding="utf-8") as stream:
        collected = [json.loads(line) for line in stream]
    names = review()
    rows = usable(names.applied([*collected, *added(collected)], NAME_MAPS))
    write(Path("catalog/boards"), board_files(rows))
    write(Path("catalog/scores"), score_files(rows))
    write(Path("catalog/names"), name_files(rows, names))


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

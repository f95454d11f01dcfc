"""Compares the enumerated numbers of the seed pages with the pages themselves.

``tests/engine/vectors/seed-numbers.json`` lists, line by line, every number that four public pages
print, with the claims that cover it or the reason why it states nothing that can be checked. The
pages are not part of the project; given the folder that holds their text, this script lists what
the enumeration lacks::

    python -m benchmarks.seed_numbers FOLDER
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

LISTED = Path(__file__).parents[1] / "tests/engine/vectors/seed-numbers.json"
NAMES = re.compile(
    r"(?i)(?:rtx[- ]?\d+(?: ada)?|dual-4090|\bRTX 3090/4090|[ahv]100|mi300x|qwen2\.5|qwen3-"
    r"|llama[- ]?\d(?:\.\d)?"
    r"|deepseek-[vr]\d|mixtral 8x\d+b|q4_k_m|\bq4\b|fp16|bfloat16|gpt-4|x520-da2|connectx-\d|crs305"
    r"|sx6012|\b6e\b|http://\S+|\d+\.\d+\.\d+\.\d+(?::\d+)?|eth\d|p50|p95|p99|hdr|fdr|edr|ndr"
    r"|(?<=[0-9])x22b)"
)
"""Names of products and addresses: their digits are no figures."""
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def numbers(line: str) -> list[str]:
    """Extract the figures of a line, names and addresses left out.

    >>> numbers("| 2x RTX 4090 | TP=2, Q4 | 30–45 |")
    ['2', '2', '30', '45']
    """
    return [found.replace(",", "") for found in NUMBER.findall(NAMES.sub(" ", line))]


def words(line: str) -> str:
    """Return the first words of a line, enough to find it again.

    >>> words("| 2x RTX 4090 | TP=2, Q4 | 30–45 |")
    '| 2x RTX 4090'
    """
    return " ".join(line.split()[:4])


def missing(folder: Path) -> list[str]:
    """List the lines whose numbers are not enumerated, or are enumerated otherwise."""
    rows = {
        (row["seed"], row["line"]): (row["words"], row["numbers"])
        for row in json.loads(LISTED.read_text("utf-8"))["rows"]
    }
    found = []
    for path in sorted(folder.glob("*.txt")):
        seed = path.name[:3]
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            given = (words(line), numbers(line))
            if given[1] and rows.get((seed, number)) != given:
                found.append(f"{seed}:{number}: {given[0]} {given[1]}")
    return found


if __name__ == "__main__":
    lacking = missing(Path(sys.argv[1]))
    print("\n".join(lacking) or "every number is enumerated")
    sys.exit(1 if lacking else 0)

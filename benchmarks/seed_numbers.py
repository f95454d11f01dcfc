"""Compares the enumerated numbers of the seed pages with the pages themselves.

``tests/vectors/seed-numbers.json`` lists, line by line, every number that four public pages
print, with the claims that cover it or the reason why it states nothing that can be checked. The
pages are not part of the project; given the folder that holds their text, this script lists what
the enumeration lacks::

    python -m benchmarks.seed_numbers FOLDER
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

LISTED = Path(__file__).parents[1] / "tests/vectors/seed-numbers.json"
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
    """List the lines whose numbers are not enumerated, or are enumerated otherwise.

    Raises:
        click.ClickException: If the folder holds no page, of which nothing could be lacking.
    """
    pages = sorted(folder.glob("*.txt"))
    if not pages:
        message = f"{folder}: no page (*.txt) to compare with"
        raise click.ClickException(message)
    rows = {
        (row["seed"], row["line"]): (row["words"], row["numbers"])
        for row in json.loads(LISTED.read_text("utf-8"))["rows"]
    }
    found = []
    for path in pages:
        seed = path.name[:3]
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            given = (words(line), numbers(line))
            if given[1] and rows.get((seed, number)) != given:
                found.append(f"{seed}:{number}: {given[0]} {given[1]}")
    return found


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(folder: Path) -> None:
    """Compare the pages in FOLDER with the enumeration."""
    lacking = missing(folder)
    click.echo("\n".join(lacking) or "every number is enumerated")
    raise SystemExit(1 if lacking else 0)


if __name__ == "__main__":
    main()

"""Writes the hashes of every eight consecutive words of the seed pages.

The pages are not part of the project and no sentence of theirs may stand in it. A test compares
the words of ``content/`` and of the combos with these hashes, so that it needs no seed text::

    python -m benchmarks.seed_ngrams FOLDER

The file is the sorted hashes, eight bytes each, one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import click

LENGTH = 8
"""Words that are compared together."""
BYTES = 8
"""Length of a hash: by chance, a million n-grams meet four thousand of them once in 10^9 times."""
WRITTEN = Path(__file__).parents[1] / "tests/site/seed_ngrams.bin"
_WORD = re.compile(r"[a-z0-9]+")


def ngrams(text: str) -> Iterator[tuple[int, bytes]]:
    """Yield, for each eight consecutive words, where they start in the text and their hash.

    Letters and digits alone count; case and punctuation do not.

    >>> [at for at, _ in ngrams("One, two - three four *five* six seven (eight) nine")]
    [0, 5]
    """
    found = list(_WORD.finditer(text.lower()))
    for start in range(len(found) - LENGTH + 1):
        words = " ".join(match.group() for match in found[start : start + LENGTH])
        yield found[start].start(), blake2b(words.encode(), digest_size=BYTES).digest()


def known(stored: bytes) -> frozenset[bytes]:
    """Read the hashes of a file.

    >>> len(known(bytes(16)))
    1
    """
    return frozenset(stored[at : at + BYTES] for at in range(0, len(stored), BYTES))


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(folder: Path) -> None:
    """Write the hashes of the pages in FOLDER."""
    hashes = {
        hashed
        for page in sorted(folder.glob("*.txt"))
        for _, hashed in ngrams(page.read_text("utf-8"))
    }
    WRITTEN.write_bytes(b"".join(sorted(hashes)))
    click.echo(f"{len(hashes)} n-grams of {LENGTH} words")


if __name__ == "__main__":
    main()

"""The version of a page's data: twelve characters that change when what the page says changes.

A version of the whole catalog would change every file of a site with every edit of one record, and
would tell a reader of one file nothing about it (decision 64).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

UNKNOWN = "dataversion0"
"""Stands for the version while a page is written; as long as one, and the same in any notation."""
_TABLES = b'"result":{"tables":[]}'


def with_version(files: Mapping[str, bytes], html: str, *, twin: str) -> dict[str, bytes]:
    """Name the version of a page in all its files.

    It is made of the JSON twin, which has all figures; of the text of a page without figures.

    >>> with_version({"a": b"Data dataversion0"}, "<main>1</main>", twin="index.json")
    {'a': b'Data 0049dc74f107'}
    """
    said = files.get(twin, b"")
    if not said or _TABLES in said:
        start = html.index("<main")
        said = html[start : html.index("</main>", start)].encode()
    version = hashlib.sha256(said).hexdigest()[: len(UNKNOWN)].encode()
    return {path: content.replace(UNKNOWN.encode(), version) for path, content in files.items()}

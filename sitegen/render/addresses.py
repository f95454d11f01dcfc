"""Addresses as pages write them: relative inside the site, checked outside of it."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlsplit


@lru_cache(maxsize=65_536)
def relative(target: str, page_url: str) -> str:
    """Write a site URL relative to a page, so that the site works from any folder.

    Directory URLs end in ``index.html``, because ``file://`` has no directory index.

    >>> relative("/combos/dual/#tier-comfortable", "/models/llama/")
    '../../combos/dual/index.html#tier-comfortable'
    >>> relative("#top", "/models/llama/")
    '#top'
    """
    path, mark, fragment = target.partition("#")
    if not path:
        return target
    if path.endswith("/"):
        path += "index.html"
    here = page_url.split("/")[1:-1]
    there = path.split("/")[1:]
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    steps = [".."] * (len(here) - shared) + there[shared:]
    return "/".join(steps) + mark + fragment


def file_of(url: str) -> str:
    """Return the path of a page's file.

    >>> file_of("/combos/dual/"), file_of("/404.html")
    ('combos/dual/index.html', '404.html')
    """
    return (url + "index.html" if url.endswith("/") else url).lstrip("/")


@lru_cache(maxsize=16_384)
def outside(url: str) -> str | None:
    """Return an address outside the site as it may be written, or ``None`` if it may not.

    Only ``http`` and ``https`` with a host, without user names; a host beyond ASCII is written
    in its ASCII form, so that look-alikes show.
    """
    if any(character.isspace() or ord(character) < 32 for character in url) or len(url) > 2_000:
        return None
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        ascii_host = host.encode("idna").decode("ascii") if host else ""
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not ascii_host or "@" in parts.netloc:
        return None
    return url if ascii_host == host else url.replace(parts.netloc, ascii_host, 1)

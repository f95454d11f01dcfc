"""Prints the SHA-256 of every file of some releases, as the configured package index states them.

Reads ``name==version`` from standard input, one a line, and writes JSON to standard output. pip has
no command for this: it prints hashes of what it downloaded, which is for one Python on one system,
while a lock is for all of them. So this asks pip's own reader of the index, in pip's own
environment, with whatever pip is configured for, and prints hashes only. pip checks them against
each file that it installs.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

from pip._internal.commands import create_command
from pip._internal.index.collector import parse_links
from pip._internal.models.link import Link
from pip._internal.models.wheel import Wheel

PYTHONS = re.compile(r"py3|cp3\d+")
ABIS = re.compile(r"none|abi3|cp3(1[1-9]|[2-9]\d)")
SYSTEMS = re.compile(r"any|(many|musl)linux.*_(x86_64|aarch64)|macosx_.*")


def main() -> int:
    """Answer for every line; 1 if a release has no file with a hash."""
    command: Any = create_command("download")
    options, _ = command.parse_args(["-q"])
    hashes: dict[str, list[str]] = {}
    with command.main_context():
        session = command.get_default_session(options)
        collector = command._build_package_finder(options, session)._link_collector
        for line in sys.stdin.read().split():
            name, _, version = line.partition("==")
            found = {
                digest
                for link in _links(collector, canonical(name))
                if _is_of(link.filename, version) and (digest := (link._hashes or {}).get("sha256"))
            }
            if not found:
                print(f"{line} has no file with a hash in the index", file=sys.stderr)
                return 1
            hashes[line] = sorted(found)
    json.dump(hashes, sys.stdout, indent=1)
    return 0


def canonical(name: str) -> str:
    """Return a package's name as an index writes it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _links(collector: Any, name: str) -> Iterator[Any]:
    """Yield the files of a package on every page of every index."""
    for location in collector.search_scope.get_index_urls_locations(name):
        link = Link(location)
        page = None if link.is_file else collector.fetch_response(link)
        if page is not None:
            yield from parse_links(page)


def _is_of(filename: str, version: str) -> bool:
    """Whether a file is of a version, and of a system and Python that the project runs on."""
    if filename.endswith((".tar.gz", ".zip")):
        return re.search(rf"-{re.escape(version)}\.(tar\.gz|zip)$", filename) is not None
    try:
        wheel: Any = Wheel(filename)
    except Exception:
        return False
    return wheel.version.replace("_", "-") == version and any(
        PYTHONS.fullmatch(tag.interpreter)
        and ABIS.fullmatch(tag.abi)
        and SYSTEMS.fullmatch(tag.platform)
        for tag in wheel.file_tags
    )


if __name__ == "__main__":
    sys.exit(main())

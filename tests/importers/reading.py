"""Read a result file as ``sitegen import`` does, up to the runs."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from sitegen.cli.imports.file import HashedStream
from sitegen.cli.imports.reading import LOOK, values_in
from sitegen.importers import chosen
from sitegen.importers.format import Format, Value
from sitegen.importers.measured import ToolRun

FILES = Path(__file__).parent / "files"


def values(content: bytes) -> Iterator[Value]:
    """What is left of a file."""
    return values_in(io.BufferedReader(HashedStream(io.BytesIO(content)), LOOK))


def told(content: bytes, asked: str = "") -> tuple[Format, list[ToolRun]]:
    """The format of some bytes, and their runs."""
    found = values(content)
    first = next(found)
    format_ = chosen(first[1], asked)
    return format_, list(format_.read(chain((first,), found)))


def runs(name: str) -> list[ToolRun]:
    """The runs of a sample file."""
    return told((FILES / name).read_bytes())[1]


def only(name: str) -> ToolRun:
    """The one run of a sample file."""
    (run,) = runs(name)
    return run


def plain(name: str) -> Any:
    """A sample file as any JSON reader sees it: what a test compares with."""
    import json

    return json.loads((FILES / name).read_text("utf-8"))

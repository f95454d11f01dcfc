"""From an open file to the values that importers know: JSON, YAML, or one of the texts."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import ijson
import yaml
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from sitegen.catalog.text.scalars import ScalarError, plain_value
from sitegen.importers import ELSEWHERE, everything_wanted, llama_bench, mlperf, vllm
from sitegen.importers.format import Value
from sitegen.importers.measured import UnusableError
from sitegen.importers.wanted import Event, JsonPruner, TooLargeError

LONGEST_LINE = 2**16
"""Bytes that are handed on together; a longer line comes in pieces."""
LONGEST_TEXT = 2**20
"""Of one line of a text format."""
DEEPEST = 64
LOOK = 2**16
"""Bytes at the beginning by which a text is told; a stream has to buffer as many."""
MARK = b"\xef\xbb\xbf"

Stream: TypeAlias = "io.BufferedReader[Any]"
Lines: TypeAlias = Iterator[tuple[int, str]]
Reader: TypeAlias = Callable[[Stream], Iterator[Value]]


def values_in(stream: Stream) -> Iterator[Value]:
    """Read the values of a file, cut to what importers want, each with its line.

    Raises:
        UnusableError: If the file is none of the shapes, or is broken: with the line.
    """
    if stream.peek(len(MARK)).startswith(MARK):
        stream.read(len(MARK))
    start = stream.peek(LOOK)[:LOOK].decode("utf-8", "replace").lstrip()
    if start[:1] in ("{", "["):
        yield from _json(stream)
        return
    reader = next((read for sign, read in TEXTS if sign.search(start)), None)
    if reader is None:
        shapes = (
            "JSON, JSONL, GuideLLM's YAML, tables of llama-bench, logs of MLPerf, vLLM's output"
        )
        raise UnusableError(
            "it is in none of the formats that sitegen reads",
            hint=f"they are {shapes}; {ELSEWHERE}",
        )
    yield from reader(stream)


def _json(stream: Stream) -> Iterator[Value]:
    """Read objects one after the other, or the items of a list, never the whole."""
    pruner = JsonPruner(everything_wanted())
    parser = ijson.basic_parse_coro(pruner, use_float=True, multiple_values=True)
    at = begun = 1
    try:
        for piece in iter(lambda: stream.readline(LONGEST_LINE), b""):
            if pruner.between_values:
                begun = at
            parser.send(piece)
            for value in pruner.take():
                yield begun, value
                begun = at
            at += piece.endswith(b"\n")
        parser.close()
    except (ijson.JSONError, UnicodeDecodeError) as error:
        said = error.args[0] if error.args else ""
        text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise UnusableError(_broken(text), at) from None
    except TooLargeError as error:
        raise UnusableError(str(error), at) from None


def _broken(message: str) -> str:
    """Say what is wrong with the JSON in a few words."""
    if re.search(r"NaN|Infinity", message):
        return "it contains NaN or Infinity, which is not a measurement"
    first = message.splitlines()[0] if message else "it is broken"
    if "premature EOF" in first:
        return "the JSON ends too early"
    return f"it is not JSON: {first.removeprefix('lexical error: ').removeprefix('parse error: ')}"


def _yaml(stream: Stream) -> Iterator[Value]:
    """Read a YAML report event by event; keys and items end up where JSON would put them."""
    pruner = JsonPruner(everything_wanted())
    open_nodes: list[str] = []
    try:
        for event in yaml.parse(stream, Loader=yaml.CSafeLoader):
            if isinstance(event, AliasEvent) or getattr(event, "anchor", None):
                raise UnusableError("it has anchors", _line(event), "write the report as JSON")
            sent = _event(event, open_nodes)
            if sent is not None:
                pruner.send(sent)
            if isinstance(event, DocumentEndEvent):
                for value in pruner.take():
                    yield 1, value
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "it is broken"
        raise UnusableError(f"it is not YAML: {problem}", mark.line + 1 if mark else 0) from None
    except TooLargeError as error:
        raise UnusableError(str(error)) from None


KEY, VALUE, ITEM = "key", "value", "item"


def _event(event: object, open_nodes: list[str]) -> Event | None:
    """Turn an event of YAML into one of JSON; ``open_nodes`` tells what each open node awaits."""
    if isinstance(event, MappingEndEvent | SequenceEndEvent):
        open_nodes.pop()
        return ("end_map" if isinstance(event, MappingEndEvent) else "end_array"), None
    if not isinstance(event, MappingStartEvent | SequenceStartEvent | ScalarEvent):
        return None
    awaited = open_nodes[-1] if open_nodes else ITEM
    if awaited == KEY:
        if not isinstance(event, ScalarEvent):
            raise UnusableError("a key is not text", _line(event))
        open_nodes[-1] = VALUE
        return "map_key", event.value
    if awaited == VALUE:
        open_nodes[-1] = KEY
    if isinstance(event, ScalarEvent):
        return "scalar", _scalar(event)
    if len(open_nodes) >= DEEPEST:
        raise UnusableError(f"it is nested more than {DEEPEST} levels deep", _line(event))
    is_map = isinstance(event, MappingStartEvent)
    open_nodes.append(KEY if is_map else ITEM)
    return ("start_map" if is_map else "start_array"), None


def _scalar(event: ScalarEvent) -> Any:
    try:
        return plain_value(event.value) if event.implicit[0] else event.value
    except ScalarError as error:
        raise UnusableError(str(error), _line(event)) from None


def _line(event: object) -> int:
    mark = getattr(event, "start_mark", None)
    return mark.line + 1 if mark else 0


def _texts(stream: Stream) -> Lines:
    """Read lines of a text.

    Raises:
        UnusableError: If a line is too long, or the text not UTF-8.
    """
    for at, line in enumerate(iter(lambda: stream.readline(LONGEST_TEXT), b""), 1):
        if len(line) == LONGEST_TEXT:
            raise UnusableError("a line is longer than 1 MiB", at)
        try:
            yield at, line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise UnusableError(f"it is not UTF-8 (byte {error.start} of the line)", at) from None


def _text(read: Callable[[Iterable[tuple[int, str]]], Iterator[Value]]) -> Reader:
    return lambda stream: read(_texts(stream))


TEXTS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (re.compile(r"\A:::MLLOG"), _text(mlperf.from_detail)),
    (re.compile(rf"\A=+\s+{mlperf.HEADING}"), _text(mlperf.from_summary)),
    (re.compile(r"\A\"?build_commit\"?,"), _text(llama_bench.from_csv)),
    (re.compile(r"\A(CREATE TABLE|INSERT INTO).*llama_bench"), _text(llama_bench.from_sql)),
    (re.compile(r"^\| *model +\|.*\bt/s *\|", re.MULTILINE), _text(llama_bench.from_markdown)),
    (re.compile(rf"Namespace\(|{vllm.HEADING}"), _text(vllm.printed)),
    (re.compile(r"\A(benchmarks|metadata|config|args):", re.MULTILINE), _yaml),
)
"""How the texts begin, and how each is read."""

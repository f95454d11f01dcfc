"""The full-text index: Pagefind's indexer, spoken to over its pipes, without a file in between.

The one process that a build may start beside ``git`` (decision 29): a fixed program without
arguments from outside, an empty environment, pages in and files out. It is handed to ``build`` by
the command line, as the clock is.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from threading import Thread
from typing import IO, Any

FOLDER = "pagefind"
NEEDED = ("pagefind.js", "pagefind-worker.js", "pagefind-entry.json", "wasm.en.pagefind")
"""What the search page loads; Pagefind's own interfaces are left out."""
NEEDED_KINDS = (".pf_meta", ".pf_index", ".pf_fragment")
CHUNK = 1 << 20
LAST = 2**30
"""Number of the request whose answer has the files."""

Indexer = Callable[[Mapping[str, str]], Mapping[str, bytes]]


class SearchIndexError(Exception):
    """The indexer failed; the message says how."""


ENDED = "the indexer ended without an answer"


def installed_indexer() -> Indexer | None:
    """Return Pagefind's indexer, or ``None`` on a machine for which it is not installed."""
    try:
        program = str(import_module("pagefind_bin").get_executable())
    except (ImportError, OSError):
        return None
    return lambda pages: index(pages, program)


def index(pages: Mapping[str, str], program: str) -> dict[str, bytes]:
    """Index pages.

    Args:
        pages: HTML by site URL.
        program: Path of the indexer.

    Returns:
        Bytes by path. The same pages give the same bytes.

    Raises:
        SearchIndexError: If the program cannot be run, or refuses a page.
    """
    try:
        with subprocess.Popen(  # noqa: S603 - a fixed program, no shell, no argument from outside
            [program, "--service"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={}
        ) as process:
            return _asked(process, pages)
    except BrokenPipeError as error:  # it ended while it was being asked
        raise SearchIndexError(ENDED) from error
    except OSError as error:
        raise SearchIndexError(f"{program}: {error.strerror}") from error


def _asked(process: subprocess.Popen[bytes], pages: Mapping[str, str]) -> dict[str, bytes]:
    """Send every request from a thread, so that neither pipe fills while the other waits."""
    if process.stdin is None or process.stdout is None:
        raise SearchIndexError("the indexer has no pipes")
    sender = Thread(target=_send, args=(process.stdin, pages), daemon=True)
    sender.start()
    try:
        for number, answer in _answers(process.stdout):
            if answer["type"] == "Error":
                raise SearchIndexError(str(answer.get("message")))
            if number == LAST:
                return dict(sorted(_files(answer)))
    finally:
        process.kill()
        sender.join()
    raise SearchIndexError(ENDED)


def _send(pipe: IO[bytes], pages: Mapping[str, str]) -> None:
    requests: list[tuple[int, dict[str, Any]]] = [
        (0, {"type": "NewIndex", "config": {"force_language": "en", "keep_index_url": True}}),
        *(
            (at, {"type": "AddFile", "index_id": 0, "url": url, "file_contents": html})
            for at, (url, html) in enumerate(sorted(pages.items()), start=1)
        ),
        (LAST, {"type": "GetFiles", "index_id": 0}),
    ]
    try:
        for number, payload in requests:
            text = json.dumps({"message_id": number, "payload": payload})
            pipe.write(base64.b64encode(text.encode()) + b",")
        pipe.flush()
    except (OSError, ValueError):
        return  # the indexer is gone, which its reader reports


def _answers(pipe: IO[bytes]) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """Yield answers, each ended by a comma, with the number of their request."""
    begun: list[bytes] = []
    while chunk := os.read(pipe.fileno(), CHUNK):
        *ended, rest = chunk.split(b",")
        for piece in ended:
            answer = json.loads(base64.b64decode(b"".join([*begun, piece])))
            begun = []
            yield answer.get("message_id"), answer["payload"]
        begun.append(rest)


def _files(answer: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    for file in answer["files"]:
        path = str(file["path"])
        if path in NEEDED or path.endswith(NEEDED_KINDS):
            yield f"{FOLDER}/{path}", base64.b64decode(file["content"])

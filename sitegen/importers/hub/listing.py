"""A listing of the Hub: JSON lines, one repository each, in the shape of the package llmfit's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from sitegen.importers.measured import UnusableError
from sitegen.values import dataclass

MOST_ROWS = 200_000
LONGEST_LINE = 2**20
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")


@dataclass(frozen=True, slots=True)
class HubListing:
    """What a listing says of one repository, as far as it can be trusted.

    Attributes:
        downloads: As the Hub counted them; None where the listing has no count.
        gguf: Repositories with GGUF files of this release, as the listing's maker found them.
        files: Names of its files, where they were read; empty where not.
        license: Licence id in small letters; empty where unknown.
        gated: Whether downloading asks for an account.
    """

    name: str
    downloads: int | None = None
    gguf: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    license: str = ""
    gated: bool = False


def rows(lines: Iterable[bytes]) -> Iterator[HubListing]:
    """Read a listing line by line.

    Raises:
        UnusableError: At the first line that is no repository: with its number and a way out.
    """
    for at, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if at > MOST_ROWS:
            raise UnusableError(f"there are more than {MOST_ROWS:,} lines", at, "cut the listing")
        if len(line) > LONGEST_LINE:
            raise UnusableError("the line is longer than any entry of a listing", at)
        try:
            found = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            message = str(error).partition(":")[0]
            hint = 'each line is one JSON object: {"name": "owner/name", "hf_downloads": 12}'
            raise UnusableError(f"the line is no JSON: {message}", at, hint) from None
        yield row(found, at)


def row(value: Any, line: int = 0) -> HubListing:
    """Check one entry.

    Raises:
        UnusableError: If a field is of the wrong kind.
    """
    if not isinstance(value, Mapping):
        raise UnusableError("an entry is a JSON object with a name", line)
    gguf = _list(value, "gguf_sources", line)
    return HubListing(
        name=_repository(value.get("name"), "name", line),
        downloads=_count(value, line),
        gguf=tuple(_source(one, line) for one in gguf),
        files=tuple(str(one)[:300] for one in _list(value, "files", line)),
        license=_text(value, "license", line).lower(),
        gated=value.get("gated") not in (None, False, "false", ""),
    )


def _repository(value: Any, key: str, line: int) -> str:
    if not isinstance(value, str) or not _REPOSITORY.fullmatch(value):
        hint = f'give "{key}" as owner/name, letters, digits, ".", "_" and "-"'
        said = "missing" if value is None else "no repository"
        raise UnusableError(f"the {key} is {said}", line, hint)
    return value


def _source(value: Any, line: int) -> str:
    repository = value.get("repo") if isinstance(value, Mapping) else value
    return _repository(repository, "repo", line)


def _list(fields: Mapping[str, Any], key: str, line: int) -> list[Any]:
    value = fields.get(key) or []
    if not isinstance(value, list):
        raise UnusableError(f"{key} is no list", line, f'leave "{key}" out where there are none')
    return value


def _text(fields: Mapping[str, Any], key: str, line: int) -> str:
    value = fields.get(key) or ""
    if not isinstance(value, str):
        raise UnusableError(f"{key} is no text", line, f'leave "{key}" out where it is unknown')
    return value


def _count(fields: Mapping[str, Any], line: int) -> int | None:
    value = fields.get("hf_downloads")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        hint = "give a whole number of downloads, or leave it out"
        raise UnusableError("hf_downloads is no count", line, hint)
    return value

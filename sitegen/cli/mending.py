"""Mending records in place: read, put right, written beside and moved over."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

from sitegen.catalog.file_names import CatalogFile, list_files
from sitegen.catalog.kinds import Kind
from sitegen.catalog.mend import mended
from sitegen.catalog.text.source_text import SourceText
from sitegen.catalog.text.yaml_source import compose
from sitegen.inputs import UnreadFiles, read_project
from sitegen.problems import ProblemsFound

_ENDING = re.compile(r"\.(yml|YAML|YML|Yaml|Yml)$")


def mend_files(root: Path, paths: Set[str]) -> Iterator[tuple[str, str]]:
    """Mend records, those that are named or all; yield what each was and is called.

    Only what is wrong is mended where nothing is named; a file that is named is put in order, too.
    """
    files = _readable(root)
    names = _better_names(root, files)
    listing = list_files({names[path]: text for path, text in files.items()})
    records = {record.source.path: record for record in listing.files}
    renames = _renames(files)
    for path, now in names.items():
        record = records.get(now)
        if record is None or (paths and path not in paths):
            continue
        text = mended(record, listing.ids, renames, tidy=bool(paths))
        if text != files[path]:
            _write(root / path, text)
        if now != path:
            (root / path).rename(root / now)
        if text != files[path] or now != path:
            yield path, now


def _readable(root: Path) -> Mapping[str, str]:
    """Return the text of every record that can be read at all."""
    try:
        return read_project(root).catalog
    except UnreadFiles as unread:
        return unread.project.catalog
    except ProblemsFound:
        return {}


def _better_names(root: Path, files: Mapping[str, str]) -> Mapping[str, str]:
    """Return the name that each file should have: its ending, and small letters, if it is free."""
    names: dict[str, str] = {}
    for path in sorted(files):
        folder, _, name = path.rpartition("/")
        better = f"{folder}/{_ENDING.sub('.yaml', name).lower()}"
        free = better != path and not (
            better in files or better in names.values() or (root / better).exists()
        )
        names[path] = better if free else path
    return names


def _renames(files: Mapping[str, str]) -> Mapping[Kind, Mapping[str, str]]:
    """Return the ids of today by the ids of before, as far as records can be read."""
    found: dict[Kind, dict[str, str]] = {kind: {} for kind in Kind}
    sources = {path: text for path, text in files.items() if "renamed_from:" in text}
    for file in list_files(sources).files:
        for old in _old_ids(file):
            found[file.kind][old] = file.id
    return found


def _old_ids(file: CatalogFile) -> Iterator[str]:
    value, problems = compose(SourceText(file.source.path, file.source.text))
    old = value.get("renamed_from") if isinstance(value, dict) and not problems else None
    yield from (one for one in (old if isinstance(old, list) else ()) if isinstance(one, str))


def _write(path: Path, text: str) -> None:
    """Put a text in the place of a file's own, whole or not at all, with its line ends and mode."""
    before = path.read_bytes()
    content = text.replace("\n", "\r\n") if b"\r\n" in before else text
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".", suffix="~")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode())
        Path(scratch).chmod(path.stat().st_mode & 0o777)
        Path(scratch).replace(path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise

"""Some catalog files without the rest: what the rules say that look at each record alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from sitegen.catalog.authored import Authored, CatalogRecords, PlacedSource, unknown_reference
from sitegen.catalog.checks import problems_of_each
from sitegen.catalog.excuses import without_excused
from sitegen.catalog.file_names import list_files
from sitegen.catalog.kinds import REFERENCES, Kind
from sitegen.catalog.one_record import FREE_KEYS, record_of
from sitegen.catalog.records.parts import Record
from sitegen.catalog.stand_ins import stand_ins
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.yaml_source import compose
from sitegen.problems import Problem

_OTHER_NAMES = FREE_KEYS | {"known_models"}
"""Keys whose contents are named by others, not by records."""


def problems_of_files(files: Mapping[str, str], paths: Collection[str]) -> list[Problem] | None:
    """Return the problems that some files show without the rest of the catalog.

    Nobody knows on which day they are read, and whether an excuse is needed.

    Args:
        files: Text by path of every catalog file; of those not in ``paths`` only the path matters.
        paths: The files to judge.

    Returns:
        Their problems, or nothing where a reference may be broken: whether an id was renamed,
        only the other files say.
    """
    listing = list_files(files)
    found = [problem for problem in listing.problems if problem.span.path in paths]
    sound: list[Authored[Record]] = []
    for file in listing.files:
        if file.source.path not in paths:
            continue
        value, broken = compose(file.source)
        record, problems = record_of(file, value, broken, listing.ids)
        found += (*problems, *stand_ins(file.source))
        if record is None:
            continue
        if any(_ids_not_found(value, record.source, listing.ids)):
            return None
        sound.append(record)
    judged = problems_of_each(_together(sound, listing.ids))
    return found + without_excused(judged, (one.source.text for one in sound), whole=False)


def _together(
    sound: Iterable[Authored[Record]], ids: Mapping[Kind, frozenset[str]]
) -> CatalogRecords:
    """Return a catalog that has no other records."""
    found: dict[str, Any] = {kind.folder: {} for kind in Kind}
    for record in sound:
        found[record.kind.folder][record.id] = record
    return CatalogRecords(**found, ids=ids, today="")


def _ids_not_found(
    value: object, source: PlacedSource, ids: Mapping[Kind, frozenset[str]], path: KeyPath = ()
) -> Iterator[Problem]:
    """Yield a problem for each reference by a known key to an id that no file has."""
    if isinstance(value, dict):
        items = [(key, inner) for key, inner in value.items() if key not in _OTHER_NAMES]
    else:
        items = list(enumerate(value)) if isinstance(value, list) else []
    for key, inner in items:
        at = (*path, key)
        named = next((part for part in reversed(at) if isinstance(part, str)), "")
        if isinstance(inner, str) and named in REFERENCES:
            if inner not in ids[REFERENCES[named].kind]:
                yield unknown_reference(source, at, named, inner, ids)
        elif isinstance(inner, dict | list):
            yield from _ids_not_found(inner, source, ids, at)

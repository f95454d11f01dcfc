"""Rules on sources: every number has one, and its address and date are real."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import TypeGuard
from urllib.parse import urlsplit

from sitegen.catalog.authored import Authored, CatalogRecords, PlacedSource, guess
from sitegen.catalog.records.parts import IntervalRecord, Record, SourceRecord
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.source_text import quoted
from sitegen.problems import Problem

LONGEST_URL = 500
_URL = re.compile(r"https?://[!-~]+")
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?")
_DATE_KEYS = ("released", "launched")


def numbers_have_a_source(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure every number of a GPU or interconnect is carried by one of its sources.

    A source without `fields` carries all where it is the only one. Beside others nobody knows which
    it carries: were it all, a number that none of them has would pass for read.
    """
    for authored in records.hardware:
        sources: tuple[SourceRecord, ...] = getattr(authored.record, "sources", ())
        silent = [index for index, source in enumerate(sources) if not source.fields]
        if silent and len(sources) == 1:
            continue
        carried = {field.partition(".")[0] for source in sources for field in source.fields}
        known = frozenset(type(authored.record).model_fields)
        misspelled = {guess(field, known) for field in carried - known}  # reported there
        bare = [
            key
            for key in sorted(authored.record.model_fields_set - carried)
            if _holds_a_number(getattr(authored.record, key))
            and f"did you mean '{key}'?" not in misspelled
        ]
        for index in silent if bare else ():
            message = "next to other sources, this one must say which keys it supports"
            hint = f"no other supports {', '.join(bare)}: list under `fields` what you read in it"
            yield authored.problem(("sources", index), "no-source", message, hint)
        for key in () if silent else bare:
            message = f"no source supports `{key}`"
            hint = "add it to the `fields` of the source that you read it in"
            yield authored.problem((key,), "no-source", message, hint, at_key=True)


def _holds_a_number(value: object) -> bool:
    if isinstance(value, tuple):
        return any(map(_holds_a_number, value))
    return isinstance(value, int | float | IntervalRecord) and not isinstance(value, bool)


def source_fields_exist(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure the fields that a source carries are keys of the record it stands in."""
    for authored, owner, path, source in sources_of(records):
        known = frozenset(type(owner).model_fields)
        for index, field in enumerate(source.fields):
            if field.partition(".")[0] not in known:
                message = f"{quoted(field)} is not a key of this record"
                hint = guess(field, known)
                place = (*path, "fields", index)
                yield authored.problem(place, "unknown-source-field", message, hint)


def urls_are_safe(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure addresses are plain http or https links: nothing that runs, hides or misleads."""
    for authored, _, path, source in sources_of(records):
        yield from _bad_url(authored, (*path, "url"), source.url)
    for runtime in records.runtimes.values():
        yield from _bad_url(runtime, ("url",), runtime.record.url)
    for board in records.boards.values():
        yield from _bad_url(board, ("url",), board.record.url)


def bad_source(
    placed: PlacedSource, path: KeyPath, source: SourceRecord, today: str
) -> Iterator[Problem]:
    """Yield what is wrong with address and date of a source that no record of the catalog has."""
    yield from _bad_url(placed, (*path, "url"), source.url)
    yield from bad_date(placed, (*path, "read"), source.read, today)


def _bad_url(
    authored: Authored[Record] | PlacedSource, path: KeyPath, url: str
) -> Iterator[Problem]:
    reason, hint = url_fault(url) if url else ("", "")
    if reason:
        yield authored.problem(path, "url", f"the address {reason}", hint)


def url_fault(url: str) -> tuple[str, str]:
    """Return the fault of an address and its remedy; two empty texts when it is in order.

    >>> url_fault("https://example.org/a?b=c#d")
    ('', '')
    >>> url_fault("javascript:alert(1)")[0]
    'does not begin with https:// or http://'
    """
    if len(url) > LONGEST_URL:
        return f"is longer than {LONGEST_URL} characters", "link a page, not a query"
    if not url.startswith(("https://", "http://")):
        return "does not begin with https:// or http://", "write the whole address"
    if not _URL.fullmatch(url) or re.search(r"[\"'<>\\^`{|}]", url):
        return "has spaces or characters that must be encoded", "percent-encode them"
    try:
        host = urlsplit(url).netloc
    except ValueError:
        host = ""
    if "@" in host:
        return "contains a user name", "remove everything up to the @"
    if not _HOST.fullmatch(host.lower()) or ".." in host:
        return "has no valid host", "write the host's name, in punycode if it is not ASCII"
    return "", ""


def dates_are_real(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure dates exist in the calendar, and nothing was read, sold or released after today."""
    for authored, _, path, source in sources_of(records):
        yield from bad_date(authored, (*path, "read"), source.read, records.today)
    for authored in records.all:
        for key in _DATE_KEYS:
            yield from bad_date(
                authored, (key,), getattr(authored.record, key, None), records.today
            )


def bad_date(
    authored: Authored[Record] | PlacedSource, path: KeyPath, given: str | None, today: str
) -> Iterator[Problem]:
    """Yield the problem of a date of something that happened, if there is one.

    A year or a month alone is in the future when all of it is.
    """
    if given is None:
        return
    if not is_date(given):
        yield authored.problem(path, "date", f"there is no {quoted(given)} in the calendar")
    elif today and given > today:
        hint = "give the day on which it happened; leave out what is only announced"
        yield authored.problem(path, "date", f"{given} is in the future", hint)


def bad_dates(
    authored: Authored[Record], date: str | None, key: str, dates: Sequence[str | None], today: str
) -> Iterator[Problem]:
    """Yield the problems of a record's date, and of those of its entries below a key."""
    yield from bad_date(authored, ("date",), date, today)
    for index, given in enumerate(dates):
        yield from bad_date(authored, (key, index, "date"), given, today)


def is_date(text: str) -> bool:
    """Return whether an ISO date, or its year or month alone, is in the calendar.

    >>> is_date("2024-02-29"), is_date("2026-02-30"), is_date("2024")
    (True, False, True)
    """
    try:
        date.fromisoformat(f"{text}-01-01"[:10])
    except ValueError:
        return False
    return True


def sources_of(
    records: CatalogRecords,
) -> Iterator[tuple[Authored[Record], Record, KeyPath, SourceRecord]]:
    """Yield each source with the record it stands in and its key path."""
    for authored in records.all:
        for index, source in enumerate(getattr(authored.record, "sources", ())):
            yield authored, authored.record, ("sources", index), source
        for place, price in enumerate(getattr(authored.record, "prices", ())):
            yield authored, price, ("prices", place, "source"), price.source
    for model in records.models.values():
        for place, checkpoint in enumerate(model.record.checkpoints):
            for index, source in enumerate(checkpoint.sources):
                yield model, checkpoint, ("checkpoints", place, "sources", index), source
    for assumption in records.assumptions.values():
        yield assumption, assumption.record, ("source",), assumption.record.source
    for combo in records.combos.values():
        operations = combo.record.operations
        if operations is not None:
            yield from _inside(combo, operations, ("operations",))
    for runtime in records.runtimes.values():
        yield from _inside(runtime, runtime.record, ())


def _inside(
    authored: Authored[Record], owner: Record, at: KeyPath
) -> Iterator[tuple[Authored[Record], Record, KeyPath, SourceRecord]]:
    """Yield each source of a record's parts, wherever it lies: traits, limits, defects, ..."""
    for key, value in owner.__dict__.items():
        if isinstance(value, SourceRecord):
            yield authored, owner, (*at, key), value
        elif isinstance(value, tuple) and at:  # those of the record itself come first
            for place, item in enumerate(value):
                if isinstance(item, SourceRecord):
                    yield authored, owner, (*at, key, place), item
        for below, part in _parts(value):
            yield from _inside(authored, part, (*at, key, *below))


def _parts(value: object) -> Iterator[tuple[KeyPath, Record]]:
    """Yield the records of a value: itself, or those that it lists or maps to."""
    if _is_part(value):
        yield (), value
    elif isinstance(value, tuple):
        yield from (((at,), item) for at, item in enumerate(value) if _is_part(item))
    elif isinstance(value, Mapping):
        yield from (((key,), item) for key, item in value.items() if _is_part(item))


def _is_part(item: object) -> TypeGuard[Record]:
    return isinstance(item, Record) and not isinstance(item, SourceRecord)

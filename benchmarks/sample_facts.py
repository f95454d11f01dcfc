"""Draw random facts of the catalog, each with the sources that carry it, for a person to check.

Run as ``python -m benchmarks.sample_facts --seed N --count N [--kind KIND ...]``. The same seed and
catalog draw the same facts. A record is drawn first, then one of its keys, then a value inside it:
long lists of checkpoints and configs do not drown the rest, and no fact is drawn twice.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from sitegen.catalog.authored import Authored
from sitegen.catalog.kinds import Kind
from sitegen.catalog.load import read_records
from sitegen.catalog.records.models import CheckpointRecord
from sitegen.catalog.records.parts import IntervalRecord, Record, SourceRecord
from sitegen.inputs import read_project

KINDS = (Kind.GPU, Kind.INTERCONNECT, Kind.COMBO, Kind.MODEL)
"""Kinds whose keys are facts about the world; prose and settings of other kinds are not."""
NO_FACTS = frozenset(
    {
        "sources", "notes", "renamed_from", "summary", "why", "not_for", "failure_modes",
        "operations", "quantization", "publisher",
    }
)  # fmt: skip
"""Keys that hold prose, or that name and sort what stands beside them."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One value of a record: where it stands, what it says, and who says so."""

    record: str
    field: str
    value: str
    sources: tuple[SourceRecord, ...]


@dataclass(frozen=True, slots=True)
class Drawer:
    """A key of a record with the facts inside it."""

    record: str
    facts: tuple[Fact, ...]


def drawers(authored: Authored[Record]) -> Iterator[Drawer]:
    """Yield the keys of a record that its author has written, each with its facts."""
    record, name = authored.record, f"{authored.kind.folder}/{authored.id}"
    for key in sorted(record.model_fields_set - NO_FACTS):
        carried = _carriers(record, key)
        facts = tuple(
            Fact(name, field, value, own or carried)
            for field, value, own in _values(key, getattr(record, key))
        )
        if facts:
            yield Drawer(name, facts)


def _carriers(record: Record, key: str) -> tuple[SourceRecord, ...]:
    """Return the sources that carry a key: those that name it, and those that name none."""
    sources: tuple[SourceRecord, ...] = getattr(record, "sources", ())
    return tuple(
        source
        for source in sources
        if not source.fields or key in {field.partition(".")[0] for field in source.fields}
    )


def _values(field: str, value: object) -> Iterator[tuple[str, str, tuple[SourceRecord, ...]]]:
    """Yield the values inside a value with their key paths, and sources of their own if any."""
    if isinstance(value, IntervalRecord):
        yield field, f"{value.low:g} to {value.high:g}, {value.mid:g} likely", ()
    elif isinstance(value, Record):
        own = value.sources if isinstance(value, CheckpointRecord) else ()
        for key in sorted(value.model_fields_set - NO_FACTS):
            for inner, said, theirs in _values(f"{field}.{key}", getattr(value, key)):
                yield inner, said, theirs or own
    elif isinstance(value, Mapping):
        for key, inside in value.items():
            yield from _values(f"{field}.{key}", inside)
    elif isinstance(value, tuple) and any(isinstance(each, Record) for each in value):
        for each in value:
            label = _label(each)
            yield from _values(f"{field}[{label}]" if label else field, each)
    else:
        yield field, _said(value), ()


def _label(record: object) -> str:
    for key in ("id", "quantization", "gpu"):
        if label := getattr(record, key, None):
            return str(label)
    return ""


def _said(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_said, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def sample(records: Sequence[Authored[Record]], *, seed: int, count: int) -> tuple[Fact, ...]:
    """Draw facts without repetition: a record, one of its keys, a value inside it.

    Args:
        records: What is drawn from, in an order that does not change.
        seed: Of the dice.
        count: How many facts; fewer where the records hold no more.
    """
    dice = random.Random(seed)  # noqa: S311 - a sample for a reader, no secret
    left = {
        (authored.kind, authored.id): [list(drawer.facts) for drawer in drawers(authored)]
        for authored in records
    }
    drawn: list[Fact] = []
    while len(drawn) < count and any(left.values()):
        keys = left[dice.choice([name for name, rest in left.items() if rest])]
        facts = dice.choice(keys)
        drawn.append(facts.pop(dice.randrange(len(facts))))
        if not facts:
            keys.remove(facts)
    return tuple(drawn)


def lines(number: int, fact: Fact) -> Iterator[str]:
    """Yield a fact and its sources as text."""
    yield f"{number}. {fact.record}: {fact.field} = {fact.value}"
    for source in fact.sources:
        yield f"   - {source.title} (read {source.read}){f' {source.url}' if source.url else ''}"
    if not fact.sources:
        yield "   - no source carries it"


@click.command()
@click.option("--seed", type=int, required=True, help="The same seed draws the same facts.")
@click.option("--count", type=click.IntRange(min=1), default=20, help="How many facts to draw.")
@click.option(
    "--kind",
    "kinds",
    type=click.Choice([kind.value for kind in KINDS]),
    multiple=True,
    help="Draw from this kind only; may be repeated.",
)
def main(*, seed: int, count: int, kinds: tuple[str, ...]) -> None:
    """Print random facts of the catalog with their sources."""
    records, _ = read_records(read_project(Path.cwd()).catalog)
    wanted = kinds or [kind.value for kind in KINDS]
    drawn_from = [authored for authored in records.all if authored.kind.value in wanted]
    for number, fact in enumerate(sample(drawn_from, seed=seed, count=count), start=1):
        click.echo("\n".join(lines(number, fact)))


if __name__ == "__main__":
    main()

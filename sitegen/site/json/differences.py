"""What changed between two publications: records that came and went, and verdicts that moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from sitegen.fit.assessment import FitTier
from sitegen.values import dataclass

LISTS = ("combos", "models", "gpus", "interconnects", "quantizations", "runtimes")
"""Lists of the API whose records are named when they come or go."""
Entries: TypeAlias = list[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class VerdictNow:
    """What a publication says of a model on a combo."""

    tier: FitTier
    too_close: bool
    checkpoint: str
    runtime: str
    need_bytes: int | None
    budget_bytes: int | None


@dataclass(frozen=True, slots=True)
class Publication:
    """What is compared of a site: ids by list, verdicts by combo and model."""

    data_version: str
    ids: Mapping[str, frozenset[str]]
    verdicts: Mapping[tuple[str, str], VerdictNow]


@dataclass(frozen=True, slots=True)
class Change:
    """A row of both publications whose verdict is not the same."""

    combo: str
    model: str
    before: VerdictNow
    after: VerdictNow


@dataclass(frozen=True, slots=True)
class Difference:
    """Everything that differs; what is gone stands first."""

    base: str
    head: str
    removed: Mapping[str, tuple[str, ...]]
    added: Mapping[str, tuple[str, ...]]
    unsurveyed: tuple[str, ...]
    """Models that are still there and have no verdict any more."""
    moved: tuple[Change, ...]
    """Rows with another tier, or that are in doubt now or no longer."""


def publication(verdicts: Mapping[str, Any], lists: Mapping[str, Entries]) -> Publication:
    """Read a publication from the envelopes of its API.

    Args:
        verdicts: ``/api/v1/verdicts.json``.
        lists: Results of ``/api/v1/<list>.json`` by list.

    Raises:
        ValueError: If an entry is not as the schema says.
    """
    try:
        found = {
            (str(one["combo"]), str(one["model"])): VerdictNow(
                FitTier(one["tier"]), bool(one["too_close"]), str(one["checkpoint"]),
                str(one["runtime"]), one["need_bytes"], one["budget_bytes"],
            )
            for one in verdicts["result"]
        }  # fmt: skip
        ids = {name: frozenset(str(one["id"]) for one in lists[name]) for name in lists}
        version = str(verdicts["data_version"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a list of verdicts: {error}") from error
    return Publication(version, ids, found)


def compare(base: Publication, head: Publication) -> Difference:
    """Compare two publications; the order of everything is that of ids."""

    def only(one: Publication, other: Publication) -> Mapping[str, tuple[str, ...]]:
        gone = {
            name: tuple(sorted(one.ids.get(name, frozenset()) - other.ids.get(name, frozenset())))
            for name in LISTS
        }
        return {name: ids for name, ids in gone.items() if ids}

    return Difference(
        base.data_version, head.data_version, only(base, head), only(head, base),
        _unsurveyed(base, head), tuple(_changes(base, head)),
    )  # fmt: skip


def _unsurveyed(base: Publication, head: Publication) -> tuple[str, ...]:
    before = {model for _, model in base.verdicts}
    now = {model for _, model in head.verdicts}
    return tuple(sorted((before - now) & head.ids.get("models", frozenset())))


def _changes(base: Publication, head: Publication) -> Iterator[Change]:
    for combo, model in sorted(base.verdicts.keys() & head.verdicts.keys()):
        before, after = base.verdicts[combo, model], head.verdicts[combo, model]
        if (before.tier, before.too_close) != (after.tier, after.too_close):
            yield Change(combo, model, before, after)


def by_tiers(
    moved: tuple[Change, ...],
) -> Mapping[tuple[FitTier, FitTier], Mapping[str, tuple[str, ...]]]:
    """Group rows whose tier changed: by both tiers, then ids of models by combo."""
    order = list(FitTier)
    found: dict[tuple[FitTier, FitTier], dict[str, list[str]]] = {}
    for one in moved:
        tiers = one.before.tier, one.after.tier
        if tiers[0] is not tiers[1]:
            found.setdefault(tiers, {}).setdefault(one.combo, []).append(one.model)
    ordered = sorted(found, key=lambda pair: (order.index(pair[0]), order.index(pair[1])))
    return {
        pair: {combo: tuple(models) for combo, models in found[pair].items()} for pair in ordered
    }

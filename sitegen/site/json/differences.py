"""Differences between two publications: new and removed records, and changed verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from sitegen.fit.assessment import FitTier
from sitegen.site.json.causes import (
    CONSTANTS,
    EVIDENCE,
    Causes,
    ChangedRecord,
    Records,
    without_effect,
)
from sitegen.values import dataclass

LISTS = ("combos", "models", "gpus", "interconnects", "quantizations", "runtimes")
"""Lists of the API whose records are named when they come or go."""
READ = (*LISTS, CONSTANTS, *EVIDENCE)
"""Lists of the API that a comparison reads."""
PAGE = "index.html"
Entries: TypeAlias = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class VerdictNow:
    """A publication's verdict on a model on a combo."""

    tier: FitTier
    too_close: bool
    checkpoint: str
    runtime: str
    need_bytes: int | None
    budget_bytes: int | None


@dataclass(frozen=True, slots=True)
class SiteState:
    """The compared parts of a site: records by list and id, verdicts by combo and model."""

    data_version: str
    records: Records
    verdicts: Mapping[tuple[str, str], VerdictNow]
    pages: Mapping[str, str]
    """Digest of each published page by its address; empty where the site lists no files."""
    accuracy: Mapping[str, float]
    """How far the engine is from what was measured, by quantity and measure; shares."""


@dataclass(frozen=True, slots=True)
class Change:
    """A row of both publications whose verdict or pick is not the same."""

    combo: str
    model: str
    before: VerdictNow
    after: VerdictNow
    causes: tuple[ChangedRecord, ...] = ()
    """Records behind the row that changed; empty where none did."""


@dataclass(frozen=True, slots=True)
class Pages:
    """Addresses of pages that came, went, and how many are not the same."""

    removed: tuple[str, ...]
    added: tuple[str, ...]
    changed: int


@dataclass(frozen=True, slots=True)
class Difference:
    """All differences of two builds, removals first."""

    base: str
    head: str
    removed: Mapping[str, tuple[str, ...]]
    added: Mapping[str, tuple[str, ...]]
    unsurveyed: tuple[str, ...]
    """Models that are still there and have no verdict any more."""
    moved: tuple[Change, ...]
    """Rows with another tier, or that are in doubt now or no longer."""
    picks: tuple[Change, ...]
    """Rows with the same verdict that show another checkpoint or runtime."""
    pages: Pages
    accuracy: tuple[tuple[str, float | None, float | None], ...]
    """Measures of the engine's accuracy that are not the same: name, before, after."""
    facts: tuple[ChangedRecord, ...] = ()
    """Records whose facts changed without moving a verdict or a pick."""


def publication(
    verdicts: Mapping[str, Any],
    lists: Mapping[str, Entries],
    files: Entries = (),
    goals: Entries = (),
) -> SiteState:
    """Read a publication from the envelopes of its API.

    Args:
        verdicts: ``verdicts.json`` of the API: by columns, or entries as ``/api/v1/`` had them.
        lists: Results of ``<list>.json`` of the API by list.
        files: Files of the published folder, each with path and digest.
        goals: ``goals`` of ``/accuracy/index.json``.

    Raises:
        ValueError: If an entry is not as the schema says.
    """
    try:
        found = {
            (str(one["combo"]), str(one["model"])): VerdictNow(
                FitTier(one["tier"]), bool(one["too_close"]), str(one["checkpoint"]),
                str(one["runtime"]), one["need_bytes"], one["budget_bytes"],
            )
            for one in _entries(verdicts["result"])
        }  # fmt: skip
        records = {
            name: {str(one["id"]): one.get("record", {}) for one in lists[name]} for name in lists
        }
        version = str(verdicts["data_version"])
        pages = {
            _address(path): str(one["sha256"])
            for one in files
            if (path := str(one["path"])).endswith(PAGE)
        }
        accuracy = {
            " ".join(filter(None, (one["quantity"], one["program"], one["measure"]))): float(
                one["reached"]
            )
            for one in goals
            if one["reached"] is not None
        }
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a list of verdicts: {error}") from error
    return SiteState(version, records, found, pages, accuracy)


def _entries(result: Any) -> Entries:
    """Return the entries of a list that is written by columns, or was not yet."""
    if isinstance(result, list):
        return result
    total, columns = int(result["total"]), result["columns"]
    whole = {n: c if isinstance(c, list) else [c] * total for n, c in columns.items()}
    return [dict(zip(whole, row, strict=True)) for row in zip(*whole.values(), strict=True)]


def _address(path: str) -> str:
    return f"/{path.removesuffix(PAGE)}"


def compare(base: SiteState, head: SiteState) -> Difference:
    """Compare two publications; the order of everything is that of ids."""

    def only(state: SiteState, other: SiteState) -> Mapping[str, tuple[str, ...]]:
        gone = {
            name: tuple(sorted(state.records.get(name, {}).keys() - other.records.get(name, {})))
            for name in LISTS
        }
        return {name: ids for name, ids in gone.items() if ids}

    moved, picks = _changes(base, head)
    return Difference(
        base.data_version, head.data_version, only(base, head), only(head, base),
        _unsurveyed(base, head), moved, picks, _pages(base, head), _accuracy(base, head),
        _unmoved(base, head, (*moved, *picks)),
    )  # fmt: skip


def _unmoved(
    base: SiteState, head: SiteState, rows: tuple[Change, ...]
) -> tuple[ChangedRecord, ...]:
    """List what changed and stands behind none of the rows that moved."""
    behind = {cause for row in rows for cause in row.causes}
    changed = Causes(base.records, head.records).changed((*LISTS, CONSTANTS))
    return tuple(without_effect(changed, behind))


def by_cause(changes: Iterable[Change]) -> Mapping[tuple[ChangedRecord, ...], tuple[Change, ...]]:
    """Group rows by what changed behind them; the cause of most rows first."""
    found: dict[tuple[ChangedRecord, ...], list[Change]] = {}
    for one in changes:
        found.setdefault(one.causes, []).append(one)
    return {
        causes: tuple(rows)
        for causes, rows in sorted(found.items(), key=lambda entry: -len(entry[1]))
    }


def _unsurveyed(base: SiteState, head: SiteState) -> tuple[str, ...]:
    before = {model for _, model in base.verdicts}
    now = {model for _, model in head.verdicts}
    return tuple(sorted((before - now) & head.records.get("models", {}).keys()))


def _changes(base: SiteState, head: SiteState) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
    """Return rows with another verdict, and rows with another pick under the same verdict."""
    moved: list[Change] = []
    picks: list[Change] = []
    causes = Causes(base.records, head.records)
    for combo, model in sorted(base.verdicts.keys() & head.verdicts.keys()):
        before, after = base.verdicts[combo, model], head.verdicts[combo, model]
        if (before.tier, before.too_close) != (after.tier, after.too_close):
            changes = moved
        elif (before.checkpoint, before.runtime) != (after.checkpoint, after.runtime):
            changes = picks
        else:
            continue
        shown = frozenset({before.checkpoint, after.checkpoint})
        runtimes = frozenset({before.runtime, after.runtime})
        why = causes.of_row(combo, model, shown, runtimes)
        changes.append(Change(combo, model, before, after, why))
    return tuple(moved), tuple(picks)


def _pages(base: SiteState, head: SiteState) -> Pages:
    both = base.pages.keys() & head.pages.keys()
    changed = sum(base.pages[address] != head.pages[address] for address in both)
    removed = sorted(base.pages.keys() - both) if head.pages else []
    added = sorted(head.pages.keys() - both) if base.pages else []
    return Pages(tuple(removed), tuple(added), changed)


def _accuracy(
    base: SiteState, head: SiteState
) -> tuple[tuple[str, float | None, float | None], ...]:
    if not (base.accuracy and head.accuracy):
        return ()
    return tuple(
        (name, base.accuracy.get(name), head.accuracy.get(name))
        for name in sorted(base.accuracy.keys() | head.accuracy.keys())
        if base.accuracy.get(name) != head.accuracy.get(name)
    )


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

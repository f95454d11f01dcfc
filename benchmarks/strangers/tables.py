"""Rows of strangers as tables: how far off, how often inside, and what was said of outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from benchmarks.strangers.rows import MEMORY, SPEED, VERDICT, Row, largest_source, sources
from sitegen.published.accuracy.aggregate import quantile
from sitegen.published.accuracy.values import HARD

HEAD = (
    "figures | votes | sources | median | of votes | p95 | inside | of votes "
    "| median without the largest source | naive median"
)


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield all tables of some rows; figures that contradict their own record are left aside."""
    sound = [row for row in rows if not row.disputed]
    memory, speed = (of_kind(sound, kind) for kind in (MEMORY, SPEED))
    yield from table("memory", memory, lambda row: row.quantity)
    for word, key in KEYS:
        yield from table(f"speed, {word}", speed, key)
    yield from verdicts([row for row in rows if row.kind == VERDICT])


def of_kind(rows: Iterable[Row], kind: str) -> list[Row]:
    """Rows of one kind."""
    return [row for row in rows if row.kind == kind]


KEYS: tuple[tuple[str, Callable[[Row], str]], ...] = (
    ("all", lambda _: "all"),
    ("by quantity", lambda row: row.quantity),
    (
        "whether the runtime itself ran",
        lambda row: f"{row.quantity}, {'another program' if row.stand_in else 'itself'}",
    ),
    ("by runtime", lambda row: f"{row.quantity}, {row.program}"),
    ("by hardware", lambda row: f"{row.quantity}, {row.hardware}"),
    (
        "whether the source was known",
        lambda row: f"{row.quantity}, {'known' if row.known_source else 'new'} source",
    ),
)


def table(name: str, rows: Sequence[Row], key: Callable[[Row], str]) -> Iterator[str]:
    """Yield a Markdown table of errors."""
    if not rows:
        return
    yield f"| {name} | {HEAD} |"
    yield "|---|" + "---:|" * (HEAD.count("|") + 1)
    for word in sorted({key(row) for row in rows}):
        yield f"| {word} | {' | '.join(cells([row for row in rows if key(row) == word]))} |"
    yield ""


def cells(rows: Sequence[Row]) -> list[str]:
    """Give what a line of a table says of some rows."""
    inside, voted = calibration(rows)
    rest = [row for row in rows if row.source != largest_source(rows)]
    naive = [(abs(row.naive / row.measured - 1), 1.0) for row in rows if row.naive is not None]
    return [
        str(len(rows)), f"{votes(rows):.0f}", str(sources(rows)),
        _percent(median(rows)),
        _percent(quantile(_weighted(rows, shares(rows)), 0.5)),
        _percent(quantile(_weighted(rows, [1.0] * len(rows)), 0.95)),
        f"{inside:.0%}", f"{voted:.0%}",
        _percent(median(rest)) if rest else "",
        _percent(quantile(sorted(naive), 0.5)) if naive else "",
    ]  # fmt: skip


def shares(rows: Sequence[Row]) -> list[float]:
    """Part of a vote that each row has: near-repeats of one source share one."""
    counts = Counter((row.kind, row.quantity, row.vote) for row in rows)
    return [1 / counts[row.kind, row.quantity, row.vote] for row in rows]


def votes(rows: Sequence[Row]) -> float:
    """Count the votes of some rows."""
    return sum(shares(rows))


def median(rows: Sequence[Row]) -> float:
    """Median error of rows, each counted once."""
    return quantile(_weighted(rows, [1.0] * len(rows)), 0.5)


def calibration(rows: Sequence[Row]) -> tuple[float, float]:
    """Share of rows, and of votes, inside their interval."""
    part = shares(rows)
    voted = sum(share for row, share in zip(rows, part, strict=True) if row.inside)
    return sum(row.inside for row in rows) / len(rows), voted / sum(part)


def _weighted(rows: Sequence[Row], weights: Sequence[float]) -> list[tuple[float, float]]:
    return sorted(zip((row.error for row in rows), weights, strict=True))


def _percent(value: float) -> str:
    return f"{value:.2%}" if value < 0.01 else f"{value:.1%}"


def fails(row: Row) -> bool:
    """Whether the engine says that it fails: not practical, or a hard reason of memory."""
    return row.tier == "not-practical" or not HARD.isdisjoint(row.reasons)


def agrees(row: Row) -> bool:
    """Whether outcome and verdict agree: one standard for what ran and what failed."""
    return fails(row) == (row.outcome == "failed")


def naive_agrees(row: Row) -> bool:
    """Whether the common rule foresaw the outcome."""
    return row.naive_fits == (row.outcome == "ran")


def verdicts(rows: Sequence[Row]) -> Iterator[str]:
    """Yield outcomes beside tiers, and every disagreement by name."""
    if not rows:
        return
    yield "| outcome | judged | agree | borderline among them | disagree | naive agrees |"
    yield "|---|---:|---:|---:|---:|---:|"
    for outcome in ("ran", "failed", "all"):
        some = [row for row in rows if outcome in {row.outcome, "all"}]
        right = [row for row in some if agrees(row)]
        border = [row for row in right if row.tier == "borderline"]
        asked = [row for row in some if row.naive_fits is not None]
        yield (
            f"| {outcome} | {len(some)} | {len(right)} | {len(border)} | {len(some) - len(right)} "
            f"| {sum(naive_agrees(row) for row in asked)} of {len(asked)} |"
        )
    yield ""
    for row in rows:
        if not agrees(row):
            why = ", ".join(row.reasons)
            said = f": {row.disputed}" if row.disputed else ""
            yield f"{row.run} ({row.source}, {row.program}) {row.outcome}, {row.tier} {why}{said}"
    yield ""

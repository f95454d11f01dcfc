"""Coverage and errors as tables that a terminal and a Markdown file both show well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from benchmarks.accuracy.results import Comparison, Result, Skipped, Verdicts, summarize

GOALS = {
    ("weights per GPU", "vllm"): 0.01,
    ("KV bytes per token", "vllm"): 0.005,
    ("activation peak", "vllm"): 0.10,
    ("compute buffers", "llama.cpp"): 0.05,
}
"""Median errors that the project set out to reach."""
FAILURES = frozenset({"oom", "oom_load", "oom_profile", "oom_capture", "kv_too_small"})
SUCCESS = "ran"


def lines(name: str, records: int, results: Sequence[Result]) -> Iterator[str]:
    """Yield the whole report on one file of measurements."""
    yield f"## {name}: {records} records"
    yield ""
    yield from _coverage(results)
    yield from _errors([r for r in results if isinstance(r, Comparison)])
    yield from _verdicts([r for r in results if isinstance(r, Verdicts)])


def _keys(results: Iterable[Comparison | Skipped]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((r.quantity, r.runtime) for r in results))


def _coverage(results: Sequence[Result]) -> Iterator[str]:
    asked = [r for r in results if not isinstance(r, Verdicts)]
    mapped = {(r.quantity, r.runtime, r.record) for r in asked if isinstance(r, Comparison)}
    mapped |= {("verdict", r.runtime, r.record) for r in results if isinstance(r, Verdicts)}
    found_of = Counter(key[:2] for key in mapped)
    not_mapped = [r for r in asked if isinstance(r, Skipped)]
    yield "| quantity | runtime | usable | mapped | why not |"
    yield "|---|---|---:|---:|---|"
    for quantity, runtime in sorted({*_keys(asked), *found_of}):
        mine = [r for r in not_mapped if (r.quantity, r.runtime) == (quantity, runtime)]
        reasons = Counter(r.reason for r in mine)
        why = "; ".join(f"{reason} {count}" for reason, count in reasons.most_common())
        found = found_of[quantity, runtime]
        yield f"| {quantity} | {runtime} | {found + len(mine)} | {found} | {why} |"
    yield ""


def _errors(compared: Sequence[Comparison]) -> Iterator[str]:
    yield "| quantity | runtime | figures | records | median | p95 | inside low-high | goal |"
    yield "|---|---|---:|---:|---:|---:|---:|---|"
    for key in sorted(_keys(compared)):
        mine = [c for c in compared if (c.quantity, c.runtime) == key]
        found = summarize(mine)
        goal = GOALS.get(key)
        reached = "" if goal is None else _goal(found.median, goal)
        yield (
            f"| {key[0]} | {key[1]} | {found.count} | {len({c.record for c in mine})} "
            f"| {found.median:.2%} | {found.p95:.1%} | {found.inside:.0%} | {reached} |"
        )
    yield ""
    for key in sorted(_keys(compared)):
        yield f"{key[0]}, {key[1]}, worst first:"
        found = summarize([c for c in compared if (c.quantity, c.runtime) == key])
        for one in found.worst:
            yield (
                f"  {one.error:+8.1%}  {one.record}: logged {one.measured:,.6g}, "
                f"engine {one.predicted.mid:,.6g} ({one.context})"
            )
        yield ""


def _goal(median: float, goal: float) -> str:
    return f"{'met' if median <= goal else 'NOT met'} ({goal:.1%})"


def _verdicts(judged: Sequence[Verdicts]) -> Iterator[str]:
    tiers = ("comfortable", "borderline", "not-practical")
    counts = Counter((v.outcome, v.tier) for v in judged)
    yield "| what happened | " + " | ".join(tiers) + " |"
    yield "|---|" + "---:|" * len(tiers)
    for outcome in sorted({v.outcome for v in judged}):
        yield f"| {outcome} | " + " | ".join(str(counts[outcome, tier]) for tier in tiers) + " |"
    yield ""
    wrong = [v for v in judged if v.outcome in FAILURES and v.tier == tiers[0]]
    yield f"Failures called comfortable: {len(wrong)}"
    yield from (f"  {v.record} ({v.runtime}): {v.outcome}" for v in wrong)
    refused = [v for v in judged if v.outcome == SUCCESS and v.tier == tiers[2]]
    yield f"Successes called not practical: {len(refused)}"
    yield from (f"  {v.record} ({v.runtime}): {', '.join(v.reasons)}" for v in refused)
    yield ""

"""A difference of two publications as text, Markdown, JSON, or a release to commit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import yaml

from sitegen.render.data.page_markdown import escaped
from sitegen.render.filters import quantity
from sitegen.site.cells import NumberCell, Unit
from sitegen.site.json.causes import ChangedRecord, told
from sitegen.site.json.differences import Change, Difference, VerdictNow, by_cause, by_tiers
from sitegen.site.words.tiers import CLOSE_WORDS, TIER_WORDS

MOST_ROWS = 20
"""Rows that one cause lists; it says how many more there are. JSON and YAML have all."""
MOST_CAUSES = 20
MOST_ADDRESSES = 20
Code: TypeAlias = Callable[[str], str]


def text(difference: Difference) -> str:
    """Write one line per change, what is gone first; rows stand below what moved them."""
    return "".join(f"{line}\n" for line in _lines(difference, code=lambda word: word))


def markdown(difference: Difference) -> str:
    """Write a comment for people who review a change; ids and facts are data and are escaped."""
    lines = [f"## Verdicts: {_version(difference.base)} → {_version(difference.head)}", ""]
    for line in _lines(difference, code=_code):
        indent = len(line) - len(line.lstrip())
        lines.append(f"{line[:indent]}- {line[indent:]}")
    return "\n".join(lines) + "\n"


def json_text(difference: Difference) -> str:
    """Write everything for programs."""
    whole = {
        "base": difference.base,
        "head": difference.head,
        "removed": {name: list(ids) for name, ids in difference.removed.items()},
        "added": {name: list(ids) for name, ids in difference.added.items()},
        "unsurveyed": list(difference.unsurveyed),
        "moved": [_row(one) for one in difference.moved],
        "picks": [_row(one) for one in difference.picks],
        "pages": {
            "removed": list(difference.pages.removed),
            "added": list(difference.pages.added),
            "changed": difference.pages.changed,
        },
        "accuracy": [
            {"measure": name, "before": before, "after": after}
            for name, before, after in difference.accuracy
        ],
    }
    return json.dumps(whole, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def release_yaml(difference: Difference) -> str:
    """Write ``content/changes/<date>.yaml``; the editor fills in date, title and summary."""
    release = {
        "base": difference.base,
        "head": difference.head,
        "removed": {name: list(ids) for name, ids in difference.removed.items()},
        "added": {name: list(ids) for name, ids in difference.added.items()},
        "moved": [
            {
                "before": before.value,
                "after": after.value,
                "rows": {combo: list(models) for combo, models in rows.items()},
            }
            for (before, after), rows in by_tiers(difference.moved).items()
        ],
    }
    kept = {name: value for name, value in release.items() if value}
    body = yaml.safe_dump(kept, sort_keys=False, allow_unicode=True, default_flow_style=None)
    return f"date: # day of the publication, as 2026-11-20\ntitle: # what changed\n{body}"


FORMATS: Mapping[str, Callable[[Difference], str]] = {
    "text": text,
    "md": markdown,
    "json": json_text,
    "yaml": release_yaml,
}


def _lines(difference: Difference, *, code: Code) -> Iterator[str]:
    for word, ids in (("removed", difference.removed), ("added", difference.added)):
        for name, listed in ids.items():
            yield f"{word} {name}: {', '.join(code(id_) for id_ in listed)}"
    if difference.unsurveyed:
        yield f"no longer with a verdict: {', '.join(code(id_) for id_ in difference.unsurveyed)}"
    for word, rows in (("verdict", difference.moved), ("pick", difference.picks)):
        yield from _grouped(word, rows, code)
    for word, addresses in (
        ("removed", difference.pages.removed),
        ("added", difference.pages.added),
    ):
        if addresses:
            named = ", ".join(code(address) for address in addresses[:MOST_ADDRESSES])
            more = len(addresses) - MOST_ADDRESSES
            yield f"{word} pages: {named}{f' and {more} more' if more > 0 else ''}"
    for one in difference.facts[:MOST_CAUSES]:
        yield f"no verdict or pick moved by {code(told((one,)))}"
    if difference.facts[MOST_CAUSES:]:
        yield f"and by {len(difference.facts) - MOST_CAUSES} more records"
    if difference.pages.changed:
        yield f"changed pages: {difference.pages.changed}"
    for name, before, after in difference.accuracy:
        yield f"accuracy, {code(name)}: {_share(before)} → {_share(after)}"
    if not (
        difference.removed
        or difference.added
        or difference.unsurveyed
        or difference.moved
        or difference.picks
    ):
        yield "no verdict or pick changed, and no record was added or removed"


def _grouped(word: str, rows: tuple[Change, ...], code: Code) -> Iterator[str]:
    """Yield each cause with the number of rows that it moved, then these rows."""
    groups = list(by_cause(rows).items())
    for causes, moved in groups[:MOST_CAUSES]:
        count = f"{len(moved)} {word}{'' if len(moved) == 1 else 's'}"
        yield f"{count} moved by {code(told(causes))}"
        yield from (f"  {_change(one, code)}" for one in moved[:MOST_ROWS])
        if len(moved) > MOST_ROWS:
            yield f"  and {len(moved) - MOST_ROWS} more"
    rest = sum(len(moved) for _, moved in groups[MOST_CAUSES:])
    if rest:
        yield f"{rest} more {word}s moved by {len(groups) - MOST_CAUSES} other causes"


def _change(change: Change, code: Code) -> str:
    before, after = change.before, change.after
    name = f"{code(f'{change.model} {after.checkpoint}')} on {code(change.combo)}"
    if (before.tier, before.too_close) == (after.tier, after.too_close):
        picks = (f"{side.checkpoint} in {side.runtime}" for side in (before, after))
        return f"{name}: {' → '.join(code(pick) for pick in picks)}"
    return f"{name}: {_tier(before)} → {_tier(after)} ({_need(before)} → {_need(after)})"


def _row(change: Change) -> dict[str, object]:
    return {
        "combo": change.combo,
        "model": change.model,
        "before": _plain(change.before),
        "after": _plain(change.after),
        "causes": [_cause(changed) for changed in change.causes],
    }


def _cause(changed: ChangedRecord) -> dict[str, object]:
    return {
        "list": changed.kind,
        "id": changed.id,
        "facts": [
            {"path": fact.path, "before": fact.before, "after": fact.after}
            for fact in changed.facts
        ],
    }


def _share(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.2%}"


def _tier(verdict: VerdictNow) -> str:
    close = f" ({CLOSE_WORDS[verdict.tier]})" if verdict.too_close else ""
    return f"{TIER_WORDS[verdict.tier]}{close}"


def _need(verdict: VerdictNow) -> str:
    if verdict.need_bytes is None or verdict.budget_bytes is None:
        return "no valid plan"
    need = quantity(NumberCell(verdict.need_bytes, Unit.GIB))
    budget = quantity(NumberCell(verdict.budget_bytes, Unit.GIB))
    return f"needs {need} of {budget} on {escaped(verdict.runtime)}"


def _plain(verdict: VerdictNow) -> dict[str, object]:
    return {
        "tier": verdict.tier.value,
        "too_close": verdict.too_close,
        "checkpoint": verdict.checkpoint,
        "runtime": verdict.runtime,
        "need_bytes": verdict.need_bytes,
        "budget_bytes": verdict.budget_bytes,
    }


def _code(word: str) -> str:
    """Show a word as code, whatever it holds: no backtick and no line can end it."""
    return f"`{' '.join(word.replace('`', chr(39)).split())}`"


def _version(word: str) -> str:
    return _code(word) if word else "nothing"

"""A difference of two publications as text, Markdown, JSON, or a release to commit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

import yaml

from sitegen.render.data.page_markdown import escaped
from sitegen.render.filters import quantity
from sitegen.site.cells import Quantity, Unit
from sitegen.site.json.differences import Change, Difference, VerdictNow, by_tiers
from sitegen.site.words.tiers import TIER_WORDS

MOST_ROWS = 200
"""Rows that a comment lists; it says how many more there are. JSON and YAML have all."""


def text(found: Difference) -> str:
    """Write one line per change, what is gone first."""
    return "".join(f"{line}\n" for line in _lines(found, code=lambda word: word))


def markdown(found: Difference) -> str:
    """Write a comment for people who review a change; ids are data and are escaped."""
    lines = [f"## Verdicts: {_version(found.base)} → {_version(found.head)}", ""]
    lines += [f"- {line}" for line in _lines(found, code=_code)]
    return "\n".join(lines) + "\n"


def json_text(found: Difference) -> str:
    """Write everything for programs."""
    whole = {
        "base": found.base,
        "head": found.head,
        "removed": {name: list(ids) for name, ids in found.removed.items()},
        "added": {name: list(ids) for name, ids in found.added.items()},
        "unsurveyed": list(found.unsurveyed),
        "moved": [
            {
                "combo": one.combo,
                "model": one.model,
                "before": _plain(one.before),
                "after": _plain(one.after),
            }
            for one in found.moved
        ],
    }
    return json.dumps(whole, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def release_yaml(found: Difference) -> str:
    """Write ``content/changes/<date>.yaml``; the editor fills in date, title and summary."""
    release = {
        "base": found.base,
        "head": found.head,
        "removed": {name: list(ids) for name, ids in found.removed.items()},
        "added": {name: list(ids) for name, ids in found.added.items()},
        "moved": [
            {
                "before": before.value,
                "after": after.value,
                "rows": {combo: list(models) for combo, models in rows.items()},
            }
            for (before, after), rows in by_tiers(found.moved).items()
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


def _lines(found: Difference, *, code: Callable[[str], str]) -> Iterator[str]:
    for word, ids in (("removed", found.removed), ("added", found.added)):
        for name, listed in ids.items():
            yield f"{word} {name}: {', '.join(code(id_) for id_ in listed)}"
    if found.unsurveyed:
        yield f"without a verdict now: {', '.join(code(id_) for id_ in found.unsurveyed)}"
    for one in found.moved[:MOST_ROWS]:
        yield _change(one, code)
    if len(found.moved) > MOST_ROWS:
        yield f"and {len(found.moved) - MOST_ROWS} more"
    if not (found.removed or found.added or found.unsurveyed or found.moved):
        yield "no verdict changed, no record came or went"


def _change(one: Change, code: Callable[[str], str]) -> str:
    before, after = one.before, one.after
    name = f"{code(f'{one.model} {after.checkpoint}')} on {code(one.combo)}"
    return f"{name}: {_tier(before)} → {_tier(after)} ({_need(before)} → {_need(after)})"


def _tier(verdict: VerdictNow) -> str:
    close = ", too close to call" if verdict.too_close else ""
    return f"{TIER_WORDS[verdict.tier]}{close}"


def _need(verdict: VerdictNow) -> str:
    if verdict.need_bytes is None or verdict.budget_bytes is None:
        return "no valid plan"
    need = quantity(Quantity(verdict.need_bytes, Unit.GIB))
    budget = quantity(Quantity(verdict.budget_bytes, Unit.GIB))
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

"""Rules on what a model's maker promises: its licence, its context and when it came."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import JsonValue

from sitegen.catalog.authored import Authored, CatalogRecords, guess
from sitegen.catalog.licences import LICENCES, OTHER_NAMES, OWN, is_licence
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.source_text import quoted
from sitegen.problems import Problem, Severity

if TYPE_CHECKING:
    from sitegen.catalog.records.models import ModelRecord

_SIZE = re.compile(r"\d+(\.\d+)?[bm]|a\d+(\.\d+)?b|e\d+b|\d+x\d+b|\d+e")
_TUNING = frozenset({"base", "chat", "instruct", "it", "thinking"})
_SHORTEST_CONTEXT = 512
"""Fewest tokens that a context is taken for: half of the fewest in the catalog of 2026-11-28.

Those were 1,024, of GPT-2 in all its sizes.
"""
_SIBLINGS = 3
"""How many of a family must agree before one that differs is asked about."""


def licences_are_listed(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a licence is an identifier of the list, so that equal ones are written alike."""
    for model in records.models.values():
        yield from _bad_licence(model, ("license",), model.record.license)
        for index, checkpoint in enumerate(model.record.checkpoints):
            yield from _bad_licence(model, ("checkpoints", index, "license"), checkpoint.license)


def _bad_licence(
    model: Authored[ModelRecord], path: KeyPath, given: str | None
) -> Iterator[Problem]:
    if given is None or is_licence(given):
        return
    listed = OTHER_NAMES.get(given.lower())
    own = f"write the SPDX identifier in lower case, or {OWN}<name> for a custom license"
    hint = f"write {listed}" if listed else guess(given, LICENCES) or own
    yield model.problem(path, "licence", f"{quoted(given)} is not a license in the list", hint)


def family_members_share_a_licence(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a model with another licence than its siblings says so in its notes."""
    families: dict[str, list[Authored[ModelRecord]]] = defaultdict(list)
    for model in records.models.values():
        if model.record.license:
            families[family_of(model.id)].append(model)
    for family, members in families.items():
        ((usual, count),) = Counter(member.record.license for member in members).most_common(1)
        for member in members:
            differs = count >= _SIBLINGS and member.record.license != usual
            if differs and not re.search("licen[cs]e", member.record.notes, re.IGNORECASE):
                message = f"most models of {quoted(family)} are under {usual}, but this one is not"
                hint = "check it; if it is correct, say in `notes` that the license differs"
                found = member.problem(("license",), "licence-of-siblings", message, hint)
                yield replace(found, severity=Severity.WARNING)


def family_of(id_: str) -> str:
    """Return a model's id without size and tuning: what its siblings have in common.

    >>> family_of("qwen2.5-72b-instruct"), family_of("qwen3-30b-a3b"), family_of("phi-4")
    ('qwen2.5', 'qwen3', 'phi-4')
    """
    parts = [part for part in id_.split("-") if part not in _TUNING and not _SIZE.fullmatch(part)]
    return "-".join(parts) or id_


def successors_are_newer(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a model was not released before the one whose place it took."""
    for model in records.models.values():
        successor = records.models.get(model.record.superseded_by or "")
        if successor is None or successor is model:
            continue
        before, after = model.record.released, successor.record.released
        if before is None or after is None:
            continue
        known = min(len(before), len(after))
        if after[:known] < before[:known]:
            message = f"{quoted(successor.id)} of {after} cannot follow this one of {before}"
            hint = "check both dates, or name the model that came later"
            yield model.problem(("superseded_by",), "older-successor", message, hint)


def contexts_hold_a_text(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a context is of a length that models have, and is not in thousands."""
    for model in records.models.values():
        given = model.record.context_tokens
        if given < _SHORTEST_CONTEXT:
            message = f"a context of {given:,} tokens is shorter than any model's"
            hint = f"count single tokens: {given}K are {1024 * given}"
            yield model.problem(("context_tokens",), "short-context", message, hint)


def promised_context_is_sourced(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a context beyond the config's positions has a source of its own."""
    for model in records.models.values():
        longest = _positions(model.record.config)
        if not longest or model.record.context_tokens <= longest:
            continue
        if not any("context_tokens" in source.fields for source in model.record.sources):
            message = (
                f"{model.record.context_tokens:,} tokens are promised, "
                f"but the config has {longest:,} positions"
            )
            hint = "name `context_tokens` in the `fields` of the source that promises them"
            yield model.problem(("context_tokens",), "context", message, hint)


def _positions(config: Mapping[str, JsonValue]) -> int:
    """Return how far the positions of a config reach, scaled; 0 where it does not say."""
    nested = config.get("text_config")
    layers = (nested, config) if isinstance(nested, dict) else (config,)
    stated = [
        value
        for layer in layers
        for key in ("model_max_length", "max_position_embeddings", "seq_length")
        if isinstance(value := layer.get(key), int)
    ]
    return int(max(stated, default=0) * max(map(_factor, layers)))


def _factor(config: Mapping[str, JsonValue]) -> float:
    scaling = config.get("rope_scaling") or config.get("rope_parameters")
    factor = scaling.get("factor") if isinstance(scaling, dict) else None
    return max(1.0, factor) if isinstance(factor, int | float) else 1.0

"""The constants of the speed model, sorted by what they are and by family of runtimes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sitegen.catalog.domain.models import SPEED_FAMILIES
from sitegen.catalog.domain.provenance import Constant
from sitegen.site.cells import Code
from sitegen.site.sources import STATUS_WORDS, constant_value, source_cell
from sitegen.site.table import Column, Fold, Row, Table
from sitegen.values import dataclass

Named = tuple[tuple[str, Constant], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Constants of one kind: what they are, and a fold per family of runtimes."""

    id: str
    title: str
    meaning: str
    folds: tuple[Fold, ...]


@dataclass(frozen=True, slots=True)
class _Kind:
    id: str
    title: str
    meaning: str
    prefixes: tuple[str, ...]


KINDS = (
    _Kind(
        "bandwidth", "Memory bandwidth used by decode",
        "The share of a GPU's peak bandwidth that runtimes reach while they read the weights for a "
        "token.",
        ("decode-efficiency-",),
    ),
    _Kind(
        "cache", "Memory bandwidth used by attention",
        "The share of a GPU's peak bandwidth that attention over the KV cache reaches.",
        ("kv-read-",),
    ),
    _Kind(
        "overhead", "Times that do not depend on bandwidth",
        "Kernel launches and waiting: per layer, per user, and per hand-off between GPUs.",
        ("decode-overhead-", "overhead-", "decode-stream-", "hop-overhead-", "network-hop-"),
    ),
    _Kind(
        "decode-factors", "Factors for decode",
        "How decode differs from the runtime family's figure with a certain weight format, with "
        "experts, or on a certain runtime, backend or older version.",
        ("decode-",),
    ),
    _Kind(
        "arithmetic", "Arithmetic rate used for prompts",
        "The share of a GPU's peak FP16 rate that runtimes reach while they read a prompt.",
        ("compute-efficiency-",),
    ),
    _Kind(
        "prompt-factors", "Factors for reading a prompt",
        "How reading a prompt differs from the runtime family's figure with a certain weight "
        "format, with experts, with long prompts, or on a certain runtime or backend.",
        ("compute-",),
    ),
    _Kind(
        "prompt", "Fixed time and chunk size for prompts",
        "The time before the first chunk, and how many tokens a runtime reads at once.",
        ("prefill-fixed-", "prefill-chunk-"),
    ),
    _Kind(
        "batch", "Many users",
        "The extra time per step when more users share the step.",
        ("step-batch-",),
    ),
    _Kind(
        "links", "Links",
        "The time for exchanges between GPUs, compared with the link's latency and bandwidth.",
        ("link-exllama-", "link-layer-split-", "link-mlx-", "link-paged-", "link-prompt-",
         "all-reduce-growth-"),
    ),
    _Kind(
        "system", "Power limits and system RAM",
        "The speed lost to a power limit, and the speed of layers and experts in system RAM.",
        ("power-", "ram-efficiency", "ram-bandwidth-", "host-bus-"),
    ),
)  # fmt: skip
"""Kinds of constants; the first that has a prefix of the name takes it."""

FAMILY_WORDS: Mapping[str, str] = {
    "paged": "Runtimes with a paged cache",
    "layer-split": "llama.cpp and runtimes built on it",
    "mlx": "MLX",
    "exllama": "ExLlama",
    "": "Not tied to a runtime family",
}
_FAMILY = re.compile(r"-(" + "|".join(SPEED_FAMILIES) + r")(?=-|$)")


def kind_of(name: str) -> str:
    """Return the id of a constant's kind, empty for what is no constant of the speed model.

    >>> kind_of("decode-overhead-paged-us"), kind_of("comfortable-utilization")
    ('overhead', '')
    """
    return next((kind.id for kind in KINDS if name.startswith(kind.prefixes)), "")


def family_in(name: str) -> str:
    """Return the family that a constant's name has.

    >>> family_in("decode-efficiency-layer-split-on-rtx-3090"), family_in("power-compute-exponent")
    ('layer-split', '')
    """
    found = _FAMILY.search(name)
    return found[1] if found else ""


def groups(known: Mapping[str, Constant]) -> tuple[Group, ...]:
    """Sort the constants of the speed model; kinds without any are left out."""
    found = (Group(kind.id, kind.title, kind.meaning, _folds(kind, known)) for kind in KINDS)
    return tuple(group for group in found if group.folds)


def _folds(kind: _Kind, known: Mapping[str, Constant]) -> tuple[Fold, ...]:
    mine = [(name, constant) for name, constant in known.items() if kind_of(name) == kind.id]
    folds = []
    for family, words in FAMILY_WORDS.items():
        of_family = tuple(pair for pair in mine if family_in(pair[0]) == family)
        if of_family:
            id_ = f"{kind.id}-{family or 'all'}"
            caption = f"{kind.title}: {words}"
            summary = f"{words} ({len(of_family)})"
            folds.append(Fold(summary, _table(of_family, id=id_, caption=caption)))
    return tuple(folds)


def _table(constants: Named, *, id: str, caption: str) -> Table:
    """List constants; a date and a note that all of them share are said once, below."""
    notes = {constant.note for _, constant in constants}
    dates = {constant.source.read for _, constant in constants}
    columns = (
        Column("Constant"),
        Column("Value", numeric=True, note="and bounds"),
        Column("Status"),
        Column("Source"),
        *([Column("Accessed", key="read")] if len(dates) > 1 else ()),
        *([Column("Note")] if len(notes) > 1 else ()),
    )
    rows = tuple(
        Row(
            (
                Code(name),
                constant_value(constant),
                STATUS_WORDS[constant.status],
                source_cell(constant.source),
                *([constant.source.read] if len(dates) > 1 else ()),
                *([constant.note] if len(notes) > 1 else ()),
            )
        )
        for name, constant in constants
    )
    shared = [notes.pop()] if len(notes) == 1 else []
    shared += [f"Accessed {dates.pop()}."] if len(dates) == 1 else []
    note = " ".join(text for text in shared if text)
    return Table(id, caption, columns, rows, counted=True, note=note)

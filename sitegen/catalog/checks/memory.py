"""Rules on the memory of a GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sitegen.catalog.authored import Authored, CatalogRecords, leaves
from sitegen.catalog.kinds import Kind
from sitegen.catalog.text.source_text import quoted, written
from sitegen.problems import Problem

if TYPE_CHECKING:
    from sitegen.catalog.records.hardware import GpuRecord

_CAPABILITY = re.compile(r"([1-9]|1\d)\.\d")
_CAPABILITIES = (
    "compute_capability", "minimum_compute_capability", "native_compute_capability",
    "maximum_compute_capability", "compute_capabilities", "quantized_cache_only",
)  # fmt: skip
_UNIFIED_KEYS = ("unified_default_fraction", "unified_raised_reserve_gib")


_LEAST_VISIBLE = 0.8
"""Share of its memory that a process sees of any card at least."""


def memory_is_dedicated_or_unified(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a GPU has memory of its own or shares it with the CPU: one of the two."""
    for gpu in records.gpus.values():
        dedicated = gpu.record.vram_gib is not None
        unified = bool(gpu.record.unified_memory_options_gib)
        if dedicated and unified:
            message = "a GPU has `vram_gib` or `unified_memory_options_gib`, not both"
            path = ("unified_memory_options_gib",)
            yield gpu.problem(path, "gpu-memory", message, "remove one", at_key=True)
        if not dedicated and not unified:
            message = "the GPU has no memory"
            hint = "give `vram_gib`, or `unified_memory_options_gib` for a chip that shares memory"
            yield gpu.problem((), "gpu-memory", message, hint)


def unified_memory_is_described(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure chips with unified memory say what the GPU may use of it, and no others do."""
    for gpu in records.gpus.values():
        unified = bool(gpu.record.unified_memory_options_gib)
        for key in _UNIFIED_KEYS:
            given = getattr(gpu.record, key) is not None
            if unified and not given:
                message = f"a GPU with unified memory needs `{key}`"
                path = ("unified_memory_options_gib",)
                hint = f"add it: {type(gpu.record).model_fields[key].description}"
                yield gpu.problem(path, "unified-facts", message, hint, at_key=True)
            if given and not unified:
                message = f"`{key}` is for GPUs with unified memory"
                yield gpu.problem((key,), "unified-facts", message, "remove it", at_key=True)
        yield from _shares_are_shares(gpu)


def _shares_are_shares(gpu: Authored[GpuRecord]) -> Iterator[Problem]:
    fraction = gpu.record.unified_default_fraction
    if fraction is not None and not 0 < fraction.low <= fraction.high <= 1:
        message = "the share of unified memory must lie between 0 and 1"
        yield gpu.problem(("unified_default_fraction",), "unified-facts", message)
    larger = gpu.record.unified_larger_fractions
    sizes = [one.from_gib for one in larger]
    if any(one.high > 1 for one in larger) or sizes != sorted(set(sizes)):
        message = "shares of larger memories lie between 0 and 1, the smallest memory first"
        yield gpu.problem(("unified_larger_fractions",), "unified-facts", message)
    reserves = gpu.record.unified_larger_reserves
    if [one.from_gib for one in reserves] != sorted({one.from_gib for one in reserves}):
        message = "reserves of larger memories are listed once, the smallest memory first"
        yield gpu.problem(("unified_larger_reserves",), "unified-facts", message)
    if larger and fraction is None:
        message = "`unified_larger_fractions` is for GPUs with unified memory"
        yield gpu.problem(
            ("unified_larger_fractions",), "unified-facts", message, "remove it", at_key=True
        )


def visible_memory_is_installed(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a process sees no more memory than the GPU has, and not much less.

    Of the cards that were measured, the one with ECC and the smallest share shows 0.91 of it.
    """
    for gpu in records.gpus.values():
        visible, installed = gpu.record.visible_mib, gpu.record.vram_gib
        if visible is None:
            continue
        if installed is None:
            message = "`visible_mib` is for GPUs with `vram_gib`"
            yield gpu.problem(("visible_mib",), "visible-memory", message, at_key=True)
        elif visible > installed * 1024:
            message = (
                f"{written(visible)} MiB are visible of {written(installed * 1024)} MiB installed"
            )
            hint = "the visible size is in MiB, the installed one in GiB"
            yield gpu.problem(("visible_mib",), "visible-memory", message, hint)
        elif visible < _LEAST_VISIBLE * installed * 1024:
            message = f"only {written(visible)} MiB are visible of "
            message += f"{written(installed * 1024)} MiB installed"
            hint = "the visible size is in MiB, the installed one in GiB"
            yield gpu.problem(("visible_mib",), "visible-memory", message, hint)


def visible_memory_is_known(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure there is an assumption for GPUs whose visible memory nobody measured."""
    from sitegen.catalog.resolve.catalog import VISIBLE_FRACTION  # a file alone needs no resolving

    if VISIBLE_FRACTION in records.ids[Kind.ASSUMPTION]:
        return
    for gpu in records.gpus.values():
        if gpu.record.vram_gib is not None and gpu.record.visible_mib is None:
            message = f"without `visible_mib` the assumption {VISIBLE_FRACTION!r} is needed"
            hint = f"add catalog/assumptions/{VISIBLE_FRACTION}.yaml"
            yield gpu.problem(("vram_gib",), "missing-assumption", message, hint, at_key=True)


def compute_capability_has_two_parts(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure compute capabilities look like ``8.9``, and only NVIDIA's GPUs have one."""
    for gpu in records.gpus.values():
        given = gpu.record.compute_capability
        if given is not None and gpu.record.vendor != "nvidia":
            message = f"a GPU by {gpu.record.vendor} has no compute capability"
            yield gpu.problem(
                ("compute_capability",), "compute-capability", message, "remove it", at_key=True
            )
    stating = (records.gpus, records.quantizations, records.runtimes)
    for authored in (one for kind in stating for one in kind.values()):
        for path, key, item in leaves(authored.record):
            if key in _CAPABILITIES and item is not None and not _CAPABILITY.fullmatch(str(item)):
                given = str(item)
                message = f"a compute capability has two parts, such as 8.9, not {quoted(given)}"
                hint = f"write {_with_two_parts(given)}"
                yield authored.problem(path, "compute-capability", message, hint)


def _with_two_parts(version: str) -> str:
    """Return the compute capability that a version of one part, or of too many, stands for.

    >>> [_with_two_parts(version) for version in ("80", "120", "9", "8.9.0", "86.0")]
    ['8.0', '12.0', '9.0', '8.9', '8.6']
    """
    major, _, rest = version.partition(".")
    minor = rest.partition(".")[0]
    if len(major) > 1 and not _CAPABILITY.fullmatch(f"{major}.0"):
        major, minor = major[:-1], major[-1]
    return f"{major[-2:]}.{minor[:1] or '0'}"

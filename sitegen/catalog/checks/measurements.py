"""Rules on what others logged: one id each, figures that agree, hardware that exists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.checks.provenance import bad_dates
from sitegen.catalog.records.parts import Record
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.source_text import quoted, written
from sitegen.problems import Problem

if TYPE_CHECKING:
    from sitegen.catalog.records.measurements import (
        FileRecord,
        MeasurementRecord,
        MemoryRunRecord,
        ObservedRecord,
    )
    from sitegen.catalog.records.runs import SystemRecord

FIGURES: Mapping[str, tuple[str, ...]] = {
    "weights": ("weights_gib",),
    "kv-per-token": ("kv_pool_gib", "kv_request_gib"),
    "kv-tokens": ("kv_pool_tokens",),
    "pool-tokens": ("kv_pool_tokens",),
    "kv-pool": ("kv_pool_gib",),
    "activation": ("activation_gib",),
    "non-torch": ("non_torch_gib",),
    "graphs": ("graphs_gib",),
    "model-buffers": ("model_gpu_mib", "model_host_mib"),
    "kv-buffers": ("kv_mib", "kv_total_mib"),
    "compute-buffers": ("compute_gpu_mib",),
}
"""Figures of which a quantity needs one."""
SENTENCES = ("unsaid", "uncovered", "causes", "disputed")
ENOUGH = 0.25
"""Share of one request that the logged pool of a runtime that started holds at least: older logs
count a hybrid's tokens over all its groups of layers."""


def logged_ids_are_unique(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure every log and file has one id over all measurements."""
    owners: dict[str, str] = {}
    for log in records.measurements.values():
        record = log.record
        ids = [("runs", i, run.id) for i, run in enumerate(record.runs)]
        ids += [("files", i, file.id) for i, file in enumerate(record.files)]
        ids += [("left_out", i, one.id) for i, one in enumerate(record.left_out)]
        for key, index, given in ids:
            owner = owners.setdefault(given, f"{log.id} {key} {index}")
            if owner != f"{log.id} {key} {index}":
                message = f"{quoted(given)} is an id of {quoted(owner.split()[0])} already"
                yield log.problem((key, index, "id"), "logged-id", message, "number it")


def logged_checkpoints_exist(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a run names a checkpoint of its model, or a quantization, and not both."""
    for log, at, run in _runs(records):
        subject = run.subject
        model = records.models.get(subject.model)
        if subject.checkpoint is None or model is None:
            continue
        path = (*at, "subject", "checkpoint")
        known = [c.id or c.quantization for c in model.record.checkpoints]
        if subject.checkpoint not in known:
            message = f"{quoted(model.id)} has no checkpoint {quoted(subject.checkpoint)}"
            hint = "name it as `quantization` if the model lists no such checkpoint"
            yield log.problem(path, "logged-checkpoint", message, hint)
        elif subject.quantization is not None:
            message = "a checkpoint already states its quantization"
            hint = "remove `quantization`"
            yield log.problem(path, "logged-checkpoint", message, hint)


def logged_quantities_have_figures(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure what a run can be used for has a figure, or a sentence on why it has none."""
    for log, at, run in _runs(records):
        for index, quantity in enumerate(run.usable_for):
            said = {**run.unsaid, **run.uncovered}
            if quantity not in said and not _has_figure(run.observed, quantity):
                message = f"no figure for {quoted(quantity)}"
                hint = f"give one of {', '.join(FIGURES[quantity])}, or say in `unsaid` why not"
                yield log.problem((*at, "usable_for", index), "logged-figure", message, hint)
        for key in SENTENCES:
            for quantity in getattr(run, key):
                if quantity not in run.usable_for:
                    message = f"{quoted(quantity)} is not in `usable_for`"
                    path = (*at, key, quantity)
                    yield log.problem(path, "logged-figure", message, "add it there", at_key=True)


def _has_figure(observed: ObservedRecord, quantity: str) -> bool:
    needed = FIGURES.get(quantity)
    return needed is None or any(getattr(observed, name) not in {None, ()} for name in needed)


def logged_pools_hold_a_request(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure that what started has a pool for one request of full length, or nothing is right."""
    for log, at, run in _runs(records):
        tokens, length = run.observed.kv_pool_tokens, run.workload.context_tokens
        if run.outcome == "ran" and tokens and length and tokens < ENOUGH * length:
            message = f"a pool of {tokens} tokens cannot hold a request of {length}"
            hint = "a runtime that reserves its pool refuses to start then; check both figures"
            yield log.problem((*at, "observed", "kv_pool_tokens"), "logged-pool", message, hint)


def logged_dates_are_real(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure dates of logs and benchmarks exist in the calendar, and none is in the future."""
    for log in records.measurements.values():
        dates = [run.date for run in log.record.runs]
        yield from bad_dates(log, log.record.date, "runs", dates, records.today)
    for page in records.benchmarks.values():
        dates = [run.date for run in page.record.runs]
        yield from bad_dates(page, page.record.date, "runs", dates, records.today)


def published_sizes_are_stated_once(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a published file has one size, in the unit it was published in."""
    for log in records.measurements.values():
        for index, file in enumerate(log.record.files):
            if sum(size is not None for size in _sizes(file)) != 1:
                message = "a file has one of `gb`, `gib` and `bytes`"
                yield log.problem(("files", index), "published-size", message)


def _sizes(file: FileRecord) -> tuple[float | None, ...]:
    return (file.gb, file.gib, file.bytes)


def logged_hardware_exists(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure systems say how much unified memory they have, and no more memory than there is."""
    for authored, at, system in _systems(records):
        for index, node in enumerate(system.nodes):
            for place, part in enumerate(node.gpus):
                gpu = records.gpus.get(part.gpu)
                if gpu is None:
                    continue
                path = (*at, "nodes", index, "gpus", place)
                options = gpu.record.unified_memory_options_gib
                given = part.unified_memory_gib
                if (given is None) != (not options) or (given and given not in options):
                    message = f"the unified memory of {quoted(gpu.id)} is not a size that is sold"
                    sold = f"it is sold with {', '.join(map(str, options)) or 'memory of its own'}"
                    yield authored.problem(path, "unified-memory", message, sold)
                installed = gpu.record.vram_gib
                if system.visible_gib and installed and system.visible_gib > installed:
                    message = f"{written(system.visible_gib)} GiB is more than {quoted(gpu.id)} has"
                    place_of = (*at, "visible_gib")
                    yield authored.problem(place_of, "visible-memory", message, "check the GPU")


_ON_GPUS = ("weights_gib", "non_torch_gib", "activation_gib", "graphs_gib", "kv_pool_gib")


def logged_figures_fit_the_gpus(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure no part of a start takes more memory than all of its GPUs have: a wrong unit."""
    for log, at, run in _runs(records):
        installed = _installed_gib(records, run.system) if run.system else None
        for key in _ON_GPUS if installed else ():
            figure = getattr(run.observed, key)
            if figure is not None and installed and figure > installed:
                message = (
                    f"{written(figure)} GiB is more than the {written(installed)} GiB "
                    "of all its GPUs"
                )
                hint = "figures are in GiB: is the log's in MiB, or of more GPUs?"
                yield log.problem((*at, "observed", key), "logged-figure", message, hint)


def _installed_gib(records: CatalogRecords, system: SystemRecord) -> float | None:
    """Add up the memory of a system's GPUs; nothing where one is not known."""
    total = 0.0
    for node in system.nodes:
        for part in node.gpus:
            gpu = records.gpus.get(part.gpu)
            each = part.unified_memory_gib or (gpu.record.vram_gib if gpu else None)
            if each is None:
                return None
            total += each * part.count * node.count
    return total


def _runs(
    records: CatalogRecords,
) -> Iterator[tuple[Authored[MeasurementRecord], KeyPath, MemoryRunRecord]]:
    for log in records.measurements.values():
        for index, run in enumerate(log.record.runs):
            yield log, ("runs", index), run


def _systems(records: CatalogRecords) -> Iterator[tuple[Authored[Record], KeyPath, SystemRecord]]:
    for log, at, run in _runs(records):
        if run.system is not None:
            yield log, (*at, "system"), run.system
    for page in records.benchmarks.values():
        for index, speed in enumerate(page.record.runs):
            yield page, ("runs", index, "system"), speed.system

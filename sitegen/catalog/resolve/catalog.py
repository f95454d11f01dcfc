"""Checked records to the catalog: ids become objects, units become bytes and seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from sitegen.catalog.authored import CatalogRecords, renamed
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Gpu
from sitegen.catalog.kinds import Kind
from sitegen.catalog.resolve.claims import ClaimIds, resolve_claims
from sitegen.catalog.resolve.hardware import resolve_combo, resolve_gpu, resolve_interconnect
from sitegen.catalog.resolve.losses import resolve_losses
from sitegen.catalog.resolve.measurements import resolve_measurements
from sitegen.catalog.resolve.models import resolve_model, resolve_quantization, resolve_runtime
from sitegen.catalog.resolve.parts import resolve_constant
from sitegen.catalog.resolve.runs import resolve_benchmarks
from sitegen.catalog.resolve.scores import resolve_board, resolve_scores

V = TypeVar("V")
VISIBLE_FRACTION = "visible-memory-fraction"
"""Assumption that says how much of a card's memory a process sees, where nobody measured it."""


def resolve(records: CatalogRecords) -> Catalog:
    """Turn records that every check has passed into domain values.

    Args:
        records: All records; each reference names one of them.

    Returns:
        The catalog, in the order of ``records``.
    """
    assumptions = {
        key: resolve_constant(key, authored.record) for key, authored in records.assumptions.items()
    }
    fraction = assumptions.get(VISIBLE_FRACTION)
    visible_fraction = fraction.value.mid if fraction else None
    now = {kind: renamed(records, kind) for kind in Kind}
    links = {key: resolve_interconnect(link) for key, link in records.interconnects.items()}
    gpus = {
        key: _with_links_of_today(resolve_gpu(gpu, visible_fraction), now[Kind.INTERCONNECT])
        for key, gpu in records.gpus.items()
    }
    quantizations = {
        key: resolve_quantization(quantization)
        for key, quantization in records.quantizations.items()
    }
    every_gpu = _by_any_id(gpus, now[Kind.GPU])
    every_link = _by_any_id(links, now[Kind.INTERCONNECT])
    every_recipe = _by_any_id(quantizations, now[Kind.QUANTIZATION])
    runtimes = now[Kind.RUNTIME]
    combos = {k: resolve_combo(c, every_gpu, every_link) for k, c in records.combos.items()}
    engines = {k: resolve_runtime(r) for k, r in records.runtimes.items()}
    hardware = (every_gpu, every_link)
    models = {key: resolve_model(model, every_recipe) for key, model in records.models.items()}
    named = ClaimIds(_by_any_id(models, now[Kind.MODEL]), every_recipe, every_gpu, every_link)
    return Catalog(
        gpus=gpus,
        interconnects=links,
        combos={
            key: replace(combo, orchestrator=runtimes.get(combo.orchestrator, combo.orchestrator))
            for key, combo in combos.items()
        },
        models=models,
        quantizations=quantizations,
        runtimes={
            key: replace(engine, drives=tuple(runtimes.get(d, d) for d in engine.drives))
            for key, engine in engines.items()
        },
        assumptions=assumptions,
        measurements={
            key: resolve_measurements(m, hardware) for key, m in records.measurements.items()
        },
        benchmarks={key: resolve_benchmarks(b, hardware) for key, b in records.benchmarks.items()},
        claims={key: resolve_claims(page, named) for key, page in records.claims.items()},
        losses={key: resolve_losses(one, now) for key, one in records.losses.items()},
        boards={key: resolve_board(board) for key, board in records.boards.items()},
        scores={
            key: resolve_scores(sheet, records.names, now[Kind.MODEL])
            for key, sheet in records.scores.items()
        },
        renamed={kind.value: old for kind, old in now.items() if old},
    )


def _by_any_id(values: Mapping[str, V], old: Mapping[str, str]) -> Mapping[str, V]:
    """Add the ids of before to those of today."""
    return {**values, **{before: values[today] for before, today in old.items()}}


def _with_links_of_today(gpu: Gpu, old: Mapping[str, str]) -> Gpu:
    links = tuple(old.get(link, link) for link in gpu.links)
    return replace(gpu, bus=old.get(gpu.bus, gpu.bus), links=links)

"""Checked records to the catalog: ids become objects, units become bytes and seconds."""

from __future__ import annotations

from sitegen.catalog.authored import CatalogRecords
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.resolve_hardware import resolve_combo, resolve_gpu, resolve_interconnect
from sitegen.catalog.resolve_models import resolve_model, resolve_quantization, resolve_runtime
from sitegen.catalog.resolve_parts import resolve_constant

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
    gpus = {key: resolve_gpu(gpu, visible_fraction) for key, gpu in records.gpus.items()}
    links = {key: resolve_interconnect(link) for key, link in records.interconnects.items()}
    quantizations = {
        key: resolve_quantization(quantization)
        for key, quantization in records.quantizations.items()
    }
    return Catalog(
        gpus=gpus,
        interconnects=links,
        combos={key: resolve_combo(combo, gpus, links) for key, combo in records.combos.items()},
        models={key: resolve_model(model, quantizations) for key, model in records.models.items()},
        quantizations=quantizations,
        runtimes={key: resolve_runtime(runtime) for key, runtime in records.runtimes.items()},
        assumptions=assumptions,
    )

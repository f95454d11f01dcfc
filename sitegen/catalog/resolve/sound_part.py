"""What of a catalog with errors the engine's own rules can be asked about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from typing import TypeVar

from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import LanguageModel, Quantization
from sitegen.catalog.domain.provenance import Constant
from sitegen.catalog.kinds import Kind
from sitegen.catalog.records.models import ModelRecord
from sitegen.catalog.records.parts import Record
from sitegen.catalog.resolve.models import resolve_model, resolve_quantization, resolve_runtime
from sitegen.catalog.resolve.parts import resolve_constant
from sitegen.problems import Problem, Severity

R = TypeVar("R", bound=Record)


def sound_part(records: CatalogRecords, problems: Iterable[Problem]) -> Catalog:
    """Return the models, quantizations, runtimes and assumptions that have a value despite errors.

    A model has one whatever rule it breaks. Of the others those have one that break none. What is
    broken counts as there, so that nothing is said to be missing that only cannot be read.

    Args:
        records: Records that could be read.
        problems: What is wrong with the catalog.
    """
    errors = {one.span.path for one in problems if one.severity is Severity.ERROR}
    quantizations = {
        id_: resolve_quantization(one)
        for id_, one in _without_errors(records.quantizations, errors).items()
    }
    assumptions = {
        id_: resolve_constant(id_, one.record)
        for id_, one in _without_errors(records.assumptions, errors).items()
    }
    return Catalog(
        gpus={},
        interconnects={},
        combos={},
        models=_models(records.models, quantizations),
        quantizations=quantizations,
        runtimes={
            id_: resolve_runtime(one)
            for id_, one in _without_errors(records.runtimes, errors).items()
        },
        assumptions=_all_there(assumptions, records.ids[Kind.ASSUMPTION]),
        measurements={},
        benchmarks={},
        claims={},
    )


def _without_errors(
    records: Mapping[str, Authored[R]], errors: Set[str]
) -> Mapping[str, Authored[R]]:
    return {id_: one for id_, one in records.items() if one.span.path not in errors}


def _all_there(found: Mapping[str, Constant], ids: Set[str]) -> Mapping[str, Constant]:
    """Let any constant stand for those that have none: only whether they are there is asked."""
    some = next(iter(found.values()), None)
    return found if some is None else {id_: found.get(id_, some) for id_ in sorted(ids)}


def _models(
    records: Mapping[str, Authored[ModelRecord]], quantizations: Mapping[str, Quantization]
) -> dict[str, LanguageModel]:
    """Resolve every model; a quantization that is broken is one of another's kind."""
    some = next(iter(quantizations.values()), None)
    if some is None:
        return {}
    named = {part.quantization for one in records.values() for part in one.record.checkpoints}
    every = {id_: quantizations.get(id_) or replace(some, id=id_) for id_ in sorted(named)}
    return {id_: resolve_model(one, every) for id_, one in records.items()}

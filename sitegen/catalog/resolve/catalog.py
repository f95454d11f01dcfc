"""Checked records to the catalog: ids become objects, units become bytes and seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any, Generic, TypeVar

from sitegen.catalog.authored import Authored, CatalogRecords, renamed
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, Gpu
from sitegen.catalog.domain.models import Runtime
from sitegen.catalog.domain.provenance import Constant
from sitegen.catalog.domain.scores import ScoreSheet
from sitegen.catalog.kinds import Kind
from sitegen.catalog.records.parts import Record
from sitegen.catalog.resolve.claims import ClaimIds, resolve_claims
from sitegen.catalog.resolve.hardware import resolve_combo, resolve_gpu, resolve_interconnect
from sitegen.catalog.resolve.losses import resolve_losses
from sitegen.catalog.resolve.measurements import resolve_measurements
from sitegen.catalog.resolve.models import resolve_model, resolve_quantization, resolve_runtime
from sitegen.catalog.resolve.parts import resolve_constant
from sitegen.catalog.resolve.runs import Hardware, resolve_benchmarks
from sitegen.catalog.resolve.scores import resolve_board, resolve_scores
from sitegen.values import dataclass

R = TypeVar("R", bound=Record)
V = TypeVar("V")
VISIBLE_FRACTION = "visible-memory-fraction"
"""Assumption that says how much of a card's memory a process sees, where nobody measured it."""


class _Noting(Mapping[str, V]):
    """Values by id that note which of them are asked for."""

    def __init__(self, values: Mapping[str, V]) -> None:
        self.asked: dict[str, V] = {}
        self._values = values

    def __getitem__(self, id_: str) -> V:
        self.asked[id_] = value = self._values[id_]
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


@dataclass(frozen=True, slots=True)
class _Kept(Generic[V]):
    """The value of a record, and what it was made of."""

    value: V
    record: object
    beside: object
    referred: tuple[Mapping[str, object], ...]

    def holds(
        self, record: object, beside: object, references: Iterable[Mapping[str, object]]
    ) -> bool:
        """Return whether it would be made of the same once more."""
        return (
            self.record is record
            and self.beside == beside
            and all(
                now.get(id_) is value
                for now, asked in zip(references, self.referred, strict=True)
                for id_, value in asked.items()
            )
        )


@dataclass(slots=True)
class Resolved:
    """Values of the catalog resolved last, by kind and id: what stays is not resolved again."""

    kinds: dict[Kind, dict[str, _Kept[Any]]] = field(default_factory=dict)

    def each(
        self,
        kind: Kind,
        records: Mapping[str, Authored[R]],
        make: Callable[..., V],
        *references: Mapping[str, object],
        beside: object = None,
    ) -> dict[str, V]:
        """Return the value of each record, by id.

        Args:
            kind: Kind of the records.
            records: They, by id.
            make: Makes a value of a record and ``references``.
            references: Values of other records, by id.
            beside: All else that ``make`` reads.
        """
        known = self.kinds.get(kind, {})
        kept = self.kinds[kind] = {}
        for id_, record in records.items():
            last = known.get(id_)
            if last is None or not last.holds(record, beside, references):
                noting = tuple(map(_Noting, references))
                value = make(record, *noting)
                last = _Kept(value, record, beside, tuple(one.asked for one in noting))
            kept[id_] = last
        return {id_: last.value for id_, last in kept.items()}


def resolve(records: CatalogRecords, last: Resolved | None = None) -> Catalog:
    """Turn records that every check has passed into domain values.

    Args:
        records: All records; each reference names one of them.
        last: What was resolved last; takes what is resolved now.

    Returns:
        The catalog, in the order of ``records``.
    """
    last = last or Resolved()
    each = last.each
    assumptions = each(
        Kind.ASSUMPTION, records.assumptions, lambda one: resolve_constant(one.id, one.record)
    )
    now = {kind: renamed(records, kind) for kind in Kind}
    old_links, runtimes, old_models = now[Kind.INTERCONNECT], now[Kind.RUNTIME], now[Kind.MODEL]
    links = each(Kind.INTERCONNECT, records.interconnects, resolve_interconnect)
    gpus = _gpus(last, records, assumptions, old_links)
    quantizations = each(Kind.QUANTIZATION, records.quantizations, resolve_quantization)
    every_gpu = _by_any_id(gpus, now[Kind.GPU])
    every_link = _by_any_id(links, old_links)
    every_recipe = _by_any_id(quantizations, now[Kind.QUANTIZATION])
    hardware = every_gpu, every_link
    models = each(Kind.MODEL, records.models, resolve_model, every_recipe)
    named = (_by_any_id(models, old_models), every_recipe, *hardware)
    return Catalog(
        gpus=gpus,
        interconnects=links,
        combos=_combos(last, records, hardware, runtimes),
        models=models,
        quantizations=quantizations,
        runtimes=each(
            Kind.RUNTIME,
            records.runtimes,
            lambda one: _driving_those_of_today(resolve_runtime(one), runtimes),
            beside=runtimes,
        ),
        assumptions=assumptions,
        measurements=each(
            Kind.MEASUREMENT, records.measurements, _on(resolve_measurements), *hardware
        ),
        benchmarks=each(Kind.BENCHMARK, records.benchmarks, _on(resolve_benchmarks), *hardware),
        claims=each(
            Kind.CLAIM,
            records.claims,
            lambda one, *ids: resolve_claims(one, ClaimIds(*ids)),
            *named,
        ),
        losses=each(Kind.LOSS, records.losses, lambda one: resolve_losses(one, now), beside=now),
        boards=each(Kind.BOARD, records.boards, resolve_board),
        scores=_scores(last, records, old_models),
        renamed={kind.value: old for kind, old in now.items() if old},
    )


def _gpus(
    last: Resolved,
    records: CatalogRecords,
    assumptions: Mapping[str, Constant],
    links: Mapping[str, str],
) -> dict[str, Gpu]:
    fraction = assumptions.get(VISIBLE_FRACTION)
    visible = fraction.value.mid if fraction else None
    return last.each(
        Kind.GPU,
        records.gpus,
        lambda one: _with_links_of_today(resolve_gpu(one, visible), links),
        beside=(visible, links),
    )


def _combos(
    last: Resolved, records: CatalogRecords, hardware: Hardware, runtimes: Mapping[str, str]
) -> dict[str, Combo]:
    return last.each(
        Kind.COMBO,
        records.combos,
        lambda one, *parts: _with_runtime_of_today(resolve_combo(one, *parts), runtimes),
        *hardware,
        beside=runtimes,
    )


def _scores(
    last: Resolved, records: CatalogRecords, models: Mapping[str, str]
) -> dict[str, ScoreSheet]:
    return last.each(
        Kind.SCORE,
        records.scores,
        lambda one, names: resolve_scores(one, names, models),
        records.names,
        beside=models,
    )


def _on(make: Callable[[Authored[R], Hardware], V]) -> Callable[..., V]:
    """Take GPUs and links one by one."""
    return lambda one, *hardware: make(one, hardware)


def _by_any_id(values: Mapping[str, V], old: Mapping[str, str]) -> Mapping[str, V]:
    """Add the ids of before to those of today."""
    return {**values, **{before: values[today] for before, today in old.items()}}


def _with_links_of_today(gpu: Gpu, old: Mapping[str, str]) -> Gpu:
    links = tuple(old.get(link, link) for link in gpu.links)
    return replace(gpu, bus=old.get(gpu.bus, gpu.bus), links=links)


def _with_runtime_of_today(combo: Combo, old: Mapping[str, str]) -> Combo:
    return replace(combo, orchestrator=old.get(combo.orchestrator, combo.orchestrator))


def _driving_those_of_today(runtime: Runtime, old: Mapping[str, str]) -> Runtime:
    return replace(runtime, drives=tuple(old.get(id_, id_) for id_ in runtime.drives))

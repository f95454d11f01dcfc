"""Models that one, two, four or eight of a GPU run, read from verdicts that exist.

Source:
    Decision 55. Where the catalog has the machine, its rows say it. Elsewhere the smallest machine
    that runs a model (``gpu_counts``) says it for all larger ones, with the figures of that
    machine. Nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import (
    Combo,
    Gpu,
    InstalledGpu,
    UnifiedMemory,
)
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.fit.usual_links import usual_link
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.best_for_use import longest_context
from sitegen.survey.gpu_counts import POWERS, installed_kinds, machine_of
from sitegen.survey.results import ComboSurvey, Survey
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class OneKind:
    """Machines with some number of a card, or with one chip and a size of memory.

    Attributes:
        gpu: The kind.
        each_bytes: Memory installed on each.
        machines: A machine for each number of ``POWERS`` that people can build, by number.
        listed: What was found on those of them that the catalog has, by number.
    """

    gpu: Gpu
    each_bytes: int
    machines: Mapping[int, Combo]
    listed: Mapping[int, ComboSurvey]

    @property
    def is_chip(self) -> bool:
        """Whether it shares its memory with the processor, so that a machine has one size of it."""
        return isinstance(self.gpu.memory, UnifiedMemory)


@dataclass(frozen=True, slots=True)
class OnGpus:
    """A model's verdict on a number of GPUs of one kind.

    Attributes:
        tier: The verdict, with ``too_close``.
        tokens_per_s: Of one stream, the middle estimate; 0 where it is not known.
        context_tokens: The longest of one sequence; 0 where it is not known.
        count: GPUs that these two are of: fewer than there are where fewer are enough.
        file: The quantization that they are of, by name; another GPU may run another.
    """

    tier: FitTier
    too_close: bool = False
    tokens_per_s: float = 0.0
    context_tokens: int = 0
    count: int = 0
    file: str = ""


NOT = OnGpus(FitTier.NOT_PRACTICAL)


def every_kind(catalog: Catalog, survey: Survey) -> tuple[OneKind, ...]:
    """List each card, and each chip with each size of memory, in the order of the catalog."""
    listed = _listed(catalog, survey)
    found: list[OneKind] = []
    for gpu in catalog.gpus.values():
        alone = isinstance(gpu.memory, UnifiedMemory) or gpu.body.form == "laptop"
        counts = (1,) if alone else POWERS
        found += [_kind(catalog, one, counts, listed) for one in installed_kinds(gpu)]
    return tuple(found)


def _kind(
    catalog: Catalog,
    one: InstalledGpu,
    counts: Sequence[int],
    listed: Mapping[tuple[str, int, int], ComboSurvey],
) -> OneKind:
    known = {
        count: listed[key]
        for count in POWERS
        if (key := (one.gpu.id, one.installed_bytes, count)) in listed
    }
    machines = {count: survey.combo for count, survey in known.items()}
    for count in counts:
        if count not in machines:
            made = machine_of(catalog, one, count)
            if made is not None:
                machines[count] = made
    return OneKind(one.gpu, one.installed_bytes, dict(sorted(machines.items())), known)


def _listed(catalog: Catalog, survey: Survey) -> Mapping[tuple[str, int, int], ComboSurvey]:
    """Index combos of one machine with equal GPUs by GPU, size and number.

    Of several the one with the usual link counts, then the one with least RAM: it is a machine
    whose GPUs do the work.
    """

    def place(one: ComboSurvey) -> tuple[bool, int, str]:
        node = one.combo.nodes[0]
        link = node.link.id if node.link and len(node.gpus) > 1 else ""
        usual = usual_link(catalog, node.gpus[0].gpu.id) if len(node.gpus) > 1 else ""
        return (link != usual, node.ram_bytes or 0, one.combo.id)

    found: dict[tuple[str, int, int], ComboSurvey] = {}
    for one in sorted(survey.combos.values(), key=place):
        gpus = one.combo.gpus
        kinds = {(gpu.gpu.id, gpu.installed_bytes) for gpu in gpus}
        if len(one.combo.nodes) == 1 and len(kinds) == 1:
            (kind,) = kinds
            found.setdefault((*kind, len(gpus)), one)
    return found


def on_gpus(kind: OneKind, count: int, needs: Iterable[GpusNeeded]) -> Mapping[str, OnGpus]:
    """Say how models run on so many of a kind, by id; a model that is left out runs on none.

    ``needs`` are those of the kind's GPU.
    """
    listed = kind.listed.get(count)
    if listed is not None:
        return {row.model.id: _of_row(row.tier, row.pick, row.too_close) for row in listed.rows}
    found = {need.model.id: _of_need(need, kind, count) for need in needs}
    return {model: one for model, one in found.items() if one is not NOT}


def _of_row(tier: FitTier, pick: Assessment, too_close: bool) -> OnGpus:
    if tier is FitTier.NOT_PRACTICAL:
        return OnGpus(tier, too_close)
    speed = pick.speed.single_tokens_per_s.mid if pick.speed else 0.0
    file = pick.checkpoint.quantization.name
    return OnGpus(tier, too_close, speed, longest_context(pick), len(pick.combo.gpus), file)


def _of_need(need: GpusNeeded, kind: OneKind, count: int) -> OnGpus:
    if is_enough(need.machine, kind, count):
        return figures_of(need)
    if need.tight_on is not None and is_enough(need.tight_on, kind, count):
        return OnGpus(FitTier.BORDERLINE)
    return NOT


def figures_of(need: GpusNeeded) -> OnGpus:
    """Take the figures of the smallest machine."""
    speed, file = need.single_tokens_per_s.mid, need.checkpoint.quantization.name
    context = need.max_context_tokens
    return OnGpus(need.tier, need.too_close, speed, context, need.count, file)


def is_enough(machine: Combo, kind: OneKind, count: int) -> bool:
    """Return whether so many GPUs of a kind are at least as large as another machine with them."""
    if kind.is_chip:
        return machine.gpus[0].installed_bytes <= kind.each_bytes
    return len(machine.gpus) <= count

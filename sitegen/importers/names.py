"""What a file's own names may mean in the catalog: suggestions that an editor confirms or not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.importers.measured import NamedHardware
from sitegen.importers.spellings.gpus import GpuNames
from sitegen.importers.spellings.models import ModelNames, Strictness
from sitegen.importers.spellings.quantizations import QuantizationNames

MOST = 5


def gpus_named(name: str, catalog: Catalog) -> tuple[str, ...]:
    """Ids of the GPUs that a file's name for its hardware may mean.

    A file's ``H100`` is one of several H100s: all are returned, none is chosen.
    """
    return GpuNames(catalog.gpus).meant(name)


def combos_named(hardware: Iterable[NamedHardware], catalog: Catalog) -> tuple[str, ...]:
    """Ids of the combos that have the GPUs a file names, as many of each."""
    wanted = [(set(gpus_named(one.name, catalog)), one.count) for one in hardware]
    if not wanted or not all(ids for ids, _ in wanted):
        return ()
    return tuple(combo.id for combo in catalog.combos.values() if _has(combo, wanted))[:MOST]


def _has(combo: Combo, wanted: Iterable[tuple[set[str], int]]) -> bool:
    there = Counter(installed.gpu.id for installed in combo.gpus)
    for ids, count in wanted:
        found = next((id for id in ids if there[id] == count), None)
        if found is None:
            return False
        del there[found]
    return not there


def models_named(name: str, catalog: Catalog) -> tuple[str, ...]:
    """Ids of the models that a repository, or a name, may mean."""
    by_repository = tuple(
        model.id
        for model in catalog.models.values()
        if name and name in {model.repository, *(c.repository for c in model.checkpoints)}
    )
    if by_repository:
        return by_repository
    by_rule = ModelNames(catalog.models).meant(name, Strictness.SHAPE).models
    if by_rule:
        return by_rule[:MOST]
    parts = frozenset(re.findall(r"[a-z]+|\d+", name.rpartition("/")[2].lower()))
    alike = {
        model.id: len(parts & frozenset(re.findall(r"[a-z]+|\d+", model.id)))
        for model in catalog.models.values()
    }
    best = max(alike.values(), default=0)
    return tuple(id for id, count in alike.items() if count == best)[:MOST] if best > 1 else ()


def checkpoints_named(name: str, model: str, catalog: Catalog) -> tuple[str, ...]:
    """Ids of the checkpoints of a model that a repository or a format's word may mean."""
    listed = catalog.models[model].checkpoints
    same = tuple(c.id for c in listed if c.repository and c.repository == name)
    marks = ModelNames(catalog.models).split(name).marks
    names = QuantizationNames(catalog.quantizations)
    meant = names.meant(name) or names.of_marks(marks)
    same = same or tuple(c.id for c in listed if c.quantization.id == meant)
    word = re.sub(r"[^a-z0-9]", "", name.lower())
    return same or tuple(
        c.id
        for c in listed
        if word and re.sub(r"[^a-z0-9]", "", c.quantization.name.lower()) in word
    )

"""Pairs of a model and a machine that people look for: each has a page of its own.

What the catalog knows of what people use decides: downloads of a model's files on the Hub, and how
many sources published runs on the same GPUs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel
from sitegen.fit.assessment import FitTier
from sitegen.survey.results import ModelOnCombo

MODELS = 12
MACHINES = 30


def pairs(catalog: Catalog, rows: Mapping[str, Sequence[ModelOnCombo]]) -> Iterator[ModelOnCombo]:
    """Yield the rows of the models on the machines: the most usual machine first.

    Args:
        catalog: What the records say.
        rows: The rows of each model on every combo.
    """
    machines = usual_machines(catalog)
    models = usual_models(catalog, rows, machines)
    for combo in machines:
        for model in models:
            yield from (row for row in rows[model.id] if row.pick.combo.id == combo.id)


def usual_machines(catalog: Catalog) -> tuple[Combo, ...]:
    """Choose the machines whose GPUs most sources of runs name, one for each kind of them.

    With experts in system RAM a run is of a whole computer, and says little of its GPUs.

    Combos that differ in something other than GPUs, links and the number of machines are of one
    kind; the first by id stands for them.
    """
    named = Counter(
        gpus
        for source in catalog.benchmarks.values()
        for gpus in {
            _counted(gpu.gpu.id for gpu in run.system.gpus)
            for run in source.runs
            if not run.split.cpu_expert_layers
        }
    )
    kinds: dict[tuple[object, ...], Combo] = {}
    for combo in catalog.combos.values():
        kinds.setdefault(_kind(combo), combo)
    found = {
        combo.id: named[_counted(one.gpu.id for one in combo.gpus)] for combo in kinds.values()
    }
    ordered = sorted(kinds.values(), key=lambda combo: (-found[combo.id], combo.id))
    return tuple(combo for combo in ordered if found[combo.id])[:MACHINES]


def _counted(gpu_ids: Iterator[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(gpu_ids).items()))


def _kind(combo: Combo) -> tuple[object, ...]:
    nodes = tuple(
        (tuple((one.gpu.id, one.installed_bytes) for one in node.gpus), node.link)
        for node in combo.nodes
    )
    return (nodes, combo.network)


def usual_models(
    catalog: Catalog, rows: Mapping[str, Sequence[ModelOnCombo]], machines: Sequence[Combo]
) -> tuple[LanguageModel, ...]:
    """Choose the most downloaded models that do not run comfortably on every one of the machines.

    Of a model that does, the machine is no question.
    """
    ids = {combo.id for combo in machines}

    def is_question(model: LanguageModel) -> bool:
        tiers = {row.tier for row in rows.get(model.id, ()) if row.pick.combo.id in ids}
        return bool(tiers - {FitTier.COMFORTABLE})

    found = [(downloads(one), one) for one in catalog.surveyed_models if is_question(one)]
    found.sort(key=lambda pair: (-pair[0], pair[1].id))
    return tuple(model for count, model in found if count)[:MODELS]


def downloads(model: LanguageModel) -> int:
    """Sum the downloads of a model's repositories, each of which may have several checkpoints."""
    counts: dict[str, int] = {}
    for one in model.checkpoints:
        counts[one.repository] = max(counts.get(one.repository, 0), one.downloads or 0)
    return sum(counts.values())

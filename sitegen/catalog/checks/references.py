"""Rules on ids that name other records."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.authored import Authored, CatalogRecords, unknown_reference
from sitegen.catalog.kinds import REFERENCES
from sitegen.catalog.positions import KeyPath
from sitegen.catalog.records.parts import Record
from sitegen.catalog.source_text import quoted
from sitegen.problems import Problem


def references_exist(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure every id that a record refers to has a file, broken or not."""
    for authored, path, key, given in _references(records):
        if given is not None and given not in records.ids[REFERENCES[key].kind]:
            yield unknown_reference(authored.source, path, key, given, records.ids)


def orchestrators_orchestrate(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a combo names an orchestrator that is one, and an orchestrator drives engines."""
    for combo in records.combos.values():
        runtime = records.runtimes.get(combo.record.orchestrator or "")
        if runtime and runtime.record.memory_model != "orchestrator":
            message = f"{quoted(runtime.id)} is an engine, not an orchestrator"
            hint = "leave the key out unless another program places the replicas"
            yield combo.problem(("orchestrator",), "not-an-orchestrator", message, hint)
    for orchestrator in records.runtimes.values():
        for index, driven in enumerate(orchestrator.record.drives):
            runtime = records.runtimes.get(driven)
            if runtime and runtime.record.memory_model == "orchestrator":
                message = f"{quoted(driven)} is an orchestrator itself"
                yield orchestrator.problem(("drives", index), "drives-orchestrator", message)


def _references(
    records: CatalogRecords,
) -> Iterator[tuple[Authored[Record], KeyPath, str, str | None]]:
    """Yield each reference: who refers, at which path, under which key, to what."""
    for gpu in records.gpus.values():
        yield gpu, ("bus",), "bus", gpu.record.bus
        for index, link in enumerate(gpu.record.links):
            yield gpu, ("links", index), "links", link
    for combo in records.combos.values():
        yield combo, ("network",), "network", combo.record.network
        yield combo, ("orchestrator",), "orchestrator", combo.record.orchestrator
        for index, node in enumerate(combo.record.nodes):
            yield combo, ("nodes", index, "link"), "link", node.link
            for place, part in enumerate(node.gpus):
                yield combo, ("nodes", index, "gpus", place, "gpu"), "gpu", part.gpu
    for model in records.models.values():
        for index, checkpoint in enumerate(model.record.checkpoints):
            path = ("checkpoints", index, "quantization")
            yield model, path, "quantization", checkpoint.quantization
    for runtime in records.runtimes.values():
        for index, driven in enumerate(runtime.record.drives):
            yield runtime, ("drives", index), "drives", driven

"""Rules on ids that name other records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from sitegen.catalog.authored import (
    Authored,
    CatalogRecords,
    leaves,
    renamed,
    unknown_reference,
)
from sitegen.catalog.kinds import REFERENCES, Kind
from sitegen.catalog.records.benchmarks import SpeedRunRecord
from sitegen.catalog.records.parts import Record, Renamable
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.source_text import quoted
from sitegen.problems import Problem, Severity

if TYPE_CHECKING:
    from sitegen.catalog.records.measurements import MemoryRunRecord


def references_exist(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure every id that a record refers to has a file, broken or not."""
    today = {kind: renamed(records, kind) for kind in Kind}
    for authored, path, key, given in references_of(records):
        kind = REFERENCES[key].kind
        if given is None or given in records.ids[kind]:
            continue
        if given in today[kind]:
            message = f"the {kind} {quoted(given)} is called {quoted(today[kind][given])} now"
            found = authored.problem(path, "renamed-id", message, f"write {today[kind][given]}")
            yield replace(found, severity=Severity.WARNING)
        else:
            yield unknown_reference(authored.source, path, key, given, records.ids)


def old_ids_are_free(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure an id of before is no record's id today, and only one record's of before."""
    claimed: dict[tuple[Kind, str], str] = {}
    for authored in records.all:
        if not isinstance(authored.record, Renamable):
            continue
        for index, old in enumerate(authored.record.renamed_from):
            path, kind = ("renamed_from", index), authored.kind
            owner = claimed.setdefault((kind, old), authored.id)
            if old in records.ids[kind]:
                message = f"{quoted(old)} is itself a {kind}"
                yield authored.problem(path, "old-id-taken", message, "remove one of the two")
            elif owner != authored.id:
                message = f"{quoted(old)} is also an old id of {quoted(owner)}"
                yield authored.problem(path, "old-id-taken", message, "keep it in one record")


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


def references_of(
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
        yield model, ("superseded_by",), "superseded_by", model.record.superseded_by
        for index, checkpoint in enumerate(model.record.checkpoints):
            path = ("checkpoints", index, "quantization")
            yield model, path, "quantization", checkpoint.quantization
    for runtime in records.runtimes.values():
        for index, driven in enumerate(runtime.record.drives):
            yield runtime, ("drives", index), "drives", driven
        for index, limit in enumerate(runtime.record.format_limits):
            yield from _inside(runtime, ("format_limits", index), limit)
    yield from _of_runs(records)


def _of_runs(
    records: CatalogRecords,
) -> Iterator[tuple[Authored[Record], KeyPath, str, str | None]]:
    for log in records.measurements.values():
        for index, start in enumerate(log.record.runs):
            yield from _of_run(log, ("runs", index), start)
        for index, file in enumerate(log.record.files):
            yield log, ("files", index, "model"), "model", file.model
            yield log, ("files", index, "quantization"), "quantization", file.quantization
    for page in records.benchmarks.values():
        for index, run in enumerate(page.record.runs):
            yield from _of_run(page, ("runs", index), run)
    for claimed in records.claims.values():
        yield from _inside(claimed, (), claimed.record)
    for measured in records.losses.values():
        yield from _inside(measured, (), measured.record)
    for sheet in records.scores.values():
        yield sheet, ("names",), "names", sheet.record.names
        for index, table in enumerate(sheet.record.tables):
            yield sheet, ("tables", index, "board"), "board", table.board
    for names in records.names.values():
        for key, section in (("exact", names.record.exact), ("siblings", names.record.siblings)):
            for name, model in section.items():
                yield names, (key, name), "model", model


def _inside(
    authored: Authored[Record], at: KeyPath, record: Record
) -> Iterator[tuple[Authored[Record], KeyPath, str, str | None]]:
    """Yield every reference of a record and of the records in it, by the names of their keys."""
    for path, key, item in leaves(record, at):
        if key in REFERENCES and isinstance(item, str):
            yield authored, path, key, item


def _of_run(
    authored: Authored[Record], at: KeyPath, run: MemoryRunRecord | SpeedRunRecord
) -> Iterator[tuple[Authored[Record], KeyPath, str, str | None]]:
    subject, system = run.subject, run.system
    yield authored, (*at, "subject", "model"), "model", subject.model
    yield authored, (*at, "subject", "runtime"), "runtime", subject.runtime
    yield authored, (*at, "subject", "quantization"), "quantization", subject.quantization
    if isinstance(run, SpeedRunRecord):
        yield authored, (*at, "combo"), "combo", run.combo
    if system is None:
        return
    yield authored, (*at, "system", "network"), "network", system.network
    for index, node in enumerate(system.nodes):
        place = (*at, "system", "nodes", index)
        yield authored, (*place, "link"), "link", node.link
        for number, part in enumerate(node.gpus):
            yield authored, (*place, "gpus", number, "gpu"), "gpu", part.gpu

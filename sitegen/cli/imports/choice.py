"""The editor's statements: given by options or asked for at a terminal, never guessed."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

import click

from sitegen.catalog.authored import CatalogRecords
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.records.hardware import NodeRecord
from sitegen.cli.calendar_day import day_of_clock
from sitegen.cli.imports.options import KV_DTYPES, ImportOptions
from sitegen.cli.questions.choose import checkpoints_of, record, usage_error
from sitegen.cli.text.terminal import printable
from sitegen.importers.evidence import Contradiction, EditorStatement, contradictions
from sitegen.importers.measured import NamedHardware, ToolRun, all_same
from sitegen.importers.names import checkpoints_named, combos_named, models_named
from sitegen.importers.record import RunChoice
from sitegen.models.unpublished import unpublished

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}")


def choice_of(
    options: ImportOptions,
    records: CatalogRecords,
    catalog: Catalog,
    runs: Sequence[ToolRun],
) -> RunChoice:
    """Resolve what was said, and ask for what was not.

    Raises:
        click.UsageError: If something is missing and nobody can be asked, or names nothing.
    """
    several = sorted({run.model for run in runs if run.model})
    if len(several) > 1:
        raise usage_error("FILE", f"it names {len(several)} models", ", ".join(several[:5]))
    hardware = next((run.hardware for run in runs if run.hardware), ())
    combo_id = options.combo or _asked(
        "--combo", "On which combo did it run?", _words(hardware), combos_named(hardware, catalog)
    )
    combo = record("--combo", "combo", combo_id, catalog.combos)
    named = several[0] if several else ""
    model_id = options.model or _asked(
        "--model", "Which model?", named, models_named(named, catalog)
    )
    model = record("--model", "model", model_id, catalog.models)
    checkpoint, quantization = _weights(options, catalog, model.id, runs)
    said = all_same(run.runtime for run in runs)
    runtime_word = options.runtime or _asked(
        "--runtime", "Which runtime served it?", said, (said,) if said in catalog.runtimes else ()
    )
    runtime, _, version = runtime_word.partition("@")
    record("--runtime", "runtime", runtime, catalog.runtimes)
    if options.source and not options.read:
        raise usage_error("--read", "give the date on which you read the source")
    authored = records.combos[combo.id].record
    gpus = _gpus(options, combo)
    nodes = some_gpus(authored.nodes, gpus, options.first_gpu)
    return RunChoice(
        combo=combo.id,
        nodes=[node.model_dump(mode="json", exclude_defaults=True) for node in nodes],
        network=(authored.network or "") if sum(node.count for node in nodes) > 1 else "",
        gpus=gpus,
        model=model.id,
        checkpoint=checkpoint,
        quantization=quantization,
        runtime=runtime,
        version=_dotted(version),
        said=replace(
            options,
            dataset=_word("--dataset", options.dataset),
            kv_dtype=KV_DTYPES[options.kv_dtype] if options.kv_dtype else "",
        ),
    )


def _dotted(typed: str) -> str:
    """Return a version as records have it, in digits: ``0.19.1`` for ``v0.19.1``.

    Raises:
        click.UsageError: If it is none.
    """
    version = re.sub(r"^[vb](?=\d)", "", typed)
    if version and not re.fullmatch(r"\d+(\.\d+)*", version):
        raise usage_error("--runtime", f"{typed!r} is not a version in digits, such as 0.19.1")
    return version


def refuse_future_dates(options: ImportOptions, files: Mapping[str, str]) -> None:
    """Hold the dates that were typed to this machine's clock, as far as the catalog believes it.

    Raises:
        click.UsageError: If one of them is still to come.
    """
    for option, given in (("--date", options.date), ("--read", options.read)):
        today = day_of_clock(files.values()) if given else ""
        if today and given > today:
            raise usage_error(option, f"{given} is in the future")


def contradicted(
    choice: RunChoice,
    despite: Collection[str],
    catalog: Catalog,
    runs: Sequence[ToolRun],
) -> tuple[tuple[Contradiction, ...], RunChoice]:
    """Hold a choice against the file's own fields.

    Returns:
        What contradicts and was not said to, and the choice, whose notes name what was.
    """
    model = catalog.models[choice.model]
    named = [one for one in model.checkpoints if one.id == choice.checkpoint]
    stated = EditorStatement(
        combo=catalog.combos[choice.combo],
        gpus=choice.gpus,
        model=model,
        checkpoint=named[0] if named else unpublished(catalog.quantizations[choice.quantization]),
        runtime=choice.runtime,
        version=choice.version,
    )
    found = contradictions(runs, stated, catalog)
    kept = tuple(one for one in found if one.kind not in despite)
    known = [one.message for one in found if one.kind in despite]
    if not known:
        return kept, choice
    said = f"Imported although {'; '.join(known)}."
    notes = f"{said} {choice.said.notes}".strip()
    return kept, replace(choice, said=replace(choice.said, notes=notes))


def _gpus(options: ImportOptions, combo: Combo) -> int:
    """Count the GPUs that served: as many as was said, else all from the first on."""
    left = len(combo.gpus) - options.first_gpu
    if left < 1:
        raise usage_error("--first-gpu", f"the last of {combo.id} is {len(combo.gpus) - 1}")
    if options.gpus is not None and options.gpus > left:
        after = f" from {options.first_gpu} on" if options.first_gpu else ""
        raise usage_error("--gpus", f"{combo.id} has {left}{after}")
    return options.gpus or left


def some_gpus(nodes: Sequence[NodeRecord], wanted: int, skip: int) -> tuple[NodeRecord, ...]:
    """Keep GPUs that follow one another over machines in rank order, those before passed over."""
    kept: list[NodeRecord] = []
    for node in chain.from_iterable([one] * one.count for one in nodes):
        parts = []
        for part in node.gpus:
            passed = min(part.count, skip)
            count = min(part.count - passed, wanted)
            skip, wanted = skip - passed, wanted - count
            if count:
                parts.append(part.model_copy(update={"count": count}))
        if parts:
            alone = len(parts) == 1 and parts[0].count == 1
            link = None if alone else node.link
            kept.append(node.model_copy(update={"count": 1, "gpus": tuple(parts), "link": link}))
    return _counted(kept)


def _counted(nodes: Sequence[NodeRecord]) -> tuple[NodeRecord, ...]:
    """Write equal machines that follow one another as one entry."""
    node_records: list[NodeRecord] = []
    for node in nodes:
        if node_records and node_records[-1].model_copy(update={"count": 1}) == node:
            node_records[-1] = node_records[-1].model_copy(
                update={"count": node_records[-1].count + 1}
            )
        else:
            node_records.append(node)
    return tuple(node_records)


def _weights(
    options: ImportOptions, catalog: Catalog, model: str, runs: Iterable[ToolRun]
) -> tuple[str, str]:
    """Id of a listed checkpoint, or of a recipe where the model lists none of it."""
    if options.checkpoint and options.quantization:
        raise usage_error("--quantization", "it replaces --checkpoint: give only one of the two")
    named = next((run.quantization for run in runs if run.quantization), "")
    word = (
        options.checkpoint
        or options.quantization
        or _asked(
            "--checkpoint", "Which checkpoint?", named, checkpoints_named(named, model, catalog)
        )
    )
    found = catalog.models[model]
    listed = {one.id: one for one in found.checkpoints}
    if options.checkpoint:
        record("--checkpoint", "checkpoint", word, listed)
    checkpoint = checkpoints_of(found, word, catalog)[0]
    if checkpoint.id in listed:
        return checkpoint.id, ""
    return "", checkpoint.quantization.id


def _asked(option: str, question: str, named: str, suggested: Sequence[str]) -> str:
    """Ask at a terminal, with what the file's names suggest; elsewhere say what is missing.

    Raises:
        click.UsageError: If nobody can be asked.
    """
    says = f"the file says {printable(named)[:80]!r}" if named else "the file does not say"
    perhaps = f"; perhaps {', '.join(suggested)}" if suggested else ""
    if not sys.stdin.isatty():
        raise usage_error(option, f"{question[0].lower()}{question[1:]} {says}{perhaps}")
    if len(suggested) == 1 and click.confirm(
        f"{question} ({says}) Is it {suggested[0]}?", default=False, err=True
    ):
        return suggested[0]
    answer: str = click.prompt(f"{question} ({says}{perhaps})", err=True)
    return answer.strip()


def _words(hardware: Iterable[NamedHardware]) -> str:
    return " + ".join(f"{one.count}× {one.name}" for one in hardware)


def _word(option: str, given: str) -> str:
    if given and not _WORD.fullmatch(given):
        raise usage_error(option, "a word of at most 40 plain characters")
    return given

"""Tables of a model's checkpoints: their sizes, and what becomes of each on a combo."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.catalog.domain.models import Checkpoint, LanguageModel
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.physics.model_facts import ModelFacts
from sitegen.site.cells import (
    Absent,
    Cell,
    Code,
    EvidenceMark,
    Lines,
    Link,
    NumberCell,
    Small,
    TierMark,
    Unit,
    recorded,
)
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import url_of
from sitegen.site.words.tiers import COMFORTABLY
from sitegen.site.words.verdicts import NO_PLAN, checkpoint_name, row_link, utilization
from sitegen.survey.results import ModelOnCombo


def checkpoints_table(
    model: LanguageModel,
    facts: ModelFacts,
    on_combos: tuple[ModelOnCombo, ...],
    *,
    id: str = "checkpoints",
) -> Table:
    """List a model's checkpoints by format, with exact size and the least combo for each.

    The format of the release comes first, and in a format those that can be downloaded. A column
    in which nothing is recorded is left out.
    """
    files = [entry.checkpoint for entry in facts.checkpoints]
    published = any(checkpoint.published_bytes is not None for checkpoint in files)
    named = any(checkpoint.repository for checkpoint in files)
    columns = (
        Column("Checkpoint"),
        Column("Format"),
        Column("Weights", numeric=True, note="in memory"),
        Column(
            "Effective VRAM",
            numeric=True,
            note=f"of a machine that it fits {COMFORTABLY}",
            key="least effective vram",
        ),
        Column("Bits per weight", numeric=True, note="average"),
        *((Column("Published", numeric=True, note="file"),) if published else ()),
        Column("How we know the size", key="size known by"),
        *((Column("Repository"),) if named else ()),
    )
    least = _least_effective(on_combos)
    formats = list(dict.fromkeys(checkpoint.quantization.format for checkpoint in files))
    rows = tuple(
        Row(
            (
                _checkpoint_heading(model, entry.checkpoint.id),
                _format_name(entry.checkpoint),
                NumberCell(entry.total_bytes, Unit.GIB),
                least.get(entry.checkpoint.id, Absent(_nowhere(entry.checkpoint, on_combos))),
                NumberCell(entry.bits_per_weight, Unit.BITS),
                *((recorded(entry.checkpoint.published_bytes, Unit.GB),) if published else ()),
                EvidenceMark(entry.checkpoint.evidence),
                *((repository_cell(entry.checkpoint.repository),) if named else ()),
            )
        )
        for entry in sorted(
            facts.checkpoints,
            key=lambda entry: (
                formats.index(entry.checkpoint.quantization.format),
                not entry.checkpoint.repository,
            ),
        )
    )
    return Table(id, "Files and repositories", columns, rows, counted=True)


FORMAT_NAMES = {
    "gguf": "GGUF",
    "mlx": "MLX",
    "awq": "AWQ",
    "gptq": "GPTQ",
    "exl2": "EXL2",
    "exl3": "EXL3",
    "bitsandbytes": "bitsandbytes",
    "compressed-tensors": "compressed-tensors",
}
"""Formats by the names that people search for; those of plain number types in capitals."""


def _format_name(checkpoint: Checkpoint) -> str:
    name = checkpoint.quantization.format
    return FORMAT_NAMES.get(name, name.upper())


def repository_cell(name: str) -> Cell:
    """Link a Hugging Face repository."""
    return Link(f"https://huggingface.co/{name}", name) if name else Absent("none known")


def _checkpoint_heading(model: LanguageModel, checkpoint_id: str) -> Cell:
    checkpoint = next(c for c in model.checkpoints if c.id == checkpoint_id)
    lines: list[Cell] = [checkpoint.quantization.name, Small(Code(checkpoint.id))]
    if checkpoint.native:
        lines.append(Small("as released"))
    elif not checkpoint.quantization.production:
        lines.append(Small("format below 4 bits: leads no answer"))
    return Lines(tuple(lines))


def _nowhere(checkpoint: Checkpoint, on_combos: tuple[ModelOnCombo, ...]) -> str:
    """Tell a checkpoint that fits no combo from one that was not assessed, and why not.

    A runtime that is not surveyed in full is asked only where the others have nothing comfortable.
    """
    if not on_combos:
        return "not surveyed"
    judged = [outcome for row in on_combos for outcome in row.judged]
    of_this = [outcome for outcome in judged if outcome.checkpoint.id == checkpoint.id]
    if any(outcome.runtime.surveyed_in_full for outcome in of_this):
        return "fits no machine in the catalog"
    if of_this:
        return "assessed only if nothing else fits"
    if checkpoint.quantization.format in {
        outcome.checkpoint.quantization.format for outcome in judged
    }:
        return "not needed: a larger file fits"
    return "not assessed yet"


def _least_effective(on_combos: tuple[ModelOnCombo, ...]) -> dict[str, Cell]:
    """By checkpoint id: the least effective VRAM among outcomes that fit comfortably."""
    least: dict[str, tuple[int, Link]] = {}
    for row in on_combos:
        for found in row.judged:
            if found.tier is not FitTier.COMFORTABLE:
                continue
            size = found.effective_vram_bytes
            if found.checkpoint.id not in least or size < least[found.checkpoint.id][0]:
                least[found.checkpoint.id] = (size, Link(row_link(found), found.combo.name))
    return {
        key: Lines((NumberCell(size, Unit.GIB), Small(link))) for key, (size, link) in least.items()
    }


def checkpoints_on_combo_table(assessments: Sequence[Assessment], *, id: str) -> Table:
    """List every checkpoint of a model on one combo, largest first."""
    columns = (
        Column("Checkpoint"),
        Column("Verdict"),
        Column("Weights", numeric=True),
        Column("Usable by one replica", numeric=True),
        Column("Utilization", numeric=True, note="fullest GPU, low–high"),
        Column("Runtime"),
    )
    rows = tuple(
        Row(
            (
                Link(row_link(assessment), checkpoint_name(assessment)),
                TierMark(assessment.tier, assessment.too_close),
                NumberCell(assessment.weights_bytes, Unit.GIB),
                NumberCell(assessment.effective_vram_bytes, Unit.GIB)
                if assessment.effective_vram_bytes
                else NO_PLAN,
                utilization(assessment),
                Link(url_of("runtime", assessment.runtime.id), assessment.runtime.name),
            )
        )
        for assessment in sorted(assessments, key=lambda one: -one.weights_bytes)
    )
    caption = f"Checkpoints of {assessments[0].model.name} on {assessments[0].combo.name}"
    return Table(id, caption, columns, rows, counted=True)

"""Tables of models: checkpoints, caches, tensor parallel sizes, and where a model runs."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalog.domain.models import LanguageModel
from sitegen.engine.assessment import Assessment, CheckpointOutcome, FitTier, ModelOnCombo
from sitegen.engine.model_facts import ModelFacts
from sitegen.site.cells import (
    Absent,
    Cell,
    Code,
    EvidenceMark,
    Lines,
    Link,
    Quantity,
    Small,
    TierMark,
    Unit,
    recorded,
    span,
)
from sitegen.site.tables import Column, Row, Table
from sitegen.site.urls import url_of
from sitegen.site.verdicts import (
    NO_PLAN,
    checkpoint_name,
    decode,
    max_context,
    need_of_budget,
    row_link,
    runtime_and_plan,
    users,
    utilization,
)

CACHE_WORDS = {
    "full": "full attention",
    "sliding": "sliding window",
    "latent": "latent attention",
    "state": "recurrent state",
    "none": "no cache",
}
WHERE_CAPTIONS = {
    FitTier.COMFORTABLE: "Runs comfortably on",
    FitTier.BORDERLINE: "Borderline on",
    FitTier.NOT_PRACTICAL: "Not practical on",
}


def where_table(rows: Iterable[ModelOnCombo], tier: FitTier, *, id: str) -> Table:
    """List combos on which a model has a verdict."""
    columns = (
        Column("Combo", note="smallest first"),
        Column("Checkpoint"),
        Column("Runtime", note="plan"),
        Column("Needs", numeric=True, note="busiest GPU"),
        Column("Utilization", numeric=True, note="low–high"),
        Column("Max context", numeric=True, note="one sequence"),
        Column("Users", numeric=True, note="at 8K / 32K"),
        Column("Decode", numeric=True, note="one stream, all"),
    )
    return Table(
        id, WHERE_CAPTIONS[tier], columns, tuple(_where_row(row) for row in rows), counted=True
    )


def _where_row(row: ModelOnCombo) -> Row:
    verdict = row.verdict
    return Row(
        (
            Link(row_link(verdict), verdict.combo.name),
            checkpoint_name(verdict),
            runtime_and_plan(verdict),
            need_of_budget(verdict),
            utilization(verdict),
            max_context(verdict),
            users(verdict),
            decode(verdict),
        )
    )


def refused_where_table(rows: Iterable[ModelOnCombo], *, id: str) -> Table:
    """List combos where a model is not practical, with what is missing."""
    columns = (
        Column("Combo", note="smallest first"),
        Column("Smallest checkpoint"),
        Column("Installed", numeric=True),
        Column("Missing", numeric=True, note="busiest GPU"),
    )
    listed = tuple(
        Row(
            (
                Link(row_link(row.verdict), row.verdict.combo.name),
                checkpoint_name(row.verdict),
                Quantity(row.verdict.combo.installed_vram_bytes, Unit.GIB),
                Quantity(row.verdict.shortage_bytes, Unit.GIB)
                if row.verdict.shortage_bytes
                else Absent("not memory"),
            )
        )
        for row in rows
    )
    caption = WHERE_CAPTIONS[FitTier.NOT_PRACTICAL]
    return Table(id, caption, columns, listed, counted=True)


def tensor_parallel_words(facts: ModelFacts) -> str:
    """List the valid sizes: ``1, 2, 4, 8``."""
    return ", ".join(str(size) for size in facts.valid_tensor_parallel_sizes)


def cache_words(facts: ModelFacts) -> str:
    """Say what the layers keep: ``12 layers full attention, 36 layers sliding window``."""
    return ", ".join(f"{layers} layers {CACHE_WORDS[kind]}" for kind, layers in facts.cache_kinds)


def models_table(
    models: Iterable[tuple[LanguageModel, ModelFacts]],
    *,
    id: str,
    caption: str,
) -> Table:
    """List models with what decides their memory."""
    columns = (
        Column("Model"),
        Column("Parameters", numeric=True),
        Column("Active", numeric=True),
        Column("KV per token", numeric=True, note="16 bits"),
        Column("Context", numeric=True),
        Column("TP sizes", numeric=True),
        Column("Checkpoints", numeric=True),
    )
    rows = tuple(
        Row(
            (
                Lines((Link(url_of("model", model.id), model.name), Small(model.organization))),
                Quantity(facts.parameters, Unit.PARAMETERS),
                Quantity(facts.active_parameters, Unit.PARAMETERS),
                Quantity(facts.kv_bytes_per_token, Unit.KIB),
                Quantity(model.context_tokens, Unit.TOKENS),
                tensor_parallel_words(facts),
                Quantity(len(model.checkpoints), Unit.COUNT),
            )
        )
        for model, facts in models
    )
    return Table(id, caption, columns, rows, counted=True)


def checkpoints_table(
    model: LanguageModel,
    facts: ModelFacts,
    on_combos: tuple[ModelOnCombo, ...],
    *,
    id: str = "checkpoints",
) -> Table:
    """List a model's checkpoints with exact size and the least combo that carries each."""
    columns = (
        Column("Checkpoint"),
        Column("Weights", numeric=True, note="in memory"),
        Column("Published", numeric=True, note="file"),
        Column("Bits per weight", numeric=True, note="average"),
        Column("Least effective VRAM", numeric=True, note="that fits comfortably"),
        Column("Size known by"),
        Column("Repository"),
    )
    least = _least_effective(on_combos)
    rows = tuple(
        Row(
            (
                _checkpoint_heading(model, entry.checkpoint.id),
                Quantity(entry.total_bytes, Unit.GIB),
                recorded(entry.checkpoint.published_bytes, Unit.GB),
                Quantity(entry.bits_per_weight, Unit.BITS),
                least.get(entry.checkpoint.id, Absent(_nowhere(entry.checkpoint.id, on_combos))),
                EvidenceMark(entry.checkpoint.evidence),
                repository_cell(entry.checkpoint.repository),
            )
        )
        for entry in facts.checkpoints
    )
    return Table(id, "Checkpoints", columns, rows, counted=True)


def repository_cell(name: str) -> Cell:
    """Link a Hugging Face repository."""
    return Link(f"https://huggingface.co/{name}", name) if name else Absent("none named")


def _checkpoint_heading(model: LanguageModel, checkpoint_id: str) -> Cell:
    checkpoint = next(c for c in model.checkpoints if c.id == checkpoint_id)
    lines: list[Cell] = [checkpoint.quantization.name, Small(Code(checkpoint.id))]
    if checkpoint.native:
        lines.append(Small("as released"))
    elif not checkpoint.quantization.production:
        lines.append(Small("below 4 bits: carries no verdict"))
    return Lines(tuple(lines))


def _nowhere(checkpoint_id: str, on_combos: tuple[ModelOnCombo, ...]) -> str:
    """Tell a checkpoint that fits no combo from one that no profiled runtime loads."""
    for row in on_combos:
        better = (row.better,) if row.better else ()
        if any(a.checkpoint.id == checkpoint_id for a in (row.verdict, *better, *row.others)):
            return "fits none of these"
    return "not assessed yet"


def _least_effective(on_combos: tuple[ModelOnCombo, ...]) -> dict[str, Cell]:
    """By checkpoint id: the least effective VRAM among outcomes that fit comfortably."""
    least: dict[str, tuple[int, Link]] = {}
    for row in on_combos:
        better = (row.better,) if row.better else ()
        for found in (row.verdict, *better, *row.others):
            if found.tier is not FitTier.COMFORTABLE:
                continue
            size = found.effective_vram_bytes
            if found.checkpoint.id not in least or size < least[found.checkpoint.id][0]:
                least[found.checkpoint.id] = (size, Link(row_link(found), found.combo.name))
    return {
        key: Lines((Quantity(size, Unit.GIB), Small(link))) for key, (size, link) in least.items()
    }


def cache_table(models: Iterable[tuple[LanguageModel, ModelFacts]], *, id: str) -> Table:
    """List what the KV cache of one sequence takes at several lengths."""
    chosen = tuple(models)
    lengths = tuple(length for length, _ in chosen[0][1].kv_bytes_at) if chosen else ()
    columns = (
        Column("Model"),
        Column("Per token", numeric=True, note="16 bits"),
        *(Column(f"At {length // 1024}K", numeric=True) for length in lengths),
        Column("Layers keep"),
    )
    rows = tuple(
        Row(
            (
                Link(url_of("model", model.id), model.name),
                Quantity(facts.kv_bytes_per_token, Unit.KIB),
                *(_cache_at(model, length, size) for length, size in facts.kv_bytes_at),
                cache_words(facts),
            )
        )
        for model, facts in chosen
    )
    return Table(id, "KV cache of one sequence at 16 bits", columns, rows)


def _cache_at(model: LanguageModel, length: int, size: int) -> Cell:
    if length > model.context_tokens:
        return Absent("beyond its context")
    return Quantity(size, Unit.GIB)


def tensor_parallel_table(models: Iterable[tuple[LanguageModel, ModelFacts]], *, id: str) -> Table:
    """List the tensor parallel sizes that divide each model."""
    columns = (
        Column("Model"),
        Column("Valid sizes", numeric=True),
        Column("Attention heads", numeric=True),
        Column("KV heads", numeric=True),
        Column("Layers", numeric=True, note="pipeline stages at most"),
    )
    rows = tuple(
        Row(
            (
                Link(url_of("model", model.id), model.name),
                tensor_parallel_words(facts),
                Quantity(facts.attention_heads, Unit.COUNT),
                Quantity(facts.kv_heads, Unit.COUNT),
                Quantity(facts.layers, Unit.COUNT),
            )
        )
        for model, facts in models
    )
    return Table(id, "Valid tensor parallel sizes", columns, rows)


def checkpoints_on_combo_table(row: ModelOnCombo, *, id: str) -> Table:
    """List every checkpoint of a model on one combo, largest first."""
    columns = (
        Column("Checkpoint"),
        Column("Verdict"),
        Column("Weights", numeric=True),
        Column("One replica can fill", numeric=True),
        Column("Utilization", numeric=True, note="busiest GPU, low–high"),
        Column("Runtime"),
    )
    found: list[tuple[Assessment | CheckpointOutcome, Cell]] = [
        (row.verdict, utilization(row.verdict))
    ]
    better = (row.better,) if row.better else ()
    found += [
        (o, NO_PLAN if o.utilization is None else span(o.utilization, Unit.PERCENT))
        for o in (*better, *row.others)
    ]
    found.sort(key=lambda pair: -pair[0].weights_bytes)
    rows = tuple(
        Row(
            (
                Link(row_link(outcome), checkpoint_name(outcome)),
                TierMark(outcome.tier, outcome.too_close),
                Quantity(outcome.weights_bytes, Unit.GIB),
                Quantity(outcome.effective_vram_bytes, Unit.GIB)
                if outcome.effective_vram_bytes
                else NO_PLAN,
                how_full,
                Link(url_of("runtime", outcome.runtime.id), outcome.runtime.name),
            )
        )
        for outcome, how_full in found
    )
    caption = f"Checkpoints of {row.verdict.model.name} on {row.verdict.combo.name}"
    return Table(id, caption, columns, rows, counted=True)

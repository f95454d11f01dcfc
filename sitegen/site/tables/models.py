"""Tables of models: checkpoints, caches, tensor parallel sizes, and where a model runs."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalog.domain.models import LanguageModel
from sitegen.physics.model_facts import IN_FLIGHT_TOKENS, ModelFacts
from sitegen.physics.sequence_cache import BITS
from sitegen.quality.values import Rating, Ratings, Use
from sitegen.site.cells import (
    Absent,
    Cell,
    Lines,
    Link,
    NumberCell,
    Small,
    Unit,
)
from sitegen.site.row_filters import model_facets
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import url_of

CACHE_WORDS = {
    "full": "full attention",
    "sliding": "sliding window",
    "latent": "latent attention",
    "compressed": "compressed attention",
    "state": "recurrent state",
    "none": "no cache",
}
"""What a layer keeps, as it stands before ``in 12 layers``."""
MARKED_BITS = "16 bits if not marked"
"""Under the column of a cache, where some rows say that theirs has others."""


def tensor_parallel_words(facts: ModelFacts) -> str:
    """List the valid sizes: ``1, 2, 4, 8``."""
    return ", ".join(str(size) for size in facts.valid_tensor_parallel_sizes)


def cache_words(facts: ModelFacts) -> str:
    """Say what the layers keep: ``full attention in 12 layers, sliding window in 1 layer``."""
    return ", ".join(
        f"{CACHE_WORDS[kind]} in {layers} {'layer' if layers == 1 else 'layers'}"
        for kind, layers in facts.cache_kinds
    )


def models_table(
    models: Iterable[tuple[LanguageModel, ModelFacts]],
    ratings: Ratings,
    *,
    id: str,
    caption: str,
) -> Table:
    """List models with their rating over all uses and what decides their memory."""
    columns = (
        Column("Model"),
        Column("Rating", numeric=True, note="overall"),
        Column("Parameters", numeric=True),
        Column("Active", numeric=True),
        Column("KV per token", numeric=True, note=MARKED_BITS),
        Column("Context", numeric=True),
        Column("TP sizes", numeric=True, prose=True, note="equal parts"),
        Column("Checkpoints", numeric=True),
    )
    rows = tuple(
        Row(
            (
                Lines((Link(url_of("model", model.id), model.name), Small(model.organization))),
                _rating(ratings.of(Use.OVERALL, model.id)),
                NumberCell(facts.all_parameters, Unit.PARAMETERS),
                active_cell(facts),
                _marked_cache(facts),
                NumberCell(model.context_tokens, Unit.TOKENS),
                tensor_parallel_words(facts),
                NumberCell(len(model.checkpoints), Unit.COUNT),
            ),
            facets=model_facets(model, facts),
        )
        for model, facts in models
    )
    return Table(id, caption, columns, rows, counted=True, sortable=True)


def active_cell(facts: ModelFacts) -> Cell:
    """Say how many parameters a token uses: of a dense model all, whatever its table of words."""
    return NumberCell(facts.active_parameters, Unit.PARAMETERS) if facts.experts else "all"


def cache_bits(facts: ModelFacts) -> str:
    """Say how wide the elements of the stated cache are."""
    return "16 bits" if facts.kv_bits == BITS else f"mostly {facts.kv_bits} bits"


def _marked_cache(facts: ModelFacts) -> Cell:
    """State the cache of a token, with its bits where a column's note says others."""
    size = NumberCell(facts.kv_bytes_per_token, Unit.KIB)
    return size if facts.kv_bits == BITS else Lines((size, Small(cache_bits(facts))))


def _rating(rating: Rating | None) -> Cell:
    if rating is None or not rating.is_rated:
        return Absent("not rated")
    return NumberCell(round(rating.points.mid), Unit.COUNT)


PEAK_NOTE = f"{IN_FLIGHT_TOKENS:,} tokens in flight"
"""Under the column of what a sequence takes while its prompt is read."""


def cache_table(models: Iterable[tuple[LanguageModel, ModelFacts]], *, id: str) -> Table:
    """List what the KV cache of one sequence takes at several lengths.

    Read and at rest, and at the shortest length also while its prompt is read.
    """
    chosen = tuple(models)
    lengths = tuple(length for length, _ in chosen[0][1].kv_bytes_at) if chosen else ()
    widths = {cache_bits(facts) for _, facts in chosen}
    mixed = len(widths) > 1
    bits = MARKED_BITS if mixed else "".join(widths)
    columns = (
        Column("Model"),
        Column("Per token", numeric=True, note=bits),
        *(Column(f"At {length // 1024}K", numeric=True) for length in lengths),
        *(
            Column(
                f"At {length // 1024}K, while being read",
                numeric=True,
                note=PEAK_NOTE,
                key=f"{length // 1024}k_being_read",
            )
            for length in lengths[:1]
        ),
        Column("Layer types", key="layers_keep"),
    )
    rows = tuple(
        Row(
            (
                Link(url_of("model", model.id), model.name),
                _marked_cache(facts) if mixed else NumberCell(facts.kv_bytes_per_token, Unit.KIB),
                *(_cache_at(model, length, size) for length, size in facts.kv_bytes_at),
                *(_cache_at(model, length, size) for length, size in facts.kv_peak_at[:1]),
                cache_words(facts),
            )
        )
        for model, facts in chosen
    )
    kept = {kind for _, facts in chosen for kind, _ in facts.cache_kinds}
    caption = f"KV cache of one sequence ({bits})"
    return Table(id, caption, columns, rows, note=_cache_note(kept))


def _cache_note(kept: set[str]) -> str:
    """Say which figure is printed, and what the tokens in flight add to it."""
    if not kept & {"sliding", "compressed"}:
        return ""
    words = (
        "These figures are for a sequence whose prompt the runtime has already read: a sliding "
        "window then stores only the last tokens. While a runtime reads the prompt, a window also "
        "stores the tokens that the runtime is still working on. A runtime with a cache pool "
        "admits a request only if the pool has room for these tokens too, and our ledgers count "
        "them."
    )
    if "compressed" in kept:
        words += (
            " DeepSeek V4 has a cache layout of its own, mostly in 8 bits. vLLM uses this layout "
            "whichever cache type you choose, and these figures are for it. llama.cpp stores the "
            "cache in 16 bits by default, which takes nearly twice as much memory."
        )
    return words


def _cache_at(model: LanguageModel, length: int, size: int) -> Cell:
    if length > model.context_tokens:
        return Absent("longer than its context")
    return NumberCell(size, Unit.GIB)


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
                NumberCell(facts.attention_heads, Unit.COUNT),
                NumberCell(facts.kv_heads, Unit.COUNT),
                NumberCell(facts.layers, Unit.COUNT),
            )
        )
        for model, facts in models
    )
    return Table(id, "Valid tensor parallel sizes", columns, rows)

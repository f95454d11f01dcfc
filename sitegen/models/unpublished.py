"""Checkpoints by their recipe: the listed one, or the one that nobody has published."""

from __future__ import annotations

from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Quantization
from sitegen.catalog.domain.provenance import Evidence


def listed_or_made(model: LanguageModel, recipe: Quantization) -> Checkpoint:
    """Return the checkpoint that a model lists, or the one that the recipe alone makes."""
    for checkpoint in model.checkpoints:
        if checkpoint.quantization.id == recipe.id:
            return checkpoint
    return unpublished(recipe)


def unpublished(recipe: Quantization) -> Checkpoint:
    """Return the checkpoint that a recipe makes, without a repository or a published size."""
    return Checkpoint(
        id=recipe.id,
        quantization=recipe,
        repository="",
        published_bytes=None,
        config_overrides={},
        kept=(),
        native=False,
        evidence=Evidence.ESTIMATED,
        sources=(),
    )

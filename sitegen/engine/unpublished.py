"""Checkpoints that nobody has published: what a recipe would make of a model."""

from __future__ import annotations

from sitegen.catalog.domain.models import Checkpoint, Quantization
from sitegen.catalog.domain.provenance import Evidence


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

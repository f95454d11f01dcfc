"""Which checkpoint and split a benchmark run stands for: stated, or the runtime's default."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Quantization
from sitegen.catalog.domain.provenance import Evidence


def checkpoint_of(
    model: LanguageModel,
    checkpoint: str,
    quantization: str,
    quantizations: Mapping[str, Quantization],
) -> Checkpoint | None:
    """Find the checkpoint that a run names, or make one in the recipe that it names.

    A plain recipe is preferred to a listed checkpoint of another size; of block and tensor FP8
    the one that the model lists is taken.
    """
    listed = {one.id: one for one in model.checkpoints}
    if checkpoint:
        return listed.get(checkpoint)
    if quantization in listed:
        return listed[quantization]
    same = [c for c in model.checkpoints if c.quantization.id == quantization]
    if not same and quantization in {"fp8", "mxfp4", "mxfp4-moe"}:
        family = {"fp8": {"fp8"}, "mxfp4": {"mxfp4"}, "mxfp4-moe": {"mxfp4-moe"}}[quantization]
        same = [
            c
            for c in model.checkpoints
            if c.quantization.format in family or c.quantization.id in family
        ]
    if same:
        return same[0]
    recipe = quantizations.get(quantization)
    if recipe is None:
        return None
    return Checkpoint(recipe.id, recipe, "", None, {}, (), False, Evidence.ESTIMATED, ())

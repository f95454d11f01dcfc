"""Published sizes of GGUF files beside what the rules of quantization make of the tensors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.measurements import Quantity
from sitegen.catalog.domain.models import Checkpoint, LanguageModel
from sitegen.catalog.domain.provenance import Interval
from sitegen.engine import naive
from sitegen.engine.accuracy.values import Comparison, Origin, Skipped
from sitegen.engine.architecture import parameters
from sitegen.engine.coefficients import design_of
from sitegen.engine.quantize import weigh
from sitegen.units import GB

METADATA_BYTES_PER_TOKEN = 64
"""Bytes of the file per entry of the vocabulary at most: its text, score, type and merges.

Source:
    GGUF specification: strings carry eight bytes of length, scores and types four each.
"""
EXACT_BYTES = 100_000
"""Sizes that end in fewer zeros than this are counts of bytes, not rounded figures."""


def compare_files(catalog: Catalog) -> Iterator[Comparison | Skipped]:
    """Compare each listed GGUF checkpoint with a published size."""
    for model in catalog.models.values():
        for checkpoint in model.checkpoints:
            recipe = checkpoint.quantization
            if recipe.gguf_file_type and checkpoint.published_bytes:
                yield _compared(model, checkpoint, checkpoint.published_bytes)


def _compared(model: LanguageModel, checkpoint: Checkpoint, published: int) -> Comparison | Skipped:
    origin = Origin(
        run=f"{model.id}--{checkpoint.id}",
        source=checkpoint.repository,
        program="GGUF",
        version="",
        family="",
        model=model.id,
        checkpoint=checkpoint.id,
    )
    try:
        design = design_of(model, checkpoint)
    except ValueError as error:
        return Skipped(origin, Quantity.FILE_SIZE, str(error), says_enough=True)
    size = weigh(design, replace(checkpoint, published_bytes=None)).total_bytes
    most = size + METADATA_BYTES_PER_TOKEN * design.vocabulary
    return Comparison(
        origin=replace(origin, family=design.family),
        quantity=Quantity.FILE_SIZE,
        measured=published / GB,
        predicted=Interval(size / GB, size / GB, most / GB),
        naive=naive.weight_bytes(parameters(design), checkpoint.quantization) / GB,
        rounding=rounding_bytes(published) / GB,
    )


def rounding_bytes(published: int) -> float:
    """Half of the last digit of a published size; nothing for a count of bytes.

    >>> rounding_bytes(4_920_000_000), rounding_bytes(4_920_739_232)
    (5000000.0, 0.0)
    """
    unit = 1
    while published % (unit * 10) == 0:
        unit *= 10
    return unit / 2 if unit >= EXACT_BYTES else 0.0

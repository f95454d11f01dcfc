"""Published sizes of GGUF files beside what the rules of quantization make of the tensors."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.measurements import PublishedFile, Quantity
from sitegen.catalog.domain.models import LanguageModel
from sitegen.catalog.domain.provenance import Interval
from sitegen.models.architecture import parameters
from sitegen.models.gguf.checkpoint import tensor_types
from sitegen.physics.reduced_checkpoint import design_of
from sitegen.published import rules_of_thumb
from sitegen.published.accuracy.values import Comparison, Origin, Skipped
from sitegen.units import GB

METADATA_BYTES_PER_ENTRY = Interval(22, 46, 66)
"""Bytes of the file per entry of the vocabulary: its text, score and type, and its merges.

Between 22 (SentencePiece, no merges) and 66 (Llama 3) in files of known byte count.

Source:
    GGUF specification: a string carries eight bytes of length, a score and a type four each.
"""

TENSORS_ASIDE = 0.0005
"""Share by which small tensors may differ that converters add, leave out or keep at 32 bits.

Assumed: the 27 files of known byte count and the engine-logged sizes of plain types lie within it.
"""


def compare_files(catalog: Catalog) -> Iterator[Comparison | Skipped]:
    """Compare every published size with the file that the recipe makes of the model."""
    for source in catalog.measurements.values():
        for file in source.files:
            yield _compared(catalog, source.id, file, catalog.models[file.model])


def _compared(
    catalog: Catalog, source: str, file: PublishedFile, model: LanguageModel
) -> Comparison | Skipped:
    """Compare one file; where its maker does not say, it may have used an importance matrix."""
    design = design_of(model)
    origin = Origin(
        run=file.id,
        source=source,
        program="GGUF file",
        version="",
        family=design.family,
        model=model.id,
        checkpoint=file.quantization,
        group=f"{source} {file.model}",
    )
    recipe = catalog.quantizations[file.quantization]
    if not recipe.gguf_file_type:
        reason = "a recipe without rules of quantization"
        return Skipped(origin, Quantity.FILE_SIZE, reason, says_enough=True)
    size, other = (
        sum(t.bytes for t in tensor_types(design, recipe.gguf_file_type, importance_matrix=made))
        for made in (file.importance_matrix, True)
    )
    entries = design.vocabulary if file.metadata else 0
    low, high = (1 - TENSORS_ASIDE) * min(size, other), (1 + TENSORS_ASIDE) * max(size, other)
    return Comparison(
        origin=origin,
        quantity=Quantity.FILE_SIZE,
        measured=file.size_bytes / GB,
        predicted=METADATA_BYTES_PER_ENTRY.times(entries).plus(Interval(low, size, high)).per(GB),
        naive=rules_of_thumb.weight_bytes(parameters(design), recipe) / GB,
        rounding=file.rounding_bytes / GB,
        note=file.notes,
    )

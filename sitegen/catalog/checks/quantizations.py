"""Rules on quantization recipes."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.authored import CatalogRecords, guess
from sitegen.catalog.kinds import Kind
from sitegen.catalog.text.source_text import quoted, written
from sitegen.problems import Problem

PRODUCTION_BITS = 4.0
"""Least bits per weight that carry a verdict: design, decision 5."""

GGUF_FILE_TYPES = frozenset(
    {
        "F16", "Q8_0", "Q6_K", "Q5_K_M", "Q5_K_S", "Q5_1", "Q5_0", "Q4_K_M", "Q4_K_S", "Q4_1",
        "Q4_0", "Q3_K_L", "Q3_K_M", "Q3_K_S", "Q2_K", "Q2_K_S", "IQ4_NL", "IQ4_XS", "IQ3_M",
        "IQ3_S", "IQ3_XS", "IQ3_XXS", "IQ2_M", "IQ2_S", "IQ2_XS", "IQ2_XXS", "IQ1_M", "IQ1_S",
        "MXFP4_MOE", "MXFP4_MOE_F16",
    }
)  # fmt: skip
"""File types of llama-quantize whose mixes the engine can compute; a test compares the two."""


def gguf_has_a_file_type(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure GGUF recipes, and no others, name the llama.cpp file type whose mix they are."""
    for quantization in records.quantizations.values():
        given, is_gguf = quantization.record.gguf_file_type, quantization.record.format == "gguf"
        if is_gguf and not given:
            message = "a GGUF quantization needs `gguf_file_type`"
            hint = "add it, for example gguf_file_type: Q4_K_M"
            yield quantization.problem(("format",), "gguf-file-type", message, hint)
        elif given and not is_gguf:
            message = "`gguf_file_type` is for the format gguf"
            path = ("gguf_file_type",)
            yield quantization.problem(path, "gguf-file-type", message, "remove it", at_key=True)
        elif given and given not in GGUF_FILE_TYPES:
            # File types are upper case with underscores; the guess compares them as ids.
            ids = {name.lower().replace("_", "-"): name for name in GGUF_FILE_TYPES}
            hint = guess(given, frozenset(ids))
            for slug, name in ids.items():
                hint = hint.replace(f"'{slug}'", f"'{name}'")
            message = f"the mix of the file type {quoted(given)} is not known"
            yield quantization.problem(("gguf_file_type",), "gguf-file-type", message, hint)


def linears_are_given_outside_gguf(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure recipes say how linears are stored; GGUF's mix rules say it for GGUF."""
    for quantization in records.quantizations.values():
        given, is_gguf = quantization.record.linears, quantization.record.format == "gguf"
        if given is None and not is_gguf:
            message = "`linears` is missing: how the linear layers are stored"
            hint = "add it, for example linears: {weight_bits: 4, group_size: 128, scale_bits: 16}"
            yield quantization.problem(("format",), "linears", message, hint)
        for key in ("linears", "exceptions"):
            if is_gguf and getattr(quantization.record, key):
                message = f"a GGUF file type already decides this: `{key}` has no effect"
                yield quantization.problem((key,), "linears", message, "remove it", at_key=True)


def production_means_four_bits_or_native(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure ``production`` is true for 4 bits and more, below only for a native format."""
    native = {
        checkpoint.quantization
        for model in records.models.values()
        for checkpoint in model.record.checkpoints
        if checkpoint.native
    }
    broken_models = records.ids[Kind.MODEL] != records.models.keys()  # one may be the native one
    for quantization in records.quantizations.values():
        record = quantization.record
        enough = record.nominal_bits >= PRODUCTION_BITS
        native_somewhere = quantization.id in native or broken_models
        if record.production and not enough and not native_somewhere:
            message = f"{written(record.nominal_bits)} bits are too few for production"
            hint = "set it to false, or mark the checkpoint that was released in it `native`"
            yield quantization.problem(("production",), "production", message, hint)
        if enough and not record.production:
            message = f"{written(record.nominal_bits)} bits are enough for production"
            yield quantization.problem(("production",), "production", message, "set it to true")

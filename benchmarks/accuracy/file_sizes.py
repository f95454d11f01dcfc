"""Published file sizes against computed ones: what a row says, in which unit, how rounded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.measurements import names
from benchmarks.measurements.parts import Unusable
from benchmarks.measurements.world import World
from sitegen.catalog.domain.models import LanguageModel, Quantization
from sitegen.cli.questions.choose import checkpoints_of
from sitegen.models.gguf.checkpoint import tensor_types
from sitegen.models.weights.checkpoint import weigh_checkpoint
from sitegen.physics.reduced_checkpoint import design_of
from sitegen.units import GB, GIB, MIB

MB = 10**6
UNITS: Mapping[str, int] = {"bytes": 1, "GB": GB, "GiB": GIB, "MB": MB, "MiB": MIB}

NO_FILE_SIZE = frozenset({"published_vram_table", "suspect"})
"""Kinds of rows that are no file sizes, or that their gatherer doubts."""

TENSOR_DATA = frozenset({"engine_logged", "llama_bench_size"})
"""Kinds of rows that leave out a GGUF file's metadata."""

TOKEN_BYTES = 46
"""Metadata of a GGUF file per token of vocabulary: its text, score and type, and its merges.

Between 22 (SentencePiece, no merges) and 61 (Llama 3) in the files of known byte count.
"""

IMATRIX_MAKERS = ("bartowski/", "unsloth/")
"""Publishers whose files are all made with an importance matrix, as their cards say."""

ALIASES = {"Q3_K": "Q3_K_M", "Q4_K": "Q4_K_M", "Q5_K": "Q5_K_M"}
"""What llama-quantize makes of a short name."""

SAME_DIMENSIONS = {
    "codellama-13b-python": "codellama-13b",
    "command-r-plus-103b": "c4ai-command-r-plus",
    "command-r-plus-104b": "c4ai-command-r-plus",
    "gemma-1.1-7b-it": "gemma-7b",
    "gemma-3-27b-it-abliterated": "gemma-3-27b-it",
    "glm-4-9b-chat": "glm-4-9b",
    "glm-4.5-base": "glm-4.5",
    "gpt-oss-coder-20b": "gpt-oss-20b",
    "llama 2 65b": "llama-65b",
    "llama 7b (llama-2 arch, issue 22368)": "llama-2-7b",
    "llama-2-13b-chat": "llama-2-13b",
    "llama-2-70b-chat": "llama-2-70b",
    "llama-3.2-1b fine-tune": "llama-3.2-1b-instruct",
    "meta-llama-3.1-8b-instruct-128k": "llama-3.1-8b-instruct",
    "mistral-7b-instruct": "mistral-7b-v0.1",
    "mistral-7b-instruct-v0.1": "mistral-7b-v0.1",
    "mixtral-8x7b-v0.1": "mixtral-8x7b-instruct-v0.1",
    "orca-2-7b": "llama-2-7b",
    "phi-3-mini-4k-instruct": "phi-3-mini-128k-instruct",
    "qwen2 (7.62b)": "qwen2-7b-instruct",
    "qwen2-1_5b-instruct": "qwen2-1.5b-instruct",
    "qwen2.5-32b": "qwen2.5-32b-instruct",
    "qwen2.5-7b-instruct-abliterated-v2": "qwen2.5-7b-instruct",
    "qwen3-30b-a3b-abliterated": "qwen3-30b-a3b",
}
"""Fine-tunes and short names that have another model's dimensions and vocabulary."""


@dataclass(frozen=True, slots=True)
class SizeComparison:
    """A published size beside the computed one, in bytes."""

    record: str
    model: str
    quant: str
    format: str
    unit: str
    published: float
    computed: int
    rounding: float
    """Half of the last digit that the source prints."""

    @property
    def error(self) -> float:
        """Return computed ÷ published − 1."""
        return self.computed / self.published - 1

    @property
    def inside_rounding(self) -> bool:
        """Whether the computed size would be printed as the published one."""
        return abs(self.computed - self.published) <= self.rounding


@dataclass(frozen=True, slots=True)
class SizeSkipped:
    """A row that cannot be compared, with the reason."""

    record: str
    format: str
    reason: str


def compare(world: World, row: Mapping[str, Any]) -> SizeComparison | SizeSkipped:
    """Compare one row of the published sizes."""
    form = str(row["format"])
    try:
        return _compared(world, row, form)
    except Unusable as error:
        return SizeSkipped(str(row["id"]), form, str(error).partition(":")[0])


def _compared(world: World, row: Mapping[str, Any], form: str) -> SizeComparison:
    published, rounding = size_of(row)
    stated = str(row["quant"] or "")
    model = _model(world, str(row["model"]))
    quantization = _quantization(world, form, stated)
    if form == "gguf":
        _check_bits(quantization, row.get("bpw"), str(row["model"]) + stated)
        computed = gguf_bytes(model, quantization, imatrix=_with_imatrix(row))
        if row["kind"] not in TENSOR_DATA:
            computed += TOKEN_BYTES * design_of(model).vocabulary
    else:
        checkpoint = checkpoints_of(model, quantization.id, world.catalog)[0]
        bare = replace(checkpoint, published_bytes=None, quantization=quantization)
        design = design_of(model, bare)
        computed = weigh_checkpoint(
            design, bare, vision_parameters=model.vision_parameters
        ).total_bytes
    return SizeComparison(
        str(row["id"]), model.id, stated, form, str(row["size_unit"]), published, computed, rounding
    )


def size_of(row: Mapping[str, Any]) -> tuple[float, float]:
    """Return a row's size in bytes, and half of its last printed digit.

    Raises:
        Unusable: If the row is no file size, or its unit is not known.
    """
    if row["kind"] in NO_FILE_SIZE:
        doubted = row["kind"] == "suspect"
        raise _unusable("doubted by its gatherer" if doubted else "no file size")
    if row.get("size_bytes"):
        return float(row["size_bytes"]), 0.0
    unit = UNITS.get(str(row["size_unit"]))
    if unit is None:
        raise _unusable("unit not stated")
    printed = repr(row["size_value"])
    digits = len(printed.partition(".")[2]) if not printed.endswith(".0") else 0
    if unit == 1:
        return float(row["size_value"]), 0.0
    return float(row["size_value"]) * unit, 0.5 * unit / 10.0**digits


def _with_imatrix(row: Mapping[str, Any]) -> bool:
    """Whether a file was made with an importance matrix: its label or its maker says so."""
    makers = any(maker in str(row["source_url"]) for maker in IMATRIX_MAKERS)
    return str(row["quant"]).startswith("i1-") or makers


def gguf_bytes(model: LanguageModel, quantization: Quantization, *, imatrix: bool) -> int:
    """Return the tensor data of a GGUF file, by the rules of llama-quantize."""
    typed = tensor_types(design_of(model), quantization.gguf_file_type, importance_matrix=imatrix)
    return sum(tensor.bytes for tensor in typed)


def _unusable(reason: str) -> Unusable:
    return Unusable(reason, says_enough=False)


def _model(world: World, stated: str) -> LanguageModel:
    name = re.sub(r"[-.](newbpe-)?(gguf\d?[-.])?q\d_\d$", "", stated, flags=re.IGNORECASE)
    name = re.sub(r"-(BF16|F16|mxfp4|Q\d_K_\w|UD-.*)$", "", name)
    same = SAME_DIMENSIONS.get(name.lower(), "")
    known = world.catalog.models
    return known[same] if same in known else world.model(name)


def _quantization(world: World, form: str, stated: str) -> Quantization:
    found = _recipe(form, stated)
    if found is None or found not in world.catalog.quantizations:
        raise _unusable("a mix or format without a recipe")
    return world.catalog.quantizations[found]


def _recipe(form: str, stated: str) -> str | None:
    """Find the recipe that a row names.

    >>> _recipe("gguf", "i1-IQ2_XXS"), _recipe("gguf", "UD-Q4_K_XL"), _recipe("gguf", "Q4_K")
    ('iq2-xxs', None, 'q4-k-m')
    >>> _recipe("gptq", "GPTQ 4-bit g128"), _recipe("mlx", "MLX 4bit"), _recipe("exl2", "3.0bpw")
    ('gptq-4bit-g128', 'mlx-4bit', None)
    """
    if form == "gguf":
        word = stated.removeprefix("i1-")
        if " - " not in word:
            word = re.sub(r"[ (].*", "", word).upper()
        if word.startswith("MXFP4"):
            return "mxfp4-moe"
        return names.gguf_id(ALIASES.get(word, word))
    return next(
        (found for pattern, found in OTHER_FORMATS.items() if re.search(pattern, stated)), None
    )


OTHER_FORMATS: Mapping[str, str] = {
    r"^AWQ 4-bit( g128)?$": "awq-4bit-g128",
    r"^GPTQ 4-bit g128( act-order)?$|^INT4 W4A16$": "gptq-4bit-g128",
    r"^MLX (4bit|Q4)$": "mlx-4bit",
    r"^FP8$": "fp8",
    r"^BF16": "bf16",
    r"^MXFP4 \(original\)$": "mxfp4",
    r"^4\.0bpw$": "exl2-4.0bpw",
}
"""Formats beside GGUF as rows name them; 3-bit, act-order without groups and the like have none."""


def _check_bits(quantization: Quantization, stated: float | None, label: str) -> None:
    """Refuse a label that the row's own bits per weight contradict: it names one type of a mix."""
    nominal = 16 if quantization.id == "gguf-f16" else quantization.nominal_bits
    if stated is not None and not 0.97 * nominal <= stated <= 1.4 * nominal + 0.6:
        raise _unusable("bits per weight contradict the label, which names one type of a mix")
    if "UD-" in label:
        raise _unusable("a maker's mix")


def ordered(found: Iterator[SizeComparison]) -> list[SizeComparison]:
    """Sort by the size of the error, largest first."""
    return sorted(found, key=lambda one: -abs(one.error))

"""From the name of a repository to the model and the quantization it holds, by strict rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sitegen.catalog.domain.models import LanguageModel

KNOWN = frozenset({
    "unsloth", "bartowski", "ggml-org", "lmstudio-community", "mlx-community", "redhatai",
    "neuralmagic", "nvidia", "intel", "quanttrio", "cyankiwi", "cpatonn", "turboderp", "artusdev",
    "stelterlab", "casperhansen", "hugging-quants", "amd", "mradermacher", "thebloke",
    "techxgenus", "solidrust", "junhowie",
})  # fmt: skip
"""Owners whose only business is the quantization of other people's models, in small letters."""
FINE_GRAINED = frozenset({"qwen", "deepseek-ai", "minimaxai", "stepfun-ai", "moonshotai"})
"""Organisations whose ``-FP8`` has one scale per block of 128 × 128 (``weight_block_size``)."""
_FINE_MODELS = re.compile(r"(?:zai-org/glm-5.*)-fp8")
"""Other ``-FP8`` releases with blocks, by their configs."""
_MLX = frozenset({"mlx-community", "lmstudio-community", "qwen"})
_CYAN = frozenset({"cyankiwi"})
"""Its "AWQ" is compressed tensors in groups of 32 (for Qwen3.5 and later with zero points)."""
_SUFFIXES: tuple[tuple[str, str, frozenset[str]], ...] = (
    ("-fp8-block", "fp8-block", KNOWN),
    ("-fp8-dynamic", "fp8", KNOWN),
    ("-fp8", "fp8", KNOWN - {"unsloth", "intel", "amd"}),
    ("-awq-int4", "awq-4bit-g128", frozenset({"hugging-quants"})),
    ("-awq-int4", "w4a16-g32", _CYAN),
    ("-awq-4bit", "w4a16-g32", _CYAN),
    ("-awq", "awq-4bit-g128", KNOWN - {"cyankiwi", "cpatonn", "amd"}),
    ("-gptq-int4", "gptq-4bit-g128", KNOWN),
    ("-gptq", "gptq-4bit-g128", frozenset({"thebloke"})),
    ("-quantized.w4a16", "w4a16-g128", frozenset({"redhatai", "neuralmagic"})),
    ("-quantized.w8a8", "int8-w8a8", frozenset({"redhatai", "neuralmagic"})),
    ("-nvfp4", "nvfp4", frozenset({"nvidia", "redhatai"})),
    ("-mxfp8", "mxfp8", frozenset()),
    ("-mlx-4bit", "mlx-4bit", _MLX),
    ("-mlx-6bit", "mlx-6bit", _MLX),
    ("-mlx-8bit", "mlx-8bit", _MLX),
    ("-4bit", "mlx-4bit", frozenset({"mlx-community"})),
    ("-6bit", "mlx-6bit", frozenset({"mlx-community"})),
    ("-8bit", "mlx-8bit", frozenset({"mlx-community"})),
)
"""Suffix, quantization, and who means that by it; a model's own organisation always may.

Left out, because the name alone does not tell the layout: AutoRound, MXFP4 of AMD (attention
too), mixed recipes (``-optiq-``, ``-dwq``), FP8 of Unsloth (blocks or rows).
"""
_DROPPED = re.compile(r"-(hf|bf16)$")


@dataclass(frozen=True, slots=True)
class Variant:
    """A repository with one quantization of a catalog model."""

    model: str
    quantization: str
    repository: str
    publisher: str
    downloads: int


def spellings(name: str) -> frozenset[str]:
    """Spell the name of a release as quantizers do, without owner, ``-hf`` or ``Meta-``."""
    short = name.rpartition("/")[2].lower()
    found = {short, _DROPPED.sub("", short)}
    found |= {one.removeprefix(prefix) for one in found for prefix in ("meta-", "nvidia-")}
    found |= {f"meta-{one}" for one in found if one.startswith("llama-3")}
    return frozenset(found)


def releases(models: Mapping[str, LanguageModel]) -> dict[str, str]:
    """Map every spelling to its model; a spelling that two models share means neither."""
    found: dict[str, str] = {}
    shared: set[str] = set()
    for key, model in models.items():
        for one in spellings(model.repository):
            if found.setdefault(one, key) != key:
                shared.add(one)
    return {one: key for one, key in found.items() if one not in shared}


def publisher(repository: str, model: LanguageModel) -> str:
    """Say whose repository it is: the model's own organisation, a known quantizer, another."""
    owner = repository.partition("/")[0].lower()
    if owner == model.repository.partition("/")[0].lower():
        return "official"
    return "known-quantizer" if owner in KNOWN else "other"


def variant(
    name: str, downloads: int, models: Mapping[str, LanguageModel], known: Mapping[str, str]
) -> Variant | None:
    """Read a repository's name; nothing where any word of it is not accounted for."""
    owner, _, short = name.lower().partition("/")
    for suffix, quantization, makers in _SUFFIXES:
        key = known.get(short.removesuffix(suffix)) if short.endswith(suffix) else None
        if key is None:
            continue
        whose = publisher(name, models[key])
        if owner not in makers and (whose != "official" or makers == _CYAN):
            continue
        return Variant(key, _layout(name.lower(), quantization), name, whose, downloads)
    return None


def _layout(name: str, quantization: str) -> str:
    """Tell FP8 with blocks from FP8 with a scale per row, which go by one suffix."""
    owner = name.partition("/")[0]
    fine = name.endswith("-fp8") and (owner in FINE_GRAINED or _FINE_MODELS.fullmatch(name))
    return "fp8-block" if quantization == "fp8" and fine else quantization


def best(found: Iterable[Variant]) -> dict[tuple[str, str], Variant]:
    """Choose one repository for each model and quantization."""
    chosen: dict[tuple[str, str], Variant] = {}
    for one in sorted(found, key=_rank):
        chosen.setdefault((one.model, one.quantization), one)
    return chosen


def _rank(one: Variant) -> tuple[int, int, str]:
    mlx = one.quantization.startswith("mlx")
    own = one.repository.startswith("mlx-community/") if mlx else one.publisher == "official"
    return (0 if own else 1, -one.downloads, one.repository)

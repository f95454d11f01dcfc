"""The rules of thumb that public calculators use, so that a reader sees what exactness buys.

No verdict uses any of them. Each says where it is met.
"""

from __future__ import annotations

import re

from sitegen.catalog.domain.models import Quantization
from sitegen.values import dataclass

OVERHEAD = 1.2
"""Weights and a fifth for everything else.

Source:
    "(Weights + …) × 1.20 (20 % overhead)", dwojcik92.github.io/llm-vram-estimator.
"""
NAMED_BITS = (
    ("fp8", 8), ("int8", 8), ("w8a8", 8), ("mxfp8", 8), ("nvfp4", 4), ("mxfp4", 4), ("awq", 4),
    ("gptq", 4), ("w4a16", 4), ("nf4", 4), ("bf16", 16), ("f16", 16),
)  # fmt: skip
"""Bits that a format's name says; scales and what stays at 16 bits are forgotten."""


_BITS = re.compile(r"(?:^i?q|-)(\d+(?:\.\d+)?)(?:-|bit|bpw|$)")


@dataclass(frozen=True, slots=True)
class RuleOfThumb:
    """A rule in words, and a public page that uses it."""

    quantity: str
    words: str
    met_in: str
    url: str


RULES = (
    RuleOfThumb(
        "weights and files",
        "parameters × the bits in the format's name, divided evenly among the GPUs",
        "LLM VRAM estimator: parameters × quantization bytes",
        "https://dwojcik92.github.io/llm-vram-estimator",
    ),
    RuleOfThumb(
        "activations, graphs and context",
        "a fifth of the weights",
        "LLM VRAM estimator: × 1.20 (20 % overhead)",
        "https://dwojcik92.github.io/llm-vram-estimator",
    ),
    RuleOfThumb(
        "cache, by heads",
        "2 × layers × hidden size × bytes for each token, with every head counted",
        "ViVi-Buddy, memory calculations: 2 × context × hidden size × layers × precision",
        "https://github.com/sterlenjohnson/ViVi-Buddy",
    ),
    RuleOfThumb(
        "cache, by parameters",
        "the same rule, with the hidden size estimated as √(parameters / (6 × layers))",
        "LLM VRAM estimator: hidden size from parameters and layers",
        "https://dwojcik92.github.io/llm-vram-estimator",
    ),
    RuleOfThumb(
        "pool",
        "memory × fraction − weights, with nothing else counted",
        "The calculation behind the pages that this project set out to check",
        "",
    ),
    RuleOfThumb(
        "verdict",
        "weights × 1.2, compared with the memory of all GPUs added up",
        "llmfit, issue 230: adds up the memory of all cards",
        "https://github.com/AlexsJones/llmfit/issues/230",
    ),
)
"""Every rule below, for the page that compares them."""


def nominal_bits(recipe: Quantization) -> float:
    """Bits per weight that the name of a format says: 4 for ``q4-k-m``, 8 for ``fp8``."""
    for word, bits in NAMED_BITS:
        if word in recipe.id:
            return float(bits)
    found = _BITS.search(recipe.id)
    return float(found[1]) if found else recipe.nominal_bits


def weight_bytes(parameters: int, recipe: Quantization, gpus: int = 1) -> float:
    """Bits × parameters, cut evenly: no replicated tensor, no padding, one width for all."""
    return parameters * nominal_bits(recipe) / 8 / gpus


def cache_bytes_per_token(layers: int, hidden: int, *, element_bytes: float = 2.0) -> float:
    """Keys and values of full multi-head attention in every layer.

    Grouped heads, latent attention, sliding windows and recurrent layers are forgotten.

    >>> cache_bytes_per_token(32, 4_096)
    524288.0
    """
    return 2.0 * layers * hidden * element_bytes


def peak_bytes(weights: float) -> float:
    """Return a fifth of the weights, which stands for activations, graphs and context."""
    return weights * (OVERHEAD - 1)


def pool_bytes(visible_bytes: int, fraction: float, weights: float) -> float:
    """Memory of the share that the weights leave."""
    return visible_bytes * fraction - weights


def fits(parameters: int, recipe: Quantization, installed_bytes: int) -> bool:
    """Return whether weights and a fifth are at most all memory of all GPUs, added up."""
    return weight_bytes(parameters, recipe) * OVERHEAD <= installed_bytes

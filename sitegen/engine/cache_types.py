"""Types of KV cache: what runtimes call them, and how many bytes an element and a head take.

Source:
    vLLM 0.26.0, ``v1/kv_cache_interface.py`` (scales per token and head, 32 bits each for keys and
    for values) and ``utils/torch_utils.py`` (``auto`` is the type of the model's computation).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PLAIN = "f16"
"""Not quantized: as wide as the model computes, which is 16 bits unless a recipe says otherwise."""
BITS = {
    PLAIN: 16,
    "fp8": 8,
    "fp8_per_token_head": 8,
    "int8_per_token_head": 8,
    "q8_0": 8,
    "q4_0": 4,
}
"""Bits of an element, scales apart."""
HEAD_SCALE_BYTES = {"fp8_per_token_head": 4, "int8_per_token_head": 4}
"""Bytes of the scale that stands behind each head's keys, and behind its values."""
HEADED_CACHES = frozenset({"full", "sliding", "none"})
"""Caches of the kernel that hold keys and values by head; ``none`` is a layer without one."""
SCALED_BY_HEAD = frozenset({"vllm"})
"""Runtimes that offer those."""
PAGED = frozenset({PLAIN, "fp8"})
"""Types that every paged runtime offers; of layer splits see ``layer_split``."""
SPELLINGS = {
    "auto": PLAIN,
    "f16": PLAIN,
    "fp16": PLAIN,
    "float16": PLAIN,
    "bf16": PLAIN,
    "bfloat16": PLAIN,
    "fp8": "fp8",
    "fp8_e4m3": "fp8",
    "fp8_e5m2": "fp8",
    "fp8_per_token_head": "fp8_per_token_head",
    "int8_per_token_head": "int8_per_token_head",
    "q8_0": "q8_0",
    "q4_0": "q4_0",
}
"""The engine's word by what runtimes and logs write."""


def element_bits(m: Mapping[str, Any], cache_type: str) -> int:
    """Bits of a cached element of a checkpoint (``Coefficients.numbers``), scales apart.

    >>> element_bits({"element_bits": 32}, "f16"), element_bits({"element_bits": 32}, "fp8")
    (32, 8)
    """
    return int(m["element_bits"]) if cache_type == PLAIN else BITS[cache_type]

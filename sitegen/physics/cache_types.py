"""Types of KV cache: what runtimes call them, and how many bytes an element and a head take.

Source:
    vLLM 0.26.0, ``v1/kv_cache_interface.py`` (scales per token and head, 32 bits each for keys and
    for values) and ``utils/torch_utils.py`` (``auto`` is the type of the model's computation).
"""

from __future__ import annotations

from sitegen.catalog.domain.models import Runtime
from sitegen.physics.memory.block_layout import CacheType
from sitegen.physics.model_shape import ModelShape

PLAIN = "f16"
"""Not quantized: as wide as the model computes, which is 16 bits unless a recipe says otherwise."""
BITS = {
    PLAIN: 16,
    "f32": 32,
    "q5_1": 5,
    "q5_0": 5,
    "q4_1": 4,
    "iq4_nl": 4,
    "fp8": 8,
    "fp8_per_token_head": 8,
    "int8_per_token_head": 8,
    "q8_0": 8,
    "q4_0": 4,
}
"""Bits of an element, scales apart."""
GGML_HALF_BITS = {
    "f32": 64, PLAIN: 32, "q8_0": 17, "q5_1": 12, "q5_0": 11, "q4_1": 10, "q4_0": 9, "iq4_nl": 9,
}  # fmt: skip
"""Half bits of an element in ggml, where blocks of 32 carry scales (ggml 0.25.3 block table)."""
CUT = frozenset({"f32", PLAIN, "q8_0", "q4_0"})
"""Types whose heads llama.cpp's meta backend can deal out."""
HEAD_SCALE_BYTES = {"fp8_per_token_head": 4, "int8_per_token_head": 4}
"""Bytes of the scale that stands behind each head's keys, and behind its values."""
HEADED_CACHES = frozenset({"full", "sliding", "none"})
"""Kinds of caches that hold keys and values by head; ``none`` is a layer without one."""
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
    "f32": "f32",
    "q5_1": "q5_1",
    "q5_0": "q5_0",
    "q4_1": "q4_1",
    "iq4_nl": "iq4_nl",
}
"""The engine's word by what runtimes and logs write."""
WITHOUT_FORMULA = frozenset({"fp8_ds_mla", "nvfp4", "turbo3"})
"""Types of logged starts that no formula covers: of vLLM, and of a fork of llama.cpp.

Source:
    Starts in ``catalog/measurements``: vLLM issue 51041 (``fp8_ds_mla``), the logs of qwen38-mtp
    (``nvfp4``) and of llama-cpp-turboquant (``turbo3``).
"""


GGML_WORDS = (
    "f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl",
)  # fmt: skip
"""Values of llama.cpp's ``--cache-type-k`` and ``--cache-type-v`` (``common/arg.cpp``)."""


def element_bits(computed_bits: int, cache_type: str) -> int:
    """Bits of a cached element of a checkpoint that computes with some, scales apart.

    >>> element_bits(32, "f16"), element_bits(32, "fp8")
    (32, 8)
    """
    keys, values = of_keys_and_values(cache_type)
    if keys != values:
        return (element_bits(computed_bits, keys) + element_bits(computed_bits, values)) // 2
    return computed_bits if keys == PLAIN else BITS[keys]


def stored_as(shape: ModelShape, cache_type: str) -> CacheType:
    """Return how a paged runtime stores a type of cache."""
    bits = element_bits(shape.element_bits, cache_type)
    return CacheType(bits, HEAD_SCALE_BYTES.get(cache_type, 0))


def of_keys_and_values(cache_type: str) -> tuple[str, str]:
    """Return the type of keys and that of values, which a colon parts where they differ.

    >>> of_keys_and_values("q8_0:q4_0"), of_keys_and_values("f16")
    (('q8_0', 'q4_0'), ('f16', 'f16'))
    """
    words = cache_type.split(":")
    return words[0], words[len(words) - 1]


def joined(keys: str, values: str) -> str:
    """Return the type of a cache from that of its keys and that of its values.

    >>> joined("q8_0", "q4_0"), joined("f16", "f16")
    ('q8_0:q4_0', 'f16')
    """
    return keys if keys == values else f"{keys}:{values}"


def spoken(cache_type: str) -> str:
    """Return a type of cache as a sentence names it.

    >>> spoken("q8_0:q4_0")
    'q8_0 for keys and q4_0 for values'
    """
    keys, values = of_keys_and_values(cache_type)
    return keys if keys == values else f"{keys} for keys and {values} for values"


def quantized(cache_type: str) -> bool:
    """Whether keys or values have fewer bits than the model computes with."""
    return any(word not in {PLAIN, "f32"} for word in of_keys_and_values(cache_type))


def ggml_half_bits(cache_type: str) -> tuple[int, int]:
    """Half bits of an element of keys and of values in ggml, scales included.

    >>> ggml_half_bits("q8_0:q4_0")
    (17, 9)
    """
    keys, values = of_keys_and_values(cache_type)
    return GGML_HALF_BITS[keys], GGML_HALF_BITS[values]


def offers(runtime: Runtime, cache_type: str) -> bool:
    """Whether a runtime offers a cache of this type, or of these for keys and for values."""
    types = runtime.traits.cache_types
    if runtime.traits.value_types_apart:
        return all(word in types for word in of_keys_and_values(cache_type))
    return cache_type in types


def is_cut(cache_type: str) -> bool:
    """Whether llama.cpp's tensor split takes a cache of this type; of others it aborts.

    Source:
        ggml-org/llama.cpp pull request 23792 and issue 27116.
    """
    return all(word in CUT for word in of_keys_and_values(cache_type))


def fused(cache_type: str, asked: bool | None, *, unasked: bool) -> bool:
    """Whether attention is fused: as asked for, as values of fewer bits need it, or as usual.

    Source:
        llama.cpp ``src/llama-context.cpp``: "V cache quantization requires flash_attn".
    """
    if asked is not None:
        return asked
    return quantized(of_keys_and_values(cache_type)[1]) or unasked

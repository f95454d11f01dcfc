"""GGUF block formats: how many bytes ggml stores for how many elements."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Block(NamedTuple):
    """The unit of a ggml type: ``bytes`` for ``elements`` consecutive elements of one row."""

    elements: int
    bytes: int

    @property
    def bits_per_weight(self) -> float:
        """Average over the block, scales included."""
        return 8 * self.bytes / self.elements


BLOCKS: Mapping[str, Block] = MappingProxyType(
    {
        "f32": Block(1, 4),
        "f16": Block(1, 2),
        "bf16": Block(1, 2),
        "q8_0": Block(32, 34),
        "q5_1": Block(32, 24),
        "q5_0": Block(32, 22),
        "q4_1": Block(32, 20),
        "q4_0": Block(32, 18),
        "iq4_nl": Block(32, 18),
        "mxfp4": Block(32, 17),
        "nvfp4": Block(64, 36),
        "q6_K": Block(256, 210),
        "q5_K": Block(256, 176),
        "q4_K": Block(256, 144),
        "iq4_xs": Block(256, 136),
        "q3_K": Block(256, 110),
        "iq3_s": Block(256, 110),
        "iq3_xxs": Block(256, 98),
        "q2_K": Block(256, 84),
        "iq2_s": Block(256, 82),
        "iq2_xs": Block(256, 74),
        "iq2_xxs": Block(256, 66),
        "iq1_m": Block(256, 56),
        "iq1_s": Block(256, 50),
    }
)
"""Elements and bytes of each ggml type a llama.cpp file type can contain.

Source:
    ggml 0.25.3 (vendored in llama-cpp-python 0.3.36), read 2026-11-20.
"""

NARROWER_BLOCK: Mapping[str, str] = MappingProxyType(
    {
        "q6_K": "q8_0",
        "q5_K": "q5_1",
        "q4_K": "q5_0",
        "q3_K": "q4_0",
        "q2_K": "q4_0",
        "iq4_xs": "iq4_nl",
        "iq3_s": "iq4_nl",
        "iq3_xxs": "iq4_nl",
        "iq2_s": "iq4_nl",
        "iq2_xs": "iq4_nl",
        "iq2_xxs": "iq4_nl",
        "iq1_m": "iq4_nl",
        "iq1_s": "iq4_nl",
    }
)
"""Types that llama-quantize takes if a row is no multiple of 256 elements (ggml 0.25.3)."""


def storable(wanted: str, columns: int) -> str:
    """Return the ggml type that rows of ``columns`` elements can be stored in.

    >>> storable("q4_K", 2880), storable("q4_K", 4096), storable("q4_K", 100)
    ('q5_0', 'q4_K', 'f16')
    """
    if columns % BLOCKS[wanted].elements == 0:
        return wanted
    narrower = NARROWER_BLOCK.get(wanted, wanted)
    return narrower if columns % BLOCKS[narrower].elements == 0 else "f16"


def stored_bytes(elements: int, ggml_type: str) -> int:
    """Bytes of ``elements`` elements whose rows are whole blocks of ``ggml_type``.

    >>> stored_bytes(128_256 * 4_096, "q6_K")
    430940160
    """
    block = BLOCKS[ggml_type]
    return elements // block.elements * block.bytes

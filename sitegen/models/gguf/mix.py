"""The mix rules of llama-quantize: which ggml type a tensor gets in which file type, as rows."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntFlag
from types import MappingProxyType
from typing import NamedTuple

from sitegen.models.gguf.blocks import BLOCKS, storable


class TensorCondition(IntFlag):
    """Circumstances a rule may ask for; a row holds when all it names are present."""

    ALWAYS = 0
    MISFIT = 1
    """Rows are no whole number of the file type's own blocks."""
    STACKED = 2
    """Several matrices in one tensor: experts, per-head projections of latent attention."""
    GROUPED_4 = 4
    """At least four query heads per KV head in the first layer."""
    EXPERTS_4 = 8
    """At least four experts."""
    EXPERTS_8 = 16
    """Exactly eight experts (Mixtral)."""
    NO_IMATRIX = 32
    IMATRIX = 64
    FIRST_2 = 128
    """Among the first two tensors of the category."""
    FIRST_4 = 256
    FIRST_16TH = 512
    """In the first sixteenth of the layers."""
    FIRST_8TH = 1024
    MIDDLE = 2048
    """Between the first and the last eighth of the layers."""
    MORE_BITS = 4096
    """First or last eighth of the layers, or every third between them."""


class MixRule(NamedTuple):
    """In these file types, a tensor of this category gets this type when the condition holds."""

    file_types: str
    category: str
    when: TensorCondition
    type: str


DEFAULT_TYPE: Mapping[str, str] = MappingProxyType(
    {
        "F16": "f16", "Q8_0": "q8_0", "Q6_K": "q6_K", "Q5_K_M": "q5_K", "Q5_K_S": "q5_K",
        "Q5_0": "q5_0", "Q5_1": "q5_1", "Q4_K_M": "q4_K", "Q4_K_S": "q4_K", "Q4_0": "q4_0",
        "Q4_1": "q4_1", "IQ4_XS": "iq4_xs", "IQ4_NL": "iq4_nl", "Q3_K_L": "q3_K",
        "Q3_K_M": "q3_K", "Q3_K_S": "q3_K", "IQ3_M": "iq3_s", "IQ3_S": "iq3_s",
        "IQ3_XS": "iq3_s", "IQ3_XXS": "iq3_xxs", "Q2_K": "q2_K", "Q2_K_S": "q2_K",
        "IQ2_M": "iq2_s", "IQ2_S": "iq2_xs", "IQ2_XS": "iq2_xs", "IQ2_XXS": "iq2_xxs",
        "IQ1_M": "iq1_m", "IQ1_S": "iq1_s", "MXFP4_MOE": "q8_0", "MXFP4_MOE_F16": "f16",
    }
)  # fmt: skip
"""Type of a tensor that no rule names, by file type (``IQ2_S`` is mostly ``iq2_xs``)."""

RELEASED_EXPERTS: Mapping[str, str] = MappingProxyType({"gpt_oss": "mxfp4"})
"""Type of experts by family, where they were released in a ggml type, whatever a file is called.

llama.cpp's converter copies them, and llama-quantize refuses to quantize them again.

Source:
    llama.cpp, ``conversion/gpt_oss.py`` and ``src/llama-quant.cpp`` ("requantizing from type mxfp4
    is disabled"), vendored in llama-cpp-python 0.3.36; the card of bartowski's gpt-oss-20b files
    ("all quants keep the feed forward networks at mxfp4"); read 2026-11-23.
"""

LOW_BIT = "IQ2_XXS IQ2_XS IQ2_S IQ2_M IQ1_S IQ1_M"
"""File types that count feed-forward tensors, not layers, and promote no values."""
_K_QUANTS = "Q6_K Q5_K_M Q5_K_S Q4_K_M Q4_K_S Q3_K_L Q3_K_M Q3_K_S Q2_K Q2_K_S"
_LEGACY = "Q5_0 Q5_1 Q4_0 Q4_1"
_HIGHER = f"{_K_QUANTS} {_LEGACY} Q8_0 IQ4_XS IQ4_NL IQ3_M IQ3_S IQ3_XS IQ3_XXS"
_EIGHT_EXPERTS_OUT = "Q2_K IQ3_XS IQ3_XXS Q3_K_S Q3_K_M IQ4_NL IQ4_XS Q4_K_S Q4_K_M IQ3_S IQ3_M"

RULES = (
    MixRule("MXFP4_MOE", "head", TensorCondition.ALWAYS, "q8_0"),
    MixRule(f"{LOW_BIT} {_HIGHER}", "head", TensorCondition.MISFIT, "q8_0"),
    MixRule(f"{LOW_BIT} IQ3_XXS", "head", TensorCondition.ALWAYS, "q5_K"),
    MixRule("Q8_0", "head", TensorCondition.ALWAYS, "q8_0"),
    MixRule(_HIGHER, "head", TensorCondition.ALWAYS, "q6_K"),
    MixRule("MXFP4_MOE MXFP4_MOE_F16", "*", TensorCondition.STACKED, "mxfp4"),
    MixRule("IQ2_XXS IQ2_XS IQ1_S IQ1_M", "embed", TensorCondition.ALWAYS, "q2_K"),
    MixRule("IQ2_S IQ2_M IQ3_XXS", "embed", TensorCondition.ALWAYS, "iq3_s"),
    # one and two bits
    MixRule(LOW_BIT, "attn_v", TensorCondition.GROUPED_4, "q4_K"),
    MixRule(LOW_BIT, "attn_v", TensorCondition.EXPERTS_4, "q4_K"),
    MixRule("IQ2_S IQ2_M", "attn_v", TensorCondition.ALWAYS, "iq3_s"),
    MixRule(LOW_BIT, "attn_v", TensorCondition.ALWAYS, "q2_K"),
    MixRule(LOW_BIT, "attn_k", TensorCondition.EXPERTS_8, "q4_K"),
    MixRule("IQ2_S IQ2_M", "ffn_down", TensorCondition.FIRST_8TH, "iq3_s"),
    MixRule(LOW_BIT, "ffn_down", TensorCondition.FIRST_8TH, "q2_K"),
    MixRule(LOW_BIT, "attn_output", TensorCondition.EXPERTS_8, "q5_K"),
    MixRule("IQ1_S IQ1_M", "attn_output", TensorCondition.ALWAYS, "iq2_xxs"),
    MixRule("IQ2_S IQ2_M", "attn_output", TensorCondition.ALWAYS, "iq3_s"),
    # values, also where they are fused with queries and keys
    MixRule(_HIGHER, "attn_v", TensorCondition.EXPERTS_8, "q8_0"),
    MixRule("Q2_K Q2_K_S IQ3_XXS IQ3_XS IQ3_S", "attn_v", TensorCondition.GROUPED_4, "q4_K"),
    MixRule("Q2_K", "attn_v", TensorCondition.ALWAYS, "q3_K"),
    MixRule("IQ3_XXS", "attn_v", TensorCondition.NO_IMATRIX, "iq3_s"),
    MixRule("IQ3_M", "attn_v", TensorCondition.ALWAYS, "q4_K"),
    MixRule("Q3_K_M", "attn_v", TensorCondition.FIRST_2, "q5_K"),
    MixRule("Q3_K_M", "attn_v", TensorCondition.ALWAYS, "q4_K"),
    MixRule("Q3_K_L", "attn_v", TensorCondition.ALWAYS, "q5_K"),
    MixRule("IQ4_NL IQ4_XS", "attn_v", TensorCondition.GROUPED_4, "q5_K"),
    MixRule("Q4_K_M Q5_K_M", "attn_v", TensorCondition.MORE_BITS, "q6_K"),
    MixRule("Q4_K_S", "attn_v", TensorCondition.FIRST_4, "q5_K"),
    # queries and keys
    MixRule(_HIGHER, "attn_k", TensorCondition.EXPERTS_8, "q8_0"),
    MixRule("IQ3_XS", "attn_k", TensorCondition.ALWAYS, "iq3_xxs"),
    MixRule("IQ3_XXS", "attn_k", TensorCondition.ALWAYS, "iq2_s"),
    MixRule("IQ3_XS", "attn_q", TensorCondition.ALWAYS, "iq3_xxs"),
    MixRule("IQ3_XXS", "attn_q", TensorCondition.ALWAYS, "iq2_s"),
    # feed-forward
    MixRule("Q2_K", "ffn_down", TensorCondition.ALWAYS, "q3_K"),
    MixRule("Q2_K_S", "ffn_down", TensorCondition.FIRST_8TH, "q4_K"),
    MixRule("IQ3_XXS", "ffn_down", TensorCondition.FIRST_8TH | TensorCondition.NO_IMATRIX, "q4_K"),
    MixRule("IQ3_XXS", "ffn_down", TensorCondition.NO_IMATRIX, "q3_K"),
    MixRule("Q3_K_M", "ffn_down", TensorCondition.FIRST_16TH, "q5_K"),
    MixRule("Q3_K_M", "ffn_down", TensorCondition.ALWAYS, "q4_K"),
    MixRule("IQ3_M", "ffn_down", TensorCondition.FIRST_8TH, "q4_K"),
    MixRule("IQ3_M", "ffn_down", TensorCondition.EXPERTS_8 | TensorCondition.MORE_BITS, "q4_K"),
    MixRule("Q3_K_L", "ffn_down", TensorCondition.ALWAYS, "q5_K"),
    MixRule("Q4_K_M Q5_K_M", "ffn_down", TensorCondition.MORE_BITS, "q6_K"),
    MixRule(
        "IQ4_NL IQ4_XS", "ffn_down", TensorCondition.FIRST_8TH | TensorCondition.NO_IMATRIX, "q5_K"
    ),
    MixRule("Q4_K_S", "ffn_down", TensorCondition.FIRST_8TH, "q5_K"),
    MixRule("Q4_0", "ffn_down", TensorCondition.FIRST_8TH | TensorCondition.IMATRIX, "q4_1"),
    MixRule("Q5_0", "ffn_down", TensorCondition.FIRST_8TH | TensorCondition.IMATRIX, "q5_1"),
    MixRule("IQ3_XS", "ffn_gate", TensorCondition.MIDDLE, "iq3_xxs"),
    MixRule("IQ3_XS", "ffn_up", TensorCondition.MIDDLE, "iq3_xxs"),
    # attention output; with eight experts the rows below the first are out of reach
    MixRule(_EIGHT_EXPERTS_OUT, "attn_output", TensorCondition.EXPERTS_8, "q5_K"),
    MixRule("Q3_K_L", "attn_output", TensorCondition.EXPERTS_8, "q3_K"),
    MixRule("Q2_K", "attn_output", TensorCondition.ALWAYS, "q3_K"),
    MixRule("IQ3_XXS", "attn_output", TensorCondition.ALWAYS, "iq3_s"),
    MixRule("Q3_K_M IQ3_M", "attn_output", TensorCondition.ALWAYS, "q4_K"),
    MixRule("Q3_K_L", "attn_output", TensorCondition.ALWAYS, "q5_K"),
)
"""First match wins; a tensor that no row names gets the file type's default.

Source:
    llama.cpp as vendored in llama-cpp-python 0.3.36, compared with ``llama-quantize --dry-run`` on
    280 combinations of model and file type (2026-11-20). Rules that only Falcon has are left out.
"""

SEVENTY_B_VALUES: Mapping[str, str] = MappingProxyType({"q3_K": "q5_K", "q4_K": "q5_K"})
"""Values where llama.cpp calls the model 70B: eight query heads share them, so they are small."""


def _rows_by_file_type() -> Mapping[tuple[str, str], tuple[MixRule, ...]]:
    categories = {rule.category for rule in RULES}
    return MappingProxyType(
        {
            (file_type, category): rows
            for file_type in DEFAULT_TYPE
            for category in categories
            if (
                rows := tuple(
                    rule
                    for rule in RULES
                    if file_type in rule.file_types.split() and rule.category in {category, "*"}
                )
            )
        }
    )


_ROWS = _rows_by_file_type()


def ggml_type(
    file_type: str, category: str, columns: int, when: TensorCondition, *, seventy_b: bool = False
) -> str:
    """Return the type llama-quantize stores a matrix in.

    Args:
        file_type: llama.cpp's name of the mix, ``Q4_K_M``.
        category: A category of ``RULES``, or any other word for a tensor without rules of its own.
        columns: Elements of one row.
        when: Conditions that hold for the tensor; this function finds ``MISFIT``.
        seventy_b: The model is one that llama.cpp calls 70B.

    Raises:
        KeyError: The file type is not known.

    >>> ggml_type("Q4_K_M", "ffn_down", 29_568, TensorCondition.MORE_BITS)
    'q8_0'
    """
    wanted = DEFAULT_TYPE[file_type]
    if columns % BLOCKS[wanted].elements:
        when |= TensorCondition.MISFIT
    rows = _ROWS.get((file_type, category)) or _ROWS.get((file_type, "*"), ())
    for rule in rows:
        if rule.when & when == rule.when:
            wanted = rule.type
            break
    if seventy_b and category == "attn_v" and file_type not in LOW_BIT.split():
        wanted = SEVENTY_B_VALUES.get(wanted, wanted)
    return storable(wanted, columns)

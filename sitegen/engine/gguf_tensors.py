"""GGUF tensors: how llama.cpp's converters name, split and order a model's matrices."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from sitegen.engine.architecture import Architecture, Tensor


class GgufTensor(NamedTuple):
    """A tensor of a GGUF file: ``copies`` matrices of ``rows`` by ``columns`` under one name.

    ``name`` is without ``blk.<layer>.`` and ``.weight``; ``category`` is what the mix rules go by;
    ``quantized`` is false for what stays at 32 bits.
    """

    name: str
    category: str
    group: str
    rows: int
    columns: int
    copies: int
    quantized: bool = True

    @property
    def elements(self) -> int:
        """How many numbers it holds."""
        return self.rows * self.columns * self.copies


NAMES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "embed": ("token_embd", "embed"),
        "head": ("output", "head"),
        "attn_q": ("attn_q", "attn_q"),
        "attn_k": ("attn_k", "attn_k"),
        "attn_v": ("attn_v", "attn_v"),
        "attn_o": ("attn_output", "attn_output"),
        "attn_q_a": ("attn_q_a", "other"),
        "attn_q_b": ("attn_q_b", "other"),
        "attn_kv_a": ("attn_kv_a_mqa", "other"),
        "attn_kv_b": ("attn_kv_b", "attn_v"),
        "indexer": ("indexer", "other"),
        "latent": ("ffn_latent", "other"),
        "ffn_gate": ("ffn_gate", "ffn_gate"),
        "ffn_up": ("ffn_up", "ffn_up"),
        "ffn_down": ("ffn_down", "ffn_down"),
        "exp_gate": ("ffn_gate_exps", "ffn_gate"),
        "exp_up": ("ffn_up_exps", "ffn_up"),
        "exp_down": ("ffn_down_exps", "ffn_down"),
        "shexp_gate": ("ffn_gate_shexp", "ffn_gate"),
        "shexp_up": ("ffn_up_shexp", "ffn_up"),
        "shexp_down": ("ffn_down_shexp", "ffn_down"),
        "lin_in": ("ssm_in", "other"),
        "lin_ba": ("ssm_ba", "other"),
        "lin_out": ("ssm_out", "other"),
    }
)
"""GGUF name and mix category of each tensor group; groups that are missing stay at 32 bits.

Source:
    gguf-py tensor names and llama.cpp's tensor categories, llama-cpp-python 0.3.36 (2026-11-20).
"""

FUSED_VALUES = frozenset({"phi3", "chatglm", "falcon"})
"""Families whose converter keeps queries, keys and values in one ``attn_qkv``."""

WHOLE_LATENT = frozenset({"minicpm3"})
"""Families whose converter leaves ``attn_kv_b`` in one piece."""

MERGED_BETA = frozenset({"qwen3_next"})
"""Families whose converter keeps beta and alpha of DeltaNet in one ``ssm_ba``."""


def layer_tensors(architecture: Architecture, tensors: tuple[Tensor, ...]) -> list[GgufTensor]:
    """Return the tensors of one layer, or of what stands outside layers, in llama-quantize's order.

    llama.cpp sorts by layer and then by name, whatever the order in the file. The vision tower is
    left out: it lives in a file of its own.
    """
    family = architecture.family
    by_group = {tensor.group: tensor for tensor in tensors}
    stored: list[GgufTensor] = []
    for tensor in tensors:
        if tensor.group == "vision":
            continue
        if tensor.group == "attn_kv_b" and architecture.low_rank[3] and family not in WHOLE_LATENT:
            stored += _latent_halves(architecture, tensor)
        elif tensor.group == "lin_in" and "lin_ba" in by_group:
            stored += _delta_net_input(tensor, gate_rows=by_group["lin_out"].columns)
        elif tensor.group == "lin_ba" and family not in MERGED_BETA:
            stored += _halves(tensor, "ssm_alpha", "ssm_beta")
        elif family not in FUSED_VALUES or tensor.group not in {"attn_q", "attn_k", "attn_v"}:
            stored.append(_stored(tensor))
        elif tensor.group == "attn_v":
            stored.append(_fused_values(by_group))
    return sorted(stored)


def _stored(tensor: Tensor) -> GgufTensor:
    name, category = NAMES.get(tensor.group, (tensor.name, "other"))
    return GgufTensor(
        name, category, tensor.group, tensor.rows, tensor.columns, tensor.copies,
        quantized=tensor.group in NAMES,
    )  # fmt: skip


def _latent_halves(architecture: Architecture, tensor: Tensor) -> list[GgufTensor]:
    """Split ``attn_kv_b`` by head into the key part, transposed, and the value part."""
    nope, _, value, rank = architecture.low_rank
    heads = tensor.rows // (nope + value)
    return [
        GgufTensor("attn_k_b", "other", tensor.group, rank, nope, heads),
        GgufTensor("attn_v_b", "other", tensor.group, value, rank, heads),
    ]


def _delta_net_input(tensor: Tensor, *, gate_rows: int) -> list[GgufTensor]:
    """Split the input projection of gated DeltaNet into queries, keys, values and the gate."""
    mixed_rows = tensor.rows - gate_rows
    return [
        GgufTensor("attn_qkv", "attn_v", tensor.group, mixed_rows, tensor.columns, 1),
        GgufTensor("attn_gate", "other", tensor.group, gate_rows, tensor.columns, 1),
    ]


def _halves(tensor: Tensor, *names: str) -> list[GgufTensor]:
    rows = tensor.rows // len(names)
    return [
        GgufTensor(name, "other", tensor.group, rows, tensor.columns, tensor.copies)
        for name in names
    ]


def _fused_values(by_group: Mapping[str, Tensor]) -> GgufTensor:
    """Stack queries, keys and values; the stack is cut over ranks like the queries."""
    query, key, value = (by_group[group] for group in ("attn_q", "attn_k", "attn_v"))
    rows = query.rows + key.rows + value.rows
    return GgufTensor("attn_qkv", "attn_v", "attn_q", rows, query.columns, 1)

"""GGUF tensors: how llama.cpp's converters name, split and order a model's matrices."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from sitegen.models.architecture import Architecture, Tensor


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
        "layer_embed": ("per_layer_token_embd", "embed"),
        "layer_embed_proj": ("per_layer_model_proj", "as_is"),
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

PARTS: Mapping[tuple[str, str], tuple[str, str]] = MappingProxyType(
    {
        ("lin_in", "qkv"): ("attn_qkv", "attn_v"),
        ("lin_in", "gate"): ("attn_gate", "other"),
        ("lin_ba", "alpha"): ("ssm_alpha", "other"),
        ("lin_ba", "beta"): ("ssm_beta", "other"),
    }
)
"""The same for tensors of gated DeltaNet, whose groups hold several."""

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
    by_name = {(tensor.group, tensor.name): tensor for tensor in tensors}
    stored: list[GgufTensor] = []
    for tensor in tensors:
        stored += _stored(architecture, tensor, by_name)
    return sorted(stored)


def _stored(
    architecture: Architecture, tensor: Tensor, by_name: Mapping[tuple[str, str], Tensor]
) -> list[GgufTensor]:
    """Return what the converter makes of ``tensor``: itself, two halves, or nothing."""
    family, group = architecture.family, tensor.group
    if group == "vision":
        return []
    if group == "attn_kv_b" and architecture.low_rank[3] and family not in WHOLE_LATENT:
        return _latent_halves(architecture, tensor)
    if group in {"attn_q", "attn_k", "attn_v"} and family in FUSED_VALUES:
        return _stacked("attn_qkv", "attn_v", by_name, ("attn_q", "attn_k", "attn_v"), tensor)
    if group == "lin_ba" and family in MERGED_BETA:
        return _stacked("ssm_ba", "other", by_name, ("lin_ba",), tensor)
    return [_kept(tensor)]


def _kept(tensor: Tensor) -> GgufTensor:
    name, category = PARTS.get((tensor.group, tensor.name)) or NAMES.get(
        tensor.group, (tensor.name, "other")
    )
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


def _stacked(
    name: str,
    category: str,
    by_name: Mapping[tuple[str, str], Tensor],
    groups: tuple[str, ...],
    tensor: Tensor,
) -> list[GgufTensor]:
    """Stack the layer's tensors of ``groups`` into one, in the place of the first of them."""
    parts = [part for (group, _), part in by_name.items() if group in groups]
    if tensor is not parts[0]:
        return []
    rows = sum(part.rows for part in parts)
    return [GgufTensor(name, category, parts[0].group, rows, tensor.columns, 1)]

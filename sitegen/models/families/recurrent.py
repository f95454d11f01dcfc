"""Blocks that keep a state of fixed size per sequence: gated DeltaNet, Mamba-2, Mamba-1."""

from __future__ import annotations

from sitegen.models.cache_kinds import RecurrentState
from sitegen.models.families.blocks import Tensors, norms, tensor
from sitegen.models.families.config import Config
from sitegen.values import dataclass

STATE_BITS = {"float32": 32, "bfloat16": 16, "float16": 16}


def state_bits(config: Config) -> int:
    """Return the width at which a config wants its recurrence kept; 0 if it does not say.

    Qwen3.5 and later name it ``mamba_ssm_dtype``, Nemotron-H ``mamba_ssm_cache_dtype``; both say
    ``float32``. vLLM takes its cache's type from there and keeps the convolution in the model's.

    Source:
        vLLM pull requests 34489 (2026-02-13) and 29978 (2025-12-03); 161 blocks logged in a pool
        of 3.86 GiB, vLLM issue 49064 (2026-09-03).
    """
    values = config.values
    named = values.get("mamba_ssm_dtype") or values.get("mamba_ssm_cache_dtype")
    return STATE_BITS.get(str(named), 0)


def delta_net(config: Config) -> tuple[Tensors, RecurrentState]:
    """Return gated DeltaNet's tensors and state.

    With ``K = nk·dk`` and ``W = nv·dv``: ``(2K+2W)·d + 2nv·d + (2K+W)·kconv + 2nv + dv + d·W``
    elements. The state keeps ``(kconv-1)(2K+W)`` elements of the convolution and ``nv·dk·dv`` of
    the recurrence: for Qwen3-Next 24,576 and 524,288, which is vLLM's page of 1,097,728 bytes with
    both in 16 bits, and 75.4 MiB over 36 layers in 32 bits (llama.cpp).

    Source:
        transformers 5.23.0, ``qwen3_next``; vLLM 0.33 and llama.cpp for what is stored.
    """
    hidden, taps = config.hidden, config.size("linear_conv_kernel_dim")
    key_heads = config.size("linear_num_key_heads")
    value_heads = config.size("linear_num_value_heads")
    key_dim, value_dim = config.size("linear_key_head_dim"), config.size("linear_value_head_dim")
    keys, values = key_heads * key_dim, value_heads * value_dim
    tensors = (
        tensor("lin_in", "qkv", 2 * keys + values, hidden),
        tensor("lin_in", "gate", values, hidden),
        tensor("lin_ba", "beta", value_heads, hidden),
        tensor("lin_ba", "alpha", value_heads, hidden),
        tensor("conv", "conv", 2 * keys + values, taps),
        tensor("bias", "dt_bias", value_heads),
        tensor("bias", "a_log", value_heads),
        *norms(value_dim, "state_norm"),
        tensor("lin_out", "out", hidden, values),
    )
    return tensors, RecurrentState(
        convolution_elements=(taps - 1) * (2 * keys + values),
        state_elements=value_heads * key_dim * value_dim,
        heads=value_heads,
        groups=key_heads,
        state_bits=state_bits(config),
    )


@dataclass(frozen=True, slots=True)
class Mamba2:
    """Sizes of a Mamba-2 block: heads, width per head, groups, state per head, kernel taps."""

    heads: int
    head_dim: int
    groups: int
    state: int
    taps: int
    bias: bool
    state_bits: int = 0

    def tensors(self, hidden: int) -> Tensors:
        """With ``di = nh·hd`` and ``c = di + 2GN``: ``(di+c+nh)d + c·k (+c) + 3nh + di + d·di``."""
        inner = self.heads * self.head_dim
        mixed = inner + 2 * self.groups * self.state
        return (
            tensor("lin_in", "in", inner + mixed + self.heads, hidden),
            tensor("conv", "conv", mixed, self.taps),
            *((tensor("bias", "conv_bias", mixed),) if self.bias else ()),
            tensor("bias", "dt_bias", self.heads),
            tensor("bias", "a_log", self.heads),
            tensor("bias", "d", self.heads),
            *norms(inner, "state_norm"),
            tensor("lin_out", "out", hidden, inner),
        )

    def cache(self) -> RecurrentState:
        """``(k-1)(di + 2GN)`` elements of the convolution, ``di·N`` of the recurrence."""
        inner = self.heads * self.head_dim
        return RecurrentState(
            convolution_elements=(self.taps - 1) * (inner + 2 * self.groups * self.state),
            state_elements=inner * self.state,
            heads=self.heads,
            groups=self.groups,
            state_bits=self.state_bits,
        )


def mamba1(config: Config) -> tuple[Tensors, RecurrentState]:
    """Return Mamba-1's tensors and state; tensor parallelism may cut its channels anywhere."""
    hidden, state = config.hidden, config.size("mamba_d_state")
    inner, taps = config.size("mamba_expand") * hidden, config.size("mamba_d_conv")
    rank = config.size("mamba_dt_rank")
    tensors = (
        tensor("lin_in", "in", 2 * inner, hidden),
        tensor("conv", "conv", inner, taps),
        *(
            (tensor("bias", "conv_bias", inner),)
            if config.flag("mamba_conv_bias", default=True)
            else ()
        ),
        tensor("lin_ba", "x", rank + 2 * state, inner),
        tensor("lin_ba", "dt", inner, rank),
        tensor("bias", "dt_bias", inner),
        tensor("bias", "a_log", inner, state),
        tensor("bias", "d", inner),
        *norms(rank, "dt_norm"),
        *norms(state, "b_norm", "c_norm"),
        tensor("lin_out", "out", hidden, inner),
    )
    return tensors, RecurrentState((taps - 1) * inner, inner * state, heads=inner, groups=1)

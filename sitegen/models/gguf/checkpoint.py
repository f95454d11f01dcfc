"""GGUF checkpoints: the type of every tensor and the exact bytes of every layer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from sitegen.models.architecture import Architecture, Tensor
from sitegen.models.cache_kinds import FullAttention, LatentAttention, SlidingAttention
from sitegen.models.gguf.blocks import stored_bytes
from sitegen.models.gguf.mix import LOW_BIT, RELEASED_EXPERTS, TensorCondition, ggml_type
from sitegen.models.layer_kinds import layer_kinds
from sitegen.values import dataclass

SEVENTY_B_FAMILIES = frozenset({"llama", "mistral", "qwen2"})
"""Families in which llama.cpp calls a model of 80 layers 70B (llama-cpp-python 0.3.36)."""


SIXTY_FIVE_B_FAMILIES = frozenset({"llama", "mistral"})
"""The families of these in which it does not, if every query head has a KV head (LLaMA 65B)."""


SCALAR_HEADS = frozenset({"qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"})
"""Hybrid families whose file gives one count of KV heads, not zero on layers without any."""


def model_circumstances(architecture: Architecture, *, importance_matrix: bool) -> TensorCondition:
    """Return what is true of every tensor of the model."""
    when = TensorCondition.IMATRIX if importance_matrix else TensorCondition.NO_IMATRIX
    if query_heads_per_kv_head(architecture) >= 4:
        when |= TensorCondition.GROUPED_4
    if architecture.experts >= 4:
        when |= TensorCondition.EXPERTS_4
    if architecture.experts == 8:
        when |= TensorCondition.EXPERTS_8
    return when


def _more_bits(index: int, count: int) -> bool:
    """Return whether the tensor is in the first or last eighth, or every third between."""
    return index < count // 8 or index >= 7 * count // 8 or (index - count // 8) % 3 == 2


@cache
def value_position(index: int, count: int) -> TensorCondition:
    """Return where the ``index``-th of ``count`` tensors of category ``attn_v`` stands."""
    where = TensorCondition.MORE_BITS if _more_bits(index, count) else TensorCondition.ALWAYS
    if index < 2:
        where |= TensorCondition.FIRST_2
    if index < 4:
        where |= TensorCondition.FIRST_4
    return where


@cache
def layer_position(index: int, layers: int) -> TensorCondition:
    """Return where a feed-forward tensor of layer ``index`` stands."""
    where = TensorCondition.MORE_BITS if _more_bits(index, layers) else TensorCondition.ALWAYS
    if index < layers // 16:
        where |= TensorCondition.FIRST_16TH
    if index < layers // 8:
        where |= TensorCondition.FIRST_8TH
    elif index < 7 * layers // 8:
        where |= TensorCondition.MIDDLE
    return where


def query_heads_per_kv_head(architecture: Architecture) -> int:
    """Return llama.cpp's ``n_gqa``: that of the first layer, 0 where it has no KV heads."""
    first = architecture.caches[0]
    if isinstance(first, FullAttention | SlidingAttention):
        return architecture.attention_heads // first.kv_heads if first.kv_heads else 0
    if isinstance(first, LatentAttention) or architecture.family in SCALAR_HEADS:
        return architecture.attention_heads // architecture.kv_heads
    return 0


def is_seventy_b(architecture: Architecture) -> bool:
    """Return whether llama.cpp gives the model its label 70B and promotes the values."""
    if architecture.layers != 80 or architecture.family not in SEVENTY_B_FAMILIES:
        return False
    grouped = architecture.attention_heads != architecture.kv_heads
    return grouped or architecture.family not in SIXTY_FIVE_B_FAMILIES


POSITIONAL = frozenset({"attn_v", "ffn_down", "ffn_gate", "ffn_up"})
"""Categories whose type depends on where in the model a tensor stands."""


class TypedTensor(NamedTuple):
    """A tensor of a GGUF file and the ggml type it is stored in; ``layer`` is -1 outside layers."""

    layer: int
    tensor: GgufTensor
    type: str

    @property
    def bytes(self) -> int:
        """Its share of the file."""
        return stored_bytes(self.tensor.elements, self.type)


@dataclass(frozen=True, slots=True)
class GgufLayers:
    """Every tensor with its type; layers of equal content share one tuple.

    ``outside`` and the members of ``layers`` hold tensors in the order llama-quantize visits them.
    ``layer`` of a tensor in a shared tuple is the first layer that has it.
    """

    outside: tuple[TypedTensor, ...]
    layers: tuple[tuple[TypedTensor, ...], ...]


def tensor_types(
    architecture: Architecture,
    file_type: str,
    *,
    importance_matrix: bool = False,
    requantized: bool = False,
) -> Iterator[TypedTensor]:
    """Yield every tensor of the model in a GGUF file of ``file_type``, with its type.

    Args:
        architecture: The model.
        file_type: llama.cpp's name of the mix: ``Q4_K_M``, ``IQ2_XXS``, ``MXFP4_MOE``, ``F16``.
        importance_matrix: The file was made with one (changes few types of few mixes).
        requantized: Its experts were widened to 16 bits first, whatever they were released in.

    Raises:
        KeyError: The file type is not known.
    """
    typed = typed_layers(
        architecture, file_type, importance_matrix=importance_matrix, requantized=requantized
    )
    yield from typed.outside
    for layer, tensors in enumerate(typed.layers):
        for tensor in tensors:
            yield tensor._replace(layer=layer)


def typed_layers(
    architecture: Architecture,
    file_type: str,
    *,
    importance_matrix: bool = False,
    requantized: bool = False,
) -> GgufLayers:
    """Decide the type of every tensor, once for layers of the same kind and position.

    Raises:
        KeyError: The file type is not known.
    """
    mix = _Mix(architecture, file_type, importance_matrix=importance_matrix)
    mix.experts_kept = "" if requantized else RELEASED_EXPERTS.get(architecture.family, "")
    inventory = layer_kinds(architecture)
    kinds = [layer_tensors(architecture, tensors) for tensors in inventory.kinds]
    mix.count_values(kinds, inventory.kind_of_layer)
    typed: dict[tuple[int, tuple[TensorCondition, ...]], tuple[TypedTensor, ...]] = {}
    layers: list[tuple[TypedTensor, ...]] = []
    for layer, kind in enumerate(inventory.kind_of_layer):
        key = kind, tuple(mix.positions(layer, kinds[kind]))
        if key not in typed:
            typed[key] = mix.typed(layer, kinds[kind], iter(key[1]))
        layers.append(typed[key])
    outside = layer_tensors(architecture, inventory.outside)
    return GgufLayers(mix.typed(-1, outside, iter(())), tuple(layers))


class _Mix:
    """What llama-quantize keeps in mind while it walks over the tensors of one file."""

    def __init__(
        self, architecture: Architecture, file_type: str, *, importance_matrix: bool
    ) -> None:
        self.file_type = file_type
        self.layers = architecture.layers
        self.experts = architecture.experts
        self.tied = architecture.tied_embeddings
        self.seventy_b = is_seventy_b(architecture)
        self.model = model_circumstances(architecture, importance_matrix=importance_matrix)
        self.seen: Counter[str] = Counter()
        self.values = 0
        self.experts_kept = ""

    def count_values(self, kinds: list[list[GgufTensor]], kind_of_layer: tuple[int, ...]) -> None:
        """Count the tensors of category ``attn_v``, which the positions are relative to."""
        per_kind = [sum(t.category == "attn_v" for t in tensors) for tensors in kinds]
        self.values = sum(per_kind[kind] for kind in kind_of_layer)

    def positions(self, layer: int, tensors: list[GgufTensor]) -> Iterator[TensorCondition]:
        """Yield where each positional tensor of a layer stands among its category."""
        by_layer = self.experts > 1 and self.file_type not in LOW_BIT.split()
        for tensor in tensors:
            if tensor.category in POSITIONAL:
                seen = self.seen[tensor.category]
                self.seen[tensor.category] += 1
                if tensor.category == "attn_v":
                    yield value_position(seen, self.values)
                else:
                    yield layer_position(layer if by_layer else seen, self.layers)

    def typed(
        self, layer: int, tensors: list[GgufTensor], positions: Iterator[TensorCondition]
    ) -> tuple[TypedTensor, ...]:
        """Give each tensor of a layer its type."""
        return tuple(
            TypedTensor(
                layer,
                tensor,
                self.type_of(
                    tensor,
                    next(positions) if tensor.category in POSITIONAL else TensorCondition.ALWAYS,
                ),
            )
            for tensor in tensors
        )

    def type_of(self, tensor: GgufTensor, position: TensorCondition) -> str:
        """Apply the mix rules to one tensor."""
        if not tensor.quantized:
            return "f32"
        if tensor.category == "as_is":
            return "bf16"
        is_head = tensor.group == "embed" and self.tied
        if self.experts_kept and tensor.copies > 1:
            return self.experts_kept
        stacked = TensorCondition.STACKED if tensor.copies > 1 else TensorCondition.ALWAYS
        return ggml_type(
            self.file_type,
            "head" if is_head else tensor.category,
            tensor.columns,
            self.model | position | stacked,
            seventy_b=self.seventy_b,
        )


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

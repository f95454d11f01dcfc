"""What a checkpoint weighs, layer by layer and by what tensor parallelism does to it."""

from __future__ import annotations

from enum import StrEnum

from sitegen.values import dataclass


class SizeEvidence(StrEnum):
    """How a checkpoint's size is known, strongest first."""

    PUBLISHED = "published-file"
    MIX_RULE = "mix-rule"
    RECIPE = "recipe"


@dataclass(frozen=True, slots=True)
class LayerWeights:
    """Bytes of one layer, by shard kind.

    ``shared_bytes`` are shared experts, which ``split_bytes`` hold too.
    """

    split_bytes: int
    kv_bytes: int
    replicated_bytes: int
    expert_bytes: int
    shared_bytes: int

    @property
    def total_bytes(self) -> int:
        """All of the layer on one GPU."""
        return self.split_bytes + self.kv_bytes + self.replicated_bytes + self.expert_bytes


@dataclass(frozen=True, slots=True)
class CheckpointWeights:
    """Bytes of a checkpoint.

    Attributes:
        layers: One per layer.
        embedding_bytes: Token embedding table.
        head_bytes: Output head; for tied models the bytes a second copy takes.
        tied: Head and embedding are one tensor in the file.
        final_bytes: Final norm and what else stands outside layers.
        vision_bytes: Vision tower, 0 where the format leaves it out (GGUF keeps it in a file).
        total_bytes: The file: layers, embedding, head once, final, vision.
        linear_bits_per_weight: Average over the linears.
        bits_per_weight: Average over everything.
        evidence: How ``total_bytes`` is known.
        embedding_on_host: The format's own runtimes keep the embedding in system RAM (GGUF, EXL).
        largest_tensor_bytes: Largest tensor that goes to a GPU in one piece; 0 where not counted.
    """

    layers: tuple[LayerWeights, ...]
    embedding_bytes: int
    head_bytes: int
    tied: bool
    final_bytes: int
    vision_bytes: int
    total_bytes: int
    linear_bits_per_weight: float
    bits_per_weight: float
    evidence: SizeEvidence
    embedding_on_host: bool = False
    largest_tensor_bytes: int = 0

"""The sum behind a verdict, line by line, with the constants it used and their sources."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import MemoryModel
from sitegen.catalog.domain.provenance import Constant, Interval
from sitegen.engine.assessment import LEDGER_LINES, Assessment
from sitegen.values import dataclass

CONSTANTS_OF_LINE = {
    MemoryModel.PAGED: {
        "context": ("non_torch_single_gib", "page_cache_share", "shared_memory_other_gib"),
        "weights": (
            "weights_extra_gib", "weights_error_factor", "mxfp4_width_multiple",
            "mxfp4_hidden_multiple", "mxfp4_triton_width_multiple", "mxfp4_triton_tile",
        ),
        "kv": ("kv_block_tokens", "in_flight_batches", "sliding_pool_ratio"),
        "state": ("state_bits", "state_slots", "state_pool_share"),
        "compute": (
            "sampler_bytes_per_logit", "sampler_hidden_factor", "activation_ffn_factor",
            "activation_hidden_factor", "activation_experts_factor", "activation_width_single",
            "activation_width_pair", "activation_width_quad", "activation_width_experts_factor",
            "activation_floor_gib", "activation_error_factor", "encoder_profile_gib",
            "encoder_output_factor",
        ),
        "communication": (
            "non_torch_bus_gib", "non_torch_nvlink_gib", "non_torch_pipeline_gib",
        ),
        "graphs": (
            "graphs_small_gib", "graphs_large_gib", "graphs_large_from_gib",
            "reserve_graph_sequence_mib", "reserve_prefill_graph_mib",
            "reserve_latent_graphs_mib", "graphs_error_factor",
        ),
    },
    MemoryModel.LAYER_SPLIT: {
        "weights": ("weights_error_factor",),
        "kv": ("cell_multiple_tokens",),
        "communication": ("cut_communication_mib",),
        "compute": (
            "micro_batch_tokens", "graph_copies", "glu_tensors", "expert_glu_tensors",
            "feed_attention_tensors", "attention_hidden_tensors", "attention_key_tensors",
            "offload_copy_share", "compute_error_factor",
        ),
    },
    MemoryModel.EAGER_SPLIT: {
        "context": ("library_mib",),
        "weights": ("weights_error_factor",),
        "kv": ("cell_multiple_tokens",),
        "compute": (
            "micro_batch_tokens", "step_ffn_factor", "step_hidden_factor", "logit_bytes",
            "logit_rows", "reconstructed_matrices", "compute_error_factor",
        ),
    },
}  # fmt: skip
"""Which profile constants each ledger line is made with."""

ASSUMPTIONS_OF_LINE = {
    "reserved_os": ("reserved-display-gib", "reserved-windows-gib"),
    "context": (
        "gpu-context-base-mib", "gpu-context-per-multiprocessor-mib", "gpu-context-spread-mib",
        "gpu-context-other-mib",
    ),
}  # fmt: skip
"""Which assumptions a line of a layer split is made with beside the profile."""


@dataclass(frozen=True, slots=True)
class ExplainLine:
    """One line of the sum: a ledger component of the busiest GPU, in bytes.

    ``formula`` is the line in words; ``constants`` are those it was made with.
    """

    name: str
    value: Interval
    formula: str
    constants: tuple[Constant, ...]


FORMULAS = {
    "reserved_os": "held back by the operating system or its limit for shared memory",
    "context": "GPU context and libraries outside the tensor allocator",
    "projector": "the image tower's file at 16 bits, on the first GPU",
    "weights": "this rank's share of every tensor, replicated ones whole, plus loaded buffers",
    "kv": "layers x tokens x KV heads on this rank x (key + value) x bytes per element, in blocks; "
    "a window keeps its tokens and those in flight",
    "state": "recurrent layers x (convolution + state) elements x bytes, per sequence",
    "compute": "peak of the largest step: the widest layer or the sampler's logits",
    "communication": "buffers of collectives between GPUs",
    "graphs": "captured CUDA graphs",
    "fragmentation": "lost between blocks",
}


def explain(assessment: Assessment, catalog: Catalog) -> tuple[ExplainLine, ...]:
    """List the busiest GPU's ledger with formulas and constants; empty without a valid plan."""
    return tuple(_lines(assessment, catalog))


def _lines(assessment: Assessment, catalog: Catalog) -> Iterator[ExplainLine]:
    busiest = assessment.busiest
    if busiest is None:
        return
    used = CONSTANTS_OF_LINE.get(assessment.runtime.memory_model, {})
    split = assessment.runtime.memory_model is not MemoryModel.PAGED
    for name in (line for line in LEDGER_LINES if line in busiest.lines):
        stated = assessment.profile.constants
        found = [stated[constant] for constant in used.get(name, ()) if constant in stated]
        if split or name == "reserved_os":
            names = ASSUMPTIONS_OF_LINE.get(name, ())
            found += [catalog.assumptions[key] for key in names if key in catalog.assumptions]
        yield ExplainLine(name, busiest.lines[name], FORMULAS[name], tuple(found))

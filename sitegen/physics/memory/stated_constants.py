"""The constants and flags that each memory model needs, and the ledger line that each makes.

A constant's name stands here once: profiles must state these and no others, and a verdict's sum
lists those of each line in this order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import BudgetBase, MemoryModel, Runtime, RuntimeProfile
from sitegen.physics.memory.profile_constants import scaled
from sitegen.problems import Finding, did_you_mean

Lines = Mapping[str, str]
"""Constants with the ledger line that each makes; no line for what no ledger shows."""

MEASURED_STEP: Lines = {
    "sampler_bytes_per_logit": "compute", "sampler_hidden_factor": "compute",
    "activation_ffn_factor": "compute", "activation_hidden_factor": "compute",
    "activation_experts_factor": "compute", "encoder_error_factor": "compute",
}  # fmt: skip
"""Activations of runtimes that run the largest step before they size the pool."""
STEP_BY_WIDTH: Lines = {
    "activation_width_single": "compute", "activation_width_pair": "compute",
    "activation_width_quad": "compute", "activation_width_experts_factor": "compute",
    "activation_floor_gib": "compute",
}  # fmt: skip
"""Activations of runtimes that are fitted to multiples of the attention width."""
GRAPHS: Lines = {"graphs_small_gib": "graphs", "graphs_large_gib": "graphs"}
PAGED: Lines = {
    "non_torch_single_gib": "context", "page_cache_share": "context",
    "shared_memory_other_gib": "context", "weights_extra_gib": "weights",
    "weights_error_factor": "weights", "mxfp4_width_multiple": "weights",
    "mxfp4_hidden_multiple": "weights", "mxfp4_triton_width_multiple": "weights",
    "mxfp4_triton_tile": "weights", "kv_block_tokens": "kv", "in_flight_batches": "kv",
    "sliding_pool_ratio": "kv", "state_bits": "state", "state_slots": "state",
    "state_pool_share": "state", "state_blocks_factor": "", "activation_error_factor": "compute",
    "encoder_profile_gib": "compute", "encoder_output_factor": "compute",
    "non_torch_bus_gib": "communication", "non_torch_nvlink_gib": "communication",
    "non_torch_pipeline_gib": "communication", "graphs_large_from_gib": "graphs",
    "handover_tensors": "",
}  # fmt: skip
"""Constants that every paged runtime states, whatever the base of its share."""
RESERVE: Lines = {
    "reserve_graph_sequence_mib": "graphs", "reserve_prefill_graph_mib": "graphs",
    "reserve_latent_graphs_mib": "graphs", "reserve_graph_rank_mib": "graphs",
    "graphs_error_factor": "graphs", "reserve_base_mib": "", "reserve_token_mib": "",
    "reserve_rank_mib": "", "reserve_large_mib": "", "reserve_large_from_gib": "",
    "vision_share_factor": "",
}  # fmt: skip
TOTAL: Lines = {"memory_fraction": "", "warm_up_share": ""}
FREE: Lines = {"memory_fraction": ""}
OF_BUDGET: Mapping[BudgetBase, tuple[Lines, ...]] = {
    BudgetBase.TOTAL: (MEASURED_STEP, PAGED, GRAPHS, TOTAL),
    BudgetBase.RESERVE: (STEP_BY_WIDTH, PAGED, RESERVE),
    BudgetBase.FREE: (STEP_BY_WIDTH, PAGED, GRAPHS, FREE),
}
"""Constants of a paged profile by what its share is taken of."""
PAGED_FLAGS = ("hybrid_padding", "graphs_in_budget", "state_for_all_sequences")
LAYER_SPLIT: Lines = {
    "weights_error_factor": "weights", "cell_multiple_tokens": "kv",
    "flash_cell_multiple_tokens": "", "micro_batch_tokens": "compute", "graph_copies": "compute",
    "glu_tensors": "compute", "expert_glu_tensors": "compute", "feed_attention_tensors": "compute",
    "attention_hidden_tensors": "compute", "attention_key_tensors": "compute",
    "offload_copy_share": "compute", "compute_error_factor": "compute", "margin_mib": "",
    "handover_tensors": "",
}  # fmt: skip
LAYER_SPLIT_FLAGS = (
    "flash_attention", "outputs_per_sequence", "split_cache", "widened_cache", "chunked_graph",
    "cuts_tensors", "casts_mask", "indexed_cache", "padded_values", "copies_capped_logits",
    "offload_by_expert",
)  # fmt: skip
TENSOR_CUT: Lines = {"cut_communication_mib": "communication"}
"""Of layer splits that can cut layers instead."""
PROJECTOR: Lines = {"projector_graph_mib": "projector"}
"""Of layer splits that read images, where it was measured."""
WINDOWS = "sliding_cache"
"""A layer split has pools for sliding layers where its profile does not say otherwise."""
EAGER_SPLIT: Lines = {
    "library_mib": "context", "weights_error_factor": "weights", "cell_multiple_tokens": "kv",
    "micro_batch_tokens": "compute", "step_ffn_factor": "compute", "step_hidden_factor": "compute",
    "logit_bytes": "compute", "logit_rows": "compute", "reconstructed_matrices": "compute",
    "compute_error_factor": "compute", "margin_mib": "", "handover_tensors": "",
}  # fmt: skip
EAGER_SPLIT_FLAGS = (
    "widened_cache", "sliding_cache", "embedding_on_gpu", "dealt_by_remainder",
)  # fmt: skip
DEFAULT_CONTEXT: Lines = {
    "context_small_tokens": "", "context_medium_tokens": "", "context_large_tokens": "",
    "context_medium_from_gib": "", "context_large_from_gib": "",
}  # fmt: skip
"""Of runtimes that choose a context by the GPUs' memory: all of these or none."""
SPARSE_WORKSPACE: Lines = {
    "sparse_workspace_contexts": "compute", "sparse_workspace_long_contexts": "compute",
    "sparse_workspace_long_tokens": "compute",
}  # fmt: skip
"""Of versions that keep room for what sparse attention gathers: all of these or none."""
SHARED_MEMORY: Lines = {"shared_memory_fraction": ""}
"""Of runtimes whose own share does not start where CPU and GPU fill one memory."""


def lines_of(runtime: Runtime, profile: RuntimeProfile) -> Lines:
    """Return the constants that a profile must state, no more and no fewer, with their lines."""
    found: dict[str, str] = {}
    for group in _groups(runtime, profile):
        found.update(group)
    return found


def _groups(runtime: Runtime, profile: RuntimeProfile) -> Iterator[Lines]:
    if runtime.memory_model is MemoryModel.PAGED:
        yield from OF_BUDGET[profile.budget_base]
        if not profile.constants.keys().isdisjoint(SPARSE_WORKSPACE):
            yield SPARSE_WORKSPACE
        if not profile.constants.keys().isdisjoint(SHARED_MEMORY):
            yield SHARED_MEMORY
        return
    if runtime.memory_model is MemoryModel.LAYER_SPLIT:
        yield LAYER_SPLIT
        if not profile.constants.keys().isdisjoint(PROJECTOR):
            yield PROJECTOR
    if runtime.memory_model is MemoryModel.EAGER_SPLIT:
        yield EAGER_SPLIT
    if profile.flags.get("cuts_tensors"):
        yield TENSOR_CUT
    if not profile.constants.keys().isdisjoint(DEFAULT_CONTEXT):
        yield DEFAULT_CONTEXT


def flags_of(runtime: Runtime, profile: RuntimeProfile) -> tuple[str, ...]:
    """Return the flags that a profile must state, no more and no fewer."""
    if runtime.memory_model is MemoryModel.PAGED:
        return PAGED_FLAGS
    if runtime.memory_model is MemoryModel.LAYER_SPLIT:
        return (*LAYER_SPLIT_FLAGS, *({WINDOWS} & profile.flags.keys()))
    return EAGER_SPLIT_FLAGS if runtime.memory_model is MemoryModel.EAGER_SPLIT else ()


def check(catalog: Catalog) -> Iterator[Finding]:
    """Ensure every profile states exactly the constants of its memory model."""
    for runtime in catalog.runtimes.values():
        for index, profile in enumerate(runtime.profiles):
            if index and lines_of(runtime, profile) and not profile.constants:
                yield _states_none(runtime, index)
                continue
            earlier = [one for one in runtime.profiles[:index] if _stands_on(profile, one)]
            for key, wanted in (("constants", lines_of), ("flags", flags_of)):
                missing, needless = _differences(runtime, profile, key, wanted)
                for one in earlier:  # what a profile has from another is reported there
                    before = _differences(runtime, one, key, wanted)
                    missing, needless = missing - before[0], needless - before[1]
                yield from _findings(runtime, index, key, missing, needless)


def _states_none(runtime: Runtime, index: int) -> Finding:
    version, earlier = runtime.profiles[index].version, runtime.profiles[index - 1].version
    message = f"profile {version} states no constants"
    hint = f"add like: '{earlier}' to take over those of the profile before"
    return Finding(runtime.span, "missing-constant", ("profiles", index), message, hint)


def _stands_on(profile: RuntimeProfile, earlier: RuntimeProfile) -> bool:
    """Return whether a profile has constants of an earlier one, which it is like."""
    return any(earlier.constants.get(name) is one for name, one in profile.constants.items())


_Wanted = Callable[[Runtime, RuntimeProfile], Iterable[str]]


def _differences(
    runtime: Runtime, profile: RuntimeProfile, key: str, wanted: _Wanted
) -> tuple[Set[str], Set[str]]:
    """Return the names that a profile lacks, and those that no formula reads."""
    names, given = set(wanted(runtime, profile)), set(getattr(profile, key))
    return names - given, given - names


def _findings(
    runtime: Runtime, index: int, key: str, missing: Set[str], needless: Set[str]
) -> Iterator[Finding]:
    where, noun = f"profile {runtime.profiles[index].version}", key.removesuffix("s")
    keys = ("profiles", index, key)
    meant = {name: did_you_mean(name, missing) for name in needless}
    for name in sorted(missing):
        if f"did you mean '{name}'?" not in meant.values():  # it is there, misspelled
            message = f"{where} lacks the {noun} '{name}'"
            hint = "state it with its source; or say in `like` whose constants it takes over"
            yield Finding(runtime.span, "missing-constant", keys, message, hint, at_key=True)
    for name in sorted(needless):
        hint = meant[name] or "remove it"
        message = f"{where} states the {noun} '{name}', which no formula reads"
        yield Finding(runtime.span, "unused-constant", (*keys, name), message, hint, at_key=True)


def default_context_tokens(profile: RuntimeProfile, memory_bytes: Iterable[int]) -> int | None:
    """Return the context allocated without being asked, ``None`` where the memory plays no part.

    Args:
        profile: The runtime's profile.
        memory_bytes: Memory of every GPU that the runtime sees; it adds them up.

    Source:
        Ollama documentation, context length, and ``server/routes.go``: 4,096 tokens, 32,768 from
        23 GiB and 262,144 from 47 GiB over all GPUs. The model's own limit still holds.
    """
    constants = profile.constants
    if constants.keys().isdisjoint(DEFAULT_CONTEXT):
        return None
    total = sum(memory_bytes)
    size = "small"
    for larger in ("medium", "large"):
        if total >= scaled(constants[f"context_{larger}_from_gib"]).mid:
            size = larger
    return int(constants[f"context_{size}_tokens"].value.mid)

"""A runtime profile's constants as the kernel wants them, and the names each memory model needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import BudgetBase, MemoryModel, Runtime, RuntimeProfile
from sitegen.catalog.domain.provenance import Constant, Interval
from sitegen.problems import Problem, did_you_mean
from sitegen.units import GB, GIB, MIB

PAGED = (
    "kv_block_tokens", "in_flight_batches", "state_bits", "state_slots", "state_pool_share",
    "state_blocks_factor", "sliding_pool_ratio", "activation_error_factor", "weights_extra_gib",
    "weights_error_factor", "non_torch_single_gib", "non_torch_bus_gib", "non_torch_nvlink_gib",
    "non_torch_pipeline_gib", "page_cache_share", "shared_memory_other_gib",
    "encoder_profile_gib", "encoder_output_factor",
    "graphs_large_from_gib", "mxfp4_width_multiple", "mxfp4_hidden_multiple",
    "mxfp4_triton_width_multiple", "mxfp4_triton_tile", "handover_tensors",
)  # fmt: skip
"""What every paged runtime states, whatever its share is taken of."""
MEASURED_STEP = (
    "activation_ffn_factor", "activation_hidden_factor", "sampler_bytes_per_logit",
    "sampler_hidden_factor", "activation_experts_factor",
)  # fmt: skip
"""Activations of runtimes that run the largest step before they size the pool."""
STEP_BY_WIDTH = (
    "activation_width_single", "activation_width_pair", "activation_width_quad",
    "activation_width_experts_factor", "activation_floor_gib",
)  # fmt: skip
"""Activations of runtimes that are fitted to multiples of the attention width."""
GRAPHS = ("graphs_small_gib", "graphs_large_gib")
RESERVE = (
    "reserve_base_mib", "reserve_token_mib", "reserve_rank_mib", "reserve_graph_sequence_mib",
    "reserve_graph_rank_mib", "reserve_prefill_graph_mib", "reserve_latent_graphs_mib",
    "reserve_large_mib", "reserve_large_from_gib", "vision_share_factor", "graphs_error_factor",
)  # fmt: skip
OF_BUDGET: Mapping[BudgetBase, tuple[str, ...]] = {
    BudgetBase.TOTAL: (*PAGED, *MEASURED_STEP, *GRAPHS, "memory_fraction", "warm_up_share"),
    BudgetBase.RESERVE: (*PAGED, *STEP_BY_WIDTH, *RESERVE),
    BudgetBase.FREE: (*PAGED, *STEP_BY_WIDTH, *GRAPHS, "memory_fraction"),
}
"""Constants of a paged profile by what its share is taken of."""
BASE_NUMBER = {BudgetBase.TOTAL: 0, BudgetBase.RESERVE: 1, BudgetBase.FREE: 2}
PAGED_FLAGS = ("hybrid_padding", "graphs_in_budget", "state_for_all_sequences")
LAYER_SPLIT = (
    "cell_multiple_tokens", "flash_cell_multiple_tokens", "graph_copies", "micro_batch_tokens",
    "margin_mib",
    "minimum_context_tokens", "compute_error_factor", "weights_error_factor", "handover_tensors",
    "glu_tensors", "expert_glu_tensors", "feed_attention_tensors", "attention_hidden_tensors",
    "attention_key_tensors", "offload_copy_share",
)  # fmt: skip
LAYER_SPLIT_FLAGS = (
    "flash_attention", "outputs_per_sequence", "split_cache", "widened_cache", "chunked_graph",
    "cuts_tensors",
)  # fmt: skip
TENSOR_CUT = ("cut_communication_mib",)
"""Of layer splits that can cut layers instead."""
EAGER_SPLIT = (
    "cell_multiple_tokens", "micro_batch_tokens", "margin_mib", "minimum_context_tokens",
    "compute_error_factor", "weights_error_factor", "handover_tensors", "step_ffn_factor",
    "step_hidden_factor", "logit_bytes", "logit_rows", "reconstructed_matrices",
    "library_mib",
)  # fmt: skip
EAGER_SPLIT_FLAGS = (
    "widened_cache", "sliding_cache", "embedding_on_gpu", "dealt_by_remainder",
)  # fmt: skip

DEFAULT_CONTEXT = (
    "context_small_tokens", "context_medium_tokens", "context_large_tokens",
    "context_medium_from_gib", "context_large_from_gib",
)  # fmt: skip
"""Of runtimes that choose a context by the GPUs' memory: all of these or none."""

OF_MODEL: Mapping[MemoryModel, tuple[tuple[str, ...], tuple[str, ...]]] = {
    MemoryModel.LAYER_SPLIT: (LAYER_SPLIT, LAYER_SPLIT_FLAGS),
    MemoryModel.EAGER_SPLIT: (EAGER_SPLIT, EAGER_SPLIT_FLAGS),
}
"""Constants and flags of the memory models that place whole layers."""


def needed(runtime: Runtime, profile: RuntimeProfile) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the constants and flags that a profile must state, no more and no fewer."""
    if runtime.memory_model is MemoryModel.PAGED:
        return OF_BUDGET[profile.budget_base], PAGED_FLAGS
    names, flags = OF_MODEL.get(runtime.memory_model, ((), ()))
    if profile.flags.get("cuts_tensors"):
        names = (*names, *TENSOR_CUT)
    if not profile.constants.keys().isdisjoint(DEFAULT_CONTEXT):
        names = (*names, *DEFAULT_CONTEXT)
    return names, flags


ASSUMPTIONS = (
    "comfortable-utilization", "reference-context-tokens", "reduced-context-tokens",
    "speed-floor-tokens-per-s", "speed-minimum-tokens-per-s", "link-share-limit",
    "prefill-limit-s", "prefill-link-floor-s", "gpu-context-base-mib",
    "gpu-context-per-multiprocessor-mib",
    "gpu-context-spread-mib", "gpu-context-other-mib", "gpu-context-unified-mib",
    "reserved-display-gib", "reserved-windows-gib", "ram-reserved-gib",
    "ram-bandwidth-default-gb-s", "ram-efficiency", "all-reduce-growth-bus",
    "all-reduce-growth-nvlink", "all-reduce-growth-mesh", "host-bus-gb-s",
    "power-compute-exponent", "power-bandwidth-exponent", "size-compute-exponent",
    "cut-prompt-overhead-layer-split-us",
    "pick-context-tokens", "pick-tie-share", "answer-context-tokens",
    "answer-speed-tokens-per-s", "good-rating-gap", "small-model-parameters",
    "aggregate-streams-cap", "counted-sequences-cap",
)  # fmt: skip
"""Assumption records that the engine reads by name; speed constants are looked up by class."""

GRAPH_DEFAULTS = {"sliding_cache": 1, "embedding_on_gpu": 0, "dealt_by_remainder": 0}
"""What a layer split with a static graph does without being asked: llama.cpp's habits."""
EAGER_DEFAULTS = {"flash_attention": 1, "split_cache": 1, "chunked_graph": 1}
"""What a layer split that allocates step by step does without being asked: a cache a sequence."""

WHOLE = (
    "block", "state_bits", "state_slots", "cell_multiple", "flash_cell_multiple", "graph_copies",
)  # fmt: skip
"""Constants that the kernel counts with as whole numbers."""
SCALES = {"gib": GIB, "mib": MIB, "gb-s": GB, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def scaled(constant: Constant) -> Interval:
    """Convert a constant to bytes and seconds by the unit its name ends in.

    >>> from sitegen.catalog.domain.provenance import Source, Status
    >>> nothing = Source("", "", "")
    >>> margin = Constant("margin_mib", "MiB", Interval(1, 1, 1), Status.CODE, nothing)
    >>> scaled(margin).mid
    1048576
    """
    name = constant.name.replace("_", "-")
    suffixes = [suffix for suffix in SCALES if name.endswith(f"-{suffix}")]
    if not suffixes:
        return constant.value
    scale = SCALES[max(suffixes, key=len)]
    value = constant.value
    return Interval(value.low * scale, value.mid * scale, value.high * scale)


def numbers(profile: RuntimeProfile) -> dict[str, Any]:
    """Build the kernel's ``c``: constants as ``[low, mid, high]`` or integers, flags as 0 or 1."""
    c: dict[str, Any] = {name: 1 if on else 0 for name, on in profile.flags.items()}
    c["eager"] = 1 if "step_ffn_factor" in profile.constants else 0
    c = {**(EAGER_DEFAULTS if c["eager"] else GRAPH_DEFAULTS), **c}
    for name, constant in profile.constants.items():
        value = scaled(constant)
        c[_kernel_name(name)] = [value.low, value.mid, value.high]
    for name in WHOLE:
        if name in c:
            c[name] = int(c[name][1])
    c["budget_base"] = BASE_NUMBER[profile.budget_base]
    c["activation_by_width"] = 0 if profile.budget_base is BudgetBase.TOTAL else 1
    return c


def _kernel_name(name: str) -> str:
    renamed = {
        "kv_block_tokens": "block",
        "cell_multiple_tokens": "cell_multiple",
        "flash_cell_multiple_tokens": "flash_cell_multiple",
        "activation_error_factor": "activation_error",
    }
    for suffix in ("_gib", "_mib"):
        if name.endswith(suffix):
            return name.removesuffix(suffix) + "_bytes"
    return renamed.get(name, name)


def profile_of(runtime: Runtime, version: str = "") -> RuntimeProfile | None:
    """Find the profile that covers a version; without one, the profile that is assessed."""
    wanted = version or runtime.assessed_version
    number = dotted(wanted)
    for profile in runtime.profiles:
        open_end = profile.until == ""
        if dotted(profile.since) <= number and (open_end or number < dotted(profile.until)):
            return profile
    return None


def dotted(version: str) -> tuple[int, ...]:
    """Split a version for comparison: ``0.10`` comes after ``0.9``."""
    return tuple(int(part) for part in version.split(".") if part)


def check(catalog: Catalog) -> Iterator[Problem]:
    """Ensure every profile states exactly the constants of its memory model."""
    for runtime in catalog.runtimes.values():
        for profile in runtime.profiles:
            names, flags = needed(runtime, profile)
            yield from _differences(runtime, profile, "constant", names, profile.constants)
            yield from _differences(runtime, profile, "flag", flags, profile.flags)


def _differences(
    runtime: Runtime,
    profile: RuntimeProfile,
    noun: str,
    wanted: tuple[str, ...],
    given: Mapping[str, object],
) -> Iterator[Problem]:
    where = f"profile {profile.version}"
    for name in sorted(set(wanted) - set(given)):
        yield Problem(runtime.span, "missing-constant", f"{where} lacks the {noun} '{name}'")
    for name in sorted(set(given) - set(wanted)):
        hint = did_you_mean(name, wanted)
        message = f"{where} states the {noun} '{name}', which no formula reads"
        yield Problem(runtime.span, "unused-constant", message, hint)

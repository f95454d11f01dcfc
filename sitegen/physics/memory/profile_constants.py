"""A runtime profile's constants as typed values, by the unit that each name ends in."""

from __future__ import annotations

from sitegen.catalog.domain.models import BudgetBase, Runtime, RuntimeProfile
from sitegen.catalog.domain.provenance import Constant, Interval
from sitegen.physics.memory.block_layout import BlockRules
from sitegen.physics.memory.layer_split_profile import SplitProfile, StaticGraph, StepwiseTensors
from sitegen.physics.memory.paged_profile import (
    CapturedGraphs,
    LayerPeak,
    PagedProfile,
    ReserveForActivations,
    ShareOfFree,
    ShareOfTotal,
    SparseWorkspace,
    WidthPeak,
)
from sitegen.units import GB, GIB, MIB, Bounds

ASSUMPTIONS = (
    "comfortable-utilization", "reference-context-tokens", "reduced-context-tokens",
    "speed-floor-tokens-per-s", "speed-minimum-tokens-per-s", "link-share-limit",
    "prefill-limit-s", "prefill-link-floor-s", "gpu-context-base-mib",
    "gpu-context-per-multiprocessor-mib",
    "gpu-context-spread-mib", "gpu-context-other-mib", "gpu-context-unified-mib",
    "reserved-display-gib", "reserved-windows-gib", "ram-reserved-gib",
    "ram-bandwidth-default-gb-s", "ram-efficiency", "ram-efficiency-exponent",
    "ram-efficiency-table-factor",
    "all-reduce-growth-bus",
    "all-reduce-growth-nvlink", "all-reduce-growth-mesh", "host-bus-gb-s",
    "copied-experts-exponent",
    "power-compute-exponent", "power-bandwidth-exponent", "size-compute-exponent",
    "token-unlikeness-exponent",
    "unpack-cycles-per-weight",
    "cut-prompt-overhead-layer-split-us", "network-hop-layer-split-us",
    "pick-context-tokens", "pick-tie-share", "answer-context-tokens",
    "answer-speed-tokens-per-s", "good-rating-gap", "small-model-parameters",
    "aggregate-streams-cap", "counted-sequences-cap",
)  # fmt: skip
"""Assumption records that the engine reads by name; speed constants are looked up by class."""

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
    return constant.value.times(SCALES[max(suffixes, key=len)])


class StatedConstants:
    """A profile's constants in bytes and seconds, by the names of its YAML."""

    def __init__(self, profile: RuntimeProfile) -> None:
        self._constants = profile.constants
        self._flags = profile.flags

    def bounds(self, name: str) -> Bounds:
        """Return a constant's bounds; zeros where it is not stated."""
        if name not in self._constants:
            return (0.0, 0.0, 0.0)
        return scaled(self._constants[name]).bounds

    def middle(self, name: str) -> float:
        """Return the middle of a constant that has no width worth counting."""
        return scaled(self._constants[name]).mid

    def whole(self, name: str) -> int:
        """Return a constant that counts something."""
        return int(self.middle(name))

    def flag(self, name: str, unsaid: bool) -> bool:
        """Return a flag, or what holds where nothing is said of it."""
        return self._flags.get(name, unsaid)


def paged_profile(profile: RuntimeProfile) -> PagedProfile:
    """Convert a paged runtime's constants.

    Raises:
        KeyError: If one is missing (``check`` reports it first).
    """
    c = StatedConstants(profile)
    return PagedProfile(
        blocks=BlockRules(
            block_tokens=c.whole("kv_block_tokens"),
            hybrid_padding=c.flag("hybrid_padding", unsaid=False),
            state_bits=c.whole("state_bits"),
            state_slots=c.whole("state_slots"),
            state_pool_share=c.middle("state_pool_share"),
            state_blocks_factor=c.bounds("state_blocks_factor")[0],
            sliding_pool_ratio=c.middle("sliding_pool_ratio"),
        ),
        in_flight_batches=c.whole("in_flight_batches"),
        handover_tensors=c.whole("handover_tensors"),
        graphs_large_from_bytes=c.middle("graphs_large_from_gib"),
        graphs_in_budget=c.flag("graphs_in_budget", unsaid=False),
        state_for_all_sequences=c.flag("state_for_all_sequences", unsaid=False),
        weights_error_factor=c.bounds("weights_error_factor"),
        weights_extra_bytes=c.bounds("weights_extra_gib"),
        non_torch_single_bytes=c.bounds("non_torch_single_gib"),
        non_torch_bus_bytes=c.bounds("non_torch_bus_gib"),
        non_torch_nvlink_bytes=c.bounds("non_torch_nvlink_gib"),
        non_torch_pipeline_bytes=c.bounds("non_torch_pipeline_gib"),
        shared_memory_fraction=c.bounds("shared_memory_fraction")[1],
        page_cache_share=c.bounds("page_cache_share"),
        shared_memory_other_bytes=c.bounds("shared_memory_other_gib"),
        activation_error_factor=c.bounds("activation_error_factor"),
        encoder_profile_bytes=c.bounds("encoder_profile_gib"),
        encoder_output_factor=c.bounds("encoder_output_factor"),
        activation=_activation(profile, c),
        share=_share(profile, c),
        workspace=SparseWorkspace(
            contexts=c.bounds("sparse_workspace_contexts")[1],
            long_contexts=c.bounds("sparse_workspace_long_contexts")[1],
            long_tokens=c.bounds("sparse_workspace_long_tokens")[1],
        ),
    )


def _activation(profile: RuntimeProfile, c: StatedConstants) -> LayerPeak | WidthPeak:
    if profile.budget_base is BudgetBase.TOTAL:
        return LayerPeak(
            activation_ffn_factor=c.bounds("activation_ffn_factor"),
            activation_hidden_factor=c.bounds("activation_hidden_factor"),
            activation_experts_factor=c.bounds("activation_experts_factor"),
            sampler_bytes_per_logit=c.bounds("sampler_bytes_per_logit"),
            sampler_hidden_factor=c.bounds("sampler_hidden_factor"),
            encoder_error_factor=c.bounds("encoder_error_factor"),
        )
    return WidthPeak(
        activation_width_single=c.bounds("activation_width_single"),
        activation_width_pair=c.bounds("activation_width_pair"),
        activation_width_quad=c.bounds("activation_width_quad"),
        activation_width_experts_factor=c.bounds("activation_width_experts_factor"),
        activation_floor_bytes=c.bounds("activation_floor_gib"),
    )


def _share(
    profile: RuntimeProfile, c: StatedConstants
) -> ShareOfTotal | ShareOfFree | ReserveForActivations:
    if profile.budget_base is BudgetBase.RESERVE:
        return ReserveForActivations(
            reserve_base_bytes=c.middle("reserve_base_mib"),
            reserve_token_bytes=c.middle("reserve_token_mib"),
            reserve_rank_bytes=c.middle("reserve_rank_mib"),
            reserve_graph_sequence_bytes=c.middle("reserve_graph_sequence_mib"),
            reserve_graph_rank_bytes=c.middle("reserve_graph_rank_mib"),
            reserve_prefill_graph_bytes=c.middle("reserve_prefill_graph_mib"),
            reserve_latent_graphs_bytes=c.middle("reserve_latent_graphs_mib"),
            reserve_large_bytes=c.middle("reserve_large_mib"),
            reserve_large_from_bytes=c.middle("reserve_large_from_gib"),
            vision_share_factor=c.bounds("vision_share_factor"),
            graphs_error_factor=c.bounds("graphs_error_factor"),
        )
    graphs = CapturedGraphs(c.bounds("graphs_small_gib"), c.bounds("graphs_large_gib"))
    if profile.budget_base is BudgetBase.FREE:
        return ShareOfFree(c.middle("memory_fraction"), graphs)
    return ShareOfTotal(c.middle("memory_fraction"), c.bounds("warm_up_share"), graphs)


def split_profile(profile: RuntimeProfile) -> SplitProfile:
    """Convert the constants of a runtime that places whole layers.

    What neither kind states holds as it is usual: llama.cpp has pools for sliding layers, and a
    runtime that allocates step by step fuses attention and keeps a cache for each sequence.

    Raises:
        KeyError: If one is missing (``check`` reports it first).
    """
    c = StatedConstants(profile)
    stepwise = "step_ffn_factor" in profile.constants
    cells = c.whole("cell_multiple_tokens")
    fused = "flash_cell_multiple_tokens" in profile.constants
    return SplitProfile(
        cell_multiple=cells,
        flash_cell_multiple=c.whole("flash_cell_multiple_tokens") if fused else cells,
        micro_batch_tokens=c.whole("micro_batch_tokens"),
        margin_bytes=c.middle("margin_mib"),
        handover_tensors=c.whole("handover_tensors"),
        weights_error_factor=c.bounds("weights_error_factor"),
        compute_error_factor=c.bounds("compute_error_factor"),
        library_bytes=c.bounds("library_mib"),
        offload_copy_share=c.bounds("offload_copy_share"),
        cut_communication_bytes=c.bounds("cut_communication_mib"),
        projector_graph_bytes=c.bounds("projector_graph_mib"),
        flash_attention=c.flag("flash_attention", unsaid=stepwise),
        split_cache=c.flag("split_cache", unsaid=stepwise),
        sliding_cache=c.flag("sliding_cache", unsaid=not stepwise),
        widened_cache=c.flag("widened_cache", unsaid=False),
        indexed_cache=c.flag("indexed_cache", unsaid=False),
        padded_values=c.flag("padded_values", unsaid=False),
        offload_by_expert=c.flag("offload_by_expert", unsaid=False),
        chunked_graph=c.flag("chunked_graph", unsaid=stepwise),
        embedding_on_gpu=c.flag("embedding_on_gpu", unsaid=False),
        dealt_by_remainder=c.flag("dealt_by_remainder", unsaid=False),
        graph=_graph(c, stepwise=stepwise),
    )


def _graph(c: StatedConstants, *, stepwise: bool) -> StaticGraph | StepwiseTensors:
    if stepwise:
        return StepwiseTensors(
            step_ffn_factor=c.middle("step_ffn_factor"),
            step_hidden_factor=c.middle("step_hidden_factor"),
            logit_bytes=c.middle("logit_bytes"),
            logit_rows=c.middle("logit_rows"),
            reconstructed_matrices=c.middle("reconstructed_matrices"),
        )
    return StaticGraph(
        graph_copies=c.whole("graph_copies"),
        outputs_per_sequence=c.flag("outputs_per_sequence", unsaid=False),
        casts_mask=c.flag("casts_mask", unsaid=False),
        copies_capped_logits=c.flag("copies_capped_logits", unsaid=False),
        glu_tensors=c.middle("glu_tensors"),
        expert_glu_tensors=c.middle("expert_glu_tensors"),
        feed_attention_tensors=c.middle("feed_attention_tensors"),
        attention_hidden_tensors=c.middle("attention_hidden_tensors"),
        attention_key_tensors=c.middle("attention_key_tensors"),
    )


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

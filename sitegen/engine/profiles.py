"""A runtime profile's constants as the kernel wants them, and the names each memory model needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import MemoryModel, Runtime, RuntimeProfile
from sitegen.catalog.domain.provenance import Constant, Interval
from sitegen.problems import Problem, did_you_mean
from sitegen.units import GB, GIB, MIB

PAGED = (
    "memory_fraction", "kv_block_tokens", "in_flight_batches", "state_bits",
    "activation_ffn_factor", "activation_hidden_factor", "sampler_bytes_per_logit",
    "sampler_hidden_factor", "activation_experts_factor", "activation_error_factor",
    "weights_extra_gib", "non_torch_single_gib", "non_torch_bus_gib", "non_torch_nvlink_gib",
    "non_torch_pipeline_gib", "graphs_small_gib", "graphs_large_gib", "graphs_large_from_gib",
    "mxfp4_width_multiple", "handover_tensors",
)  # fmt: skip
PAGED_FLAGS = ("hybrid_padding", "graphs_in_budget")
LAYER_SPLIT = (
    "cell_multiple_tokens", "graph_copies", "micro_batch_tokens", "margin_mib",
    "minimum_context_tokens", "compute_error_factor", "weights_error_factor", "handover_tensors",
)  # fmt: skip
LAYER_SPLIT_FLAGS = ("flash_attention", "outputs_per_sequence")

NEEDED: Mapping[MemoryModel, tuple[tuple[str, ...], tuple[str, ...]]] = {
    MemoryModel.PAGED: (PAGED, PAGED_FLAGS),
    MemoryModel.LAYER_SPLIT: (LAYER_SPLIT, LAYER_SPLIT_FLAGS),
}
"""Constants and flags that a profile of each memory model must state, no more and no fewer."""

ASSUMPTIONS = (
    "comfortable-utilization", "reference-context-tokens", "reduced-context-tokens",
    "speed-floor-tokens-per-s", "speed-minimum-tokens-per-s", "link-share-limit",
    "prefill-limit-s", "prefill-link-floor-s", "gpu-context-base-mib",
    "gpu-context-per-multiprocessor-mib",
    "gpu-context-spread-mib", "gpu-context-other-mib", "gpu-context-unified-mib",
    "reserved-display-gib", "reserved-windows-gib", "ram-reserved-gib",
    "ram-bandwidth-default-gb-s", "ram-efficiency", "all-reduce-growth-bus",
    "all-reduce-growth-nvlink", "host-bus-gb-s",
    "power-compute-exponent", "power-bandwidth-exponent",
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
    scale = SCALES[max(suffixes, key=len)]
    value = constant.value
    return Interval(value.low * scale, value.mid * scale, value.high * scale)


def numbers(profile: RuntimeProfile) -> dict[str, Any]:
    """Build the kernel's ``c``: constants as ``[low, mid, high]`` or integers, flags as 0 or 1."""
    c: dict[str, Any] = {name: 1 if on else 0 for name, on in profile.flags.items()}
    for name, constant in profile.constants.items():
        value = scaled(constant)
        c[_kernel_name(name)] = [value.low, value.mid, value.high]
    for name in ("block", "state_bits", "cell_multiple", "graph_copies"):
        if name in c:
            c[name] = int(c[name][1])
    return c


def _kernel_name(name: str) -> str:
    renamed = {
        "kv_block_tokens": "block",
        "cell_multiple_tokens": "cell_multiple",
        "activation_error_factor": "activation_error",
    }
    for suffix in ("_gib", "_mib"):
        if name.endswith(suffix):
            return name.removesuffix(suffix) + "_bytes"
    return renamed.get(name, name)


def profile_of(runtime: Runtime, version: str = "") -> RuntimeProfile | None:
    """Find the profile that covers a version; without one, the profile that is assessed."""
    wanted = version or runtime.assessed_version
    number = _dotted(wanted)
    for profile in runtime.profiles:
        open_end = profile.until == ""
        if _dotted(profile.since) <= number and (open_end or number < _dotted(profile.until)):
            return profile
    return None


def _dotted(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part)


def check(catalog: Catalog) -> Iterator[Problem]:
    """Ensure every profile states exactly the constants of its memory model."""
    for runtime in catalog.runtimes.values():
        names, flags = NEEDED.get(runtime.memory_model, ((), ()))
        for profile in runtime.profiles:
            yield from _differences(runtime, profile, "constant", names, profile.constants)
            yield from _differences(runtime, profile, "flag", flags, profile.flags)


def _differences(
    runtime: Runtime,
    profile: RuntimeProfile,
    noun: str,
    needed: tuple[str, ...],
    given: Mapping[str, object],
) -> Iterator[Problem]:
    where = f"profile {profile.version}"
    for name in sorted(set(needed) - set(given)):
        yield Problem(runtime.span, "missing-constant", f"{where} lacks the {noun} '{name}'")
    for name in sorted(set(given) - set(needed)):
        hint = did_you_mean(name, needed)
        message = f"{where} states the {noun} '{name}', which no formula reads"
        yield Problem(runtime.span, "unused-constant", message, hint)

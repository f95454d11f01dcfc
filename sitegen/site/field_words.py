"""What readers call the keys of records, for tables that say which facts a source supports."""

from __future__ import annotations

from collections.abc import Mapping

FIELD_WORDS: Mapping[str, str] = {
    "bus": "host link",
    "bus_bandwidth_gb_s": "bandwidth of a collective",
    "checkpoints": "files",
    "config": "architecture",
    "context_tokens": "context length",
    "cooler": "cooling",
    "drives": "supported engines",
    "form": "form factor",
    "fp16_tflops": "FP16 rate",
    "fp4_tflops": "FP4 rate",
    "fp8_tflops": "FP8 rate",
    "int8_tops": "INT8 rate",
    "launch_price_usd": "launch price",
    "launched": "launch date",
    "latency_us": "latency",
    "length_mm": "length",
    "license": "license",
    "linears": "format of the linear layers",
    "memory_bandwidth_gb_s": "memory bandwidth",
    "memory_bus_bits": "memory bus",
    "memory_gbit_s": "memory data rate",
    "minimum_compute_capability": "minimum compute capability",
    "mtp_parameters": "parameters of the prediction layers",
    "native_compute_capability": "minimum compute capability with native arithmetic",
    "nodes": "machines",
    "nominal_bits": "bits per weight",
    "nominal_gb_s": "line rate",
    "other_architectures": "GPUs of other makers",
    "published_parameters": "parameters",
    "ram_link_gb_s": "link to system RAM",
    "rates_at_mhz": "clock for the rates",
    "released": "release date",
    "tdp_watts": "board power",
    "traps": "known pitfalls",
    "unified_default_fraction": "share of the memory that the GPU gets by default",
    "unified_larger_fractions": "share of larger memories that the GPU gets by default",
    "unified_larger_reserves": "memory that larger machines leave to the system",
    "unified_memory_options_gib": "memory sizes",
    "unified_raised_reserve_gib": "memory left to the system",
    "used_market": "used market",
    "vision_parameters": "parameters of the vision part",
    "visible_mib": "visible memory",
    "vram_gib": "installed memory",
}


def field_words(key: str) -> str:
    """Return what a reader calls a key of a record.

    >>> field_words("vram_gib"), field_words("compute_capability")
    ('installed memory', 'compute capability')
    """
    return FIELD_WORDS.get(key, key.replace("_", " "))

"""How small and how large a number of the catalog can be, by its unit: one table for all kinds.

Inside these bounds no formula divides by zero, and no sum leaves the integers of 64 bits that the
published data can hold. They are far from every real thing, but not from every slip of the pen.
"""

from __future__ import annotations

from functools import cache

from sitegen.catalog.records.parts import Record
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class NumberRange:
    """The range of a number. ``zero`` counts for constants; a record's field says it itself."""

    unit: str
    least: float
    most: float
    zero: bool = False

    def holds(self, number: float) -> bool:
        """Return whether a number is not zero and its absolute value is within the bounds."""
        return self.least <= abs(number) <= self.most

    def __str__(self) -> str:
        zero = "0, or " if self.zero else ""
        unit = "" if self.unit == "/1" else f" {self.unit}"
        return f"{zero}between {_written(self.least)} and {_written(self.most)}{unit}"


def _written(number: float) -> str:
    """Write a bound as an author would.

    >>> _written(65536), _written(0.001), _written(1e15)
    ('65,536', '0.001', '1,000,000,000,000,000')
    """
    return f"{number:,.0f}" if number == int(number) else f"{number:g}"


OF_UNIT = {
    bounds.unit: bounds
    for bounds in (
        NumberRange("/1", 1e-4, 1e4),
        NumberRange("1/s", 1e-3, 1e9),
        NumberRange("GB/s", 1e-3, 1e6),
        NumberRange("GB", 1e-6, 1e6),
        NumberRange("GiB", 1e-6, 2**16, zero=True),
        NumberRange("MiB", 1e-3, 2**26, zero=True),
        NumberRange("KiB", 1e-3, 2**36, zero=True),
        NumberRange("bytes", 0.01, 2**20),
        NumberRange("bytes/token", 0.01, 2**40),
        NumberRange("bits", 0.01, 64),
        NumberRange("TFLOPS", 1e-3, 1e6),
        NumberRange("TOPS", 1e-3, 1e6),
        NumberRange("MHz", 1, 1e5),
        NumberRange("tokens", 1, 2**30),
        NumberRange("streams", 1, 2**20),
        NumberRange("sequences", 1, 2**20),
        NumberRange("tokens/s", 1e-3, 1e8),
        NumberRange("us", 1e-3, 1e7),
        NumberRange("ms", 1e-6, 1e7),
        NumberRange("s", 1e-6, 1e8),
        NumberRange("W", 0.1, 1e6),
        NumberRange("mm", 1, 1e4),
        NumberRange("lanes", 1, 1024),
        NumberRange("USD", 0.01, 1e9),
        NumberRange("USD/kWh", 1e-4, 1e3),
        NumberRange("USD/GiB", 1e-3, 1e5),
        NumberRange("USD/1k tokens", 1e-6, 1e4),
        NumberRange("USD/1M tokens", 1e-4, 1e6),
        NumberRange("parameters", 1, 1e14),
        NumberRange("cycles", 0.01, 1e6),
        NumberRange("points", 1e-3, 1e4),
        NumberRange("log-odds", 1e-4, 100, zero=True),  # a rule of its own says more
    )
}
"""Bounds of a number in a unit. A constant is never negative; zero only where it says so."""
OTHERWISE = NumberRange("/1", 1e-9, 1e15)
"""Bounds in a unit that is not listed, and of a figure of a claim."""
OF_CONFIG = NumberRange("/1", 1e-9, 2**29)
"""Bounds of a number in a model's config: rows of an n-gram table come nearest, 384 million."""

_COUNT = NumberRange("/1", 1, 2**20)
_SHARE = NumberRange("/1", 1e-4, 1)
_STEP = NumberRange("tokens", 1, 2**22)
OF_CONSTANT = {
    **dict.fromkeys(
        ("state_slots", "graph_copies", "in_flight_batches", "mxfp4_width_multiple"), _COUNT
    ),
    "state_bits": NumberRange("bits", 8, 64),
    "logit_rows": _STEP,
    **dict.fromkeys(
        (
            "attention_key_tensors", "encoder_error_factor", "feed_attention_tensors",
            "offload_copy_share", "reconstructed_matrices",
            "page_cache_share", "sliding_pool_ratio", "state_pool_share", "warm_up_share",
        ),
        NumberRange("/1", 1e-4, 1e4, zero=True),
    ),
}  # fmt: skip
"""Bounds of single constants, by name: what is counted, and what may be absent altogether."""
ENDINGS = {
    "_exponent": NumberRange("/1", 1e-4, 4),
    "_efficiency": _SHARE,
    "_fraction": _SHARE,
    "_utilization": _SHARE,
    "_limit": _SHARE,
    "block_tokens": NumberRange("tokens", 1, 2**16),
    "multiple_tokens": NumberRange("tokens", 1, 2**16),
    "batch_tokens": _STEP,
    "batched_tokens": _STEP,
    "chunk_paged_tokens": _STEP,
}
"""Bounds by the end of a constant's or key's name, where those of the unit are too wide."""
OF_KEY = {
    **dict.fromkeys(("mean", "p50", "p95", "p99"), OF_UNIT["ms"]),
    **dict.fromkeys(
        ("counts", "count", "gpus", "completed", "failed"), NumberRange("/1", 1, 2**31)
    ),
    **dict.fromkeys(("multiprocessors", "layers", "gpu_layers"), _COUNT),
    **dict.fromkeys(("group_size", "block_rows"), _COUNT),
    **dict.fromkeys(("tensor_parallel_group", "tensor_parallel_block"), _COUNT),
    **dict.fromkeys(("max_num_seqs", "graph_batch", "graph_batch_wide", "sequences"), _COUNT),
    **dict.fromkeys(("tensor", "pipeline", "data"), NumberRange("/1", 1, 2**16)),
    **dict.fromkeys(("file_bytes", "bytes"), NumberRange("bytes", 1, 2**50)),
    "gain_factor": NumberRange("/1", 0.1, 20),
    "unified_default_fraction": OF_UNIT["/1"],  # a rule of its own says more
    "half_digit": NumberRange("/1", 1e-12, 2**50),
    **dict.fromkeys(("value", "error", "baseline_value"), NumberRange("/1", 1e-12, 1e6)),
    **dict.fromkeys(("questions", "downloads"), NumberRange("/1", 1, 2**50)),
    "seed": NumberRange("/1", 1, 2**63 - 1),
    "request_rate_per_s": OF_UNIT["1/s"],
}
"""Bounds of a record's key whose name ends in no unit."""
UNITS_OF_KEYS = {
    "_tokens_per_s": "tokens/s",
    "_gb_s": "GB/s",
    "_tflops": "TFLOPS",
    "_tops": "TOPS",
    "_mhz": "MHz",
    "_gib": "GiB",
    "_mib": "MiB",
    "_gb": "GB",
    "_bits": "bits",
    "_tokens": "tokens",
    "_us": "us",
    "_ms": "ms",
    "_s": "s",
    "_watts": "W",
    "_mm": "mm",
    "_usd": "USD",
    "lanes": "lanes",
}
"""Unit that the end of a record's key announces, longest ending first."""


@cache
def bounds_of_constant(name: str, unit: str) -> NumberRange:
    """Return the bounds of a constant by its name in snake case and its unit.

    >>> str(bounds_of_constant("kv_block_tokens", "tokens"))
    'between 1 and 65,536 tokens'
    """
    ending = next((found for end, found in ENDINGS.items() if name.endswith(end)), None)
    return OF_CONSTANT.get(name) or ending or OF_UNIT.get(unit, OTHERWISE)


@cache
def bounds_of_key(key: str) -> NumberRange:
    """Return the bounds of a number by the key that it stands under, or its list does.

    >>> str(bounds_of_key("tdp_watts"))
    'between 0.1 and 1,000,000 W'
    """
    if key in OF_KEY:
        return OF_KEY[key]
    if key.endswith("_parameters"):
        return OF_UNIT["parameters"]
    ending = next((found for end, found in ENDINGS.items() if key.endswith(end)), None)
    unit = next((unit for end, unit in UNITS_OF_KEYS.items() if f"_{key}".endswith(end)), "")
    return ending or OF_UNIT.get(unit, OTHERWISE)


@cache
def bounded_keys(shape: type[Record]) -> frozenset[str]:
    """Return the keys of a record that state both their bounds themselves."""
    return frozenset(
        key
        for key, field in shape.model_fields.items()
        if any(hasattr(bound, "gt") or hasattr(bound, "ge") for bound in field.metadata)
        and any(hasattr(bound, "lt") or hasattr(bound, "le") for bound in field.metadata)
    )

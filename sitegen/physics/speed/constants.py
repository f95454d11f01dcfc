"""Which constants a speed estimate reads: by runtime family, hardware class, weights and era."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sitegen.catalog.domain.hardware import Gpu
from sitegen.catalog.domain.models import SPEED_FAMILIES, Quantization, Runtime
from sitegen.catalog.domain.provenance import Interval
from sitegen.physics.gpu_groups import Assumptions
from sitegen.physics.memory.profile_constants import scaled
from sitegen.physics.powers import power
from sitegen.physics.speed.roofline import StageConstants
from sitegen.units import Bounds
from sitegen.values import dataclass

if TYPE_CHECKING:
    from sitegen.physics.speed.pipeline import Path

EARLY = "early"
"""Runs before 2025: fewer fused kernels, no captured graphs in llama.cpp."""
EARLY_UNTIL = "2025"
FORMER = "2025"
"""Runs of 2025 and the weeks after: prompts on AMD were read otherwise until llama.cpp refactored
its scalar flash attention for AMD's waves (ggml-org/llama.cpp pull requests 19625 and 20551)."""
FORMER_UNTIL = "2026-02-24"

REQUIRED = tuple(
    name.format(family)
    for family in SPEED_FAMILIES
    for name in (
        "decode-efficiency-{}", "decode-overhead-{}-us", "decode-stream-{}-us",
        "kv-read-efficiency-{}", "compute-efficiency-{}", "prefill-fixed-{}-ms",
        "prefill-chunk-{}-tokens", "hop-overhead-{}-us", "step-batch-{}-factor",
    )
)  # fmt: skip
"""Constants that every family has; narrower classes and factors are looked up beside them."""


USUAL_FLOPS_PER_S = 100e12
"""FP16 rate at which shares of it are stated; of a higher one a prompt's chunk fills less."""


@dataclass(frozen=True, slots=True)
class SpeedClass:
    """What the constants of a stage depend on."""

    family: str
    runtime: str
    """Runtime whose factors apply, empty for the reference of its family."""
    weights: str
    era: str
    backend: str
    vendor: str
    segment: str
    architecture: str
    gpu: str
    size: float = 1.0
    """FP16 rate over ``USUAL_FLOPS_PER_S``; 1 where it is unknown."""
    model: str = ""
    """Family of architectures that the model is of; empty where its factor is applied later."""


def differing(runtime: Runtime) -> str:
    """Name the runtime whose factors apply: none for the one that its family's constants are of."""
    return "" if runtime.traits.speed_reference else runtime.id


def weights_class(quantization: Quantization) -> str:
    """Name the kind of kernel that multiplies by these weights.

    Block formats of GGUF are told apart by how they are unpacked: plain blocks, K blocks, blocks
    with a grid of codes (``IQ1`` to ``IQ3``), and those with sixteen values (``IQ4``).
    """
    kind = quantization.gguf_file_type
    if not kind:
        bits = int(quantization.linears.weight_bits)
        packed = quantization.format in {"mlx", "exl2", "exl3"}
        return f"{quantization.format}-{bits}" if packed else quantization.format
    if kind.startswith("IQ4"):
        return "gguf-iq4"
    if kind.startswith("IQ"):
        return "gguf-table"
    if "_K" in kind:
        return "gguf-k"
    return {"F16": "gguf-16", "BF16": "gguf-16", "Q8_0": "gguf-8"}.get(
        kind, "gguf-mxfp4" if "MXFP4" in kind else "gguf-plain"
    )


def speed_class(path: Path, gpu: Gpu, *, model: str = "") -> SpeedClass:
    """Describe a stage for the look-up of its constants."""
    slug = gpu.architecture.lower().replace(" ", "-")
    return SpeedClass(
        path.family, path.runtime, path.weights, path.era, path.backend,
        gpu.vendor.value, gpu.segment, slug, gpu.id,
        1.0 if gpu.fp16_flops_per_s is None else gpu.fp16_flops_per_s / USUAL_FLOPS_PER_S,
        model,
    )  # fmt: skip


def chain(stem: str, found: SpeedClass, unit: str = "") -> tuple[str, ...]:
    """List the names of a constant, narrowest class first.

    >>> from sitegen.catalog.domain.hardware import Vendor
    >>> one = SpeedClass("paged", "", "awq", "", "", "nvidia", "consumer", "ampere", "3090")
    >>> chain("decode-overhead", one, "-us")[-2:]
    ('decode-overhead-paged-nvidia-us', 'decode-overhead-paged-us')
    """
    widest = f"{stem}-{found.family}"
    vendor = f"{widest}-{found.vendor}"
    segment = f"{vendor}-{found.segment}"
    names = (
        f"{widest}-on-{found.gpu}", f"{segment}-{found.architecture}", segment, vendor, widest,
    )  # fmt: skip
    return tuple(name + unit for name in names)


def bases(found: SpeedClass) -> Mapping[str, tuple[str, ...]]:
    """Names of each constant with an interval, narrowest first; the last must exist."""
    return {
        "dense": chain("decode-efficiency", found),
        "cache": (f"kv-read-efficiency-{found.family}",),
        "compute": chain("compute-efficiency", found),
        "overhead": chain("decode-overhead", found, "-us"),
        "stream": (f"decode-stream-{found.family}-us",),
        "fixed": (f"prefill-fixed-{found.family}-ms",),
        "hop": (f"hop-overhead-{found.family}-us",),
        "batch": (f"step-batch-{found.family}-factor",),
    }


def model_factors(family: str, model: str) -> tuple[str, ...]:
    """Name the factor of a layer's overhead for a family of models: kernels per layer differ."""
    return (f"overhead-model-{family}-{model.replace('_', '-')}-factor",) if model else ()


def factors(found: SpeedClass) -> Mapping[str, tuple[str, ...]]:
    """Names of the factors of each constant; one without a record is 1."""
    family, weights = found.family, found.weights
    words = tuple(word for word in (found.era, found.backend) if word)
    runtime = (found.runtime,) if found.runtime else ()

    def of(stem: str) -> tuple[str, ...]:
        reading = stem.startswith("compute")
        own = tuple(word for word in words if reading or word == found.backend)
        return (
            *(f"{stem}-{word}-{family}-factor" for word in words if word != FORMER),
            *(f"{stem}-{word}-{family}-on-{found.vendor}-factor" for word in own),
            *(f"{stem}-runtime-{name}-factor" for name in runtime),
        )

    vendor = f"{weights}-on-{found.vendor}"
    dense = (
        f"decode-weights-{family}-{weights}-factor",
        f"decode-weights-{family}-{vendor}-factor",
        *of("decode"),
    )
    compute = (
        f"compute-weights-{family}-{weights}-factor",
        f"compute-weights-{family}-{vendor}-factor",
        *of("compute"),
    )
    attention = (
        f"compute-attention-{family}-factor",
        f"compute-attention-{family}-on-{found.vendor}-factor",
        *of("compute-attention"),
    )
    return {
        "dense": dense,
        "expert": (*dense, f"decode-experts-{family}-factor"),
        "cache": of("kv-read"),
        "compute": compute,
        "attention": (*of("compute"), *attention),
        "compute_experts": (f"compute-experts-{family}-factor",),
        "expert_rows": (f"compute-experts-{family}-exponent",),
        "overhead": (*of("overhead"), *model_factors(family, found.model)),
        "mixture": (f"overhead-experts-{family}-factor",),
        "recurrent": (f"overhead-recurrent-{family}-factor",),
        "stream": (),
        "fixed": (),
        "hop": (),
        "batch": (),
        "link": (f"link-{family}-factor",),
        "link_prompt": (f"link-prompt-{family}-factor",),
    }


FULL_ROWS = 128
"""Rows of a matrix product from which on more make it no more efficient."""


def evenness(rows: float, exponent: float) -> float:
    """Efficiency of products of few rows, against those of many."""
    return power(min(1.0, rows / FULL_ROWS), exponent)


def constants(assumptions: Assumptions, found: SpeedClass) -> StageConstants:
    """Look up the constants of a class.

    Of those with an interval, factors beside them move all bounds alike. ``batch`` multiplies a
    step of several streams, ``link`` and ``link_prompt`` the time of a link. ``mixture`` and
    ``recurrent`` say how much more than a plain layer one of these costs, as a share of its
    overhead.

    Raises:
        KeyError: If not even the family has one.
    """
    named, multiplying = bases(found), factors(found)
    by = {slot: _product(assumptions, names) for slot, names in multiplying.items()}

    def of(slot: str, base: str) -> Bounds:
        value, times = _narrowest(assumptions, named[base]), by[slot]
        return (value.low * times, value.mid * times, value.high * times)

    def stated(slot: str) -> float:
        return by[slot] if any(name in assumptions for name in multiplying[slot]) else 0.0

    return StageConstants(
        dense=of("dense", "dense"),
        expert=of("expert", "dense"),
        cache=of("cache", "cache"),
        compute=of("compute", "compute"),
        attention=of("attention", "compute"),
        overhead=of("overhead", "overhead"),
        stream=of("stream", "stream"),
        fixed=of("fixed", "fixed"),
        hop=of("hop", "hop"),
        batch=of("batch", "batch"),
        link=by["link"],
        link_prompt=by["link_prompt"],
        mixture=stated("mixture"),
        recurrent=stated("recurrent"),
        compute_experts=by["compute_experts"],
        expert_rows=stated("expert_rows"),
    )


def _narrowest(assumptions: Assumptions, names: tuple[str, ...]) -> Interval:
    for name in names:
        if name in assumptions:
            return scaled(assumptions[name])
    raise KeyError(names[-1])


def _product(assumptions: Assumptions, names: tuple[str, ...]) -> float:
    product = 1.0
    for name in names:
        if name in assumptions:
            product *= assumptions[name].value.mid
    return product

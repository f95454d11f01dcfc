"""Constants of a speed estimate: by runtime family, hardware class, weights and era."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.hardware import Gpu
from sitegen.catalog.domain.models import SPEED_FAMILIES, Runtime
from sitegen.catalog.domain.provenance import Interval
from sitegen.physics.gpu_groups import Assumptions
from sitegen.physics.memory.profile_constants import scaled
from sitegen.physics.plan import DEFAULTS, Settings, Workload
from sitegen.physics.powers import power
from sitegen.physics.speed.pipeline import ReplicaPipeline
from sitegen.physics.speed.roofline import StageConstants
from sitegen.units import Bounds
from sitegen.values import dataclass

SOFTWARE_BEFORE_2025 = "early"
"""Runs before 2025: fewer fused kernels, no captured graphs in llama.cpp."""
EARLY_UNTIL = "2025"
SOFTWARE_2025 = "2025"
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
    """Runtime family, hardware and weights that select a stage's constants."""

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
    computed: str = ""
    """Weights whose arithmetic the GPU does instead, where it lacks that of its own."""


def differing(runtime: Runtime) -> str:
    """Name the runtime whose factors apply: none for the one that its family's constants are of."""
    return "" if runtime.traits.speed_reference else runtime.id


def speed_class(pipeline: ReplicaPipeline, gpu: Gpu, *, model: str = "") -> SpeedClass:
    """Describe a stage for the look-up of its constants."""
    slug = REFRESHES.get(gpu.architecture, gpu.architecture).lower().replace(" ", "-")
    return SpeedClass(
        pipeline.family, pipeline.runtime, pipeline.weights, pipeline.era, pipeline.backend,
        gpu.vendor.value, gpu.segment, slug, gpu.id,
        1.0 if gpu.fp16_flops_per_s is None else gpu.fp16_flops_per_s / USUAL_FLOPS_PER_S,
        model,
        computed_as(pipeline.weights, gpu),
    )  # fmt: skip


def computed_as(weights: str, gpu: Gpu) -> str:
    """Name the weights that a GPU multiplies: FP8 is widened to 16 bits below Ada Lovelace.

    Source:
        vLLM 0.33, ``quantization/utils/marlin_utils_fp8.py``: weights alone are in FP8 there, and
        "may degrade performance for compute-heavy workloads". On four RTX 3090 a 27B model gave
        305 tokens/s to 96 streams in FP8, 308 to 43 in BF16 (catalog/benchmarks, c0380 and c0376).
    """
    has = gpu.compute_capability
    return "bf16" if weights == "fp8" and has is not None and has < FP8_FROM else weights


REFRESHES = {"Blackwell Ultra": "Blackwell"}
"""Architectures that take the constants of the one that they refresh.

Source:
    NVIDIA, "Inside NVIDIA Blackwell Ultra: The Chip Powering the AI Factory Era" (2025-08-22):
    a member of the Blackwell family with more memory and bandwidth, more FP4 arithmetic and twice
    the exponentials of attention; read 2026-11-29.
"""
FP8_FROM = (8, 9)
"""Compute capability from which NVIDIA's tensor cores multiply FP8."""


def chain(stem: str, speed_class: SpeedClass, unit: str = "") -> tuple[str, ...]:
    """List the names of a constant, narrowest class first.

    >>> from sitegen.catalog.domain.hardware import Vendor
    >>> one = SpeedClass("paged", "", "awq", "", "", "nvidia", "consumer", "ampere", "3090")
    >>> chain("decode-overhead", one, "-us")[-2:]
    ('decode-overhead-paged-nvidia-us', 'decode-overhead-paged-us')
    """
    widest = f"{stem}-{speed_class.family}"
    vendor = f"{widest}-{speed_class.vendor}"
    segment = f"{vendor}-{speed_class.segment}"
    names = (
        f"{widest}-on-{speed_class.gpu}", f"{segment}-{speed_class.architecture}", segment,
        vendor, widest,
    )  # fmt: skip
    return tuple(name + unit for name in names)


def is_tried(assumptions: Assumptions, speed_class: SpeedClass) -> bool:
    """Return whether runs on such GPUs are behind the decode efficiency of a class.

    They ran on the GPU itself or on others of its vendor and segment; a constant of the vendor or
    of the family carries over from GPUs of another kind.
    """
    return any(name in assumptions for name in chain("decode-efficiency", speed_class)[:-2])


def bases(speed_class: SpeedClass) -> Mapping[str, tuple[str, ...]]:
    """Names of each constant with an interval, narrowest first; the last must exist."""
    return {
        "dense": chain("decode-efficiency", speed_class),
        "cache": (f"kv-read-efficiency-{speed_class.family}",),
        "compute": chain("compute-efficiency", speed_class),
        "overhead": chain("decode-overhead", speed_class, "-us"),
        "stream": (f"decode-stream-{speed_class.family}-us",),
        "fixed": (f"prefill-fixed-{speed_class.family}-ms",),
        "hop": (f"hop-overhead-{speed_class.family}-us",),
        "batch": (f"step-batch-{speed_class.family}-factor",),
    }


def model_factors(family: str, model: str) -> tuple[str, ...]:
    """Name the factor of a layer's overhead for a family of models: kernels per layer differ."""
    return (f"overhead-model-{family}-{model.replace('_', '-')}-factor",) if model else ()


def factors(speed_class: SpeedClass) -> Mapping[str, tuple[str, ...]]:
    """Names of the factors of each constant; one without a record is 1."""
    family, weights = speed_class.family, speed_class.weights
    computed = speed_class.computed or weights
    words = tuple(word for word in (speed_class.era, speed_class.backend) if word)
    runtime = (speed_class.runtime,) if speed_class.runtime else ()

    def of(stem: str) -> tuple[str, ...]:
        reading = stem.startswith("compute")
        own = tuple(word for word in words if reading or word == speed_class.backend)
        return (
            *(f"{stem}-{word}-{family}-factor" for word in words if word != SOFTWARE_2025),
            *(f"{stem}-{word}-{family}-on-{speed_class.vendor}-factor" for word in own),
            *(f"{stem}-runtime-{name}-factor" for name in runtime),
        )

    vendor = f"{weights}-on-{speed_class.vendor}"
    dense = (
        f"decode-weights-{family}-{weights}-factor",
        f"decode-weights-{family}-{vendor}-factor",
        *of("decode"),
    )
    compute = (
        f"compute-weights-{family}-{computed}-factor",
        f"compute-weights-{family}-{computed}-on-{speed_class.vendor}-factor",
        *of("compute"),
    )
    attention = (
        f"compute-attention-{family}-factor",
        f"compute-attention-{family}-on-{speed_class.vendor}-factor",
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
        "overhead": (*of("overhead"), *model_factors(family, speed_class.model)),
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


def matmul_efficiency(rows: float, exponent: float) -> float:
    """Efficiency of products of few rows, against those of many."""
    return power(min(1.0, rows / FULL_ROWS), exponent)


def constants(assumptions: Assumptions, speed_class: SpeedClass) -> StageConstants:
    """Look up the constants of a class.

    Of those with an interval, factors beside them move all bounds alike. ``batch`` multiplies a
    step of several streams, ``link`` and ``link_prompt`` the time of a link. ``mixture`` and
    ``recurrent`` say how much more than a plain layer one of these costs, as a share of its
    overhead.

    Raises:
        KeyError: If not even the family has one.
    """
    named, multiplying = bases(speed_class), factors(speed_class)
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


MEASURED_CACHES = ("f16", "fp8", "q8_0", "q4_0")
"""Types of KV cache that benchmark records were measured with; the constants hold for these."""
VULKAN = "vulkan"
"""What the constants of a Vulkan backend are called by, and what ids of such backends begin with.
"""


def backend_class(backend: str) -> str:
    """Name the constants of a GPU backend; empty for the vendor's own library.

    >>> backend_class("vulkan-radv"), backend_class("")
    ('vulkan', '')
    """
    return VULKAN if backend.startswith(VULKAN) else ""


def unpriced(settings: Settings, workload: Workload) -> tuple[str, ...]:
    """Name the settings whose effect on speed no record tells, as fields of settings or workload.

    Without CUDA graphs the processor starts every kernel: published pairs of runs are 1.1 to 5
    times slower, by the processor as much as by the GPU. Speculation gives several tokens a step,
    as many as the text allows. Experts or attention dealt out over ranks trade bytes for messages.
    No benchmark record of the catalog has any of these with enough beside it to tell the cost.

    Of experts dealt out whole inside a tensor parallel group the bytes are known: the rank with
    most of the chosen ones is waited for. That orders plans; four published sums (InferenceX,
    MiniMax M2.5 on eight H200) are near half of it, so it is not printed.

    Source:
        ``--enforce-eager``: 1.14 times slower (Llama 2 7B, vllm-project/vllm pull request 1440),
        1.5 times (Qwen3 0.6B, xLLM-AI/xllm pull request 713), 1.7 to 4.3 times (Qwen2.5 Omni,
        vllm-project/vllm-omni issue 7960); read 2026-11-23.
    """
    if settings is DEFAULTS and workload.kv_dtype in MEASURED_CACHES:
        return ()
    known = (
        ("enforce_eager", settings.enforce_eager),
        ("expert_parallel", settings.expert_parallel),
        ("data_parallel_size", settings.attention_copies > 1),
        ("decode_context_parallel_size", (settings.decode_context_parallel_size or 1) > 1),
        ("prediction_layers", settings.prediction_layers),
        ("draft_bytes", settings.draft_bytes is not None),
        ("backend", settings.backend != "" and backend_class(settings.backend) == ""),
        ("kv_dtype", workload.kv_dtype not in MEASURED_CACHES),
    )
    return tuple(name for name, changes in known if changes)


def only_slower(names: tuple[str, ...]) -> bool:
    """Whether the estimate without these settings is a bound from above."""
    return all(name == "enforce_eager" for name in names)

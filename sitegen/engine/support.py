"""Whether a runtime can run a checkpoint on these GPUs at all, before any byte is counted."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.catalog.domain.hardware import Gpu, Vendor
from sitegen.catalog.domain.models import Checkpoint, Quantization, Runtime
from sitegen.engine.assessment import Reason


def refusal(
    family: str, checkpoint: Checkpoint, runtime: Runtime, gpus: Sequence[Gpu]
) -> Reason | None:
    """Name the first thing that the runtime or a GPU does not support, or None."""
    recipe = checkpoint.quantization
    if recipe.format not in runtime.formats:
        return Reason("FORMAT_UNSUPPORTED", {"format": recipe.format, "runtime": runtime.id})
    if runtime.families and family not in runtime.families:
        return Reason("ARCH_UNSUPPORTED", {"family": family, "runtime": runtime.id})
    return hardware_refusal(runtime, gpus) or _recipe_refusal(checkpoint.quantization, gpus)


def hardware_refusal(runtime: Runtime, gpus: Sequence[Gpu]) -> Reason | None:
    """Name the first of some GPUs on which a runtime does not run, whatever the model, or None."""
    for gpu in gpus:
        if gpu.vendor not in runtime.vendors:
            return Reason("VENDOR_UNSUPPORTED", {"vendor": gpu.vendor, "runtime": runtime.id})
    if len({gpu.vendor for gpu in gpus}) > 1 and not runtime.capabilities.mixed_gpus:
        return Reason("MIXED_GPUS_UNSUPPORTED", {"runtime": runtime.id})
    for gpu in gpus:
        lacking = _lacking(gpu, runtime.minimum_compute_capability, runtime.other_architectures)
        if lacking is not None:
            return Reason("GPU_UNSUPPORTED", {"runtime": runtime.id, "gpu": gpu.id})
    return None


def _recipe_refusal(recipe: Quantization, gpus: Sequence[Gpu]) -> Reason | None:
    for gpu in gpus:
        lacking = _lacking(gpu, recipe.minimum_compute_capability, recipe.other_architectures)
        if lacking is not None:
            needs, has = lacking
            arguments = {"quantization": recipe.id, "needs": needs, "has": has}
            return Reason("QUANT_UNSUPPORTED_ON_GPU", arguments)
    return None


def _lacking(
    gpu: Gpu, capability: tuple[int, int] | None, architectures: tuple[str, ...] | None
) -> tuple[str, str] | None:
    """What is needed and what the GPU has, or None when that is enough or unknown."""
    if gpu.vendor is Vendor.NVIDIA:
        has = gpu.compute_capability
        if capability is None or has is None or has >= capability:
            return None
        return (
            f"compute capability {capability[0]}.{capability[1]}",
            f"{has[0]}.{has[1]}",
        )
    if architectures is None or gpu.architecture in architectures:
        return None
    return (" or ".join(architectures) or "an NVIDIA GPU", gpu.architecture)

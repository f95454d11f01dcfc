"""Whether a runtime can run a checkpoint on these GPUs at all, before any byte is counted."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.catalog.domain.hardware import Gpu, Vendor
from sitegen.catalog.domain.models import Checkpoint, Runtime
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
    for gpu in gpus:
        if gpu.vendor not in runtime.vendors:
            return Reason("VENDOR_UNSUPPORTED", {"vendor": gpu.vendor, "runtime": runtime.id})
    if len({gpu.vendor for gpu in gpus}) > 1 and not runtime.capabilities.mixed_gpus:
        return Reason("MIXED_GPUS_UNSUPPORTED", {"runtime": runtime.id})
    return _too_old(checkpoint, runtime, gpus)


def _too_old(checkpoint: Checkpoint, runtime: Runtime, gpus: Sequence[Gpu]) -> Reason | None:
    recipe = checkpoint.quantization
    limits = [runtime.minimum_compute_capability, recipe.minimum_compute_capability]
    needed = max((limit for limit in limits if limit is not None), default=None)
    for gpu in gpus:
        if needed is None or gpu.vendor is not Vendor.NVIDIA:
            continue
        has = gpu.compute_capability
        if has is not None and has < needed:
            return Reason(
                "QUANT_UNSUPPORTED_ON_GPU",
                {
                    "quantization": recipe.id,
                    "needs": f"{needed[0]}.{needed[1]}",
                    "has": f"{has[0]}.{has[1]}",
                },
            )
    return None

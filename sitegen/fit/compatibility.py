"""Whether a runtime can run a checkpoint on these GPUs at all, before any byte is counted."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.catalog.domain.hardware import Gpu, Vendor
from sitegen.catalog.domain.models import (
    Checkpoint,
    FormatLimit,
    LanguageModel,
    Quantization,
    Runtime,
    RuntimeProfile,
)
from sitegen.models.architecture import Architecture
from sitegen.physics.memory.profile_constants import dotted
from sitegen.physics.plan import Reason


def refusal(
    architecture: Architecture,
    checkpoint: Checkpoint,
    runtime: Runtime,
    profile: RuntimeProfile,
    gpus: Sequence[Gpu],
) -> Reason | None:
    """Name the first thing that the runtime or a GPU does not support, or None."""
    recipe = checkpoint.quantization
    if recipe.format not in runtime.formats:
        return Reason("FORMAT_UNSUPPORTED", {"format": recipe.format, "runtime": runtime.id})
    return (
        model_refusal(architecture, runtime, profile)
        or hardware_refusal(runtime, gpus)
        or family_refusal(architecture, runtime, gpus)
        or recipe_refusal(recipe, runtime, gpus, experts=architecture.experts > 0)
    )


def model_refusal(
    architecture: Architecture, runtime: Runtime, profile: RuntimeProfile | None
) -> Reason | None:
    """Say that a runtime has no code for a model, or None.

    Its package is read at one version. An older version that still had code for a class runs it;
    what else was added since then is not known, and is not held against older versions.
    """
    arguments: dict[str, int | float | str] = {
        "runtime": runtime.id,
        "version": profile.version if profile is not None else runtime.assessed_version,
        "family": architecture.known_as[-1] if architecture.known_as else architecture.family,
    }
    if runtime.families and architecture.family not in runtime.families:
        return Reason("UNSUPPORTED_ARCHITECTURE", arguments)
    table = runtime.known_models
    if table is None:
        return None
    arguments["version"] = table.version
    for key in architecture.special_keys:
        if key in table.refused_keys:
            arguments["family"] = f"{arguments['family']}+{key}"
            return Reason("UNSUPPORTED_ARCHITECTURE", arguments)
    for name in architecture.known_as:
        if name in table.names or name in table.through_transformers:
            return None
        last = table.dropped.get(name)
        if last is not None and profile is not None and dotted(profile.since) <= dotted(last):
            return None
    return Reason("UNSUPPORTED_ARCHITECTURE", arguments)


def through_transformers(architecture: Architecture, runtime: Runtime) -> bool:
    """Whether a runtime runs a model in the code of Transformers, having none of its own."""
    table = runtime.known_models
    if table is None:
        return False
    own = any(name in table.names for name in architecture.known_as)
    return not own and any(name in table.through_transformers for name in architecture.known_as)


def reads_images(model: LanguageModel, architecture: Architecture, runtime: Runtime) -> bool:
    """Whether a runtime reads the images of a model that sees; unless its package says otherwise.

    Source:
        Tables of the packages, as ``benchmarks.runtime_architectures`` reads them.
    """
    table = runtime.known_models
    if not model.vision_parameters or table is None:
        return model.vision_parameters > 0
    return any(
        name in table.with_images for name in (*model.vision_classes, *architecture.known_as)
    )


def hardware_refusal(runtime: Runtime, gpus: Sequence[Gpu]) -> Reason | None:
    """Name the first of some GPUs on which a runtime does not run, whatever the model, or None."""
    for gpu in gpus:
        if gpu.vendor not in runtime.vendors:
            return Reason("VENDOR_UNSUPPORTED", {"vendor": gpu.vendor, "runtime": runtime.id})
    can = runtime.capabilities
    if len({gpu.vendor for gpu in gpus}) > 1 and not (can.mixed_gpus and can.mixed_vendors):
        return Reason("MIXED_GPUS_UNSUPPORTED", {"runtime": runtime.id})
    for gpu in gpus:
        lacking = _lacking(gpu, runtime.minimum_compute_capability, runtime.other_architectures)
        if lacking is not None:
            return Reason("GPU_UNSUPPORTED", {"runtime": runtime.id, "gpu": gpu.id})
    return None


def family_refusal(
    architecture: Architecture, runtime: Runtime, gpus: Sequence[Gpu]
) -> Reason | None:
    """Name the first of some GPUs without kernels for a family, or None."""
    named = (architecture.family, architecture.known_as[-1])
    for limit in runtime.model_limits:
        if not any(name in limit.families for name in named):
            continue
        for gpu in gpus:
            lacking = _lacking(gpu, limit.minimum_compute_capability, limit.other_architectures)
            if lacking is not None:
                needs, has = lacking
                arguments: dict[str, int | float | str] = {
                    "family": architecture.known_as[-1],
                    "runtime": runtime.id,
                    "needs": needs,
                    "has": has,
                }
                return Reason("MODEL_UNSUPPORTED_ON_GPU", arguments)
        return None
    return None


def recipe_refusal(
    recipe: Quantization, runtime: Runtime, gpus: Sequence[Gpu], *, experts: bool = False
) -> Reason | None:
    """Name the first of some GPUs on which a runtime does not run a recipe's format, or None."""
    capability, others = recipe.minimum_compute_capability, recipe.other_architectures
    limit, most = limit_of(recipe, runtime, experts=experts), None
    code = "QUANT_UNSUPPORTED_ON_GPU"
    if limit is not None:
        capability, others = limit.minimum_compute_capability, limit.other_architectures
        most = limit.maximum_compute_capability
        code = "EXPERTS_UNSUPPORTED_ON_GPU" if limit.experts else code
    for gpu in gpus:
        lacking = _lacking(gpu, capability, others) or _too_new(gpu, most)
        if lacking is not None:
            needs, has = lacking
            arguments: dict[str, int | float | str] = {
                "quantization": recipe.id,
                "runtime": runtime.id,
                "needs": needs,
                "has": has,
            }
            return Reason(code, arguments)
    return None


def runs_format(recipe: Quantization, runtime: Runtime, gpu: Gpu) -> bool:
    """Whether a runtime runs a recipe's format on a GPU, at least in models without experts."""
    return (
        recipe.format in runtime.formats
        and hardware_refusal(runtime, [gpu]) is None
        and recipe_refusal(recipe, runtime, [gpu]) is None
    )


def oldest_nvidia(recipe: Quantization, runtime: Runtime) -> tuple[int, int] | None:
    """Return the least compute capability on which a runtime runs a format; (0, 0) for any.

    ``None`` where it does not run the format on NVIDIA's GPUs at all.
    """
    if recipe.format not in runtime.formats or Vendor.NVIDIA not in runtime.vendors:
        return None
    limit = limit_of(recipe, runtime)
    least = recipe if limit is None else limit
    wanted = (runtime.minimum_compute_capability, least.minimum_compute_capability)
    return max((one for one in wanted if one is not None), default=(0, 0))


def newest_nvidia(recipe: Quantization, runtime: Runtime) -> tuple[int, int] | None:
    """Return the highest compute capability on which a runtime runs a format; ``None`` for any."""
    limit = limit_of(recipe, runtime)
    return None if limit is None else limit.maximum_compute_capability


def limit_of(
    recipe: Quantization, runtime: Runtime, *, experts: bool = False
) -> FormatLimit | None:
    """Return what a runtime says of a recipe's GPUs; ``None`` where the recipe's own word holds."""
    for limit in runtime.format_limits:
        if limit.experts and not experts:
            continue
        named = not limit.quantizations or recipe.id in limit.quantizations
        if named and recipe.format in limit.formats:
            return limit
    return None


def _any_of(names: tuple[str, ...]) -> str:
    """Join names of which one is enough.

    >>> _any_of(("NVIDIA", "CDNA 3", "CDNA 4"))
    'NVIDIA, CDNA 3 or CDNA 4'
    """
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} or {names[-1]}"


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
    return (f"an {_any_of(('NVIDIA', *architectures))} GPU", gpu.architecture)


def _too_new(gpu: Gpu, most: tuple[int, int] | None) -> tuple[str, str] | None:
    """What is needed and what the GPU has where the runtime has no kernels for it yet."""
    has = gpu.compute_capability
    if gpu.vendor is not Vendor.NVIDIA or most is None or has is None or has <= most:
        return None
    return (f"compute capability {most[0]}.{most[1]} or lower", f"{has[0]}.{has[1]}")

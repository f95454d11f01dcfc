"""What is typed of the cache and of fused attention, in the engine's words."""

from __future__ import annotations

from sitegen.catalog.domain.models import MemoryModel, Runtime, RuntimeProfile
from sitegen.cli.questions.choose import usage_error
from sitegen.cli.questions.fit_options import FitOptions
from sitegen.physics.cache_types import SPELLINGS, joined, of_keys_and_values, quantized

Runtimes = tuple[tuple[Runtime, RuntimeProfile], ...]


def names_llama_cpp(options: FitOptions) -> bool:
    """Whether an option was given that only llama.cpp and its kin have."""
    return bool(options.flash_attention or options.cache_type_k or options.cache_type_v)


def cache_type_from(options: FitOptions) -> str:
    """Return the type of the cache, of keys and values apart where they are given so.

    Raises:
        click.UsageError: If both are given together and apart.
    """
    keys, values = options.cache_type_k, options.cache_type_v
    if not keys and not values:
        return SPELLINGS[options.kv_dtype]
    if options.kv_dtype != "auto":
        raise usage_error("--kv-dtype", "give it, or --cache-type-k and --cache-type-v, not both")
    return joined(SPELLINGS[keys or "f16"], SPELLINGS[values or "f16"])


def fusing(options: FitOptions, runtimes: Runtimes) -> Runtimes:
    """Keep the runtimes whose attention can be fused or not, where that is asked for.

    Raises:
        click.UsageError: If none of them can, or the type of the values needs it fused.
    """
    if not options.flash_attention:
        return runtimes
    choosing = tuple(pair for pair in runtimes if pair[0].memory_model is MemoryModel.LAYER_SPLIT)
    if not choosing:
        names = " and ".join(runtime.name for runtime, _ in runtimes)
        raise usage_error("--flash-attention", f"{names} leaves no such choice; llama.cpp does")
    values = of_keys_and_values(cache_type_from(options))[1]
    if options.flash_attention == "off" and quantized(values):
        raise usage_error("--flash-attention", f"values in {values} need it: leave it on")
    return choosing

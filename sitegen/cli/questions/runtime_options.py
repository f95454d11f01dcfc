"""Options that only some runtimes have: refused for the others, never ignored."""

from __future__ import annotations

from sitegen.catalog.domain.models import MemoryModel, Runtime, RuntimeProfile
from sitegen.cli.questions.choose import usage_error
from sitegen.cli.questions.fit_options import FitOptions

PAGED = frozenset(
    {
        "gpu_memory_utilization", "max_num_seqs", "max_num_batched_tokens", "enforce_eager",
        "expert_parallel", "data_parallel", "decode_context_parallel", "prediction_layers",
        "draft_gib", "text_only",
    }
)  # fmt: skip
"""Settings of runtimes that keep the cache in blocks: vLLM and its kin."""
SPLIT = frozenset({"ubatch", "images"})
"""Settings of runtimes that place whole layers: llama.cpp and its kin."""


def having(
    options: FitOptions, runtimes: tuple[tuple[Runtime, RuntimeProfile], ...]
) -> tuple[tuple[Runtime, RuntimeProfile], ...]:
    """Keep the runtimes that have every setting that was typed.

    Raises:
        click.UsageError: If none has, naming the first such option.
    """
    usual = FitOptions()
    kept = runtimes
    for name in sorted(PAGED | SPLIT):
        if getattr(options, name) == getattr(usual, name):
            continue
        kept = tuple(pair for pair in kept if (name in PAGED) == _is_paged(pair[0]))
        if not kept:
            names = " and ".join(runtime.name for runtime, _ in runtimes)
            option = f"--{name.replace('_', '-')}"
            raise usage_error(option, f"{names} has no such setting, or not with the others given")
    return kept


def _is_paged(runtime: Runtime) -> bool:
    return runtime.memory_model is MemoryModel.PAGED

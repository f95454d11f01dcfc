"""What an operator's settings change in the speed model, and which of them it knows nothing of."""

from __future__ import annotations

from sitegen.physics.plan import DEFAULTS, Settings, Workload

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

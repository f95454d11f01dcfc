"""Write fitted constants as assumption records, and forget those of an earlier fit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from benchmarks.speeds.fitting import LENT, Fit, Observation, slots
from benchmarks.speeds.spreads import TARGET, scale, unit

HEAD = "# yaml-language-server: $schema=../../schema/v1/assumption.schema.json\n"
BODY = "# Written by benchmarks/fit_speed.py: change that, not this.\n"
DAY = "2026-11-23"
FITTED = re.compile(
    r"decode-(efficiency|overhead|stream|weights|experts|early|runtime|vulkan)-"
    r"|compute-(efficiency|weights|experts|attention|early|2025|runtime|vulkan)-"
    r"|kv-read-|prefill-fixed-|hop-overhead-|overhead-(experts|recurrent|model|early|runtime|vulkan)-"
    r"|link-(prompt-)?(paged|layer-split|mlx|exllama)-factor"
    r"|step-batch-"
    r"|(power-(compute|bandwidth)|size-compute)-exponent"
)
WORDS = {
    "decode-efficiency": "Share of memory bandwidth that decode reaches",
    "decode-overhead": "Time per layer that memory bandwidth does not explain",
    "decode-stream": "Time per user and step that memory bandwidth does not explain",
    "decode-weights": (
        "Decode speed with one format of weights,"
        " relative to the usual speed of the same runtimes"
    ),
    "decode-experts": "Speed of reading the chosen experts, relative to reading dense weights",
    "decode-runtime": "Decode speed of a runtime, relative to related runtimes",
    "decode-early": "Decode speed before 2025, relative to today",
    "decode-vulkan": "Decode speed with Vulkan, relative to the vendor's own library",
    "compute-efficiency": "Share of the FP16 rate that reading a prompt reaches",
    "compute-weights": (
        "Speed of reading a prompt with one format of weights,"
        " relative to the usual speed of the same runtimes"
    ),
    "compute-experts": (
        "Speed of reading a prompt with a mixture of experts,"
        " relative to a dense model"
    ),
    "compute-attention": (
        "Speed of attention over a prompt,"
        " relative to the speed of the prompt's matrix products"
    ),
    "compute-runtime": "Speed of reading a prompt, relative to related runtimes",
    "compute-attention-runtime": "Speed of attention over a prompt, relative to related runtimes",
    "compute-early": "Speed of reading a prompt before 2025, relative to today",
    "compute-2025": "Speed of reading a prompt from 2025 to February 2026, relative to today",
    "compute-vulkan": (
        "Speed of reading a prompt with Vulkan,"
        " relative to the vendor's own library"
    ),
    "kv-read-efficiency": "Share of memory bandwidth that attention over the KV cache reaches",
    "kv-read": "Speed of reading the KV cache, relative to the usual speed",
    "kv-read-runtime": "Speed of reading the KV cache, relative to related runtimes",
    "prefill-fixed": "Time before the first token that does not depend on the prompt",
    "hop-overhead": "Time that a runtime adds to each hop between stages",
    "overhead-experts": (
        "Additional overhead of a layer with a mixture of experts,"
        " relative to an ordinary layer"
    ),
    "overhead-recurrent": (
        "Additional overhead of a layer with a recurrent state,"
        " relative to an ordinary layer"
    ),
    "overhead-model": (
        "Overhead per layer of a model family,"
        " relative to the usual overhead of its runtimes"
    ),
    "overhead-early": "Overhead per layer before 2025, relative to today",
    "overhead-runtime": "Overhead per layer of a runtime, relative to related runtimes",
    "overhead-vulkan": "Overhead per layer with Vulkan, relative to the vendor's own library",
    "step-batch": "Time of a step with several users, relative to the sum of its parts",
    "link-prompt": (
        "Time of transfers over links while reading a prompt,"
        " relative to the figures of the link"
    ),
    "link": (
        "Time of transfers over links while decoding,"
        " relative to the figures of the link"
    ),
    "power-compute-exponent": "Exponent by which a power limit slows computing",
    "power-bandwidth-exponent": "Exponent by which a power limit slows memory",
    "size-compute-exponent": (
        "Exponent by which the reached share of the FP16 rate falls as that rate grows,"
        " relative to 100 TFLOPS"
    ),
}  # fmt: skip


RUNTIMES = {
    "exllamav3": "ExLlamaV3",
    "ollama": "Ollama",
    "sglang": "SGLang",
    "layer-split": "llama.cpp and runtimes built on it",
    "exllama": "ExLlama",
    "paged": "runtimes with a paged cache",
    "mlx": "MLX",
}
TIMES = {"early-": "before 2025", "2025-": "2025 to February 2026", "vulkan-": "with Vulkan"}
EARLY_PAGED = "before 2025, vLLM before 0.8"
FORMATS = {
    "gguf-16": "16-bit GGUF",
    "gguf-8": "Q8_0",
    "gguf-k": "GGUF with K blocks",
    "gguf-mxfp4": "GGUF in MXFP4",
    "gguf-plain": "GGUF with plain blocks (such as Q4_0)",
    "gguf-iq4": "GGUF with IQ4",
    "gguf-table": "GGUF with IQ1 to IQ3",
    "mlx-4": "4 bits",
    "mlx-6": "6 bits",
    "mlx-8": "8 bits",
    "awq": "AWQ",
    "bf16": "BF16",
    "fp8": "FP8",
    "gptq": "GPTQ",
    "int8": "INT8",
    "mxfp4": "MXFP4",
    "nvfp4": "NVFP4",
}
VENDORS = {"amd": "AMD", "apple": "Apple", "intel": "Intel", "nvidia": "NVIDIA"}
SEGMENTS = {
    "consumer": "consumer GPUs",
    "datacenter": "data-center GPUs",
    "integrated": "integrated GPUs",
    "workstation": "workstation GPUs",
}
GPUS = Path(__file__).parents[2] / "catalog" / "gpus"


def scope(rest: str) -> str:
    """Say for what a constant holds: the end of its name, in words.

    >>> scope("layer-split-nvidia-consumer-ada-lovelace")
    'llama.cpp and runtimes built on it, NVIDIA consumer GPUs (Ada Lovelace)'
    >>> scope("paged-fp8-on-nvidia"), scope("mlx-qwen3")
    ('runtimes with a paged cache, FP8, NVIDIA GPUs', 'MLX, model type qwen3')
    """
    rest, _, hardware = rest.partition("-on-")
    when = next((start for start in TIMES if rest.startswith(start)), "")
    rest = rest.removeprefix(when)
    family = next(name for name in RUNTIMES if rest == name or rest.startswith(f"{name}-"))
    kind = rest.removeprefix(family).strip("-")
    vendor, _, group = kind.partition("-")
    early = when == "early-" and family == "paged"
    parts = [RUNTIMES[family], EARLY_PAGED if early else TIMES.get(when, "")]
    if vendor in VENDORS:
        parts.append(_group(vendor, group))
    elif kind:
        parts.append(FORMATS.get(kind) or f"model type {kind}")
    if hardware:
        parts.append(f"{VENDORS[hardware]} GPUs" if hardware in VENDORS else _gpu(hardware))
    return ", ".join(part for part in parts if part)


def _group(vendor: str, group: str) -> str:
    segment, _, chips = group.partition("-")
    words = re.sub(
        r"^(Cdna|Gcn|Rdna) ", lambda one: one[0].upper(), chips.replace("-", " ").title()
    )
    return f"{VENDORS[vendor]} {SEGMENTS.get(segment, 'GPUs')}" + (f" ({words})" if words else "")


def _gpu(name: str) -> str:
    return str(yaml.safe_load((GPUS / f"{name}.yaml").read_text(encoding="utf-8"))["name"])


def is_fitted(name: str) -> bool:
    """Whether a constant is the fit's to write; no record of a processor alone is fitted."""
    return FITTED.match(name) is not None and not name.endswith("-cpu")


def write(
    folder: Path, fit: Fit, half: Mapping[str, float], seen: Sequence[Observation],
    others: Sequence[Fit],
) -> int:  # fmt: skip
    """Write every constant and remove those that this fit has not; return how many there are."""
    spoken = _speakers(fit, seen)
    for old in folder.glob("*.yaml"):
        if is_fitted(old.stem) and old.stem not in fit.values:
            old.unlink()
    for name in sorted(fit.values):
        text = record(name, fit, half, spoken.get(name, set()), others)
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return len(fit.values)


def _speakers(fit: Fit, seen: Sequence[Observation]) -> dict[str, set[tuple[str, str]]]:
    """Runs and sources that read each constant."""
    found: dict[str, set[tuple[str, str]]] = {}
    for one in seen:
        names = {n for c in one.classes for some in slots(c, fit.values).values() for n in some}
        if one.case.path.power < 1:
            names |= {"power-compute-exponent", "power-bandwidth-exponent"}
        if one.prefill:
            names.add("size-compute-exponent")
        for name in names:
            found.setdefault(name, set()).add((one.case.run.id, one.case.source))
    return found


def record(
    name: str, fit: Fit, half: Mapping[str, float], spoken: set[tuple[str, str]],
    others: Sequence[Fit],
) -> str:  # fmt: skip
    """Print one record: the middle of the fit, its interval, and what it rests on."""
    low, mid, high = interval(name, fit, half, others)
    runs, sources = len({run for run, _ in spoken}), len({source for _, source in spoken})
    stem = max((s for s in WORDS if name.startswith(s)), key=len)
    rest = (
        name.removeprefix(stem)
        .removesuffix("-factor")
        .removesuffix("-exponent")
        .removesuffix("-us")
    )
    rest = rest.removesuffix("-ms").strip("-")
    title = (
        f"benchmarks/fit_speed.py, fit to {_counted(runs, 'run')}"
        f" from {_counted(sources, 'source')} in catalog/benchmarks"
    )
    if not runs:
        title = (
            "benchmarks/fit_speed.py, starting value,"
            " because no run in catalog/benchmarks tests this constant"
        )
    if not runs and name in LENT:
        title = f"benchmarks/fit_speed.py, taken from {LENT[name].of}"
    value = {
        "title": WORDS[stem] + (f": {scope(rest)}" if rest else ""),
        "low": low,
        "mid": mid,
        "high": high,
        "unit": unit(name),
        "status": "measured" if runs >= 5 else "assumed",
        "source": {"title": title, "url": "", "read": DAY},
        "note": NOTE if name in half else FACTOR_NOTE,
    }
    return HEAD + BODY + yaml.safe_dump(value, sort_keys=False, width=100, allow_unicode=True)


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


NOTE = (
    f"The interval covers {TARGET * 100:.0f} % of the errors on runs from contributors left out"
    " of the fit."
)
FACTOR_NOTE = (
    "Low and high are the extremes of five fits, each without a fifth of the runs. Estimates use"
    " only the middle value, because the interval of the scaled constant already covers the errors."
)


def interval(
    name: str, fit: Fit, half: Mapping[str, float], others: Sequence[Fit]
) -> tuple[float, float, float]:
    """Low, mid and high of a constant in its unit, with four digits."""
    by = scale(name)
    mid = _digits(fit.constant(name) / by)
    if name in half:
        wide = 2.718281828459045 ** half[name]
        return _digits(mid / wide), mid, _digits(mid * wide)
    every = [mid, *(other.constant(name) / by for other in others if name in other.values)]
    return _digits(min(every)), mid, _digits(max(every))


def _digits(value: float) -> float:
    return float(f"{value:.4g}")

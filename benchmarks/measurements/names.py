"""From the words of a log to ids of the catalog: models, quantizations, GPUs, versions."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sitegen.importers.spellings.gpus import GpuNames
from sitegen.importers.spellings.models import ModelNames, Strictness

SAME_CONFIG = {
    "llama-3.1-swallow-8b-instruct-v0.1": "llama-3.1-8b-instruct",
    "llama-13b": "llama-2-13b",
    "mistral-7b-v0.1-awq (fine-tuned)": "mistral-7b-v0.1",
    "zephyr-7b-beta": "mistral-7b-v0.1",
    "tulu-7b": "llama-2-7b",
    "leo-hessianai-7b": "llama-2-7b",
    "kimi-k2-instruct-0905": "kimi-k2-instruct",
    "mistral-small-3.1-24b-instruct-2503": "mistral-small-3.2-24b-instruct-2506",
    "qwen2.5-math-1.5b": "qwen2.5-1.5b",
    "tulu-3-405b": "llama-3.1-405b",
    "qwen3-235b-a22b-128k": "qwen3-235b-a22b",
    "qwen3-vl-235b-a22b-thinking": "qwen3-vl-235b-a22b-instruct",
    "qwen-3-30b3a": "qwen3-30b-a3b",
    "minimax-m2.1-prism": "minimax-m2.1",
    "qwen3codernext": "qwen3-coder-next",
    "deepseek-v2:16b-lite-chat": "deepseek-v2-lite",
    "llama4:16x17b": "llama-4-scout-17b-16e-instruct",
    "llama-3-8b-instruct": "llama-3.1-8b-instruct",
    "deepseek-v3-671b": "deepseek-v3",
    "llama-2-65b": "llama-65b",
    "wizardcoder-python-34b-v1.0": "codellama-34b-instruct",
    "kimi-k2.7": "kimi-k2.7-code",
    "deepseek-v2:latest": "deepseek-v2-lite",
    "gplatty-30b-superhot-8k": "llama-30b",
    "nemotron-120b": "nemotron-3-super-120b-a12b",
    "cydonia-24b-v4zk": "mistral-small-24b-instruct-2501",
    "cogito-v1-preview-qwen-32b": "qwen2.5-32b-instruct",
    "gams-9b-instruct": "gemma-2-9b-it",
    "inferact-qwen3.8-27b": "qwen3.8-27b",
    "qwen3.8-27b-w4a16-(syv-ai-recipe)": "qwen3.8-27b",
    "gemma-e2b": "gemma-4-e2b-it",
    "synthia-7b-v1.3-(mistral)": "mistral-7b-v0.1",
    "mistral-7b-openorca": "mistral-7b-v0.1",
    "nous-hermes-2-mistral-7b-dpo": "mistral-7b-v0.1",
    "em-german-mistral-v01": "mistral-7b-v0.1",
    "orca-2-7b": "llama-2-7b",
    "orca-2-13b": "llama-2-13b",
    "wizardlm-13b-v1.2": "llama-2-13b",
    "nous-hermes-llama2-13b": "llama-2-13b",
    "gpt4all-13b-snoozy": "llama-13b",
    "gemma-1.1-7b-it": "gemma-7b",
    "deepseek-v3.1-terminus-bf16-safetensors": "deepseek-v3.1",
    "gpt-oss-coder-20b": "gpt-oss-20b",
    "glm-4.5-base": "glm-4.5",
    "qwen3.8-27b-(syv-ai-recipe)": "qwen3.8-27b",
    "llama-3.2-1b-fine-tune": "llama-3.2-1b-instruct",
    "qwen2-(7.62b)": "qwen2.5-7b-instruct",
    "gemma-4-26b-(26b-a4b)": "gemma-4-26b-a4b-it",
    "command-r-plus-104b": "c4ai-command-r-plus",
    "phi-3-mini-4k-instruct": "phi-3-mini-128k-instruct",
    "qwen2.1-5b-instruct": "qwen2-1.5b-instruct",
    "deepseek-v3.1-terminus-safetensors": "deepseek-v3.1",
}
"""Fine-tunes whose config is that of another model, and names of their author alone, by plain
name; spellings of a model's own name are read by rule."""

MARKS = (
    r"\(per [^)]*\)|\(unsloth\)",
    r"[ _]",
    r"-?\(qwen3moeforcausallm\)",
    r"(\.gguf\d?|\.?q\d_\d|:q\d-k-\w|[.-]q\d-\d|-(ud-)?i?q\d-k-\w+|-mxfp4)$",
    r"-abliterated(-v\d)?$",
    r"^(meta|unsloth|google|nvidia|qwen/|hugging-quants)-",
    r"-(awq|gptq|autoround|bnb|nf4|fp8|fp16|f16|bf16|nvfp4|w4a16|w8a8|int4|int8|4bit|8bit|dynamic"
    r"|qat|ct|mtp|128k|hf|block|q\d_\w+|quantized\.w8a8|unsloth|\(hf\)|bf16)(?=-|$)",
)
"""What a name carries beside the model: publishers and formats."""

QUANTIZATIONS = (
    (r"^(bf16|fp16|float16|bfloat16)$", "bf16"),
    (r"^fp16/bf16|^float16/bf16", "bf16"),
    (r"^float32$", "fp32"),
    (r"^fp8( \((online|runtime).*\))?$", "fp8"),
    (r"^awq", "awq-4bit-g128"),
    (r"^(gptq[ -](4bit|int4)|auto_?round int4)$", "gptq-4bit-g128"),
    (r"^w4a16( \(compressed-tensors\))?$", "w4a16-g128"),
    (r"^int4 \(compressed-tensors\)$", "w4a16-g32"),
    (r"^w8a8 int8$", "int8-w8a8"),
    (r"^nvfp4( \(modelopt\))?$", "nvfp4"),
    (r"^mxfp4$", "mxfp4"),
    (r"^fp4 experts|^deepseek_v4_fp8$", "fp8-block-fp4-experts"),
    (r"^bitsandbytes", "bnb-nf4-double"),
)
"""Formats as serving logs name them; unsloth's bitsandbytes checkpoints are double-quantized."""

NAMED_FORMATS = (
    (r"awq", "awq-4bit-g128"),
    (r"gptq.*int4|gptq.*4bit|autoround", "gptq-4bit-g128"),
    (r"bnb-4bit", "bnb-nf4-double"),
    (r"nvfp4", "nvfp4"),
    (r"w8a8", "int8-w8a8"),
    (r"w4a16", "w4a16-g128"),
    (r"fp8", "fp8"),
)
"""Formats that a repository's name gives away where the log names none."""

COMMON = (
    "a100-80gb-sxm", "a800-80gb-sxm", "h20-96gb", "rtx-3050-8gb", "rtx-3060-12gb",
    "rtx-3080-10gb", "arc-a770-16gb", "rtx-pro-6000-blackwell-workstation",
)  # fmt: skip
"""Where a log leaves memory or edition open, the GPU that is common."""
SAME_CHIP = (
    (r"strix halo|8060s|ryzen ai max", "strix-halo"), (r"orin agx", "jetson-agx-orin-32gb"),
    (r"h800", "h100-sxm"), (r"a800|a100 mig", "a100-80gb-sxm"), (r"\bt4\b", "t4"),
    (r"3090", "rtx-3090"), (r"rtx 5090", "rtx-5090"), (r"9070 xt", "rx-9070-xt"),
    (r"h200 host", "h200-sxm"), (r"a6000.*\(ada\)", "rtx-6000-ada"),
)  # fmt: skip
"""Chips under other names, and descriptions of a machine that hold more words than a GPU's name."""


SIZES = (
    (22.0, 22.05, "l4"), (22.05, 22.6, "a10"), (23.4, 23.8, "rtx-4090"),
    (23.8, 24.0, "rx-7900-xtx"), (31.3, 31.5, "rtx-5090"), (31.6, 31.8, "v100-32gb-sxm"),
    (39.3, 39.6, "a100-40gb-sxm"), (44.3, 44.6, "l40s"), (47.3, 47.6, "rtx-6000-ada"),
    (78.0, 79.4, "h100-sxm"), (94.5, 95.6, "rtx-pro-6000-blackwell-workstation"),
    (139.5, 140.0, "h200-sxm"), (178.0, 179.0, "b200-sxm"), (191.4, 192.0, "mi300x"),
)  # fmt: skip
"""Memory in GiB as processes see it (low, high) and the common GPU that shows it."""


def plain(name: str) -> str:
    """Reduce a model's name to what names the architecture.

    >>> plain("RedHatAI/Qwen2.5-7B-Instruct-quantized.w8a8"), plain("Qwen2-5-VL-7B-Instruct-AWQ")
    ('qwen2.5-7b-instruct', 'qwen2.5-vl-7b-instruct')
    >>> plain("Meta_Llama_3.1_8b_it"), plain("unsloth_DeepSeek R1 BF16")
    ('llama-3.1-8b-instruct', 'deepseek-r1')
    """
    text = name.rsplit("/", 1)[-1].strip().lower()
    text = re.sub(MARKS[0], "", text).strip()
    text = re.sub(MARKS[1], "-", text)
    for _ in range(4):
        for mark in MARKS[2:]:
            text = re.sub(mark, "", text)
    text = re.sub(r"^(qwen)(\d)-?(\d)-", r"\1\2.\3-", text)
    text = re.sub(r"^(llama)(\d)-", r"\1-\2-", text)
    text = re.sub(r"^(gemma)(\d)[-:]", r"\1-\2-", text)
    text = re.sub(r"^(llama-3\.\d-\d+b)-it$", r"\1-instruct", text)
    return text.strip("-")


def model_id(name: str, models: ModelNames, also: Mapping[str, str] = SAME_CONFIG) -> str | None:
    """Find the model whose shape a name tells: by its own name, else as a fine-tune of it.

    Args:
        name: As a log gives it.
        models: The models of the catalog.
        also: Fine-tunes, by plain name.
    """
    whole = name.rsplit("/", 1)[-1].strip().lower()
    reduced = plain(name)
    known = [also[one] for one in (whole, reduced, reduced.replace(":", "-")) if one in also]
    release = None if whole in also else models.written(name)
    spoken = (models.meant(one, Strictness.SHAPE).model for one in (name, reduced))
    return release or next((one for one in (*known, *spoken) if one and one in models), None)


def quantization_id(stated: str | None, model: str) -> str | None:
    """Find the recipe that a serving log names, or that the model's name gives away."""
    if stated is not None:
        return _first(QUANTIZATIONS, stated.lower())
    return _first(NAMED_FORMATS, model.lower())


def gguf_id(stated: str | None) -> str | None:
    """Find the recipe of a GGUF file type.

    >>> gguf_id("Q4_K - Medium"), gguf_id("IQ4_XS - 4.25 bpw"), gguf_id("UD-Q4_K_XL")
    ('q4-k-m', 'iq4-xs', None)
    """
    if stated is None:
        return None
    word, _, rest = stated.partition(" - ")
    sizes = {"Medium": "_M", "Small": "_S", "Large": "_L"}
    word = word + sizes.get(rest, "") if word != "Q2_K" else word
    if word in {"F16", "BF16"}:
        return "gguf-f16"
    if word == "MXFP4":
        return "mxfp4-moe"
    known = re.fullmatch(r"I?Q\d_(0|1|K|NL|XS|XXS|S|M|K_S|K_M|K_L)", word)
    return word.lower().replace("_", "-") if known else None


def gpu_id(stated: str, gpus: GpuNames) -> str | None:
    """Find the GPU that a log names; of one whose form factor is left open, the one on SXM."""
    found = gpus.meant(stated)
    if len(found) < 2:
        return found[0] if found else _first(SAME_CHIP, stated.lower())
    forms = {re.sub(r"-(sxm|pcie|nvl)$", "", one) for one in found}
    sxm = next((one for one in found if one.endswith("-sxm")), None)
    return sxm if len(forms) == 1 else next((one for one in COMMON if one in found), None)


def names_no_gpu(stated: str) -> bool:
    """Whether a log tells a GPU's maker or its memory, and no model.

    >>> names_no_gpu("4 GB GPU"), names_no_gpu("Radeon (ROCm)"), names_no_gpu("Intel Arc 16GiB")
    (True, True, True)
    >>> names_no_gpu("Intel Arc Pro B70"), names_no_gpu("L4")
    (False, False)
    """
    return not re.search(r"\d", re.sub(r"\b\d+ ?Gi?B\b", "", stated))


def gpu_of_size(visible_gib: float | None, word: str) -> str | None:
    """Find the likeliest GPU for a memory size: what a log shows, or what a box says.

    >>> gpu_of_size(79.22, ""), gpu_of_size(None, "24GB GPU"), gpu_of_size(12.0, "")
    ('h100-sxm', 'rtx-4090', None)
    """
    nominal = re.search(r"(\d+) ?GB", word)
    size = visible_gib or (0.98 * int(nominal.group(1)) if nominal else 0)
    return next((gpu for low, high, gpu in SIZES if low <= size <= high), None)


def _first(table: tuple[tuple[str, str], ...], text: str) -> str | None:
    return next((found for pattern, found in table if re.search(pattern, text)), None)


def version(stated: str | None, notes: str | None) -> str:
    """Read a runtime's version as dotted numbers, from its field or from the notes, else empty.

    >>> version("0.19.2rc1.dev8+g4b7f5ea1a", None), version(None, "image v0.11.0 in the doc")
    ('0.19.2', '0.11.0')
    >>> version("0.1.dev19754+g3a0914114", None), version(None, "b6097")
    ('', '')
    """
    found = re.match(r"(\d+\.\d+(?:\.\d+)?)(?!\.?dev)", stated or "")
    if found:
        return found.group(1)
    noted = re.search(r"(?:vLLM|image) v?(0\.\d+(?:\.\d+)?)", notes or "")
    return noted.group(1) if noted and stated is None else ""


V0_LINES = re.compile(r"PyTorch activation peak memory|non_torch_memory takes|# \w+ blocks: \d+")
"""Lines that vLLM's first engine wrote, which ended with 0.10."""
RELEASES = (
    ("2024-09-05", "0.6"), ("2024-11-15", "0.6.4"), ("2025-01-27", "0.7"), ("2025-03-18", "0.8"),
    ("2025-05-27", "0.9"), ("2025-07-24", "0.10"), ("2025-10-02", "0.11"), ("2025-12-03", "0.12"),
    ("2025-12-24", "0.13"), ("2026-04-19", "0.19"), ("2026-05-21", "0.21"), ("2026-08-15", "0.26"),
    ("2026-08-31", "0.28"), ("2026-09-14", "0.29"), ("2026-12-01", ""),
)  # fmt: skip
"""Days from which a vLLM release, or a log that names it, was public (GitHub releases page)."""
STEADY_DAYS = (("2024-09-05", "2026-02-28"), ("2026-08-15", "2026-11-30"))
"""Spans of days in which every current release has the same profile, whatever its number."""


BEFORE_PROFILES = ("2024-09-04", "0.5")
"""Day of vLLM 0.6.0, and a version that stands for all before it: none has a profile."""


def version_of_day(date: str | None) -> str:
    """Guess vLLM's version from a log's full date, empty where profiles changed at that time.

    >>> version_of_day("2025-07-22"), version_of_day("2026-04-28"), version_of_day("2026-09")
    ('0.9', '', '')
    """
    if date is None or len(date) < len("2026-01-01"):
        return ""
    if date < BEFORE_PROFILES[0]:
        return BEFORE_PROFILES[1]
    if not any(first <= date <= last for first, last in STEADY_DAYS):
        return ""
    return [version for day, version in RELEASES if day <= date][-1]


BUILDS = (("2024-03-13", "1700"), ("2025-08-30", "5000"), ("2026-05-29", "8000"))
"""Day on which llama.cpp's memory changed (pull requests 6017, 15434, 23861), a build before it."""
SERVER_BUILD = "9500"
"""Stands for builds after the last of those days; it changed the server alone."""


def build_of_day(date: str | None, runtime: str) -> str:
    """Guess a llama.cpp build, or the one that a fork follows, from a log's day; empty if unknown.

    >>> build_of_day("2025-01-02", "llama.cpp"), build_of_day("2026-07-01", "llama-server")
    ('5000', '9500')
    >>> build_of_day("2026-07-01", "llama.cpp"), build_of_day(None, "llama-server")
    ('', '')
    """
    if not date:
        return ""
    found = next((build for day, build in BUILDS if date < day), "")
    return found or (SERVER_BUILD if "server" in runtime.lower() else "")


def build_number(stated: str | None) -> int | None:
    """Read llama.cpp's build number.

    >>> build_number("b6097"), build_number("5192 (e59a5f1e)"), build_number("62bf73")
    (6097, 5192, None)
    """
    found = re.match(r"b?(\d{3,5})(?!\w)", stated or "")
    return int(found.group(1)) if found else None

"""Which model, quantization and runtime a published speed figure is about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from benchmarks.measurements import names
from sitegen.importers.spellings.models import ModelNames

Row = Mapping[str, Any]

SAME_SHAPE = {
    "kat-coder-v2.5-dev": "qwen3.6-35b-a3b",
    "ornith-1.0-35b": "qwen3.6-35b-a3b",
    "agents-a1": "qwen3.6-35b-a3b",
    "ornstein3.6-35b-a3b": "qwen3.6-35b-a3b",
    "tess-4-35b-a3b": "qwen3.6-35b-a3b",
    "darwin-36b-opus": "qwen3.6-35b-a3b",
    "qwen3.6-35b-a3b-anko": "qwen3.6-35b-a3b",
    "qwen3.6-35b-a3b-nsc-ace-saber": "qwen3.6-35b-a3b",
    "qwen3.6-35b-a3b-uncensored-hauhaucs-aggressive": "qwen3.6-35b-a3b",
    "qwen3.6-35b-a3b-fast": "qwen3.6-35b-a3b",
    "qwopus3.5-27b-v3": "qwen3.5-27b",
    "qwen3.5-27b-anko": "qwen3.5-27b",
    "copaw-flash-9b": "qwen3.5-9b",
    "astrea-r8-chat-9b": "qwen3.5-9b",
    "qwythos-9b-v2": "qwen3.5-9b",
    "fara1.5-9b": "qwen3.5-9b",
    "fara1.5-4b": "qwen3.5-4b",
    "agents-a1-4b": "qwen3.5-4b",
    "darwin-4b-chimera": "qwen3.5-4b",
    "eva-4b": "qwen3-4b",
    "carnice-9b-w8a16": "qwen3.5-9b",
    "qwen3.5-9b-claude-4.6-opus-reasoning-distilled": "qwen3.5-9b",
    "qwen3.5-0.8b-claude-4.6-opus-reasoning-distilled": "qwen3.5-0.8b",
    "nemotron-3-nano-omni-30b-a3b-reasoning": "nemotron-3-nano-30b-a3b",
    "nemotron-cascade-2-30b-a3b": "nemotron-3-nano-30b-a3b",
    "meta-llama-3-8b": "llama-3.1-8b-instruct",
    "llama-3-8b": "llama-3.1-8b-instruct",
    "llama-8b-(per-thread)": "llama-3.1-8b-instruct",
    "llama-3.1-nemotron-nano-8b-v1": "llama-3.1-8b-instruct",
    "llama-1b": "llama-3.2-1b-instruct",
    "llama-7b": "llama-2-7b",
    "llama-13b": "llama-2-13b",
    "llama-33b": "llama-30b",
    "llama-2-65b": "llama-65b",
    "65b": "llama-65b",
    "mistral-instruct-7b": "mistral-7b-instruct-v0.3",
    "mistral-7b-instruct-v0.2": "mistral-7b-instruct-v0.3",
    "deepseek-r1-14b": "qwen2.5-14b-instruct",
    "deepseek-r1-distill-qwen-14b": "qwen2.5-14b-instruct",
    "deepseek-r1-distill-qwen-7b": "qwen2.5-7b-instruct",
    "deepseek-r1-distill-qwen-1.5b": "qwen2.5-1.5b",
    "qwen2-(7.62b)": "qwen2.5-7b-instruct",
    "qwen2.5-coder-14b-instruct": "qwen2.5-14b-instruct",
    "qwen2.5-coder:14b": "qwen2.5-14b-instruct",
    "qwen2.5-coder-3b-instruct": "qwen2.5-3b-instruct",
    "qwen2.5-coder-1.5b-instruct": "qwen2.5-1.5b",
    "coder-30b": "qwen3-coder-30b-a3b-instruct",
    "qwen3-30b-a3b-thinking-2507": "qwen3-30b-a3b-instruct-2507",
    "qwen3-4b-thinking-2507": "qwen3-4b-instruct-2507",
    "qwen3-vl-30b-a3b-thinking": "qwen3-vl-30b-a3b-instruct",
    "qwen3-235b-a22b-thinking-2507": "qwen3-235b-a22b-instruct-2507",
    "devstral-24b": "mistral-small-24b-instruct-2501",
    "devstral:24b": "mistral-small-24b-instruct-2501",
    "mistral-large-instruct-2407-123b": "mistral-large-instruct-2411",
    "minimax-m2": "minimax-m2.5",
    "minimax-m2.1": "minimax-m2.5",
    "phi-4-mini-reasoning": "phi-4-mini-instruct",
    "granite-3.1-8b-instruct": "granite-3.3-8b-instruct",
    "qwen3.5-9b-(finetune)": "qwen3.5-9b",
    "qwen3.5-4b-ud-q4kxl": "qwen3.5-4b",
    "tinyllama-1.1b-1t-openorca": "tinyllama-1.1b-chat-v1.0",
    "deepseek-coder-v2-lite-(16b/2.4b-active)": "deepseek-coder-v2-lite-instruct",
    "ornith:9b": "qwen3.5-9b",
    "ornith-1.0-9b": "qwen3.5-9b",
    "groxaxo-qwen3.6-27b-pro": "qwen3.6-27b",
    "granite-3.1-1b-a400m-instruct": "granite-3.0-1b-a400m-instruct",
    "nemotron-cascade-2:30b": "nemotron-3-nano-30b-a3b",
    "fara1.5-27b": "qwen3.5-27b",
    "darwin-35b-a3b-opus": "qwen3.6-35b-a3b",
    "worldsim-opus-3.6-35b-a3b": "qwen3.6-35b-a3b",
    "gemopus-4-26b-a4b-it": "gemma-4-26b-a4b-it",
    "sera-8b": "qwen3-8b",
    "sera-8b-ga": "qwen3-8b",
    "ternary-bonsai-8b": "qwen3-8b",
    "phi-3-medium-4k-instruct": "phi-3-medium-128k-instruct",
    "lfm2.5-1.2b-thinking": "lfm2.5-1.2b-instruct",
    "lfm2-1.2b-tool": "lfm2-1.2b",
    "lfm2-2.6b-exp": "lfm2-2.6b",
}
"""Fine-tunes whose shape is that of another model, and names of their author alone, by plain name;
spellings of a model's own name are read by rule."""

SAID_ELSEWHERE = {
    "AlexHiesch apple-silicon-llm-bench": {
        "coder": "qwen3-coder-30b-a3b-instruct",
        "qwen3.5": "qwen3.5-35b-a3b",
        "qwen3.6-35b": "qwen3.6-35b-a3b",
    },
    "LottoLottoLotto 4x3090": {
        "nvidia-NVFP4": "qwen3.6-35b-a3b",
        "cyankiwi-AWQ": "qwen3.6-35b-a3b",
        "full-q2": "",
    },
}
"""Names that mean something only inside their source."""

GGUF_RUNTIMES = frozenset({"llama-cpp", "ollama", "ik-llama-cpp", "lm-studio"})
"""Runtimes that load GGUF files, by whose names of types their weights are known."""
RUNTIMES = (
    (r"^ik_llama\.cpp", "ik-llama-cpp"),
    (r"^llama\.cpp \(log posted", "llama-cpp"),
    (r"ik_llama|turboquant|ipex|mx-llama|pr\)|pull|this pr", ""),
    (r"patched|anemll|aiden|sm121|sglang-derived", ""),
    (r"cuda backend", ""),
    (r"^docker-model-runner", "llama-cpp"),
    (r"^lm-?studio$", "lm-studio"),
    (r"^(llama\.?cpp|llama-server|lm studio llama\.cpp|ollama or llama)", "llama-cpp"),
    (r"^ollama", "ollama"),
    (r"^(mlx|rapid-mlx|omlx|vllm-mlx)", "mlx-lm"),
    (r"^vllm", "vllm"),
    (r"^sglang", "sglang"),
    (r"^exo", "exo"),
    (r"^exllama ?v2", "exllamav2"),
    (r"^exllama ?v3", "exllamav3"),
    (r"^tensorrt-llm", "tensorrt-llm"),
)
"""Runtimes as sources name them, first match; an empty id is a build that no profile covers."""
SERVED = frozenset({"vllm", "sglang", "tensorrt-llm"})
GGUF_16_BITS = re.compile(r"^gguf-b?f16$")
STAND_IN = "Another program ran: "
"""Begins the note of a run whose program the catalog lacks; the one that it is near stands for it.
Such a run is judged, and sets no width of the one that stands for it."""
STANDING_FOR = (
    (r"^mlx-vlm", "mlx-vlm, which computes with the library of mlx-lm"),
    (r"gfx90[68]", "vLLM, built from changed sources for a GPU that its releases leave out"),
    (r"^docker-model-runner", "Docker Model Runner, which starts llama.cpp"),
)
MLX_FILES = re.compile(r"^(nvfp4|mxfp8|4bit|8bit|mlx-.*)$")
"""Formats that desktop runtimes for GGUF files hand to MLX on a Mac."""
UNQUANTIFIED = frozenset({"mlx", "dflash-quant"})
"""Words in the place of a quantization that name a program or a drafter."""

QUANTIZATIONS = (
    (r"^(bf16|bf16-v23|fp16|w16a16)$", "bf16"),
    (r"^(fp8|fp8-dynamic|fp8-static|official fp8)$", "fp8"),
    (r"^(int8-w8a8|gptq-int8|gptq 8bit|w8a8)$", "int8-w8a8"),
    (r"^awq", "awq-4bit-g128"),
    (r"^(gptq|autoround-int4|gptq-int4|gptq 4bit|gptq g128)", "gptq-4bit-g128"),
    (r"^w4a16$", "w4a16-g128"),
    (r"^nvfp4(-v23)?$", "nvfp4"),
    (r"^(mxfp4|mxfp4 moe|mxfp4 experts, fp8 dense)$", "mxfp4"),
    (r"^exl2 3\.0", "exl2-3.0bpw"), (r"^exl2 4\.0|^exl2 4\.25", "exl2-4.0bpw"),

    (r"exl3-6", "exl3-6.0bpw"), (r"exl3-4|^exl3 4", "exl3-4.0bpw"),
)  # fmt: skip
MLX = (
    (r"^(4bit|4-bit|q4|mlx-4bit|int4)$", "mlx-4bit"), (r"^(8bit|q8)$", "mlx-8bit"),
    (r"^q6$", "mlx-6bit"), (r"^(mxfp4|mxfp4-q8)$", "mxfp4"), (r"^(bf16)$", "mlx-bf16"),
)  # fmt: skip
SAME_TYPE = {
    "Q8_K_M": "Q8_0", "Q8": "Q8_0", "FP16": "F16", "MXFP4 MOE": "MXFP4", "MXFP4_MOE": "MXFP4",
    "Q6_K_M": "Q6_K", "Q6_K_L": "Q6_K",
}  # fmt: skip
"""Types of GGUF files under other names."""
GGUF_NAMED = re.compile(
    r"[-.:_ ](?:gguf-)?(?:UD-)?((?:I?Q\d_(?:0|1|K_XL|K_[SML]|K|NL|XS|XXS|S|M))|BF16|F16|MXFP4)"
    r"(?=[-._ ]|$)", re.IGNORECASE,
)  # fmt: skip


class LeftOutError(Exception):
    """A figure that cannot be used, with the reason as its message."""


def runtime_id(row: Row) -> str:
    """Find the runtime.

    Raises:
        LeftOutError: If it is not named, not in the catalog, or a build of its own.
    """
    stated = row.get("runtime")
    if not stated:
        raise LeftOutError("The source does not name the runtime.")
    for pattern, found in RUNTIMES:
        if re.search(pattern, stated.lower()):
            if not found:
                raise LeftOutError(
                    f"The run used a fork or a patched build ({stated}), which no profile covers."
                )
            handed = found in {"ollama", "lm-studio"} and MLX_FILES.search(row.get("quant") or "")
            return "mlx-lm" if handed and "apple" in row["hardware"].lower() else found
    raise LeftOutError(f"The catalog has no runtime {stated}.")


def runtime_note(row: Row, runtime: str) -> str:
    """Name the program that ran, where another one stands for it.

    >>> runtime_note({"runtime": "ollama"}, "mlx-lm")
    'Another program ran: ollama, which hands such files to MLX.'
    """
    stated = str(row["runtime"])
    if runtime == "mlx-lm" and re.match(r"ollama|lm-?studio", stated):
        return f"{STAND_IN}{stated}, which hands such files to MLX."
    named = (words for pattern, words in STANDING_FOR if re.search(pattern, stated))
    return next((f"{STAND_IN}{words}." for words in named), "")


def version(row: Row, runtime: str) -> str:
    """Read a dotted version, or llama.cpp's build number, from what the row says."""
    stated = f"{row.get('runtime_version') or ''} {row.get('runtime') or ''} {row.get('notes')}"
    if runtime in {"llama-cpp", "ollama"} and (found := re.search(r"\bb(\d{4,5})\b", stated)):
        return found.group(1)
    found = re.search(r"(?:^|v|post|LLM |lm |SGLang |vLLM )(\d+\.\d+(?:\.\d+)?)", stated)
    return found.group(1) if found and runtime != "llama-cpp" else ""


def model_name(row: Row) -> str:
    """Reduce the stated name to what names the model's shape.

    >>> model_name({"model": "Qwen_Qwen3-0.6B-Q4_K_M.gguf", "collection": ""})
    'qwen3-0.6b'
    >>> model_name({"model": "GLM-4.6-UD-Q4_K_XL", "collection": ""})
    'glm-4.6'
    """
    text = str(row["model"])
    known = SAID_ELSEWHERE.get(row["collection"], {})
    if text in known:
        return known[text]
    if row["collection"].startswith("AlexHiesch"):
        text = text.split(maxsplit=1)[0]
        if text.lower() in known:
            return known[text.lower()]
    text = text.rsplit("/", 1)[-1]
    text = re.sub(r"(-GGUF|\.gguf|:latest)$", "", text, flags=re.IGNORECASE)
    text = GGUF_NAMED.sub("", text)
    text = re.sub(r"[-.]UD$|-UD-MLX-4bit$|-QAT-MLX-4bit$|-exl3.*$|-MXFP4-Q8$", "", text)
    text = re.sub(r"-qat-(q4|4bit|mobile-ct)$", "", text)
    text = re.sub(
        r"^(qwen|google|huggingfacetb|ibm-granite|mistralai|liquidai|allura-org|altworld"
        r"|agentscope-ai|ai21labs|empero-ai|endless-frontier|final-bench|futurema|internscience"
        r"|nvidia|unsloth|cyankiwi|quanttrio)[_]",
        "", text, flags=re.IGNORECASE,
    )  # fmt: skip
    text = re.sub(r"^(quanttrio)-", "", text, flags=re.IGNORECASE)
    text = re.sub(r"(-uncensored)?-heretic$", "", text)
    return names.plain(text) or text.lower()


def model_id(row: Row, models: ModelNames) -> str:
    """Find the model of the catalog that has the shape of the one stated.

    Raises:
        LeftOutError: If the catalog has none.
    """
    name = model_name(row)
    for first in (name, name.replace("_", "-"), *_without_author(row)):
        shape = SAME_SHAPE.get(first) or models.written(first)
        found = shape if shape in models else names.model_id(first, models)
        if found is not None:
            return found
    raise LeftOutError(f"The catalog has no model of the shape of {row['model']}.")


def _without_author(row: Row) -> tuple[str, ...]:
    """Names without the author and a tuner's own words: ``Author_Qwen3.5-27B-Writer-Q4_K_M.gguf``.

    >>> _without_author({"model": "ConicCat_Qwen3.5-27B-Writer-Q4_K_M.gguf", "collection": ""})
    ('qwen3.5-27b-writer', 'qwen3.5-27b')
    """
    stem = str(row["model"]).rsplit("/", 1)[-1]
    found = re.match(r"[A-Za-z0-9.-]+_(?=[A-Za-z])", stem)
    rest = model_name({**row, "model": stem[found.end() :] if found else stem})
    tuned = re.match(r"qwen3\.[56]-[\d.]+b(-a\d+b)?(?=-(writer|rprmax|claude))", rest)
    return (rest, tuned.group(0)) if tuned else (rest,)


def quantization_id(row: Row, runtime: str) -> tuple[str, str]:
    """Find the recipe of the weights, and what to note about it.

    Raises:
        LeftOutError: If the source does not say, or no recipe comes close.
    """
    stated = str(row.get("quant") or "")
    model = str(row["model"])
    if stated in UNQUANTIFIED:
        raise LeftOutError("The source does not state the quantization.")
    if runtime in GGUF_RUNTIMES:
        return _gguf(row, stated, model)
    if runtime in {"mlx-lm", "exo"}:
        return _mlx(stated, model)
    if not stated:
        return _named(row, model)
    if "qat-mobile" in model or "qat-mixed" in stated:
        raise LeftOutError(
            "The file is a mix of 2, 4 and 8 bits, for which the catalog has no recipe."
        )
    if stated.lower() in {"4-bit", "int4"}:
        recipe = "exl2-4.0bpw" if runtime == "exllamav2" else "awq-4bit-g128"
        return (
            recipe,
            f"The source says only {stated}, so we assume groups of 128 values at 4 bits.",
        )
    word = GGUF_16_BITS.sub("bf16", stated.lower()) if runtime in SERVED else stated.lower()
    return _first(QUANTIZATIONS, word, stated), ""


def _named(row: Row, model: str) -> tuple[str, str]:
    """Recipe that a model's name gives away."""
    found = names.quantization_id(None, model)
    if found is None and row["collection"].startswith("SemiAnalysis"):
        return "bf16", "The source names the unquantized repository."
    if found is None:
        raise LeftOutError("The source does not state the quantization.")
    return found, "We read the quantization from the model's name."


def _mlx(stated: str, model: str) -> tuple[str, str]:
    """Recipe of a file for MLX."""
    named = re.search(r"(4bit|8bit|6bit|3bit|bf16|mxfp4)", model.lower())
    word = stated.lower() or (named.group(1) if named else "")
    word = re.sub(r"^mlx-(?=nvfp4|mxfp|\dbit)|(?<=bit) \([\d.]+ gb\)$", "", word)
    if word in {"mxfp4", "nvfp4"} and "gpt-oss" not in model.lower():
        note = f"MLX quantizes every linear layer to {word.upper()}, so we use the recipe of MLX's"
        return "mlx-4bit", f"{note} 4 bits."
    if word in {"mxfp8", "8bit-mxfp8", "q8_k_xl"}:
        note = f"{stated} has the width of MLX's own 8 bits, so we use the recipe of those."
        return "mlx-8bit", note
    return _first(MLX, word, stated or model), ""


def _gguf(row: Row, stated: str, model: str) -> tuple[str, str]:
    word, note = stated, ""
    if row["collection"].startswith("sudoingX"):
        inside = GGUF_NAMED.search(" " + re.sub(r"[(),]", " ", row["hardware"]) + " ")
        word = stated or (inside.group(1) if inside else "Q4_K_M")
        if not stated and not inside:
            note = "Q4_K_M is the table's default."
    elif not stated and (named := GGUF_NAMED.search(model)):
        word = named.group(1)
    elif not stated and row["collection"].startswith("geerlingguy"):
        word, note = (
            "Q4_K_M",
            "The source does not state the quantization, but this repository's script downloads "
            "Q4_K_M.",
        )
        if "gpt-oss" in model:
            word = "MXFP4"
    elif (not stated or stated == "4-bit") and re.search(r":\d", model):
        word, note = "Q4_K_M", "Q4_K_M is the default of the library's tag."
    elif stated in {"4-bit", "Q4", "int4"}:
        word, note = "Q4_K_M", f"The source says only {stated}, so we assume Q4_K_M."
    if not word:
        raise LeftOutError("The source does not state the quantization.")
    if "gpt-oss" in model.lower():
        return ("mxfp4-moe-f16" if word == "F16" else "mxfp4-moe"), note
    clean = re.sub(r"^(UD[-_]|gguf-|Unsloth )", "", word, flags=re.IGNORECASE)
    mixed = word != clean or re.search(r"_(XL|P)$|Q6_K_L", clean.upper()) is not None
    clean = re.sub(r"_(XL|P)\b", "_M", clean.split(" MTP")[0].strip().upper().replace("UD-", ""))
    clean = SAME_TYPE.get(clean, clean)
    clean = clean.replace("IQ4-XS", "IQ4_XS").replace(" - MEDIUM", "_M").replace(" - SMALL", "_S")
    clean = {"Q2_K_M": "Q2_K", "NVFP4": "", "INT4": "Q4_K_M"}.get(clean, clean)
    found = names.gguf_id(clean)
    if found is None:
        raise LeftOutError(f"The catalog has no quantization record for {stated or 'this file'}.")
    if mixed:
        note = f"{word} is its maker's own mix, so we use the recipe of {clean}."
    return found, note


def _first(table: tuple[tuple[str, str], ...], text: str, stated: str) -> str:
    for pattern, found in table:
        if re.search(pattern, text):
            return found
    raise LeftOutError(f"The catalog has no quantization record for {stated or 'these weights'}.")

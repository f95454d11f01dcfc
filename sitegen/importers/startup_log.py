"""What a server logs while it starts: memory by its parts, and what it was asked to hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field

from sitegen.importers.measured import UnusableError
from sitegen.values import dataclass

LONGEST_LINE = 20_000
"""Characters of a line that are looked at: configurations are printed on one."""
MOST_QUOTED = 900
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(slots=True)
class StartupLog:
    """One start, as its log tells it; what it does not say is missing.

    Attributes:
        runtime: Id of the runtime whose log it is, empty where no line tells.
        model: As the log names it: a repository or a path.
        words: Settings as logged, by the names of a memory record.
        figures: Figures of one GPU, by the names of a memory record.
        lists: Buffers in the order of the log, by the names of a memory record.
        quotes: The lines that were read, each once.
        failed: What it says of running out of memory; empty where it started.
        gpus: Devices on which it lays buffers.
    """

    runtime: str = ""
    version: str = ""
    model: str = ""
    words: dict[str, int | float | str | bool] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)
    lists: dict[str, dict[str, float]] = field(default_factory=dict)
    quotes: list[str] = field(default_factory=list)
    failed: str = ""

    def figure(self, name: str, value: float) -> None:
        """Keep a figure: of several ranks the one that decides, which has the least pool."""
        held = self.figures.get(name)
        least = name in {"kv_pool_gib", "kv_pool_tokens"}
        if held is None or (value < held if least else value > held):
            self.figures[name] = value

    def buffer(self, kind: str, device: str, mib: float) -> None:
        """Add to the buffers of a device: a cache may lie in two."""
        found = self.lists.setdefault(kind, {})
        found[device] = found.get(device, 0.0) + mib

    @property
    def gpus(self) -> int:
        """Count the GPUs that hold the model, 0 where the log does not list them."""
        return len(self.lists.get("model_gpu_mib", {}))


Reader = Callable[[StartupLog, re.Match[str]], None]


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _figure(name: str) -> Reader:
    return lambda log, found: log.figure(name, _number(found[1]))


def _word(name: str, kind: Callable[[str], int | float | str | bool]) -> Reader:
    def read(log: StartupLog, found: re.Match[str]) -> None:
        log.words.setdefault(name, kind(found[1].replace(",", "")))

    return read


def _named(log: StartupLog, found: re.Match[str]) -> None:
    log.model = log.model or found[1]


def _versioned(log: StartupLog, found: re.Match[str]) -> None:
    log.version = log.version or found[1]


def _pool_of_halves(log: StartupLog, found: re.Match[str]) -> None:
    """SGLang logs tokens, keys and values, whose sizes it calls GB and are GiB."""
    log.figure("kv_pool_tokens", _number(found[1]))
    log.figure("kv_pool_gib", _number(found[2]) + _number(found[3]))


def _buffer(kind: str) -> Reader:
    def read(log: StartupLog, found: re.Match[str]) -> None:
        device, mib = found[1], _number(found[2])
        on_host = device.startswith("CPU") or device.endswith("_Host")
        if kind == "kv":
            log.buffer("kv_mib", device, mib)
        else:
            log.buffer(f"{kind}_{'host' if on_host else 'gpu'}_mib", device, mib)

    return read


def _layers(log: StartupLog, found: re.Match[str]) -> None:
    log.words["gpu_layers"], log.words["layers"] = int(found[1]), int(found[2])


def _failed(log: StartupLog, found: re.Match[str]) -> None:
    log.failed = log.failed or found[0][:200]


def _flash(log: StartupLog, found: re.Match[str]) -> None:
    if found[1] not in {"auto", "-1"}:
        log.words.setdefault("flash_attention", found[1] in {"1", "enabled", "true"})


N = r"([\d,]+(?:\.\d+)?)"
"""A number, grouped by commas or not."""
VLLM: tuple[tuple[str, Reader], ...] = (
    (r"engine \(v?(\d+\.\d+(?:\.\d+)?)", _versioned),
    (r"API server version v?(\d+\.\d+(?:\.\d+)?)", _versioned),
    (r"\bmodel='([^']+)'", _named),
    (r"\bmax_seq_len=(\d+)", _word("context_tokens", int)),
    (r"Maximum concurrency for ([\d,]+) tokens per request", _word("context_tokens", int)),
    (r"\btensor_parallel_size=(\d+)", _word("tensor", int)),
    (r"\bpipeline_parallel_size=(\d+)", _word("pipeline", int)),
    (r"\bdata_parallel_size=(\d+)", _word("data", int)),
    (r"\bkv_cache_dtype=(\w+)", _word("keys", str)),
    (r"\benforce_eager=(True|False)", _word("eager", lambda word: word == "True")),
    (r"'?gpu_memory_utilization'?[:=] ?(0\.\d+|1\.0)", _word("memory_fraction", float)),
    (r"gpu_memory_utilization \((0\.\d+)\)", _word("memory_fraction", float)),
    (r"Desired GPU memory utilization is \((0\.\d+)", _word("memory_fraction", float)),
    (r"'?max_num_seqs'?[:=] ?(\d+)", _word("max_num_seqs", int)),
    (r"'?max_num_batched_tokens'?[:=] ?(\d+)", _word("max_num_batched_tokens", int)),
    (rf"Model loading took {N} Gi?B", _figure("weights_gib")),
    (rf"Loading model weights took {N} Gi?B", _figure("weights_gib")),
    (rf"model weights take {N} ?GiB", _figure("weights_gib")),
    (rf"Actual usage is {N} GiB for weight", _figure("weights_gib")),
    (rf"non_torch_memory takes {N} ?GiB", _figure("non_torch_gib")),
    (rf"{N} GiB for non-torch memory", _figure("non_torch_gib")),
    (rf"activation peak memory takes {N} ?GiB", _figure("activation_gib")),
    (rf"{N} GiB for peak activation", _figure("activation_gib")),
    (rf"Graph capturing finished in .*?took {N} GiB", _figure("graphs_gib")),
    (rf"{N} GiB for CUDAGraph memory", _figure("graphs_gib")),
    (rf"Available KV cache memory: {N} GiB", _figure("kv_pool_gib")),
    (rf"reserved for KV Cache is {N} ?GiB", _figure("kv_pool_gib")),
    (rf"(?:GPU|XPU|CPU) KV cache size: {N} tokens", _figure("kv_pool_tokens")),
    (r"CUDA out of memory|larger than the available KV cache memory", _failed),
)
SGLANG: tuple[tuple[str, Reader], ...] = (
    (r"server_args=ServerArgs\(model_path='([^']+)'", _named),
    (r"\btp_size=(\d+)", _word("tensor", int)),
    (r"\bpp_size=(\d+)", _word("pipeline", int)),
    (r"\bmem_fraction_static=(0\.\d+)", _word("memory_fraction", float)),
    (r"\bcontext_len=(\d+)", _word("context_tokens", int)),
    (r"\bmax_running_requests=(\d+)", _word("max_num_seqs", int)),
    (rf"Load weight end\..*mem usage={N} GB", _figure("weights_gib")),
    (rf"KV Cache is allocated\..*#tokens: {N}, K size: {N} GB, V size: {N} GB", _pool_of_halves),
    (rf"Capture cuda graph end\..*mem usage={N} GB", _figure("graphs_gib")),
    (r"Not enough memory\. Please try to increase --mem-fraction-static", _failed),
)
LLAMA: tuple[tuple[str, Reader], ...] = (
    (r"^build: (\d+) \(", _versioned),
    (r"general\.name\s+(?:str\s+)?= (.+?)\s*$", _named),
    (rf"(?:load_tensors|llm_load_tensors): +(\S+) (?:model )?buffer size = +{N} MiB",
     _buffer("model")),
    (rf"(?:llama_kv_cache\w*|create_memory): +(\S+) KV buffer size = +{N} MiB", _buffer("kv")),
    (rf"(\S+) +RS buffer size = +{N} MiB", _buffer("kv")),
    (rf"(\S+) +compute buffer size = +{N} MiB", _buffer("compute")),
    (rf"KV self size += +{N} MiB", _figure("kv_total_mib")),
    (rf"file size += {N} GiB", _figure("file_gib")),
    (r"offloaded (\d+)/(\d+) layers to GPU", _layers),
    (r"\bn_ctx += +(\d+)", _word("context_tokens", int)),
    (r"\bn_seq_max += +(\d+)", _word("sequences", int)),
    (r"\bn_ubatch += +(\d+)", _word("micro_batch_tokens", int)),
    (r"\bflash_attn += +(\w+)", _flash),
    (r"K \((\w+)\):", _word("keys", str)),
    (r"V \((\w+)\):", _word("values", str)),
    (r"cudaMalloc failed: out of memory|failed to allocate .*buffer", _failed),
)  # fmt: skip
SIGNS: Mapping[str, re.Pattern[str]] = {
    "vllm": re.compile(
        r"[GXC]PU KV cache size|Model loading took|# (?:GPU|cuda) blocks|LLM engine \("
    ),
    "sglang": re.compile(r"sglang|KV Cache is allocated\.|Load weight end\."),
    "llama-cpp": re.compile(r"load_tensors|llama_kv_cache|llama_context|llama_new_context"),
}
"""Lines by which a log is told; ik_llama.cpp and Ollama log as llama.cpp does."""
LINES: Mapping[str, tuple[tuple[re.Pattern[str], Reader], ...]] = {
    name: tuple((re.compile(pattern), read) for pattern, read in patterns)
    for name, patterns in (("vllm", VLLM), ("sglang", SGLANG), ("llama-cpp", LLAMA))
}


def told(text: str) -> str:
    """Name the runtime whose start a text is of; empty where it is none's."""
    found = {name: len(sign.findall(text)) for name, sign in SIGNS.items()}
    best = max(found, key=lambda name: found[name])
    return best if found[best] else ""


def read_log(lines: Iterable[str], runtime: str) -> StartupLog:
    """Read a start.

    Args:
        lines: Of the log.
        runtime: Whose log it is, as ``told`` names it.

    Raises:
        UnusableError: If no line says anything of memory.
    """
    log = StartupLog(runtime)
    for line in lines:
        plain = ESCAPES.sub("", line[:LONGEST_LINE]).rstrip()
        read = False
        for pattern, reader in LINES[runtime]:
            for found in pattern.finditer(plain):
                reader(log, found)
                read = True
        if read and len(plain) < 300:
            log.quotes.append(plain.strip())
    if not log.figures and not log.lists and not log.failed:
        hint = "a log of the start has lines about weights, cache or buffers"
        raise UnusableError("it says nothing of memory", hint=hint)
    return log


def quote(log: StartupLog) -> str:
    """Quote the lines that were read, without what stands before the message."""
    bare = (
        re.sub(r"^.*?(?:INFO|WARNING)? ?[\d-]* ?[\d:.]* ?\[[^\]]*\] ", "", q) for q in log.quotes
    )
    kept: list[str] = []
    for one in dict.fromkeys(bare):
        if "/" in one or sum(map(len, kept)) + len(one) > MOST_QUOTED:
            continue  # a path is nobody's business
        kept.append(one)
    return " | ".join(kept)

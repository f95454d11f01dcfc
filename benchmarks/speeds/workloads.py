"""What a published speed figure was asked and how it was timed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from benchmarks.speeds.subjects import LeftOutError, Row

STEADY = re.compile(
    r"llama-bench|tpot|after first token|mlx_lm\.benchmark|eval rate|llama-server timings"
    r"|decode_tps|streaming median|tg rate|median of repeated|input length 1|s_tg|tg128"
    r"|per-request average|decode tokens/s|mean eval|first 128 tokens|eval time line"
)
END_TO_END = re.compile(r"end-to-end|wall|average tok/s|end to end|aggregate tok/s")
KV = {
    None: "f16", "auto": "f16", "f16/f16": "f16", "f16": "f16", "fp16": "f16", "bf16": "f16",
    "default": "f16", "auto (bf16)": "f16", "fp8": "fp8", "fp8/e4m3": "fp8", "fp8-e4m3": "fp8",
    "fp8/e5m2": "fp8", "q8_0": "q8_0", "q8_0/q8_0": "q8_0", "q8": "q8_0", "q4_0": "q4_0",
}  # fmt: skip
BETWEEN_TOKENS = re.compile(r"itl_p50 ([\d.]+) ms")
"""Time between two tokens of a stream, as a note states it."""
OTHERS_PROMPTS = "llama-benchy"
"""Its sum counts from the first token of the first stream to the last of the last stream: the
prompts of the others are read meanwhile (`llama_benchy/results.py`, 0.4.0)."""
PROMPT_FLOOR_TOKENS = 128
"""Shortest prompt whose reading speed says something of the GPU."""
MICRO_BATCH = re.compile(r"(?:\bn_ubatch|\bubatch|(?<![/\w])ub) (\d+)")
LONG_ROCM = ("kyuz0 R9700 toolboxes", "kyuz0 MI50 toolboxes")
LONG_ROCM_TOKENS = 2_048
"""Their scripts read prompts behind a depth so (``-ub 2048``), but not through Vulkan
(`benchmark/run_benchmarks.sh` of kyuz0/amd-r9700-ai-toolboxes, 8ad62bc, and of its MI50 kin)."""
DGX_VLLM = "djangodevreng DGX Spark"
DGX_VLLM_TOKENS = 8_192
"""What its servers read in a step: most say so, and it is vLLM's own default on such a GPU."""
DGX_FULL_CACHE = re.compile(r"ministral-3-3b-|nano-omni-|muse-glimmer-")
"""Its servers whose cache is as wide as the weights; the others' is FP8 (``meta.json`` beside each
result, djangodevreng/dgx-spark-benchmarks, 5636536)."""
MOST_SCATTER = 0.1
"""Spread of a source's own repeats, over their mean, from which on a rate is not a steady one: two
machines of a kind differ by less."""
NAMES = {
    "decode_tokens_per_s": "decode",
    "aggregate_tokens_per_s": "the sum of all streams",
    "prefill_tokens_per_s": "the prompt",
}
INSTANCES = re.compile(r"_tp\d+x(\d+)_")
"""Servers that answer side by side, as the run names of LottoLottoLotto/4x3090-llm-benchmarks say
(`TP=1, PP=2, INSTANCES=2` on the page of a run called `tp1x2`, abe1601)."""
DRAFTED = {"experimental/token_position_decode_slo/glm-5/": "mtp"}
"""Folders whose server drafts with the model's own layer (`--speculative-config.method mtp`,
`serve_glm5_sbatch.sh` of SemiAnalysisAI/InferenceX, de75941)."""
CACHED = re.compile(r"likely cached|cached|prefix cache|warm prompt")


def workload(row: Row) -> dict[str, Any]:
    """Map depth, prompt, generation, streams and cache type.

    Raises:
        LeftOutError: If the cache has a type that no engine profile knows.
    """
    stated = row.get("kv_type") or server_cache(row)
    kind = KV.get(str(stated).lower() if stated else None)
    if kind is None:
        raise LeftOutError(f"The run used a KV cache of type {stated}, which no profile covers.")
    found: dict[str, Any] = {}
    depth = row.get("depth")
    if depth is None and "llama-bench" in str(row.get("decode_kind")):
        depth = 0
    if depth is None and "input length 1;" in str(row.get("decode_kind")):
        depth = 1
    if depth is not None:
        found["depth_tokens"] = int(depth)
    if row.get("prompt_tokens"):
        found["prompt_tokens"] = int(row["prompt_tokens"])
    if row.get("gen_tokens"):
        found["generated_tokens"] = int(row["gen_tokens"])
    streams = row.get("concurrency")
    if streams is None:
        raise LeftOutError("The source does not state how many users it served at the same time.")
    if streams != 1:
        found["sequences"] = served(row)
    if kind != "f16":
        found["kv_dtype"] = kind
    chunk = micro_batch(row)
    if chunk:
        found["micro_batch_tokens"] = chunk
    return found


def all_instances(row: Row) -> Row:
    """Count the GPUs of all servers where a run of several lists those of one.

    >>> all_instances({"hardware": "2x RTX 3090", "gpus_total": 2, "notes": "run a/b_tp1x2_c1"})[
    ...     "hardware"
    ... ]
    '4x RTX 3090'
    """
    named = INSTANCES.search(row["notes"])
    count = int(named.group(1)) if named else 1
    if count == 1:
        return row
    gpus = count * int(row["gpus_total"])
    words = re.sub(r"^\d+x", f"{gpus}x", str(row["hardware"]))
    return {**row, "hardware": words, "gpus_total": gpus, "instances": count}


def micro_batch(row: Row) -> int:
    """Read how many tokens of a prompt a step reads, 0 where the row does not say.

    >>> micro_batch({"collection": "", "notes": "ub 2048, fa 1"})
    2048
    """
    stated = MICRO_BATCH.search(row["notes"])
    if stated:
        return int(stated.group(1))
    if row["collection"] == DGX_VLLM:
        return DGX_VLLM_TOKENS
    long = row["collection"].startswith(LONG_ROCM) and "ROCm" in row["runtime"]
    return LONG_ROCM_TOKENS if long and row["depth"] else 0


def server_cache(row: Row) -> str | None:
    """Type of the cache that a source states for its servers, outside of the row.

    >>> server_cache({"collection": DGX_VLLM, "source_url": "gemma-4-31b-it/bf16/01-chat.md"})
    'fp8'
    """
    ours = row["collection"] == DGX_VLLM and not DGX_FULL_CACHE.search(row["source_url"])
    return "fp8" if ours else None


def scatters(row: Row, value: float | None) -> bool:
    """Whether a figure's own repeats, as the source prints them, differ too much.

    >>> scatters({"quote": "pp1024 (c1) 2014.62 ± 372.58 | 23.88 ± 0.03"}, 2014.62)
    True
    """
    if not value:
        return False
    printed = re.search(rf"(?<![\d.]){value:.2f} ± ([\d.]+)", str(row.get("quote")))
    return printed is not None and float(printed.group(1)) > MOST_SCATTER * value


def served(row: Row) -> int:
    """Count the streams that were served at a time; requests beyond them waited for a slot.

    Tokens of all streams in a second, times the seconds between two tokens of one, are the streams
    that generated at the same time (Little's law). Only where a source states both.

    >>> served({"concurrency": 32, "aggregate_tps": 110.0, "notes": "itl_p50 71.79 ms"})
    8
    """
    asked: int = int(row["concurrency"])
    rate = row.get("aggregate_tps")
    between = BETWEEN_TOKENS.search(row["notes"])
    if not rate or between is None:
        return asked
    seconds = float(between.group(1)) / 1_000
    return min(asked, max(1, int(rate * seconds + 0.5)))


def timed(row: Row) -> str:
    """Say how decode was timed, from the source's own word for its figure."""
    words = str(row.get("decode_kind") or "").lower()
    if row.get("aggregate_tps") and OTHERS_PROMPTS in words and row.get("concurrency") != 1:
        return "end-to-end"
    if row.get("aggregate_tps") and "tpot" in words and row.get("concurrency") != 1:
        return "end-to-end"
    if STEADY.search(words) and not re.search(r"end to end", words):
        return "steady"
    if END_TO_END.search(words):
        return "end-to-end"
    if words == "none" or not words:
        return "steady" if "S_TG" in row["notes"] else "end-to-end"
    return "as-posted"


def figures(row: Row) -> dict[str, float]:
    """Map the figures; a range is its middle.

    Raises:
        LeftOutError: If nothing comparable is left.
    """
    found = _figures(row)
    if not found:
        raise LeftOutError("No figure is left that can be compared.")
    rough = _rough(row, found)
    if rough == found.keys():
        raise LeftOutError("The source's own repeats differ by more than a tenth.")
    return {name: value for name, value in found.items() if name not in rough}


def standing_note(row: Row) -> str:
    """Say what a repository says of its runs as a whole, which is no doubt about a figure."""
    experimental = "calls the folder experimental" in row["notes"]
    return "The repository calls these runs experimental." if experimental else ""


def rough_note(row: Row) -> str:
    """Say which figures of a row are left out because they were no steady rates."""
    words = [NAMES[name] for name in sorted(_rough(row, _figures(row)))]
    if not words:
        return ""
    left = ", ".join(words)
    return f"We left out {left}, because the source's own repeats differ by more than a tenth."


def _rough(row: Row, found: Mapping[str, float]) -> set[str]:
    """Name figures whose repeats scatter; of several streams one rate and the sum are the same."""
    rough = {name for name, value in found.items() if scatters(row, value)}
    if rough and row.get("concurrency") != 1:
        rough |= found.keys() & {"decode_tokens_per_s", "aggregate_tokens_per_s"}
    return rough


def _figures(row: Row) -> dict[str, float]:
    found: dict[str, float] = {}
    decode = row.get("decode_tps")
    if decode is None and row.get("decode_tps_range"):
        low, high = row["decode_tps_range"]
        decode = round((low + high) / 2, 3)
    if decode:
        found["decode_tokens_per_s"] = decode
    if row.get("aggregate_tps") and row.get("concurrency") != 1:
        found["aggregate_tokens_per_s"] = row["aggregate_tps"]
    elif row.get("aggregate_tps") and not decode:
        found["decode_tokens_per_s"] = row["aggregate_tps"]
    prompt = row.get("prompt_tps")
    long_enough = int(row.get("prompt_tokens") or 0) >= PROMPT_FLOOR_TOKENS
    cold = not CACHED.search(f"{row['notes']} {row.get('decode_kind')}")
    unverified = row["collection"].startswith("localmaxxing")
    single = row.get("concurrency") == 1
    if prompt and long_enough and cold and single and not unverified:
        found["prefill_tokens_per_s"] = prompt
    return found


def speculative(row: Row) -> str:
    """Name the method of speculative decoding, empty without; ``unknown`` where it may have been.

    >>> speculative({"spec_decode": "yes/unknown: composes", "model": "", "notes": ""})
    'unknown'
    >>> speculative({"spec_decode": "not stated in the excerpt (this compose uses MTP)"})
    'unknown'
    """
    for folder, method in DRAFTED.items():
        if folder in str(row.get("source_url")):
            return method
    stated = str(row.get("spec_decode") or "")
    if stated.startswith(("yes/unknown", "not stated")):
        return "unknown"
    named = re.search(r'"method": "(\w+)"', stated)
    if named:
        return named.group(1)
    if not stated and re.search(r"mtp-q|bf16-spec", f"{row.get('model')} {row.get('quant')}"):
        return "mtp"
    return stated[:40]


def doubt(row: Row) -> str:
    """Say what the source itself finds wrong with a figure, empty for nothing."""
    tokens, milliseconds = (
        re.search(rf'"{key}": ([\d.]+)', str(row.get("quote")))
        for key in ("avgOutputTokens", "avgTotalMs")
    )
    if tokens and milliseconds and row.get("decode_tps"):
        rate = 1_000 * float(tokens.group(1)) / float(milliseconds.group(1))
        if not 0.5 < rate / row["decode_tps"] < 2:
            own = f"its own token count and time give {rate:.1f} tokens/s"
            return f"The run contradicts itself: {own}."
    if "reported as a bug" in row["notes"]:
        return "The thread reports this speed as a bug."
    if "documentation written by AI" in row["notes"]:
        return "The repository says that a program produced its runs and texts."
    return ""

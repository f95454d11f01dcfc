"""InferenceX (once InferenceMAX): rows of ``agg_*.json``, times in seconds.

``…intvty`` are reciprocals of what stands beside them and are passed over: that of a p99 is the
rate of the slowest requests, that of a deviation means nothing.

Source:
    SemiAnalysisAI/InferenceX 843c6254, ``utils/process_result.py`` and
    ``docs/results-and-ingestion.md``; ``experimental/token_position_decode_slo``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from sitegen.importers import vllm
from sitegen.importers.figures import UNITS, in_milliseconds, positive, whole, words
from sitegen.importers.format import Format, Value
from sitegen.importers.measured import LatencyMs, NamedHardware, ToolRun, reported
from sitegen.importers.wanted import Kept

ROW = (
    "hw", "conc", "image", "model", "framework", "precision", "spec_decoding", "disagg", "isl",
    "osl", "is_multinode", "tp", "pp", "pcp_size", "ep", "num_prefill_gpu", "num_decode_gpu",
    "output_tput_per_gpu", "tput_per_gpu",
)  # fmt: skip
PATHS = (
    *ROW,
    *vllm.PATHS,
    *(f"{what}_{key}" for what in vllm.STATISTICS for key in vllm.KEYS.values()),
)
FRAMEWORKS = {
    "vllm": "vllm", "sglang": "sglang", "trt": "tensorrt-llm", "trtllm": "tensorrt-llm",
    "dynamo-trt": "dynamo", "dynamo-trtllm": "dynamo", "dynamo-vllm": "dynamo",
    "dynamo-sglang": "dynamo",
}  # fmt: skip


def recognises(kept: Kept) -> bool:
    """Tell by a rate per GPU, or by times whose names have no unit."""
    return "tput_per_gpu" in kept or ("median_ttft" in kept and "model_id" in kept)


def read(values: Iterable[Value]) -> Iterator[ToolRun]:
    """One run a row."""
    for line, found in values:
        yield _row(line, found) if "tput_per_gpu" in found else _whole(line, found)


def _latencies(kept: Kept) -> dict[str, LatencyMs]:
    latencies = {}
    for name, key in vllm.KEYS.items():
        mean, median, p50, p95, p99 = (
            in_milliseconds(kept, f"{what}_{key}", UNITS["inferencex"]) for what in vllm.STATISTICS
        )
        latencies[name] = LatencyMs(mean, median if p50 is None else p50, p95, p99)
    return reported(latencies)


def _decode(latencies: dict[str, LatencyMs]) -> tuple[float | None, str]:
    tpot = latencies.get("tpot", LatencyMs())
    if tpot.mean_ms:
        return 1_000 / tpot.mean_ms, "mean TPOT"
    return (1_000 / tpot.p50_ms if tpot.p50_ms else None), "median TPOT"


def _whole(line: int, kept: Kept) -> ToolRun:
    """Read a result before it became a row: totals of the whole system."""
    latencies = _latencies(kept)
    decode, decode_from = _decode(latencies)
    plain = vllm.run(line, kept)
    return replace(
        plain,
        latencies=latencies,
        decode_tokens_per_s=decode,
        decode_from=decode_from,
        percentiles_from="tool",
    )


def _row(line: int, kept: Kept) -> ToolRun:
    latencies = _latencies(kept)
    decode, decode_from = _decode(latencies)
    apart = kept.get("disagg") is True
    tensor, pipeline = whole(kept, "tp") or 1, whole(kept, "pp") or 1
    gpus = tensor * pipeline * (whole(kept, "pcp_size") or 1)
    counted = gpus
    if kept.get("is_multinode") is True:
        decoding = whole(kept, "num_decode_gpu") or 0
        gpus = (whole(kept, "num_prefill_gpu") or 0) + decoding
        counted = decoding or gpus
    rate = positive(kept, "output_tput_per_gpu")
    prompt, generated = whole(kept, "isl"), whole(kept, "osl")
    version = re.search(r":v?(\d+(?:\.\d+)+)", words(kept, "image"))
    method = words(kept, "spec_decoding")
    return ToolRun(
        line=line,
        model=words(kept, "model"),
        quantization=words(kept, "precision"),
        runtime=FRAMEWORKS.get(words(kept, "framework"), ""),
        runtime_version=version[1] if version else "",
        hardware=(NamedHardware(re.split(r"[-_]", words(kept, "hw"))[0], gpus),) if gpus else (),
        concurrency=whole(kept, "conc") or None,
        depth_tokens=prompt,
        prompt_tokens=prompt,
        generated_tokens=generated,
        decode_tokens_per_s=decode,
        decode_from=decode_from,
        aggregate_tokens_per_s=None if rate is None else rate * counted,
        latencies=latencies,
        tensor=None if apart else tensor,
        pipeline=None if apart or pipeline == 1 else pipeline,
        expert=not apart and (whole(kept, "ep") or 1) > 1,
        speculative=""
        if method in {"", "none"}
        else re.sub(r"[^a-z0-9_-]", "", method.lower())[:40],
        notes=("Prefill and decode had GPUs of their own.",) if apart else (),
        doubts=("the row does not say how many requests failed, nor how long it ran",),
    )


FORMAT = Format("inferencex", "InferenceX", PATHS, recognises, read)

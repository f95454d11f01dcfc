"""LocalScore: what its client posts. One stream on one GPU, averages only.

Source:
    cjpais/LocalScore ef2c21f, ``src/pages/api/results.ts``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sitegen.importers.figures import UNITS, in_milliseconds, inside, positive, whole, words
from sitegen.importers.format import Format, Value, alike
from sitegen.importers.measured import LatencyMs, NamedHardware, ToolRun, reported
from sitegen.importers.wanted import Kept

RESULT = (
    "model_name", "model_quant_str", "n_prompt", "n_gen", "prompt_tps", "gen_tps", "ttft_ms",
)  # fmt: skip
PATHS = (
    "accelerator_info.name", "accelerator_info.type", "runtime_info.name", "runtime_info.version",
    "runtime_info.commit", "results_summary.performance_score",
    *(f"results[].{key}" for key in RESULT),
)  # fmt: skip
RUNTIMES = {"llamafile": "llama-cpp", "llama.cpp": "llama-cpp"}


def recognises(kept: Kept) -> bool:
    """Tell by the score."""
    return "results" in kept and "performance_score" in inside(kept, "results_summary")


def read(values: Iterable[Value]) -> Iterator[ToolRun]:
    """One run for each test."""
    for line, found in alike(values, recognises):
        about, runtime = inside(found, "accelerator_info"), inside(found, "runtime_info")
        for result in found["results"]:
            yield _run(line, result, about, runtime)


def _run(line: int, result: Kept, about: Mapping[str, Any], runtime: Mapping[str, Any]) -> ToolRun:
    first_token = in_milliseconds(result, "ttft_ms", UNITS["localscore"])
    name = re.sub(r"[^A-Za-z0-9. ]", "", words(runtime, "name"))[:40]
    version, commit = words(runtime, "version"), words(runtime, "commit")
    known = re.fullmatch(r"[0-9A-Za-z.+-]{1,40}", version)
    build = f"{name} {version if known else ''}".strip()
    if re.fullmatch(r"[0-9a-f]{7,40}", commit):
        build += f" ({commit})"
    on_gpu = words(about, "type") == "GPU"
    return ToolRun(
        line=line,
        model=words(result, "model_name"),
        quantization=words(result, "model_quant_str"),
        runtime=RUNTIMES.get(name.lower(), ""),
        build=build,
        hardware=(NamedHardware(words(about, "name")),) if words(about, "name") else (),
        concurrency=1,
        depth_tokens=whole(result, "n_prompt"),
        prompt_tokens=whole(result, "n_prompt") or None,
        generated_tokens=whole(result, "n_gen") or None,
        decode_tokens_per_s=positive(result, "gen_tps"),
        prefill_tokens_per_s=positive(result, "prompt_tps"),
        timed="steady",
        latencies=reported({"ttft": LatencyMs(mean_ms=first_token)}),
        refused=() if on_gpu else ("it ran without a GPU",),
    )


FORMAT = Format("localscore", "LocalScore", PATHS, recognises, read)

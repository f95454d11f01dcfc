"""A memory record of what a server logged while it started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from sitegen.catalog.kinds import Kind
from sitegen.importers.record import LONGEST_ID, RunChoice, flow
from sitegen.importers.startup_log import StartupLog, quote

DIGITS = 2
PAGED = (
    ("weights", ("weights_gib",)),
    ("kv-per-token", ("kv_pool_gib", "kv_pool_tokens")),
    ("kv-tokens", ("kv_pool_gib", "kv_pool_tokens")),
    ("pool-tokens", ("kv_pool_tokens",)),
    ("kv-pool", ("kv_pool_gib",)),
    ("activation", ("activation_gib",)),
    ("non-torch", ("non_torch_gib",)),
    ("graphs", ("graphs_gib",)),
)
"""Quantities of a record by the figures that they are checked with."""
SPLIT = (
    ("model-buffers", "model_gpu_mib"),
    ("kv-buffers", "kv_mib"),
    ("compute-buffers", "compute_gpu_mib"),
)
WORKLOAD = ("context_tokens", "sequences", "keys", "values")
SETTINGS = (
    "memory_fraction", "max_num_seqs", "max_num_batched_tokens", "eager", "micro_batch_tokens",
    "flash_attention", "gpu_layers", "layers",
)  # fmt: skip


def record_id(choice: RunChoice, text: str) -> str:
    """Name a record by what started where, and by the log."""
    what = f"{choice.model}-starts-on-{choice.combo}"[:LONGEST_ID].rstrip("-.")
    return f"{what}-{_digest(text)}"


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8")).hexdigest()[:8]


def record_text(log: StartupLog, choice: RunChoice, text: str) -> str:
    """Write the record of a log; ``text`` is the whole of it, whose hash names the run."""
    run = {
        "id": f"start-{_digest(text)}",
        "subject": _kept(
            model=choice.model,
            checkpoint=choice.checkpoint,
            quantization=choice.quantization,
            runtime=choice.runtime,
            version=choice.version or log.version,
        ),
        "system": _kept(nodes=list(choice.nodes), network=choice.network),
        "parallel": _kept(**_split(log, choice)),
        "workload": _kept(**{name: log.words.get(name) for name in WORKLOAD}),
        "settings": {name: log.words[name] for name in SETTINGS if log.words.get(name)},
        "observed": _observed(log),
        "outcome": "failed" if log.failed else "ran",
        "usable_for": [*_quantities(log), "verdict"],
        "quote": quote(log) or log.failed or "figures of the log",
        "notes": choice.said.notes,
    }
    title = choice.said.title or choice.said.source or f"Own start, log {_digest(text)}"
    date, read = choice.said.date, choice.said.read or choice.said.date
    out = [
        Kind.MEASUREMENT.modeline,
        *([f"date: '{date}'"] if date else []),
        "runs:",
        f"  - {flow({name: value for name, value in run.items() if value})}",
        "sources:",
        f"  - {flow({'title': title[:200], 'url': choice.said.source, 'read': read})}",
    ]
    return "\n".join(out) + "\n"


def _split(log: StartupLog, choice: RunChoice) -> Mapping[str, object]:
    """Name the sizes: as the log does, else as the editor said; llama.cpp lays layers out."""
    if log.runtime == "llama-cpp":
        return {}
    said = choice.said
    found = {
        "tensor": said.tensor_parallel or log.words.get("tensor") or (1 if choice.gpus == 1 else 0),
        "pipeline": said.pipeline_parallel or log.words.get("pipeline"),
        "data": said.data_parallel or log.words.get("data"),
    }
    return {
        name: value for name, value in found.items() if value and (name == "tensor" or value != 1)
    }


def _observed(log: StartupLog) -> Mapping[str, Any]:
    found: dict[str, Any] = {name: _rounded(value) for name, value in log.figures.items()}
    if "kv_pool_tokens" in found:
        found["kv_pool_tokens"] = int(found["kv_pool_tokens"])
    for kind, devices in log.lists.items():
        found[kind] = [_rounded(value) for value in devices.values()]
    return found


def _quantities(log: StartupLog) -> Sequence[str]:
    """List what the figures can check."""
    if log.runtime == "llama-cpp":
        return [name for name, kind in SPLIT if log.lists.get(kind)]
    return [name for name, needed in PAGED if all(one in log.figures for one in needed)]


def _kept(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value or value is False}


def _rounded(value: float) -> float:
    return round(value, DIGITS + 2)

"""Startup logs of serving engines (vLLM and its kin) as runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.measurements import names
from benchmarks.measurements.parts import (
    LONGEST_NOTE,
    Entry,
    Gaps,
    Unusable,
    filled,
    short,
)
from benchmarks.measurements.world import World
from sitegen.catalog.domain.models import Checkpoint, LanguageModel
from sitegen.physics.cache_types import PLAIN, SPELLINGS

Log = Mapping[str, Any]

RUNTIMES = {
    "vllm": ("vllm", ""),
    "sglang": ("sglang", ""),
    "tensorrt-llm": ("tensorrt-llm", ""),
    "aphrodite": ("vllm", "Aphrodite"),
    "lmdeploy": ("vllm", "LMDeploy"),
}
"""Runtime of the catalog, and the program's name where it follows that runtime's rules."""
FORKS = (("gfx906", "vLLM for gfx906"), ("vLLM-2080Ti", "vLLM for RTX 2080 Ti"))
"""Forks of vLLM by a mark of their address: other kernels, other memory."""
OUTCOMES = {
    "ran": ("ran", None),
    "unknown": ("unknown", None),
    "kv_too_small": ("failed", "cache"),
    "oom_load": ("failed", "load"),
    "oom_profile": ("failed", "profile"),
    "oom_capture": ("failed", "capture"),
}
LAUNCHED_WITH = {"qwen36-27b-int4-2x3090-club642": 2}
"""Sequences that a repository's own launch of the model asks for, where a log leaves them out
(`max_num_seqs` of its two-GPU launch, noonghunna/club-3090 issue 104)."""
USABLE = {
    "weights": "weights",
    "kv_bytes_per_token": "kv-per-token",
    "kv_tokens": "kv-tokens",
    "activation": "activation",
    "verdict": "verdict",
}
ORDER = (
    "weights", "kv-per-token", "kv-tokens", "pool-tokens", "kv-pool", "activation", "non-torch",
    "graphs", "verdict",
)  # fmt: skip
OF_WEIGHTS = ("weights", "pool-tokens", "kv-pool", "verdict")
OF_SPLIT = (
    "weights", "kv-per-token", "kv-tokens", "pool-tokens", "kv-pool", "activation", "non-torch",
    "graphs", "verdict",
)  # fmt: skip
OF_GPU = ("pool-tokens", "kv-pool", "activation", "non-torch", "graphs", "verdict")
OF_VERSION = ("pool-tokens", "kv-pool", "activation", "non-torch", "graphs")
OF_CACHE = ("kv-per-token", "kv-tokens", "pool-tokens", "verdict")
"""Quantities that need checkpoint, split, GPU, version, KV dtype."""

NVFP4_SCOPE = "each NVFP4 file leaves different groups unquantized"
BLOCK_TOKENS = 16
CONFIRMED = 0.02
"""Share by which tokens and concurrency × length may differ: concurrency has two decimals."""
AZURE_H100 = "H100 NVL"
"""What Azure's NC H100 v5 machines hold: 94 GB a GPU."""
H20_141 = ("H20 141GB", 139.7)
"""A GPU as the log names it, with the GiB that the runtime shows of it."""
LARGER_H20 = frozenset({"qwen3coder480b-fp8-8h20-dp8", "qwen3coder480b-fp8-8h20-dp8-095"})
"""Logs that name an H20 and whose weights and pool together exceed the one of 96 GB."""


def _is_of(listed: Checkpoint, name: str) -> bool:
    """Whether a log's file is the listed one: each maker of NVFP4 keeps other layers at 16 bits."""
    return listed.repository.lower() == name.lower() or bool(listed.repository and "/" not in name)


@dataclass(slots=True)
class Served:
    """One log, turned into the keys of a run step by step."""

    world: World
    log: Log
    gaps: Gaps
    assumed: list[str]

    def run(self) -> Entry:
        """Return the run.

        Raises:
            Unusable: If nothing can be compared.
        """
        log = self.log
        model = self.world.model(log["model"])
        runtime, program = RUNTIMES[log["runtime"]]
        told = f"{log['source_url']} {log['notes']}"
        program = next((name for mark, name in FORKS if mark in told), program)
        version, build = self._version()
        tensor = self._tensor()
        checkpoint = self._checkpoint(model, tensor)
        observed = self._observed()
        system = self._system(tensor)
        settings = self._settings()
        outcome, stage = self._outcome()
        subject = {
            "model": model.id,
            **checkpoint,
            "runtime": runtime,
            "version": version,
            "build": build,
        }
        workload = self._workload()
        usable = self._usable(observed)
        unsaid, uncovered = self.gaps.among(usable)
        return filled(
            {
                "id": slug(log["id"]),
                "subject": filled(subject),
                "program": program,
                "date": log["date"],
                "system": system,
                "parallel": filled(
                    {
                        "tensor": tensor,
                        "pipeline": log["pp"],
                        "data": log["dp"],
                        "expert": bool(log["ep"]),
                    }
                ),
                "workload": workload,
                "settings": settings,
                "assumed": sorted(set(self.assumed)),
                "observed": observed,
                "outcome": outcome,
                "stage": stage,
                "usable_for": usable,
                "unsaid": unsaid,
                "uncovered": uncovered,
                "quote": short(log["quote"]) or short(log["notes"]) or "no line quoted",
                "notes": short(log["notes"], LONGEST_NOTE),
            }
        )

    def _version(self) -> tuple[str, str]:
        log = self.log
        stated = log["runtime_version"]
        if log["runtime"] != "vllm":
            found = names.version(stated, None)
            return ("" if found.startswith("0.0") else found), stated or ""
        found = names.version(stated, log["notes"])
        if found or stated:
            if not found:
                self.gaps.unsay(OF_VERSION, "version not stated in numbers")
            return found, stated if stated and stated != found else ""
        if names.V0_LINES.search(log["quote"] or "") and log["activation_peak_gib"]:
            self.assumed.append("version")
            return "0.7", ""
        guessed = names.version_of_day(log["date"])
        if guessed:
            self.assumed.append("version")
        else:
            self.gaps.unsay(OF_VERSION, "version not stated")
        return guessed, ""

    def _checkpoint(self, model: LanguageModel, tensor: int | None) -> Entry:
        """The checkpoint; one of unknown scope has the size of the weights that the log shows."""
        log = self.log
        name, stated = str(log["model"]), log["quantization"]
        recipe = names.quantization_id(stated, name)
        if "unsloth-bnb" in name:
            self.gaps.unsay(
                OF_WEIGHTS, ("custom mix of types: the name does not state the types of its layers")
            )
            return {}
        if recipe is None and (stated is not None or "/" not in name):
            if stated is None:
                self.gaps.unsay(OF_WEIGHTS, "neither quantization nor repository stated")
            else:
                self.gaps.uncover(OF_WEIGHTS, f"no quantization record for {stated[:40]}")
            return {}
        found = self.world.checkpoint(model, recipe, name)
        if recipe == "nvfp4" and (found is None or not _is_of(found, name)):
            self.gaps.uncover(("weights",), NVFP4_SCOPE)
            if log["weights_gib_per_gpu"] and tensor is not None:
                self.assumed.append("file")
                return {"quantization": recipe}
            self.gaps.uncover(OF_WEIGHTS, NVFP4_SCOPE)
            return {}
        return {"checkpoint": found.id} if found is not None else self._made(recipe or "bf16")

    def _made(self, recipe: str) -> Entry:
        if recipe in self.world.catalog.quantizations:
            return {"quantization": recipe}
        self.gaps.uncover(OF_WEIGHTS, f"no quantization record for {recipe}")
        return {}

    def _tensor(self) -> int | None:
        log = self.log
        if log["tp"] is not None:
            # SGLang's --tp counts all ranks; with --enable-dp-attention each copy has a share.
            inner = log["runtime"] == "sglang" and (log["dp"] or 1) > 1
            inner &= log["tp"] == log["gpus_total"]
            return int(log["tp"]) // (int(log["dp"]) if inner else 1)
        gpus, pipeline, data = log["gpus_total"], log["pp"] or 1, log["dp"] or 1
        if gpus is not None and log["runtime"] != "tensorrt-llm" and gpus % (pipeline * data) == 0:
            if gpus > 1:
                self.assumed.append("tensor")
            return int(gpus // (pipeline * data))
        self.gaps.unsay(OF_SPLIT, "tensor parallel size not stated")
        return None

    def _system(self, tensor: int | None) -> Entry:
        log = self.log
        word, shown = log["gpu"], log["gpu_mem_total_gib"]
        if "H100_v5" in (log["notes"] or ""):
            word, shown = AZURE_H100, None
        if log["id"] in LARGER_H20:
            word, shown = H20_141
        try:
            gpu, assumed = self.world.gpus(word, shown)
            visible = self.world.visible(gpu, shown, assumed=assumed)
        except Unusable as gap:
            note = self.gaps.uncover if gap.says_enough else self.gaps.unsay
            note(OF_GPU, str(gap))
            return {}
        if assumed:
            self.assumed.append("gpu")
        ranks = (tensor or 1) * (log["pp"] or 1) * (log["dp"] or 1)
        system = self.world.system([gpu] * ranks, log["nodes"] or 1, [word or ""])
        return filled({**system, "visible_gib": visible})

    def _workload(self) -> Entry:
        log = self.log
        stated = (log["kv_cache_dtype"] or "").removesuffix(" (bf16)")
        word = SPELLINGS.get(stated, stated)
        if word == PLAIN and log["quantization"] == "float32":
            word = stated  # as wide as the computation, which is not 16 bits
        if stated and stated not in SPELLINGS:
            self.gaps.uncover(OF_CACHE, f"no formula for a cache in {stated[:30]}")
        return filled({"context_tokens": log["max_model_len"], "keys": word})

    def _settings(self) -> Entry:
        log = self.log
        seqs, tokens = log["max_num_seqs"], log["max_num_batched_tokens"]
        fraction = log["gpu_memory_utilization"]
        swept = re.search(r"util (0\.\d+) is the sweep default", log["notes"] or "")
        if fraction is None and swept:
            fraction = float(swept[1])
            self.assumed.append("fraction")
        seqs = seqs or LAUNCHED_WITH.get(log["id"])
        return filled(
            {
                "memory_fraction": fraction if fraction and 0 < fraction <= 1 else None,
                "max_num_seqs": seqs,
                "max_num_batched_tokens": tokens,
                "eager": bool(log["enforce_eager"]),
            }
        )

    def _observed(self) -> Entry:
        log = self.log
        need = re.search(r"need_gib_for_max_model_len=([\d.]+)", log["notes"] or "")
        pool = log["kv_available_gib_per_gpu"]
        return {
            key: value
            for key, value in {
                "weights_gib": log["weights_gib_per_gpu"],
                "non_torch_gib": log["non_torch_gib"],
                "activation_gib": log["activation_peak_gib"],
                "graphs_gib": log["cudagraph_gib"],
                "kv_pool_gib": pool,
                "kv_pool_tokens": self._tokens(),
                "kv_request_gib": float(need.group(1)) if need else None,
                "file_gib": self._file_gib(),
            }.items()
            if value is not None
        }

    def _file_gib(self) -> float | None:
        """Weights of all ranks, where they stand for a file of unknown scope."""
        log, ranks = self.log, (self.log["tp"] or self.log["gpus_total"] or 1)
        if "file" not in self.assumed:
            return None
        return float(round(log["weights_gib_per_gpu"] * ranks * (log["pp"] or 1), 2))

    def _tokens(self) -> int | None:
        """Tokens of the pool, or blocks of 16 where the logged concurrency confirms them."""
        log = self.log
        if log["kv_cache_tokens"]:
            return int(log["kv_cache_tokens"])
        blocks, length = log["gpu_blocks"], log["max_model_len"]
        if not blocks:
            return None
        tokens = int(blocks) * int(log["block_size"] or BLOCK_TOKENS)
        seen = log["max_concurrency"]
        if log["block_size"] is None and seen and length:
            expected = float(seen) * int(length)
            return tokens if abs(tokens - expected) <= CONFIRMED * expected else None
        return tokens

    def _outcome(self) -> tuple[str, str | None]:
        log = self.log
        if log["outcome"] == "unknown" and (log["notes"] or "").startswith("DOES NOT FIT"):
            return "failed", None
        return OUTCOMES[log["outcome"]]

    def _usable(self, observed: Entry) -> list[str]:
        log = self.log
        found = {USABLE[word] for word in log["usable"]}
        if "weights_gib" not in observed:
            found.discard("weights")
        if "activation_gib" not in observed:
            found.discard("activation")
        if not observed.keys() & {"kv_pool_gib", "kv_request_gib"}:
            self.gaps.unsay(
                ("kv-per-token",),
                "the record gives bytes per token, but does not say for which ranks",
            )
        if observed.get("kv_pool_gib", 0) > 0:
            found.add("kv-pool")
        if "kv_pool_tokens" in observed and "kv-tokens" in found:
            found.add("pool-tokens")
        elif "kv-tokens" in found:
            self.gaps.unsay(
                ("kv-tokens",),
                "the record states no token count, or counts KV blocks without stating their size",
            )
        if observed.get("non_torch_gib", 0) > 0:
            found.add("non-torch")
        if observed.get("graphs_gib", 0) > 0:
            found.add("graphs")
        return [quantity for quantity in ORDER if quantity in found]


def slug(name: str) -> str:
    """Turn a log's id into one of the catalog.

    >>> slug("A0002"), slug("x_y (z)")
    ('a0002', 'x-y-z')
    """
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")[:80]

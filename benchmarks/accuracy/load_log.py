"""One load log of llama.cpp or its kin: what it says, as catalog entries and settings."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchmarks.accuracy import names
from benchmarks.accuracy.results import Comparison, Unmapped
from benchmarks.accuracy.world import STAND_IN, World, combo_of
from sitegen.catalog.domain.hardware import InstalledGpu
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Runtime, RuntimeProfile
from sitegen.catalog.domain.provenance import Interval
from sitegen.engine import kernel
from sitegen.engine.assessment import Settings, Workload
from sitegen.engine.devices import exact_set
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.layer_split import LayerSplitEngine
from sitegen.engine.prepared import Subject
from sitegen.engine.profiles import profile_of
from sitegen.engine.split_replica import SplitReplica
from sitegen.units import MIB

HALF_BITS = {
    "f32": 64, "f16": 32, "bf16": 32, "q8_0": 17, "q5_1": 12, "q5_0": 11, "q4_1": 10, "q4_0": 9,
    "iq4_nl": 9,
}  # fmt: skip
"""KV dtypes in half bits per element (ggml block table)."""

FLASH = {"1": 1, "on": 1, "true": 1, "0": 0, "off": 0, "false": 0}
LENIENT_CONTEXT = 1_024
"""Context of a failure whose context is not stated: the fewer tokens, the stricter the test."""
OWN_MIX = re.compile(
    r"UD-|THIREUS|ubergarm|_R4|I?Q\d_K[ST]|KSS|turbo|QAT|_L$|mix|SPECIAL", re.IGNORECASE
)
"""Marks of files whose tensor types follow their maker's own rules."""
IK = {"graph_copies": 1, "expert_glu_tensors": [1, 1, 1], "glu_tensors": [2, 2, 2]}
"""What ik_llama.cpp does otherwise: one copy of the graph, feed-forward and experts fused."""
SHOWN = (("ctx", "n_ctx"), ("ub", "n_ubatch"), ("FA", "flash_attn"), ("K", "kv_type_k"))
"""Settings that a line of the report repeats."""

ERAS = (("2024-03-13", "1700"), ("2025-08-30", "5000"), ("2026-05-29", "8000"))
"""Day on which a behaviour changed (pull requests 6017, 15434, 23861) and a build before it."""
OLD_BUILD = 6_300
"""Builds from before flash attention was the default are reported apart."""

Record = Mapping[str, Any]


@dataclass(frozen=True)
class LoadLog:
    """One record, resolved as far as somebody asks; every step may raise ``Unmapped``."""

    engine: FitEngine
    world: World
    record: Record

    @cached_property
    def kin(self) -> str:
        """The runtime without its build: ``llama.cpp``, ``ik_llama.cpp``, ``ollama`` and so on.

        Builds of other eras than today's are named apart.
        """
        word = str(self.record["runtime"]).split(" ")[0].split("/")[-1]
        if "turboquant" in str(self.record["runtime"]):
            return "llama.cpp fork"
        if word != "llama.cpp" or self.profile.until == "":
            return word
        until = int(self.profile.until)
        return f"llama.cpp before b{until}" if until <= OLD_BUILD else word

    @cached_property
    def runtime(self) -> Runtime:
        """llama.cpp, whose memory model its kin are compared with."""
        return self.world.catalog.runtimes["llama-cpp"]

    @cached_property
    def profile(self) -> RuntimeProfile:
        """The profile of the build, or of the day where the log does not say its build."""
        build = names.build_number(self.record["runtime_version"])
        llama = "ik_llama" not in str(self.record["runtime"])
        found = profile_of(self.runtime, str(build) if build is not None and llama else self._era)
        if found is None:
            raise Unmapped("no memory profile")
        return found

    @property
    def _era(self) -> str:
        """A build of the record's day; today's where it has none. Only the server limits logits."""
        day = str(self.record["date"] or "")
        for last, build in ERAS:
            if day and day < last:
                return build
        server = "server" in str(self.record["runtime"]).lower()
        return "9500" if day and server else ""

    @cached_property
    def model(self) -> LanguageModel:
        """The model of the catalog or of the folder of configs."""
        return self.world.model(self.record["model"])

    @cached_property
    def checkpoint(self) -> Checkpoint:
        """The GGUF file that the log loads."""
        stated = self.record["quant"]
        if stated is None:
            raise Unmapped("quantization not stated")
        marks = " ".join(str(self.record[k] or "") for k in ("quant", "model_file", "author"))
        if self.kin == "ik_llama.cpp":
            raise Unmapped("ik_llama.cpp quantizes by rules of its own")
        found = names.gguf_id(stated)
        if found is None or OWN_MIX.search(marks):
            raise Unmapped("a mix of its maker")
        return self.world.checkpoint(self.model, found)

    @property
    def file_of_any_type(self) -> Checkpoint:
        """A 16-bit file of the model: for cache and graph, which no file type changes."""
        return self.world.checkpoint(self.model, "gguf-f16")

    @property
    def nearest_file(self) -> Checkpoint:
        """The file type that the log names, whoever mixed it: for the size of one tensor."""
        found = names.gguf_id(str(self.record["quant"] or ""))
        if found is None:
            raise Unmapped("quantization not stated")
        return self.world.checkpoint(self.model, found)

    def subject(self, checkpoint: Checkpoint) -> Subject:
        """The question to the engine, hardware apart."""
        return Subject(self.model, checkpoint, self.runtime, self.profile)

    @cached_property
    def gpus(self) -> tuple[InstalledGpu, ...]:
        """The GPUs in the order of the log."""
        stated = self.record["gpus"]
        if not stated:
            raise Unmapped("GPU not named")
        return tuple(self.world.gpu(word, None) for word in stated)

    @cached_property
    def sequences(self) -> int:
        """Sequences that the cache is split for."""
        return int(self.record["n_seq"] or 1)

    @cached_property
    def context(self) -> int:
        """Tokens of the whole cache, as stated or as the logged cache reveals."""
        stated = self.record["n_ctx"]
        if stated is None:
            return self._context_of_cache()
        return int(stated)

    def _context_of_cache(self) -> int:
        """Find the context whose cache has the logged size."""
        logged = sum(float(b["mib"]) for b in self.record["kv_buffer_mib"])
        replica = self.layout(self.file_of_any_type, 1)
        step, longest = replica.constants["cell_multiple"], self.model.context_tokens
        steps = range(step, max(longest, step) + 1, step)
        at = bisect_left(steps, logged, key=lambda tokens: self.cache_mib(replica, tokens))
        if logged == 0 or at == len(steps):
            raise Unmapped("context not stated")
        if abs(self.cache_mib(replica, steps[at]) - logged) > 1:
            raise Unmapped("context not stated")
        return steps[at]

    def cache_mib(self, replica: SplitReplica, tokens: int) -> float:
        """Cache and state of a context on one device."""
        parts = self.parts_of(replica, 0, tokens)
        return (parts["kv"] + parts["state"]) / MIB

    @cached_property
    def kv_bits(self) -> tuple[int, int]:
        """Half bits per element of keys and of values."""
        stated = [str(self.record[k] or "f16") for k in ("kv_type_k", "kv_type_v")]
        if not all(word in HALF_BITS for word in stated):
            raise Unmapped("no formula for this KV dtype")
        return HALF_BITS[stated[0]], HALF_BITS[stated[1]]

    @cached_property
    def flash(self) -> int:
        """1 with flash attention, 0 without; the runtime's default where not stated."""
        stated = self.record["flash_attn"]
        if stated is not None:
            return FLASH[str(stated)]
        return int(self.profile.flags["flash_attention"])

    @cached_property
    def micro_batch(self) -> int:
        """Tokens per step; the runtime's default where not stated."""
        return int(
            self.record["n_ubatch"] or self.profile.constants["micro_batch_tokens"].value.mid
        )

    def layout(
        self, checkpoint: Checkpoint, devices: int, *, experts_on_host: bool = False
    ) -> SplitReplica:
        """Lay a checkpoint out on equal GPUs; sums over GPUs do not depend on which."""
        prepared = self.engine.prepare(self.subject(checkpoint))
        assert isinstance(prepared.memory, LayerSplitEngine)  # noqa: S101 - its memory model
        combo = combo_of((self.world.gpu(STAND_IN, None),) * devices, 1, self.world.catalog)
        found = exact_set(combo, devices, self.engine.assumptions)
        workload = Workload(self.context_or_any, self.sequences, "f16")
        moved = prepared.coefficients.architecture.layers if experts_on_host else 0
        return prepared.memory.replica(
            prepared.coefficients, found, workload, Settings(), cpu_expert_layers=moved
        )

    @property
    def context_or_any(self) -> int:
        """The context, or a short one where it is not stated and does not matter."""
        return int(self.record["n_ctx"] or LENIENT_CONTEXT)

    def parts(
        self, checkpoint: Checkpoint, devices: int, index: int, *, experts_on_host: bool = False
    ) -> Mapping[str, int]:
        """What one of equal GPUs holds, in bytes."""
        replica = self.layout(checkpoint, devices, experts_on_host=experts_on_host)
        return self.parts_of(replica, index, self.context)

    def parts_at(
        self, checkpoint: Checkpoint, devices: int, index: int, tokens: int
    ) -> Mapping[str, int]:
        """What one of equal GPUs holds at a context, in bytes."""
        return self.parts_of(self.layout(checkpoint, devices), index, tokens)

    def parts_of(self, replica: SplitReplica, index: int, tokens: int) -> Mapping[str, int]:
        """What one device of a layout holds at a context, in bytes."""
        constants = {**replica.constants, "split_cache": 0}  # the server's default is one pool
        if self.kin == "ik_llama.cpp":
            constants |= IK
        layout = dict(replica.layout)
        if self.kin == "ik_llama.cpp":
            layout["pipelined"] = 0
        parts: Mapping[str, int] = kernel.split_parts(
            replica.coefficients.numbers, constants, layout, index, tokens,
            self.sequences, self.micro_batch, *self.kv_bits, self.flash,
        )  # fmt: skip
        return parts

    def compared(
        self,
        quantity: str,
        measured: float,
        predicted: float,
        low: float | None = None,
        high: float | None = None,
    ) -> Comparison:
        """Put a logged figure in MiB beside the engine's."""
        record = self.record
        words = [record["model"], record["quant"], f"{record['gpus_total']} GPUs"]
        words += [f"{name} {record[key]}" for name, key in SHOWN if record[key] is not None]
        low = 0.95 * predicted if low is None else low
        high = 1.05 * predicted if high is None else high
        return Comparison(
            str(record["id"]), self.kin, quantity, measured, Interval(low, predicted, high),
            ", ".join(str(word) for word in words if word),
        )  # fmt: skip

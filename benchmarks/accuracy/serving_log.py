"""One start-up log of a serving engine: what it says, as catalog entries and settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchmarks.accuracy import names
from benchmarks.accuracy.results import Comparison, Unmapped
from benchmarks.accuracy.world import STAND_IN, World, combo_of
from sitegen.catalog.domain.hardware import Combo, InstalledGpu
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Runtime, RuntimeProfile
from sitegen.catalog.domain.provenance import Interval
from sitegen.engine.assessment import Settings, Workload
from sitegen.engine.devices import exact_set
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.paged import PagedEngine
from sitegen.engine.paged_replica import PagedReplica
from sitegen.engine.prepared import Subject
from sitegen.engine.profiles import profile_of

KV_DTYPES = {
    "auto": "f16", "bfloat16": "f16", "fp16": "f16",
    "fp8": "fp8", "fp8_e4m3": "fp8", "fp8_e5m2": "fp8",
}  # fmt: skip
AZURE_H100 = "H100 NVL"
"""What Azure's NC H100 v5 machines hold: 94 GB a GPU."""
FIRST_DEFAULTS = "0.8"
"""First version whose scheduler defaults the catalog knows."""


Record = Mapping[str, Any]

NEEDS = {
    "weights per GPU": ("weights", "weights_gib_per_gpu"),
    "KV bytes per token": ("kv_bytes_per_token", ""),
    "KV tokens of the logged pool": ("kv_tokens", "kv_cache_tokens"),
    "KV pool": ("", "kv_available_gib_per_gpu"),
    "activation peak": ("activation", "activation_peak_gib"),
    "non-torch": ("", "non_torch_gib"),
    "CUDA graphs": ("", "cudagraph_gib"),
    "verdict": ("verdict", ""),
}
"""What a record's ``usable`` must name, and the field that must be filled, by quantity."""


def dotted(version: str) -> tuple[int, ...]:
    """Read a version for comparison."""
    return tuple(int(part) for part in version.split("."))


@dataclass(frozen=True)
class ServingLog:
    """One record, resolved as far as somebody asks; every step may raise ``Unmapped``."""

    engine: FitEngine
    world: World
    record: Record

    def has(self, quantity: str) -> bool:
        """Whether the record can check a quantity, by its own word and by its figures."""
        usable, field = NEEDS[quantity]
        filled = field == "" or self.record.get(field) is not None
        return filled and (usable == "" or usable in tuple(self.record["usable"]))

    @property
    def is_vllm(self) -> bool:
        """Whether the runtime is the one with a paged memory profile."""
        return bool(self.record["runtime"] == "vllm")

    @cached_property
    def version(self) -> str:
        """Dotted numbers, empty where the log names none."""
        return names.version(self.record["runtime_version"], self.record["notes"])

    @cached_property
    def runtime(self) -> Runtime:
        """vLLM, whose rules for weights and KV cache the other engines share."""
        return self.world.catalog.runtimes["vllm"]

    @cached_property
    def profile(self) -> RuntimeProfile:
        """The profile of the version; what no version changes is asked of the assessed one."""
        found = profile_of(self.runtime, self.version) if self.is_vllm else profile_of(self.runtime)
        if found is None:
            raise Unmapped("no memory profile of this version")
        return found

    @cached_property
    def model(self) -> LanguageModel:
        """The model of the catalog or of the folder of configs."""
        return self.world.model(self.record["model"])

    @cached_property
    def quantization(self) -> str | None:
        """The recipe's id; None where the repository is the model's own."""
        stated, model = self.record["quantization"], str(self.record["model"])
        found = names.quantization_id(stated, model)
        if stated is None and found is None and "/" not in model:
            raise Unmapped("neither quantization nor repository stated")
        if found is None and stated is not None:
            raise Unmapped("no recipe for this quantization")
        return found

    @cached_property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint that the log loads."""
        found = self.world.checkpoint(self.model, self.quantization)
        published = found in self.model.checkpoints
        if found.quantization.format == "nvfp4" and not (published and found.repository):
            raise Unmapped("NVFP4 leaves other groups unquantized in each repository")
        return found

    @cached_property
    def gpu(self) -> InstalledGpu:
        """The GPU, with the memory that the log shows."""
        if "H100_v5" in (self.record["notes"] or ""):
            return self.world.gpu(AZURE_H100, None)
        return self.world.gpu(self.record["gpu"], self.record["gpu_mem_total_gib"])

    @cached_property
    def split(self) -> tuple[int, int]:
        """Tensor and pipeline parallel size."""
        tp, pp, gpus = (self.record[key] for key in ("tp", "pp", "gpus_total"))
        if tp is None and gpus != 1:
            raise Unmapped("tensor parallel size not stated")
        return tp or 1, pp or 1

    @cached_property
    def combo(self) -> Combo:
        """Machines with just the GPUs of one replica."""
        tp, pp = self.split
        stated = self.record["nodes"] or 1
        return combo_of((self.gpu,) * (tp * pp), stated if tp * pp % stated == 0 else 1,
                        self.world.catalog)  # fmt: skip

    @cached_property
    def workload(self) -> Workload:
        """One sequence of the longest length allowed, the model's own where none is set."""
        stated = self.record["kv_cache_dtype"] or "auto"
        if self.record["quantization"] == "float32":
            raise Unmapped("32-bit numbers are in no recipe")
        if stated not in KV_DTYPES:
            raise Unmapped("no formula for this KV dtype")
        length = self.record["max_model_len"] or self.model.context_tokens
        return Workload(int(length), 1, KV_DTYPES[stated])

    @cached_property
    def settings(self) -> Settings:
        """What the operator chose."""
        record = self.record
        return Settings(
            memory_fraction=record["gpu_memory_utilization"],
            max_num_seqs=record["max_num_seqs"],
            max_num_batched_tokens=record["max_num_batched_tokens"],
            enforce_eager=bool(record["enforce_eager"]),
        )

    def require_own_figures(self) -> None:
        """Ensure that everything a version or a GPU changes is known.

        Raises:
            Unmapped: If the runtime has no profile, or version or hardware are not stated.
        """
        if not self.is_vllm:
            raise Unmapped("runtime without a memory profile")
        if not self.version:
            raise Unmapped("version not stated")
        given = self.settings.max_num_seqs and self.settings.max_num_batched_tokens
        if not given and dotted(self.version) < dotted(FIRST_DEFAULTS):
            raise Unmapped("scheduler defaults of this version unknown")
        _ = self.gpu

    def require_plain_split(self) -> None:
        """Ensure that ranks differ by tensor and pipeline only.

        Raises:
            Unmapped: If experts or data are parallel too.
        """
        if self.record["ep"] or (self.record["dp"] or 1) > 1:
            raise Unmapped("data or expert parallel")

    def replica(self, *, any_gpu: bool = False, any_checkpoint: bool = False) -> PagedReplica:
        """Lay the checkpoint out; where no GPU or recipe matters, on a stand-in."""
        tp, pp = self.split
        combo = self.combo if not any_gpu else self._stand_in()
        devices = exact_set(combo, tp * pp, self.engine.assumptions)
        checkpoint = (
            self.world.checkpoint(self.model, "bf16") if any_checkpoint else self.checkpoint
        )
        subject = Subject(self.model, checkpoint, self.runtime, self.profile)
        prepared = self.engine.prepare(subject)
        assert isinstance(prepared.memory, PagedEngine)  # noqa: S101 - vLLM's memory model
        return prepared.memory.replica(
            prepared.coefficients,
            devices,
            (tp, pp),
            self.workload,
            self.settings,
        )

    def _stand_in(self) -> Combo:
        gpu = self.world.gpu(STAND_IN, None)
        return combo_of((gpu,) * (self.split[0] * self.split[1]), 1, self.world.catalog)

    def compared(self, quantity: str, measured: float, predicted: Interval) -> Comparison:
        """Put a logged figure beside an interval."""
        record = self.record
        words = (record["model"], record["quantization"], f"TP {record['tp']}", self.version)
        return Comparison(
            str(record["id"]), str(record["runtime"]), quantity, measured, predicted,
            " ".join(str(word) for word in words if word),
        )  # fmt: skip

"""Ledgers and limits of runtimes that put whole layers on devices (llama.cpp and its kin)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sitegen.catalog.domain.models import RuntimeProfile
from sitegen.engine import kernel
from sitegen.engine.assessment import Settings, Workload
from sitegen.engine.cache_types import fused, ggml_half_bits
from sitegen.engine.coefficients import Coefficients
from sitegen.engine.devices import DeviceSet
from sitegen.engine.profiles import numbers
from sitegen.engine.split_replica import SplitReplica, most

NONE = [0.0, 0.0, 0.0]
UNUSED = {"library_bytes": NONE, "offload_copy_share": NONE, "cut_communication_bytes": NONE}
"""Constants that one kind of layer split has and the other lacks."""


class LayerSplitEngine:
    """A runtime profile with its constants converted once; layouts are remembered."""

    def __init__(self, profile: RuntimeProfile, counted_to: int, spare_share: float = 1.0) -> None:
        """Take the profile, how many sequences are counted, and the share that may stay spare."""
        self.profile = profile
        self.counted_to = counted_to
        self.spare_share = spare_share
        self.constants = {**UNUSED, **numbers(profile)}
        self.fused_constants = {**self.constants, **_fused_cells(self.constants)}
        self.handover_tensors = int(self.constants["handover_tensors"][1])
        self.eager = bool(self.constants["eager"])
        self._shares: dict[tuple[int, bool], tuple[DeviceSet, tuple[int, ...]]] = {}
        self.layout = lru_cache(maxsize=None)(self._layout)

    def _layout(
        self,
        coefficients: Coefficients,
        shares: tuple[int, ...],
        cpu_layers: int,
        cpu_expert_layers: int,
        tensor: bool,
    ) -> Mapping[str, Any]:
        numbers, c = coefficients.numbers, self.constants
        if tensor and not self.eager:
            layout = kernel.meta_layout(numbers, len(shares))
        elif tensor:
            layout = kernel.tensor_layout(numbers, len(shares), c["embedding_on_gpu"])
        elif c["dealt_by_remainder"]:
            layout = kernel.dealt_layout(numbers, list(shares), c["embedding_on_gpu"])
        else:
            layout = kernel.split_layout(numbers, list(shares), cpu_layers, cpu_expert_layers)
        kinds: dict[tuple[object, ...], int] = {}
        for i, part in enumerate(layout["devices"]):
            beyond = i > 0 and layout["tensor"] == 1
            kinds.setdefault((*part["counts"], part["weights"], part["output"], beyond), i)
        return {**layout, "distinct": tuple(kinds.values()), "parts": {}}

    def replica(
        self,
        coefficients: Coefficients,
        devices: DeviceSet,
        workload: Workload,
        settings: Settings,
        *,
        cpu_layers: int = 0,
        cpu_expert_layers: int = 0,
        tensor: bool = False,
    ) -> SplitReplica:
        """Lay a checkpoint out on devices in proportion to their free memory.

        With ``tensor`` every layer is cut over all of them.
        """
        shares = self._shares_of(devices, raised=settings.raised_limit)
        layout = self.layout(coefficients, shares, cpu_layers, cpu_expert_layers, tensor)
        half_bits = ggml_half_bits(workload.kv_dtype)
        micro_batch = settings.micro_batch_tokens or int(self.constants["micro_batch_tokens"][1])
        asked = True if tensor else settings.flash_attention
        flash = fused(workload.kv_dtype, asked, self.constants["flash_attention"])
        return SplitReplica(
            coefficients=coefficients,
            devices=devices,
            constants=self.fused_constants if flash else self.constants,
            layout=layout,
            cpu_layers=cpu_layers,
            cpu_expert_layers=cpu_expert_layers,
            kv_half_bits=half_bits,
            micro_batch=micro_batch,
            settings=settings,
            distinct=tuple(range(len(shares)))
            if devices.mixed or settings.images
            else layout["distinct"],
            collectives=self.constants["cut_communication_bytes"] if tensor else NONE,
            flash=flash,
            counted_to=self.counted_to,
            spare_share=self.spare_share,
            parts=layout["parts"].setdefault((*half_bits, micro_batch, flash), {}),
        )

    def _shares_of(self, devices: DeviceSet, *, raised: bool) -> tuple[int, ...]:
        """Free memory of each device; ones for equal GPUs, which then share one layout."""
        key = (id(devices), raised)
        if key not in self._shares:
            free = tuple(
                max(1, d.usable_bytes(raised=raised) - int(d.context.mid)) for d in devices.devices
            )
            equal = len(set(free)) == 1
            # the set is kept beside its shares, so that its identity stays its own
            self._shares[key] = (devices, (1,) * len(free) if equal else free)
        return self._shares[key][1]

    def offloaded(
        self,
        coefficients: Coefficients,
        devices: DeviceSet,
        workload: Workload,
        settings: Settings,
    ) -> SplitReplica | None:
        """Move as few layers as possible to system RAM so that the rest fits, or None.

        Experts go first (the feed-forward of a mixture of experts is most of it and is read
        least); dense models give whole layers.

        Source:
            llama.cpp ``common/fit.cpp``: experts before layers.
        """
        if self.eager and not coefficients.architecture.experts:
            return None
        layers = coefficients.architecture.layers
        experts = coefficients.architecture.experts > 0
        tokens, sequences = workload.context_tokens, workload.sequences

        def attempt(moved: int) -> SplitReplica:
            return self.replica(
                coefficients,
                devices,
                workload,
                settings,
                cpu_layers=0 if experts else moved,
                cpu_expert_layers=moved if experts else 0,
            )

        if not attempt(layers).fits(tokens, sequences):
            return None
        kept = most(layers - 1, lambda count: attempt(layers - count).left(tokens, sequences, 1))
        found = attempt(layers - kept)
        return found if found.host_bytes(tokens, sequences) <= devices.ram_bytes else None


def _fused_cells(c: Mapping[str, Any]) -> dict[str, Any]:
    """Cells to whose multiples a cache is padded with flash attention."""
    return {"cell_multiple": c.get("flash_cell_multiple", c["cell_multiple"])}

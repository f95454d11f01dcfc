"""Ledgers and limits of runtimes that put whole layers on GPUs (llama.cpp and its kin)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import lru_cache

from sitegen.catalog.domain.models import Runtime, RuntimeProfile
from sitegen.physics.cache_types import fused, ggml_half_bits, offers
from sitegen.physics.gpu_groups import GpuGroup
from sitegen.physics.memory.layer_layout import (
    LayerLayout,
    dealt_layout,
    meta_layout,
    split_layout,
    tensor_layout,
)
from sitegen.physics.memory.layer_split_profile import Allocation, GpuParts, StepwiseTensors
from sitegen.physics.memory.layer_split_replica import SplitReplica, largest_count_that_fits
from sitegen.physics.memory.profile_constants import split_profile
from sitegen.physics.plan import Settings, Workload
from sitegen.physics.reduced_checkpoint import ReducedCheckpoint
from sitegen.values import dataclass

NONE = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A layout with what is remembered of it.

    ``distinct`` are GPUs that differ from one another; ``parts`` the exact parts that are
    known, by what the cache was allotted for.
    """

    layout: LayerLayout
    distinct: tuple[int, ...]
    parts: dict[Hashable, dict[Hashable, GpuParts]]


class LayerSplitEngine:
    """A runtime profile with its constants converted once; layouts are remembered."""

    def __init__(self, profile: RuntimeProfile, counted_to: int, spare_share: float = 1.0) -> None:
        """Take the profile, how many sequences are counted, and the share that may stay spare."""
        self.profile = profile
        self.counted_to = counted_to
        self.spare_share = spare_share
        self.constants = split_profile(profile)
        self.fused_constants = replace(
            self.constants, cell_multiple=self.constants.flash_cell_multiple
        )
        self.handover_tensors = self.constants.handover_tensors
        self.eager = isinstance(self.constants.graph, StepwiseTensors)
        self._shares: dict[tuple[int, bool], tuple[GpuGroup, tuple[int, ...]]] = {}
        self.layout = lru_cache(maxsize=None)(self._layout)

    def _layout(
        self,
        reduced: ReducedCheckpoint,
        shares: tuple[int, ...],
        cpu_layers: int,
        cpu_expert_layers: int,
        tensor: bool,
        cache_bytes: tuple[int, ...],
    ) -> LaidOut:
        shape, c = reduced.shape, self.constants
        if tensor and not self.eager:
            layout = meta_layout(shape, len(shares))
        elif tensor:
            layout = tensor_layout(shape, len(shares), embedding=c.embedding_on_gpu)
        elif c.dealt_by_remainder:
            layout = dealt_layout(shape, shares, everywhere=c.embedding_on_gpu)
        else:
            layout = split_layout(
                shape,
                shares,
                cpu_layers=cpu_layers,
                cpu_experts=cpu_expert_layers,
                cache_bytes=cache_bytes,
            )
        kinds: dict[Hashable, int] = {}
        for i, part in enumerate(layout.gpus):
            beyond = i > 0 and layout.tensor == 1
            kinds.setdefault((part, beyond), i)
        return LaidOut(layout, tuple(kinds.values()), {})

    def replica(
        self,
        reduced: ReducedCheckpoint,
        group: GpuGroup,
        workload: Workload,
        settings: Settings,
        *,
        cpu_layers: int = 0,
        cpu_expert_layers: int = 0,
        tensor: bool = False,
    ) -> SplitReplica:
        """Lay a checkpoint out on GPUs in proportion to their free memory.

        With ``tensor`` every layer is cut over all of them.
        """
        shares = self._shares_of(group, raised=settings.raised_limit)
        half_bits = ggml_half_bits(workload.kv_dtype)
        micro_batch = settings.micro_batch_tokens or self.constants.micro_batch_tokens
        asked = True if tensor else settings.flash_attention
        flash = fused(workload.kv_dtype, asked, unasked=self.constants.flash_attention)
        constants = self.fused_constants if flash else self.constants
        caches: tuple[int, ...] = ()
        if cpu_expert_layers > 0 and len(shares) > 1:
            tokens, sequences = workload.context_tokens, workload.sequences
            allocation = Allocation(tokens * sequences, sequences, micro_batch, half_bits, flash)
            caches = constants.cache_bytes(reduced.shape, allocation)
        laid = self.layout(reduced, shares, cpu_layers, cpu_expert_layers, tensor, caches)
        return SplitReplica(
            reduced=reduced,
            group=group,
            constants=constants,
            layout=laid.layout,
            cpu_layers=cpu_layers,
            cpu_expert_layers=cpu_expert_layers,
            kv_half_bits=half_bits,
            micro_batch=micro_batch,
            settings=settings,
            distinct=tuple(range(len(shares))) if group.mixed or settings.images else laid.distinct,
            collectives=self.constants.cut_communication_bytes if tensor else NONE,
            flash=flash,
            counted_to=self.counted_to,
            spare_share=self.spare_share,
            parts=laid.parts.setdefault((*half_bits, micro_batch, flash), {}),
        )

    def supports_cache_type(
        self, reduced: ReducedCheckpoint, runtime: Runtime, cache_type: str
    ) -> bool:
        """Whether the runtime keeps a cache of this type for a checkpoint."""
        return offers(runtime, cache_type)

    def _shares_of(self, group: GpuGroup, *, raised: bool) -> tuple[int, ...]:
        """Free memory of each GPU; ones for equal GPUs, which then share one layout."""
        key = (id(group), raised)
        if key not in self._shares:
            free = tuple(
                max(1, d.usable_bytes(raised=raised) - int(d.context.mid)) for d in group.gpus
            )
            equal = len(set(free)) == 1
            # the set is kept beside its shares, so that its identity stays its own
            self._shares[key] = (group, (1,) * len(free) if equal else free)
        return self._shares[key][1]

    def offloaded(
        self,
        reduced: ReducedCheckpoint,
        group: GpuGroup,
        workload: Workload,
        settings: Settings,
    ) -> SplitReplica | None:
        """Move as few layers as possible to system RAM so that the rest fits, or None.

        The rest fits at the high estimate, or at the middle one where RAM holds no more layers.

        Experts go first (the feed-forward of a mixture of experts is most of it and is read
        least); dense models give whole layers.

        Source:
            llama.cpp ``common/fit.cpp``: experts before layers.
        """
        if self.eager and not reduced.architecture.experts:
            return None
        layers = reduced.architecture.layers
        experts = reduced.architecture.experts > 0
        tokens, sequences = workload.context_tokens, workload.sequences

        def attempt(moved: int) -> SplitReplica:
            return self.replica(
                reduced,
                group,
                workload,
                settings,
                cpu_layers=0 if experts else moved,
                cpu_expert_layers=moved if experts else 0,
            )

        def fewest(bound: int) -> SplitReplica | None:
            if not attempt(layers).fits(tokens, sequences, bound):
                return None
            kept = largest_count_that_fits(
                layers - 1,
                lambda count: attempt(layers - count).free_bytes(tokens, sequences, bound),
            )
            found = attempt(layers - kept)
            return found if found.host_bytes(tokens, sequences) <= group.ram_bytes else None

        return fewest(2) or fewest(1)

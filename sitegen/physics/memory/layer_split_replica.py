"""One replica over the GPUs of a layer split: utilization, ledger and limits."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from sitegen.catalog.domain.provenance import Interval
from sitegen.physics.gpu_groups import GpuGroup, UsableGpu
from sitegen.physics.ledger import closed_ledger, reserved
from sitegen.physics.memory.layer_layout import LayerLayout
from sitegen.physics.memory.layer_split_profile import Allocation, GpuParts, SplitProfile
from sitegen.physics.plan import GpuLedger, Limits, ParallelPlan, Reason, Settings
from sitegen.physics.reduced_checkpoint import ReducedCheckpoint
from sitegen.physics.valid_splits import Split, split_plan
from sitegen.units import Bounds, pad
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class SplitReplica:
    """One replica over its GPUs, with the layers or experts in system RAM."""

    reduced: ReducedCheckpoint
    group: GpuGroup
    constants: SplitProfile
    layout: LayerLayout
    cpu_layers: int
    cpu_expert_layers: int
    kv_half_bits: tuple[int, int]
    """Half bits of an element of keys and of values."""
    micro_batch: int
    settings: Settings
    distinct: tuple[int, ...]
    """GPUs that differ from one another; the rest repeat one of these."""
    collectives: Bounds
    """Bytes that collectives between GPUs hold on each, at each bound."""
    flash: bool
    """Fused attention, as asked for or as the runtime does unasked."""
    counted_to: int
    """Sequences at most that are counted."""
    spare_share: float
    """Share of a GPU that is enough to keep free, where that is less than the margin."""
    parts: dict[Hashable, GpuParts]
    """Exact parts of GPUs that are known, which replicas of one layout share."""

    @property
    def tensor(self) -> int:
        """GPUs that every layer is cut over; 1 where layers stay whole."""
        return self.layout.tensor

    @property
    def split(self) -> Split:
        """GPUs that layers are cut over, and one stage."""
        return self.tensor, 1

    def plan(self, replicas: int) -> ParallelPlan:
        """Describe the replica, which the combo runs ``replicas`` times."""
        return split_plan(
            self.group,
            self.layers,
            replicas,
            cpu_layers=self.cpu_layers,
            cpu_expert_layers=self.cpu_expert_layers,
            tensor=self.tensor,
        )

    def effective_bytes(self) -> int:
        """Memory that the replica can fill."""
        raised = self.settings.raised_limit
        return sum(usable.usable_bytes(raised=raised) for usable in self.group.gpus)

    def start_warnings(self) -> tuple[Reason, ...]:
        """No default is known to keep such a runtime from starting."""
        return ()

    @property
    def layers(self) -> tuple[int, ...]:
        """Layers per GPU."""
        return tuple(usable.layers for usable in self.layout.gpus)

    def host_bytes(self, context_tokens: int, sequences: int) -> int:
        """Bytes in system RAM: layers or experts, their cache, and the embedding table."""
        host, shape = self.layout.host, self.reduced.shape
        caches = self.constants.cache_bytes(shape, self._asked(context_tokens, sequences))
        cache = sum(count * held for count, held in zip(host.counts, caches, strict=True))
        return host.weights_bytes + host.experts_bytes + cache + shape.embedding_bytes

    def _asked(self, context_tokens: int, sequences: int) -> Allocation:
        return Allocation(
            context_tokens * sequences,
            sequences,
            self.micro_batch,
            self.kv_half_bits,
            self.flash,
        )

    def _parts(self, index: int, context_tokens: int, sequences: int) -> GpuParts:
        """Exact parts of a GPU; a layout remembers them, whatever GPUs it is laid over."""
        key = (index, context_tokens, sequences)
        if key not in self.parts:
            self.parts[key] = self.constants.parts(
                self.reduced.shape,
                self.layout,
                index,
                self._asked(context_tokens, sequences),
            )
        return self.parts[key]

    def largest_allocation_bytes(self, context_tokens: int, sequences: int) -> int:
        """Return the largest piece of memory that a driver is asked for at once.

        Weights and caches are spread over buffers tensor by tensor. The graph was one buffer
        until llama.cpp pull request 15815; since then its largest tensor counts, the scores where
        attention is not fused. Whether a backend fuses it depends on the driver: unless asked for,
        it is not counted on.
        """
        shape, c = self.reduced.shape, self.constants
        if c.chunked_graph:
            scores = 0
            cells = pad(context_tokens * sequences, c.cell_multiple)
            micro_batch = min(self.micro_batch, cells)
            if not self.settings.flash_attention:
                scores = 4 * micro_batch * cells * shape.heads
            graph = max(scores, 4 * micro_batch * shape.vocabulary)
        else:
            graph = max(self._parts(i, context_tokens, sequences).compute for i in self.distinct)
        return max(self.reduced.weights.largest_tensor_bytes, graph)

    def _allocatable(self, context_tokens: int, sequences: int) -> bool:
        limit = self.settings.largest_allocation_bytes
        return limit is None or self.largest_allocation_bytes(context_tokens, sequences) <= limit

    def _budget(self, usable_gpu: UsableGpu) -> Interval:
        held = reserved(usable_gpu, self.settings)
        return held.left_of(usable_gpu.visible_bytes)

    def _lines(
        self, index: int, usable_gpu: UsableGpu, context_tokens: int, sequences: int
    ) -> dict[str, Interval]:
        parts = self._parts(index, context_tokens, sequences)
        return {
            "reserved_os": reserved(usable_gpu, self.settings),
            "context": usable_gpu.context.plus(Interval(*self.constants.library_bytes)),
            "weights": Interval(*self.constants.weights_error_factor).times(parts.weights),
            "projector": Interval(*(self._projector(index, bound) for bound in range(3))),
            "kv": Interval.exact(parts.kv),
            "state": Interval.exact(parts.state),
            "compute": Interval(*(self._compute(parts, bound) for bound in range(3))),
            "communication": Interval(*self.collectives),
            "graphs": Interval.exact(0),
            "fragmentation": Interval.exact(0),
        }

    def _projector(self, index: int, bound: int) -> float:
        """The image projector and its graph, which the first GPU holds."""
        held = self.reduced.shape.projector_bytes if self.settings.images and index == 0 else 0
        return held + self.constants.projector_graph_bytes[bound] if held else 0

    def utilization(self, context_tokens: int, sequences: int) -> Interval:
        """Need over budget of the fullest GPU, at each bound; may exceed 1."""
        low = mid = high = 0.0
        for i in self.distinct:
            usable = self.group.gpus[i]
            held, visible = reserved(usable, self.settings), usable.visible_bytes
            parts, context = self._parts(i, context_tokens, sequences), usable.context
            kindest = self._total(parts, i, context.low, 0) / max(visible - held.low, 1)
            middle = self._total(parts, i, context.mid, 1) / max(visible - held.mid, 1)
            harshest = self._total(parts, i, context.high, 2) / max(visible - held.high, 1)
            low = kindest if kindest > low else low
            mid = middle if middle > mid else mid
            high = harshest if harshest > high else high
        return Interval(low, mid, high)

    def _need(self, index: int, context_tokens: int, sequences: int, bound: int) -> float:
        held = self.group.gpus[index].context.bounds[bound]
        return self._total(self._parts(index, context_tokens, sequences), index, held, bound)

    def _total(self, parts: GpuParts, index: int, context: float, bound: int) -> float:
        c = self.constants
        need = context + c.library_bytes[bound] + parts.kv + parts.state
        need += self.collectives[bound]
        need += parts.weights * c.weights_error_factor[bound]
        if self.settings.images:
            need += self._projector(index, bound)
        if parts.borrowed:
            return need + self._compute(parts, bound)
        return need + parts.compute * c.compute_error_factor[bound]

    def _compute(self, parts: GpuParts, bound: int) -> float:
        """The graph's buffer; a copy of what is in system RAM stands beside a layer's part."""
        factor = self.constants.compute_error_factor[bound]
        if not parts.borrowed:
            return parts.compute * factor
        copied = parts.borrowed * self.constants.offload_copy_share[bound]
        return max(parts.compute * factor, parts.beside * factor + copied)

    def fits(self, context_tokens: int, sequences: int, bound: int = 1) -> bool:
        """Whether every GPU keeps the runtime's margin free at this bound."""
        return self.free_bytes(context_tokens, sequences, bound) >= 0

    def free_bytes(self, context_tokens: int, sequences: int, bound: int) -> float:
        """Bytes beyond the margin on the fullest GPU; negative also where a driver refuses.

        The margin is the runtime's own for any GPU. On a small one it is more than what makes a
        plan comfortable, and ``-c`` is obeyed whatever stays free: then that share counts.
        """
        if not self._allocatable(context_tokens, sequences):
            return -1.0
        return min(
            self._spared(i) - self._need(i, context_tokens, sequences, bound) for i in self.distinct
        )

    def _spared(self, index: int) -> float:
        """Bytes of a GPU less what is kept free."""
        usable = self.group.gpus[index].usable_bytes(raised=self.settings.raised_limit)
        return usable - min(self.constants.margin_bytes, self.spare_share * usable)

    def ledger(self, context_tokens: int, sequences: int) -> tuple[GpuLedger, ...]:
        """One ledger per GPU."""
        ledgers: list[GpuLedger] = []
        alike: dict[Hashable, GpuLedger] = {}
        for i, (node, gpu) in enumerate(self.group.ranks):
            usable, part = self.group.gpus[i], self.layout.gpus[i]
            held = (part, i > 0)
            key = (held, usable.gpu.id, usable.visible_bytes, usable.reserved)
            if key not in alike:
                alike[key] = closed_ledger(
                    node=node,
                    gpu=gpu,
                    usable_gpu=usable,
                    layers=self.layers[i],
                    budget=self._budget(usable),
                    lines=self._lines(i, usable, context_tokens, sequences),
                    outside=frozenset({"reserved_os"}),
                )
            ledgers.append(alike[key].at(node, gpu))
        return tuple(ledgers)

    def limits(self, longest: int, contexts: tuple[int, ...]) -> Limits:
        """How far the layout goes before a GPU falls under the margin."""
        return Limits(
            max_context_tokens=self.longest(longest),
            max_context_tokens_low=self.longest(longest, 2),
            sequences_at={tokens: self.sequences(tokens) for tokens in contexts},
            kv_pool_tokens=0,
            kv_bytes_per_token_per_gpu=self._token_bytes(),
            counted_to=self.counted_to,
        )

    def longest(self, limit: int, bound: int = 1) -> int:
        """Longest context of one sequence, up to ``limit`` tokens, at a bound of what is held."""
        step = self.constants.cell_multiple
        reached = largest_count_that_fits(
            limit // step, lambda steps: self.free_bytes(steps * step, 1, bound)
        )
        return reached * step

    def sequences(self, context_tokens: int) -> int:
        """Sequences of a length that are resident at once, up to the policy's cap."""
        return self.most_sequences(context_tokens, self.counted_to)

    def most_sequences(self, context_tokens: int, wanted: int) -> int:
        """Count the sequences of a length that are resident at once, up to ``wanted``."""
        return largest_count_that_fits(
            wanted, lambda count: self.free_bytes(context_tokens, count, 1)
        )

    def _token_bytes(self) -> int:
        step = self.constants.cell_multiple
        far = pad(1 << 20, step)
        per = 0
        for i in self.distinct:
            grown = self._parts(i, far + step, 1).kv - self._parts(i, far, 1).kv
            per = max(per, grown // step)
        return per


def largest_count_that_fits(limit: int, left: Callable[[int], float]) -> int:
    """Return the largest count up to ``limit`` with free bytes, 0 if there is none.

    Free bytes fall with the count, nearly in a line: two guesses where the line between the ends
    meets zero, then one in the middle.
    """
    low, high = 1, limit
    if limit <= 0 or (at_low := left(low)) < 0:
        return 0
    if (at_high := left(high)) >= 0:
        return limit
    tries = 0
    while high - low > 1:
        share = at_low / (at_low - at_high) if tries % 3 < 2 else 0.5
        guess = min(max(low + int((high - low) * share), low + 1), high - 1)
        found = left(guess)
        tries += 1
        if found >= 0:
            low, at_low = guess, found
        else:
            high, at_high = guess, found
    return low

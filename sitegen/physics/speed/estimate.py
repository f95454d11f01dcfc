"""Decode and prefill time: a roofline with fitted constants and explicit communication."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from sitegen.catalog.domain.hardware import Gpu, Interconnect, Vendor
from sitegen.catalog.domain.provenance import Constant, Evidence, Interval
from sitegen.physics import traffic
from sitegen.physics.bounds.peak_rates import LOW_PRECISION
from sitegen.physics.gpu_groups import Assumptions, GpuGroup
from sitegen.physics.memory.paged import FAST_LINKS
from sitegen.physics.memory.profile_constants import scaled
from sitegen.physics.plan import Speed
from sitegen.physics.powers import power
from sitegen.physics.speed.constants import (
    constants,
    is_tried,
    matmul_efficiency,
    model_factors,
    speed_class,
)
from sitegen.physics.speed.pipeline import ReplicaPipeline, Stage, StageWork
from sitegen.physics.speed.roofline import (
    LinkSpeed,
    StageConstants,
    Work,
    hop_link_s,
    stage_seconds,
    stage_terms,
    streamed_s,
    tensor_link_s,
)
from sitegen.units import Bounds

__all__ = ["PREFILL_TOKENS", "ReplicaPipeline", "SpeedModel", "Stage"]

PREFILL_TOKENS = 2_048
"""Prompt whose time to first token is shown, and judges a link."""

Parts = dict[str, float]
"""Seconds of a token by what limits them: memory, compute, overhead, cpu, link."""


def _fabric(link: Interconnect) -> str:
    """Name how a link joins more than two: by a switch, a bus or ring, or each with each.

    Source:
        MLX, "Distributed Communication": RDMA over Thunderbolt (JACCL) needs a cable between every
        two machines; read 2026-11-23.
    """
    if link.kind == "thunderbolt" and link.rdma:
        return "mesh"
    return "nvlink" if link.kind in FAST_LINKS else "bus"


def _cut_overhead(assumptions: Assumptions, vendor: Vendor) -> Constant:
    """Time that a layer adds to a step of a prompt where it is cut: the vendor's, or anyone's."""
    general = "cut-prompt-overhead-layer-split"
    own = f"{general}-{vendor.value}-us"
    return assumptions[own if own in assumptions else f"{general}-us"]


RAM_BYTES_PER_S = 90e9
"""RAM of which ``ram-efficiency`` is the share that is reached: two channels of DDR5-5600."""
PASSES = 3
"""Times that RAM is read or written for a byte that goes to a GPU through a buffer."""
LOOKED_UP = frozenset({"gguf-iq4", "gguf-table"})
"""Kinds of weights whose values are looked up in tables."""


class SpeedModel:
    """The speed constants of a catalog, converted once."""

    def __init__(self, assumptions: Assumptions) -> None:
        self._assumptions = assumptions
        self._ram = scaled(assumptions["ram-efficiency"]).bounds
        self._ram_exponent = assumptions["ram-efficiency-exponent"].value.mid
        self._ram_table = assumptions["ram-efficiency-table-factor"].value.mid
        self._copied = assumptions["copied-experts-exponent"].value.bounds
        self._buses: dict[tuple[str, str], Bounds] = {}
        self._growth = {
            fabric: assumptions[f"all-reduce-growth-{fabric}"].value.bounds
            for fabric in ("bus", "nvlink", "mesh")
        }
        self._power = {
            what: assumptions[f"power-{what}-exponent"].value.mid
            for what in ("compute", "bandwidth")
        }
        self._cut = {
            vendor.value: scaled(_cut_overhead(assumptions, vendor)).bounds for vendor in Vendor
        }
        self._network_hop = {
            "layer-split": scaled(assumptions["network-hop-layer-split-us"]).bounds
        }
        self._size = assumptions["size-compute-exponent"].value.mid
        rate = assumptions.get("low-precision-rate-ratio")
        self.works = StageWork(
            LOW_PRECISION if rate is None else rate.value.high,
            assumptions["token-unlikeness-exponent"].value.mid,
            assumptions["unpack-cycles-per-weight"].value.mid,
        )
        self._by_class: dict[Hashable, StageConstants] = {}
        self._by_model: dict[Hashable, StageConstants] = {}
        self._by_rows: dict[Hashable, StageConstants] = {}
        self._links: dict[str, LinkSpeed] = {}
        self._found: tuple[ReplicaPipeline, Gpu, StageConstants] | None = None
        self._last: tuple[ReplicaPipeline, int, int, Bounds] | None = None

    def single(self, pipeline: ReplicaPipeline, group: GpuGroup, *, context: int) -> Interval:
        """Decode speed of one stream in tokens/s, with ``context`` tokens in the cache."""
        fast, usual, slow = self.token_s(pipeline, group, context, 1)
        return Interval(1 / slow, 1 / usual, 1 / fast)

    def aggregate(
        self, pipeline: ReplicaPipeline, group: GpuGroup, *, context: int, batch: int, replicas: int
    ) -> Interval:
        """Decode speed of all streams in tokens/s: ``batch`` on each of ``replicas`` replicas.

        No stream among many is faster than one alone: a pipeline with fewer streams than stages
        has idle stages.
        """
        alone = self.single(pipeline, group, context=context)
        high, mid, low = (
            replicas * batch * min(1 / seconds, one)
            for seconds, one in zip(
                self.step_s(pipeline, group, context, batch),
                (alone.high, alone.mid, alone.low),
                strict=True,
            )
        )
        return Interval(low, mid, high)

    def communication_share(
        self, pipeline: ReplicaPipeline, group: GpuGroup, *, context: int
    ) -> float:
        """Share of a token's time that the link takes, one stream."""
        link = self.link_s(pipeline, 1)[1]
        return link / self.token_s(pipeline, group, context, 1)[1] if link else 0.0

    def speed(
        self,
        pipeline: ReplicaPipeline,
        group: GpuGroup,
        *,
        context: int,
        batch: int,
        replicas: int,
        capped: bool = False,
    ) -> Speed:
        """Estimate decode speed, single stream and for ``batch`` streams on each of ``replicas``.

        ``capped`` says that a policy and not memory ends the batch.
        """
        prompt = min(PREFILL_TOKENS, max(1, 2 * context))
        small = self.small_steps(pipeline, prompt)
        found = None if small else self.first_token_s(pipeline, prompt)
        first = None if found is None else Interval(*found)
        parts = self.parts(pipeline, group, context)
        together = self.aggregate(pipeline, group, context=context, batch=batch, replicas=replicas)
        return Speed(
            single_tokens_per_s=self.single(pipeline, group, context=context),
            aggregate_tokens_per_s=together,
            batch=batch,
            bound=max(parts, key=lambda name: parts[name]),
            communication_share=self.communication_share(pipeline, group, context=context),
            evidence=Evidence.ESTIMATED,
            prompt_tokens=prompt,
            first_token_s=first,
            prefill_tokens_per_s=None if first is None else Interval.exact(prompt).over(first),
            each_tokens_per_s=together.per(replicas * batch),
            capped=capped,
            small_steps=small,
        )

    def parts(self, pipeline: ReplicaPipeline, group: GpuGroup, context: int) -> Parts:
        """Split the mid time of one stream's token; of memory and compute the larger counts."""
        found = {"memory": 0.0, "compute": 0.0, "overhead": 0.0, "cpu": 0.0}
        for stage in pipeline.stages:
            work = self.works.decode(pipeline, stage, context, 1)
            (_, moving, _), (_, counting, _), (_, other, _) = stage_terms(
                work, self.constants(pipeline, stage)
            )
            found["memory" if moving >= counting else "compute"] += stage.repeats * max(
                moving, counting
            )
            found["overhead"] += stage.repeats * other
            if stage.host_bytes:
                found["cpu"] += stage.repeats * self._host_s(pipeline, stage, group, 1, 1.0)
        return {**found, "link": self.link_s(pipeline, 1)[1]}

    def prefill_s(self, pipeline: ReplicaPipeline) -> float | None:
        """Estimate seconds to the first token of a ``PREFILL_TOKENS`` prompt.

        ``None`` where a GPU's FP16 rate is unknown.
        """
        first = self.first_token_s(pipeline, PREFILL_TOKENS)
        return None if first is None else first[1]

    def prompt_link_s(self, pipeline: ReplicaPipeline) -> float:
        """Estimate the seconds of a ``PREFILL_TOKENS`` prompt that are the link's."""
        return self.link_s(pipeline, PREFILL_TOKENS, prompt=True)[1]

    def first_token_s(
        self, pipeline: ReplicaPipeline, tokens: int, depth: int = 0
    ) -> tuple[float, float, float] | None:
        """Seconds to the first token of a prompt, from fast to slow; nobody else is served.

        ``None`` where a GPU's FP16 rate is unknown.
        """
        if any(stage.slowest.gpu.fp16_flops_per_s is None for stage in pipeline.stages):
            return None
        return self.prompt_s(pipeline, tokens, depth)

    def prompt_s(
        self, pipeline: ReplicaPipeline, tokens: int, depth: int = 0
    ) -> tuple[float, float, float]:
        """Seconds that a prompt is read; its memory traffic alone where no rate is known."""
        chunk = self.chunk_tokens(pipeline)
        chunks = -(-tokens // chunk)
        together, slowest = [0.0] * 3, [0.0] * 3
        for stage in pipeline.stages:
            work = self.works.prefill(pipeline, stage, tokens, depth, chunk)
            found = self.prefill_constants(pipeline, stage, work)
            copied = self._copied_s(pipeline, stage, min(tokens, chunk))
            for b, seconds in enumerate(stage_seconds(work, found)):
                one = seconds + chunks * copied[b]
                if pipeline.uneven:
                    one += chunks * work.layers * self._cut[stage.slowest.gpu.vendor.value][b]
                together[b] += stage.repeats * one
                slowest[b] = max(slowest[b], one)
        fixed = self.constants(pipeline, pipeline.stages[0]).fixed
        link = self.link_s(pipeline, tokens, prompt=True)
        low, mid, high = (
            streamed_s(together[b], slowest[b], chunks if pipeline.streamed else 1)
            + link[b]
            + fixed[b]
            for b in range(3)
        )
        return low, mid, high

    def _copied_s(self, pipeline: ReplicaPipeline, stage: Stage, tokens: int) -> Bounds:
        """Seconds in which a step copies what it reads of the weights in system RAM to the GPU.

        A mapped file is copied through a buffer: its bytes are read, written and read again.

        Source:
            ggml-org/llama.cpp pull request 15346: only the experts that a step uses are copied.
            Pull request 28223: from pinned memory in place of a mapped file, two RTX 3090 read a
            prompt at 330 tokens/s in place of 166. InsiderLLM, 2026-10-09: from a mapped file, one
            RTX 3090 is 27 to 30 % faster with DDR4-3000 than with DDR4-2133.
        """
        if stage.host_stored_bytes == 0:
            return (0.0, 0.0, 0.0)
        shape, rates = pipeline.reduced.shape, self._ram_link(stage.slowest.gpu, pipeline.slot)
        if pipeline.mapped_bytes_per_s:
            through = pipeline.mapped_bytes_per_s / PASSES
            rates = min(rates[0], through), min(rates[1], through), rates[2]
        chosen, every = shape.experts_per_token, shape.experts
        low, mid, high = (
            stage.host_stored_bytes
            * traffic.read_experts(every, chosen, tokens, self._copied[b])
            / rates[2 - b]
            for b in range(3)
        )
        return low, mid, high

    def _ram_link(self, gpu: Gpu, slot: str) -> Bounds:
        """Bytes/s at which a GPU reads system RAM: over its own link, or its bus in its slot."""
        if gpu.ram_link_bytes_per_s is not None:
            return gpu.ram_link_bytes_per_s.bounds
        if (gpu.bus, slot) not in self._buses:
            names = [f"host-bus-{one}-gb-s" for one in (gpu.bus, slot)]
            known = [name for name in names if name in self._assumptions] or ["host-bus-gb-s"]
            rates = [scaled(self._assumptions[name]).bounds for name in known]
            self._buses[gpu.bus, slot] = min(rates, key=lambda rate: rate[1])
        return self._buses[gpu.bus, slot]

    def chunk_tokens(self, pipeline: ReplicaPipeline) -> int:
        """Tokens of a prompt that one step reads: the operator's choice, or the family's."""
        return pipeline.chunk_tokens or self._usual_chunk_tokens(pipeline)

    def _usual_chunk_tokens(self, pipeline: ReplicaPipeline) -> int:
        return int(self._assumptions[f"prefill-chunk-{pipeline.family}-tokens"].value.mid)

    def small_steps(self, pipeline: ReplicaPipeline, tokens: int) -> bool:
        """Whether a prompt is read in smaller steps than are known: its speed is then unknown.

        So it is where the processor and not the GPU computes the experts of such a step.

        Half of llama.cpp's usual steps are within the estimate: fewer rows of an expert cost what
        a mixture's exponent says, and plain models lose less than the interval.

        Source:
            ggml-org/llama.cpp pull request 7860: Llama 3 8B Q4_K_S on an RTX 4090 reads 2,048
            tokens at 9,267 tokens/s in steps of 512, 8,532 of 256, 6,901 of 128, 5,359 of 64 and
            1,944 of 16; pull request 8416: an RX 6800 loses 1 % at 256 and 34 % at 64; read
            2026-11-23. Pull request 26977: OLMoE 1B 7B Q4_K_M at 27,705 in steps of 512, 19,003
            of 256 and 11,107 of 128; read 2026-11-28. No constant says how this differs between
            GPUs.
        """
        asked, least = pipeline.chunk_tokens, self._usual_chunk_tokens(pipeline)
        if pipeline.family == "layer-split":
            least //= 2
        if pipeline.read_by_processor(min(tokens, self.chunk_tokens(pipeline))):
            return True
        return 0 < asked < min(tokens, least)

    def prefill_constants(
        self, pipeline: ReplicaPipeline, stage: Stage, work: Work
    ) -> StageConstants:
        """Constants of a stage where a mixture of experts computes less evenly."""
        found = self.constants(pipeline, stage)
        if not work.mixture:
            return found
        key = (found, work.rows)
        if key not in self._by_rows:
            by = found.compute_experts * matmul_efficiency(work.rows, found.expert_rows)
            self._by_rows[key] = replace(found, compute=_times(found.compute, by))
        return self._by_rows[key]

    def token_s(
        self, pipeline: ReplicaPipeline, group: GpuGroup, context: int, batch: int
    ) -> Bounds:
        """Seconds of one step when stages follow one another, from fast to slow.

        The last answer is kept: speed and communication share of a plan are asked in turn.
        """
        last = self._last
        if last is None or last[0] is not pipeline or last[1:3] != (context, batch):
            stages = self._stage_times(pipeline, group, context, batch)
            low, mid, high = stages[0]
            if len(stages) > 1 or pipeline.stages[0].repeats > 1:
                low = mid = high = 0.0
                for times, stage in zip(stages, pipeline.stages, strict=True):
                    low += times[0] * stage.repeats
                    mid += times[1] * stage.repeats
                    high += times[2] * stage.repeats
            if pipeline.tp > 1 or pipeline.hops.count > 0:
                link = self.link_s(pipeline, batch)
                low, mid, high = low + link[0], mid + link[1], high + link[2]
            last = self._last = (pipeline, context, batch, (low, mid, high))
        return last[3]

    def step_s(
        self, pipeline: ReplicaPipeline, group: GpuGroup, context: int, batch: int
    ) -> Bounds:
        """Seconds in which each of ``batch`` streams gets a token.

        Where stages overlap, the streams are shared out evenly: while one part is in a stage, the
        others are in other stages. Each part passes every stage for one token, and the slowest
        stage has to be free for each part in turn.

        Source:
            Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using
            Megatron-LM" (2021), section 2.2, micro-batches of a pipeline; vLLM 0.33.0,
            ``v1/engine/core.py``, ``step_with_batch_queue``: as many batches are in flight as there
            are stages, each with requests of its own.
        """
        count = sum(stage.repeats for stage in pipeline.stages)
        if not pipeline.overlapped or count == 1:
            return self.token_s(pipeline, group, context, batch)
        parts = min(count, batch)
        each = -(-batch // parts)
        stages = self._stage_times(pipeline, group, context, each)
        through = self.token_s(pipeline, group, context, each)
        link = self.link_s(pipeline, each)
        low, mid, high = (
            max(through[b], parts * (max(times[b] for times in stages) + link[b] / count))
            for b in range(3)
        )
        return low, mid, high

    def _stage_times(
        self, pipeline: ReplicaPipeline, group: GpuGroup, context: int, batch: int
    ) -> list[Bounds]:
        """Seconds of each stage at each bound, from fast to slow."""
        every = []
        for stage in pipeline.stages:
            work = self.works.decode(pipeline, stage, context, batch)
            found = self.constants(pipeline, stage)
            low, mid, high = stage_seconds(work, found)
            if batch > 1:
                by, least = found.batch, work.least
                low, mid, high = (
                    max(least, by[0] * low),
                    max(least, by[1] * mid),
                    max(least, by[2] * high),
                )
            if stage.host_bytes:
                spread = self.works.spread(pipeline, batch)
                low += self._host_s(pipeline, stage, group, 0, spread)
                mid += self._host_s(pipeline, stage, group, 1, spread)
                high += self._host_s(pipeline, stage, group, 2, spread)
            every.append((low, mid, high))
        return every

    def _host_s(
        self, pipeline: ReplicaPipeline, stage: Stage, group: GpuGroup, b: int, spread: float
    ) -> float:
        """Seconds that a stage reads system RAM; ``spread`` times as much as for one token.

        The more the RAM delivers, the less of it the cores of the processor keep up with, and they
        look weights up in tables more slowly than they unpack others.
        """
        ram = group.ram_bandwidth_bytes_per_s.bounds[2 - b]
        slower = power(RAM_BYTES_PER_S / ram, self._ram_exponent)
        if pipeline.weights in LOOKED_UP:
            slower *= self._ram_table
        return stage.host_bytes * spread / (ram * min(1.0, self._ram[2 - b] * slower))

    def link_s(self, pipeline: ReplicaPipeline, batch: int, *, prompt: bool = False) -> Bounds:
        """Seconds that a step of ``batch`` tokens spends on links, from fast to slow.

        ``prompt`` says that the tokens are a prompt's.
        """
        bare = self.bare_link_s(pipeline, batch)
        if not bare[2]:
            return bare
        found = self.constants(pipeline, pipeline.stages[0])
        times, hop = found.link_prompt if prompt else found.link, found.hop
        hops, far = pipeline.hops.count, self.network_s(pipeline)
        return (
            bare[0] * times + hops * hop[0] + far[0],
            bare[1] * times + hops * hop[1] + far[1],
            bare[2] * times + hops * hop[2] + far[2],
        )

    def network_s(self, pipeline: ReplicaPipeline) -> Bounds:
        """Seconds that a runtime adds to the hops to other nodes, beyond those inside a node."""
        low, mid, high = self._network_hop.get(pipeline.family, (0.0, 0.0, 0.0))
        across = pipeline.hops.across
        return across * low, across * mid, across * high

    def bare_link_s(self, pipeline: ReplicaPipeline, batch: int) -> Bounds:
        """Seconds on links by their latency and bandwidth alone, without what a runtime adds."""
        shape = pipeline.reduced.shape
        low = mid = high = 0.0
        if pipeline.tp > 1 and pipeline.tensor_link is not None:
            growth = self._growth[_fabric(pipeline.tensor_link)]
            link = self._link(pipeline.tensor_link)
            low, mid, high = tensor_link_s(
                shape.hidden, shape.layers, pipeline.tp, batch, link=link, growth=growth
            )
        hops, tensors = pipeline.hops, pipeline.handover_tensors
        for wire, count in ((hops.network, hops.across), (hops.link, hops.inside)):
            if count > 0 and wire is not None:
                hop = hop_link_s(shape.hidden, count, batch, self._link(wire), tensors)
                low, mid, high = low + hop[0], mid + hop[1], high + hop[2]
        return low, mid, high

    def _link(self, link: Interconnect) -> LinkSpeed:
        if link.id not in self._links:
            self._links[link.id] = _link_speed(link)
        return self._links[link.id]

    def is_tried(self, pipeline: ReplicaPipeline) -> bool:
        """Whether somebody measured the runtime's family on such GPUs as each stage has."""
        classes = (speed_class(pipeline, one.slowest.gpu) for one in pipeline.stages)
        return all(is_tried(self._assumptions, one) for one in classes)

    def constants(self, pipeline: ReplicaPipeline, stage: Stage) -> StageConstants:
        """Constants of the narrowest class that has them, a power limit taken into account.

        Raises:
            KeyError: If not even the family has one.
        """
        gpu = stage.slowest.gpu
        last = self._found
        if last is None or pipeline is not last[0] or gpu is not last[1]:
            key = (
                pipeline.family, pipeline.runtime, pipeline.weights, pipeline.era,
                pipeline.backend, pipeline.power, gpu.id,
            )  # fmt: skip
            of_model = (key, pipeline.reduced.architecture.family)
            found = self._by_model.get(of_model)
            if found is None:
                if key not in self._by_class:
                    self._by_class[key] = self._constants(pipeline, gpu)
                found = self._of_model(pipeline, self._by_class[key])
                self._by_model[of_model] = found
            last = self._found = (pipeline, gpu, found)
        return last[2]

    def _of_model(self, pipeline: ReplicaPipeline, found: StageConstants) -> StageConstants:
        """Constants of a class with the overhead of a family of models."""
        for name in model_factors(pipeline.family, pipeline.reduced.architecture.family):
            if name in self._assumptions:
                by = self._assumptions[name].value.mid
                return replace(found, overhead=_times(found.overhead, by))
        return found

    def _constants(self, pipeline: ReplicaPipeline, gpu: Gpu) -> StageConstants:
        one = speed_class(pipeline, gpu)
        found = constants(self._assumptions, one)
        filled = power(one.size, -self._size)
        found = replace(
            found,
            compute=_times(found.compute, filled),
            attention=_times(found.attention, filled),
        )
        if pipeline.power >= 1:
            return found
        moved = power(pipeline.power, self._power["bandwidth"])
        computed = power(pipeline.power, self._power["compute"])
        return replace(
            found,
            dense=_times(found.dense, moved),
            expert=_times(found.expert, moved),
            cache=_times(found.cache, moved),
            compute=_times(found.compute, computed),
            attention=_times(found.attention, computed),
        )


def _times(shares: Bounds, by: float) -> Bounds:
    return (shares[0] * by, shares[1] * by, shares[2] * by)


def _link_speed(link: Interconnect) -> LinkSpeed:
    """Return a link's speed; what is not known takes no time."""
    latency, bandwidth = link.latency_s, link.bus_bandwidth_bytes_per_s
    unknown = latency is None or bandwidth is None
    return LinkSpeed(
        (0.0, 0.0, 0.0) if latency is None else latency.bounds,
        (1e30, 1e30, 1e30) if unknown or bandwidth is None else bandwidth.bounds,
    )

"""How an assessment is known: the nearest record of what others measured, and how far away it is.

Source:
    ``docs/decisions/0023``; the tiers are those of ``catalog.domain.provenance.Evidence``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, Gpu, Interconnect
from sitegen.catalog.domain.measurements import MemoryRun
from sitegen.catalog.domain.models import Checkpoint, Quantization, Runtime
from sitegen.catalog.domain.provenance import Evidence
from sitegen.catalog.domain.runs import RunSplit, RunSubject, SpeedRun
from sitegen.fit.assessment import Anchor, Assessment
from sitegen.fit.quarantine import Gate, Weigh
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.plan import ParallelPlan
from sitegen.values import dataclass

SAME = 0.01
"""Share by which bits per weight may differ within one checkpoint: rounding of names."""
NEAR = 0.1
"""Share by which bits per weight, or a GPU's bandwidth, may differ in one step."""
STRENGTH = tuple(Evidence)
"""Kinds of evidence, strongest first."""
PLAIN_KEYS = {"": "f16", "auto": "f16", "bfloat16": "f16", "fp16": "f16", "bf16": "f16"}

Gpus = tuple[str, ...]
Key = TypeVar("Key", bound=Hashable)
Where = TypeVar("Where", bound=Hashable)


@dataclass(frozen=True, slots=True)
class _Run:
    """What speed and memory records have in common, as a match needs it."""

    source: str
    id: str
    subject: RunSubject
    system: Combo
    split: RunSplit
    depth_tokens: int | None
    kv_dtype: str
    logged: bool
    """The figures come from a log or a script's output, not from a sentence."""
    tokens_per_s: float | None
    remarks: tuple[str, ...]
    """What sets the run itself apart: a power limit, no captured graphs."""


@dataclass(frozen=True, slots=True)
class EvidenceIndex:
    """The catalog's records by where they ran; made once, and never changed.

    Attributes:
        recipes: Quantizations by id.
        places: Of ``speed`` and ``memory``, the runs by runtime and GPUs.
        met: Of both, the runs by runtime and one of their GPUs.
    """

    recipes: Mapping[str, Quantization]
    places: Mapping[str, Mapping[tuple[str, Gpus], tuple[_Run, ...]]]
    met: Mapping[str, Mapping[tuple[str, str], tuple[_Run, ...]]]

    def speed(self, assessment: Assessment) -> tuple[Evidence, tuple[Anchor, ...]]:
        """Say how the decode speed of an assessment is known, with what was measured."""
        return self._of(assessment, "speed", assessment.workload.context_tokens // 2)

    def memory(self, assessment: Assessment) -> tuple[Evidence, tuple[Anchor, ...]]:
        """Say how the memory of an assessment is known, with what was logged."""
        return self._of(assessment, "memory", assessment.workload.context_tokens)

    def _of(
        self,
        assessment: Assessment,
        quantity: str,
        depth_tokens: int,
    ) -> tuple[Evidence, tuple[Anchor, ...]]:
        plan = assessment.plan
        if plan is None:
            return Evidence.ESTIMATED, ()
        gpus = _gpus_of(assessment.combo, plan)
        anchors = tuple(
            _anchor(quantity, run, steps)
            for run in self.places[quantity].get((assessment.runtime.id, _names(gpus)), ())
            if (steps := self._steps(assessment, plan, run, depth_tokens)) is not None
        )
        if anchors:
            best = min(anchors, key=lambda a: STRENGTH.index(a.evidence)).evidence
            return best, _nearest_first(anchors)
        met = self.met[quantity]
        known = all((assessment.runtime.id, gpu.id) in met for gpu in gpus)
        return (Evidence.EXTRAPOLATED if known else Evidence.ESTIMATED), ()

    def _steps(
        self, assessment: Assessment, plan: ParallelPlan, run: _Run, depth_tokens: int
    ) -> tuple[str, ...] | None:
        """Name what differs between an assessment and a run; ``None`` if it is another thing."""
        if run.subject.model != assessment.model.id:
            return None
        bits = self._bits(run.subject, assessment)
        own = assessment.checkpoint.quantization.nominal_bits
        if bits is None or abs(bits - own) > NEAR * own:
            return None
        if _other_split(plan, run.split):
            return None
        differs = list(run.remarks)
        if abs(bits - own) > SAME * own:
            differs.append("quantization")
        if not _same_version(assessment.runtime, assessment.profile.version, run.subject.version):
            differs.append("version")
        if _links(run.system) != _links_of(assessment.combo, plan):
            differs.append("link")
        if plan.cpu_expert_layers:
            differs += _of_ram(plan, run, assessment.combo)
        if run.kv_dtype != assessment.workload.kv_dtype:
            differs.append("kv-dtype")
        if run.depth_tokens is None or not _alike(run.depth_tokens, depth_tokens):
            differs.append("context")
        return tuple(differs)

    def _bits(self, subject: RunSubject, assessment: Assessment) -> float | None:
        """Return bits per weight of what ran; ``None`` where the record does not say."""
        checkpoint = _listed(assessment.model.checkpoints, subject.checkpoint)
        if checkpoint is not None:
            return checkpoint.quantization.nominal_bits
        recipe = self.recipes.get(subject.quantization)
        if recipe is not None:
            return recipe.nominal_bits
        native = next((c for c in assessment.model.checkpoints if c.native), None)
        return None if native is None else native.quantization.nominal_bits


def evidence_of(catalog: Catalog, weigh: Weigh) -> EvidenceIndex:
    """Index a catalog's records; a run above a physical bound is none of them.

    A run is judged when an assessment first comes near it: judging all of them takes a sixth of
    the time in which the command line answers one question.
    """
    gate = Gate(catalog, weigh)
    speeds = {
        (file.id, run.id): run
        for file in catalog.benchmarks.values()
        for run in file.runs
        if run.figures.decode_tokens_per_s is not None
        and run.workload.sequences == 1
        and not run.speculative
        and not run.doubt
    }

    def possible(run: _Run) -> bool:
        return gate.finding(speeds[run.source, run.id]) is None

    measured = [_of_speed(source, run) for (source, _), run in speeds.items()]
    logged = [
        _of_memory(log.id, run, run.system)
        for log in catalog.measurements.values()
        for run in log.runs
        if run.system is not None and run.outcome != "unknown" and not run.program
    ]
    return EvidenceIndex(
        catalog.quantizations,
        {
            "speed": _Possible(_by_place(measured), possible),
            "memory": _by_place(logged),
        },
        {
            "speed": _Possible(_by_gpu(measured), possible),
            "memory": _by_gpu(logged),
        },
    )


class _Possible(Mapping[Key, tuple[_Run, ...]]):
    """Runs by key without those that break a bound, which are found when a key is read."""

    def __init__(
        self, runs: Mapping[Key, tuple[_Run, ...]], possible: Callable[[_Run], bool]
    ) -> None:
        self._runs = runs
        self._possible = possible
        self._kept: dict[Key, tuple[_Run, ...]] = {}

    def __getitem__(self, key: Key) -> tuple[_Run, ...]:
        if key not in self._kept:
            self._kept[key] = tuple(run for run in self._runs[key] if self._possible(run))
        if not self._kept[key]:
            raise KeyError(key)
        return self._kept[key]

    def __iter__(self) -> Iterator[Key]:
        return (key for key in self._runs if key in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _listed(checkpoints: Iterable[Checkpoint], id: str) -> Checkpoint | None:
    return next((one for one in checkpoints if one.id == id), None) if id else None


def _by_place(runs: Iterable[_Run]) -> dict[tuple[str, Gpus], tuple[_Run, ...]]:
    return _grouped((run.subject.runtime, _names(_gpus_in(run.system)), run) for run in runs)


def _by_gpu(runs: Iterable[_Run]) -> dict[tuple[str, str], tuple[_Run, ...]]:
    return _grouped(
        (run.subject.runtime, gpu, run)
        for run in runs
        for gpu in dict.fromkeys(one.id for one in _gpus_in(run.system))
    )


def _grouped(keyed: Iterable[tuple[str, Where, _Run]]) -> dict[tuple[str, Where], tuple[_Run, ...]]:
    groups: dict[tuple[str, Where], list[_Run]] = {}
    for runtime, where, run in keyed:
        groups.setdefault((runtime, where), []).append(run)
    return {key: tuple(runs) for key, runs in groups.items()}


def _gpus_in(system: Combo) -> Iterator[Gpu]:
    return (installed.gpu for installed in system.gpus)


def _of_speed(source: str, run: SpeedRun) -> _Run:
    remarks = ["power"] * (run.power_limit_watts is not None) + ["eager"] * run.eager
    return _Run(
        source=source,
        id=run.id,
        subject=run.subject,
        system=run.system,
        split=run.split,
        depth_tokens=run.workload.depth_tokens,
        kv_dtype=run.workload.kv_dtype,
        logged=run.timed == "steady",
        tokens_per_s=run.figures.decode_tokens_per_s,
        remarks=tuple(remarks),
    )


def _of_memory(source: str, run: MemoryRun, system: Combo) -> _Run:
    keys = run.workload.keys
    return _Run(
        source=source,
        id=run.id,
        subject=run.subject,
        system=system,
        split=run.split,
        depth_tokens=run.workload.context_tokens,
        kv_dtype=PLAIN_KEYS.get(keys, "fp8" if keys.startswith("fp8") else keys),
        logged=any(quantity != "verdict" for quantity in run.usable_for),
        tokens_per_s=None,
        remarks=("eager",) if run.settings.eager else (),
    )


def _anchor(quantity: str, run: _Run, differs: tuple[str, ...]) -> Anchor:
    tier = Evidence.COMMUNITY
    if run.logged and len(differs) <= 1:
        tier = Evidence.MEASURED_NEAR if differs else Evidence.MEASURED
    return Anchor(
        quantity=quantity,
        source=run.source,
        run=run.id,
        tokens_per_s=run.tokens_per_s,
        depth_tokens=run.depth_tokens,
        differs=differs,
        evidence=tier,
    )


def _nearest_first(anchors: Sequence[Anchor]) -> tuple[Anchor, ...]:
    """Order records by how near they are, and begin with the middle speed of the nearest ones.

    A run that was held back by its owner says less than one that differs otherwise.
    """
    ordered = sorted(anchors, key=lambda one: (*_distance(one), one.run))
    nearest = _distance(ordered[0])
    near = [one for one in ordered if _distance(one) == nearest]
    alike = sorted(near, key=lambda one: one.tokens_per_s or 0.0)
    middle = alike[(len(alike) - 1) // 2]
    return (middle, *(one for one in ordered if one is not middle))


def _distance(anchor: Anchor) -> tuple[bool, int]:
    held_back = "power" in anchor.differs or "eager" in anchor.differs
    return held_back, len(anchor.differs)


def _gpus_of(combo: Combo, plan: ParallelPlan) -> tuple[Gpu, ...]:
    return tuple(combo.nodes[node].gpus[gpu].gpu for node, gpu in plan.ranks)


def _names(gpus: Iterable[Gpu]) -> Gpus:
    return tuple(sorted(gpu.id for gpu in gpus))


def _other_split(plan: ParallelPlan, ran: RunSplit) -> bool:
    """Whether a run states another split than the plan's."""
    tensor = ran.tensor is not None and ran.tensor != plan.tensor_parallel_size
    pipeline = ran.pipeline is not None and ran.pipeline != plan.pipeline_parallel_size
    in_ram = (ran.cpu_expert_layers > 0) != (plan.cpu_expert_layers > 0)
    return tensor or pipeline or (ran.data or 1) > 1 or in_ram or plan.cpu_layers > 0


def _of_ram(plan: ParallelPlan, run: _Run, combo: Combo) -> Iterator[str]:
    """Name what differs in how much lies in system RAM, and in how fast that is."""
    layers = plan.cpu_expert_layers, run.split.cpu_expert_layers
    if max(layers) - min(layers) > NEAR * max(layers):
        yield "experts-in-ram"
    ours = combo.nodes[plan.ranks[0][0]].ram_bandwidth_bytes_per_s
    theirs = run.system.nodes[0].ram_bandwidth_bytes_per_s
    if ours is None or theirs is None or abs(ours - theirs) > NEAR * theirs:
        yield "system-ram"


def _same_version(runtime: Runtime, assessed: str, ran: str) -> bool:
    profile = profile_of(runtime, ran) if ran else None
    return profile is not None and profile.version == assessed


def _alike(one: int, other: int) -> bool:
    """Whether two context lengths are within a factor of two."""
    return min(one, other) * 2 >= max(one, other)


def _links(combo: Combo) -> tuple[str, ...]:
    """Kinds of link that join the GPUs of a run; nothing for a single GPU."""
    return _kinds((node.link for node in combo.nodes if len(node.gpus) > 1), combo.network)


def _links_of(combo: Combo, plan: ParallelPlan) -> tuple[str, ...]:
    """Kinds of link that join the ranks of a plan."""
    nodes = [node for node, _ in plan.ranks]
    inside = (combo.nodes[node].link for node in sorted(set(nodes)) if nodes.count(node) > 1)
    return _kinds(inside, combo.network if len(set(nodes)) > 1 else None)


def _kinds(inside: Iterable[Interconnect | None], network: Interconnect | None) -> tuple[str, ...]:
    def kinds() -> Iterator[str]:
        for link in (*inside, network):
            if link is not None:
                yield link.kind

    return tuple(sorted(set(kinds())))

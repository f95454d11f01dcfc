"""Too close to call: which measurement would settle a verdict, found by recomputing the tier.

One quantity at a time is collapsed to the low and to the high end of its interval while all others
keep theirs. A measurement settles a verdict when the tier is then the same at both bounds of what
is left, whichever end it finds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sitegen.catalog.domain.hardware import UnifiedMemory
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import FitTier
from sitegen.fit.evaluation import Evaluation
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.open_verdict import DecidingMeasurement, OpenVerdict, ToMeasure, Uncertain
from sitegen.fit.runnable_checkpoint import ServedCheckpoint
from sitegen.fit.verdict import REASONS_FROM_BOUNDS, Thresholds
from sitegen.physics.plan import GpuLedger
from sitegen.survey.verdict_policy import PlannedCheckpoint
from sitegen.values import dataclass

OF_THE_MODEL = frozenset({Uncertain.COMPUTE, Uncertain.GRAPHS})


def measurement(
    quantity: Uncertain, evaluation: Evaluation, busiest: GpuLedger, subject: ServedCheckpoint
) -> ToMeasure:
    """Name a measurement by the parts of the tuple that its quantity depends on.

    What a system keeps of a GPU depends on neither runtime nor model. A GPU's context is the same
    for every model, and for every split unless communication buffers are part of it. Activations
    and graphs belong to a model under a split, whatever its checkpoint; the loaded file to a
    checkpoint under a split, whatever the GPU; speed and a whole start to the whole fit tuple.
    """
    gpu = ((busiest.gpu_id, 0),)
    if quantity is Uncertain.RESERVED:
        return ToMeasure(quantity, gpus=gpu, reserved_bytes=_kept(evaluation))
    by_runtime = ToMeasure(quantity, subject.runtime.id, subject.profile.version)
    communicates = busiest.lines["communication"].high > 0
    if quantity is Uncertain.RUNTIME_OVERHEAD and not communicates:
        return replace(by_runtime, gpus=gpu)
    tp, pp = evaluation.split
    split = replace(by_runtime, tensor_parallel_size=tp, pipeline_parallel_size=pp)
    model, checkpoint = subject.model.id, subject.checkpoint.id
    if quantity is Uncertain.WEIGHTS:
        return replace(split, model_id=model, checkpoint_id=checkpoint)
    spread = replace(split, gpus=gpus_of(evaluation), link_id=_link(evaluation))
    if quantity is Uncertain.RUNTIME_OVERHEAD:
        return spread
    if quantity in OF_THE_MODEL:
        return replace(spread, model_id=model)
    return replace(spread, model_id=model, checkpoint_id=checkpoint)


def _kept(evaluation: Evaluation) -> int:
    """Return the reserved bytes of a GPU; chips with shared memory reserve a fraction."""
    first = evaluation.group.gpus[0]
    return 0 if isinstance(first.gpu.memory, UnifiedMemory) else int(first.reserved.mid)


def gpus_of(evaluation: Evaluation) -> tuple[tuple[str, int], ...]:
    """Count a replica's GPUs by id."""
    return tuple(sorted(Counter(gpu.gpu.id for gpu in evaluation.group.gpus).items()))


def _link(evaluation: Evaluation) -> str:
    """Name the slowest link that the replica crosses."""
    group = evaluation.group
    link = group.network or group.link
    return link.id if link else ""


LINES: Mapping[Uncertain, tuple[str, ...]] = {
    Uncertain.RUNTIME_OVERHEAD: ("context", "communication", "fragmentation"),
    Uncertain.COMPUTE: ("compute",),
    Uncertain.GRAPHS: ("graphs",),
    Uncertain.WEIGHTS: ("weights",),
    Uncertain.RESERVED: ("reserved_os",),
}
"""Ledger lines that one measurement fixes; the cache and the state are exact."""
EVERY_LINE = tuple(line for lines in LINES.values() for line in lines)

LOW, HIGH = 0, 2


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """A verdict's bounds, kept apart by quantity so that any of them can be collapsed.

    ``asked`` are the ledgers at the workload, ``reduced`` those at the shortest context that still
    counts; ``fixed`` says at which bound a line was measured, ``tokens_per_s`` is decode speed.
    """

    asked: tuple[GpuLedger, ...]
    reduced: tuple[GpuLedger, ...]
    warnings: int
    tokens_per_s: Interval
    thresholds: Thresholds
    fixed: Mapping[str, int]

    def collapsed(self, quantity: Uncertain, bound: int) -> Uncertainty:
        """Return what is left in doubt when a quantity was measured at one of its ends."""
        lines = LINES.get(quantity, EVERY_LINE if quantity is not Uncertain.SPEED else ())
        uncertainty = replace(self, fixed=dict.fromkeys(lines, bound))
        if quantity is Uncertain.SPEED:
            return replace(
                uncertainty, tokens_per_s=Interval.exact(self.tokens_per_s.bounds[bound])
            )
        if quantity is Uncertain.RUN:  # little memory and much speed are the kind end
            speed = self.tokens_per_s.bounds[HIGH - bound]
            return replace(uncertainty, tokens_per_s=Interval.exact(speed))
        return uncertainty

    def tiers(self) -> tuple[FitTier, FitTier]:
        """Return the kindest and the harshest reading."""
        low, high = _bounds(self.asked, self.fixed)
        reduced_low, reduced_high = _bounds(self.reduced, self.fixed)
        judge, speed = self.thresholds.tier, self.tokens_per_s
        return (
            judge(low, low, reduced_low, self.warnings, speed.high),
            judge(high, high, reduced_high, self.warnings, speed.low),
        )

    def settled(self) -> FitTier | None:
        """Return the tier where there is only one."""
        kindest, harshest = self.tiers()
        return kindest if kindest is harshest else None


def _bounds(ledgers: Sequence[GpuLedger], fixed: Mapping[str, int]) -> tuple[float, float]:
    """Return the least and the most that the fullest GPU is filled, some lines being fixed."""
    pairs = [_of_gpu(ledger, fixed) for ledger in ledgers]
    return max(low for low, _ in pairs), max(high for _, high in pairs)


def _of_gpu(ledger: GpuLedger, fixed: Mapping[str, int]) -> tuple[float, float]:
    few, many = _budget(ledger, fixed)
    low, high = ledger.need.low, ledger.need.high
    for name in counted(ledger):
        if name in fixed:
            line = ledger.lines[name].bounds
            low += line[fixed[name]] - line[LOW]
            high += line[fixed[name]] - line[HIGH]
    return low / max(many, 1), high / max(few, 1)


WEIGHTS_AND_CACHE = ("weights", "kv", "state", "fragmentation")
"""Ledger lines inside a share with a reserve beside it (SGLang)."""


def counted(ledger: GpuLedger) -> tuple[str, ...]:
    """Name the lines that count against the budget.

    All but the system's; some runtimes leave out graphs, some everything but weights and cache.
    """
    inside = tuple(name for name in ledger.lines if name != "reserved_os")
    for listed in (inside, tuple(name for name in inside if name != "graphs")):
        if abs(sum(ledger.lines[name].mid for name in listed) - ledger.need.mid) <= 1:
            return listed
    return WEIGHTS_AND_CACHE


def _budget(ledger: GpuLedger, fixed: Mapping[str, int]) -> tuple[float, float]:
    """Return the budget's bounds; measuring what the system keeps makes them one."""
    full = ledger.utilization
    few = ledger.need.high / full.high if full.high else float(ledger.budget_bytes)
    many = ledger.need.low / full.low if full.low else float(ledger.budget_bytes)
    if many - few > 1 and "reserved_os" in fixed:
        kept = ledger.lines["reserved_os"].bounds[fixed["reserved_os"]]
        return ledger.visible_bytes - kept, ledger.visible_bytes - kept
    return few, many


def doubt_of(engine: FitEngine, entry: PlannedCheckpoint) -> OpenVerdict | None:
    """Say what would settle an entry's verdict; ``None`` where it is settled."""
    chosen = entry.chosen
    if chosen is None or not chosen.evaluation.too_close:
        return None
    found = chosen.evaluation
    thresholds = engine.judge.thresholds
    return engine.open_verdict(
        found, lambda: _doubt(uncertainty(found, thresholds), found, entry.subject)
    )


def uncertainty(evaluation: Evaluation, thresholds: Thresholds) -> Uncertainty:
    """Gather what the bounds of an evaluation's verdict are made of."""
    tokens, sequences = evaluation.workload.context_tokens, evaluation.workload.sequences
    shortest = min(tokens, thresholds.reduced_context_tokens)
    return Uncertainty(
        asked=evaluation.replica.ledger(tokens, sequences),
        reduced=evaluation.replica.ledger(shortest, sequences),
        warnings=sum(reason.code not in REASONS_FROM_BOUNDS for reason in evaluation.reasons),
        tokens_per_s=evaluation.single_tokens_per_s,
        thresholds=thresholds,
        fixed={},
    )


def _doubt(
    open_question: Uncertainty, evaluation: Evaluation, subject: ServedCheckpoint
) -> OpenVerdict:
    """List the single quantities that settle it, widest first; else all memory, else a run."""
    single = [*LINES, Uncertain.SPEED]
    options = [
        o for q in single if (o := _option(q, open_question, evaluation, subject)) is not None
    ]
    if not options:
        wider = (Uncertain.START_UP, Uncertain.RUN)
        tried = (_option(q, open_question, evaluation, subject) for q in wider)
        options = [option for option in tried if option is not None][:1]
    return OpenVerdict(tuple(sorted(options, key=lambda o: -_relative_width(o, evaluation))))


def _option(
    quantity: Uncertain,
    open_question: Uncertainty,
    evaluation: Evaluation,
    subject: ServedCheckpoint,
) -> DecidingMeasurement | None:
    at_low = open_question.collapsed(quantity, LOW).settled()
    at_high = open_question.collapsed(quantity, HIGH).settled()
    if at_low is None or at_high is None:
        return None
    busiest = max(open_question.asked, key=lambda gpu: gpu.utilization.high)
    measure: ToMeasure = measurement(quantity, evaluation, busiest, subject)
    return DecidingMeasurement(measure, _width(quantity, open_question, busiest), at_low, at_high)


def _width(quantity: Uncertain, uncertainty: Uncertainty, busiest: GpuLedger) -> Interval:
    if quantity is Uncertain.SPEED:
        return uncertainty.tokens_per_s
    if quantity in LINES:
        return Interval.total([busiest.lines[name] for name in LINES[quantity]])
    exact = busiest.lines["kv"].plus(busiest.lines["state"])  # and not of the start
    return busiest.need.minus(exact)


def _relative_width(option: DecidingMeasurement, evaluation: Evaluation) -> float:
    """Width over what it is a part of: the GPU's memory, or the speed itself."""
    width = option.bounds.high - option.bounds.low
    if option.measure.quantity is Uncertain.SPEED:
        return width / max(option.bounds.mid, 1e-9)
    return width / evaluation.group.smallest.visible_bytes

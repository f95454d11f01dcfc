"""The planner: which of the valid plans on a combo is best for a goal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from sitegen.catalog.domain.hardware import Combo
from sitegen.engine.assessment import FitTier, Goal, Settings, Workload
from sitegen.engine.devices import DeviceSet
from sitegen.engine.evaluate import Evaluation
from sitegen.engine.fit_engine import FitEngine, Subject

RANK = {tier: place for place, tier in enumerate(FitTier)}
"""Tiers by how good they are, 0 the best."""


@dataclass(frozen=True, slots=True)
class Question:
    """A checkpoint under a runtime on a combo, with workload, settings and goal."""

    subject: Subject
    combo: Combo
    workload: Workload
    settings: Settings
    goal: Goal


@dataclass(frozen=True, slots=True)
class Candidate:
    """An evaluated plan and how many replicas of it the combo holds."""

    evaluation: Evaluation
    copies: int


def best_plan(engine: FitEngine, question: Question) -> Candidate | None:
    """Pick the best plan; ``None`` where no split is valid.

    Tier first, then the goal, then fewer GPUs and the simpler split. For throughput more replicas
    come first (club-3090 measured 3.4 times the aggregate of TP 4 with four replicas of a model
    that fits one GPU); for the largest model the lowest utilization, which leaves room for
    context; for latency single-stream speed. Where nothing fits, a raised limit of unified memory
    and layers or experts in system RAM are tried too.
    """
    chosen = _best(_candidates(engine, question), question.goal)
    if chosen is not None and chosen.evaluation.tier is FitTier.NOT_PRACTICAL:
        chosen = _best([chosen, *_last_resorts(engine, question)], question.goal)
    return chosen


def _best(candidates: Iterable[Candidate], goal: Goal) -> Candidate | None:
    return min(candidates, key=lambda c: _order(c, goal), default=None)


def _order(candidate: Candidate, goal: Goal) -> tuple[float, ...]:
    found = candidate.evaluation
    tp, pp = found.split
    simplicity = (len(found.devices.ranks), pp, -tp)
    speed = found.single_tokens_per_s.mid
    tier = RANK[found.tier]
    if found.tier is FitTier.NOT_PRACTICAL:
        return (tier, found.utilization.low, *simplicity)
    if goal is Goal.LATENCY:
        return (tier, -speed, *simplicity)
    if goal is Goal.THROUGHPUT:
        return (tier, -candidate.copies, -speed, *simplicity)
    return (tier, found.utilization.mid, -speed, *simplicity)


def _candidates(engine: FitEngine, question: Question) -> Iterator[Candidate]:
    """Yield evaluated plans; for throughput, most replicas first, until one is comfortable."""
    sets = [s for s in engine.sets(question.combo) if _may_hold(engine, question, s[0])]
    sets = sets or list(engine.sets(question.combo)[-1:])
    if question.goal is not Goal.THROUGHPUT:
        yield from _evaluated(engine, question, sets)
        return
    by_copies = groupby(sorted(sets, key=lambda s: -s[1]), key=lambda s: s[1])
    for _, alike in by_copies:
        found = list(_evaluated(engine, question, alike))
        yield from found
        if any(c.evaluation.tier is FitTier.COMFORTABLE for c in found):
            return


def _evaluated(
    engine: FitEngine, question: Question, sets: Iterable[tuple[DeviceSet, int]]
) -> Iterator[Candidate]:
    for devices, copies in sets:
        for found in engine.evaluations(
            question.subject, devices, question.workload, question.settings
        ):
            yield Candidate(found, copies)


def _may_hold(engine: FitEngine, question: Question, devices: DeviceSet) -> bool:
    """Whether the weights alone are below everything that the GPUs can hold together."""
    return engine.coefficients(question.subject).least_gpu_bytes <= devices.usable_bytes


def _last_resorts(engine: FitEngine, question: Question) -> Iterator[Candidate]:
    """Yield what may still run: a raised limit of unified memory, layers or experts in RAM."""
    subject, workload = question.subject, question.workload
    raised = replace(question.settings, raised_limit=True)
    least = engine.coefficients(subject).least_gpu_bytes
    for devices, copies in engine.sets(question.combo):
        first = devices.devices[0]
        if first.reserved.mid > first.raised_reserved.mid:
            for found in engine.evaluations(subject, devices, workload, raised):
                yield Candidate(found, copies)
        spare = devices.ram_bytes if subject.runtime.capabilities.cpu_offload else 0
        if spare and least <= devices.usable_bytes + spare:
            for found in engine.evaluations(
                subject, devices, workload, question.settings, offload=True
            ):
                yield Candidate(found, 1)

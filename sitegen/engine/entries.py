"""A model's checkpoints judged on a combo, as far as a verdict needs them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sitegen.catalog.domain.hardware import Combo
from sitegen.engine.answers import Entry, batches
from sitegen.engine.assessment import FitTier, Goal, Settings, Workload
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.planner import Question, best_plan
from sitegen.engine.prepared import Prepared

DEFAULTS = Settings()


def judged_entries(
    engine: FitEngine,
    combo: Combo,
    subjects: Sequence[tuple[Prepared, Workload]],
    goal: Goal,
) -> Iterator[Entry]:
    """Judge the production checkpoints, and smaller ones where none of those is comfortable.

    Runtimes that are not surveyed in full bring one checkpoint each (see ``loadable``), and only
    where no other is comfortable, or none that batches if they do: a verdict and the serving
    answer take the best, and between equals the runtime surveyed in full.

    Args:
        engine: What remembers earlier answers.
        combo: The hardware.
        subjects: Checkpoints under runtimes in the order of ``loadable``, with their workloads.
        goal: What plans are chosen for.
    """
    sets = engine.sets(combo)
    comfortable = served = False
    for prepared, workload in subjects:
        subject = prepared.subject
        if comfortable and not subject.checkpoint.quantization.production:
            continue
        many = batches(subject.runtime)
        if not subject.runtime.surveyed_in_full and (served or (comfortable and not many)):
            continue
        chosen = best_plan(Question(prepared, sets, workload, DEFAULTS, goal))
        if chosen is not None and chosen.evaluation.tier is FitTier.COMFORTABLE:
            comfortable = True
            served = served or many
        yield Entry(subject, chosen, prepared.coefficients.weights.total_bytes)

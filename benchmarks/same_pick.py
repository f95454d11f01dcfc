"""Every pair of the catalog asked four ways: page, ``sitegen fit``, named runtime, composed build.

The page, the command without options and the same hardware composed by a reader must name one pick;
a runtime that is named must answer with a file of the best tier that any of its files reaches, and
with the verdict of the pick where that runs under it. The browser is compared with Python by
``benchmarks/browser_parity.py``::

    python -m benchmarks.same_pick [COMBO ...]

Exits with 1 where any pair differs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.load import parse_catalog
from sitegen.cli.questions.fit_options import FitOptions
from sitegen.cli.questions.fit_request import question_from
from sitegen.fit.assessment import Assessment, FitTier, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import RANK, Question, best_plan
from sitegen.inputs import read_project
from sitegen.physics.plan import DEFAULTS
from sitegen.survey.composed_build import BuildQuestion, build_of, combo_of, verdict_of
from sitegen.survey.every_combo import survey_combo
from sitegen.survey.verdict_policy import answered, reference_workload

ROOT = Path(__file__).parents[1]
SHOWN = 20


def picks_of_page(engine: FitEngine, combo: Combo) -> dict[str, Assessment]:
    """Return the pick of every row of a combo's page, by model id, without what would help."""
    return {row.model.id: replace(row.pick, cure=None) for row in survey_combo(engine, combo).rows}


def differences(engine: FitEngine, combo: Combo) -> Iterator[str]:
    """Name every model of a combo whose pick is another one when asked another way."""
    page = picks_of_page(engine, combo)
    same = combo_of(engine.catalog, build_of(combo), combo.id)
    asked = BuildQuestion(int(engine.assumptions["reference-context-tokens"].value.mid))
    for model in engine.catalog.surveyed_models:
        typed = typed_pick(engine, model.id, combo.id)
        shown = page.get(model.id)
        if shown is None:
            if typed is not None and typed.tier is not FitTier.NOT_PRACTICAL:
                yield f"{combo.id} {model.id}: no row, and the command says {_words(typed)}"
            continue
        if typed != shown:
            yield f"{combo.id} {model.id}: page {_words(shown)}, command {_words(typed)}"
        composed = verdict_of(engine, same, model, asked, cured=False)
        if composed != shown:
            yield f"{combo.id} {model.id}: page {_words(shown)}, composed {_words(composed)}"


def typed_pick(engine: FitEngine, model: str, combo: str, runtime: str = "") -> Assessment | None:
    """Return the pick of ``sitegen fit MODEL COMBO``, with ``--runtime`` where one is named."""
    options = FitOptions(targets=(model, combo), runtime=runtime)
    return answered(engine, question_from(options, engine), cured=False)


def refusals(engine: FitEngine, combo: Combo, runtime: str) -> Iterator[str]:
    """Name the models for which a named runtime answers with less than one of its files gives."""
    for model in engine.catalog.surveyed_models:
        best = best_tier(engine, combo, model.id, runtime)
        if best is None:
            continue
        typed = typed_pick(engine, model.id, combo.id, runtime)
        if typed is None or RANK[typed.tier] > RANK[best]:
            yield f"{combo.id} {model.id} --runtime {runtime}: {_words(typed)}, a file is {best}"


def other_verdicts(engine: FitEngine, combo: Combo) -> Iterator[str]:
    """Name the models whose verdict is another one once the runtime of their pick is named."""
    for model in engine.catalog.surveyed_models:
        free = typed_pick(engine, model.id, combo.id)
        found = typed_pick(engine, model.id, combo.id, free.runtime.id) if free else None
        if free is not None and (found is None or found.tier is not free.tier):
            yield f"{combo.id} {model.id}: {_words(free)}, with its runtime named {_words(found)}"


def best_tier(engine: FitEngine, combo: Combo, model_id: str, runtime: str) -> FitTier | None:
    """Judge each production file of a model under a runtime; ``None`` where it loads none."""
    model = engine.catalog.models[model_id]
    workload, sets = reference_workload(engine, model), engine.gpu_groups(combo)
    tiers = []
    for prepared in engine.loaded_by(model, runtime):
        if prepared.subject.checkpoint.quantization.production:
            found = best_plan(Question(prepared, sets, workload, DEFAULTS, PlanGoal.THROUGHPUT))
            tiers.append(found.evaluation.tier if found else FitTier.NOT_PRACTICAL)
    return min(tiers, key=RANK.__getitem__, default=None)


def _words(found: Assessment | None) -> str:
    if found is None:
        return "nothing"
    plan = found.plan
    split = "no plan"
    if plan is not None:
        sizes = (plan.tensor_parallel_size, plan.pipeline_parallel_size, plan.replicas)
        split = f"{plan.kind} TP {sizes[0]} PP {sizes[1]} x {sizes[2]}"
    return f"{found.tier} {found.checkpoint.id} {found.runtime.id} {split}"


def main(words: Sequence[str]) -> int:
    """Compare and report."""
    engine = FitEngine(parse_catalog(read_project(ROOT).catalog))
    combos = [engine.catalog.combos[id_] for id_ in words] or list(engine.catalog.combos.values())
    begun = time.monotonic()
    wrong: list[str] = []
    for combo in combos:
        wrong += differences(engine, combo)
        wrong += refusals(engine, combo, "vllm")
        wrong += other_verdicts(engine, combo)
        engine.forget()
    pairs = len(combos) * len(engine.catalog.surveyed_models)
    print(f"pairs: {pairs}, different: {len(wrong)}, {time.monotonic() - begun:.0f} s")
    print(*wrong[:SHOWN], sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Recipes of the whole real catalog: a spread of models on every combo under every runtime."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Runtime
from sitegen.fit.assess import assess
from sitegen.fit.assessment import Assessment, FitRequest, FitTier, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.plan import Workload
from sitegen.recipes import recipes_for
from sitegen.recipes.recipe import Recipe
from sitegen.survey.verdict_policy import reference_workload
from tests.made_once import made_once
from tests.survey.whole_catalog import packer, whole_catalog, whole_engine

MODELS = ("llama-3.1-8b-instruct", "qwen3-32b", "gpt-oss-120b", "deepseek-r1")
"""Small and dense to large and sparse, so that every combo runs one or more."""


@cache
def engine() -> FitEngine:
    """One engine for all tests of a process."""
    return whole_engine()


def smallest(model: LanguageModel, runtime: Runtime) -> Checkpoint | None:
    """The smallest production checkpoint that a runtime loads."""
    loads = [
        one
        for one in model.checkpoints
        if one.quantization.production and one.quantization.format in runtime.formats
    ]
    return min(loads, key=lambda one: one.quantization.nominal_bits, default=None)


@cache
def assessments() -> tuple[Assessment, ...]:
    """What runs, judged once for all workers."""
    found: tuple[Assessment, ...] = made_once(
        "assessments of everything", judged, pack=packer().pack, unpack=packer().unpack
    )
    return found


def judged() -> tuple[Assessment, ...]:
    """Judge each model on each combo under each runtime, for room and for throughput."""
    catalog, found = whole_catalog(), {}
    for combo in catalog.combos.values():
        vendors = {gpu.gpu.vendor for gpu in combo.gpus}
        for model in (catalog.models[name] for name in MODELS):
            for runtime, profile in engine().assessed_runtimes():
                checkpoint = smallest(model, runtime)
                if checkpoint is None or vendors.isdisjoint(runtime.vendors):
                    continue
                workload = reference_workload(engine(), model)
                for goal in (PlanGoal.LARGEST_MODEL, PlanGoal.THROUGHPUT):
                    request = FitRequest(
                        model, checkpoint, combo, runtime, profile, workload, goal=goal
                    )
                    one = assess(engine(), request)
                    if one.plan is not None and one.tier is not FitTier.NOT_PRACTICAL:
                        found[one.id, one.plan] = one
    return tuple(found.values())


@cache
def recipes() -> tuple[Recipe, ...]:
    """Every recipe of every assessment."""
    return tuple(one for found in assessments() for one in recipes_for(found))


def unnamed(found: Assessment) -> Assessment:
    """The same answer, had nobody published the files."""
    return replace(found, checkpoint=replace(found.checkpoint, repository="", variant=""))


def asked(
    combo: str, model: str, runtime: str, checkpoint: str, *, kv_dtype: str = "f16", **more: object
) -> Assessment:
    """Assess one question about the real catalog."""
    catalog = whole_catalog()
    of = catalog.models[model]
    found, profile = next(pair for pair in engine().assessed_runtimes() if pair[0].id == runtime)
    chosen = next(one for one in of.checkpoints if one.id == checkpoint)
    workload = Workload(8_192, 1, kv_dtype)
    request = FitRequest(of, chosen, catalog.combos[combo], found, profile, workload, **more)  # type: ignore[arg-type]
    return assess(engine(), request)

"""A runtime as an orchestrator runs it is judged for itself, whatever was asked before."""

from __future__ import annotations

from dataclasses import replace

from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.runnable_checkpoint import ServedCheckpoint
from sitegen.physics.plan import DEFAULTS, Workload
from tests.survey.whole_catalog import whole_catalog


def test_an_engine_remembers_a_narrowed_runtime_apart_from_the_whole_one() -> None:
    catalog = whole_catalog()
    engine = FitEngine(catalog)
    combo, model = catalog.combos["2x-rtx-4090"], catalog.models["qwen3-8b"]
    runtime = catalog.runtimes["llama-cpp"]
    narrowed = replace(runtime, capabilities=replace(runtime.capabilities, tensor_parallel=False))
    checkpoint = next(one for one in model.checkpoints if one.id == "q8-0")
    profile = {r.id: p for r, p in engine.assessed_runtimes()}["llama-cpp"]
    splits = [
        {
            found.split
            for group, _ in engine.gpu_groups(combo)
            for found in engine.prepare(
                ServedCheckpoint(model, checkpoint, one, profile)
            ).evaluations(group, Workload(8_192, 1, "f16"), DEFAULTS)
        }
        for one in (runtime, narrowed)
    ]
    assert (2, 1) in splits[0]
    assert (2, 1) not in splits[1]

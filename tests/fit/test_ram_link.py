"""How fast a GPU reads weights that lie in system RAM: over a bus, or beside it on a module."""

from __future__ import annotations

from dataclasses import replace

from sitegen.catalog.domain.models import Checkpoint
from sitegen.fit.assess import assess
from sitegen.fit.assessment import Assessment, FitRequest
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.plan import Workload
from tests.survey.whole_catalog import whole_catalog


def offloaded(*, on_module: bool) -> Assessment:
    """Qwen3 235B at 4 bits on a GH200: part of its experts lies in the RAM of the processor."""
    catalog = whole_catalog()
    combo, model = catalog.combos["1x-gh200-96gb"], catalog.models["qwen3-235b-a22b"]
    if not on_module:
        (node,) = combo.nodes
        (one,) = node.gpus
        gpu = replace(one.gpu, ram_link_bytes_per_s=None)
        combo = replace(combo, nodes=(replace(node, gpus=(replace(one, gpu=gpu),)),))
    checkpoint: Checkpoint = next(one for one in model.checkpoints if one.id == "q4-k-m")
    runtime = catalog.runtimes["llama-cpp"]
    profile = profile_of(runtime)
    assert profile is not None
    workload = Workload(8_192, 1, "f16")
    request = FitRequest(model, checkpoint, combo, runtime, profile, workload)
    return assess(FitEngine(catalog), request)


def test_prompts_stream_experts_at_the_rate_of_the_link_on_the_module() -> None:
    """346 GB/s against 12 GB/s: nothing else of the prompt changes."""
    near, far = offloaded(on_module=True), offloaded(on_module=False)
    assert near.plan is not None
    assert near.plan == far.plan
    assert near.plan.cpu_expert_layers > 0
    assert near.speed is not None
    assert far.speed is not None
    assert near.speed.prefill_tokens_per_s is not None
    assert far.speed.prefill_tokens_per_s is not None
    faster = near.speed.prefill_tokens_per_s.mid / far.speed.prefill_tokens_per_s.mid
    assert 3 < faster < 346 / 12
    assert near.speed.single_tokens_per_s == far.speed.single_tokens_per_s

"""Which runtimes run on a combo, held against what their makers say and what the engine runs."""

from __future__ import annotations

from sitegen.fit.compatibility import refusal
from sitegen.models.families import architecture
from sitegen.physics.plan import PlanKind
from sitegen.survey.runtime_support import RuntimeOnCombo, WayToPlan, runtimes_on
from tests.recipes.everything import assessments
from tests.survey.whole_catalog import whole_catalog


def on(combo: str) -> dict[str, RuntimeOnCombo]:
    """Judge every runtime of the real catalog on one of its combos."""
    whole = whole_catalog()
    found = runtimes_on(whole.combos[combo], whole.runtimes.values())
    return {one.runtime.id: one for one in found}


def test_a_mac_runs_metal_and_nothing_of_cuda() -> None:
    found = on("mac-studio-m3-ultra-512gb")
    assert {name for name, one in found.items() if one.plans} == {
        "exo", "llama-cpp", "mlx-lm", "ollama",
    }  # fmt: skip
    assert found["vllm"].refusal is not None
    assert found["vllm"].refusal.code == "VENDOR_UNSUPPORTED"


def test_an_old_card_is_refused_by_its_capability() -> None:
    found = on("2x-p40")
    assert found["vllm"].refusal is not None
    assert found["vllm"].refusal.code == "GPU_UNSUPPORTED"
    assert WayToPlan(PlanKind.LAYER_SPLIT) in found["llama-cpp"].plans


def test_tensor_parallelism_crosses_machines_only_over_rdma() -> None:
    across = WayToPlan(PlanKind.TENSOR, over_machines=True)
    assert across in on("2-nodes-8x-h100")["vllm"].plans
    slow = on("2-nodes-2x-rtx-3090-10g")["vllm"].plans
    assert across not in slow
    assert WayToPlan(PlanKind.PIPELINE, over_machines=True) in slow


def test_offload_needs_ram_that_is_known() -> None:
    offload = WayToPlan(PlanKind.OFFLOAD)
    assert offload in on("rtx-3090-epyc-expert-offload")["llama-cpp"].plans
    assert offload not in on("1x-rtx-3090")["llama-cpp"].plans


def test_vllm_runs_packed_int4_of_kimi_on_the_amd_gpus_that_its_recipe_names() -> None:
    whole = whole_catalog()
    kimi, vllm = whole.models["kimi-k2.5"], whole.runtimes["vllm"]
    design, profile = architecture(kimi.config), vllm.profiles[-1]
    (packed,) = (one for one in kimi.checkpoints if one.native)
    assert packed.quantization.id == "w4a16-g32"
    for gpu in ("mi300x", "mi325x", "mi355x"):
        assert refusal(design, packed, vllm, profile, [whole.gpus[gpu]]) is None
    refused = refusal(design, packed, vllm, profile, [whole.gpus["rx-6800-xt"]])
    assert refused is not None
    assert refused.code == "GPU_UNSUPPORTED"


def test_what_the_engine_runs_the_matrix_lists() -> None:
    listed = {
        (combo.id, one.runtime.id)
        for combo in whole_catalog().combos.values()
        for one in runtimes_on(combo, whole_catalog().runtimes.values())
        if one.plans
    }
    assert {(one.combo.id, one.runtime.id) for one in assessments()} <= listed

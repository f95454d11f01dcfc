"""Prefill and decode pools, and where an orchestrator places a replica."""

from __future__ import annotations

import pytest

from sitegen.fit.assessment import FitRequest, FitTier
from sitegen.fit.disaggregated import Disaggregated, disaggregated, transfer_s
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.plan import Workload
from sitegen.recipes.forms.ray_serve import Strategy, placement_group
from tests.fit.questions import ask, catalog, combo, engine, model

FOUR = combo(*["h100-sxm"] * 4, nodes=2, link="nvswitch-gen3", network="ethernet-100g")


def pools(prefill_gpus: int, decode_gpus: int, sequences: int = 8) -> Disaggregated:
    """Llama 3.1 70B in FP8 on two machines with four H100 each, prompts of 8,192 tokens."""
    what = model("llama70")
    vllm = catalog().runtimes["vllm"]
    profile = profile_of(vllm)
    assert profile is not None
    request = FitRequest(
        what,
        next(c for c in what.checkpoints if c.id == "fp8"),
        FOUR,
        vllm,
        profile,
        Workload(8_192, sequences, "f16"),
    )
    return disaggregated(engine(), request, prefill_gpus=prefill_gpus, decode_gpus=decode_gpus)


def test_each_pool_holds_the_whole_model_in_a_ledger_of_its_own() -> None:
    found = pools(4, 4)
    for pool in (found.prefill, found.decode):
        assert pool.tier is FitTier.COMFORTABLE
        assert sum(gpu.lines["weights"].mid for gpu in pool.ledger) >= 70.5 * 10**9
    # one prompt at a time on one side, every sequence on the other
    cached = [
        sum(gpu.lines["kv"].mid for gpu in pool.ledger) for pool in (found.prefill, found.decode)
    ]
    assert cached[1] == 8 * cached[0]


def test_the_cache_of_a_prompt_travels_over_the_network_between_the_pools() -> None:
    """80 layers x 2 x 8 heads x 128 x 2 B = 327,680 B a token; 8,192 tokens are 2.68 GB.

    100 GbE is listed with 8 to 12 GB/s and 20 to 155 microseconds: 0.22 to 0.34 s.
    """
    found = pools(4, 4)
    assert found.transfer_bytes == 8_192 * 327_680 == 2_684_354_560
    assert found.link is not None
    assert found.link.id == "ethernet-100g"
    assert found.transfer_s is not None
    assert found.transfer_s.low == pytest.approx(2_684_354_560 / 12e9 + 20e-6)
    assert found.transfer_s.high == pytest.approx(2_684_354_560 / 8e9 + 155e-6)
    assert transfer_s(found.transfer_bytes, None) is None


def test_pools_cannot_share_a_gpu_and_the_weaker_one_decides() -> None:
    assert [reason.code for reason in pools(4, 5).prefill.reasons] == ["WORLD"]
    lopsided = pools(7, 1)
    assert lopsided.decode.tier is not FitTier.COMFORTABLE
    assert lopsided.weaker is lopsided.decode


def test_a_replica_of_one_machine_is_packed_strictly() -> None:
    found = ask(model("llama70"), "fp8", FOUR, "vllm", tp=4)
    assert found.plan is not None
    group = placement_group(found.plan)
    assert group.strategy is Strategy.STRICT_PACK
    assert (group.bundles_per_node, group.gpus, group.replicas) == ((4,), 4, 2)


def test_a_plan_over_machines_is_packed() -> None:
    """Ray Serve's cross-node example: tensor 4 inside machines, pipeline 2 across, 8 bundles."""
    found = ask(model("llama70"), "bf16", FOUR, "vllm", tp=4, pp=2)
    assert found.plan is not None
    group = placement_group(found.plan)
    assert group.strategy is Strategy.PACK
    assert (group.bundles_per_node, group.gpus) == ((4, 4), 8)

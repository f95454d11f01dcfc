"""Drivers that give memory in limited pieces: what is asked for at once, and where it ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.fit.assess import assess
from sitegen.fit.assessment import Assessment, FitRequest, FitTier
from sitegen.models.unpublished import unpublished
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.plan import Settings, Workload
from sitegen.physics.reduced_checkpoint import reduce_checkpoint
from sitegen.units import GIB
from tests.fit.questions import combo, engine
from tests.survey.whole_catalog import whole_catalog


def asked(
    name: str, recipe: str, gpu: str, version: str, *, context: int, gib: float, gpus: int = 1
) -> Assessment:
    """Assess a GGUF file under llama.cpp with a driver that gives so much in one piece."""
    catalog = whole_catalog()
    runtime, model = catalog.runtimes["llama-cpp"], catalog.models[name]
    profile = profile_of(runtime, version)
    assert profile is not None
    request = FitRequest(
        model=replace(model, context_tokens=max(context, model.context_tokens)),
        checkpoint=unpublished(catalog.quantizations[recipe]),
        combo=combo(*[gpu] * gpus, link="pcie-5-x16" if gpus > 1 else ""),
        runtime=runtime,
        profile=profile,
        workload=Workload(context, 1, "f16"),
        settings=Settings(largest_allocation_bytes=int(gib * GIB)),
    )
    return assess(engine(), request)


def test_the_largest_tensor_of_gemma_3_27b_is_its_embedding() -> None:
    # logged by AMDVLK in llama.cpp issue 15054: "Device memory allocation of size 2819260416"
    catalog = whole_catalog()
    found = reduce_checkpoint(
        catalog.models["gemma-3-27b-it"], unpublished(catalog.quantizations["gguf-f16"])
    )
    assert found.weights.largest_tensor_bytes == 262_208 * 5_376 * 2 == 2_819_260_416


def test_a_tensor_above_the_limit_fits_at_no_context() -> None:
    refused = asked(
        "gemma-3-27b-it", "gguf-f16", "radeon-ai-pro-r9700", "8000", context=4_096, gib=2, gpus=2
    )
    assert refused.tier is FitTier.NOT_PRACTICAL
    assert refused.reasons[0].code == "ALLOCATION_LIMIT"
    assert refused.reasons[0].arguments["need_bytes"] == 2_819_260_416
    given = asked(
        "gemma-3-27b-it", "gguf-f16", "radeon-ai-pro-r9700", "8000", context=4_096, gib=4, gpus=2
    )
    assert "ALLOCATION_LIMIT" not in {reason.code for reason in given.reasons}


@pytest.mark.parametrize(("context", "starts"), [(71_000, True), (72_000, False)])
def test_the_context_at_which_radv_refuses_the_graph_is_found(context: int, starts: bool) -> None:
    # llama.cpp issue 11598: 71,000 tokens start on an MI60 under RADV, 72,000 do not
    found = asked("qwen2.5-7b-instruct-1m", "q8-0", "mi60", "4615", context=context, gib=4)
    assert (found.reasons[:1] == () or found.reasons[0].code != "ALLOCATION_LIMIT") is starts
    if not starts:
        assert found.tier is FitTier.BORDERLINE


def test_the_graph_that_vulkan_refused_on_strix_halo_is_foreseen_to_the_byte_or_so() -> None:
    # llama.cpp issue 15009: "Device memory allocation of size 4757131264 failed", 70,016 cells
    found = asked(
        "qwen3-30b-a3b-thinking-2507", "q8-0", "radeon-ai-pro-r9700", "5000", context=70_016, gib=4
    )
    assert found.reasons[0].arguments["need_bytes"] == pytest.approx(4_757_131_264, rel=0.02)


def test_no_limit_changes_nothing_and_an_id_tells_limits_apart() -> None:
    free = asked(
        "gemma-3-27b-it", "q8-0", "radeon-ai-pro-r9700", "8000", context=8_192, gib=1_000, gpus=2
    )
    tight = asked(
        "gemma-3-27b-it", "q8-0", "radeon-ai-pro-r9700", "8000", context=8_192, gib=999, gpus=2
    )
    assert free.id != tight.id
    assert free.tier is tight.tier

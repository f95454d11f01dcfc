"""Several models on one combo: on disjoint GPUs, with what the machine shares counted once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.assessment import FitRequest, FitTier
from sitegen.survey.best_for_goal import parameters_of
from sitegen.survey.best_for_use import Candidates
from sitegen.survey.colocation import colocate, example, fewest_gpus
from sitegen.survey.results import ColocatedModel
from sitegen.survey.verdict_policy import reference_workload
from sitegen.units import GIB
from tests.survey.whole_catalog import whole_catalog, whole_engine, whole_survey

ENGINE = whole_engine()


def asked(combo: Combo, model: str, checkpoint: str, runtime: str = "vllm") -> list[FitRequest]:
    """One question about a model of the real catalog."""
    of = whole_catalog().models[model]
    found, profile = next(p for p in ENGINE.assessed_runtimes() if p[0].id == runtime)
    chosen = next(one for one in of.checkpoints if one.id == checkpoint)
    return [FitRequest(of, chosen, combo, found, profile, reference_workload(ENGINE, of))]


def together(combo: str | Combo, *models: tuple[str, ...]) -> tuple[ColocatedModel, ...]:
    """Place models of the real catalog on one of its combos."""
    whole = whole_catalog().combos[combo] if isinstance(combo, str) else combo
    return colocate(ENGINE, whole, [asked(whole, *model) for model in models])


SMALL, MIDDLE = ("qwen3-8b", "bf16"), ("qwen3-32b", "fp8-block")


def test_two_small_models_take_one_gpu_each() -> None:
    first, second = together("2x-rtx-4090", SMALL, ("llama-3.1-8b-instruct", "bf16"))
    assert {first.ranks, second.ranks} == {((0, 0),), ((0, 1),)}
    assert first.assessment.model.id == "qwen3-8b"
    assert all(one.assessment.tier is FitTier.COMFORTABLE for one in (first, second))


def test_a_share_is_the_plan_of_that_many_gpus_alone() -> None:
    middle, small = together("4x-rtx-4090", MIDDLE, SMALL)
    alone = whole_catalog().combos["2x-rtx-4090"]
    (same,) = together(alone, MIDDLE)
    assert len(middle.ranks) == len(same.ranks) == 2
    assert middle.assessment.verdict_utilization == same.assessment.verdict_utilization
    assert middle.assessment.combo.id == "4x-rtx-4090"
    assert [(one.node, one.gpu) for one in small.assessment.ledger] == list(small.ranks)


def test_shares_are_disjoint_whatever_the_order_asked() -> None:
    for models in ((MIDDLE, SMALL, SMALL), (SMALL, MIDDLE, SMALL), (SMALL, SMALL, MIDDLE)):
        shares = together("4x-rtx-4090", *models)
        every = [rank for share in shares for rank in share.ranks]
        assert len(every) == len(set(every)) == 4
        assert [s.assessment.model.id for s in shares] == [name for name, _ in models]


def test_more_than_there_is_does_not_fit_together_though_each_does_alone() -> None:
    combo = whole_catalog().combos["2x-rtx-4090"]
    assert together(combo, MIDDLE, SMALL) == ()
    assert fewest_gpus(ENGINE, combo, asked(combo, *MIDDLE)) == 2
    assert fewest_gpus(ENGINE, combo, asked(combo, *SMALL)) == 1


def test_a_model_that_no_machine_holds_needs_no_number_of_gpus() -> None:
    combo = whole_catalog().combos["2x-rtx-4090"]
    assert fewest_gpus(ENGINE, combo, asked(combo, "deepseek-r1", "fp8-block")) == 0


def test_machines_that_share_memory_with_their_gpu_take_one_model_each() -> None:
    shares = together("2x-dgx-spark", MIDDLE, SMALL)
    assert {share.ranks for share in shares} == {((0, 0),), ((1, 0),)}
    assert together("1x-dgx-spark", MIDDLE, SMALL) == ()


def test_the_smaller_card_of_a_mixed_machine_takes_the_smaller_model() -> None:
    combo = whole_catalog().combos["rtx-5090-plus-2x-rtx-3090"]
    names = [gpu.gpu.id for gpu in combo.gpus]
    small, large = together(combo, ("qwen3-8b", "awq-4bit-g128"), ("qwen3-32b", "awq-4bit-g128"))
    assert [names[gpu] for _, gpu in large.ranks] == ["rtx-5090"]
    assert [names[gpu] for _, gpu in small.ranks] == ["rtx-3090"]


@pytest.mark.parametrize("ram_gib", [64, 96])
def test_system_ram_is_shared(ram_gib: int) -> None:
    """gpt-oss 120B keeps experts in RAM beside one card; two of it need the RAM twice."""
    combo = whole_catalog().combos["2x-rtx-3090-pcie"]
    node = replace(combo.nodes[0], ram_bytes=ram_gib * GIB, ram_bandwidth_bytes_per_s=200 * 10**9)
    combo = replace(combo, id=f"own-{ram_gib}", nodes=(node,))
    model = ("gpt-oss-120b", "mxfp4-moe", "llama-cpp")
    (alone,) = together(combo, model)
    assert alone.assessment.plan is not None
    shares = together(combo, model, model)
    assert bool(shares) is (ram_gib == 96)
    assert sum(share.host_bytes for share in shares) <= ram_gib * GIB
    assert all(32 * GIB < share.host_bytes < 60 * GIB for share in shares)


def test_the_desktop_stays_on_the_first_card_of_the_machine() -> None:
    combo = whole_catalog().combos["2x-rtx-4090"]
    node = replace(combo.nodes[0], display_attached=True)
    shares = together(replace(combo, id="own-desktop", nodes=(node,)), SMALL, SMALL)
    by_gpu = {share.ranks[0][1]: share.assessment.ledger[0] for share in shares}
    assert by_gpu[0].lines["reserved_os"].mid > 0
    assert by_gpu[1].lines["reserved_os"].mid == 0


def shown(combo: str) -> list[tuple[str, str]]:
    """Model and runtime of the two that the page of a combo shows."""
    pair = whole_survey(combo).side_by_side
    assert not set(pair[0].ranks) & set(pair[1].ranks)
    assert all(one.assessment.tier is FitTier.COMFORTABLE for one in pair)
    return [(one.assessment.model.id, one.assessment.runtime.id) for one in pair]


def test_an_example_shows_the_best_rated_and_one_of_half_its_size() -> None:
    """It named Mixtral 8x22B and a base model of 8,192 tokens, which nobody would start."""
    (large, _), (small, _) = shown("4x-l40s")
    picks = [row.pick for row in whole_survey("4x-l40s").rows]
    rated = Candidates.of(ENGINE, picks).rated_in_general()
    ratings = {one.assessment.model.id: one.points for one in rated}
    parameters = {one.model.id: parameters_of(ENGINE, one) for one in picks}
    halves = [id_ for id_ in ratings if parameters[id_] <= parameters[large] / 2]
    assert small == max(halves, key=ratings.__getitem__)
    above = {id_ for id_, points in ratings.items() if points > ratings[large]}
    assert all(parameters[id_] > parameters[large] for id_ in above)  # they take all the GPUs


def test_another_runtime_is_shown_where_that_of_the_answer_has_no_room() -> None:
    """VLLM has no room for Qwen3.8 27B on one RTX 3090; servers keep to the answer's runtime."""
    answer = whole_survey("2x-rtx-3090-pcie").lead
    assert answer is not None
    assert (answer.model.id, answer.runtime.id) == ("qwen3.8-27b", "vllm")
    assert shown("2x-rtx-3090-pcie")[0] == ("qwen3.8-27b", "llama-cpp")
    assert {runtime for _, runtime in shown("8x-h100-sxm")} == {"vllm"}


def test_there_is_no_example_on_one_gpu() -> None:
    combo = whole_catalog().combos["1x-rtx-4090"]
    assert example(ENGINE, combo, (), ["vllm"]) == ()


def test_a_machine_with_slow_ram_does_not_speak_for_its_neighbour() -> None:
    """A model with experts in RAM crawls in the first machine and runs in the second."""
    single = whole_catalog().combos["1x-rtx-3090"]
    node = replace(single.nodes[0], ram_bytes=96 * GIB)
    slow, fast = (replace(node, ram_bandwidth_bytes_per_s=rate) for rate in (10**8, 10**11))
    (share,) = together(
        replace(single, id="own-ram", nodes=(slow, fast)),
        ("gpt-oss-120b", "mxfp4-moe", "llama-cpp"),
    )
    assert share.ranks == ((1, 0),)

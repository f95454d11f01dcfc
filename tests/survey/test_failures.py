"""What a loss leaves: reduced combos by hand, and the verdicts on them by their own survey."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import RANK
from sitegen.survey.answers import Failure, FailureKind
from sitegen.survey.every_combo import survey_combo
from sitegen.survey.failures import reduced_combos
from sitegen.survey.results import ComboSurvey
from tests.fit.questions import combo
from tests.survey.small_surveys import rated, small_catalog, surveyed

MODELS = ("llama8", "qwen3_30", "llama70", "dsv3")
PAIR = combo("rtx-3090", "rtx-3090", link="pcie-4-x16", ram_gib=64)
FOUR_NODES = combo("rtx-4090", "rtx-4090", nodes=4, link="pcie-4-x16", network="ethernet-10g")
THREE = combo(*["rtx-3090"] * 3, link="pcie-4-x16")
MIXED = combo("rtx-4090", "rtx-3060-12gb", link="pcie-4-x16")


def gpus(left: Combo) -> list[list[str]]:
    return [[gpu.gpu.id for gpu in node.gpus] for node in left.nodes]


def test_a_single_gpu_leaves_nothing_to_judge() -> None:
    assert reduced_combos(combo("rtx-4090")) == ()
    assert surveyed(combo("rtx-4090"), "llama8").losses == ()


def test_four_nodes_of_two_can_lose_one_of_eight_gpus_or_one_of_four_nodes() -> None:
    gpu, node = reduced_combos(FOUR_NODES)
    assert (gpu.kind, gpu.alike, len(gpu.combo.gpus)) == (FailureKind.GPU, 8, 7)
    assert [len(n.gpus) for n in gpu.combo.nodes] == [2, 2, 2, 1]
    assert gpu.combo.nodes[-1].link is None
    assert (node.kind, node.alike, len(node.combo.nodes)) == (FailureKind.NODE, 4, 3)
    assert node.gpu_ids == ("rtx-4090", "rtx-4090")


def test_each_kind_of_gpu_of_a_mixed_node_is_a_loss_of_its_own() -> None:
    left = {one.gpu_ids: gpus(one.combo) for one in reduced_combos(MIXED)}
    assert left == {
        ("rtx-4090",): [["rtx-3060-12gb"]],
        ("rtx-3060-12gb",): [["rtx-4090"]],
    }


def test_a_node_of_one_gpu_is_lost_with_it_and_no_network_is_left_of_two() -> None:
    two = combo("dgx-spark", nodes=2, network="ethernet-200g", unified_gib=128)
    (only,) = reduced_combos(two)
    assert only.kind is FailureKind.NODE
    assert only.combo.network is None


def losses_with_surveys(where: Combo) -> list[tuple[Failure, ComboSurvey, ComboSurvey]]:
    """Each loss beside a survey of the whole combo and one of a catalog that lacks the GPU."""
    whole = surveyed(where, *MODELS)
    reduced = {(one.kind, one.gpu_ids): one.combo for one in reduced_combos(where)}
    return [
        (loss, whole, surveyed(reduced[loss.kind, loss.gpu_ids], *MODELS)) for loss in whole.losses
    ]


def tuple_of(found: Assessment | None) -> object:
    if found is None:
        return None
    return (found.model.id, found.checkpoint.id, found.runtime.id, found.tier, found.plan,
            found.verdict_utilization, found.speed)  # fmt: skip


@pytest.mark.parametrize("where", [PAIR, FOUR_NODES, MIXED], ids=["pair", "nodes", "mixed"])
def test_a_loss_is_what_a_survey_of_the_smaller_combo_says(where: Combo) -> None:
    checked = losses_with_surveys(where)
    assert checked
    for loss, whole, left in checked:
        after = {row.model.id: row.tier for row in left.rows}
        assert loss.counts == {tier: len(left.tier(tier)) for tier in FitTier}
        assert {(d.model.id, d.before, d.after) for d in loss.drops} == {
            (row.model.id, row.tier, after[row.model.id])
            for row in whole.rows
            if RANK[after[row.model.id]] > RANK[row.tier]
        }
        assert tuple_of(loss.lead.best) == tuple_of(left.lead)
        assert tuple_of(loss.largest.best) == tuple_of(left.largest_single_model)
        assert tuple_of(loss.serving.best) == tuple_of(left.aggregate_serving)


def test_the_model_that_needs_both_gpus_is_lost_with_one_and_the_small_one_runs_alone() -> None:
    """One user is served fastest by both cards together, so one replica is left of one."""
    pair = combo("rtx-a6000", "rtx-a6000", link="nvlink-bridge-ga102")
    whole = surveyed(pair, "llama8", "gptoss120")
    (loss,) = whole.losses
    assert whole.largest_single_model is not None
    assert whole.largest_single_model.model.id == "gptoss120"
    dropped = {drop.model.id: drop.after for drop in loss.drops}
    assert "gptoss120" in dropped
    assert "llama8" not in dropped
    assert loss.largest.best is not None
    assert loss.largest.best.model.id == "llama8"
    eight = {row.model.id: row.pick for row in whole.rows}["llama8"]
    assert eight.plan is not None
    assert loss.largest.best.plan is not None
    assert (len(eight.plan.ranks), len(loss.largest.best.plan.ranks)) == (2, 1)
    assert (eight.plan.replicas, loss.largest.best.plan.replicas) == (1, 1)


def test_serving_goes_on_with_three_of_four_replicas_and_three_quarters_of_the_speed() -> None:
    where = combo("rtx-4090", nodes=4, network="ethernet-10g")
    (loss,) = surveyed(where, "llama8").losses
    before = surveyed(where, "llama8").aggregate_serving
    after = loss.serving.same
    assert before is not None
    assert before.plan is not None
    assert before.speed is not None
    assert after is not None
    assert after.plan is not None
    assert after.speed is not None
    assert (before.plan.replicas, after.plan.replicas) == (4, 3)
    share = after.speed.aggregate_tokens_per_s.mid / before.speed.aggregate_tokens_per_s.mid
    assert share == pytest.approx(3 / 4)
    assert after.speed.single_tokens_per_s == before.speed.single_tokens_per_s


def test_the_worst_case_of_a_mixed_machine_is_the_larger_gpu() -> None:
    worst, other = surveyed(MIXED, *MODELS).losses
    assert worst.worst
    assert not other.worst
    assert worst.gpu_ids == ("rtx-4090",)
    assert worst.counts[FitTier.COMFORTABLE] <= other.counts[FitTier.COMFORTABLE]


def test_what_survives_of_unequal_nodes_may_still_be_the_equal_ones() -> None:
    """Seven GPUs in 2+2+2+1 serve a replica of TP 2 x PP 3 that leaves the odd one idle."""
    gpu, node = reduced_combos(FOUR_NODES)
    whole = replace(gpu.combo, id="odd")
    odd, even = surveyed(whole, "llama70"), surveyed(node.combo, "llama70")
    assert RANK[odd.rows[0].tier] <= RANK[even.rows[0].tier]


@pytest.mark.parametrize(
    ("points", "base"),
    [
        ({"llama8": 40.0, "qwen3_30": 60.0, "llama70": 61.0, "dsv3": 80.0}, ""),
        ({"llama8": 62.0, "qwen3_30": 50.0, "llama70": 90.0}, ""),
        ({"llama8": 90.0, "phi4": 50.0, "qwen3_30": 20.0, "llama70": 70.0}, "llama8"),
    ],
    ids=["near", "far", "base"],
)
def test_with_ratings_a_loss_leaves_the_answers_of_the_smaller_combo(
    points: dict[str, float], base: str
) -> None:
    """A model that may lead nothing hides no other one, however highly it is rated."""
    found = small_catalog(*MODELS, "phi4")
    models = {id_: replace(one, base=id_ == base) for id_, one in found.models.items()}
    engine = FitEngine(replace(found, models=models), ratings=rated(points))
    whole = survey_combo(engine, THREE)
    reduced = {(one.kind, one.gpu_ids): one.combo for one in reduced_combos(THREE)}
    assert whole.losses
    for loss in whole.losses:
        left = survey_combo(engine, reduced[loss.kind, loss.gpu_ids])
        assert left.lead is not None
        assert left.aggregate_serving is not None
        assert tuple_of(loss.lead.best) == tuple_of(left.lead)
        assert tuple_of(loss.largest.best) == tuple_of(left.largest_single_model)
        assert tuple_of(loss.serving.best) == tuple_of(left.aggregate_serving)

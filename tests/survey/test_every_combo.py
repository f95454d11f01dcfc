"""A survey in small: rows, the two answers, cures and what becomes of other checkpoints."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.fit.assessment import FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import Question, best_plan
from sitegen.physics.plan import DEFAULTS, Settings, Workload
from sitegen.survey.effective_vram import effective_vram
from sitegen.survey.every_combo import survey_combo
from sitegen.survey.results import ComboSurvey
from sitegen.survey.verdict_policy import VERDICT_GOAL
from tests.fit.questions import catalog, combo, model
from tests.survey.whole_catalog import whole_catalog

KEPT = ("bf16", "awq-4bit-g128", "q8-0", "q4-k-m", "q2-k")


@pytest.fixture(scope="module")
def four_nodes() -> ComboSurvey:
    where = combo("rtx-4090", "rtx-4090", nodes=4, link="pcie-4-x16", network="ethernet-10g")
    models = []
    for name in ("llama8", "llama70", "dsv3"):
        whole = model(name)
        chosen = tuple(c for c in whole.checkpoints if c.id in KEPT)
        models.append(replace(whole, checkpoints=chosen))
    found = replace(catalog(), models={m.id: m for m in models}, combos={where.id: where})
    return survey_combo(FitEngine(found), where)


def test_every_model_has_one_row_and_every_checkpoint_a_place_in_it(
    four_nodes: ComboSurvey,
) -> None:
    assert {row.model.id for row in four_nodes.rows} == {"llama8", "llama70", "dsv3"}
    for row in four_nodes.rows:
        listed = [one.checkpoint.id for one in row.judged]
        comfortable = row.tier is FitTier.COMFORTABLE
        # under 4 bits only where nothing larger is comfortable
        assert sorted(listed) == sorted(set(KEPT) - ({"q2-k"} if comfortable else set()))


def test_the_smallest_production_checkpoint_carries_the_verdict(four_nodes: ComboSurvey) -> None:
    verdicts = {row.model.id: row.verdict for row in four_nodes.rows}
    assert verdicts["llama70"].checkpoint.id in {"awq-4bit-g128", "q4-k-m"}
    assert verdicts["llama70"].tier is FitTier.COMFORTABLE
    assert verdicts["dsv3"].tier is FitTier.NOT_PRACTICAL


def test_each_stream_has_its_share_of_all_as_the_published_files_say(
    four_nodes: ComboSurvey,
) -> None:
    picks = [row.pick for row in four_nodes.rows if row.pick.speed]
    assert any(pick.plan is not None and pick.plan.replicas > 1 for pick in picks)
    for pick in picks:
        assert pick.speed is not None
        assert pick.plan is not None
        streams = pick.speed.batch * pick.plan.replicas
        each = [end / streams for end in pick.speed.aggregate_tokens_per_s.bounds]
        assert list(pick.speed.each_tokens_per_s.bounds) == pytest.approx(each)


def test_the_largest_model_and_aggregate_serving_are_two_answers(four_nodes: ComboSurvey) -> None:
    largest, serving = four_nodes.largest_single_model, four_nodes.aggregate_serving
    assert largest is not None
    assert serving is not None
    assert largest.model.id == "llama70"
    assert largest.plan is not None
    assert len({node for node, _ in largest.plan.ranks}) > 1
    assert serving.plan is not None
    assert serving.plan.replicas >= 4
    assert len({node for node, _ in serving.plan.ranks}) == 1


def test_what_is_not_practical_says_how_much_is_missing_and_what_would_help(
    four_nodes: ComboSurvey,
) -> None:
    deepseek = next(r.pick for r in four_nodes.rows if r.model.id == "dsv3")
    assert deepseek.shortage_bytes > 0
    assert deepseek.cure is not None
    assert deepseek.cure.code == "MORE_NODES"
    assert deepseek.cure.arguments["count"] in {8, 12, 16}


def test_tensor_parallelism_over_slow_ethernet_is_refused_whatever_the_model(
    four_nodes: ComboSurvey,
) -> None:
    assert [(plan.tensor_parallel_size, plan.reason.code) for plan in four_nodes.refused] == [
        (4, "TP_ACROSS_NODES"),
        (8, "TP_ACROSS_NODES"),
    ]


def test_effective_vram_is_one_number_per_plan_and_never_the_plain_sum(
    four_nodes: ComboSurvey,
) -> None:
    plans = [(e.runtime.id, e.gpus, e.replicas) for e in four_nodes.effective_vram]
    assert len(plans) == len(set(plans))
    installed = four_nodes.combo.installed_vram_bytes
    for effective in four_nodes.effective_vram:
        assert effective.bytes * effective.replicas < installed
        assert effective.for_weights_and_kv_bytes < effective.bytes


def test_what_is_forgotten_is_judged_again_and_alike(four_nodes: ComboSurvey) -> None:
    models = {row.model.id: row.model for row in four_nodes.rows}
    found = replace(catalog(), models=models, combos={four_nodes.combo.id: four_nodes.combo})
    engine = FitEngine(found)
    first = survey_combo(engine, four_nodes.combo)
    (prepared, *_) = engine.loadable(models["llama8"])
    devices, _ = engine.gpu_groups(four_nodes.combo)[0]
    workload = first.rows[0].pick.workload
    before = prepared.evaluations(devices, workload, Settings())
    assert prepared.evaluations(devices, workload, Settings()) is before
    engine.forget()
    assert prepared.evaluations(devices, workload, Settings()) is not before
    assert survey_combo(engine, four_nodes.combo) == first == four_nodes


@pytest.mark.parametrize("ram_gib", [0, 256])
@pytest.mark.parametrize("gpus", [("rtx-4090",), ("rtx-4090", "rtx-4090")])
def test_no_plan_is_practical_of_what_is_called_larger_than_all_gpus(
    gpus: tuple[str, ...], ram_gib: int
) -> None:
    where = combo(*gpus, link="pcie-4-x16", ram_gib=ram_gib)
    engine = FitEngine(replace(catalog(), combos={where.id: where}))
    judged: set[bool] = set()
    for name in ("llama8", "llama70", "dsv3"):
        for prepared in engine.loadable(model(name)):
            beyond = prepared.exceeds_all_memory(engine.gpu_groups(where), DEFAULTS)
            judged.add(beyond)
            if beyond:
                asked = Workload(context_tokens=256, sequences=1, kv_dtype="f16")
                question = Question(
                    prepared, engine.gpu_groups(where), asked, DEFAULTS, VERDICT_GOAL
                )
                chosen = best_plan(question)
                assert chosen is not None
                assert chosen.evaluation.tier is FitTier.NOT_PRACTICAL
    assert judged == {True, False}


def test_a_larger_mac_is_offered_before_a_second_one() -> None:
    where = combo("apple-m3-ultra", unified_gib=96)
    whole = model("llama70")
    big = replace(whole, checkpoints=tuple(c for c in whole.checkpoints if c.id == "gguf-f16"))
    found = replace(catalog(), models={big.id: big}, combos={where.id: where})
    row = survey_combo(FitEngine(found), where).rows[0]
    assert row.verdict.tier is FitTier.NOT_PRACTICAL
    assert row.pick.cure is not None
    assert row.pick.cure.code == "MORE_MEMORY"


def test_single_gpus_that_rdma_joins_are_one_for_a_tensor_split() -> None:
    """As owners of two and four DGX Spark run vLLM; ten-gigabit Ethernet joins a pipeline."""
    whole = whole_catalog()
    engine = FitEngine(whole)

    def widest(name: str) -> tuple[int, int]:
        rows = effective_vram(engine, whole.combos[name])
        first = next(one for one in rows if one.runtime.id == "vllm")
        return first.tensor_parallel_size, first.pipeline_parallel_size

    assert widest("4x-dgx-spark") == (4, 1)
    assert widest("2-nodes-1x-rtx-3090") == (1, 2)
    assert widest("2-nodes-8x-h100") == (8, 2)

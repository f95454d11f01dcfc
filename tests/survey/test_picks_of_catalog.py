"""The policy over rows of the real catalog: what no pick may be, reckoned without the policy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from sitegen.browser.home import home_state
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import (
    BudgetBase,
    Checkpoint,
    LanguageModel,
    MemoryModel,
    Runtime,
)
from sitegen.cli.questions.fit_options import FitOptions
from sitegen.cli.questions.own_hardware import own_combo
from sitegen.fit.assess import assess
from sitegen.fit.assessment import Assessment, FitRequest, FitTier, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import RANK, Question, best_plan, comfortable_plans
from sitegen.fit.runnable_checkpoint import Asks, RunnableCheckpoint
from sitegen.physics.plan import DEFAULTS, Settings, Workload
from sitegen.quality.values import Use
from sitegen.recipes import recipes_for
from sitegen.render.first_answer import answer_html
from sitegen.site.combo.cards import answer_cards, further_recipes, run_words, speed_figure
from sitegen.site.combo.first_answer import first_view
from sitegen.site.combo.recipes import written
from sitegen.site.composed_address import read_state
from sitegen.site.words.speeds import faster
from sitegen.survey.answers import AnswerGoal
from sitegen.survey.composed_build import combo_of, verdict_of
from sitegen.survey.first_answer import of_model, of_survey
from sitegen.survey.reading_users import reading_users
from sitegen.survey.results import ModelOnCombo
from sitegen.survey.verdict_policy import answered, reference_question, reference_workload
from tests.cli.small_project import run
from tests.recipes.commands import value
from tests.survey.whole_catalog import (
    COMBOS,
    ROOT,
    SERVERS,
    whole_catalog,
    whole_engine,
    whole_survey,
)

LENGTHS = (32_768, 16_384)
"""Contexts that a pick should have room for, tokens; after them the reference context."""
FLAGS = (
    DEFAULTS,
    Settings(max_num_seqs=64),
    Settings(max_num_seqs=64, memory_fraction=0.95),
    Settings(max_num_seqs=64, text_only=True),
    Settings(max_num_seqs=64, memory_fraction=0.95, text_only=True),
)


@cache
def engine() -> FitEngine:
    return whole_engine()


def comfortable(combo: str) -> Iterator[ModelOnCombo]:
    yield from whole_survey(combo).tier(FitTier.COMFORTABLE)


def published(checkpoint: Checkpoint) -> bool:
    return checkpoint.native or bool(checkpoint.repository)


def used_there(runtime: Runtime, combo: Combo) -> bool:
    """Whether operators serve with a runtime on such hardware."""
    orchestrator = whole_catalog().runtimes.get(combo.orchestrator)
    if orchestrator is not None:
        return runtime.id in orchestrator.drives
    servers = all(one.gpu.segment == "datacenter" for one in combo.gpus)
    return runtime.memory_model is MemoryModel.PAGED or not servers


def candidates(row: ModelOnCombo) -> Iterator[RunnableCheckpoint]:
    """Production checkpoints of a row's model under the runtimes that operators use there."""
    for prepared in engine().loadable(row.model):
        subject = prepared.subject
        if subject.checkpoint.quantization.production and used_there(
            subject.runtime, row.pick.combo
        ):
            yield prepared


def asked_of(model: LanguageModel) -> Workload:
    """The workload of every row, whatever type of cache a pick's runtime takes by itself."""
    return reference_workload(engine(), model)


def holds(runnable: RunnableCheckpoint, row: ModelOnCombo, tokens: int) -> bool:
    """Whether a comfortable plan, with or without flags, stays so with so long a context."""
    workload, sets = asked_of(row.model), engine().gpu_groups(row.pick.combo)
    paged = runnable.subject.runtime.memory_model is MemoryModel.PAGED
    share = engine().assumptions["comfortable-utilization"].value.mid
    whole = runnable.subject.profile.budget_base is BudgetBase.TOTAL
    for settings in FLAGS if paged else (DEFAULTS,):
        if settings.memory_fraction and not whole:
            continue
        question = Question(runnable, sets, workload, settings, PlanGoal.THROUGHPUT)
        found = comfortable_plans(question)
        roomy = any(one.evaluation.replica.utilization(tokens, 1).high <= share for one in found)
        if found and (roomy or tokens <= workload.context_tokens):
            return True
    return False


def longest(pick: Assessment, row: ModelOnCombo) -> int:
    """The longest of the contexts in question that a pick's checkpoint and runtime hold."""
    prepared = next(
        one
        for one in engine().loaded_by(pick.model, pick.runtime.id)
        if one.subject.checkpoint.id == pick.checkpoint.id
    )
    lengths = (min(tokens, pick.model.context_tokens) for tokens in LENGTHS)
    reference = pick.workload.context_tokens
    return next((tokens for tokens in lengths if holds(prepared, row, tokens)), reference)


@pytest.mark.parametrize("combo", COMBOS)
def test_no_pick_is_of_a_worse_quality_class_than_another_published_file_with_as_much_room(
    combo: str,
) -> None:
    checked = 0
    for row in comfortable(combo):
        pick = row.pick
        own = engine().losses.quality_class(pick.model, pick.checkpoint)
        if own == 0 and published(pick.checkpoint) and used_there(pick.runtime, pick.combo):
            checked += 1
            continue
        room = longest(pick, row)
        for other in candidates(row):
            found = other.subject.checkpoint
            if not published(found) or not holds(other, row, room):
                continue
            assert published(pick.checkpoint), (pick.model.id, found.id)
            assert used_there(pick.runtime, pick.combo), (pick.model.id, found.id)
            other_class = engine().losses.quality_class(pick.model, found)
            assert own <= other_class, (pick.model.id, pick.checkpoint.id, found.id, room)
        checked += 1
    assert checked


@pytest.mark.parametrize("combo", COMBOS)
def test_a_pick_is_published_where_any_published_file_is_comfortable(combo: str) -> None:
    checked = 0
    for row in comfortable(combo):
        if not published(row.pick.checkpoint):
            for other in candidates(row):
                found = other.subject.checkpoint
                assert not (published(found) and holds(other, row, 0)), (row.model.id, found.id)
        checked += 1
    assert checked


@pytest.mark.parametrize("combo", SERVERS)
def test_no_pick_on_servers_is_llama_cpp_where_a_paged_runtime_runs_the_model_comfortably(
    combo: str,
) -> None:
    rows = tuple(comfortable(combo))
    paged = 0
    for row in rows:
        runs = any(
            holds(prepared, row, 0)
            for prepared in candidates(row)
            if prepared.subject.runtime.memory_model is MemoryModel.PAGED
        )
        if runs:
            assert row.pick.runtime.memory_model is MemoryModel.PAGED, row.model.id
            paged += 1
    assert paged > len(rows) / 2


@pytest.mark.parametrize("combo", COMBOS)
def test_verdict_and_pick_of_a_row_are_of_one_tier(combo: str) -> None:
    rows = whole_survey(combo).rows
    assert len(rows) > 100
    assert [row.pick.tier for row in rows] == [row.tier for row in rows]


@pytest.mark.parametrize("combo", COMBOS)
def test_no_verdict_is_worse_than_that_of_any_production_checkpoint_under_a_runtime_in_use(
    combo: str,
) -> None:
    for row in whole_survey(combo).rows:
        if row.tier is FitTier.COMFORTABLE:
            continue
        for prepared in candidates(row):
            sets, workload = engine().gpu_groups(row.pick.combo), asked_of(row.model)
            found = best_plan(Question(prepared, sets, workload, DEFAULTS, PlanGoal.THROUGHPUT))
            if found is not None:
                tier = found.evaluation.tier
                assert RANK[row.tier] <= RANK[tier], (row.model.id, prepared.subject.key)


@pytest.mark.parametrize("combo", COMBOS)
def test_a_borderline_row_names_a_published_file_where_one_reaches_that_tier(combo: str) -> None:
    for row in whole_survey(combo).tier(FitTier.BORDERLINE):
        if published(row.pick.checkpoint):
            continue
        for prepared in candidates(row):
            if published(prepared.subject.checkpoint):
                sets, workload = engine().gpu_groups(row.pick.combo), asked_of(row.model)
                found = best_plan(Question(prepared, sets, workload, DEFAULTS, PlanGoal.THROUGHPUT))
                if found is not None:
                    assert found.evaluation.tier is FitTier.NOT_PRACTICAL, prepared.subject.key


@pytest.mark.parametrize("combo", COMBOS)
def test_no_column_of_a_row_gives_less_than_the_plan_that_is_picked(combo: str) -> None:
    for row in comfortable(combo):
        pick = row.pick
        assert pick.best is not None
        assert pick.limits is not None
        assert pick.plan is not None
        assert pick.best.longest_context[0] >= pick.limits.max_context_tokens, pick.model.id
        for tokens, held in pick.limits.sequences_at.items():
            assert pick.best.users[tokens][0] >= held * pick.plan.replicas, pick.model.id
        if pick.speed is None:
            assert pick.unpriced == ("expert_parallel",), pick.model.id
            continue
        assert pick.best.one_stream is not None
        fastest, _ = pick.best.one_stream
        assert fastest.mid >= pick.speed.single_tokens_per_s.mid, pick.model.id


@pytest.mark.parametrize("combo", COMBOS)
def test_a_row_without_any_plan_has_no_columns_of_other_plans(combo: str) -> None:
    for row in whole_survey(combo).rows:
        assert (row.pick.best is None) is (row.tier is not FitTier.COMFORTABLE), row.model.id


@pytest.mark.parametrize("combo", ["8x-h100-sxm", "2-nodes-8x-h100", "4x-a100-80gb-sxm"])
def test_no_layers_are_dealt_out_in_stages_over_nvlink_where_ranks_alone_hold_the_model(
    combo: str,
) -> None:
    checked = 0
    for row in comfortable(combo):
        pick = row.pick
        plan = pick.plan
        assert plan is not None
        if plan.pipeline_parallel_size == 1:
            continue
        prepared = engine().loaded_by(pick.model, pick.runtime.id)
        found = [
            one.evaluation
            for some in prepared
            if some.subject.checkpoint.id == pick.checkpoint.id
            for one in comfortable_plans(
                Question(
                    some,
                    engine().gpu_groups(pick.combo),
                    pick.workload,
                    pick.settings,
                    PlanGoal.THROUGHPUT,
                )
            )
        ]
        reach = [one for one in found if one.split[1] == 1 and one.group.nodes == 1]
        wanted = min(max(LENGTHS), pick.model.context_tokens)
        share = engine().assumptions["comfortable-utilization"].value.mid
        if any(one.replica.utilization(wanted, 1).high <= share for one in reach):
            pytest.fail(f"{pick.model.id}: {plan}")
        checked += 1
    if combo != "4x-a100-80gb-sxm":
        assert checked


def test_fewer_sequences_come_before_another_runtime_where_they_give_room_for_32k() -> None:
    row = next(r for r in comfortable("1x-rtx-3090") if r.pick.model.id == "glm-4.7-flash")
    assert row.pick.runtime.id == "vllm"
    assert row.pick.settings.max_num_seqs == 64
    found = row.pick.limits
    assert found is not None
    assert found.max_context_tokens >= max(LENGTHS)


@pytest.mark.parametrize(
    ("combo", "model", "tensor_parallel", "whole"),
    [
        ("8x-h200-sxm", "qwen3-coder-480b-a35b-instruct", 8, True),
        ("8x-h100-sxm", "minimax-m2.5", 4, False),
    ],
)
def test_experts_stay_whole_where_their_blocks_forbid_the_cut_and_fewer_ranks_are_too_small(
    combo: str, model: str, tensor_parallel: int, *, whole: bool
) -> None:
    """VLLM's recipes: Qwen3 Coder with ``--enable-expert-parallel`` on eight, MiniMax TP 4."""
    row = next(r for r in comfortable(combo) if r.pick.model.id == model)
    plan, settings = row.pick.plan, row.pick.settings
    assert plan is not None
    assert (plan.tensor_parallel_size, plan.pipeline_parallel_size) == (tensor_parallel, 1)
    assert settings.expert_parallel is whole
    assert (row.pick.speed is None) is whole


BOUGHT = frozenset({"MORE_GPUS", "MORE_NODES", "MORE_MEMORY"})
"""Cures that cost money."""


@pytest.mark.parametrize("combo", ["4x-rtx-3090", "2x-rtx-4090", "1x-rtx-3060-12gb"])
def test_nobody_is_told_to_buy_where_a_published_file_is_comfortable(combo: str) -> None:
    """Files under 4 bits and those of other runtimes are free to try, on the same GPUs."""
    told = []
    where = whole_catalog().combos[combo]
    for row in whole_survey(combo).rows:
        cure = row.pick.cure
        if cure is None or cure.code not in BOUGHT or row.pick.tier is FitTier.COMFORTABLE:
            continue
        for other in engine().loadable(row.model):
            if (
                other.subject.checkpoint.is_published
                and other.weights_bytes < row.pick.weights_bytes
            ):
                asked = Question(
                    engine().on_one_node(other), engine().gpu_groups(where), asked_of(row.model),
                    DEFAULTS, PlanGoal.LATENCY,
                )  # fmt: skip
                if comfortable_plans(asked):
                    told.append((row.model.id, cure.code, other.subject.key))
    assert told == []


def test_a_model_for_six_cards_names_its_small_file_with_what_it_loses_first() -> None:
    """llmgarage.ai runs MiniMax M2.1 at IQ2_M (78 GB) on four RTX 3090, without offload."""
    where, model = whole_catalog().combos["4x-rtx-3090"], whole_catalog().models["minimax-m2.1"]
    found = answered(engine(), reference_question(engine(), where, model))
    assert found is not None
    cure = found.cure
    assert found.tier is FitTier.NOT_PRACTICAL
    assert cure is not None
    assert (cure.code, cure.arguments["runtime"]) == ("OTHER_FILE", "llama-cpp")
    assert str(cure.arguments["checkpoint"]).startswith(("q2", "iq2"))
    assert float(cure.arguments["points"]) > 1


def test_many_users_on_a100_get_the_release_in_fp8_on_half_the_gpus() -> None:
    """GPUStack's lab: Qwen3 235B on eight A100 gave 13 to 59 % more in FP8 on two times four."""
    asked_for = FitOptions(gpu=("a100-80gb-sxm:8",), node_link="nvlink-3")
    where = own_combo(asked_for, whole_catalog())
    model = whole_catalog().models["qwen3-235b-a22b-instruct-2507"]
    asked = reference_question(engine(), where, model, PlanGoal.THROUGHPUT)
    found = answered(engine(), asked, cured=False)
    assert found is not None
    assert found.plan is not None
    assert found.checkpoint.quantization.format == "fp8"
    assert (found.plan.tensor_parallel_size, found.plan.replicas) == (4, 2)


def test_images_are_given_up_for_room_and_kept_where_they_are_the_use() -> None:
    """club-3090 serves Gemma 4 26B-A4B on one RTX 3090 with vision off, for room."""
    where, model = (
        whole_catalog().combos["1x-rtx-3090"],
        whole_catalog().models["gemma-4-26b-a4b-it"],
    )
    question = reference_question(engine(), where, model)
    found = answered(engine(), question, cured=False)
    seeing = answered(engine(), replace(question, sees=True), cured=False)
    assert found is not None
    assert seeing is not None
    assert (found.runtime.id, found.settings.text_only) == ("vllm", True)
    assert found.limits is not None
    assert found.limits.max_context_tokens_low >= max(LENGTHS)
    assert not seeing.settings.text_only
    for use in whole_survey("1x-rtx-3090").uses:
        if use.use is Use.VISION:
            assert not any(one.assessment.settings.text_only for one in use.picks)


def test_two_gpus_of_intel_give_gpt_oss_one_verdict_whether_vllm_is_named_or_not() -> None:
    where = own_combo(FitOptions(gpu=("arc-b580:2",)), whole_catalog())
    model = whole_catalog().models["gpt-oss-20b"]
    free = answered(engine(), reference_question(engine(), where, model), cured=False)
    asked = reference_question(engine(), where, model, runtime="vllm")
    named = answered(engine(), asked, cured=False)
    assert free is not None
    assert named is not None
    assert (named.runtime.id, named.settings.max_num_seqs) == ("vllm", 64)
    assert free.tier is named.tier is FitTier.COMFORTABLE


def test_a_file_for_another_runtime_needs_no_cache_type_of_this_one() -> None:
    """llama.cpp has no FP8 cache: its file is judged with a plain one."""
    words = ("qwen3-next-80b-a3b-instruct", "1x-rtx-5090", "--runtime", "vllm", "--kv-dtype", "fp8")
    found = run("--root", ROOT, "fit", *words, "--json")
    cure = json.loads(found.out)["fit"]["cure"]
    assert (cure["code"], cure["arguments"]["runtime"]) == ("OTHER_FILE", "llama-cpp")


@pytest.mark.parametrize("combo", ["mac-studio-m4-max-128gb", "1x-rtx-3090"])
def test_what_is_best_for_images_reads_them_and_counts_what_they_take(combo: str) -> None:
    """MLX-LM drops image towers when it loads a model, and llama.cpp's projector takes memory."""
    (answer,) = (one for one in whole_survey(combo).uses if one.use is Use.VISION)
    assert answer.picks[0].assessment.runtime.id == "llama-cpp"
    for pick in answer.picks:
        found = pick.assessment
        if found.runtime.id == "vllm":  # loads the tower unless it is told not to
            assert not found.settings.text_only
            continue
        assert (found.runtime.id, found.settings.images) == ("llama-cpp", True)
        assert found.ledger[0].lines["projector"].low > 2 * found.model.vision_parameters


def test_a_quantized_cache_that_is_asked_for_lowers_no_verdict() -> None:
    words = ("qwen3.6-27b", "1x-rtx-3090")
    plain, asked = (
        json.loads(run("--root", ROOT, "fit", *words, *more, "--json").out)
        for more in ((), ("--kv-dtype", "q8_0"))
    )
    assert plain["fit"]["tier"] == asked["fit"]["tier"] == "comfortable"
    assert asked["checkpoint"] == plain["checkpoint"]
    best = run("--root", ROOT, "fit", "--best", "coding", *words[1:], "--kv-dtype", "q8_0")
    assert "sitegen recipe" in best.out
    assert "may reduce quality" in best.out


@pytest.mark.parametrize(
    ("words", "code", "tier"),
    [
        # eight RTX 3090 on PCIe are borderline by their link, which one card does not have
        (("mimo-v2-flash", "1x-rtx-3090"), "MORE_GPUS", "borderline"),
        # the larger Mac needs no limit raised
        (("gpt-oss-120b", "mac-studio-m1-ultra-64gb"), "MORE_MEMORY", "comfortable"),
        # two cards are comfortable with fewer sequences, as their page says
        (("nemotron-h-56b-base-8k", "1x-arc-pro-b60"), "MORE_GPUS", "comfortable"),
    ],
)
def test_a_larger_machine_is_promised_what_its_own_page_says(
    words: tuple[str, str], code: str, tier: str
) -> None:
    cure = json.loads(run("--root", ROOT, "fit", *words, "--json").out)["fit"]["cure"]
    assert (cure["code"], cure["tier"]) == (code, tier)


def test_a_cure_keeps_the_plan_that_was_named() -> None:
    """No share of the GPU makes InfiniBand faster, and TP 8 is another plan than TP 16."""
    words = (
        "llama-3.1-70b-instruct", "2-nodes-8x-h100", "--quantization", "fp8",
        "--runtime", "vllm", "--tensor-parallel", "16",
    )  # fmt: skip
    found = json.loads(run("--root", ROOT, "fit", *words, "--json").out)["fit"]
    assert [one["code"] for one in found["reasons"]] == ["LINK_DECODE"]
    assert found["cure"] is None


def test_of_what_serves_as_many_the_better_model_serves() -> None:
    """Qwen3.6 27B and Qwen3.8 27B are one architecture; the later is rated ten points higher."""
    for survey in map(whole_survey, ("1x-mi300x", "2x-dgx-spark")):
        first = next(one for one in survey.answers if one.goal is AnswerGoal.USERS_8K)
        assert first.best.assessment.model.id != "qwen3.6-27b"


@pytest.mark.parametrize(
    "combo",
    ["1x-dgx-spark", "1x-rtx-3090", "mac-studio-m4-max-128gb", "2x-rtx-5090", "4x-rtx-4090"],
)
def test_a_card_opens_what_it_names(combo: str) -> None:
    """A row's file may be another one: the one that loses least, without images, for one user."""
    catalog, survey = whole_catalog(), whole_survey(combo)
    cards = answer_cards(survey, ())
    assert len(cards) > 2
    for card in cards:
        state = read_state(card.model.url.partition("#")[2], catalog)
        opened = verdict_of(
            engine(), combo_of(catalog, state.build, state.combo), catalog.models[state.model],
            state.asked, cured=False,
        )  # fmt: skip
        assert opened is not None
        assert run_words(opened) == card.run


def test_the_fastest_good_model_is_shown_with_the_file_that_is_the_fastest() -> None:
    """On a Strix Halo the same model serves many in vLLM, where one user gets 32 tok/s of 47."""
    survey = whole_survey("1x-strix-halo")
    (fastest,) = [one for one in survey.answers if one.goal is AnswerGoal.ONE_STREAM]
    assert fastest.best.plan is None
    groups = written(survey)
    shown = [
        card
        for card in answer_cards(survey, (*groups, *further_recipes(survey, groups)))
        if "astest" in card.best_for
    ]
    assert len(shown) == 1
    assert shown[0].figures[0] == speed_figure(fastest.best.assessment)[0]
    assert shown[0].steps is not None
    assert shown[0].steps.url.endswith(f"-{fastest.best.assessment.runtime.id}")


def test_a_card_and_the_home_page_name_the_gain_that_the_commands_name() -> None:
    """The words are those of the recipe's measured gain; the stated speed is as without."""
    survey, catalog = whole_survey("1x-rtx-3090"), whole_catalog()
    recipes = written(survey)
    recipes = (*recipes, *further_recipes(survey, recipes))
    by_address = {f"{id_}-{one.id}": one for id_, found in recipes for one in found}
    cards = answer_cards(survey, recipes)
    gains = []
    for card in cards:
        assert card.steps is not None
        gains.append(by_address[card.steps.url.partition("#")[2]].one_user_gain)
        assert card.faster == faster(gains[-1], card.steps.url)
    assert 2 <= len(gains) - gains.count(None) < len(cards)
    lead = survey.lead
    assert lead is not None
    assert lead.speed is not None
    assert cards[0].figures[0] == speed_figure(lead)[0]
    view = first_view(of_survey(survey), home_state("combo=1x-rtx-3090", catalog), catalog)
    assert view.faster == faster(gains[0], view.whole[0].url)
    said = "Others measured 1.25 to 2.45 times the usual speed with speculative decoding"
    line = f'<p class="note">{said}: <a href='
    assert line in answer_html(view, "/")
    many = home_state("combo=1x-rtx-3090&users=4&model=qwen3.8-27b", catalog)
    found = verdict_of(
        engine(), catalog.combos["1x-rtx-3090"], catalog.models[many.model], many.asked
    )
    assert found is not None
    assert first_view(of_model(found.combo, found), many, catalog).faster is None


@pytest.mark.parametrize(
    ("combo", "held"), [("1x-rtx-3090", True), ("4x-strix-halo-framework", False)]
)
def test_a_card_for_many_users_starts_as_many_requests(combo: str, *, held: bool) -> None:
    """llama-server queues everybody but one unless ``--parallel`` names more."""
    survey = whole_survey(combo)
    serving = survey.aggregate_serving
    assert serving is not None
    assert serving.limits is not None
    assert serving.runtime.id == "llama-cpp"
    (answer,) = (one for one in survey.answers if one.goal is AnswerGoal.USERS_8K)
    assert (answer.best.amount.mid == serving.limits.sequences_at[8_192]) == held
    assert serving.plan is not None
    users = f"{answer.best.amount.mid / serving.plan.replicas:.0f}"
    (group,) = (found for id_, found in further_recipes(survey, ()) if id_.endswith("-many"))
    assert value(group[0], "--parallel") == [users] * len(value(group[0], "--parallel"))
    assert set(value(group[0], "--ctx-size")) == {str(8_192 * int(users))}


def for_many(combo: str, model: str, file: str = "") -> tuple[Assessment, int]:
    """What many users of a model get, of all its files or of one, and how many read along."""
    known = whole_catalog()
    asked = reference_question(
        engine(), known.combos[combo], known.models[model], PlanGoal.THROUGHPUT
    )
    asks = [one for one in asked.asks.every if file in {"", one.subject.checkpoint.id}]
    found = answered(engine(), replace(asked, asks=Asks(asks)))
    assert found is not None
    served = reading_users(engine(), found, 8_192)
    return found, served.count if served is not None else 1


def test_a_few_users_become_many_by_a_file_that_loses_a_point_or_two_more() -> None:
    """Q8_0 of Ling 3.0 Flash on four Strix Halo leaves six users at reading speed."""
    found, users = for_many("4x-strix-halo-framework", "ling-3.0-flash")
    heavy, few = for_many("4x-strix-halo-framework", "ling-3.0-flash", "q8-0")
    assert few < 16
    assert users >= 1.5 * few
    assert lost(found) <= lost(heavy) + 2


def test_who_serves_many_users_keeps_the_file_that_loses_least() -> None:
    """NVFP4 of Muse Glimmer would answer 165 users of two RTX 5090, FP8 answers 108."""
    found, users = for_many("2x-rtx-5090", "muse-glimmer-30b")
    lighter, more = for_many("2x-rtx-5090", "muse-glimmer-30b", "nvfp4")
    assert found.checkpoint.id == "fp8-block"
    assert more >= 1.5 * users
    assert 0 <= lost(found) < lost(lighter) <= 2


def lost(found: Assessment) -> float:
    """The rating points that a pick's file loses."""
    return engine().losses.of(found.model, found.checkpoint).mid


def test_ranks_that_wait_for_their_link_give_way_to_fewer_ranks_and_stages() -> None:
    """Four RTX 3090 in one machine had no plan that the same four in two machines have."""
    known = whole_catalog()
    asked = reference_question(
        engine(), known.combos["4x-rtx-3090"], known.models["qwen3.6-35b-a3b"]
    )
    found = answered(engine(), replace(asked, read_along=True))
    assert found is not None
    assert found.plan is not None
    assert found.tier is FitTier.COMFORTABLE
    assert (found.plan.tensor_parallel_size, found.plan.pipeline_parallel_size) == (2, 2)
    request = FitRequest(
        found.model,
        found.checkpoint,
        found.combo,
        found.runtime,
        found.profile,
        settings=found.settings,
        tensor_parallel_size=4,
    )
    wide = assess(engine(), request)
    assert [one.code for one in wide.reasons] == ["LINK_DECODE"]
    assert wide.speed is not None
    assert found.speed is not None
    assert found.speed.single_tokens_per_s.mid > wide.speed.single_tokens_per_s.mid


def test_commands_for_many_users_start_as_many_requests_and_stand_once() -> None:
    """The section of the P40s started one sequence, and another had the right command."""
    survey = whole_survey("2x-p40")
    assert survey.ways.serving
    groups = written(survey)
    (recipe,) = (one for one in dict(groups)["run-serving"] if one.id == "llama-cpp")
    (most,) = set(value(recipe, "--parallel"))
    assert int(most) > 1
    assert not [id_ for id_, _ in further_recipes(survey, groups) if id_.endswith("-many")]


def test_unequal_gpus_answer_with_a_file_that_the_faster_one_holds() -> None:
    """Q6_K needs the Strix Halo beside the RTX 3090 and is read at its speed: 10 tok/s."""
    known = whole_catalog()

    def both(combo: str) -> tuple[Assessment, Assessment]:
        asked = reference_question(engine(), known.combos[combo], known.models["qwen3.8-27b"])
        found = answered(engine(), asked), answered(engine(), replace(asked, read_along=True))
        assert found[0] is not None
        assert found[1] is not None
        return found[0], found[1]

    row, answer = both("strix-halo-plus-rtx-3090-oculink")
    kinds = (row.checkpoint.quantization.id, answer.checkpoint.quantization.id)
    assert kinds == ("q6-k", "q4-k-m")
    assert row.speed is not None
    assert answer.speed is not None
    slow, fast = row.speed.single_tokens_per_s.mid, answer.speed.single_tokens_per_s.mid
    assert fast >= 2 * slow
    assert 0.8 < fast / 31 < 1.3, "31 tok/s were measured on an RTX 3090"
    assert answer.plan is not None
    assert len(answer.plan.ranks) == 1
    alike = both("2x-rtx-3090-nvlink")
    assert alike[0].checkpoint.id == alike[1].checkpoint.id


@pytest.mark.parametrize(
    ("combo", "model", "more"),
    [
        ("rtx-3090-epyc-expert-offload", "deepseek-v4-flash-0731", "EXPERTS_IN_RAM"),
        ("gorgon-halo-192gb", "deepseek-v4-flash-0731", "OS_LIMIT"),
    ],
)
def test_a_machine_with_more_memory_than_its_gpu_takes_names_what_it_was_bought_for(
    combo: str, model: str, more: str
) -> None:
    survey = whole_survey(combo)
    (found,) = [one for one in survey.answers if one.goal is AnswerGoal.BEYOND]
    larger = found.best.assessment
    assert larger.model.id == model
    assert larger.tier is FitTier.BORDERLINE
    assert more in {one.code for one in larger.reasons} <= {more, "HEADROOM"}
    assert larger.speed is not None
    assert larger.speed.single_tokens_per_s.mid >= 10
    assert survey.lead is not None
    best = survey.rated[survey.lead.model.id].points[Use.OVERALL]
    assert round(found.best.amount.mid) > round(best)
    (card,) = [one for one in answer_cards(survey, ()) if one.best_for.startswith("Rated higher")]
    assert card.model.text == larger.model.name


def test_what_is_only_tight_is_no_answer_beyond_the_memory_but_fits_in_fewer_bits() -> None:
    """Qwen3.8 27B leaves an RTX 4080 no headroom, and no more memory to take, at four bits.

    Owners of cards of 10 to 16 GB run IQ2_XXS to IQ3_XXS of it (sudoingX/qwen38-mtp @c7bc4153).
    """
    survey = whole_survey("1x-rtx-4080")
    (found,) = [one for one in survey.answers if one.goal is AnswerGoal.BEYOND]
    narrow = found.best.assessment
    assert (narrow.model.id, narrow.tier) == ("qwen3.8-27b", FitTier.COMFORTABLE)
    assert not narrow.checkpoint.quantization.production
    assert narrow.limits is not None
    assert narrow.limits.max_context_tokens >= 16_384
    loss = whole_engine().losses.of(narrow.model, narrow.checkpoint).mid
    rating = whole_engine().ratings.of(Use.OVERALL, "qwen3.8-27b")
    assert rating is not None
    assert found.best.amount.mid == pytest.approx(rating.points.mid - loss)
    assert survey.lead is not None
    assert found.best.amount.mid >= survey.rated[survey.lead.model.id].points[Use.OVERALL] + 1
    (card,) = [one for one in answer_cards(survey, ()) if one.best_for.startswith("Rated higher")]
    assert card.best_for == "Rated higher, in a file with fewer than 4 bits per weight"


@pytest.mark.parametrize("combo", ["1x-rtx-4090", "8x-h100-sxm", "2x-rtx-3090-nvlink"])
def test_no_file_of_fewer_bits_is_named_where_the_model_fits_or_many_are_served(
    combo: str,
) -> None:
    answers = whole_survey(combo).answers
    assert AnswerGoal.BEYOND not in {one.goal for one in answers}


def test_commands_of_a_card_raise_the_limit_that_their_plan_exceeds() -> None:
    survey = whole_survey("gorgon-halo-192gb")
    (card,) = [
        one
        for one in answer_cards(survey, further_recipes(survey, ()))
        if one.best_for.startswith("Rated higher")
    ]
    lines = card.commands.splitlines()
    limit = "    sudo grubby --update-kernel=ALL --args=ttm.pages_limit=41943040"
    assert limit in lines
    start = next(at for at, line in enumerate(lines) if line.startswith("llama.cpp/build/bin/"))
    assert lines.index(limit) < start


def test_exo_runs_what_spans_macs_and_mlx_lm_what_stays_inside_one() -> None:
    found = whole_survey("2x-mac-studio-m3-ultra-rdma")
    mlx = [row.pick for row in found.rows if row.pick.runtime.id in {"exo", "mlx-lm"}]
    spanning = {
        (one.runtime.id, len({node for node, _ in one.plan.ranks}))
        for one in mlx
        if one.plan is not None and one.tier is FitTier.COMFORTABLE
    }
    assert spanning >= {("exo", 2), ("mlx-lm", 1)}
    assert ("exo", 1) not in spanning
    (gemma,) = [one for one in mlx if one.model.id == "gemma-4-26b-a4b-it"]
    steps = {step.title: step for step in recipes_for(gemma)[0].steps}
    assert steps["Start the server"].where == "every node"
    assert "This starts 2 servers" in steps["Start the server"].note
    (images,) = [one.picks[0].assessment for one in found.uses if one.use is Use.VISION]
    assert images.runtime.id == "exo"  # mlx-lm reads none

"""The order of the policy's rules, each on a case made by hand with losses made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment, FitTier, PlanGoal
from sitegen.fit.fit_engine import CheckpointLosses, FitEngine
from sitegen.fit.runnable_checkpoint import Asks
from sitegen.physics.plan import DEFAULTS, Settings, Workload
from sitegen.physics.speed.constants import SpeedClass, is_tried
from sitegen.survey.verdict_policy import (
    answered,
    flags_of,
    reference_question,
    usual_goal,
    verdict_of,
)
from sitegen.units import GIB, MIB
from tests.fit.questions import catalog, combo, model, with_visible
from tests.survey.whole_catalog import whole_catalog, whole_engine, whole_survey

ONE_CLASS = CheckpointLosses({}, {}, ())
"""No evidence: nothing is told apart."""
CARD = combo("rtx-3090")
PAIR = combo("rtx-3090", "rtx-3090", link="pcie-4-x16")
SERVER = combo("h100-sxm", "h100-sxm", link="nvlink-4")
SPARK = combo("dgx-spark", unified_gib=128)
MAC = combo("apple-m3-ultra", unified_gib=96)


def lost(points: Mapping[str, float], *starts: float) -> CheckpointLosses:
    """Losses by quantization, each known exactly, and where classes begin."""
    return CheckpointLosses({}, {id_: Interval(p, p, p) for id_, p in points.items()}, starts)


def published(name: str, *ids: str, unpublished: tuple[str, ...] = ()) -> LanguageModel:
    """A model of the vector file with some checkpoints, those of ``ids`` in a repository."""
    whole = model(name)
    known = {one.id: one for one in whole.checkpoints}
    files = [replace(known[id_], repository=f"somebody/{id_}") for id_ in ids]
    return replace(whole, checkpoints=(*files, *(known[id_] for id_ in unpublished)))


def engine_of(what: LanguageModel, losses: CheckpointLosses) -> FitEngine:
    return FitEngine(replace(catalog(), models={what.id: what}), losses=losses)


def pick(
    what: LanguageModel,
    where: Combo,
    losses: CheckpointLosses = ONE_CLASS,
    goal: PlanGoal | None = None,
    runtime: str = "",
) -> Assessment:
    engine = engine_of(what, losses)
    found = answered(engine, reference_question(engine, where, what, goal, runtime))
    assert found is not None
    return found


def named(found: Assessment) -> tuple[str, str]:
    return (found.checkpoint.id, found.runtime.id)


def test_a_better_quality_class_comes_before_a_faster_stream() -> None:
    """Q8_0 reads nearly twice the bytes of Q4_K_M for every token."""
    files = published("llama8", "q8-0", "q4-k-m")
    slow = pick(files, CARD, lost({"q4-k-m": 3.0}, 1.0))
    fast = pick(files, CARD)
    assert named(slow) == ("q8-0", "llama-cpp")
    assert named(fast) == ("q4-k-m", "llama-cpp")
    assert slow.speed is not None
    assert fast.speed is not None
    assert fast.speed.single_tokens_per_s.mid > 1.3 * slow.speed.single_tokens_per_s.mid


def test_losses_within_a_class_are_equal_and_speed_decides() -> None:
    files = published("llama8", "q8-0", "q4-k-m")
    assert named(pick(files, CARD, lost({"q4-k-m": 0.9}, 1.0))) == ("q4-k-m", "llama-cpp")


def test_a_published_file_comes_before_a_better_one_that_nobody_published() -> None:
    files = published("llama8", "q4-k-m", unpublished=("q8-0", "bf16"))
    found = pick(files, CARD, lost({"q4-k-m": 3.0}, 1.0))
    assert named(found) == ("q4-k-m", "llama-cpp")
    assert found.checkpoint.is_published


def test_the_release_itself_is_published_whoever_quantized_the_rest() -> None:
    whole = published("llama8", unpublished=("bf16", "q4-k-m"))
    release = replace(whole.checkpoints[0], native=True)
    files = replace(whole, checkpoints=(release, whole.checkpoints[1]))
    assert pick(files, CARD).checkpoint.id == "bf16"


def test_where_only_unpublished_files_fit_one_of_them_is_named() -> None:
    files = published("llama70", "bf16", unpublished=("q4-k-m",))
    found = pick(files, combo(*["rtx-3090"] * 3, link="pcie-4-x16"))
    assert found.tier is FitTier.COMFORTABLE
    assert found.checkpoint.id == "q4-k-m"


def test_plans_that_are_about_as_fast_tie_and_the_one_on_fewer_gpus_is_picked() -> None:
    """Layers that one card holds gain nothing on two: each token passes all of them in turn."""
    files = published("phi4", "q4-k-m")
    split = combo("rtx-3090", "rtx-3060-12gb", link="pcie-4-x16")
    found = pick(files, split)
    assert found.plan is not None
    assert len(found.plan.ranks) == 1


def test_of_files_alike_the_one_that_more_people_download_is_picked() -> None:
    files = published("llama8", "awq-4bit-g128")
    (one,) = files.checkpoints
    known = replace(one, id="known", repository="known/file", downloads=90_000)
    rare = replace(one, id="a-rare-one", repository="rare/file", downloads=9)
    for order in ((known, rare), (rare, known)):
        assert pick(replace(files, checkpoints=order), CARD).checkpoint.id == "known"


def test_of_plans_that_tie_the_file_that_loses_less_comes_before_the_better_known_one() -> None:
    files = published("llama8", "awq-4bit-g128", "gptq-4bit-g128")
    awq, gptq = files.checkpoints
    popular = replace(files, checkpoints=(awq, replace(gptq, downloads=90_000)))
    worse = lost({"gptq-4bit-g128": 2.0}, 5.0)
    assert pick(popular, CARD, worse).checkpoint.id == "awq-4bit-g128"
    assert pick(popular, CARD).checkpoint.id == "gptq-4bit-g128"


def test_losses_less_than_half_a_point_apart_are_equal_wherever_they_lie() -> None:
    files = published("llama8", "awq-4bit-g128", "gptq-4bit-g128")
    awq, gptq = files.checkpoints
    popular = replace(files, checkpoints=(awq, replace(gptq, downloads=90_000)))
    for least in (0.0, 0.4, 0.8):
        near = lost({"awq-4bit-g128": least, "gptq-4bit-g128": least + 0.3}, 5.0)
        far = lost({"awq-4bit-g128": least, "gptq-4bit-g128": least + 0.6}, 5.0)
        assert pick(popular, CARD, near).checkpoint.id == "gptq-4bit-g128"
        assert pick(popular, CARD, far).checkpoint.id == "awq-4bit-g128"


def test_an_experimental_mode_needs_a_larger_difference_to_move_the_runtime() -> None:
    """llama.cpp's tensor split of Q6_K is a sixth faster than FP8 under vLLM on two RTX 4080."""
    files = published("llama8", "q6-k", "fp8")
    pair = combo("rtx-4080", "rtx-4080", link="pcie-4-x16")
    assert named(pick(files, pair)) == ("fp8", "vllm")
    whole = catalog()
    cpp = whole.runtimes["llama-cpp"]
    settled = replace(cpp, traits=replace(cpp.traits, experimental_cut=False))
    runtimes = {**whole.runtimes, cpp.id: settled}
    engine = FitEngine(
        replace(whole, models={files.id: files}, runtimes=runtimes), losses=ONE_CLASS
    )
    found = answered(engine, reference_question(engine, pair, files))
    assert found is not None
    assert named(found) == ("q6-k", "llama-cpp")


def test_an_experimental_mode_stays_where_only_its_own_runtime_has_the_file() -> None:
    pair = combo("rtx-5090", "rtx-5090", link="pcie-4-x16")
    found = pick(published("llama8", "q6-k"), pair)
    assert named(found) == ("q6-k", "llama-cpp")
    assert found.plan is not None
    assert found.plan.tensor_parallel_size == 2


def test_servers_run_a_paged_runtime_even_where_a_gguf_file_loses_less() -> None:
    files = published("llama8", "q8-0", unpublished=("awq-4bit-g128",))
    found = pick(files, SERVER, lost({"awq-4bit-g128": 3.0}, 1.0))
    assert named(found) == ("awq-4bit-g128", "vllm")
    only_gguf = pick(published("llama8", "q8-0"), SERVER)
    assert named(only_gguf) == ("q8-0", "llama-cpp")


def test_many_users_are_served_by_a_runtime_that_batches_on_any_hardware() -> None:
    files = published("llama8", "q8-0", "awq-4bit-g128")
    worse = lost({"awq-4bit-g128": 3.0}, 1.0)
    assert pick(files, PAIR, worse).runtime.id == "llama-cpp"
    assert pick(files, PAIR, worse, PlanGoal.THROUGHPUT).runtime.id == "vllm"


def test_macs_run_mlx_where_a_file_of_that_class_is_published() -> None:
    files = published("llama8", "q8-0", "mlx-8bit")
    assert named(pick(files, MAC)) == ("mlx-8bit", "mlx-lm")
    worse = lost({"mlx-8bit": 3.0}, 1.0)
    assert named(pick(files, MAC, worse)) == ("q8-0", "llama-cpp")
    assert named(pick(published("llama8", "q8-0"), MAC)) == ("q8-0", "llama-cpp")


def test_no_file_is_asked_twice_where_one_runtime_stands_for_another() -> None:
    """On one machine mlx-lm stands for exo, which loads the same files."""
    files = published("llama8", "mlx-8bit", "mlx-4bit", "q8-0")
    engine = engine_of(files, ONE_CLASS)
    for where in (
        MAC,
        combo("apple-m3-ultra", nodes=2, network="thunderbolt-5-rdma", unified_gib=96),
    ):
        keys = [ask.subject.key for ask in reference_question(engine, where, files).asks.every]
        assert len(keys) == len(set(keys))
    alone = reference_question(engine, MAC, files).asks.every
    assert "exo" not in {ask.subject.runtime.id for ask in alone}


def test_a_runtime_that_repeats_another_answers_only_where_it_is_named() -> None:
    """SGLang repeats vLLM; were it the other way round, SGLang would answer, and is no faster."""
    files, single = published("gemma27", "awq-4bit-g128"), combo("h100-sxm")
    usual = pick(files, single, goal=PlanGoal.THROUGHPUT)
    named_one = pick(files, single, goal=PlanGoal.THROUGHPUT, runtime="sglang")
    assert (usual.runtime.id, named_one.runtime.id) == ("vllm", "sglang")
    runtimes = {
        **catalog().runtimes,
        "vllm": replace(catalog().runtimes["vllm"], surveyed_in_full=False),
        "sglang": replace(catalog().runtimes["sglang"], surveyed_in_full=True),
    }
    models = {files.id: files}
    engine = FitEngine(replace(catalog(), models=models, runtimes=runtimes), losses=ONE_CLASS)
    other = answered(engine, reference_question(engine, single, files, PlanGoal.THROUGHPUT))
    assert other is not None
    assert other.runtime.id == "sglang"
    assert other.speed is not None
    assert usual.speed is not None
    assert other.speed.aggregate_tokens_per_s.mid < usual.speed.aggregate_tokens_per_s.mid


def test_what_an_orchestrator_drives_comes_first_where_a_combo_is_made_for_one() -> None:
    files = published("llama8", "q8-0", "awq-4bit-g128")
    worse = lost({"awq-4bit-g128": 3.0}, 1.0)
    served = replace(PAIR, orchestrator="ray-serve")
    assert "llama-cpp" not in catalog().runtimes["ray-serve"].drives
    assert pick(files, PAIR, worse).runtime.id == "llama-cpp"
    assert named(pick(files, served, worse)) == ("awq-4bit-g128", "vllm")


def test_a_runtime_that_was_named_answers_with_any_file_that_it_runs() -> None:
    files = published("llama8", "q8-0", unpublished=("awq-4bit-g128", "bf16"))
    for runtime in ("vllm", "sglang", "llama-cpp"):
        found = pick(files, CARD, lost({"awq-4bit-g128": 9.0, "bf16": 9.0}, 1.0), runtime=runtime)
        assert found.runtime.id == runtime
        assert found.tier is FitTier.COMFORTABLE


def test_an_answer_takes_the_first_production_file_that_can_be_read_along() -> None:
    """Gemma 3 27B on a DGX Spark: 273 GB/s read 22 GB of Q6_K not quite ten times a second."""
    spark, losses = combo("dgx-spark", unified_gib=128), lost({"q4-k-m": 3.0, "iq3-xxs": 9.0}, 1, 5)

    def answer(where: Combo, *ids: str) -> Assessment:
        files = published("gemma27", *ids)
        engine = engine_of(files, losses)
        question = replace(reference_question(engine, where, files), read_along=True)
        found = answered(engine, question)
        assert found is not None
        return found

    row = pick(published("gemma27", "q6-k", "q4-k-m"), spark, losses)
    quick = answer(spark, "q6-k", "q4-k-m")
    assert row.speed is not None
    assert quick.speed is not None
    assert row.speed.single_tokens_per_s.mid < 10 < quick.speed.single_tokens_per_s.mid
    assert (named(row)[0], named(quick)[0]) == ("q6-k", "q4-k-m")
    assert named(answer(spark, "q6-k"))[0] == "q6-k"  # the only file, however slow
    assert named(answer(spark, "q6-k", "iq3-xxs"))[0] == "q6-k"  # under four bits is no remedy
    fast = combo("h100-sxm")
    assert named(answer(fast, "q6-k", "q4-k-m"))[0] == "q6-k"


def test_a_flag_comes_before_another_file() -> None:
    """Somewhere between, vLLM holds the better file only with fewer sequences than its default.

    The context is named, so that nobody asks for room beyond it.
    """
    files = published("llama8", "fp8", "awq-4bit-g128")
    engine = engine_of(files, lost({"awq-4bit-g128": 3.0}, 1.0))
    seen: dict[tuple[str, int | None], int] = {}
    for mib in range(8_000, 16_000, 50):
        where = with_visible(CARD, mib * MIB)
        question = reference_question(engine, where, files, runtime="vllm")
        found = answered(engine, replace(question, room=()), cured=False)
        if found is not None and found.tier is FitTier.COMFORTABLE:
            seen.setdefault((found.checkpoint.id, found.settings.max_num_seqs), mib)
    assert seen["fp8", 64] < seen["fp8", None]
    assert seen["awq-4bit-g128", None] < seen["fp8", 64]


def test_smaller_steps_come_before_another_file_and_never_for_room() -> None:
    """Somewhere between, llama.cpp holds the better file only with half of its default steps.

    A card that holds it with steps of 512 tokens keeps them, whatever more room others would give.
    """
    files = published("gemma27", "q8-0", "q4-k-m")
    engine = engine_of(files, lost({"q4-k-m": 3.0}, 1.0))
    seen: dict[tuple[str, int | None], list[int]] = {}
    for mib in range(27_000, 36_000, 40):
        question = reference_question(engine, with_visible(CARD, mib * MIB), files, None)
        found = answered(engine, replace(question, room=(8_192, 16_384, 32_768)), cured=False)
        assert found is not None
        if found.tier is FitTier.COMFORTABLE:
            steps = found.settings.micro_batch_tokens
            seen.setdefault((found.checkpoint.id, steps), []).append(mib)
    small, usual = seen["q8-0", 256], seen["q8-0", None]
    assert seen["q4-k-m", None][0] < small[0] < small[-1] < usual[0]
    assert ("q4-k-m", 256) not in seen


def test_only_runtimes_that_can_be_told_have_smaller_steps() -> None:
    question = reference_question(whole_engine(), CARD, model("llama8"))
    told = {
        one.subject.runtime.id: {s.micro_batch_tokens for s in flags_of(question, one.subject)}
        for one in question.asks.every
    }
    assert told["llama-cpp"] == {None, 256}
    assert told["vllm"] == {None}
    one_server = replace(question, settings=Settings(micro_batch_tokens=1_024))
    subject = next(a.subject for a in question.asks.every if a.subject.runtime.id == "llama-cpp")
    assert flags_of(one_server, subject) == [Settings(micro_batch_tokens=1_024)]


def test_naming_the_runtime_of_a_pick_gives_the_verdict_that_it_has_unnamed() -> None:
    """Over a card of shrinking memory, where flags decide vLLM's verdict and llama.cpp needs none.

    With a better class under vLLM alone, the pick is vLLM with flags while llama.cpp carries the
    verdict. The context is named, so that nobody asks for room beyond it.
    """
    files = published("llama8", "fp8", "q4-k-m")
    engine = engine_of(files, lost({"q4-k-m": 3.0}, 1.0))
    flagged = 0
    for mib in range(8_000, 16_000, 50):
        where = with_visible(CARD, mib * MIB)
        asked = replace(reference_question(engine, where, files), room=())
        free = answered(engine, asked, cured=False)
        assert free is not None
        question = reference_question(engine, where, files, runtime=free.runtime.id)
        question = replace(question, room=())
        found, verdict = answered(engine, question, cured=False), verdict_of(engine, question)
        assert found is not None
        assert verdict is not None
        assert found.tier is verdict.tier is free.tier
        flagged += free.settings != DEFAULTS
    assert flagged > 0


def test_gpus_share_a_cache_only_for_users_who_have_no_room_without() -> None:
    """As in the recipe of Kimi K2 Thinking (vLLM) for eight H200: DCP 8 for many users only."""
    engine, where = whole_engine(), whole_catalog().combos["8x-h200-sxm"]
    what = whole_catalog().models["deepseek-r1"]

    def shared(users: int, runtime: str = "") -> int | None:
        asked = reference_question(engine, where, what, PlanGoal.THROUGHPUT, runtime)
        workload = Workload(32_768, users, "f16")
        asks = tuple(replace(ask, workload=workload) for ask in asked.asks.every)
        found = answered(engine, replace(asked, asks=Asks(asks), room=()), cured=False)
        assert found is not None
        assert found.plan is not None
        assert (found.tier, found.plan.tensor_parallel_size) == (FitTier.COMFORTABLE, 8)
        return found.settings.decode_context_parallel_size

    assert [shared(users) for users in (1, 8, 64)] == [None, None, 8]
    assert shared(64, "sglang") == 8


@pytest.mark.parametrize(
    ("model", "where", "cache", "least", "most"),
    [
        # The recipe of GLM 5.2 (vLLM): "reaches the full 1M-token context on 8xB200"
        ("glm-5.2", "8x-b200-sxm", "fp8", 1_048_576, 1_048_576),
        # It names FP8 for H100 and H200, "H20 do not use kvcache fp8"; that of GLM 5.1 names none
        ("glm-5.2", "8x-h200-sxm", "fp8", 500_000, 700_000),
        ("glm-5.2", "12-nodes-8x-h20", "f16", 32_768, 1_048_576),
        ("glm-5.1", "8x-h200-sxm", "f16", 32_768, 202_752),
    ],
)
def test_a_cache_is_of_the_type_that_the_runtime_or_its_makers_recipe_takes(
    model: str, where: str, cache: str, least: int, most: int
) -> None:
    engine, place = whole_engine(), whole_catalog().combos[where]
    question = reference_question(engine, place, whole_catalog().models[model], runtime="vllm")
    found = answered(engine, question, cured=False)
    assert found is not None
    assert found.limits is not None
    assert found.workload.kv_dtype == cache
    assert least <= found.limits.max_context_tokens <= most


def test_a_mac_raises_its_limit_for_a_plan_or_for_room_and_never_for_a_verdict() -> None:
    """The tier of a Mac of any size is the one without the flag; the flag only adds room."""
    files = published("llama70", "mlx-8bit")
    engine = engine_of(files, ONE_CLASS)
    raised = 0
    for gib in range(88, 152, 4):
        where = combo("apple-m3-ultra", unified_gib=gib)
        found = answered(engine, reference_question(engine, where, files), cured=False)
        assert found is not None
        if found.tier is FitTier.COMFORTABLE and found.settings.raised_limit:
            assert found.reasons == ()
            assert found.limits is not None
            assert found.limits.max_context_tokens_low >= 16_384
            raised += 1
            plain = reference_question(engine, where, files)
            verdict = verdict_of(engine, plain)
            assert verdict is not None
            assert verdict.chosen is not None
            assert not verdict.chosen.evaluation.settings.raised_limit
    assert raised > 0


def test_a_larger_share_comes_before_a_worse_file_and_only_under_vllm() -> None:
    """SGLang keeps what it computes with outside its share, which can then not grow safely."""
    files = published("llama8", "fp8", "awq-4bit-g128")
    engine = engine_of(files, lost({"awq-4bit-g128": 3.0}, 1.0))
    for runtime, shares in (("vllm", {None, 0.95}), ("sglang", {None})):
        seen: dict[float | None, int] = {}
        for mib in range(12_000, 20_000, 50):
            where = with_visible(CARD, mib * MIB)
            question = reference_question(engine, where, files, runtime=runtime)
            found = answered(engine, question, cured=False)
            if found is None or found.tier is not FitTier.COMFORTABLE:
                continue
            if found.checkpoint.id == "fp8":
                seen.setdefault(found.settings.memory_fraction, mib)
        assert set(seen) == shares
        assert seen[None] >= max(seen.values())


def test_nobody_halves_a_users_speed_to_have_room_for_hundreds() -> None:
    """Two machines cut a model that fills them, and serve fewer at once.

    MiaAI-Lab starts DeepSeek V4 Flash on two DGX Sparks with TP 2, 0.835 of the memory and six
    sequences (recipe of 2026-08-14).
    """
    whole = whole_catalog()
    pair, flash = whole.combos["2x-dgx-spark"], whole.models["deepseek-v4-flash-0731"]
    found = answered(whole_engine(), reference_question(whole_engine(), pair, flash, None, "vllm"))
    assert found is not None
    assert found.plan is not None
    assert (found.plan.tensor_parallel_size, found.plan.pipeline_parallel_size) == (2, 1)
    assert found.tier is FitTier.COMFORTABLE
    assert (found.settings.max_num_seqs, found.settings.memory_fraction) == (64, 0.85)


def test_a_larger_share_is_never_asked_of_a_memory_that_the_system_fills_too() -> None:
    question = reference_question(whole_engine(), SPARK, model("llama8"), None, "vllm")
    subject = next(one.subject for one in question.asks.every)
    assert {one.memory_fraction for one in flags_of(question, subject)} == {None}
    card = reference_question(whole_engine(), CARD, model("llama8"), None, "vllm")
    assert {one.memory_fraction for one in flags_of(card, subject)} == {None, 0.95}


def test_room_for_32k_comes_before_a_better_class_and_never_before_a_published_file() -> None:
    """23 GiB hold BF16 (16.1 GB) at 8K; 32K need 3 GiB of cache more, which 8 bits leave."""
    losses = lost({"q8-0": 3.0}, 1.0)
    found = pick(published("llama8", "bf16", "q8-0"), with_visible(CARD, 23 * GIB), losses)
    assert found.checkpoint.id == "q8-0"
    alone = pick(published("llama8", "bf16"), with_visible(CARD, 23 * GIB), losses)
    assert alone.tier is FitTier.COMFORTABLE
    files = published("llama8", "bf16", unpublished=("q8-0",))
    assert pick(files, with_visible(CARD, 23 * GIB), losses).checkpoint.id == "bf16"


def test_room_never_moves_a_server_to_another_class_of_runtime() -> None:
    small = with_visible(combo("h100-sxm"), 23 * GIB)
    files = published("llama8", "bf16", "q4-k-m")
    found = pick(files, small)
    assert named(found) == ("bf16", "vllm")
    assert found.tier is FitTier.COMFORTABLE
    assert pick(files, small, runtime="llama-cpp").runtime.id == "llama-cpp"


def test_a_borderline_row_names_a_published_file_though_a_smaller_one_carries_the_verdict() -> None:
    """Every verdict over a card of shrinking memory, where one of 4 bits is not published."""
    files = published("llama8", "q5-k-m", unpublished=("q4-k-m",))
    engine = engine_of(files, ONE_CLASS)
    seen = set()
    for mib in range(4_000, 9_000, 125):
        question = reference_question(engine, with_visible(CARD, mib * MIB), files)
        verdict, found = verdict_of(engine, question), answered(engine, question)
        assert verdict is not None
        assert found is not None
        assert found.tier is verdict.tier
        if verdict.tier is FitTier.BORDERLINE:
            seen.add((verdict.subject.checkpoint.id, found.checkpoint.id))
    assert ("q4-k-m", "q5-k-m") in seen
    assert seen <= {("q4-k-m", "q5-k-m"), ("q4-k-m", "q4-k-m")}


def test_what_is_not_practical_says_so_of_its_smallest_production_file() -> None:
    found = pick(published("dsv3", "bf16", "q4-k-m", "q2-k"), CARD)
    assert found.tier is FitTier.NOT_PRACTICAL
    assert found.checkpoint.id == "q4-k-m"
    assert found.shortage_bytes > 0


OLD_SERVERS = {
    "4x-mi50-32gb": PlanGoal.LATENCY, "2x-p40": PlanGoal.LATENCY,
    "2x-t4": PlanGoal.THROUGHPUT, "4x-a100-80gb-sxm": PlanGoal.THROUGHPUT,
}  # fmt: skip


def test_servers_are_bought_for_many_users_and_everything_else_for_one_fast_stream() -> None:
    engine = whole_engine()
    assert usual_goal(engine, SERVER) is PlanGoal.THROUGHPUT
    assert usual_goal(engine, PAIR) is PlanGoal.LATENCY
    assert usual_goal(engine, MAC) is PlanGoal.LATENCY
    assert usual_goal(engine, PAIR, ("vllm",)) is PlanGoal.THROUGHPUT


def test_servers_gpus_without_a_runtime_for_many_serve_one() -> None:
    """VLLM and its like need compute capability 7.5, and none of them runs on gfx906 (MI50)."""
    goals = {id_: usual_goal(whole_engine(), whole_catalog().combos[id_]) for id_ in OLD_SERVERS}
    assert goals == OLD_SERVERS


def test_settings_that_the_reader_chose_are_never_changed() -> None:
    files = published("llama8", "fp8", "awq-4bit-g128")
    engine = engine_of(files, ONE_CLASS)
    question = reference_question(engine, with_visible(CARD, 12 * GIB), files, runtime="vllm")
    chosen = Settings(max_num_seqs=128)
    found = answered(engine, replace(question, settings=chosen))
    assert found is not None
    assert found.settings == chosen


def of_catalog(name: str, machine: str, runtime: str = "", *, along: bool = False) -> Assessment:
    """What the real catalog's policy picks, for a row or for an answer."""
    whole, engine = whole_catalog(), whole_engine()
    asked = reference_question(engine, whole.combos[machine], whole.models[name], None, runtime)
    found = answered(engine, replace(asked, read_along=along), cured=False)
    assert found is not None
    return found


def speed_of(found: Assessment) -> Interval:
    assert found.speed is not None
    return found.speed.single_tokens_per_s


def test_a_runtime_measured_on_such_gpus_comes_before_an_estimate_that_is_carried_over() -> None:
    """Nobody published a run of vLLM on RDNA 3; on its GPUs llama.cpp has dozens."""
    free, named_vllm = (
        of_catalog("gemma-4-26b-a4b-it", "1x-rx-7900-xtx", runtime) for runtime in ("", "vllm")
    )
    assert free.runtime.id == "llama-cpp"
    assert speed_of(named_vllm).low < speed_of(free).mid < speed_of(named_vllm).mid
    unmeasured = {
        (card, family)
        for card in ("1x-rtx-4090", "1x-rx-7900-xtx", "1x-radeon-ai-pro-r9700")
        for family in ("paged", "layer-split")
        if not is_tried(whole_catalog().assumptions, class_of(card, family))
    }
    assert unmeasured == {("1x-rx-7900-xtx", "paged")}


def class_of(card: str, family: str) -> SpeedClass:
    gpu = whole_catalog().combos[card].gpus[0].gpu
    slug = gpu.architecture.lower().replace(" ", "-")
    return SpeedClass(family, "", "", "", "", gpu.vendor.value, gpu.segment, slug, gpu.id)


def test_an_answer_does_not_wait_for_a_chain_of_gpus_where_another_plan_is_twice_as_fast() -> None:
    """Q6_K is written by three RTX 3060 in turn, Q4_K_M by two that cut every layer."""
    row = of_catalog("qwen3.8-27b", "3x-rtx-3060-12gb")
    answer = of_catalog("qwen3.8-27b", "3x-rtx-3060-12gb", along=True)
    assert named(row) == ("q6-k", "llama-cpp")
    assert named(answer) == ("unsloth-q4-k-m", "llama-cpp")
    assert answer.plan is not None
    assert answer.plan.tensor_parallel_size == 2
    assert speed_of(answer).mid > 2 * speed_of(row).mid
    survey = whole_survey("3x-rtx-3060-12gb")
    (shown,) = [one for one in survey.rows if one.model.id == "qwen3.8-27b"]
    assert (shown.pick.id, shown.answer.id) == (row.id, answer.id)


def test_a_release_in_16_bits_does_not_come_first_on_a_mac_because_mlx_runs_it() -> None:
    free, in_mlx = (
        of_catalog("ling-3.0-flash", "mac-studio-m3-ultra-512gb", runtime)
        for runtime in ("", "mlx-lm")
    )
    assert (named(free), named(in_mlx)) == (("q8-0", "llama-cpp"), ("bf16", "mlx-lm"))
    assert speed_of(free).mid > speed_of(in_mlx).mid

"""How many of one GPU a model needs: legal plans only, and the verdicts that combo pages give."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.assessment import FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.usual_links import usual_link
from sitegen.quality.values import Use
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.gpu_counts import best_of_needs, gpus_needed, machines_of
from sitegen.survey.verdict_policy import answered, reference_question
from sitegen.units import GIB
from tests.survey.whole_catalog import whole_catalog, whole_engine, whole_survey

GPUS = ("rtx-3090", "rtx-4090", "rtx-6000-ada", "h100-sxm", "mi300x")


@pytest.fixture(scope="module")
def engine() -> FitEngine:
    return whole_engine()


@pytest.fixture(scope="module")
def needed(engine: FitEngine) -> dict[str, tuple[GpusNeeded, ...]]:
    return {id_: gpus_needed(engine, engine.catalog.gpus[id_]) for id_ in GPUS}


def alike(engine: FitEngine, gpu_id: str) -> Iterator[Combo]:
    """Headless machines of the catalog with that GPU alone and its usual link, without RAM."""
    for combo in engine.catalog.combos.values():
        node = combo.nodes[0]
        same = {gpu.gpu.id for gpu in combo.gpus} == {gpu_id} and len(combo.nodes) == 1
        linked = node.link is None or node.link.id == usual_link(engine.catalog, gpu_id)
        plain = node.ram_bytes is None and not node.display_attached and not combo.orchestrator
        if same and linked and plain:
            yield combo


@pytest.mark.parametrize("gpu_id", ["rtx-3090", "rtx-4090", "h100-sxm"])
def test_a_combo_page_of_that_machine_says_the_same(
    engine: FitEngine, needed: dict[str, tuple[GpusNeeded, ...]], gpu_id: str
) -> None:
    combos = tuple(alike(engine, gpu_id))
    assert combos
    compared = 0
    for combo in combos:
        rows = {row.model.id: row.pick for row in whole_survey(combo.id).rows}
        for need in needed[gpu_id]:
            shown = rows[need.model.id]
            if need.count == len(combo.gpus):
                assert shown.checkpoint.id == need.checkpoint.id
                assert (shown.tier, shown.plan) == (need.tier, need.plan)
                assert shown.limits is not None
                assert shown.limits.max_context_tokens == need.max_context_tokens
                compared += 1
            if need.count > len(combo.gpus) and need.tier is FitTier.COMFORTABLE:
                assert shown.tier is not FitTier.COMFORTABLE
    assert compared > 3


def test_a_plan_is_never_cut_where_heads_do_not_divide(
    needed: dict[str, tuple[GpusNeeded, ...]],
) -> None:
    cut = 0
    for need in (need for found in needed.values() for need in found):
        tp = need.plan.tensor_parallel_size
        heads = need.model.config.get("num_attention_heads")
        if (
            tp > 1
            and isinstance(heads, int)
            and not need.runtime.capabilities.uneven_tensor_parallel
        ):
            assert heads % tp == 0, need
            cut += 1
        assert len(need.plan.ranks) * need.plan.replicas <= need.count
    assert cut > 10


def test_qwen3_32b_at_four_bits_needs_one_card_of_24_gib_and_a_70b_needs_two(
    needed: dict[str, tuple[GpusNeeded, ...]],
) -> None:
    counts = {need.model.id: need for need in needed["rtx-3090"]}
    # At 4.25 bits 32.8 billion parameters take 17.4 GB of one 24 GiB, 70.6 billion take 37.5.
    assert counts["qwen3-32b"].count == 1
    assert counts["llama-3.3-70b-instruct"].count == 2


def test_more_memory_each_never_needs_more_gpus(
    needed: dict[str, tuple[GpusNeeded, ...]],
) -> None:
    small = {n.model.id: n for n in needed["rtx-4090"] if n.tier is FitTier.COMFORTABLE}
    large = {n.model.id: n.count for n in needed["rtx-6000-ada"]}
    assert len(small) > 50
    for model_id, need in small.items():
        assert large[model_id] <= need.count


def test_what_does_not_fit_eight_is_left_out(
    needed: dict[str, tuple[GpusNeeded, ...]],
) -> None:
    for id_ in ("deepseek-r1", "kimi-k2-instruct"):
        if id_ in whole_catalog().models:
            assert id_ not in {need.model.id for need in needed["rtx-3090"]}


def test_a_machine_has_the_link_that_most_machines_with_that_gpu_have(engine: FitEngine) -> None:
    alone, *several = machines_of(engine.catalog, engine.catalog.gpus["h100-sxm"])
    assert alone.nodes[0].link is None
    assert [len(machine.gpus) for machine in several] == [2, 3, 4, 6, 8]
    for machine in several:
        assert machine.nodes[0].link is not None
        assert machine.nodes[0].link.kind == "nvlink"


def test_a_machine_with_memory_of_its_own_is_judged_with_each_size_that_is_sold(
    engine: FitEngine,
) -> None:
    chip = engine.catalog.gpus["strix-halo"]
    machines = machines_of(engine.catalog, chip)
    assert [machine.installed_vram_bytes // GIB for machine in machines] == [32, 64, 96, 128]
    needs = {need.model.id: need for need in gpus_needed(engine, chip)}
    # 116.8 billion parameters at 4.25 bits take 62 GB, 20.9 billion take 13.
    assert needs["gpt-oss-20b"].machine.installed_vram_bytes == 32 * GIB
    assert needs["gpt-oss-120b"].machine.installed_vram_bytes > 64 * GIB


def test_a_laptop_has_one(engine: FitEngine) -> None:
    assert len(machines_of(engine.catalog, engine.catalog.gpus["rtx-4090-laptop"])) == 1


def test_a_gpu_of_no_combo_is_judged_as_well(engine: FitEngine) -> None:
    used = {one.gpu.id for combo in engine.catalog.combos.values() for one in combo.gpus}
    others = [gpu for gpu in engine.catalog.gpus.values() if gpu.id not in used]
    assert others
    assert gpus_needed(engine, others[0])


def test_where_a_smaller_machine_is_borderline_it_is_named(
    needed: dict[str, tuple[GpusNeeded, ...]],
) -> None:
    named = [need for found in needed.values() for need in found if need.tight_on is not None]
    assert len(named) > 10
    for need in named:
        assert need.tight_on is not None
        assert len(need.tight_on.gpus) < need.count
        assert need.tier is FitTier.COMFORTABLE


def test_what_is_comfortable_at_a_context_reaches_it_on_the_smallest_cards(
    engine: FitEngine,
) -> None:
    """llama.cpp's own margin of 1 GiB is a fifth of such a card."""
    found = gpus_needed(engine, engine.catalog.gpus["gtx-1060-6gb"])
    comfortable = [need for need in found if need.tier is FitTier.COMFORTABLE]
    assert len(comfortable) > 50
    for need in comfortable:
        assert need.max_context_tokens >= min(8_192, need.model.context_tokens), need.model.id


def joined_by(gpu_id: str) -> dict[int, str]:
    """The link of each machine with more than one of a GPU."""
    catalog = whole_catalog()
    machines = machines_of(catalog, catalog.gpus[gpu_id])
    nodes = [machine.nodes[0] for machine in machines]
    return {len(node.gpus): node.link.id for node in nodes if node.link}


def test_modules_without_a_combo_are_joined_by_their_board() -> None:
    assert set(joined_by("v100-32gb-sxm").values()) == {"nvlink-2"}
    assert set(joined_by("mi325x").values()) == {"xgmi-mi300x"}


def test_a_bridge_of_cards_reaches_no_further_than_it_does() -> None:
    links = joined_by("mi100")
    assert links[2] == links[4] == "xgmi-mi100"
    assert links[8] == "pcie-4-x16"


def test_what_leads_on_four_cards_is_picked_for_four(engine: FitEngine) -> None:
    """``sitegen fit`` gives four RTX 4070 a larger file of Qwen3.8 27B, over all of them."""
    needs = gpus_needed(engine, engine.catalog.gpus["rtx-4070"])
    (four,) = (
        one
        for one in machines_of(engine.catalog, engine.catalog.gpus["rtx-4070"])
        if len(one.gpus) == 4
    )
    found = best_of_needs(engine, [need for need in needs if need.count <= 4], Use.OVERALL, four)[0]
    led = next(need for need in needs if need.model is found.model)
    question = reference_question(engine, found.machine, found.model)
    asked = answered(engine, replace(question, read_along=True), cured=False)
    assert asked is not None
    assert (led.count, found.count) == (2, 4)
    assert (found.checkpoint.id, found.plan) == (asked.checkpoint.id, asked.plan)
    assert found.max_context_tokens > 2 * led.max_context_tokens


def test_each_size_of_a_chip_answers_as_the_machine_itself_would(engine: FitEngine) -> None:
    """With 64 GiB a Strix Halo runs a better model than with 32, in the file that reads along."""
    gpu = engine.catalog.gpus["strix-halo"]
    needs = gpus_needed(engine, gpu)
    led: list[str] = []
    for machine in machines_of(engine.catalog, gpu):
        there = [one for one in needs if one.installed_bytes <= machine.installed_vram_bytes]
        found = best_of_needs(engine, there, Use.OVERALL, machine)[0]
        question = reference_question(engine, machine, found.model)
        asked = answered(engine, replace(question, read_along=True), cured=False)
        assert asked is not None
        assert asked.speed is not None
        assert found.checkpoint.id == asked.checkpoint.id
        assert found.single_tokens_per_s == asked.speed.single_tokens_per_s
        led.append(found.model.id)
    assert led == ["muse-glimmer-30b", *["qwen3.8-27b"] * 3]

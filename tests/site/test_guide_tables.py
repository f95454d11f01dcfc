"""Tables that guides show: each figure is the catalog's or follows from it by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from sitegen.catalog.domain.hardware import Vendor
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import FitTier
from sitegen.fit.compatibility import refusal
from sitegen.models.unpublished import unpublished
from sitegen.ownership.power_and_space import busy_watts, facilities, waiting_watts
from sitegen.ownership.prices import to_buy
from sitegen.physics.model_facts import model_facts
from sitegen.physics.reduced_checkpoint import design_of
from sitegen.render.cells import text
from sitegen.site.cells import NumberCell, Span, TierMark
from sitegen.site.content.references import Directive, NotUnderstood, parse_directive
from sitegen.site.guides.calculator import Calculator
from sitegen.site.guides.directives import resolve_directive
from sitegen.site.inputs import SiteInputs
from sitegen.site.table import Table
from sitegen.site.tables.costs import Costs, costs_by_combo, hardware_usd, load_of, table_of
from sitegen.site.words.hardware import VENDOR_NAMES
from sitegen.survey.results import Survey
from sitegen.units import GIB
from tests.site import fabricated
from tests.survey.whole_catalog import whole_catalog, whole_engine, whole_survey

REPOSITORY = Path(__file__).parents[2]
COMBOS = ("2x-rtx-3090-pcie", "4x-rtx-3090", "1x-strix-halo")
MODEL = "llama-3.3-70b-instruct"
SUBJECT = f"model={MODEL} checkpoint=w4a16-g128"


@cache
def real() -> SiteInputs:
    catalog, engine = whole_catalog(), whole_engine()
    survey = Survey({id_: whole_survey(id_) for id_ in COMBOS})
    facts = {MODEL: model_facts(catalog.models[MODEL])}
    return SiteInputs(catalog, engine, survey, facts, {}, (), fabricated.SETTINGS)


def table(directive: str) -> Table:
    block = resolve_directive(directive, real(), id="t")
    assert isinstance(block, Table)
    return block


def printed(directive: str) -> list[str]:
    rows = table(directive).rows
    return [" | ".join(text(cell) for cell in row.cells).replace("\xa0", " ") for row in rows]


def test_every_plan_over_machines_in_the_guide_to_rpc_is_one_of_rpc() -> None:
    guide = (REPOSITORY / "content/guides/llama-cpp-rpc.md").read_text("utf-8")
    for directive in re.findall(r"^\{% (compare .+?) %\}$", guide, re.MULTILINE):
        assert table(directive).caption.endswith("with llama.cpp")
        alone, *joined = printed(directive)
        assert "one GPU" in alone
        assert joined
        for row in joined:
            assert re.search(r"layers split over (\d) GPUs on \1 nodes", row)


def test_plans_stand_side_by_side_with_the_rule_that_refuses_one() -> None:
    compared = "compare model=llama-3.3-70b-instruct combos=4x-rtx-3090 checkpoints=w4a16-g128"
    found = table(f"{compared} runtimes=vllm splits=4x1,3x1,1x1 why=yes")
    assert found.caption == (
        "Llama 3.3 70B Instruct as INT4 W4A16 g128 on 4× RTX 3090, PCIe with vLLM"
    )
    four, three, one = printed(f"{compared} runtimes=vllm splits=4x1,3x1,1x1 why=yes")
    assert four.startswith("TP 4 | ")
    assert "64 attention heads are not divisible by 3" in three
    assert "4 replicas, one GPU each" in one  # as many copies as there are GPUs
    plain = table(f"{compared} runtimes=vllm splits=4x1,3x1,1x1")
    verdicts = [row.cells[1] for row in plain.rows]
    assert all(isinstance(mark, TierMark) for mark in verdicts)
    # 70 billion weights of four bits are 33 GiB: no single card of 24 GiB holds them.
    assert isinstance(verdicts[2], TierMark)
    assert verdicts[2].tier is FitTier.NOT_PRACTICAL


def test_checkpoints_larger_than_all_gpus_say_how_far_beyond_they_are() -> None:
    rows = [row.split(" | ") for row in printed(f"plans model={MODEL} combo=2x-rtx-3090-pcie")]
    whole, *_, smallest = rows
    # 70.6 billion weights of 16 bits are 131 GiB and two cards 48: three times over, at any context
    assert whole[:2] == ["BF16", "not practical"]
    assert whole[4].startswith(("29", "30", "31", "32"))
    assert "at 4,096 tokens" in whole[4]
    assert smallest[1] == "fits comfortably"
    sizes = [float(row[2].split()[0]) for row in rows]
    assert sizes == sorted(sizes, reverse=True)


def test_rows_are_named_by_what_differs_and_formats_that_do_not_load_are_left_out() -> None:
    compared = "compare model=llama-3.3-70b-instruct combos=2x-rtx-3090-pcie"
    rows = printed(f"{compared} checkpoints=q4-k-m,awq-4bit-g128 runtimes=llama-cpp,vllm")
    assert len(rows) == 2
    names = [row.split(" | ")[0].split() for row in rows]
    assert [name[:2] for name in names] == [["Q4_K_M", "llama.cpp"], ["AWQ", "4-bit"]]
    assert "vLLM" in names[1]


def test_larger_steps_read_a_prompt_faster_where_experts_are_in_ram() -> None:
    compared = "compare model=gpt-oss-120b combos=rtx-3090-epyc-expert-offload checkpoints=q4-k-m"
    small, large = printed(f"{compared} runtimes=llama-cpp steps=512,4096")
    first = [
        [float(number) for number in re.findall(r"first token ([\d.]+)–([\d.]+)", row)[0]]
        for row in (small, large)
    ]
    assert all(fast < slow for slow, fast in zip(*first, strict=True))
    assert ("512" in small, "4,096" in large) == (True, True)


def test_a_cache_of_fewer_bits_needs_less_for_the_same_context() -> None:
    compared = "compare model=llama-3.3-70b-instruct combos=2x-rtx-3090-pcie checkpoints=q4-k-m"
    found = table(f"{compared} runtimes=llama-cpp caches=f16,q8_0")
    fullness = [text(row.cells[2]) for row in found.rows]
    whole, half = (float(words.split("–")[0].split("\xa0")[0]) for words in fullness)
    assert half < whole


@pytest.mark.parametrize(
    ("directive", "message"),
    [
        ("compare model=llama-3.3-70b-instruct combos=4x-rtx-3090 splits=4", "like 2x4"),
        ("compare model=llama-3.3-70b-instruct combos=4x-rtx-3090 splits=0x1", "like 2x4"),
        ("compare model=llama-3.3-70b-instruct combos=4x-rtx-3090 contexts=x", "number of tokens"),
        ("compare model=llama-3.3-70b-instruct combos=4x-rtx-3090 goals=fame", "no goal"),
        (
            "compare model=llama-3.3-70b-instruct combos=4x-rtx-3090 checkpoints=q4-k-m "
            "runtimes=llama-cpp steps=some",
            "number of tokens",
        ),
        (
            "compare model=llama-3.3-70b-instruct combos=4x-rtx-3090 checkpoints=w4a16-g128 "
            "runtimes=vllm steps=512",
            "cannot be told",
        ),
        ("compare model=llama-3.3-70b-instruct combos=4x-rtx-3090 runtimes=vllm", "checkpoints="),
        ("compare model=llama-3.3-70b-instruct combos=none", "no combo"),
        (
            "compare model=llama-3.3-70b-instruct combos=4x-rtx-3090 checkpoints=q4-k-m "
            "runtimes=vllm",
            "no runtime named here loads",
        ),
        (
            "compare model=llama-3.3-70b-instruct combos=4x-rtx-3090 checkpoints=w4a16-g128 "
            "runtimes=vllm caches=q8_0",
            "no cache of vllm",
        ),
        (f"costs {SUBJECT} combos=4x-rtx-3090 hours=25 read=4 streams=one", "within a day"),
        (f"costs {SUBJECT} combos=4x-rtx-3090 hours=2 read=4 streams=some", "neither one nor all"),
        (f"costs {SUBJECT} combos=4x-rtx-3090 hours=2 read=many streams=one", "not a number"),
        ("unified only=rtx-3090", "memory of its own"),
        (f"pools {SUBJECT} runtime=ray-serve combo=4x-rtx-3090", "no assessed profile"),
        ("errors topic=weather", "no topic of errors"),
    ],
)
def test_a_directive_that_makes_no_sense_says_why(directive: str, message: str) -> None:
    with pytest.raises(NotUnderstood) as caught:
        resolve_directive(directive, real(), id="t")
    assert message in caught.value.message


def test_a_link_sends_the_weights_in_their_size_over_its_bandwidth() -> None:
    only = "only=ethernet-1g,ethernet-10g"
    fast, slow = table(f"transfers {SUBJECT} {only}").rows
    assert [text(row.cells[0]) for row in (fast, slow)] == ["10 GbE", "1 GbE"]
    seconds = slow.cells[1]
    assert isinstance(seconds, Span)
    size = next(c for c in real().facts[MODEL].checkpoints if c.checkpoint.id == "w4a16-g128")
    rate = real().catalog.interconnects["ethernet-1g"].bus_bandwidth_bytes_per_s
    assert isinstance(rate, Interval)
    # The latency of one message is far below a thousandth of these minutes.
    assert seconds.mid == pytest.approx(size.total_bytes / rate.mid, rel=1e-3)
    # 320 KiB for each of 8,192 tokens: eighty layers with eight heads of 128, key and value.
    cache = slow.cells[2]
    assert isinstance(cache, Span)
    assert cache.mid == pytest.approx(80 * 2 * 8 * 128 * 2 * 8_192 / rate.mid, rel=1e-3)


def test_two_pools_each_hold_the_weights() -> None:
    whole, prefill, decode = table(f"pools {SUBJECT} combo=4x-rtx-3090").rows
    assert [row.cells[1] for row in (whole, prefill, decode)] == [
        NumberCell(n, whole.cells[1].unit)  # type: ignore[union-attr]  # a quantity each
        for n in (4, 2, 2)
    ]
    fullness = [row.cells[3] for row in (whole, prefill, decode)]
    shares = [float(text(cell).split("–")[0]) for cell in fullness]
    assert shares[0] < shares[1] == shares[2]


def test_unified_memory_is_a_share_by_default_and_what_the_system_leaves_when_raised() -> None:
    (row,) = (
        row
        for row in table("unified only=apple-m3-ultra").rows
        if text(row.cells[1]) == "512\xa0GiB"
    )
    share, raised = row.cells[2:4]
    assert isinstance(share, Span)
    assert isinstance(raised, NumberCell)
    # By the GPU's record: 89.6 to 90.6 % of 512 GiB by default, all but 12 GiB at most.
    assert (share.low, share.high) == pytest.approx((0.896 * 512 * GIB, 0.906 * 512 * GIB))
    assert raised.value == (512 - 12) * GIB


def test_formats_say_which_width_a_cut_must_keep() -> None:
    rows = {row.split(" | ")[0]: row for row in printed("formats only=awq-4bit-g128,bf16,q3-k-m")}
    assert "| 128 |" in rows["AWQ 4-bit g128"]
    assert "| any width |" in rows["BF16"]
    assert "no, below 4 bits" in rows["Q3_K_M"]


def test_formats_name_the_gpus_on_which_the_engine_lets_some_runtime_run_them() -> None:
    catalog, model = real().catalog, real().catalog.models["llama-3.1-8b-instruct"]
    assessed = real().engine.assessed_runtimes()
    others = [gpu for gpu in catalog.gpus.values() if gpu.vendor is not Vendor.NVIDIA]
    shown = {row.split(" | ")[0]: row.split(" | ") for row in printed("formats")}
    for recipe in catalog.quantizations.values():
        able: set[tuple[str, str]] = set()
        unable: set[tuple[str, str]] = set()
        for gpu in others:
            runs = any(
                refusal(design_of(model), unpublished(recipe), runtime, profile, [gpu]) is None
                for runtime, profile in assessed
            )
            (able if runs else unable).add((gpu.vendor, gpu.architecture))
        named = set(shown[recipe.name][4].split(", "))
        whole = {vendor for vendor in VENDOR_NAMES if named & {VENDOR_NAMES[vendor], "all"}}
        assert {one for one in able if one[0] not in whole and one[1] not in named} == set()
        assert {one for one in unable if one[0] in whole or one[1] in named} == set()


def test_formats_say_where_a_limit_of_a_runtime_is_wider_or_narrower_than_a_recipe_s() -> None:
    rows = [row.split(" | ") for row in printed("formats only=awq-4bit-g128,exl3-4.0bpw,q8-0")]
    nvidia = {row[0]: row[3] for row in rows}
    others = {row[0]: row[4] for row in rows}
    assert {"RDNA 3", "CDNA 3", "Xe2-HPG"} <= set(others["AWQ 4-bit g128"].split(", "))
    assert others["Q8_0"] == nvidia["Q8_0"] == "all"
    assert others["EXL3 4.0 bpw"] == "none"


def test_formats_say_above_which_nvidia_gpus_no_runtime_has_kernels() -> None:
    (row,) = (row.split(" | ") for row in printed("formats only=int8-w8a8"))
    assert row[3] == "from 7.5 to 9.0; native from 7.5"


LOAD = "hours=10 read=4 streams=all"


def only_costs(directive: Directive) -> Costs:
    """What a load costs on the one combo that is named."""
    ((_, costs),) = costs_by_combo(real(), directive, load_of(directive))
    assert costs is not None
    return costs


def test_system_ram_beyond_that_of_an_ordinary_machine_is_priced() -> None:
    """A desktop with 256 GB was as cheap as one with 32, and 1 TB came with a $1,500 computer."""
    catalog = real().catalog
    plain, large = (
        hardware_usd(catalog.combos[id_], catalog)
        for id_ in ("1x-rtx-5090", "rtx-5090-desktop-256gb")
    )
    assert plain is not None
    assert large is not None
    ram = catalog.assumptions["price-ram-gib-usd"].value
    assert [round(b - a) for a, b in zip(plain.bounds, large.bounds, strict=True)] == [
        round(224 * usd) for usd in ram.bounds
    ]
    plain, server = (
        hardware_usd(catalog.combos[id_], catalog)
        for id_ in ("4x-rtx-3090", "4x-rtx-3090-epyc-1tb")
    )
    assert plain is not None
    assert server is not None
    assert server.mid - plain.mid > 10_000


def test_costs_follow_from_prices_power_and_speed() -> None:
    directive = parse_directive(f"costs {SUBJECT} runtime=vllm split=2x2 combos=4x-rtx-3090 {LOAD}")
    costs = only_costs(directive)
    known = {name: one.value for name, one in real().catalog.assumptions.items()}
    seen = to_buy(real().catalog.gpus["rtx-3090"])
    assert seen is not None
    card, host = float(seen.amount), known["price-host-gpu-node-usd"]
    assert costs.hardware_usd == Interval.exact(4 * card + host.high), "more slots cost more"
    catalog = real().catalog
    shown = facilities(catalog.combos["4x-rtx-3090"], catalog.assumptions, catalog.interconnects)
    assert costs.busy_watts == shown.draw_watts
    speed = costs.found.speed
    assert speed is not None
    assert speed.prefill_tokens_per_s is not None
    decode, prefill = speed.aggregate_tokens_per_s.mid, speed.prefill_tokens_per_s.mid
    # A million tokens take so many seconds to write, and four million to read.
    seconds = 1e6 / decode + 4e6 / prefill
    month = 10 * 3_600 * 365.25 / 12
    assert costs.tokens_a_month.mid == pytest.approx(month / seconds * 1e6)
    kwh_usd = known["electricity-price-usd-per-kwh"].mid
    idle = 4 * known["idle-power-gpu-watts"].mid + known["host-draw-watts"].low
    idle /= known["power-supply-efficiency"].mid
    kwh = (costs.busy_watts.mid * 10 + idle * 14) / 1_000 * 365.25 / 12
    assert costs.electricity_usd.mid == pytest.approx(kwh * kwh_usd)
    each = known["price-api-70b-written-usd-per-1m"].mid
    each += 4 * known["price-api-70b-read-usd-per-1m"].mid
    assert costs.bought_usd.mid == pytest.approx(month / seconds * each)
    middle = costs.break_even_months[1]
    saved = costs.bought_usd.mid - costs.electricity_usd.mid
    assert middle == (pytest.approx(costs.hardware_usd.mid / saved) if saved > 0 else None)


@pytest.mark.parametrize("machines", [1, 2])
def test_a_machine_that_is_sold_and_fed_whole_has_no_host_beside_it(machines: int) -> None:
    """A DGX Spark was seen for $4,700 and draws at most 240 W, by its maker; its chip 140 W."""
    asked = f"costs {SUBJECT} runtime=vllm combos={machines}x-dgx-spark {LOAD}"
    costs = only_costs(parse_directive(asked))
    assert costs.hardware_usd == Interval.exact(machines * 4_700)
    assert costs.busy_watts == Interval.exact(machines * 240)
    waiting = real().catalog.assumptions["idle-power-gpu-watts"].value
    assert costs.idle_watts.mid == machines * waiting.mid


def test_a_whole_machine_of_cards_draws_its_limit_and_waits_with_its_host() -> None:
    catalog = real().catalog
    combo = catalog.combos["2x-rtx-4090"]
    whole = replace(combo, nodes=tuple(replace(node, max_watts=1_200) for node in combo.nodes))
    known = {name: one.value for name, one in catalog.assumptions.items()}
    assert busy_watts(whole, catalog.assumptions) == Interval.exact(1_200)
    waiting = waiting_watts(whole, catalog.assumptions)
    assert waiting is not None
    parts = 2 * known["idle-power-gpu-watts"].low + known["host-draw-watts"].low
    assert waiting.low == parts / known["power-supply-efficiency"].high


def test_what_never_pays_for_itself_says_so_and_unknown_prices_say_nothing() -> None:
    load = "hours=0.1 read=4 streams=one"
    cards, chip = printed(f"costs model={MODEL} combos=2x-rtx-3090-pcie,1x-strix-halo {load}")
    assert cards.endswith("| never")
    assert chip.endswith("price or power not recorded")


def test_break_even_says_the_best_case_and_what_may_as_well_happen() -> None:
    directive = parse_directive(f"costs {SUBJECT} runtime=vllm split=2x2 combos=4x-rtx-3090 {LOAD}")
    load, costs = load_of(directive), only_costs(directive)
    combo = real().catalog.combos["4x-rtx-3090"]

    def said(*months: float | None) -> str:
        best, middle, worst = months
        given = replace(costs, break_even_months=(best, middle, worst))
        ((*_, cell),) = (row.cells for row in table_of([(combo, given)], load, id="t").rows)
        return text(cell).replace("\xa0", " ")

    assert said(None, None, None) == "never"
    assert said(3, None, None) == "3 months at best more likely never"
    assert said(3, 9, None) == "3 months at best more likely 9 months"
    assert said(3, 9, 24) == "3 months at worst 24 months"
    assert said(2_985, None, None) == "not in ten years"
    assert said(100, 200, None) == "100 months at best more likely after ten years"


def test_a_calculator_begins_with_the_middle_of_its_first_row() -> None:
    made = resolve_directive(
        f"calculator {SUBJECT} runtime=vllm split=2x2 combos=4x-rtx-3090 {LOAD}", real(), id="t"
    )
    assert isinstance(made, Calculator)
    fields = {field.name: field.value for field in made.fields}
    directive = parse_directive(
        f"calculator {SUBJECT} runtime=vllm split=2x2 combos=4x-rtx-3090 {LOAD}"
    )
    costs = only_costs(directive)
    assert fields["hardware"] == costs.hardware_usd.mid
    assert fields["speed"] == costs.tokens_per_s.mid
    assert fields["hours"] == 10
    assert made.filled_with == "4× RTX 3090, PCIe"

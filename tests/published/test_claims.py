"""Claims: the engine's rules find what is wrong, and change their mind when the claim changes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchmarks.seed_numbers import numbers
from sitegen.catalog.domain.claims import Claim
from sitegen.catalog.load import parse_catalog
from sitegen.catalog.records.assertions import OpenAssertion
from sitegen.catalog.records.claims import KINDS, StatedClaim
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.bounds.judgement import ClaimVerdict, Judgement
from sitegen.published.claims.judge import JUDGES, JudgedClaim, judge_claim, judge_pages
from sitegen.published.claims.plans import machine
from sitegen.site.words.claim_sentences import STEPS
from sitegen.site.words.claims import finding_sentence, reading_words, step_cell
from tests.survey.whole_catalog import ROOT, cases, whole_catalog

UNITS = frozenset(
    {
        "bytes", "bytes/s", "tokens/s", "tokens", "s", "1", "count", "parameters", "flop/s",
        "usd", "usd/kWh", "usd/month", "usd/h", "W", "kWh", "h", "months", "GB", "1/s",
    }
)  # fmt: skip

CONFIRMED, DOUBTFUL = ClaimVerdict.CONFIRMED, ClaimVerdict.DOUBTFUL
DISPUTED, IMPOSSIBLE = ClaimVerdict.DISPUTED, ClaimVerdict.IMPOSSIBLE
SEEDS = (
    "runlocalai-ray-serve", "infernet-multi-gpu", "fungies-multi-node",
    "runlocalai-course-chapter-8",
)  # fmt: skip
NUMBERS = json.loads((ROOT / "tests/vectors/seed-numbers.json").read_text("utf-8"))["rows"]


@cache
def judged() -> dict[str, JudgedClaim]:
    """Every claim of the catalog by page and id."""
    pages = judge_pages(cases().engine)
    return {f"{page.page.id}--{one.claim.id}": one for page in pages for one in page.claims}


def verdict(name: str) -> ClaimVerdict:
    return judged()[name].judgement.verdict


def changed(name: str, **figures: Any) -> Judgement:
    """Judge a claim with other figures."""
    claim = judged()[name].claim
    other: Claim = replace(claim, assertion=replace(claim.assertion, **figures))
    return judge_claim(cases(), other)


def recipes(*ids: str) -> tuple[Any, ...]:
    return tuple(whole_catalog().quantizations[id_] for id_ in ids)


def boxes(gpu: str, count: int) -> Any:
    return machine(whole_catalog().gpus[gpu], count)


def test_no_record_can_state_a_verdict() -> None:
    assert not set(StatedClaim.model_fields) & {"verdict", "tier", "judgement"}
    assert len(JUDGES) == len(KINDS)


def test_sixteen_bit_weights_of_72b_do_not_fit_96_gb_and_four_bit_ones_do() -> None:
    # 72.7e9 parameters × 2 bytes = 145.4 GB against 4 × 24,077 MiB = 101 GB
    name = "infernet-multi-gpu--fp16-on-96"
    assert verdict(name) is IMPOSSIBLE
    assert judged()[name].judgement.code == "MEMORY_EXCEEDED"
    assert changed(name, quantizations=recipes("awq-4bit-g128")).verdict is CONFIRMED
    assert changed(name, on=boxes("h100-sxm", 8), tensor=8).verdict is CONFIRMED


def test_a_speed_above_the_bandwidth_of_four_h100_is_impossible_and_half_of_it_is_not() -> None:
    # 4 × 3,350 GB/s over 143 GB of weights: 94 tokens/s, where the page says 150 to 200
    name = "infernet-multi-gpu--speed-4xh100"
    found = judged()[name].judgement
    assert (found.verdict, found.code) == (IMPOSSIBLE, "ABOVE_BANDWIDTH")
    assert found.arguments["bound"] == pytest.approx(93.8, abs=0.1)
    slower = changed(name, tokens_per_s=60.0, tokens_per_s_high=80.0)
    assert slower.verdict is not IMPOSSIBLE
    assert changed(name, quantizations=recipes("awq-4bit-g128")).verdict is not IMPOSSIBLE


def test_every_fp16_row_of_the_table_is_impossible_and_the_q4_row_is_not() -> None:
    rows = {row: verdict(f"infernet-multi-gpu--speed-{row}") for row in
            ("h100", "2xa100", "4x4090", "4xh100", "2x4090")}  # fmt: skip
    assert {row for row, found in rows.items() if found is IMPOSSIBLE} == {
        "h100", "2xa100", "4x4090", "4xh100",
    }  # fmt: skip


def test_a_plan_of_eight_ranks_on_four_gpus_is_impossible_and_on_eight_it_is_weighed() -> None:
    name = "fungies-multi-node--launch-70b"
    assert judged()[name].judgement.code == "WORLD"
    assert changed(name, gpus=8, nodes=4, tensor=2, pipeline=4).code != "WORLD"
    actor = "runlocalai-course-chapter-8--actor-gpus"
    assert verdict(actor) is IMPOSSIBLE
    assert changed(actor, gpus=4).verdict is CONFIRMED


def test_tensors_that_fill_a_node_stay_in_it_and_twice_as_many_cross_the_network() -> None:
    name = "fungies-multi-node--tp-8-pp-2"
    assert judged()[name].judgement.code == "FLAGS_AGREE"
    assert changed(name, tensor=16, pipeline=1).code == "TENSOR_ACROSS_NODES"


def test_a_head_count_that_does_not_divide_is_impossible() -> None:
    found = changed("infernet-multi-gpu--launch-8", tensor=3, gpus=3)
    assert (found.verdict, found.code) == (IMPOSSIBLE, "TP_HEADS")


def test_a_replica_of_two_gpus_cannot_fill_80_gb_and_can_fill_45() -> None:
    name = "runlocalai-ray-serve--replica-80"
    assert judged()[name].judgement.code == "ABOVE_INSTALLED"  # 2 × 24 GiB are 51.5 GB
    assert changed(name, gb=45.0).verdict is CONFIRMED
    assert changed(name, gpus=4).verdict is not IMPOSSIBLE


def test_what_needs_more_than_everything_is_not_borderline() -> None:
    name = "runlocalai-ray-serve--rule-110"
    assert verdict(name) is IMPOSSIBLE
    assert changed(name, called="not-practical").verdict is CONFIRMED
    assert changed(name, utilization=0.93).verdict is CONFIRMED
    assert changed(name, utilization=1.0, above=False).verdict is CONFIRMED


def test_nine_entries_under_the_number_eight_do_not_add_up() -> None:
    name = "runlocalai-ray-serve--count-not-practical"
    assert verdict(name) is IMPOSSIBLE
    assert changed(name, stated=9).verdict is CONFIRMED


@pytest.mark.parametrize("setup", ["2x4090", "4x4090", "8x3090", "2xh100"])
def test_no_row_of_the_break_even_table_ever_breaks_even(setup: str) -> None:
    # 100,000 tokens a day at 0.03 dollars a thousand: 91 dollars a month, less than the power
    name = f"fungies-multi-node--break-even-{setup}"
    found = judged()[name].judgement
    assert (found.verdict, found.code) == (IMPOSSIBLE, "NEVER_BREAKS_EVEN")
    assert found.arguments["replaced_usd"] == pytest.approx(91.3, abs=0.05)


def test_a_hundred_times_the_tokens_do_break_even() -> None:
    # 9,131 dollars a month less 150 of power: 4,000 dollars are back after 0.45 months
    found = changed("fungies-multi-node--break-even-2x4090", tokens_per_day=10_000_000.0)
    assert found.verdict is DISPUTED
    assert found.arguments["months"] == pytest.approx(0.445, abs=0.005)


def test_ten_4090_do_not_hold_810_gb_and_32_do() -> None:
    name = "fungies-multi-node--ten-4090"
    assert verdict(name) is IMPOSSIBLE
    assert judged()[name].judgement.arguments["needed"] == 32  # 811.7 GB over 25.77 GB
    assert changed(name, count=32).verdict is CONFIRMED


def test_a_minimum_below_the_weights_is_impossible_in_gb_and_in_gib() -> None:
    # Mixtral 8x22B has 140.6e9 parameters: 281 GB at 16 bits, 70 GB at 4 bits without scales
    assert verdict("fungies-multi-node--8x22b-fp16") is IMPOSSIBLE
    assert verdict("fungies-multi-node--8x22b-q4") is IMPOSSIBLE
    assert changed("fungies-multi-node--8x22b-fp16", gb=281.0).verdict is CONFIRMED


def test_gb_that_means_gib_is_read_so_and_says_so() -> None:
    # 404,488,847,360 bytes are 376.7 GiB and 404.5 GB
    found = judged()["dexiio-deepseek-r1--q4"].judgement
    assert (found.verdict, found.reading) == (CONFIRMED, ("q4-k-m", "gib"))


def test_nvlink_is_on_the_3090_and_not_on_the_4090() -> None:
    name = "fungies-multi-node--nvlink-4090"
    assert verdict(name) is IMPOSSIBLE
    assert changed(name, gpu=whole_catalog().gpus["rtx-3090"]).verdict is CONFIRMED


def test_a_bridge_does_not_carry_900_gb_a_second() -> None:
    name = "fungies-multi-node--nvlink-rate"
    assert verdict(name) is IMPOSSIBLE
    assert changed(name, gb_s=300.0, gb_s_high=None).verdict is CONFIRMED
    assert changed(name, gb_s=600.0, gb_s_high=None).code == "BOTH_DIRECTIONS"


def test_a_70b_runs_on_a_single_gpu_after_all() -> None:
    assert judged()["fungies-multi-node--single-gpu"].judgement.code == "FITS_AFTER_ALL"


def test_offload_on_a_desktop_is_too_slow_for_the_benchmark() -> None:
    name = "runlocalai-benchmark-327--decode"
    assert judged()[name].judgement.code == "ABOVE_RAM_BOUND"
    assert changed(name, tokens_per_s=3.0).verdict is not DISPUTED
    assert changed(name, on=boxes("rtx-4090", 2), tokens_per_s=18.0).verdict is CONFIRMED


def test_a_speed_without_a_precision_holds_at_one_and_says_so() -> None:
    for row in ("b-4x4090-hdr", "b-2xh100"):
        found = judged()[f"fungies-multi-node--{row}"].judgement
        assert (found.verdict, found.code) == (CONFIRMED, "POSSIBLE_AT_ONE_PRECISION")
        assert "precision" in str(found.arguments["missing"])
    # 45 tokens/s of two GPUs of 1,008 GB/s: 44.8 GB a token, which an AWQ file of 40 GB stays below
    served = judged()["fungies-multi-node--b-2x4090"].judgement
    assert (served.verdict, served.reading) == (CONFIRMED, ("awq-4bit-g128",))
    assert changed("fungies-multi-node--b-2x4090", tokens_per_s=35.0).verdict is CONFIRMED
    found = changed("fungies-multi-node--b-2xh100", quantizations=recipes("bf16"))
    assert found.code == "ABOVE_BANDWIDTH"  # 6,700 GB/s over 139 GB: 48 tokens/s, not 85


def test_a_speed_outside_the_interval_is_disputed_and_not_impossible() -> None:
    # two RTX 4090 in two machines read in turn: 1,008 GB/s over 40 GB are 25 tokens/s at most
    name = "fungies-multi-node--b-2x4090-10g"
    assert verdict(name) is DISPUTED
    assert changed(name, tokens_per_s=15.0).verdict is CONFIRMED


def test_a_time_to_the_first_token_fits_some_prompt_or_none() -> None:
    name = "fungies-multi-node--t-2xh100"
    found = judged()[name].judgement
    assert (found.verdict, found.code) == (CONFIRMED, "PROMPT_MISSING")
    # 2 × 70.6e9 operations a token at 2 × 989.4 TFLOPS, four times that in low precision
    assert float(found.arguments["most_tokens"]) <= 0.08 * 4 * 2 * 989.4e12 / (2 * 70.6e9)
    assert changed(name, milliseconds=1e-3).verdict is DISPUTED
    assert changed(name, prompt_tokens=100_000).verdict is IMPOSSIBLE


def test_old_servers_read_a_405b_twice_a_second_and_not_four_times() -> None:
    # 4-bit weights of 405e9 parameters are 203 GB and more; two sockets reach 0.8 × 409.6 GB/s
    assert verdict("fungies-multi-node--rpc-405b") is CONFIRMED  # 1.5 is printed as 2, too
    assert changed("fungies-multi-node--rpc-405b", tokens_per_s=4.0).verdict is DISPUTED
    assert verdict("fungies-multi-node--rpc-cpu") is CONFIRMED
    assert changed("fungies-multi-node--rpc-cpu", memory_rate=None).verdict is DOUBTFUL


def test_a_price_is_held_against_the_sum_of_published_ones() -> None:
    # two cards at 1,650 to 2,800 dollars and a host at 430 to 1,500: 3,730 to 7,100
    name = "fungies-multi-node--price-2x4090"
    found = judged()[name].judgement
    assert (found.verdict, found.code) == (CONFIRMED, "PRICE_AGREES")
    assert found.arguments["least_usd"] == 2 * 1_650 + 430
    assert found.arguments["most_usd"] == 2 * 2_800 + 1_500
    assert changed(name, value=3_000.0).verdict is DISPUTED
    assert changed(name, value=9_000.0).verdict is DISPUTED


def test_fifty_users_of_one_cluster_are_held_against_the_shortest_context_that_counts() -> None:
    name = "fungies-multi-node--users-50"
    found = judged()[name].judgement
    assert found.code == "USERS_WITHOUT_CONTEXT"
    assert found.verdict is DISPUTED
    assert changed(name, users=10).verdict is CONFIRMED


def test_a_use_is_held_against_what_the_hardware_makes() -> None:
    # 10,000 dollars at 0.03 a thousand are 333 million tokens a month: 127 a second
    name = "fungies-multi-node--cloud-10k"
    assert verdict(name) is CONFIRMED
    assert changed(name, usd_month=10_000_000.0).verdict is DISPUTED
    assert changed(name, serving=None).verdict is DOUBTFUL


def test_a_count_of_comfortable_models_is_counted_again() -> None:
    name = "runlocalai-ray-serve--count-comfortable"
    assert verdict(name) is CONFIRMED
    assert changed(name, stated=5_000).verdict is DISPUTED


def test_every_claim_of_the_seeds_is_decided() -> None:
    open_ = [
        name for name, one in judged().items()
        if name.split("--")[0] in SEEDS and one.judgement.verdict is DOUBTFUL
    ]  # fmt: skip
    assert open_ == []


def test_an_aided_speed_is_noted_and_not_judged() -> None:
    assert changed("infernet-multi-gpu--speed-4xh100", aided=True).code == "AIDED"


def test_api_prices_multiply() -> None:
    # 10 million tokens at 15 dollars a million are 150 dollars, not 12,500
    name = "teachaitools-70b--api"
    assert verdict(name) is IMPOSSIBLE
    assert changed(name, usd_month=150.0).verdict is CONFIRMED


def test_a_reading_names_the_quantization_and_the_unit() -> None:
    said = reading_words(("iq4-xs", "gib"), whole_catalog())
    assert said == "We assume that the page means IQ4_XS and GiB."
    assert reading_words((), whole_catalog()) == ""


def test_what_the_page_itself_states_is_no_assumption() -> None:
    said = reading_words(("iq4-xs", "gib"), whole_catalog(), "IQ4_XS | ~22GB")
    assert said == "We assume that the page means GiB."
    assert reading_words(("iq4-xs", "gb"), whole_catalog(), "iq4_xs | ~22GB") == ""


def test_every_judgement_has_its_arithmetic_and_its_words() -> None:
    catalog = whole_catalog()
    for name, one in judged().items():
        found = one.judgement
        assert finding_sentence(found, catalog), name
        assert isinstance(reading_words(found.reading, catalog), str)
        for step in found.steps:
            assert step.unit in UNITS, name
            assert step.code in STEPS, name
            assert step_cell(step, catalog), name
        if found.verdict is not DOUBTFUL:
            assert len(found.steps) >= 1, name


def test_what_cannot_be_checked_says_what_is_missing() -> None:
    for name, one in judged().items():
        if not one.judgement.steps:
            assert "missing" in one.judgement.arguments, name
    assert OpenAssertion.model_fields["missing"].is_required()


def test_pages_beyond_the_seeds_are_many_and_both_right_and_wrong() -> None:
    others = {name: one for name, one in judged().items() if name.split("--")[0] not in SEEDS}
    assert len({name.split("--")[0] for name in others}) >= 8
    assert len(others) >= 30
    assert {one.judgement.verdict for one in others.values()} == set(ClaimVerdict)


def test_figures_at_the_edges_are_judged_and_printed() -> None:
    one = "{nodes: [{gpus: [{gpu: rtx-4090}]}]}"
    written = (ROOT / "tests/vectors/extreme-claims.yaml").read_text("utf-8")
    text = written.replace("MODEL", "llama-3.1-8b-instruct").replace("ONE", one)
    files = sorted((ROOT / "catalog").glob("*/*.yaml"))
    read = {
        str(p.relative_to(ROOT)): p.read_text("utf-8") for p in files if p.parent.name != "claims"
    }
    catalog = parse_catalog({**read, "catalog/claims/extremes.yaml": text})
    (page,) = judge_pages(FitEngine(catalog))
    for one_claim in page.claims:
        found = one_claim.judgement
        assert finding_sentence(found, catalog)
        numbers_given = [*found.arguments.values(), *(step.value for step in found.steps)]
        assert all(math.isfinite(n) for n in numbers_given if not isinstance(n, str))
        assert all(step_cell(step, catalog) for step in found.steps)


def figures(value: Any) -> Iterator[float]:
    """Yield the numbers that a claim prints or asserts."""
    if isinstance(value, str):
        yield from map(float, numbers(value))
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, tuple):
        for item in value:
            yield from figures(item)


def printed(claim: Claim) -> set[float]:
    asserted = claim.assertion
    assert is_dataclass(asserted)
    own = [getattr(asserted, field.name) for field in fields(asserted)]
    gpus = [len(v.gpus) for v in own if hasattr(v, "gpus")]
    nodes = [len(v.nodes) for v in own if hasattr(v, "nodes")]
    values = (claim.quote, claim.place, claim.note, *own, *gpus, *nodes)
    return {number for value in values for number in figures(value)}


@pytest.mark.parametrize("row", NUMBERS, ids=lambda row: f"{row['seed']}:{row['line']}")
def test_every_number_of_the_seeds_is_covered_by_a_claim(row: dict[str, Any]) -> None:
    if "why" in row:
        assert len(row["why"].split()) >= 2
        return
    covered = {n for name in row["claims"] for n in printed(judged()[name].claim)}
    assert {float(number) for number in row["numbers"]} <= covered


def test_every_seed_claim_is_asked_for_by_a_number_or_a_word_of_its_page() -> None:
    named = {name for row in NUMBERS for name in row.get("claims", ())}
    words_only = {
        "fungies-multi-node--requests", "fungies-multi-node--ten-4090",
        "fungies-multi-node--single-gpu",
    }  # fmt: skip
    of_seeds = {name for name in judged() if name.split("--")[0] in SEEDS}
    assert of_seeds - named <= words_only


def test_the_enumeration_is_of_numbers_not_of_sentences() -> None:
    for row in NUMBERS:
        assert len(row["words"].split()) <= 4
        assert all(re.fullmatch(r"\d+(\.\d+)?", number) for number in row["numbers"])
    assert Path(ROOT / "benchmarks/seed_numbers.py").is_file()

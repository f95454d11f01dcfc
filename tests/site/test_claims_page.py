"""The claims page: true counts, an anchor for each claim, the same claims in its JSON twin."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from sitegen.fit.quarantine import quarantine
from sitegen.physics.bounds.judgement import ClaimVerdict, Judgement, Step
from sitegen.published.claims.judge import judge_pages
from sitegen.published.judged_records import JudgedRecords
from sitegen.render.cells import html, text
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.pages.claims import ClaimsView, pages
from sitegen.site.words.claims import finding_sentence, step_cell
from sitegen.survey.results import Survey
from tests.site import fabricated
from tests.survey.whole_catalog import cases, whole_catalog

UNSUPPORTED = {"runtime": "vllm", "needs": "8.9", "quantization": "nvfp4", "has": "8.6"}


@cache
def page() -> Page:
    settings = fabricated.inputs().settings
    judged = judge_pages(cases().engine)
    records = JudgedRecords(None, None, judged, quarantine(whole_catalog(), cases().engine.reduced))
    (found,) = pages(
        SiteInputs(whole_catalog(), cases().engine, Survey({}), {}, {}, (), settings, records)
    )
    return found


def view() -> ClaimsView:
    found = page().view
    assert isinstance(found, ClaimsView)
    return found


def test_a_catalog_without_claims_has_an_empty_page() -> None:
    (empty,) = pages(fabricated.inputs_without_records())
    assert empty.total == 0
    assert empty.result == {"pages": [], "quarantined": []}


def test_counts_are_the_lengths_of_what_is_listed() -> None:
    rows = [row for one in view().pages for row in one.table.rows]
    assert page().total == len(rows) == int(text(view().total))
    said = {mark.verdict: int(text(count)) for mark, count in view().counts}
    for verdict in ClaimVerdict:
        shown = sum(text(row.cells[1]) == verdict for row in rows)
        assert said[verdict] == shown
    assert all(one.table.counted for one in view().pages)


def test_every_claim_has_an_anchor_of_its_own_and_a_link_to_it() -> None:
    rows = [row for one in view().pages for row in one.table.rows]
    assert len({row.id for row in rows}) == len(rows)
    for row in rows:
        assert f'href="#{row.id}"' in html(row.cells[0], "/claims/")


def test_the_arithmetic_opens_under_the_sentence() -> None:
    rows = {row.id: row for one in view().pages for row in one.table.rows}
    shown = html(rows["infernet-multi-gpu--speed-4xh100"].cells[2], "/claims/")
    assert "<details><summary>Show the calculation</summary>" in shown
    assert "13,400" in shown  # GB/s of four H100
    assert "94\N{NO-BREAK SPACE}tok/s" in shown


def test_sentences_have_the_names_of_records_and_not_their_ids() -> None:
    for code, arguments, said in (
        ("NO_PROFILE", {"quantization": "q4-k-m"}, "Q4_K_M"),
        ("QUANT_UNSUPPORTED_ON_GPU", UNSUPPORTED, "vLLM needs 8.9 for NVFP4, but"),
    ):
        judgement = Judgement(ClaimVerdict.DOUBTFUL, code, arguments, ())
        assert said in text(finding_sentence(judgement, whole_catalog()))


def test_the_twin_has_every_claim_with_its_steps() -> None:
    result: Any = page().result
    claims = [claim for one in result["pages"] for claim in one["claims"]]
    assert len(claims) == page().total
    impossible = [claim for claim in claims if claim["verdict"] == "impossible"]
    assert impossible
    assert all(claim["steps"] and claim["code"] for claim in impossible)


def test_each_page_is_linked_and_dated() -> None:
    for one in view().pages:
        assert one.read == "2026-11-20"
        assert 'rel="noopener nofollow ugc"' in html(one.source, "/claims/")


def test_a_line_that_repeats_the_claim_does_not_name_the_page_twice() -> None:
    shown = "".join(
        html(row.cells[2], "/claims/") for one in view().pages for row in one.table.rows
    )
    assert "the page says: " in shown
    assert not re.search(r"the page says: [^<]*from the page", shown)
    assert ": 2 — from the page" in shown


def test_a_line_names_an_assumption_as_the_framework_page_does() -> None:
    step = Step("rate-ram", 5e10, "bytes/s", "assumption:ram-bandwidth-default-gb-s")
    said = text(step_cell(step, whole_catalog()))
    assert said.endswith("constant: ram-bandwidth-default-gb-s")


def test_a_range_prints_its_unit_once_and_equal_ends_as_one_number() -> None:
    for low, high, said in ((0.59, 0.83, "59–83\u00a0% of"), (0.101, 0.102, "takes 10\u00a0% of")):
        arguments = {"low": low, "high": high}
        judgement = Judgement(ClaimVerdict.CONFIRMED, "BORDERLINE", arguments, ())
        assert said in text(finding_sentence(judgement, whole_catalog()))
    arguments = {"least_seconds": 9e-6, "most_seconds": 2e-3}
    judgement = Judgement(ClaimVerdict.CONFIRMED, "LATENCY_AGREES", arguments, ())
    assert "9\u00a0µs to 2\u00a0ms" in text(finding_sentence(judgement, whole_catalog()))

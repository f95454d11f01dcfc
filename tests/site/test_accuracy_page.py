"""The accuracy page: true counts, units, links that lead somewhere, and what is said of nothing."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import pytest

from sitegen.pipeline.pages import render
from sitegen.published.accuracy.report import GGUF_FILE, report_of
from sitegen.published.accuracy.speed import SpeedAccuracy
from sitegen.published.accuracy.values import AccuracyReport
from sitegen.render.cells import html, text
from sitegen.site.collect import collect_pages
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.pages.accuracy import AccuracyView, MemoryView, ProgramView, SpeedView, pages
from sitegen.site.table import Table
from sitegen.site.words.accuracy import off
from tests.render.built import parse, project, tree, words
from tests.site import fabricated, fabricated_records

GAP = "\N{NO-BREAK SPACE}"


def page(inputs: SiteInputs) -> Page:
    return next(iter(pages(inputs)))


def view(inputs: SiteInputs) -> AccuracyView:
    found = page(inputs).view
    assert isinstance(found, AccuracyView)
    return found


def memory() -> MemoryView:
    found = view(fabricated.inputs()).memory
    assert found is not None
    return found


def speed() -> SpeedView:
    found = view(fabricated.inputs()).speed
    assert found is not None
    return found


def rows(table: Table) -> list[list[str]]:
    return [[text(cell) for cell in row.cells] for row in table.rows]


def test_counts_are_those_of_what_is_compared() -> None:
    found = fabricated.ACCURACY
    assert page(fabricated.inputs()).total == len(found.comparisons) + len(found.judged) == 5
    assert text(memory().figures) == "5"
    assert text(memory().sources) == "1"
    assert text(memory().left_out) == "1"
    assert sum(int(cells[1]) for cells in rows(memory().by_quantity)) == len(found.comparisons)


def test_errors_are_those_of_the_figures() -> None:
    # 19.75 of 19.75 and 19.75 of 10: no error and 97.5 %; 2.1 of 1.5 is 40 % off
    weights, pool = rows(memory().by_quantity)
    assert weights[2:5] == [f"49{GAP}%", f"98{GAP}%", f"50{GAP}%"]
    assert pool[2:5] == [f"40{GAP}%", f"40{GAP}%", f"0{GAP}%"]
    assert weights[6] == f"0{GAP}%, 0{GAP}%", "without the disputed figure"
    assert pool[7] == f"200{GAP}%", "the common rule says 4.5 of 1.5"


def test_the_worst_come_first_with_their_cause_and_unit() -> None:
    found = rows(memory().worst)
    assert [cells[4] for cells in found] == [f"+97.5{GAP}%", f"+40.0{GAP}%", f"0.0{GAP}%"]
    assert found[0][5] == "the log is of another checkpoint"
    assert found[1][2:4] == [f"1.5{GAP}GiB", f"2.1{GAP}GiB"]
    assert found[2][5] == "not known"


def test_lists_say_how_many_rows_they_have_and_summaries_do_not() -> None:
    tables = {
        table.get("id"): (next(table.iter("caption")), len(list(table.iter("tr"))) - 1)
        for table in tree("accuracy/index.html").iter("table")
    }
    for id_ in ("worst", "speed-worst", "disagreements", "programs"):
        caption, rows = tables[id_]
        assert words(caption).endswith(f"({rows})")
    assert not words(tables["by-quantity"][0]).endswith(")")


def test_a_failure_called_comfortable_is_listed() -> None:
    assert [cells[1] for cells in rows(memory().disagreements)] == ["failed"]
    ran, failed = rows(memory().verdicts)
    assert ran == ["Ran", "1", "0", "0", "1"]
    assert failed[:2] == ["Failed", "1"]


def test_strangers_come_first_beside_what_was_known() -> None:
    assert view(fabricated.inputs()).strangers is None
    comparisons = fabricated.SPEED_ACCURACY.comparisons
    new = tuple(replace(one, stranger=one.quantity == "prefill") for one in comparisons)
    speed_of = replace(fabricated.SPEED_ACCURACY, comparisons=new)
    found = view(only(speed=speed_of)).strangers
    assert found is not None
    assert found.columns[0].heading == "Quantity"
    assert rows(found) == [
        ["Prefill", "1", "1", f"100{GAP}%", f"0{GAP}%", "no rule", "0", "none known", "none known"]
    ]


def test_verdicts_stand_on_one_standard() -> None:
    ran, failed = rows(memory().standard)
    assert ran == ["known", "Ran", "1", "1", "0", "1", "1"]
    assert failed == ["known", "Failed", "1", "0", "0", "1", "0"]


def test_a_goal_without_figures_is_not_called_met() -> None:
    goals = {cells[0] for cells in rows(memory().goals)}
    assert "Weights per GPU" in goals
    assert "File size" not in goals
    assert report_of((), ()).goals == ()


def test_every_program_has_a_page_with_all_of_its_figures() -> None:
    _, program = pages(fabricated.inputs())
    assert program.url == "/accuracy/vllm/"
    assert isinstance(program.view, ProgramView)
    assert len(program.view.comparisons.rows) == program.total == 3
    (listed,) = memory().programs.rows
    assert 'href="vllm/index.html"' in html(listed.cells[0], "/accuracy/")


def test_sizes_of_files_are_not_called_figures_from_logs() -> None:
    report = fabricated.ACCURACY
    files = tuple(
        replace(one, origin=replace(one.origin, program=GGUF_FILE)) for one in report.comparisons
    )
    site = collect_pages(only(memory=replace(report, results=files)), [pages])
    program = site.pages["/accuracy/gguf-file/"]
    assert program.title == "All figures for GGUF files"
    assert program.description.startswith("3 published sizes of GGUF files, each with")
    shown = render(site, project().templates, project().assets)["accuracy/gguf-file/index.html"]
    assert "This page lists published file sizes next to" in words(parse(shown))


def test_speeds_that_are_not_judged_are_in_the_twin_alone() -> None:
    found = speed()
    decode = next(cells for cells in rows(found.errors) if cells[0] == "Decode, one user")
    judged = [one for one in fabricated.SPEED_ACCURACY.judged if one.quantity == "decode"]
    assert int(decode[1]) == len(judged) == 1
    widths = [one.predicted.high / one.predicted.low for one in judged]
    assert decode[5] == f"{median(widths):g}"
    result = page(fabricated.inputs()).result
    assert isinstance(result, dict)
    assert isinstance(result["speeds"], list)
    assert len(result["speeds"]) == len(fabricated.SPEED_ACCURACY.comparisons)
    assert [cells[2] for cells in rows(found.worst)] == [f"1,234{GAP}tok/s", f"48{GAP}tok/s"]


def test_a_run_among_the_worst_leads_to_its_row_on_the_models_page() -> None:
    shown = html(speed().worst.rows[0].cells[0], "/accuracy/")
    assert 'href="../models/small-8b/index.html#run-run-1"' in shown


@pytest.mark.parametrize(
    ("value", "shown"), [(0.4, "+40.0"), (-0.012, "−1.2"), (0.0, "0.0"), (-0.0004, "0.0")]
)
def test_what_is_printed_as_zero_has_no_sign(value: float, shown: str) -> None:
    assert text(off(value)) == f"{shown}{GAP}%"


def only(**changed: AccuracyReport | SpeedAccuracy | None) -> SiteInputs:
    """The invented site with other judged records."""
    return replace(fabricated.inputs(), records=replace(fabricated.RECORDS, **changed))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("inputs", "said", "memory_shown"),
    [
        (fabricated.inputs_without_records(), "nothing to compare", False),
        (only(memory=None), "no memory logs", False),
        (only(speed=None), "5 figures from 1 public", True),
    ],
    ids=["nothing", "speed", "memory"],
)
def test_the_page_stands_whatever_is_missing(
    inputs: SiteInputs, said: str, memory_shown: bool
) -> None:
    site = collect_pages(inputs, [pages])
    shown = render(site, project().templates, project().assets)["accuracy/index.html"]
    words = " ".join("".join(parse(shown).itertext()).split())
    assert said in words
    assert ("Were the verdicts right?" in words) == memory_shown


def test_one_single_figure_can_be_drawn() -> None:
    first = fabricated_records.results(fabricated.LARGE.id)[:1]
    report = report_of(first, fabricated.CATALOG.measurements.values())
    site = collect_pages(only(memory=report), [pages])
    shown = render(site, project().templates, project().assets)["accuracy/index.html"]
    assert b'id="memory-m0"' in shown

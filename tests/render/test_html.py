"""Every kind of page is valid, readable without sight, and counts what it shows."""

from __future__ import annotations

import gzip
import json
import re
from itertools import pairwise

import pytest

from sitegen.fit.assessment import FitTier
from sitegen.render.cells import TIER_GLYPHS, html
from sitegen.render.charts.ledger import ledger_svg
from sitegen.site.cells import TierMark
from sitegen.site.drawings.ledger import Bar, LedgerChart, Segment
from sitegen.site.urls import row_id
from tests.by_columns import entries
from tests.render.built import files, pages, tree, words

EVERY = pytest.mark.parametrize("path", pages())


@EVERY
def test_a_page_parses_strictly_and_repeats_no_id(path: str) -> None:
    ids = [element.get("id") for element in tree(path).iter() if element.get("id")]
    assert len(ids) == len(set(ids))


@EVERY
def test_a_page_has_language_title_description_canonical_and_one_h1(path: str) -> None:
    root = tree(path)
    assert root.get("lang") == "en"
    title = root.find("head/title")
    assert title is not None
    assert "sitegen" in words(title)
    named = {m.get("name"): m.get("content") or "" for m in root.iter("meta")}
    assert len(named["description"]) > 20
    canonical = [link.get("href") for link in root.iter("link") if link.get("rel") == "canonical"]
    url = "/" + path.removesuffix("index.html")
    assert canonical == [f"https://example.org{url}"]
    assert len(list(root.iter("h1"))) == 1


@EVERY
def test_headings_never_skip_a_level(path: str) -> None:
    levels = [int(e.tag[1]) for e in tree(path).iter() if re.fullmatch("h[1-6]", str(e.tag))]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


@EVERY
def test_a_table_has_one_caption_scoped_headings_and_rows_of_equal_width(path: str) -> None:
    for table in tree(path).iter("table"):
        captions = table.findall("caption")
        assert len(captions) == 1
        assert words(captions[0])
        columns = len(table.findall("thead/tr/*"))
        assert all(th.get("scope") in {"col", "row"} and words(th) for th in table.iter("th"))
        for row in table.findall("tbody/tr"):
            cells = list(row)
            assert len(cells) == columns
            assert [cell.tag for cell in cells] == ["th", *["td"] * (columns - 1)]
        assert not [e for e in table.iter() if e.get("colspan") or e.get("rowspan")]


NUMBER = re.compile(
    r"[$€−-]?\d[\d,.]*(?:\s?[–-]\s?\d[\d,.]*)?"
    r"(?:\s?(?:%|[KMGT]i?B|tok/s|ms|s|W|GB/s|bits?|TFLOPS|years?|hours?))?"
)
TEXT_OF_DIGITS = {"Version", "Borderline on"}
"""Columns of which a page may show digits alone."""


def test_a_column_of_numbers_is_set_as_numbers() -> None:
    seen = 0
    for path in pages():
        for table in tree(path).iter("table"):
            heads = [words(cell) for cell in table.findall("thead/tr")[-1]]
            whole = [list(row) for row in table.findall("tbody/tr") if len(row) == len(heads)]
            places = str(table.get("class")).split()
            columns = zip(heads, zip(*whole, strict=True), strict=bool(whole))
            for place, (head, column) in enumerate(columns, 1):
                said = {words(cell) for cell in column} - {"", "–", "—", "unknown"}
                if said and all(map(NUMBER.fullmatch, said)) and head not in TEXT_OF_DIGITS:
                    shown = {"n" in str(cell.get("class")).split() for cell in column}
                    marked = f"n{place}" in places or shown == {True}
                    assert marked, f"{path} {table.get('id')} {head}"
                    seen += 1
    assert seen > 200


def test_the_style_of_numbers_knows_every_column_that_a_table_marks() -> None:
    style = files()["assets/site.css"].decode()
    known = {int(at) for at in re.findall(r":where\(\.n(\d+) tr>\*\):nth-child\(\1\)", style)}
    marked = {
        int(at)
        for path in pages()
        for at in re.findall(r'<table id="[^"]*" class="([^"]*)"', files()[path].decode())
        for at in re.findall(r"\bn(\d+)\b", at)
    }
    assert marked
    assert marked <= known


@EVERY
def test_a_table_scrolls_in_a_named_region_that_keys_can_reach(path: str) -> None:
    root = tree(path)
    ids = {element.get("id"): element for element in root.iter()}
    regions = [div for div in root.iter("div") if div.find("table") is not None]
    assert len(regions) == len(list(root.iter("table")))
    for region in regions:
        assert region.get("role") == "region"
        assert region.get("tabindex") == "0"
        assert words(ids[region.get("aria-labelledby")])


@EVERY
def test_a_caption_counts_the_rows_under_it(path: str) -> None:
    for table in tree(path).iter("table"):
        caption = table.find("caption")
        assert caption is not None
        count = re.search(r"\((\d+)\)$", words(caption))
        if count:
            assert int(count[1]) == len(table.findall("tbody/tr"))


@EVERY
def test_the_policy_allows_nothing_from_elsewhere_and_nothing_is_asked_for(path: str) -> None:
    root = tree(path)
    policy = next(m.get("content") for m in root.iter("meta") if m.get("http-equiv"))
    assert str(policy).startswith("default-src 'none'; style-src 'self'; img-src 'self' data:")
    allowed = "'wasm-unsafe-eval'" if path == "search/index.html" else ""
    assert re.findall(r"\S*unsafe[^\s;]*", str(policy)) == allowed.split()
    for element in root.iter():
        if element.tag == "script":  # a file of ours, or a block of data, which no browser runs
            own = element.get("src") and not words(element)
            assert own or element.attrib == {"type": "application/ld+json"}
        assert element.tag not in {"iframe", "object", "embed", "style"}
        assert element.tag != "form" or not str(element.get("action")).startswith(("http", "//"))
        assert element.get("style") is None
        assert not [name for name in element.attrib if str(name).startswith("on")]
        loaded = element.get("src") or (
            element.get("href") if element.get("rel") in {"stylesheet", "icon"} else ""
        )
        assert not str(loaded).startswith(("http", "//"))


@pytest.mark.parametrize("path", [p for p in pages() if p.endswith("models/index.html")][:-1])
def test_a_combo_counts_alike_in_its_list_its_contents_its_tally_and_its_twin(path: str) -> None:
    root, above = tree(path), path.replace("models/", "")
    twin = json.loads(files()[above.replace("index.html", "index.json")])
    counted = words(next(e for e in tree(above).iter("div") if e.get("class") == "tally"))
    contents = words(next(nav for nav in root.iter("nav") if nav.get("class") == "toc"))
    total = 0
    for tier in ("comfortable", "borderline", "not-practical"):
        listed = entries(twin["result"]["tiers"][tier])
        total += len(listed)
        tables = [t for t in root.iter("table") if t.get("id") == f"tier-{tier}"]
        rows = [r for t in tables for r in t.findall("tbody/tr")]
        assert {row.get("id") for row in rows} == {
            row_id(entry["model"], entry["checkpoint"]) for entry in listed
        }
        assert f"({len(listed)})" in contents
        assert f"{len(listed)} {TIER_GLYPHS[FitTier(tier)]} {tier.replace('-', ' ')}" in counted
    assert twin["total"] == total


@pytest.mark.parametrize(
    "path", [p for p in pages() if p.startswith("models/") and p.endswith("/machines/index.html")]
)
def test_all_machines_of_a_model_count_alike_in_its_tables_and_its_twin(path: str) -> None:
    root = tree(path)
    twin = json.loads(files()[path.replace("machines/index.html", "index.json")])
    for tier, listed in twin["result"]["tiers"].items():
        tables = [t for t in root.iter("table") if t.get("id") == f"all-{tier}"]
        assert sum(len(t.findall("tbody/tr")) for t in tables) == len(entries(listed))


def test_no_row_that_fits_needs_more_than_all_of_the_busiest_gpu() -> None:
    found = [path for path in files() if re.fullmatch("combos/[^/]+/index.json", path)]
    twins = [json.loads(files()[p])["result"]["tiers"]["comfortable"] for p in found]
    rows = [row for twin in twins for row in entries(twin)]
    assert all(0 < row["verdict_utilization.high"] <= 0.9 for row in rows)
    assert rows


def test_a_verdict_is_a_word_and_a_glyph_and_not_only_a_colour() -> None:
    marks = [e for p in pages() for e in tree(p).iter("span") if "tier " in str(e.get("class"))]
    assert {words(mark) for mark in marks} == {
        "✓ fits comfortably",
        "≈ borderline",
        "✕ not practical",
        "✓ confirmed",
        "≈ doubtful",
        "≠ disputed",
        "✕ impossible",
    }
    assert all(mark[0].get("aria-hidden") == "true" for mark in marks)


def test_an_estimate_says_so_beside_every_speed() -> None:
    cards = list(tree("combos/four-by-two/index.html").iter("dl"))
    speeds = [words(pair) for e in cards for pair in e.iter("div") if "Speed, one" in words(pair)]
    assert speeds
    assert all("tok/s" in said and "estimated" in said for said in speeds)


def test_a_row_too_close_to_call_says_so() -> None:
    root = tree("combos/single-rtx-3060/models/index.html")
    row = next(e for e in root.iter("tr") if e.get("id") == "m-small-8b--q4-k-m")
    assert "too close to call" in words(row)


def test_a_mark_sets_the_doubt_against_the_verdict() -> None:
    mark = html(TierMark(FitTier.COMFORTABLE, too_close=True), "/")
    assert mark.endswith(
        'fits comfortably</span> <span class="close">(may be only borderline)</span>'
    )


def test_how_to_run_a_pick_is_a_sentence() -> None:
    cards = tree("combos/four-by-two/index.html")
    said = [words(e) for e in cards.iter("p") if e.get("class") == "run"]
    assert said
    assert all(one.startswith("Run it as ") and one.endswith(".") for one in said)


@EVERY
def test_a_chart_names_itself_in_text_and_its_table_is_on_the_page(path: str) -> None:
    root = tree(path)
    tables = {table.get("id") for table in root.iter("table")}
    for svg in (e for e in root.iter() if e.get("role") == "img"):
        title, description = str(svg.get("aria-labelledby")).split()
        ids = {e.get("id"): words(e) for e in svg.iter()}
        assert ids[title]
        assert ids[description]
        assert not [e for e in svg.iter() if str(e.tag).endswith(("image", "foreignObject"))]
        name = title.removesuffix("-title")
        alternatives = TABLES_OF.get(name, {f"{name}-table", name.replace("-chart", "-table")})
        assert tables & alternatives, name


TABLES_OF = {
    "topology": {"nodes"},
    "errors": {"by-quantity"},
    "memory": {"by-quantity"},
    "speed-plot": {"speed-errors"},
}
"""The table that has a drawing's numbers, or their summary where the drawing has hundreds."""


def test_a_combo_page_draws_its_nodes_its_ledger_its_context_and_its_streams() -> None:
    root = tree("combos/four-by-two/index.html")
    drawn = [svg for svg in root.iter() if svg.get("role") == "img"]
    assert [svg.get("class") for svg in drawn] == ["ledger", "plot", "plot", "topology"]


def test_nodes_stay_apart_in_the_drawing() -> None:
    page = files()["combos/four-by-two/index.html"].decode()
    assert [page.count(f">Node {number}</text>") for number in range(1, 6)] == [1, 1, 1, 1, 0]


def test_the_busiest_gpu_is_marked_in_chart_and_table() -> None:
    root = tree("combos/mixed-pair/index.html")
    rows = [r for r in root.iter("tr") if r.get("class") == "busiest"]
    assert [words(row[0]) for row in rows] == ["Node 1, GPU 1 – fullest"]
    assert "Node 1, GPU 1, fullest</text>" in files()["combos/mixed-pair/index.html"].decode()


def test_no_page_of_the_invented_site_is_heavy() -> None:
    assert all(len(gzip.compress(files()[path], mtime=0)) < 20_000 for path in pages())


@EVERY
def test_contents_are_in_the_order_of_the_page(path: str) -> None:
    root = tree(path)
    places = {element.get("id"): at for at, element in enumerate(root.iter())}
    for nav in (nav for nav in root.iter("nav") if nav.get("class") == "toc"):
        led_to = [places[(link.get("href") or "").partition("#")[2]] for link in nav.iter("a")]
        assert led_to == sorted(led_to)


@EVERY
def test_a_term_and_its_description_are_two_words_in_the_index_of_the_text(path: str) -> None:
    assert b"</dt><dd" not in files()[path]


@pytest.mark.parametrize(("share", "labelled"), [(0.25, False), (0.5, True)])
def test_a_segment_has_its_label_where_a_small_screen_has_room(
    share: float, *, labelled: bool
) -> None:
    segment = Segment("reserved_os", "Reserved by the system", int(100 * share))
    bar = Bar("Node 1, GPU 1", (segment,), 100, 90, 80, busiest=True)
    drawn = ledger_svg(LedgerChart("l", "t", "d", (bar,)))
    assert (">Reserved by the system</text>" in drawn) is labelled

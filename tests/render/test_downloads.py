"""What a reader takes away from a page says what the page says: CSV, metadata, Markdown."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any
from xml.etree.ElementTree import Element

import pytest

from sitegen.render.addresses import file_of
from sitegen.render.data.grids import data_csv, grids, short_names
from sitegen.site.cells import Absent, Lines, NumberCell, Small, Span, Unit
from sitegen.site.table import Column, Row, Table
from sitegen.units import GIB
from tests.by_columns import entries
from tests.render.built import files, site, tree, words

PAGES = tuple(file_of(page.url) for page in site().pages.values() if not page.signpost)
PARTS = frozenset(file_of(page.url) for page in site().pages.values() if page.part)
WHOLE = pytest.mark.parametrize("path", [path for path in PAGES if path not in PARTS])
EXCERPTS = frozenset({
    "first-models", "first-opportunities", "first-measurements", "first-sessions",
    "first-comfortable", "first-borderline", "first-not-practical", "matrix", "machines",
})  # fmt: skip
"""Tables that show a part of another one."""
IN_FILES_ALONE = frozenset({
    "best", "opportunities", "measurements", "measurements-of-one", "sessions",
    "tier-comfortable", "tier-borderline", "tier-not-practical", "verdicts", "combos",
})  # fmt: skip
"""Tables that a page shows in another form: as cards, as a part, on a page below."""
WITH_TEXT = pytest.mark.parametrize(
    "path", [path for path in PAGES if f"{path[:-10]}page.md" in files()]
)
ELSEWHERE = ("combos/", "models/", "gpus/", "benchmarks/opportunities/", "matrix/", "compare/")
TABLED = pytest.mark.parametrize("path", [p for p in PAGES if f"{p[:-10]}data.csv" in files()])


def beside(path: str, name: str) -> bytes:
    return files()[path.removesuffix("index.html") + name]


def rows_of(path: str) -> list[dict[str, str]]:
    text = beside(of(path), "data.csv").decode()
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def metadata_of(path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(beside(of(path), "metadata.json"))["result"]
    return found


def of(path: str) -> str:
    """The page whose files have the data of a page: the one above a part, else itself."""
    return f"{path.rsplit('/', 2)[0]}/index.html" if path in PARTS else path


def shown_tables(path: str) -> dict[str, list[Element]]:
    """Rows of each table of the page that has an id."""
    return {
        str(table.get("id")): table.findall("tbody/tr")
        for table in tree(path).iter("table")
        if table.get("id") and table.get("id") not in EXCERPTS
    }


def shown(cell: Element) -> str:
    """What a cell shows, without signs that only repeat a word or lead to the row itself."""
    if cell.get("role") == "img":  # a drawing says in words what it shows
        return str(cell.get("aria-label")) + (cell.tail or "")
    hidden = cell.get("aria-hidden") == "true" or cell.get("class") == "permalink"
    inside = "" if hidden else (cell.text or "") + "".join(shown(child) for child in cell)
    return inside + (cell.tail or "")


def squeezed(text: str) -> str:
    """Without what separates: spaces, line breaks, commas, colons, semicolons."""
    return re.sub(r"[\s,;:]", "", text)


@TABLED
def test_every_value_of_a_csv_row_is_what_its_row_on_the_page_shows(path: str) -> None:
    columns = {str(c["name"]): c for c in entries(metadata_of(path)["columns"])}
    tables = {str(t["id"]): t for t in metadata_of(path)["tables"]}
    rows = rows_of(path)
    compared = 0
    for id_, on_page in shown_tables(path).items():
        listed = [row for row in rows if row["table"] == id_]
        assert len(listed) == len(on_page) == tables[id_]["rows"]
        for row, element in zip(listed, on_page, strict=True):
            printed = squeezed("".join(shown(cell) for cell in element))
            written = ""
            names = list(tables[id_]["columns"])
            for name in names:
                value = row[name]
                about = str(columns[name]["description"])
                if about.endswith((", high bound", ", best estimate")):
                    continue
                if about.endswith(", low bound"):
                    high = row[name.removesuffix("low") + "high"]
                    mid = row.get(name.removesuffix("low") + "mid", "")
                    both = f"{mid} ({value}–{high})" if mid else f"{value}–{high}"
                    value = value if value == high else both
                written += f"{value}{columns[name]['unit']}" if value else ""
            assert squeezed(written) == printed
            compared += 1
    elsewhere = [row for row in rows if row["table"] not in shown_tables(path)]
    assert compared == len(rows) - len(elsewhere)
    assert rows
    assert not elsewhere or path.startswith(ELSEWHERE)
    assert {row["table"] for row in elsewhere} <= IN_FILES_ALONE


@TABLED
def test_counts_agree_in_caption_csv_twin_and_metadata(path: str) -> None:
    counts = {str(t["id"]): t["rows"] for t in metadata_of(path)["tables"]}
    rows = rows_of(path)
    for table in tree(path).iter("table"):
        if not table.get("id") or table.get("id") in EXCERPTS:
            continue
        count = counts[str(table.get("id"))]
        assert sum(row["table"] == table.get("id") for row in rows) == count
        in_words = re.search(r"\((\d+)\)$", words(table.find("caption") or Element("none")))
        assert in_words is None or int(in_words[1]) == count
    twin = json.loads(beside(path, "index.json"))
    if set(twin["result"]) == {"tables"}:
        tables = twin["result"]["tables"]
        assert {t["id"]: len(entries(t)) if t["columns"] else 0 for t in tables} == counts
        assert twin["total"] == len(rows)


@TABLED
def test_a_csv_file_is_utf_8_with_one_line_end_and_equal_records(path: str) -> None:
    content = beside(path, "data.csv")
    assert not content.startswith(b"\xef\xbb\xbf")
    text = content.decode()
    assert text.count("\n") == text.count("\r\n")
    records = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    header = records[0]
    assert len(set(header)) == len(header)
    assert all(re.fullmatch(r"[a-z0-9_]+", name) for name in header)
    assert {len(record) for record in records} == {len(header)}
    assert header[:2] == ["table", "row"]
    about = json.loads(beside(path, "metadata.json"))
    version = json.loads(beside(path, "index.json"))["data_version"]
    assert (about["data_version"], about["data_licence"]) == (version, "CC BY 4.0")


@TABLED
def test_metadata_describes_every_column_and_numbers_are_numbers(path: str) -> None:
    columns = entries(metadata_of(path)["columns"])
    rows = rows_of(path)
    assert [column["name"] for column in columns] == list(rows[0])
    for column in columns:
        assert column["description"]
        if column["type"] == "number":
            values = [row[str(column["name"])] for row in rows]
            assert all(re.fullmatch(r"-?\d+(\.\d+)?", value) for value in values if value)
            assert any(values)


@TABLED
def test_a_row_names_its_anchor_on_the_page(path: str) -> None:
    anchors = {element.get("id") for element in tree(path).iter()}
    below = path.replace("index.html", "models/index.html")
    if below in PARTS:  # whose rows an address of the page leads to
        anchors |= {element.get("id") for element in tree(below).iter()}
    assert {row["row"] for row in rows_of(path)} - {""} <= anchors


def test_metadata_says_where_the_data_is_from_and_what_the_tiers_mean() -> None:
    about = json.loads(beside("gpus/rtx-4090/index.html", "metadata.json"))
    assert about["data_licence"] == "CC BY 4.0"
    result = about["result"]
    assert result["data_licence_url"] == "https://creativecommons.org/licenses/by/4.0/"
    assert result["data_date"] == "2026-11-20"
    assert [source["url"] for source in result["sources"]] == ["https://source.example/facts"]
    limits = {one["name"]: one["mid"] for one in result["thresholds"]}
    assert limits["comfortable-utilization"] == 0.9
    assert result["url"] == "https://example.org/gpus/rtx-4090/"


@WITH_TEXT
def test_page_md_says_what_the_page_says_and_nothing_else(path: str) -> None:
    markdown = beside(path, "page.md").decode()
    body, _, closing = markdown.rpartition("\n---\n")
    main = next(element for element in tree(path).iter("main"))
    heading = next(element for element in main.iter("h1"))
    assert f"# {words(heading)}" in markdown.replace("\\", "")
    assert re.search("data version [0-9a-f]{12} of ", closing)
    assert "CC BY 4.0" in closing

    def vocabulary(text: str) -> set[str]:
        plain = re.sub(r"\]\([^)]*\)|[*`\\]", " ", text)
        return set(re.findall(r"[^\W_]+", re.sub(r"(?<=\d),(?=\d{3})", "", plain)))

    known = vocabulary("".join(main.itertext())) | vocabulary(" ".join(main.itertext()))
    known |= vocabulary(
        " ".join(str(e.get("aria-label")) for e in main.iter() if e.get("aria-label"))
    )
    known |= {"low", "high", "mid", "more", "none"}
    known |= vocabulary(
        " ".join(str(column["unit"]) for column in entries(metadata_of(path)["columns"]))
    )
    numbers_of_steps = re.compile(r"^\d+\. ", flags=re.MULTILINE)
    assert vocabulary(numbers_of_steps.sub("", body)) <= known


@WHOLE
def test_every_row_of_a_table_is_a_row_in_page_md(path: str) -> None:
    markdown = beside(path, "page.md").decode()
    for table in metadata_of(path)["tables"]:
        if table["rows"] and table["id"] in shown_tables(path):
            caption = re.sub(r"([*`\[\]<|\\])", r"\\\1", str(table["caption"]))
            found = re.search(rf"^\*\*{re.escape(caption)}\*\*( \(\d+\))?\n\n", markdown, re.M)
            assert found
            block = markdown[found.end() :].split("\n\n")[0]
            lines = block.splitlines()
            assert len(lines) == 2 + int(str(table["rows"]))
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1


@pytest.mark.parametrize("first", "=+-@\t\r")
def test_no_text_runs_as_a_formula_and_numbers_stay_numbers(first: str) -> None:
    # the six characters that RS-32 names
    text = f"{first}cmd|' /C calc'!A0"
    number = NumberCell(-3.5, Unit.TOKENS_PER_S)
    rows = (Row((text, number)), Row((f"a{first}b", number)))
    (grid,) = grids([Table("t", "T", (Column("Name"), Column("Value")), rows)])
    lines = list(csv.reader(io.StringIO(data_csv((grid,)).decode(), newline="")))
    assert len(lines) == 3
    assert [line[2] for line in lines[1:]] == [f"'{text}", f"a{first}b"]
    assert [float(line[3]) for line in lines[1:]] == [-3.5, -3.5]


def test_markup_in_a_name_stays_text_in_markdown_and_no_formula_runs_in_a_spreadsheet() -> None:
    table = Table("t", "T", (Column("Name"), Column("Value")), (Row(("=1+1", "a|b <i>*c*")),))
    (grid,) = grids([table])
    assert b"'=1+1" in data_csv((grid,))
    from sitegen.render.data.page_markdown import table_markdown

    assert r"| =1+1 | a\|b \<i>\*c\* |" in table_markdown(grid)


def test_the_note_of_a_column_stands_in_its_heading() -> None:
    columns = (
        Column("Model"),
        Column("Users", numeric=True, note="at 8K / 32K"),
        Column("Decode", numeric=True, note="one user"),
    )
    row = Row(("a", "4 / 1", NumberCell(30.0, Unit.TOKENS_PER_S)))
    (grid,) = grids([Table("t", "T", columns, (row,))])
    from sitegen.render.data.page_markdown import table_markdown

    assert "| Model | Users (at 8K / 32K) | Decode (one user, tok/s) |" in table_markdown(grid)


def test_a_column_of_one_unit_is_numbers_and_says_why_one_is_missing() -> None:
    columns = (Column("Card"), Column("Memory", numeric=True), Column("Full", numeric=True))
    table = Table("t", "T", columns, (
        Row(("a", NumberCell(24 * GIB, Unit.GIB), Span(0.811, 0.84, 0.884, Unit.PERCENT))),
        Row(("b", Absent("not recorded"), Lines((NumberCell(1.0, Unit.PERCENT), Small("often"))))),
    ))  # fmt: skip
    (grid,) = grids([table])
    assert [field.name for field in grid.fields] == [
        "card", "memory_gib", "memory_detail", "full_percent_low", "full_percent_high",
        "full_detail",
    ]  # fmt: skip
    assert grid.rows == (
        ("a", "24", "", "81", "88", ""),
        ("b", "", "not recorded", "100", "100", "often"),
    )


def test_a_column_of_two_units_is_text_as_printed() -> None:
    rows = (Row(("a", NumberCell(GIB, Unit.GIB))), Row(("b", NumberCell(3, Unit.WATTS))))
    (grid,) = grids([Table("t", "T", (Column("Fact"), Column("Value")), rows)])
    assert grid.rows == (("a", "1\N{NO-BREAK SPACE}GiB"), ("b", "3\N{NO-BREAK SPACE}W"))


def test_equal_headings_get_different_names() -> None:
    columns = tuple(Column(heading) for heading in ("Decode", "Decode", "%"))
    assert short_names(columns) == ("decode", "decode_2", "column")


def test_a_block_of_code_is_the_same_in_page_md() -> None:
    from sitegen.render.data.page_markdown import page_markdown

    code = 'a &lt; <span class="s">"b"</span>\n  indented'
    html = f"<body><main><p>Run <code>it</code>:</p><pre><code>{code}\n</code></pre></main></body>"
    made = page_markdown(html, (), "from here").decode()
    assert made == 'Run `it`:\n\n```\na < "b"\n  indented\n```\n\n---\n\nfrom here\n'


def test_steps_are_numbered_in_page_md_and_other_lists_are_not() -> None:
    from sitegen.render.data.page_markdown import page_markdown

    inner = "<ul><li>either</li><li>or</li></ul>"
    steps = f"<ol><li>Stop.</li><li>Choose:{inner}</li><li>Go to step 1.</li></ol>"
    html = f"<body><main><p>Do this:</p>{steps}</main></body>"
    text = page_markdown(html, (), "from here").decode()
    assert "1. Stop.\n2. Choose:\n- either\n- or\n3. Go to step 1.\n" in text


def test_a_row_of_page_md_has_no_link_to_an_answer_that_a_script_makes() -> None:
    from sitegen.render.data.page_markdown import page_markdown

    link = '<a href="../../custom/index.html#combo=x&amp;model=y">X</a>'
    row = f'<table><tbody><tr><th>{link}</th><td><a href="../x/index.html">x</a></td></tr></tbody>'
    html = f"<body><main><p>See {link}.</p>{row}</table></main></body>"
    text = page_markdown(html, (), "from here").decode()
    assert "See [X](../../custom/index.html#combo=x&model=y)." in text
    assert "| X | [x](../x/index.html) |" in text


def test_a_drawing_within_a_drawing_is_no_text() -> None:
    from sitegen.render.data.page_markdown import page_markdown
    from sitegen.render.searchable import searchable

    drawn = "<svg role='img'><text>10</text><svg x='1'><use/></svg><title>c0969</title></svg>"
    html = f"<body><main><p>Before</p><figure>{drawn}</figure><p>after</p></main></body>"
    assert page_markdown(html, (), "x").decode() == "Before\n\nafter\n\n---\n\nx\n"
    assert "c0969" not in searchable(html)
    assert "after" in searchable(html)


def test_what_a_page_hides_until_a_script_shows_it_is_not_said() -> None:
    from sitegen.render.data.page_markdown import page_markdown

    html = (
        '<main><p id="mine" class="note" hidden>Saved: <strong id="name"></strong>.</p>'
        '<p title="never hidden">Said</p><section hidden><section>a</section>b</section></main>'
    )
    assert page_markdown(html, (), "x").decode() == "Said\n\n---\n\nx\n"


def test_emphasis_stands_around_words_without_their_spaces() -> None:
    """``* fits*`` is no emphasis: the sign before the words of a verdict is for eyes alone."""
    from sitegen.render.data.page_markdown import page_markdown

    html = (
        '<main><p>It<em> <span aria-hidden="true">+</span> fits </em>here<strong></strong>.</p>'
        "</main>"
    )
    assert page_markdown(html, (), "x").decode() == "It *fits* here.\n\n---\n\nx\n"


@pytest.mark.parametrize(
    "path", sorted(path for path in PARTS if path.endswith("models/index.html"))
)
def test_every_model_of_a_combo_is_a_row_in_the_list_and_in_the_files_above_it(path: str) -> None:
    rows = rows_of(path)
    for id_, on_page in shown_tables(path).items():
        listed = [row["row"] for row in rows if row["table"] == id_]
        assert sorted(listed) == sorted(str(row.get("id")) for row in on_page)
    assert not set(shown_tables(path)) - IN_FILES_ALONE
    assert [name for name in files() if name.startswith(path.removesuffix("index.html"))] == [path]

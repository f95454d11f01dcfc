"""The matrix of models and GPUs: a small table in the page, the whole grid beside it."""

from __future__ import annotations

import json

from sitegen.fit.assessment import FitTier
from sitegen.render.matrix import DIGITS, Texts, matrix_data, says
from sitegen.site.combo.matrix import grid_of
from sitegen.survey.gpu_grid import NOT, OnGpus
from tests.render.built import files, tree
from tests.site.fabricated import FACTS, SMALL, inputs

GRID = grid_of(inputs())
DATA = matrix_data(GRID, {id_: known.parameters for id_, known in FACTS.items()})


def test_a_cell_says_model_machine_verdict_speed_and_context() -> None:
    found = OnGpus(FitTier.BORDERLINE, True, 7.25, 40_960, 2, "Q8_0")
    assert says("A", "2× B", 2, found) == (
        "A on 2× B: borderline (too close to call), Q8_0, 7.2 tokens per second, "
        "40,960 tokens of context"
    )
    assert says("A", "4× B", 4, found).endswith("40,960 tokens of context (on 2 of them)")
    assert says("A", "B", 1, NOT) == "A on B: not practical"


def test_every_cell_of_the_page_names_model_and_gpu_and_opens_both() -> None:
    (table,) = (one for one in tree("matrix/index.html").iter("table") if one.get("id") == "matrix")
    heads = ["".join(one.itertext()).split(" ", 1)[0] for one in table.iter("th")][1:]
    assert heads
    cells = 0
    for row in table.findall("tbody/tr"):
        model = "".join(row.find("th/a").itertext())  # type: ignore[union-attr]
        for link in row.iterfind("td/a"):
            assert str(link.get("aria-label")).startswith(f"{model} on ")
            address = str(link.get("href"))
            assert address.startswith("../custom/index.html#")
            assert "&model=" in address
            assert "".join(link.itertext())[0] in "✓≈✕"
            cells += 1
    assert cells == len(table.findall("tbody/tr")) * 4


def test_data_has_each_gpu_once_with_an_address_for_each_machine() -> None:
    by_id = {one["id"]: one for one in DATA["gpus"]}
    assert by_id["rtx-4090"]["at"]["2"] == ["machine=1;rtx-4090*2;pcie-4-x16;;;linux"]
    address, letters, figures = by_id["rtx-3060-12gb"]["at"]["1"]
    assert address == "combo=single-rtx-3060"
    assert letters[DATA["models"].index(SMALL.id)] == "B"  # borderline, and too close to call
    assert len(figures) == 6 * sum(letter not in "nN" for letter in letters)
    assert set(by_id["m3-ultra"]["at"]) == {"96", "256"}
    sizes = {tuple(one) for one in DATA["columns"]}
    chip = [one["id"] for one in DATA["gpus"]].index("m3-ultra")
    assert {(chip, 96), (chip, 256)} <= sizes


def test_need_says_which_machine_is_the_smallest() -> None:
    fewest, figures, tight, close = next(
        one["need"] for one in DATA["gpus"] if one["id"] == "rtx-4090"
    )
    found = dict(zip(DATA["models"], fewest, strict=True))
    assert found == {"small-8b": "1", "large-70b": "2", "huge-400b": "h"}
    assert len(figures) == 18
    files_of = {DATA["files"][DIGITS.index(figures[at])] for at in range(5, len(figures), 6)}
    assert files_of == {"Q4_K_M"}
    assert tight == close == ""


def test_two_characters_name_a_text_and_no_text_is_lost() -> None:
    texts = Texts()
    codes = [texts.code(str(number)) for number in range(len(DIGITS) + 1)]
    assert codes[-1] == "10"
    assert len(set(codes)) == len(codes)


def test_the_page_is_small_and_its_data_is_a_script_of_one_value() -> None:
    assert len(files()["matrix/index.html"]) < 150_000
    text = files()["assets/matrix-data.js"].decode()
    assert json.loads(text.removeprefix("var sitegenMatrix = ").removesuffix(";\n"))["models"]

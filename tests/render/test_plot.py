"""A plot puts points where their values are, in shares of its width."""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import tostring

import html5lib

from sitegen.render.charts.plot import plot_svg, ticks
from sitegen.site.cells import Unit
from sitegen.site.drawings.plot import Axis, Limit, Plot, Point, Series

SHARE = Axis("Share", Unit.PERCENT, 0, 1)
GIB = 2**30
SVG = "{http://www.w3.org/2000/svg}"
MEMORY = Axis("Logged", Unit.GIB, GIB, 100 * GIB, logarithmic=True)


def drawn(*series: Series, equal: bool = False) -> Any:
    plot = Plot("p", "Title & more", "What <it> shows", MEMORY, SHARE, series, equal)
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parseFragment(
        plot_svg(plot)
    )


def test_a_point_in_the_middle_of_both_axes_is_drawn_there() -> None:
    svg = drawn(Series("a", (Point(10 * GIB, 0.5, "ten"),)))
    (use,) = svg.iter(f"{SVG}use")
    assert (use.get("x"), use.get("y")) == ("55.50%", "176.0")
    assert "".join(use.itertext()) == "ten"


def test_a_value_beyond_an_axis_is_drawn_at_its_end() -> None:
    svg = drawn(Series("a", (Point(1_000 * GIB, -3),)))
    (use,) = svg.iter(f"{SVG}use")
    assert (use.get("x"), use.get("y")) == ("99.00%", "326.0")


def test_every_series_has_its_own_shape_and_its_name_in_the_legend() -> None:
    svg = drawn(*(Series(name, (Point(GIB, 0),)) for name in "abcdef"))
    shapes = {tostring(symbol[0][0]) for symbol in svg.iter(f"{SVG}symbol")}
    assert len(shapes) == 6
    assert [("".join(item.itertext())).strip() for item in svg.iter("li")] == list("abcdef")


def test_joined_points_are_one_path_in_order() -> None:
    svg = drawn(Series("a", (Point(GIB, 0), Point(100 * GIB, 1)), line=True))
    lines = [path.get("d") for path in svg.iter(f"{SVG}path") if path.get("class") == "l0"]
    assert lines[0] == "M0 300.0L1000 0.0"


def test_title_and_description_are_text_and_name_the_drawing() -> None:
    plot = Plot("p", "Title & more", "What <it> shows", MEMORY, SHARE, ())
    html = plot_svg(plot)
    assert 'aria-labelledby="p-title p-desc"' in html
    assert "Title &amp; more" in html
    assert "What &lt;it&gt; shows" in html


def test_axes_are_labelled_in_the_printed_unit() -> None:
    texts = re.findall(r">([^<>]+)</text>", plot_svg(Plot("p", "t", "d", MEMORY, SHARE, ())))
    assert texts == [
        "Share, %",
        "0",
        "20",
        "40",
        "60",
        "80",
        "100",
        "1",
        "10",
        "100",
        "Logged, GiB",
    ]


def test_the_area_between_bounds_runs_along_the_lower_and_back_along_the_upper() -> None:
    points = (Point(GIB, 0.5, low=0.4, high=0.6), Point(100 * GIB, 0.5, low=0.2, high=0.8))
    svg = drawn(Series("a", points, line=True))
    areas = [path.get("d") for path in svg.iter(f"{SVG}path") if path.get("class") == "b0"]
    assert areas == ["M0 180.0L1000 240.0L1000 60.0L0 120.0Z"]


def test_a_limit_is_a_line_across_at_its_value_with_its_name() -> None:
    limits = (Limit(0.25, "most & more"), Limit(10 * GIB, "longest", upright=True))
    html = plot_svg(Plot("p", "t", "d", MEMORY, SHARE, (), limits=limits))
    assert 'y1="251.0" y2="251.0" class="limit"' in html
    assert "most &amp; more</text>" in html
    assert 'x1="55.50%" x2="55.50%"' in html


def test_an_axis_of_tokens_doubles_and_speaks_in_k_and_m() -> None:
    axis = Axis("Context", Unit.TOKENS, 2_048, 2**20, logarithmic=True, doubling=True)
    assert [text for _, text in ticks(axis)] == ["2K", "8K", "32K", "128K", "512K"]
    short = Axis("Context", Unit.TOKENS, 2**18, 2**20, logarithmic=True, doubling=True)
    assert [text for _, text in ticks(short)] == ["256K", "512K", "1M"]

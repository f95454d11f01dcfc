"""The one stylesheet: small, and legible in light and in dark."""

from __future__ import annotations

import gzip
import re

import pytest

from tests.render.built import project

CSS = project().assets["site.css"].decode()


def colours(name: str) -> tuple[str, str]:
    match = re.search(rf"--{name}:light-dark\((#\w+),(#\w+)\)", CSS)
    assert match is not None, name
    return match[1], match[2]


def luminance(colour: str) -> float:
    """WCAG 2.2 relative luminance of ``#rrggbb`` or ``#rgb``."""
    digits = colour.lstrip("#")
    wide = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
    channels = [int(wide[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_the_measure_agrees_with_black_on_white() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("text", "ground"),
    [("ink", "paper"), ("soft", "paper"), ("link", "paper"), ("ink", "raised"), ("soft", "raised"),
     ("link", "raised"), ("good", "good-bg"), ("fair", "fair-bg"), ("bad", "bad-bg"),
     ("good", "paper"), ("fair", "paper"), ("bad", "paper"), ("ink", "mark"), ("soft", "mark"),
     ("link", "mark")],
)  # fmt: skip
def test_text_stands_out_from_its_ground(text: str, ground: str, theme: int) -> None:
    assert contrast(colours(text)[theme], colours(ground)[theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("shapes", "colour"),
    re.findall(r"\.(p\d,\.l\d,\.b\d)\{--c:light-dark\(([^)]+)\)", CSS)
    + re.findall(r"\.(t-[a-z-]+)\{fill:light-dark\(([^)]+)\)", CSS),
)
def test_what_is_drawn_stands_out_from_the_page(shapes: str, colour: str, theme: int) -> None:
    assert contrast(colour.split(",")[theme], colours("paper")[theme]) >= 3, shapes


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("line", ["strong-line", "bad"])
def test_lines_that_carry_meaning_stand_out(line: str, theme: int) -> None:
    assert contrast(colours(line)[theme], colours("paper")[theme]) >= 3


@pytest.mark.parametrize("line", re.findall(r"\.s-(\w+)\{fill:(#\w+)\}", CSS))
def test_white_labels_stand_out_from_segments_that_carry_them(line: tuple[str, str]) -> None:
    name, colour = line
    assert contrast("#ffffff", colour) >= (3.0 if name == "fragmentation" else 4.5)


def test_motion_fonts_and_imports_are_left_to_the_reader() -> None:
    assert "@font-face" not in CSS
    assert "animation" not in CSS
    assert len(gzip.compress(CSS.encode(), mtime=0)) <= 10_000

"""Numbers as people read them: values worked out by hand."""

from __future__ import annotations

import pytest

from sitegen.render.filters import quantity, span
from sitegen.site.cells import NumberCell, Span, Unit

GIB = 1_073_741_824


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (24 * GIB, Unit.GIB, "24 GiB"),
        (25_241_190_400, Unit.GIB, "23.5 GiB"),
        (139_586_437, Unit.GIB, "0.13 GiB"),
        (0, Unit.GIB, "0 GiB"),
        (42_520_398_432, Unit.GB, "42.5 GB"),
        (327_680, Unit.KIB, "320 KiB"),
        (70_272, Unit.KIB, "68.6 KiB"),
        (1_008_000_000_000, Unit.GB_PER_S, "1,008 GB/s"),
        (118_000_000, Unit.GB_PER_S, "0.118 GB/s"),
        (165.2e12, Unit.TFLOPS, "165 TFLOPS"),
        (660.8e12, Unit.TOPS, "661 TOPS"),
        (2520e6, Unit.MHZ, "2,520 MHz"),
        (0.874, Unit.PERCENT, "87 %"),
        (0.8996, Unit.PERCENT, "90.0 %"),
        (0.9004, Unit.PERCENT, "90.0 %"),
        (1.004, Unit.PERCENT, "100.4 %"),
        (1.1, Unit.PERCENT, "110 %"),
        (131_072, Unit.TOKENS, "131,072 tokens"),
        (0.71, Unit.TOKENS_PER_S, "0.71 tok/s"),
        (9.31, Unit.TOKENS_PER_S, "9.3 tok/s"),
        (19.2, Unit.TOKENS_PER_S, "19 tok/s"),
        (70_553_706_496, Unit.PARAMETERS, "70.6 B"),
        (8_030_261_248, Unit.PARAMETERS, "8.03 B"),
        (1_026_408_232_448, Unit.PARAMETERS, "1,026 B"),
        (4.83, Unit.BITS, "4.83 bits"),
        (200e-6, Unit.MICROSECONDS, "200 µs"),
        (0.0542, Unit.MILLISECONDS, "54 ms"),
        (47.3, Unit.SECONDS, "47 s"),
        (450, Unit.WATTS, "450 W"),
        (1_599, Unit.USD, "1,599 USD"),
        (12_192, Unit.COUNT, "12,192"),
        (0.045, Unit.PLAIN, "0.045"),
    ],
)
def test_a_number_is_printed_once_with_its_unit(value: float, unit: Unit, text: str) -> None:
    assert quantity(NumberCell(value, unit)).replace("\N{NO-BREAK SPACE}", " ") == text


@pytest.mark.parametrize("unit", list(Unit))
def test_number_and_unit_never_part(unit: Unit) -> None:
    assert " " not in quantity(NumberCell(1, unit))
    assert " " not in span(Span(1, 2, 3, unit, with_mid=True))


def test_a_span_prints_both_ends_with_the_same_precision() -> None:
    assert span(Span(9.31, 11, 13.28, Unit.TOKENS_PER_S)) == "9.3–13.3\N{NO-BREAK SPACE}tok/s"


def test_a_span_whose_ends_look_alike_is_one_number() -> None:
    assert span(Span(0.842, 0.843, 0.844, Unit.PERCENT)) == "84\N{NO-BREAK SPACE}%"


def test_rounding_never_steps_over_the_threshold_of_a_tier() -> None:
    assert quantity(NumberCell(0.9049, Unit.PERCENT)).startswith("90.5")
    assert span(Span(0.83, 0.87, 0.9049, Unit.PERCENT)).startswith("83.0–90.5")

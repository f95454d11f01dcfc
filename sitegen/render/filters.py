"""Numbers to text: the only rounding of the project, always with the unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from sitegen.site.cells import NumberCell, Span, Unit
from sitegen.units import GB, GIB, KIB

SPACE = "\N{NO-BREAK SPACE}"
DASH = "\N{EN DASH}"


def _fixed(value: float, decimals: int) -> str:
    text = f"{value:,.{decimals}f}"
    return text if float(text.replace(",", "")) else f"{0:.{decimals}f}"


def _memory_decimals(gib: float) -> int:
    if gib == round(gib):
        return 0
    if gib < 1:
        return 2
    return 1 if gib < 1_000 else 0


def _small_decimals(value: float) -> int:
    """Two figures at least, no decimals from ten on."""
    if value == round(value) or value >= 10:
        return 0
    return 1 if value >= 1 else 2


def _ratio_decimals(percent: float) -> int:
    """Near a threshold the rounding must not step over it."""
    near = any(abs(percent - edge) < 1 for edge in (90, 100)) and percent != round(percent)
    if 0 < percent < 0.1:
        return 2
    return 1 if near or 0 < percent < 1 else 0


def _plain_decimals(value: float) -> int:
    if value == round(value):
        return 0
    digits = f"{value:.6g}"
    return len(digits.partition(".")[2]) if "e" not in digits else 6


def _nominal(value: float) -> int:
    return 0 if value == round(value) or value >= 100 else 1


def _rate_decimals(value: float) -> int:
    """Three figures at most, which the line rates of slow networks need; no zeros behind them.

    >>> _rate_decimals(0.125), _rate_decimals(1.25), _rate_decimals(12.5), _rate_decimals(936.2)
    (3, 2, 1, 0)
    """
    return 0 if value >= 100 else _plain_decimals(float(f"{value:.3g}"))


FORMATS: Mapping[Unit, tuple[float, Callable[[float], int], str]] = {
    Unit.GIB: (1 / GIB, _memory_decimals, "GiB"),
    Unit.GB: (1 / GB, _memory_decimals, "GB"),
    Unit.KIB: (1 / KIB, _nominal, "KiB"),
    Unit.GB_PER_S: (1 / GB, _rate_decimals, "GB/s"),
    Unit.TFLOPS: (1e-12, _nominal, "TFLOPS"),
    Unit.TOPS: (1e-12, _nominal, "TOPS"),
    Unit.MHZ: (1e-6, lambda _: 0, "MHz"),
    Unit.PERCENT: (100.0, _ratio_decimals, "%"),
    Unit.TOKENS: (1.0, lambda _: 0, "tokens"),
    Unit.MILLIONS: (1e-6, _small_decimals, "million"),
    Unit.TOKENS_PER_S: (1.0, _small_decimals, "tok/s"),
    Unit.COUNT: (1.0, lambda _: 0, ""),
    Unit.PARAMETERS: (1e-9, lambda v: 0 if v >= 1_000 else 1 if v >= 10 else 2, "B"),
    Unit.BITS: (1.0, lambda _: 2, "bits"),
    Unit.MICROSECONDS: (1e6, _small_decimals, "µs"),
    Unit.MILLISECONDS: (1e3, _small_decimals, "ms"),
    Unit.SECONDS: (1.0, _small_decimals, "s"),
    Unit.WATTS: (1.0, lambda _: 0, "W"),
    Unit.BTU_PER_H: (1.0, lambda _: 0, "BTU/h"),
    Unit.MILLIMETRES: (1.0, lambda _: 0, "mm"),
    Unit.USD: (1.0, lambda _: 0, "USD"),
    Unit.USD_EXACT: (1.0, lambda v: 2 if v != round(v) else 0, "USD"),
    Unit.USD_PER_MILLION: (1.0, lambda v: 2 if v >= 0.1 else 3, "USD"),
    Unit.USD_PER_KWH: (1.0, lambda _: 2, "USD/kWh"),
    Unit.USD_PER_MONTH: (1.0, lambda v: 2 if v != round(v) else 0, "USD/month"),
    Unit.USD_PER_HOUR: (1.0, lambda v: 2 if v != round(v) else 0, "USD/h"),
    Unit.KWH: (1.0, lambda _: 0, "kWh"),
    Unit.HOURS: (1.0, lambda _: 0, "hours"),
    Unit.MONTHS: (1.0, _nominal, "months"),
    Unit.POINTS: (1.0, lambda _: 1, "rating\N{NO-BREAK SPACE}points"),
    Unit.RATIO: (1.0, lambda v: 0 if v == round(v) else 2, ""),
    Unit.GB_AS_PRINTED: (1.0, _plain_decimals, "GB"),
    Unit.PLAIN: (1.0, _plain_decimals, ""),
}
"""By unit: the factor from the value's unit, how many decimals, and the word behind it."""


def _with_unit(text: str, unit: Unit) -> str:
    word = FORMATS[unit][2]
    return f"{text}{SPACE}{word}" if word else text


@lru_cache(maxsize=65_536)
def quantity(cell: NumberCell) -> str:
    r"""Print a number with its unit.

    >>> quantity(NumberCell(24 * 2**30, Unit.GIB)), quantity(NumberCell(0.996, Unit.PERCENT))
    ('24\xa0GiB', '99.6\xa0%')
    """
    scale, decimals, _ = FORMATS[cell.unit]
    value = cell.value * scale
    return _with_unit(_fixed(value, decimals(value)), cell.unit)


@lru_cache(maxsize=65_536)
def span(cell: Span) -> str:
    r"""Print bounds, or one number where they look the same.

    >>> span(Span(0.81, 0.84, 0.88, Unit.PERCENT))
    '81–88\xa0%'
    """
    low, mid, high = _printed(cell)
    if low == high:
        return _with_unit(low, cell.unit)
    both = f"{low}{DASH}{high}"
    return _with_unit(f"{mid}{SPACE}({both})" if cell.with_mid else both, cell.unit)


def _printed(cell: Span) -> tuple[str, str, str]:
    """Round the three numbers of a span: the ends alike, so that they can be compared."""
    scale, decimals, _ = FORMATS[cell.unit]
    low, mid, high = cell.low * scale, cell.mid * scale, cell.high * scale
    places = max(decimals(low), decimals(high))
    return _fixed(low, places), _fixed(mid, max(places, decimals(mid))), _fixed(high, places)


@lru_cache(maxsize=65_536)
def digits(cell: NumberCell | Span) -> tuple[str, str, str]:
    """Return low, middle and high as a cell prints them, without unit and grouping.

    >>> digits(NumberCell(131072, Unit.TOKENS)), digits(Span(0.81, 0.84, 0.88, Unit.PERCENT))
    (('131072', '131072', '131072'), ('81', '84', '88'))
    """
    if isinstance(cell, NumberCell):
        scale, decimals, _ = FORMATS[cell.unit]
        value = cell.value * scale
        printed = _fixed(value, decimals(value)).replace(",", "")
        return printed, printed, printed
    low, mid, high = _printed(cell)
    return low.replace(",", ""), mid.replace(",", ""), high.replace(",", "")

"""Money: electricity, an API's price, rent, and when hardware has paid for itself.

Source:
    Arithmetic; prices are the claimant's, or assumptions with a source and a date.
"""

from __future__ import annotations

HOURS_A_MONTH = 365.25 * 24 / 12
DAYS_A_MONTH = 365.25 / 12


def power_usd_a_month(watts: float, usd_per_kwh: float, *, hours: float = HOURS_A_MONTH) -> float:
    """Return what running at so many watts costs a month.

    >>> round(power_usd_a_month(900, 0.15))
    99
    """
    return watts / 1_000 * hours * usd_per_kwh


def api_usd_a_month(tokens_per_day: float, usd_per_1k_tokens: float) -> float:
    """Return what an API costs a month of 30.4 days.

    >>> round(api_usd_a_month(100_000, 0.03), 2)
    91.31
    """
    return tokens_per_day * DAYS_A_MONTH / 1_000 * usd_per_1k_tokens


def break_even_months(
    hardware_usd: float, *, replaced_usd_a_month: float, running_usd_a_month: float
) -> float | None:
    """Return after how many months hardware has paid for itself; ``None`` where it never does.

    >>> break_even_months(8_500, replaced_usd_a_month=1_150, running_usd_a_month=300)
    10.0
    >>> break_even_months(4_000, replaced_usd_a_month=91, running_usd_a_month=150) is None
    True
    """
    saved = replaced_usd_a_month - running_usd_a_month
    return hardware_usd / saved if saved > 0 else None


def rented_hours(hardware_usd: float, usd_per_hour: float) -> float:
    """Return how many hours of rent the hardware's price buys.

    >>> rented_hours(8_500, 12.5)
    680.0
    """
    return hardware_usd / usd_per_hour

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


def written_tokens_per_s(
    decode_tokens_per_s: float, prefill_tokens_per_s: float, read_per_written: float
) -> float:
    """Return tokens written per second of work, when prompts have to be read as well.

    >>> written_tokens_per_s(50, 1_000, 0), written_tokens_per_s(50, 1_000, 20)
    (50.0, 25.0)
    """
    return 1 / (1 / decode_tokens_per_s + read_per_written / prefill_tokens_per_s)


def written_tokens_a_month(tokens_per_s: float, busy_hours_a_day: float) -> float:
    """Return how many tokens are written in a month of 30.4 days.

    >>> round(written_tokens_a_month(10, 1))
    1095750
    """
    return tokens_per_s * 3_600 * busy_hours_a_day * DAYS_A_MONTH


def electricity_usd_a_month(
    busy_watts: float, idle_watts: float, busy_hours_a_day: float, usd_per_kwh: float
) -> float:
    """Return what a machine costs a month that works some hours a day and waits for the rest.

    >>> round(electricity_usd_a_month(900, 100, 24, 0.15))
    99
    >>> round(electricity_usd_a_month(900, 100, 0, 0.15), 1)
    11.0
    """
    working = busy_hours_a_day * DAYS_A_MONTH
    waiting = (24 - busy_hours_a_day) * DAYS_A_MONTH
    busy = power_usd_a_month(busy_watts, usd_per_kwh, hours=working)
    return busy + power_usd_a_month(idle_watts, usd_per_kwh, hours=waiting)


def bought_usd_a_month(
    written_tokens: float,
    read_per_written: float,
    usd_per_1m_read: float,
    usd_per_1m_written: float,
) -> float:
    """Return what an API asks for the tokens of a month, written and read.

    >>> bought_usd_a_month(1_000_000, 2, 0.125, 0.5)
    0.75
    """
    each = usd_per_1m_written + read_per_written * usd_per_1m_read
    return written_tokens / 1_000_000 * each


def power_usd_an_hour(watts: float, usd_per_kwh: float) -> float:
    """Return what running at so many watts costs an hour.

    >>> power_usd_an_hour(500, 0.2)
    0.1
    """
    return watts / 1_000 * usd_per_kwh


def usd_per_million_tokens(usd_an_hour: float, tokens_per_s: float) -> float:
    """Return what a million tokens cost at a price for the hour in which they are written.

    >>> usd_per_million_tokens(0.36, 100)
    1.0
    """
    return usd_an_hour / (tokens_per_s * 3_600) * 1_000_000

"""The day of this machine's clock, believed as far as the catalog does not contradict it."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable

_READ = re.compile(r"\bread: ['\"]?([0-9]{4}-[0-9]{2}-[0-9]{2})\b")
EARLIEST_ZONE = datetime.timedelta(hours=14)
"""How far the first place on Earth to have a new day is ahead of UTC."""


def is_day(text: str) -> bool:
    """Whether a text is a day of the calendar.

    >>> is_day("2026-02-28"), is_day("2026-02-30"), is_day("yesterday"), is_day("20260228")
    (True, False, False, False)
    """
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def day_of_clock(texts: Iterable[str], *, now: datetime.datetime | None = None) -> str:
    """Return the newest day that it can be anywhere; nothing where the clock must be wrong.

    It is wrong when it says that most sources of a catalog were read in the future.

    Args:
        texts: The catalog's files.
        now: What the clock says; by default what it says now.
    """
    clock = now or datetime.datetime.now(tz=datetime.UTC)
    day = (clock + EARLIEST_ZONE).date().isoformat()
    days = [read for text in texts for read in _READ.findall(text)]
    late = sum(read > day for read in days)
    return "" if days and 2 * late > len(days) else day

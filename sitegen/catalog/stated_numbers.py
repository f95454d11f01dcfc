"""Sizes, speeds, powers and prices in words: what prose may refer to and never states itself."""

from __future__ import annotations

import re

_SIZE = r"(?:[KMGT]i?B|gi?b|ti?b|mi?b|[Gg]iga?bytes?|[Tt]erabytes?|[Mm]egabytes?|[Gg]igs?)(?:/s)?"
_SPEED = (
    r"(?:tok(?:en)?s?(?:/s| per second| a second|/sec)|t/s|tps"
    r"|[KMGT]b(?:it)?/s|[KMG]bps|[TP]FLOPS|GT/s)"
)
_POWER = r"(?:k?Wh?|[Ww]atts?|kilowatt(?:-hours?|s)?)"
_TIME = r"(?:[mµμu]s|(?:milli|micro)seconds?)"
_MONEY = r"(?:USD|EUR|GBP|dollars?|euros?|cents?|€|£)"
_NUMBER = r"(?<![\w.,/-])\d[\d,.]{0,15}"
_WITH_UNIT = re.compile(
    rf"{_NUMBER}(?:[ \u00a0-]?(?:{_SIZE}|{_SPEED}|{_POWER}|{_TIME}|{_MONEY})(?!\w)|[ \u00a0]?[€£])"
    rf"|(?:US)?[$€£] ?\d[\d,.]{{0,15}}"
)


def stated_number(text: str, start: int = 0) -> re.Match[str] | None:
    """Find the first number with a unit that the catalog or the engine would have to answer for.

    >>> stated_number("two GPUs of 24 GiB each").group()
    '24 GiB'
    >>> stated_number("port 6379, MTU 9000, PCIe 4.0, 10 GbE") is None
    True
    """
    return _WITH_UNIT.search(text, start)

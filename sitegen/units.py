"""Units: integer bytes inside, GiB for memory and GB for files and links outside."""

KIB = 2**10
MIB = 2**20
GIB = 2**30
GB = 10**9
PAGE = 4_096
"""Bytes of a page, by which Linux counts ``ttm.pages_limit``."""

Bounds = tuple[float, float, float]
"""Low, mid, high."""
Sizes = tuple[int, int, int]
"""Bytes at low, mid and high."""


def ceil_div(dividend: int, divisor: int) -> int:
    """Divide rounding up.

    >>> ceil_div(7, 2)
    4
    """
    return -(-dividend // divisor)


def pad(value: int, multiple: int) -> int:
    """Round ``value`` up to the next multiple.

    >>> pad(1500, 256)
    1536
    """
    return -(-value // multiple) * multiple

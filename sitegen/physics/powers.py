"""Powers whose last digit is the same in every language (decision 27)."""

from __future__ import annotations

LARGEST_FLOAT = 1.7976931348623157e308
LARGEST_LOGARITHM = 700.0
"""Of a float that has no fewer digits than others."""
LOGARITHM_OF_TWO = 0.6931471805599453


def power(base: float, exponent: float) -> float:
    """Raise ``base``, which is above 0, to a power, by sums and products alone.

    Raises:
        ValueError: For a base that is not above 0, or a result beyond the range of floats; the sums
            would never end.

    Source:
        The series of the inverse hyperbolic tangent and of the exponential.
    """
    if not (base > 0 and base < LARGEST_FLOAT):
        raise ValueError("a power needs a finite base above 0")
    x = exponent * _logarithm(base)
    if not (x > -LARGEST_LOGARITHM and x < LARGEST_LOGARITHM):
        raise ValueError("a power is beyond the range of floats")
    return _exponential(x)


def _logarithm(base: float) -> float:
    twos = 0
    while base < 0.75:
        base *= 2
        twos -= 1
    while base >= 1.5:
        base /= 2
        twos += 1
    z = (base - 1) / (base + 1)
    square, odd, total = z * z, z, 0.0
    for k in range(24):
        total += odd / (2 * k + 1)
        odd *= square
    return 2 * total + twos * LOGARITHM_OF_TWO


def _exponential(x: float) -> float:
    doublings = 0
    while x > 0.35:
        x -= LOGARITHM_OF_TWO
        doublings += 1
    while x < -0.35:
        x += LOGARITHM_OF_TWO
        doublings -= 1
    term, total = 1.0, 1.0
    for k in range(1, 18):
        term = term * x / k
        total += term
    for _ in range(doublings):
        total *= 2
    for _ in range(-doublings):
        total /= 2
    return total

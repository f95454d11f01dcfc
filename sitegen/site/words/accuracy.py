"""Quantities that logs state: their names, their units, and a comparison's cells."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.measurements import LoggedQuantity as Logged
from sitegen.published.accuracy.values import Comparison
from sitegen.site.cells import Absent, Cell, NumberCell, Unit
from sitegen.units import GIB, MIB
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class LoggedWords:
    """Name of a logged quantity, and the way its figures become bytes or tokens."""

    name: str
    unit: Unit
    scale: float


WORDS: Mapping[Logged, LoggedWords] = {
    Logged.WEIGHTS: LoggedWords("Weights per GPU", Unit.GIB, GIB),
    Logged.KV_BYTES: LoggedWords("KV cache per token on each GPU", Unit.KIB, 1),
    Logged.KV_TOKENS: LoggedWords("Tokens in the logged KV pool", Unit.TOKENS, 1),
    Logged.POOL_TOKENS: LoggedWords("KV tokens, predicted without logged values", Unit.TOKENS, 1),
    Logged.KV_POOL: LoggedWords("KV pool, predicted without logged values", Unit.GIB, GIB),
    Logged.ACTIVATION: LoggedWords("Activation peak", Unit.GIB, GIB),
    Logged.NON_TORCH: LoggedWords("Memory outside the allocator", Unit.GIB, GIB),
    Logged.GRAPHS: LoggedWords("CUDA graphs", Unit.GIB, GIB),
    Logged.MODEL_BUFFERS: LoggedWords("Model buffers", Unit.GIB, MIB),
    Logged.KV_BUFFERS: LoggedWords("KV buffers", Unit.GIB, MIB),
    Logged.COMPUTE_BUFFERS: LoggedWords("Compute buffer", Unit.GIB, MIB),
    Logged.FILE_SIZE: LoggedWords("File size", Unit.GB, 1e9),
    Logged.VERDICT: LoggedWords("Verdict", Unit.PLAIN, 1),
}
"""In the order in which tables list them."""
assert set(WORDS) == set(Logged)  # noqa: S101 - a quantity without a name must not go unseen


LEAST_SHOWN = 0.0005
"""Relative error that is not printed as zero, and so has a sign."""


def figure(quantity: Logged, value: float) -> Cell:
    """Print a figure in the unit of its quantity."""
    words = WORDS[quantity]
    return NumberCell(value * words.scale, words.unit)


def estimate(comparison: Comparison) -> Cell:
    """Print the engine's middle estimate."""
    return figure(comparison.quantity, comparison.predicted.mid)


def error(value: float | None) -> Cell:
    """Print a relative error without sign, or say that there is none."""
    return Absent("no rule") if value is None else NumberCell(abs(value), Unit.PERCENT)


def off(value: float) -> Cell:
    """Print which way and how far an estimate is off."""
    shown = f"{abs(value):.1%}".replace("%", "\N{NO-BREAK SPACE}%")
    return f"{'+' if value > 0 else '−'}{shown}" if abs(value) >= LEAST_SHOWN else shown

"""Words and cells for speeds other than decode: first token, prefill, limits, speculation."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment
from sitegen.physics.plan import Speed
from sitegen.site.cells import (
    Absent,
    Cell,
    EvidenceMark,
    Link,
    NumberCell,
    Parts,
    Unit,
    rate_span,
    span,
)

BOUNDS: Mapping[str, str] = {
    "memory": "memory bandwidth",
    "compute": "arithmetic",
    "link": "the link between GPUs",
    "cpu": "system RAM",
    "overhead": "fixed overhead per layer",
}
"""The largest part of a token's time, in words."""

UNKNOWN_RATE = Absent("the FP16 rate is unknown")
SMALL_STEPS = Absent("not estimated with steps this small")


def faster_words(gain: Interval) -> str:
    """Say what owners of some GPUs, seldom the reader's, measured for one user.

    >>> faster_words(Interval(1.25, 1.78, 2.45))
    'Others measured 1.25 to 2.45 times the usual speed with speculative decoding'
    """
    times = f"{gain.low:g}" if gain.low == gain.high else f"{gain.low:g} to {gain.high:g}"
    return f"Others measured {times} times the usual speed with speculative decoding"


def faster(gain: Interval | None, address: str) -> Cell | None:
    """Say the same with the address of the commands; ``None`` where nobody measured."""
    if gain is None:
        return None
    return Parts((f"{faster_words(gain)}: ", Link(address, "see the recipe"), "."))


def bound(speed: Speed | None) -> Cell:
    """Say what limits one stream."""
    return Absent() if speed is None else BOUNDS[speed.bound]


def first_token(speed: Speed | None) -> Cell:
    """Time to the first token, with the prompt that it is for and how it is known."""
    if speed is None:
        return Absent()
    if speed.first_token_s is None:
        return SMALL_STEPS if speed.small_steps else UNKNOWN_RATE
    return Parts(
        (
            span(speed.first_token_s, Unit.SECONDS, with_mid=True),
            " for ",
            NumberCell(speed.prompt_tokens, Unit.TOKENS),
            ", ",
            EvidenceMark(speed.evidence),
        )
    )


def reading(speed: Speed | None) -> Cell:
    """Speed of reading a prompt."""
    if speed is None:
        return Absent()
    if speed.prefill_tokens_per_s is None:
        return SMALL_STEPS if speed.small_steps else UNKNOWN_RATE
    return rate_span(speed.prefill_tokens_per_s)


def speed_rows(assessment: Assessment) -> tuple[tuple[str, Cell], ...]:
    """Name and value of everything about speed beside decode itself."""
    return (
        ("First token", first_token(assessment.speed)),
        ("Prompt reading", reading(assessment.speed)),
        ("One user's speed is limited by", bound(assessment.speed)),
    )

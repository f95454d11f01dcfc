"""A start or a benchmark beside the prediction, line by line, at a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sitegen.catalog.domain.measurements import LoggedQuantity
from sitegen.catalog.domain.provenance import Interval
from sitegen.cli.text.tables import plain
from sitegen.cli.text.terminal import printable
from sitegen.published.accuracy.speed import SpeedAccuracy, SpeedComparison
from sitegen.published.accuracy.values import Comparison, JudgedQuantity, Result, Skipped
from sitegen.site.words.accuracy import WORDS, figure, off

LIKELY: Mapping[LoggedQuantity, str] = {
    LoggedQuantity.WEIGHTS: (
        "Weights are the bytes of the files. A difference means that the files are not those in "
        "the record: a different quantization, layers left at 16 bits, an image encoder or a draft "
        "model."
    ),
    LoggedQuantity.KV_BYTES: (
        "Bytes per token follow from the config. A difference means a different cache type, or "
        "layers that the formula does not cover."
    ),
    LoggedQuantity.KV_TOKENS: (
        "The tokens follow from the logged pool. A difference means a different cache type, or a "
        "version that counts tokens differently."
    ),
    LoggedQuantity.POOL_TOKENS: (
        "The pool is the memory that the other lines leave. See which of them differs, then check "
        "whether another program used GPU memory."
    ),
    LoggedQuantity.KV_POOL: (
        "The pool is the memory that the other lines leave. See which of them differs, then check "
        "whether another program used GPU memory."
    ),
    LoggedQuantity.ACTIVATION: (
        "The peak of the profiling run grows with the tokens per step and, for a vision model, "
        "with its images. Compare --max-num-batched-tokens."
    ),
    LoggedQuantity.NON_TORCH: (
        "This is the driver's context and the communication buffers. It varies with driver, "
        "version and number of GPUs."
    ),
    LoggedQuantity.GRAPHS: (
        "Graphs vary with the captured batch sizes and with the version; --enforce-eager captures "
        "none."
    ),
    LoggedQuantity.MODEL_BUFFERS: (
        "The buffers contain the tensors of the file. A difference means a different mix of types "
        "in the file, or layers on other devices."
    ),
    LoggedQuantity.KV_BUFFERS: (
        "The cache follows from the config and the context. A difference means a different cache "
        "type, a sliding window that is stored in full, or a different context length."
    ),
    LoggedQuantity.COMPUTE_BUFFERS: (
        "The compute buffer grows with the micro-batch and, without flash attention, with the "
        "context. Compare --ubatch-size and --flash-attn."
    ),
}
"""What is behind a difference, by quantity."""
OF_SPEED = (
    "A rate below the prediction usually means a clock or power limit, a narrow link, a full "
    "queue, or a version with slower kernels. A rate above it usually means cached prompts or "
    "speculative decoding."
)
SPEEDS = {
    "decode": "Decode, one stream",
    "decode-of-many": "Decode, one of many streams",
    "aggregate": "All streams together",
    "prefill": "Reading the prompt",
}


def print_memory(results: Sequence[Result]) -> None:
    """Print every figure of a start beside its prediction, then the largest difference."""
    found = [one for one in results if isinstance(one, Comparison)]
    rows = [_memory_row(one) for one in found]
    _print_rows(("", "logged", "predicted", "low to high", "prediction is"), rows)
    for one in results:
        if isinstance(one, JudgedQuantity):
            ran = "It started" if one.ran else "It did not start"
            agrees = "as predicted" if one.agrees else "which we did not predict"
            print(printable(f"{ran}; the verdict is {one.tier}: {agrees}."))
        elif isinstance(one, Skipped):
            print(printable(f"Not compared: {WORDS[one.quantity].name}: {one.reason}."))
    if found:
        worst = max(found, key=lambda one: (not one.inside, one.beyond_rounding))
        print()
        print(printable(_explained(worst, found)))


def _memory_row(one: Comparison) -> tuple[str, ...]:
    name = WORDS[one.quantity].name
    return (
        f"{name}, {one.note}" if one.note else name,
        plain(figure(one.quantity, one.measured)),
        plain(figure(one.quantity, one.predicted.mid)),
        _bounds(one.quantity, one.predicted),
        _way(one.error, inside=one.inside),
    )


def _bounds(quantity: LoggedQuantity, predicted: Interval) -> str:
    low, high = (plain(figure(quantity, bound)) for bound in (predicted.low, predicted.high))
    return low if low == high else f"{low} to {high}"


def _way(error: float, *, inside: bool) -> str:
    return f"{plain(off(error))}{'' if inside else ', outside its interval'}"


POOLS = (LoggedQuantity.KV_POOL, LoggedQuantity.POOL_TOKENS)
BEFORE_THE_POOL = (
    LoggedQuantity.WEIGHTS,
    LoggedQuantity.ACTIVATION,
    LoggedQuantity.NON_TORCH,
    LoggedQuantity.GRAPHS,
)


def _explained(one: Comparison, found: Sequence[Comparison]) -> str:
    """Say which line is furthest off, and what is behind it."""
    if one.inside and not one.beyond_rounding:
        return "No figure differs by more than its last digit."
    where = "inside its interval" if one.inside else "outside its interval"
    parts = [
        f"Largest difference: {WORDS[one.quantity].name}, {plain(off(one.error))}, {where}.",
        LIKELY.get(one.quantity, ""),
        _taken_before(found) if one.quantity in POOLS else "",
    ]
    return " ".join(filter(None, parts))


def _within(name: str) -> str:
    """Write a name inside a sentence: abbreviations keep their capitals."""
    return name if name[:2].isupper() else name[0].lower() + name[1:]


def _taken_before(found: Sequence[Comparison]) -> str:
    """Say by how much the lines that come before the pool differ."""
    differing = [
        f"{_within(WORDS[one.quantity].name)} {one.predicted.mid - one.measured:+.2f} GiB"
        for one in found
        if one.quantity in BEFORE_THE_POOL
    ]
    return f"Predicted against logged: {', '.join(differing)}." if differing else ""


def print_speed(found: SpeedAccuracy) -> None:
    """Print every rate of a benchmark beside its prediction, then the largest difference."""
    rows = [_speed_row(one) for one in found.comparisons]
    _print_rows(("", "measured", "predicted", "low to high", "prediction is"), rows)
    for one in found.unpredicted:
        print(printable(f"Not compared: {one.run}: {one.reason}"))
    if found.comparisons:
        worst = max(found.comparisons, key=lambda one: (not _inside(one), abs(_error(one))))
        where = "inside its interval" if _inside(worst) else "outside its interval"
        way = plain(off(_error(worst)))
        print()
        name = SPEEDS[worst.quantity]
        print(f"Largest difference: {name} ({worst.run}), {way}, {where}. {OF_SPEED}")


def _speed_row(one: SpeedComparison) -> tuple[str, ...]:
    low, mid, high = one.predicted.bounds
    return (
        f"{SPEEDS[one.quantity]}, {one.run}",
        f"{one.measured:,.1f} tokens/s",
        f"{mid:,.1f} tokens/s",
        f"{low:,.1f} to {high:,.1f}",
        _way(_error(one), inside=_inside(one)),
    )


def _error(one: SpeedComparison) -> float:
    return one.predicted.mid / one.measured - 1


def _inside(one: SpeedComparison) -> bool:
    return one.predicted.low <= one.measured <= one.predicted.high


def _print_rows(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    if not rows:
        print("There is no figure to compare.")
        return
    whole = [head, *rows]
    widths = [max(len(row[at]) for row in whole) for at in range(len(head))]
    for row in whole:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print(printable("  ".join(cells).rstrip()))

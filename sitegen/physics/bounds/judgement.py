"""The judgement of a published figure: verdict, reason and the arithmetic behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import StrEnum

from sitegen.values import dataclass

Arguments = Mapping[str, int | float | str]


class Plausibility(StrEnum):
    """Whether a figure is physically possible."""

    POSSIBLE = "possible"
    DOUBTFUL = "doubtful"
    """Above a bound that rests on an assumption, or flagged and not judged."""
    IMPOSSIBLE = "impossible"


class ClaimVerdict(StrEnum):
    """The engine's verdict on a claim, kindest first."""

    CONFIRMED = "confirmed"
    """Inside the engine's interval, or equal within the rounding of the quotation; what the page
    leaves open is taken at the value that serves it best, and the sentence names that value."""
    DOUBTFUL = "doubtful"
    """It says too little for any arithmetic, or the engine has no estimate."""
    DISPUTED = "disputed"
    """Outside the engine's interval, or contradicted by arithmetic or by a fact of the catalog."""
    IMPOSSIBLE = "impossible"
    """Above a physical bound, an invalid plan, or a sum that does not add up."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the arithmetic.

    ``code`` names the line, ``of`` the thing it belongs to (an id), ``unit`` the unit of ``value``
    (bytes, bytes/s, tokens/s, …; ``GB`` is the page's own, which may mean GiB), ``source`` where it
    comes from: ``claim``, ``engine``, or ``gpu:``, ``link:``, ``model:``, ``assumption:`` and an
    id.
    """

    code: str
    value: float
    unit: str
    source: str
    of: str = ""
    high: float | None = None
    """End of a range that ``value`` begins."""


@dataclass(frozen=True, slots=True)
class BoundFinding:
    """The result of a test of one figure against a physical bound."""

    verdict: Plausibility
    code: str
    arguments: Arguments
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The engine's answer to a claim; ``reading`` says how it read an ambiguous claim."""

    verdict: ClaimVerdict
    code: str
    arguments: Arguments
    steps: tuple[Step, ...]
    reading: tuple[str, ...] = ()


SEVERITY = {verdict: place for place, verdict in enumerate(ClaimVerdict)}


COMPARED = (
    ("tokens_per_s", "bound"), ("need_bytes", "visible_bytes"), ("claimed_bytes", "weights_bytes"),
    ("weights_bytes", "installed_bytes"),
)  # fmt: skip
"""Arguments of a finding that a figure fails by: the nearer to each other, the kinder."""


def kindest(judgements: Iterable[Judgement]) -> Judgement:
    """Return the judgement of the reading that serves the page best.

    Of readings that contradict it equally, the one that it comes nearest to; of others the first.

    Raises:
        ValueError: If there is none.
    """
    return min(judgements, key=lambda found: (SEVERITY[found.verdict], _distance(found)))


def _distance(judgement: Judgement) -> float:
    """Return the factor by which a figure fails, 1 for one that does not."""
    if SEVERITY[judgement.verdict] < SEVERITY[ClaimVerdict.DISPUTED]:
        return 1.0
    for pair in COMPARED:
        a, b = (judgement.arguments.get(name) for name in pair)
        if isinstance(a, int | float) and isinstance(b, int | float) and a > 0 and b > 0:
            return max(a / b, b / a)
    return 1.0


def refuted(finding: BoundFinding) -> Judgement:
    """Turn what physics says against a claim into its verdict."""
    hard = finding.verdict is Plausibility.IMPOSSIBLE
    verdict = ClaimVerdict.IMPOSSIBLE if hard else ClaimVerdict.DISPUTED
    return Judgement(verdict, finding.code, finding.arguments, finding.steps)


def unit_of(figure: float) -> float:
    """Return one unit of the last digit printed, of whole numbers one.

    >>> unit_of(405), unit_of(37.5)
    (1.0, 0.1)
    """
    exponent = Decimal(repr(figure)).normalize().as_tuple().exponent
    return min(1.0, 10.0 ** (exponent if isinstance(exponent, int) else 0))


def rounding(figure: float, share: float) -> float:
    """Return by how much the exact value may differ from a printed one.

    Half a unit of the last digit that is not a filling zero, but at most ``share`` of the figure
    where zeros fill it ("140 GB" may be 138 or 142, not 100), and never less than half a unit of
    the last digit printed.

    >>> rounding(16, 0.025), rounding(140, 0.025), rounding(1.25, 0.025), rounding(1342, 0.025)
    (0.5, 3.5, 0.005, 0.5)
    """
    exponent = Decimal(repr(figure)).normalize().as_tuple().exponent
    place = 10.0 ** (exponent if isinstance(exponent, int) else 0)
    return max(unit_of(figure) / 2, min(place / 2, share * figure))

"""The page for buyers with a budget, at ``/buy/``."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.problems import SourceSpan
from sitegen.quality.values import Use
from sitegen.site.cells import Cell, Lines, Link, NumberCell, Parts, Small, Unit
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.reports.buying import MOST_USERS, Asked, Shelf, shelf
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import BUY_URL
from sitegen.site.words.quality import USE_WORDS
from sitegen.survey.buying import CONTEXTS, Wanted, best_first, choices, speed_of, timed
from sitegen.survey.rated_tier import as_good
from sitegen.values import dataclass

TEMPLATE = "buy.html"
SCRIPT_URL = "/assets/buying.js"
"""The rule and what writes its answer, translated."""
ROWS_URL = "/assets/buy-data.js"
COSTS = "/guides/cost/"
BUDGETS = (300, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000, 250_000)
BUDGET = 4_000
"""What the page begins with."""
CONTEXT = 32_768
USERS = (1, 4, 16, MOST_USERS)
WATTS = (150, 300, 450, 600, 1_000, 1_500, 3_000)
SERVED = 16
"""Users of the second column of budgets."""


@dataclass(frozen=True, slots=True)
class BuyView:
    """The values that ``buy.html`` shows."""

    first: Asked
    uses: tuple[tuple[str, str], ...]
    contexts: tuple[int, ...]
    users: tuple[int, ...]
    watts: tuple[int, ...]
    gpus: tuple[tuple[str, str], ...]
    budgets: Table | None
    script: str
    rows: str
    costs: Link | None
    """The guide to what running it costs, where the site has one."""
    priced: int
    unpriced: int


def wanted_for(found: Shelf, usd: float, *, users: int = 1) -> Wanted:
    """Ask as the page does before a reader changes anything."""
    return Wanted(
        Use.OVERALL.value, CONTEXT, users, usd, 0, desktop=users == 1, computer=True,
        least_speed=found.least_speed, step=found.step, least_context=found.least_context,
    )  # fmt: skip


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the page."""
    found = shelf(inputs)
    view = BuyView(
        first=Asked(found, wanted_for(found, BUDGET), USE_WORDS[Use.OVERALL]),
        uses=tuple((use.value, words) for use, words in USE_WORDS.items()),
        contexts=CONTEXTS,
        users=USERS,
        watts=WATTS,
        gpus=found.parts,
        budgets=_budgets(found),
        script=SCRIPT_URL,
        rows=ROWS_URL,
        costs=next(
            (Link(one.url, one.title) for one in inputs.documents if one.url == COSTS), None
        ),
        priced=sum(1 for one in found.builds if one.usd),
        unpriced=sum(1 for one in found.builds if not one.usd),
    )
    words = (
        "Builds for a budget, ranked by the best model that each runs, with dated prices: "
        "GPUs, whole computers and what the prices leave out."
    )
    title = "What should I buy?"
    yield Page(BUY_URL, title, TEMPLATE, view, "buy", SourceSpan(f"templates/{TEMPLATE}"), words)


def _budgets(found: Shelf) -> Table | None:
    """Name the best build for each budget: for one user, and for many; nothing without a price."""
    columns = (
        Column("Budget", numeric=True),
        Column("Fastest with the best model", note="one user, 32K context"),
        Column("Price", numeric=True, note="seen"),
        Column(
            "Cheapest with the best model",
            note=f"{SERVED} users, 32K context each",
            key=f"Cheapest with the best model for {SERVED}",
        ),
        Column("Price", numeric=True, note="seen"),
    )
    rows = []
    before: tuple[str, str] = ("", "")
    for usd in BUDGETS:
        cells = [*_best(found, usd, 1), *_best(found, usd, SERVED)]
        names = (str(cells[0]), str(cells[2]))
        if names not in {before, ("–", "–")}:
            rows.append(Row((NumberCell(usd, Unit.USD), *cells)))
        before = names
    if not rows:
        return None
    return Table(
        "budgets",
        "One user: builds that fit under a desk. Sixteen users: all builds",
        columns,
        tuple(rows),
    )


def _best(found: Shelf, usd: float, users: int) -> tuple[Cell, Cell]:
    wanted = wanted_for(found, usd, users=users)
    ordered = best_first(choices(found.builds, wanted, found.ratings, {}), wanted)
    if not ordered:
        return "–", ""
    one = ordered[0]
    if users == 1:
        one = max(as_good(timed(ordered)), key=lambda each: speed_of(each.offer, wanted))
    model = found.models[one.offer.model][1]
    build = Link(one.build.address, one.build.name)
    words = [one.build.priced, one.build.around] if one.build.around else [one.build.priced]
    price = Lines((NumberCell(one.usd, Unit.USD), Small("; ".join(words))))
    speed = Parts(
        (NumberCell(speed_of(one.offer, wanted), Unit.TOKENS_PER_S), " total" * (users > 1))
    )
    return Lines((build, Small(f"{model}, {one.offer.runs}"), Small(speed))), price

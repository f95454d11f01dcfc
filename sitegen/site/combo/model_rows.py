"""The rows of all models on a combo: one line each, best rated first, each leading to its view."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.site.cells import (
    Absent,
    Cell,
    Flag,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    TierMark,
    Unit,
    span,
)
from sitegen.site.row_filters import Bound, Choosing, WordFilter
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import model_row_id, row_id, view_of
from sitegen.site.words.plans import plan_words
from sitegen.site.words.quality import USE_WORDS
from sitegen.site.words.sentences import cure_sentence
from sitegen.site.words.tiers import TIER_CAPTIONS
from sitegen.site.words.verdicts import (
    checkpoint_name,
    measured_speed,
    not_estimated,
    reachable_context,
    reasons_of,
    users,
)
from sitegen.survey.best_for_use import FIRST, PickRatings
from sitegen.survey.results import ComboSurvey, ModelOnCombo
from sitegen.values import dataclass

FIRST_CAPTION = "The best-rated models that run here"
HELD_BACK = ("power", "eager")
"""Differences by which an owner slows a run down."""
SHOWN = 15
"""Rows on the combo's own page; its script and the page of all models have the rest."""

COLUMNS = (
    Column("Model", note="file"),
    Column("Rating", numeric=True, note="overall"),
    Column("Speed", numeric=True, note="one user"),
    Column("Context", numeric=True, note="longest"),
    Column("Users", numeric=True, note="at 8K / 32K"),
    Column("Runs in", note="plan"),
)
MISSING_COLUMNS = (
    Column("Model", note="file"),
    Column("Missing", numeric=True, note="fullest GPU"),
    Column("Fix", key="remedy", prose=True),
)


@dataclass(frozen=True, slots=True)
class ModelRows:
    """The models of a combo as its pages list them.

    ``first`` are the rows on the combo's page, ``tiers`` all of them by verdict.
    """

    first: Table | None
    tiers: tuple[Table, ...]


UNRATED = PickRatings({}, may_lead=False)


def model_rows(survey: ComboSurvey, catalog: Catalog) -> ModelRows:
    """List every model of a combo: those that run by rating, the others by name."""
    running = {
        tier: _best_first(survey, tier) for tier in (FitTier.COMFORTABLE, FitTier.BORDERLINE)
    }
    every = [row for rows in running.values() for row in rows]
    first = sorted(every, key=lambda row: not _rated(survey, row).may_lead)[:SHOWN]
    refused = sorted(survey.tier(FitTier.NOT_PRACTICAL), key=lambda r: r.model.name.casefold())
    tiers = (
        *(
            _table(f"tier-{tier}", TIER_CAPTIONS[tier], rows, survey, counted=True)
            for tier, rows in running.items()
        ),
        Table(
            f"tier-{FitTier.NOT_PRACTICAL}",
            TIER_CAPTIONS[FitTier.NOT_PRACTICAL],
            MISSING_COLUMNS,
            tuple(_missing_row(row, catalog) for row in refused),
            counted=True,
            sortable=True,
        ),
    )
    shown = replace(_table("first-models", FIRST_CAPTION, first, survey), in_files=False)
    return ModelRows(shown if first else None, tiers)


def _rated(survey: ComboSurvey, row: ModelOnCombo) -> PickRatings:
    return survey.rated.get(row.model.id, UNRATED)


def _best_first(survey: ComboSurvey, tier: FitTier) -> list[ModelOnCombo]:
    def place(row: ModelOnCombo) -> tuple[bool, float]:
        points = _rated(survey, row).points.get(FIRST)
        return points is None, -(points or 0.0)

    return sorted(survey.tier(tier), key=place)


def _table(
    id: str,
    caption: str,
    found: Sequence[ModelOnCombo],
    survey: ComboSurvey,
    *,
    counted: bool = False,
) -> Table:
    rows = tuple(_row(row, _rated(survey, row)) for row in found)
    return Table(id, caption, COLUMNS, rows, counted=counted, sortable=counted)


def _row(row: ModelOnCombo, rated: PickRatings) -> Row:
    pick = row.pick
    anchor = row_id(pick.model.id, pick.checkpoint.id)
    points = (rated.points.get(use) for use in USE_WORDS)
    ratings = " ".join("-" if one is None else str(round(one)) for one in points).rstrip(" -")
    return Row(
        (
            _heading(row),
            _rating(rated),
            speed_cell(pick),
            reachable_context(pick),
            users(pick),
            runs_in(pick),
        ),
        id=anchor,
        head_id=model_row_id(pick.model.id),
        facets=(("ratings", ratings),) if rated.points else (),
    )


def _heading(row: ModelOnCombo) -> Cell:
    """Name model and file; a script puts a link to the row beside them when it is pointed at."""
    pick = row.pick
    lines: list[Cell] = [
        Link(view_of(pick.combo.id, pick.model.id), pick.model.name),
        Small(checkpoint_name(pick)),
    ]
    if row.too_close:
        lines.append(Flag("too close to call"))
    if pick.model.superseded_by:
        lines.append(Small("there is a newer version"))
    return Lines(tuple(lines))


def _rating(rated: PickRatings) -> Cell:
    points = rated.points.get(FIRST)
    return Absent("not rated") if points is None else NumberCell(round(points), Unit.COUNT)


def speed_cell(pick: Assessment) -> Cell:
    """Print the speed of one user: its middle, its range, the nearest measurement."""
    speed = pick.speed
    if speed is None:
        return not_estimated(pick)
    single = speed.single_tokens_per_s
    return Lines(
        (
            NumberCell(single.mid, Unit.TOKENS_PER_S),
            Small(span(single, Unit.TOKENS_PER_S)),
            *measured_speed(pick, only=HELD_BACK),
        )
    )


def runs_in(pick: Assessment) -> Cell:
    """Name the runtime and the plan."""
    plan = (Small(plan_words(pick.plan)),) if pick.plan else ()
    return Lines((pick.runtime.name, *plan))


def _missing_row(row: ModelOnCombo, catalog: Catalog) -> Row:
    """Say in one line what a model lacks, and the cheapest change that helps."""
    pick = row.pick
    missing = pick.shortage_bytes > 0
    return Row(
        (
            _heading(row),
            NumberCell(pick.shortage_bytes, Unit.GIB) if missing else Absent("memory is enough"),
            Parts(tuple(_told(pick, catalog, missing=missing))),
        ),
        id=row_id(pick.model.id, pick.checkpoint.id),
        head_id=model_row_id(pick.model.id),
    )


def _told(pick: Assessment, catalog: Catalog, *, missing: bool) -> Iterator[Cell]:
    """Say what would help; where it is not memory that is missing, first why it does not run."""
    if not missing:
        for sentence in reasons_of(pick, catalog):
            yield from (unlinked(sentence), " ")
    if pick.cure is not None:
        yield from (unlinked(cure_sentence(pick.cure, catalog)), " → ", TierMark(pick.cure.tier))
    elif missing:
        yield Absent("no fix known")


def unlinked(sentence: Parts) -> Cell:
    """Keep the words of a sentence and none of its links."""
    return Parts(tuple(one.text if isinstance(one, Link) else one for one in sentence.parts))


def choosing() -> Choosing:
    """Controls of the rows; a script offers them and shows every row once one is used."""
    uses = tuple((str(use), word) for use, word in USE_WORDS.items() if use is not FIRST)
    return Choosing(
        "models",
        (
            WordFilter("use", "Best for", (("overall", "Overall"), *uses)),
            Bound("context", "Context, at least", most=False, unit="tokens"),
            Bound("speed", "Speed, at least", most=False, unit="tok/s"),
            WordFilter("tier", "Verdict", tuple((str(t), w) for t, w in TIER_CAPTIONS.items())),
        ),
    )

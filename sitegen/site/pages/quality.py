"""Ratings of models and losses of quantization: ``/quality/`` and a page for each use.

Pages show what is derived of scores and link to the boards; they reproduce none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.losses import Evaluator
from sitegen.problems import SourceSpan
from sitegen.quality import policy
from sitegen.quality.held_out import HalvesAgree, SourceLeftOut, halves_agree, sources_left_out
from sitegen.quality.losses import CLASS_STEP, LossTable, losses_of
from sitegen.quality.ratings import Scores
from sitegen.quality.values import EvidenceStanding, Rating, Ratings, Use
from sitegen.site.cells import Cell, NumberCell, Unit
from sitegen.site.combo.first_answer import FOR_USE
from sitegen.site.drawings.plot import Axis, Plot, Point, Series, axis_over
from sitegen.site.inputs import SiteInputs
from sitegen.site.json.quality import (
    halves_twin,
    losses_twin,
    rating_twin,
    ratings_twin,
    sources_twin,
)
from sitegen.site.page import Lazy, Page
from sitegen.site.plain_json import PlainJson
from sitegen.site.reports.quality import (
    best_table,
    boards_table,
    coverage_table,
    halves_table,
    held_out_table,
    losses_table,
    ranking_table,
    sources_table,
)
from sitegen.site.table import Fold, Table
from sitegen.site.words.quality import KNOWN_BY, NAMES, URL, url_of_use
from sitegen.values import dataclass

TEMPLATE = "quality.html"
USE_TEMPLATE = "quality-use.html"
SOURCE = SourceSpan("catalog/scores")
HALVES = 6
"""Cuts of the evaluators that a build makes; the project's script makes forty."""
HALVED = (Use.OVERALL, Use.GENERAL, Use.CODING, Use.REASONING)
"""Uses that enough evaluators measure to be cut in two."""
FEWEST_SCORES = 30
"""Scores of catalog models from which on a source is left out by itself."""


@dataclass(frozen=True, slots=True)
class RatingsView:
    """Tables and drawings of the ratings."""

    scores: Cell
    boards: Cell
    evaluators: Cell
    left_out: tuple[str, ...]
    best: Table
    coverage: Table
    sources: Table
    held_out: Fold
    halves: Table
    board_list: Fold


@dataclass(frozen=True, slots=True)
class LossesView:
    """Tables and drawings of the loss of quantization."""

    figures: Cell
    sources: Cell
    resolution: Cell
    step: Cell
    one_point: bool
    drawing: Plot
    table: Table


@dataclass(frozen=True, slots=True)
class QualityView:
    """Values that ``quality.html`` shows; ``None`` for what the catalog has no records of."""

    ratings: RatingsView | None
    losses: LossesView | None


NOTHING = QualityView(None, None)


@dataclass(frozen=True, slots=True)
class UseView:
    """Values that ``quality-use.html`` shows."""

    name: str
    is_overall: bool
    fewest: int
    rated: Table
    provisional: Table | None
    makers_word: Table | None
    boards: Table


@dataclass(frozen=True, slots=True)
class _Checks:
    """The checks of the ratings, which take a second or two."""

    sources: tuple[SourceLeftOut, ...]
    halves: tuple[HalvesAgree, ...]


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the page, and one for each use with its ranking."""
    catalog, ratings = inputs.catalog, inputs.engine.ratings
    checks = Lazy(partial(_checks, catalog))
    losses = Lazy(partial(losses_of, catalog))
    rated = {rating.model for use in ratings.by_use for rating in ratings.ranked(use)}
    found_any = ratings.by_use or catalog.losses
    yield Page(
        URL,
        "How good are the models?",
        TEMPLATE,
        Lazy(lambda: _view(catalog, ratings, checks, losses)) if found_any else NOTHING,
        "quality",
        SOURCE,
        f"{len(rated)} models rated by use from published scores, with intervals and tiers; how "
        "much quality quantization costs; and how far you can trust the ratings.",
        stated=Lazy(lambda: _stated(ratings, checks, losses)),
        total=len(rated),
    )
    for use, found in ratings.by_use.items():
        yield Page(
            url_of_use(use),
            f"Which models are best {FOR_USE[use]}?",
            USE_TEMPLATE,
            _use_view(use, ratings, catalog),
            "quality",
            SOURCE,
            f"{len(ratings.ranked(use))} rated models, best first, each with its interval, its "
            "tier and the boards behind it.",
            stated={
                "use": use.value,
                "ratings": [rating_twin(rating) for rating in _in_order(found.values())],
            },
            total=len(found),
        )


def _view(
    catalog: Catalog, ratings: Ratings, checks: Lazy[_Checks], losses: Lazy[LossTable]
) -> QualityView:
    return QualityView(
        ratings=_ratings(catalog, ratings, checks.value()) if ratings.by_use else None,
        losses=_losses(catalog, losses.value()) if catalog.losses else None,
    )


def _stated(
    ratings: Ratings, checks: Lazy[_Checks], losses: Lazy[LossTable]
) -> dict[str, PlainJson]:
    found = checks.value() if ratings.by_use else _Checks((), ())
    return {
        "uses": ratings_twin(ratings),
        "sources_left_out": sources_twin(found.sources),
        "halves": halves_twin(found.halves),
        "losses": losses_twin(losses.value()),
    }


def _checks(catalog: Catalog) -> _Checks:
    """Leave evaluators out in turn, and cut them in halves."""
    left = set(catalog.left_out)
    sheets = [sheet for sheet in catalog.scores.values() if not {sheet.id, sheet.names} & left]
    counts: Counter[str] = Counter()
    files: dict[str, set[str]] = {}
    for sheet in sheets:
        if sheet.evaluator is Evaluator.INDEPENDENT:
            known = (one.model in catalog.models for table in sheet.tables for one in table.scores)
            counts[sheet.evaluated_by] += sum(known)
            files.setdefault(sheet.evaluated_by, set()).add(sheet.id)
    large = [name for name, count in counts.most_common() if count >= FEWEST_SCORES]
    scores = Scores.of(replace(catalog, scores={sheet.id: sheet for sheet in sheets}))
    return _Checks(
        sources_left_out(scores, {name: files[name] for name in large}),
        halves_agree(scores, HALVES, HALVED),
    )


def _ratings(catalog: Catalog, ratings: Ratings, checks: _Checks) -> RatingsView:
    used = {id_ for found in ratings.by_use.values() for one in found.values()
            for id_ in one.board_ids}  # fmt: skip
    evaluators = {
        sheet.evaluated_by
        for sheet in catalog.scores.values()
        if sheet.evaluator is Evaluator.INDEPENDENT
    }
    scores = sum(len(t.scores) for sheet in catalog.scores.values() for t in sheet.tables)
    return RatingsView(
        scores=NumberCell(scores, Unit.COUNT),
        boards=NumberCell(len(used), Unit.COUNT),
        evaluators=NumberCell(len(evaluators), Unit.COUNT),
        left_out=catalog.left_out,
        best=best_table(ratings, catalog),
        coverage=coverage_table(ratings, catalog),
        sources=sources_table(checks.sources, catalog),
        held_out=Fold("Every board", held_out_table(checks.sources, catalog)),
        halves=halves_table(checks.halves),
        board_list=Fold(
            "Every board", boards_table([catalog.boards[id_] for id_ in sorted(used)], catalog)
        ),
    )


def _losses(catalog: Catalog, losses: LossTable) -> LossesView:
    least = catalog.assumptions.get(CLASS_STEP)
    step = max(round(losses.resolution, 2), least.value.mid if least else 0.0)
    figures = sum(len(t.rows) for source in catalog.losses.values() for t in source.tables)
    return LossesView(
        figures=NumberCell(figures, Unit.COUNT),
        sources=NumberCell(len(catalog.losses), Unit.COUNT),
        resolution=NumberCell(round(losses.resolution, 2), Unit.PLAIN),
        step=NumberCell(step, Unit.PLAIN),
        one_point=step == 1,
        drawing=_drawing(losses),
        table=losses_table(losses, catalog),
    )


def _drawing(losses: LossTable) -> Plot:
    """Draw the loss of each type over its bits."""
    shown = [type_loss for type_loss in losses.types if type_loss.belief is not None]
    series = tuple(
        Series(
            KNOWN_BY[known].capitalize(),
            tuple(
                Point(type_loss.bits, type_loss.points.mid)
                for type_loss in shown
                if type_loss.known_by == known
            ),
        )
        for known in dict.fromkeys(type_loss.known_by for type_loss in shown)
    )
    most = max((type_loss.bits for type_loss in shown), default=8.0)
    return Plot(
        id="loss-by-bits",
        title="Quality loss by bits per weight",
        description=(
            "Each point is a type of quantization. Fewer bits lose more quality. The table "
            "below has the numbers."
        ),
        x=Axis("Bits per weight", Unit.PLAIN, 1, most + 0.5),
        y=axis_over(
            "Loss, rating points", Unit.PLAIN, [type_loss.points.mid for type_loss in shown]
        ),
        series=series,
    )


def _use_view(use: Use, ratings: Ratings, catalog: Catalog) -> UseView:
    found = ratings.by_use[use]
    is_overall = use is Use.OVERALL

    def table(standing: EvidenceStanding, id: str, caption: str) -> Table | None:
        some = [one for one in _in_order(found.values()) if one.standing is standing]
        if not some:
            return None
        return ranking_table(some, catalog, id, caption, with_boards=not is_overall)

    used = {id_ for one in found.values() for id_ in one.board_ids}
    rated = ranking_table(
        ratings.ranked(use), catalog, "rated", "Rated models", with_boards=not is_overall
    )
    return UseView(
        name=NAMES[use],
        is_overall=is_overall,
        fewest=policy.FEWEST_BOARDS_OVERALL if is_overall else policy.FEWEST_BOARDS,
        rated=rated,
        provisional=table(EvidenceStanding.PROVISIONAL, "provisional", "Provisional"),
        makers_word=table(
            EvidenceStanding.MAKERS_WORD, "makers-word", "Models with makers' scores only"
        ),
        boards=boards_table([catalog.boards[id_] for id_ in sorted(used)], catalog),
    )


def _in_order(ratings: Iterable[Rating]) -> list[Rating]:
    """Put rated models first by place, and the others by rating."""
    return sorted(ratings, key=lambda one: (not one.place, one.place, -one.points.mid, one.model))

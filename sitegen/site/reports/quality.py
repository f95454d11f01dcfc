"""Tables of the quality page: best by use, coverage, checks, boards, losses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.provenance import Interval
from sitegen.catalog.domain.scores import Board
from sitegen.quality.held_out import HalvesAgree, SourceLeftOut
from sitegen.quality.losses import LossTable
from sitegen.quality.values import EvidenceStanding, Rating, Ratings, Use
from sitegen.site.cells import (
    Absent,
    Cell,
    Folded,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    Span,
    Unit,
)
from sitegen.site.sources import source_cell
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import url_of
from sitegen.site.words.quality import (
    CAUTIONS,
    EVALUATORS,
    KNOWN_BY,
    MODES,
    NAMES,
    STANDINGS,
    rating_cell,
    url_of_use,
)

NAMED = 6
"""Models of a tier that the overview names."""


def best_table(ratings: Ratings, catalog: Catalog) -> Table:
    """List the best tier of each use, and the next."""
    columns = (
        Column("Use"),
        Column("Best tier", note="models that published scores cannot tell apart"),
        Column("Next tier"),
        Column("Rated", numeric=True, note="models"),
    )
    rows = tuple(
        Row(
            (
                Link(url_of_use(use), NAMES[use]),
                _tier(ratings.tier(use, 1), catalog),
                _tier(ratings.tier(use, 2), catalog),
                NumberCell(len(ratings.ranked(use)), Unit.COUNT),
            )
        )
        for use in ratings.by_use
    )
    return Table("best", "The best models by use, on any hardware", columns, rows)


def _tier(ratings: Sequence[Rating], catalog: Catalog) -> Cell:
    if not ratings:
        return Absent("none is rated")
    shown: list[Cell] = [
        Parts((model_cell(one, catalog), " ", Small(rating_cell(one)))) for one in ratings[:NAMED]
    ]
    if len(ratings) > NAMED:
        shown.append(Small(f"and {len(ratings) - NAMED} more"))
    return Lines(tuple(shown))


def model_cell(rating: Rating, catalog: Catalog) -> Cell:
    """Link a rated model."""
    return Link(url_of("model", rating.model), catalog.models[rating.model].name)


def coverage_table(ratings: Ratings, catalog: Catalog) -> Table:
    """Count the models of each use by how far the evidence goes."""
    columns = (
        Column("Use"),
        *(Column(STANDINGS[one], numeric=True) for one in EvidenceStanding),
        Column("Not rated", numeric=True),
        Column("Boards", numeric=True),
        Column("Newest evidence"),
    )
    rows = tuple(Row(_coverage(use, ratings, catalog)) for use in ratings.by_use)
    caption = f"Evidence for {len(catalog.models)} models"
    return Table("coverage", caption, columns, rows)


def _coverage(use: Use, ratings: Ratings, catalog: Catalog) -> tuple[Cell, ...]:
    found = ratings.by_use[use].values()
    counts = Counter(one.standing for one in found)
    boards = {id_ for one in found for id_ in one.board_ids}
    return (
        NAMES[use],
        *(NumberCell(counts[one], Unit.COUNT) for one in EvidenceStanding),
        NumberCell(len(catalog.models) - len(found), Unit.COUNT),
        NumberCell(len(boards), Unit.COUNT),
        max((one.newest for one in found), default=""),
    )


def ranking_table(
    ratings: Sequence[Rating], catalog: Catalog, id: str, caption: str, *, with_boards: bool = True
) -> Table:
    """List ratings with the evidence for each."""
    ranked = any(rating.place for rating in ratings)
    columns = (
        *((Column("Tier", numeric=True),) if ranked else ()),
        Column("Model"),
        Column("Rating", numeric=True, note="90 % interval"),
        Column("Boards", note="independent / all"),
        Column("Newest independent score"),
        Column("Mode"),
    )
    rows = tuple(
        Row(
            (
                *((NumberCell(rating.tier, Unit.COUNT),) if ranked else ()),
                model_cell(rating, catalog),
                rating_cell(rating),
                _boards(rating, catalog, with_boards=with_boards),
                rating.newest or Absent("none"),
                MODES[rating.mode],
            ),
            id=f"m-{rating.model}",
        )
        for rating in ratings
    )
    return Table(id, caption, columns, rows, counted=True)


def _boards(rating: Rating, catalog: Catalog, *, with_boards: bool) -> Cell:
    count = f"{rating.independent} of {rating.boards}"
    if not with_boards:
        return count
    boards = (catalog.boards[id_] for id_ in rating.board_ids)
    return Folded(count, tuple(Link(board.url, board.name) for board in boards))


def boards_table(boards: Iterable[Board], catalog: Catalog) -> Table:
    """List boards with who ran them and how much they count; no score is reproduced."""
    takers = _takers(catalog)
    columns = (
        Column("Board"),
        Column("Use"),
        Column("Run by"),
        Column("Catalog models", numeric=True),
        Column("Counts less because"),
        Column("License of the scores", key="licence of the scores"),
    )
    rows = tuple(
        Row(
            (
                Link(board.url, board.name),
                NAMES[board.use],
                Lines((board.evaluated_by, Small(EVALUATORS[board.evaluator]))),
                NumberCell(len(takers.get(board.id, ())), Unit.COUNT),
                CAUTIONS[board.caution] if board.caution else "",
                board.license,
            )
        )
        for board in sorted(boards, key=lambda one: (one.evaluator, -len(takers[one.id]), one.id))
    )
    return Table("boards", "Boards that we used", columns, rows, counted=True)


def _takers(catalog: Catalog) -> Mapping[str, set[str]]:
    takers: dict[str, set[str]] = defaultdict(set)
    for sheet in catalog.scores.values():
        for table in sheet.tables:
            takers[table.board] |= {
                one.model for one in table.scores if one.model in catalog.models
            }
    return takers


def sources_table(source_left_outs: Sequence[SourceLeftOut], catalog: Catalog) -> Table:
    """Say what moves when a source is left out."""
    columns = (
        Column("Without"),
        Column("Still rated overall", numeric=True, note="models"),
        Column("Rank correlation", numeric=True, note="Spearman, these models", key="same order"),
        Column("Changes most", note="points", key="moves most"),
    )
    rows = tuple(
        Row(
            (
                source_left_out.source,
                Parts(
                    (
                        NumberCell(source_left_out.rated, Unit.COUNT),
                        " of ",
                        NumberCell(source_left_out.rated_with, Unit.COUNT),
                    )
                ),
                NumberCell(source_left_out.order, Unit.RATIO),
                Lines(
                    tuple(_moved(model, points, catalog) for model, points in source_left_out.moved)
                ),
            )
        )
        for source_left_out in source_left_outs
    )
    return Table("sources-left-out", "Ratings without one source", columns, rows)


def _moved(model: str, points: float, catalog: Catalog) -> Cell:
    name = Link(url_of("model", model), catalog.models[model].name)
    sign = "+" if points > 0 else "−"
    return Parts((name, f" {sign}", NumberCell(round(abs(points), 1), Unit.PLAIN)))


def held_out_table(source_left_outs: Sequence[SourceLeftOut], catalog: Catalog) -> Table:
    """Compare ratings with boards of evaluators that they have not seen."""
    columns = (
        Column("Board"),
        Column("Use"),
        Column("Models", numeric=True),
        Column(
            "With the rating for the use",
            numeric=True,
            note="Spearman correlation",
            key="by the rating of the use",
        ),
        Column(
            "With the overall rating",
            numeric=True,
            note="Spearman correlation",
            key="by the rating overall",
        ),
    )
    boards = sorted(
        (board for one in source_left_outs for board in one.boards), key=lambda one: one.board
    )
    rows = tuple(
        Row(
            (
                Link(catalog.boards[one.board].url, catalog.boards[one.board].name),
                NAMES[one.use],
                NumberCell(one.models, Unit.COUNT),
                NumberCell(one.by_use, Unit.RATIO),
                NumberCell(one.overall, Unit.RATIO),
            )
        )
        for one in boards
    )
    caption = "Ratings without an evaluator, compared with that evaluator's boards"
    return Table("held-out", caption, columns, rows, counted=True)


def halves_table(halves_agrees: Sequence[HalvesAgree]) -> Table:
    """Say how often two halves of the evaluators agree."""
    columns = (
        Column("Use"),
        Column("Halves", numeric=True),
        Column("Models compared", numeric=True),
        Column("Inside the interval", numeric=True, note="90 % is the target"),
        Column("Rank correlation", numeric=True, note="Spearman, median", key="same order"),
    )
    rows = tuple(
        Row(
            (
                NAMES[halves_agree.use],
                NumberCell(halves_agree.halves, Unit.COUNT),
                NumberCell(halves_agree.models, Unit.COUNT),
                NumberCell(halves_agree.coverage, Unit.PERCENT),
                NumberCell(halves_agree.rank_agreement, Unit.RATIO),
            )
        )
        for halves_agree in halves_agrees
        if halves_agree.halves
    )
    caption = "Ratings by two halves of the evaluators, split at random"
    return Table("halves", caption, columns, rows)


def losses_table(losses: LossTable, catalog: Catalog) -> Table:
    """List what each type of quantization loses, by class."""
    columns = (
        Column("Class", numeric=True),
        Column("Type"),
        Column("Bits per weight", numeric=True),
        Column("Loss", numeric=True, note="rating points, mean over models"),
        Column("On another model", numeric=True, note="rating points"),
        Column("How we know", key="known by"),
        Column("Models", numeric=True),
        Column("Sources"),
    )
    rows = tuple(
        Row(
            (
                NumberCell(type_loss.class_, Unit.COUNT),
                catalog.quantizations[type_loss.quantization].name,
                NumberCell(type_loss.bits, Unit.PLAIN),
                _points(type_loss.points),
                _points(type_loss.anyone),
                KNOWN_BY[type_loss.known_by],
                NumberCell(len(type_loss.models), Unit.COUNT),
                _loss_sources(type_loss.sources, catalog),
            ),
            id=f"q-{type_loss.quantization}",
        )
        for type_loss in losses.types
    )
    return Table("losses", "Quality lost to quantization", columns, rows, counted=True)


def _loss_sources(ids: Sequence[str], catalog: Catalog) -> Cell:
    if not ids:
        return Absent("none")
    links = tuple(source_cell(catalog.losses[id_].sources[0]) for id_ in ids)
    return Folded(str(len(ids)), links)


def _points(points: Interval) -> Cell:
    if points.high == 0:
        return NumberCell(0, Unit.PLAIN)
    return Span(points.low, points.mid, points.high, Unit.RATIO, with_mid=True)

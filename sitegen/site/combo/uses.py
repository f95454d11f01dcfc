"""The table of the best models for each use, on some hardware."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.site.cells import Cell, Lines, Link, NumberCell, Parts, Small, Unit
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import url_of
from sitegen.site.words.plans import plan_words
from sitegen.site.words.quality import USE_WORDS
from sitegen.site.words.verdicts import (
    checkpoint_name,
    decode,
    reachable_context,
    row_link,
    users,
)
from sitegen.survey.best_for_use import RatedPick, UseAnswer

SHOWN = 4
"""Models of a tier that are named in full; the page of ratings has the rest."""


def uses_table(answers: Sequence[UseAnswer]) -> Table | None:
    """List the best models for each use; ``None`` where no rated model fits."""
    shown = [use_answer for use_answer in answers if use_answer.use in USE_WORDS]
    if not shown:
        return None
    columns = (
        Column("Best for"),
        *BEST_COLUMNS,
        Column("May be as good, by published scores"),
    )
    rows = tuple(
        Row(
            (
                Lines((USE_WORDS[use_answer.use], Small(_fitting(use_answer)))),
                *best_cells(use_answer.picks[0]),
                _others(use_answer),
            )
        )
        for use_answer in shown
    )
    return Table("best", "Best models by use", columns, rows)


def _fitting(answer: UseAnswer) -> str:
    return "1 rated model fits" if answer.rated == 1 else f"{answer.rated} rated models fit"


BEST_COLUMNS = (
    Column("Model", note="checkpoint"),
    Column("Runtime", note="plan"),
    Column("Rating", numeric=True, note="90 % interval"),
    Column("Decode", numeric=True, note="one user / all users"),
    Column("Max context", numeric=True, note="one sequence"),
    Column("Users", numeric=True, note="at 8K / 32K"),
)


def best_cells(pick: RatedPick) -> tuple[Cell, ...]:
    """Fill ``BEST_COLUMNS``."""
    assessment = pick.assessment
    runtime = Link(url_of("runtime", assessment.runtime.id), assessment.runtime.name)
    plan = (Small(plan_words(assessment.plan)),) if assessment.plan else ()
    return (
        Lines((_link(pick), Small(checkpoint_name(assessment)))),
        Lines((runtime, *plan)),
        rating_cell(pick),
        decode(assessment),
        reachable_context(assessment),
        users(assessment),
    )


def table_of_best(answer: UseAnswer, caption: str) -> Table:
    """List the models of the best tier, one row each."""
    rows = tuple(Row(best_cells(one)) for one in answer.picks)
    return Table("best", caption, BEST_COLUMNS, rows, counted=True)


def _link(pick: RatedPick) -> Link:
    return Link(row_link(pick.assessment), pick.assessment.model.name)


def rating_cell(pick: RatedPick) -> Cell:
    """Print the rating less the checkpoint's loss, with half of its interval."""
    points = NumberCell(round(pick.points), Unit.COUNT)
    return Parts((points, " ± ", NumberCell(round(pick.half_width), Unit.COUNT)))


def _others(answer: UseAnswer) -> Cell:
    rest = answer.picks[1:]
    if not rest:
        return "None"
    lines: list[Cell] = [Parts((_link(one), " ", Small(rating_cell(one)))) for one in rest[:SHOWN]]
    if len(rest) > SHOWN:
        lines.append(Small(f"and {len(rest) - SHOWN} more"))
    return Lines(tuple(lines))

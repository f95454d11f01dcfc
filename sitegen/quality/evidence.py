"""Scores as the ratings use them: one of each model and board, in its best documented mode."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import groupby

from sitegen.catalog.domain.losses import Evaluator
from sitegen.catalog.domain.scores import Board, Score, ScoreSheet, ScoreTable, Use
from sitegen.quality import policy
from sitegen.values import dataclass

THINKING = "thinking"
NOT_THINKING = "non-thinking"
_MODES = {THINKING: 0, "": 1, NOT_THINKING: 2}
_EFFORTS = {"max": 0, "xhigh": 1, "high": 2, "medium": 3, "low": 4, "minimal": 5, "none": 6}
_USUAL_EFFORT = 2.5
"""An effort that is not stated lies between high and medium."""
_ELO = math.log(10) / 400
"""Log-odds of a vote, for each Elo point."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A model's score on a board.

    ``item`` is the board, with the version where each is one of its own; ``score`` has no ends,
    and more is better; ``source`` is the sheet.
    """

    model: str
    item: str
    board: Board
    evaluator: Evaluator
    evaluated_by: str
    source: str
    sibling: bool
    score: float
    variance: float
    mode: str
    date: str

    @property
    def group(self) -> tuple[str, str]:
        """Boards of one evaluator and family are one piece of evidence."""
        return self.evaluated_by, self.board.family


Keep = Callable[[ScoreSheet, Board], bool]


def everything(_sheet: ScoreSheet, _board: Board) -> bool:
    """Leave no score out."""
    return True


@dataclass(frozen=True, slots=True)
class Run:
    """A score as published: what it says, and how well its mode is documented (least is best)."""

    sheet: ScoreSheet
    rank: tuple[float, float]
    seen: Seen


def runs_of(sheets: Iterable[ScoreSheet], boards: Mapping[str, Board]) -> tuple[Run, ...]:
    """Return every score, sorted by model and item."""
    runs: list[Run] = []
    for sheet in sheets:
        for table in sheet.tables:
            board = boards[table.board]
            item = f"{board.id}@{table.version}" if board.renewed else board.id
            rank = (_MODES[table.mode], _EFFORTS.get(table.effort, _USUAL_EFFORT))
            runs += [
                Run(sheet, rank, _seen(score, item, board, sheet, table)) for score in table.scores
            ]
    return tuple(sorted(runs, key=lambda run: (run.seen.model, run.seen.item)))


def evidence(runs: Iterable[Run], keep: Keep = everything) -> tuple[Seen, ...]:
    """Return one entry of each model and item; several runs in one mode are averaged."""
    kept = (run for run in runs if keep(run.sheet, run.seen.board))
    return tuple(
        _best(list(some))
        for _, some in groupby(kept, key=lambda run: (run.seen.model, run.seen.item))
    )


def _seen(score: Score, item: str, board: Board, sheet: ScoreSheet, table: ScoreTable) -> Seen:
    value, variance = unbounded(score, board)
    return Seen(
        score.model, item, board, sheet.evaluator, sheet.evaluated_by, sheet.id, score.sibling,
        value, variance, table.mode, table.date,
    )  # fmt: skip


def unbounded(score: Score, board: Board) -> tuple[float, float]:
    """Return a score on a scale without ends, more being better, and its sampling variance."""
    sign = 1.0 if board.higher_is_better else -1.0
    if board.unit == "percent":
        questions = board.questions or policy.USUAL_QUESTIONS
        share = (score.value / 100 * questions + 0.5) / (questions + 1)
        share = min(max(share, 0.5 / questions), 1 - 0.5 / questions)
        return sign * math.log(share / (1 - share)), 1 / (questions * share * (1 - share))
    if board.unit == "elo":
        deviation = policy.ELO_DEVIATION
        if score.low is not None and score.high is not None:
            deviation = max(score.high - score.low, 1.0) / (2 * 1.96)
        return sign * score.value * _ELO, (deviation * _ELO) ** 2
    return sign * score.value, 0.0


def _best(some: list[Run]) -> Seen:
    """Average the scores of the best documented mode, which is not the mode of the best score."""
    if len(some) == 1:
        return some[0].seen
    best = min(run.rank for run in some)
    kept = [run.seen for run in some if run.rank == best]
    first = max(kept, key=lambda seen: (seen.evaluator is Evaluator.INDEPENDENT, seen.date))
    return replace(
        first,
        sibling=all(seen.sibling for seen in kept),
        score=sum(seen.score for seen in kept) / len(kept),
        variance=sum(seen.variance for seen in kept) / len(kept),
    )


def weights(seen: Iterable[Seen]) -> tuple[float, ...]:
    """Return the weight of each entry: who measured, with how much caution, and how often."""
    entries = tuple(seen)
    groups = [(one.model, one.evaluated_by, one.board.family) for one in entries]
    of_family = Counter(groups)
    of_evaluator = Counter((model, evaluator) for model, evaluator, _ in of_family)
    found: list[float] = []
    for one, group in zip(entries, groups, strict=True):
        weight = policy.EVALUATOR_WEIGHT[one.evaluator]
        if one.board.caution is not None:
            weight *= policy.CAUTION_WEIGHT[one.board.caution]
        weight *= policy.SIBLING_WEIGHT if one.sibling else 1.0
        weight /= 1 + policy.MORE_OF_A_FAMILY * (of_family[group] - 1)
        found.append(weight / (1 + policy.MORE_OF_AN_EVALUATOR * (of_evaluator[group[:2]] - 1)))
    return tuple(found)


def of_use(seen: Iterable[Seen], use: Use) -> tuple[Seen, ...]:
    """Return the entries that speak for a use; for all uses together, those in text."""
    if use is Use.OVERALL:
        return tuple(one for one in seen if one.board.use is not Use.VISION)
    return tuple(one for one in seen if one.board.use is use)


def linking(seen: Iterable[Seen]) -> tuple[Seen, ...]:
    """Leave out boards that too few models took."""
    entries = tuple(seen)
    takers: dict[str, set[str]] = defaultdict(set)
    for one in entries:
        takers[one.item].add(one.model)
    return tuple(one for one in entries if len(takers[one.item]) >= policy.FEWEST_MODELS)

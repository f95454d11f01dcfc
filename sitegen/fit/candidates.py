"""What may answer a question about a model, and in which orders it is asked, which combos share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from sitegen.fit.runnable_checkpoint import Prepared, Subject
from sitegen.physics.plan import Workload
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Ask:
    """A checkpoint under a runtime, with the workload in that runtime's words."""

    prepared: Prepared
    workload: Workload

    @property
    def subject(self) -> Subject:
        """What is asked about, hardware apart."""
        return self.prepared.subject


Levels = tuple[tuple[tuple[Ask, ...], ...], ...]
"""Levels of groups, the best first."""


class Asks:
    """The checkpoints of a model under the runtimes that may answer.

    Attributes:
        every: All of them.
        counted: Those that may carry a verdict: production checkpoints, or all without any.
        surveyed: Of those counted, the ones under runtimes that are surveyed in full.
        spare: Those under such runtimes that are not counted.
    """

    def __init__(self, every: Sequence[Ask]) -> None:
        self.every = tuple(every)
        production = [a for a in self.every if a.subject.checkpoint.quantization.production]
        others = [a for a in self.every if not a.subject.checkpoint.quantization.production]
        self.counted = tuple(production or others)
        self.surveyed = tuple(a for a in self.counted if a.subject.runtime.surveyed_in_full)
        spare = others if production else []
        self.spare = tuple(a for a in spare if a.subject.runtime.surveyed_in_full)
        self._turns: dict[Hashable, tuple[Ask, ...]] = {}
        self._levels: dict[Hashable, Levels] = {}

    def in_turn(self, by: Hashable, order: Callable[[], Sequence[Ask]]) -> tuple[Ask, ...]:
        """Remember an order of what is counted for all hardware that is alike in ``by``."""
        if by not in self._turns:
            self._turns[by] = tuple(order())
        return self._turns[by]

    def levels(self, by: Hashable, group: Callable[[], Levels]) -> Levels:
        """Remember the levels of what is counted for all hardware that is alike in ``by``."""
        if by not in self._levels:
            self._levels[by] = group()
        return self._levels[by]

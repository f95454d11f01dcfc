"""The whole catalog as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sitegen.catalog.domain.claims import ClaimedPage
from sitegen.catalog.domain.hardware import Combo, Gpu, Interconnect
from sitegen.catalog.domain.losses import MeasuredLosses
from sitegen.catalog.domain.measurements import Measurements
from sitegen.catalog.domain.models import LanguageModel, Quantization, Runtime
from sitegen.catalog.domain.provenance import Constant
from sitegen.catalog.domain.runs import Benchmarks
from sitegen.catalog.domain.scores import Board, ScoreSheet
from sitegen.problems import Problem
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Catalog:
    """Every record by id, in id order, with references resolved and rules checked.

    ``assumptions`` are the constants that belong to no runtime (thresholds, context overhead,
    speed constants by hardware class), keyed by record id.
    """

    gpus: Mapping[str, Gpu]
    interconnects: Mapping[str, Interconnect]
    combos: Mapping[str, Combo]
    models: Mapping[str, LanguageModel]
    quantizations: Mapping[str, Quantization]
    runtimes: Mapping[str, Runtime]
    assumptions: Mapping[str, Constant]
    measurements: Mapping[str, Measurements]
    """Memory that others logged, by source."""
    benchmarks: Mapping[str, Benchmarks]
    """Speed that others measured, by source."""
    claims: Mapping[str, ClaimedPage]
    """Claims of public pages, by page."""
    losses: Mapping[str, MeasuredLosses] = field(default_factory=dict)
    """Measured losses of quantization, by source."""
    boards: Mapping[str, Board] = field(default_factory=dict)
    scores: Mapping[str, ScoreSheet] = field(default_factory=dict)
    """Scores of models on boards, by source and date."""
    left_out: tuple[str, ...] = ()
    """Files of scores, or name maps for all files that use one, that ratings do without."""
    renamed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By kind (``gpu``): today's ids by the ids of before; old addresses lead to the new."""
    warnings: tuple[Problem, ...] = ()
    """Problems that an author should mend although everything resolves."""

    @property
    def surveyed_models(self) -> tuple[LanguageModel, ...]:
        """Models that stand on combo pages: those that no other has taken the place of."""
        return tuple(model for model in self.models.values() if not model.superseded_by)

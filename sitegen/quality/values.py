"""Ratings of models, as values."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from sitegen.catalog.domain.provenance import Interval
from sitegen.values import dataclass


class Use(StrEnum):
    """What a model is used for."""

    GENERAL = "general"
    CODING = "coding"
    REASONING = "reasoning"
    AGENTIC = "agentic"
    LONG_CONTEXT = "long-context"
    VISION = "vision"
    MULTILINGUAL = "multilingual"
    INSTRUCTION_FOLLOWING = "instruction-following"


@dataclass(frozen=True, slots=True)
class Rating:
    """A model's rating for a use, in points."""

    points: Interval
    is_rated: bool = True


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings by use and model id."""

    by_use: Mapping[Use, Mapping[str, Rating]]

    def of(self, use: Use, model_id: str) -> Rating | None:
        """Return a model's rating for a use; ``None`` where there is none."""
        return self.by_use.get(use, {}).get(model_id)

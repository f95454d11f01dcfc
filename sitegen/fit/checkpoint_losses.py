"""What each checkpoint loses against its release, as plain numbers that a browser can hold too."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import Checkpoint, LanguageModel
from sitegen.catalog.domain.provenance import Interval
from sitegen.quality.losses import losses_of
from sitegen.values import dataclass

NO_LOSS = Interval(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class CheckpointLosses:
    """Losses in rating points, and classes of losses that the evidence cannot separate.

    Attributes:
        points: Loss by ``model|checkpoint`` for every checkpoint of the catalog.
        of_types: Loss by quantization id, for checkpoints that the catalog does not have.
        starts: Expected loss from which on each class but the first begins.
    """

    points: Mapping[str, Interval]
    of_types: Mapping[str, Interval]
    starts: tuple[float, ...]

    def of(self, model: LanguageModel, checkpoint: Checkpoint) -> Interval:
        """Return the loss of a checkpoint, low to high, in rating points."""
        known = self.points.get(f"{model.id}|{checkpoint.id}")
        return known or self.of_types.get(checkpoint.quantization.id, NO_LOSS)

    def quality_class(self, model: LanguageModel, checkpoint: Checkpoint) -> int:
        """Return the class of a checkpoint: 0 cannot be told from the release, more is worse."""
        expected = self.of(model, checkpoint).mid
        return len([start for start in self.starts if expected >= start])


def checkpoint_losses(catalog: Catalog) -> CheckpointLosses:
    """Estimate the loss of every checkpoint of a catalog from its measured losses."""
    table = losses_of(catalog)
    return CheckpointLosses(
        {
            f"{model}|{checkpoint}": loss.points
            for (model, checkpoint), loss in table.losses.items()
        },
        {id_: loss.points for id_, loss in table.by_type.items()},
        table.starts,
    )

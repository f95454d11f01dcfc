"""Why a verdict is too close to call, and which measurement would settle it."""

from __future__ import annotations

from enum import StrEnum

from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import FitTier
from sitegen.values import dataclass


class Uncertain(StrEnum):
    """What somebody could measure to settle a verdict."""

    RUNTIME_OVERHEAD = "runtime-overhead"
    """GPU context and communication buffers: what a process holds beside its tensors."""
    COMPUTE = "activations"
    GRAPHS = "graphs"
    WEIGHTS = "weights"
    RESERVED = "reserved-memory"
    """What the operating system or a desktop keeps."""
    START_UP = "start-up-memory"
    """Every line of the ledger but the cache: what a runtime logs when it starts."""
    SPEED = "decode-speed"
    RUN = "start-up-memory-and-decode-speed"


@dataclass(frozen=True, slots=True, order=True)
class ToMeasure:
    """One measurement; rows that share it are settled together.

    Fields that the quantity does not depend on are empty: memory that a runtime takes whatever
    the model has no model, the size of a loaded file no GPU. ``reserved_bytes`` tells desktops
    from servers where the system reserves memory of a GPU.
    """

    quantity: Uncertain
    runtime_id: str = ""
    runtime_version: str = ""
    gpus: tuple[tuple[str, int], ...] = ()
    """GPU ids of a replica with their number; 0 where the number does not matter."""
    tensor_parallel_size: int = 0
    pipeline_parallel_size: int = 0
    link_id: str = ""
    model_id: str = ""
    checkpoint_id: str = ""
    reserved_bytes: int = 0


@dataclass(frozen=True, slots=True)
class DecidingMeasurement:
    """A measurement that settles a verdict, and which way each end of its interval settles it.

    ``bounds`` are bytes on the fullest GPU, or tokens/s of one stream; those of a whole run are
    of its memory.
    """

    measure: ToMeasure
    bounds: Interval
    tier_at_low: FitTier
    tier_at_high: FitTier


@dataclass(frozen=True, slots=True)
class OpenVerdict:
    """Why a verdict is too close to call: each measurement that settles it alone, widest first."""

    options: tuple[DecidingMeasurement, ...]

    @property
    def named(self) -> DecidingMeasurement:
        """The quantity that contributes most to the width."""
        return self.options[0]

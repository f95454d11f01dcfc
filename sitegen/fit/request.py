"""A question to the engine: one fit tuple, as a page, a script or the command line asks it."""

from __future__ import annotations

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Runtime, RuntimeProfile
from sitegen.fit.assessment import Goal
from sitegen.physics.plan import DEFAULTS, Settings, Workload
from sitegen.values import dataclass

REFERENCE_WORKLOAD = Workload(context_tokens=8_192, sequences=1, kv_dtype="f16")
"""The workload of every verdict that names none."""


@dataclass(frozen=True, slots=True)
class FitRequest:
    """Model, checkpoint, runtime, combo, workload and settings; optionally a plan of one's own.

    ``tensor_parallel_size`` and ``pipeline_parallel_size`` are ``None`` where the planner chooses;
    ``goal`` is what it then optimizes.
    """

    model: LanguageModel
    checkpoint: Checkpoint
    combo: Combo
    runtime: Runtime
    profile: RuntimeProfile
    workload: Workload = REFERENCE_WORKLOAD
    settings: Settings = DEFAULTS
    tensor_parallel_size: int | None = None
    pipeline_parallel_size: int | None = None
    goal: Goal = Goal.LARGEST_MODEL

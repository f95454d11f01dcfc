"""Rules over what llama.cpp accepts although it makes answers much slower."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.lint.facts import LintContext
from sitegen.lint.findings import corrected, place_of, warning
from sitegen.lint.scene import FileModel
from sitegen.problems import Problem
from sitegen.survey.verdict_policy import LARGER_STEPS


def steps_share_the_copy(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Warn of experts in system RAM that cross to the GPU with every few tokens of a prompt.

    Source:
        ``verdict_policy.LARGER_STEPS``: what an owner measured. llama.cpp 0c1e57098,
        ``common/common.h``: ``n_ubatch`` is 512, and is ``n_batch`` at most.
    """
    step = str(LARGER_STEPS[0])
    for launch in scene.launches:
        moved = launch.settings.get("host_experts")
        if moved is None or not moved.known or moved.number == 0:
            continue
        meant = facts.meant(launch)
        design = facts.design(meant.model) if meant is not None else None
        dense = design is not None and not design.experts
        if dense or "micro_batch" in launch.settings or launch.number("layers") == 0:
            continue
        message = (
            "every 512 tokens of a prompt copy the experts in system RAM to the GPU again; larger "
            "steps read prompts several times as fast, and need more of the GPU's memory"
        )
        hint = corrected(launch, {"micro_batch": step, "batch": step})
        yield warning(place_of(launch, "host_experts"), "small-steps", message, hint)

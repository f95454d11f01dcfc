"""Rules about the model itself, whatever the hardware."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.fit.compatibility import model_refusal
from sitegen.lint.facts import LintContext
from sitegen.lint.findings import finding, place_of, sentence, warning
from sitegen.lint.scene import FileModel
from sitegen.problems import Problem


def model_has_code(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report a model for which the runtime's package has no code; no hardware needs to be known."""
    for launch in scene.launches:
        meant, pair = facts.meant(launch), facts.runtime(launch)
        if meant is None or pair is None:
            continue
        design = facts.design(meant.model)
        if design is None:
            continue
        reason = model_refusal(design, *pair)
        if reason is not None:
            message = sentence(reason, facts.engine.catalog)
            # another version may have it, so where nothing says which is run it is no error
            told = scene.version_of(launch.program, launch.version)
            say = finding if told else warning
            yield say(place_of(launch, "model"), "no-code-for-model", message)

"""Rules over what one program of llama.cpp refuses, and over what makes its answers slow."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.lint.facts import LintContext
from sitegen.lint.findings import corrected, place_of, warning
from sitegen.lint.programs import Invocation, base
from sitegen.lint.rules.options import judged
from sitegen.lint.scene import FileModel
from sitegen.lint.snippets import Spot
from sitegen.problems import Problem
from sitegen.survey.verdict_policy import LARGER_STEPS

OF_THE_TERMINAL = frozenset(
    {"--conversation", "--no-conversation", "--single-turn", "--interactive",
     "--interactive-first", "--multiline-input"}
)  # fmt: skip
"""Options of ``llama-cli`` and ``llama-completion`` that ``llama-server`` refuses.

Source:
    https://github.com/ggml-org/llama.cpp, ``common/arg.cpp`` (``set_examples``), read 2026-11-29.
"""


def servers_talk_to_nobody(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Warn of options of the terminal that a server is given."""
    for snippet, call in scene.invocations:
        if call.program != "llama-cpp" or not _serves(call) or not judged(scene, facts, call):
            continue
        for given in call.options:
            if given.name in OF_THE_TERMINAL:
                message = f"llama-server does not accept {given.written}, an option of llama-cli"
                place = Spot(snippet, given.word.start)
                yield warning(place, "unknown-option", message, "delete it, or start llama-cli")


def _serves(call: Invocation) -> bool:
    """Whether a command surely starts the server: ``llama-server``, ``llama serve``."""
    words = [base(word.text) for word in call.launcher[-2:]]
    return words[-1:] == ["llama-server"] or words in (["llama", "serve"], ["llama", "server"])


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

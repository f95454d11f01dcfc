"""Rules over options that a program refuses together, or one without the other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sitegen.lint.facts import FUSED, LintContext
from sitegen.lint.findings import corrected, finding, place_of
from sitegen.lint.launches import Launch
from sitegen.lint.rules.options import judged
from sitegen.lint.scene import FileModel
from sitegen.lint.snippets import Spot
from sitegen.problems import Problem

_QUANTIZED = re.compile(r"i?q\d\w*", re.IGNORECASE)
"""A type of cache with fewer than 16 bits, as llama.cpp calls them: ``q8_0``, ``iq4_nl``."""


def quantized_values_are_fused(scene: FileModel, _: LintContext) -> Iterator[Problem]:
    """Report values of a cache in few bits where flash attention is off: llama.cpp stops.

    Source:
        llama.cpp, ``src/llama-context.cpp``: "V cache quantization requires flash_attn".
    """
    for launch in scene.launches:
        values = launch.text("value_dtype")
        off = FUSED.get(launch.text("flash").lower()) is False
        if off and _QUANTIZED.fullmatch(values):
            message = (
                f"{launch.traits.name} does not start: values of the cache in {values} need flash "
                "attention, which is off"
            )
            hint = corrected(launch, {"flash": "on"})
            yield finding(place_of(launch, "flash"), "option-conflict", message, hint)


def options_have_what_they_need(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report an option that the program refuses without another one: tools without their parser.

    Source:
        vLLM, ``entrypoints/openai/cli_args.py``: "--enable-auto-tool-choice requires
        --tool-call-parser".
    """
    for launch in scene.launches:
        call = launch.invocation
        hidden = launch.open_ended or "overrides" in launch.settings
        if call is None or hidden or judged(scene, facts, call) is None:
            continue
        for name, needed in launch.traits.needs.items():
            given = call.given(name)
            if given is not None and call.given(needed) is None:
                message = f"{launch.traits.name} refuses {given.written} without {needed}"
                place = Spot(launch.snippet, given.word.start)
                hint = f"add {needed} {_parser_of_tools(launch, facts)}".rstrip()
                yield finding(place, "option-conflict", message, hint)


def _parser_of_tools(launch: Launch, facts: LintContext) -> str:
    """Name the parser that recipes give a model's calls to tools; empty for an unknown model."""
    meant = facts.meant(launch)
    runtime = facts.engine.catalog.runtimes.get(launch.runtime)
    if meant is None or runtime is None:
        return ""
    listed = (one.tools for one in runtime.chat_options if meant.model.id in one.models)
    return next(listed, "")

"""Rules over the variables that stand for options: what no program reads, what none accepts."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.lint.facts import LintContext
from sitegen.lint.findings import finding, warning
from sitegen.lint.known_programs import PROGRAMS, Program
from sitegen.lint.options import OptionTable
from sitegen.lint.rules.options import placeholder, refused
from sitegen.lint.scene import FileModel, Variable
from sitegen.lint.script import Word
from sitegen.problems import Problem, did_you_mean

MEANT = {
    "LLAMA_ARG_CONTEXT_SIZE": "LLAMA_ARG_CTX_SIZE",
    "LLAMA_ARG_CONTEXT_LENGTH": "LLAMA_ARG_CTX_SIZE",
    "LLAMA_ARG_CONTEXT": "LLAMA_ARG_CTX_SIZE",
    "LLAMA_ARG_CTX": "LLAMA_ARG_CTX_SIZE",
    "LLAMA_ARG_N_CTX": "LLAMA_ARG_CTX_SIZE",
    "LLAMA_ARG_NGL": "LLAMA_ARG_N_GPU_LAYERS",
    "LLAMA_ARG_GPU_LAYERS": "LLAMA_ARG_N_GPU_LAYERS",
    "LLAMA_ARG_PARALLEL": "LLAMA_ARG_N_PARALLEL",
    "LLAMA_ARG_MODEL_PATH": "LLAMA_ARG_MODEL",
    "LLAMA_ARG_HF_MODEL": "LLAMA_ARG_HF_REPO",
    "LLAMA_ARG_UBATCH_SIZE": "LLAMA_ARG_UBATCH",
    "LLAMA_ARG_BATCH_SIZE": "LLAMA_ARG_BATCH",
    "LLAMA_ARG_FLASH_ATTENTION": "LLAMA_ARG_FLASH_ATTN",
    "LLAMA_ARG_KV_CACHE_TYPE": "LLAMA_ARG_CACHE_TYPE_K",
    "LLAMA_ARG_API_KEY": "LLAMA_API_KEY",
}
"""Variables by names that people give them; llama.cpp's server lists none of these."""


def variables_stand_for_options(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report variables that no program reads, and values that a program stops at.

    Source:
        llama.cpp, ``common/arg.cpp`` (``common_params_parse``): "error while handling environment
        variable".
    """
    for one in scene.environment:
        if one.name in MEANT:
            message = f"nothing reads {one.name}, so it has no effect"
            yield warning(one.setting.place, "unknown-option", message, f"write {MEANT[one.name]}")
        for id_, traits in PROGRAMS.items():
            table = facts.tables.get(id_)
            if table is not None and one.name in traits.variables:
                yield from _value(one, traits, table)


def _value(one: Variable, traits: Program, table: OptionTable) -> Iterator[Problem]:
    """Report a value that the option of a variable does not take."""
    text = one.setting.text
    if not one.setting.known or placeholder(text):
        return
    taken = table.taken(traits.variables[one.name])
    message = refused(Word(text, 0, len(text)), taken)
    if message:
        hint = did_you_mean(text, taken.choices) if taken.choices else ""
        yield finding(one.setting.place, "option-value", f"{one.name} {message}", hint)

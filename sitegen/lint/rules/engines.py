"""Rules over what vLLM and SGLang refuse before they load anything, hardware apart.

Source:
    vLLM 0.33.0, read 2026-11-27, except where a rule names another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sitegen.lint.checkpoints import ResolvedCheckpoint
from sitegen.lint.facts import LintContext, tokens_of
from sitegen.lint.findings import corrected, finding, place_of, warning
from sitegen.lint.launches import Launch
from sitegen.lint.programs import NEWEST
from sitegen.lint.scene import FileModel
from sitegen.lint.snippets import Spot
from sitegen.lint.versions import OF_A_FORK, SEVERAL
from sitegen.problems import Problem
from sitegen.values import dataclass

AWQ = frozenset({"awq", "awq_marlin", "auto_awq"})
GPTQ = frozenset({"gptq", "gptq_marlin", "auto_gptq"})
ANY_INT4 = frozenset({"marlin", "moe_wna16", "humming"})
TAKEN: Mapping[str, frozenset[str]] = {
    "awq": AWQ | ANY_INT4,
    "gptq": GPTQ | ANY_INT4,
    "compressed-tensors": frozenset({"compressed-tensors", "humming"}),
    "fp8": frozenset({"fp8", "compressed-tensors"}),
}
"""Words of ``--quantization`` that files of a format take; those in FP8 are written in two ways."""
JUDGED = AWQ | GPTQ | {"fp8", "compressed-tensors", "bitsandbytes"}
"""Words whose meaning is plain; others may load files of several formats."""
NAMES = {"awq": "AWQ", "gptq": "GPTQ", "fp8": "FP8", "compressed-tensors": "compressed-tensors"}


@dataclass(frozen=True, slots=True)
class Plugin:
    """A package that loads what vLLM itself loaded before a version."""

    package: str
    since: tuple[int, int]
    files: str


PLUGINS: Mapping[str, Plugin] = {
    "gguf": Plugin("vllm-gguf-plugin", (0, 24), "GGUF files"),
    "bitsandbytes": Plugin("vllm-bnb-plugin", (0, 28), "bitsandbytes"),
}
"""What was moved out of vLLM.

Source:
    Wheels of vLLM 0.23.0 and 0.24.0: ``model_executor/layers/quantization/gguf.py`` is in the first
    alone; https://github.com/vllm-project/vllm/pull/39612 (GGUF) and 43529 (bitsandbytes).
"""
_GGUF = re.compile(r"\.gguf$|-gguf(?::[\w.-]+)?$", re.IGNORECASE)
_OF_TABBY = re.compile(r"FP16|Q[468]|[2-8]\s*,\s*[2-8]")
_COUNTED = re.compile(r"\w+=\d+(?:,\w+=\d+)*")
"""How ``--limit-mm-per-prompt`` was written before it was JSON."""


def files_are_as_the_option_says(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report an option that names another quantization than the files have.

    Source:
        vLLM, ``config/model.py`` (``_verify_quantization``), and SGLang 0.5.23,
        ``srt/configs/model_config.py``: "Quantization method specified in the model config does
        not match the quantization method specified in the `quantization` argument".
    """
    for launch in scene.launches:
        meant, word = facts.loaded(launch), launch.text("quantization").lower()
        engine = launch.runtime in {"vllm", "sglang"}
        if not engine or meant is None or meant.checkpoint is None or word not in JUDGED:
            continue
        held = meant.checkpoint.quantization.format
        taken = TAKEN.get(held, frozenset())
        if not taken or word in taken or _written_otherwise(meant, held, word):
            continue
        name = launch.traits.name
        message = f"{name} refuses to start: {word} is requested, but the files are {NAMES[held]}"
        hint = corrected(launch, {"quantization": ""}) or "leave the option out"
        yield finding(place_of(launch, "quantization"), "option-conflict", message, hint)


def _written_otherwise(meant: ResolvedCheckpoint, held: str, word: str) -> bool:
    """Whether files that the catalog does not list may be what a word says after all.

    Some repositories with AWQ or GPTQ in their names hold what compressed-tensors writes.
    """
    listed = meant.checkpoint is not None and meant.checkpoint.is_published
    return not listed and held in {"awq", "gptq"} and word == "compressed-tensors"


def formats_have_their_plugins(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report files that vLLM loads only with a plugin, where the text does not speak of it."""
    for launch in scene.launches:
        if launch.runtime != "vllm":
            continue
        plugin = PLUGINS.get(_format(launch, facts))
        if plugin is None or plugin.package in scene.source.text:
            continue
        told = scene.version_of(launch.program, launch.version)
        if _is_earlier(told, plugin.since) or told in {OF_A_FORK, SEVERAL}:
            continue
        since = f"{plugin.since[0]}.{plugin.since[1]}"
        message = f"since version {since}, vLLM loads {plugin.files} only with {plugin.package}"
        hint = f"uv pip install {plugin.package}, or name other files"
        # an image of vLLM's makers does not have it; elsewhere somebody may have installed it
        call = launch.invocation
        image = call is not None and (call.version == NEWEST or call.version[:1].isdigit())
        say = finding if image else warning
        yield say(place_of(launch, "model"), "unsupported", message, hint)


def _format(launch: Launch, facts: LintContext) -> str:
    """Return the format that needs a plugin by what a launch says; empty for any other."""
    word = launch.text("quantization").lower()
    if word in PLUGINS or _GGUF.search(launch.text("model")):
        return word if word in PLUGINS else "gguf"
    meant = facts.loaded(launch)
    kept = meant.checkpoint if meant is not None else None
    return kept.quantization.format if kept is not None else ""


def _is_earlier(version: str, least: tuple[int, int]) -> bool:
    """Whether a version that is named comes before another."""
    numbers = re.match(r"(\d{1,4})\.(\d{1,4})", version)
    return numbers is not None and (int(numbers[1]), int(numbers[2])) < least


def batches_hold_their_prompts(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report a batch of fewer tokens than a prompt or the requests at once need.

    Source:
        vLLM, ``config/scheduler.py`` (``verify_max_model_len``), and ``engine/arg_utils.py``: a
        batch that nobody asked for is made large enough.
    """
    for launch in scene.launches:
        batched = tokens_of(launch.text("batched"))
        if launch.runtime != "vllm" or batched is None:
            continue
        sequences, context = launch.number("sequences", 0), tokens_of(launch.text("context"))
        meant = facts.meant(launch)
        if context is None and "context" not in launch.settings and meant is not None:
            context = facts.default_context(meant)
        name, place = launch.traits.name, place_of(launch, "batched")
        if "whole_prompts" in launch.settings and context is not None and batched < context:
            message = (
                f"{name} refuses to start: without chunked prefill, a batch of {batched:,} tokens "
                f"cannot hold a prompt of {context:,}"
            )
            hint = corrected(launch, {"batched": str(context)})
            yield finding(place, "option-conflict", message, hint)
        elif sequences and batched < sequences:
            message = (
                f"{name} refuses to start: a batch of {batched:,} tokens cannot hold one token "
                f"of each of {sequences:,} requests"
            )
            hint = corrected(launch, {"sequences": str(batched)})
            yield finding(place, "option-conflict", message, hint)


def experts_are_there(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report expert parallelism for a model without experts.

    Source:
        vLLM, ``config/model.py`` (``_verify_with_expert_parallelism``): "Number of experts in the
        model must be greater than 0 when expert parallelism is enabled".
    """
    for launch in scene.launches:
        meant = facts.meant(launch)
        if launch.runtime != "vllm" or "experts" not in launch.settings or meant is None:
            continue
        design = facts.design(meant.model)
        if design is not None and not design.experts and "overrides" not in launch.settings:
            message = (
                f"{launch.traits.name} refuses to start: {meant.model.name} has no experts "
                "to distribute"
            )
            hint = corrected(launch, {"experts": ""})
            yield finding(place_of(launch, "experts"), "option-conflict", message, hint)


def caches_of_tabby_exist(scene: FileModel, _: LintContext) -> Iterator[Problem]:
    """Report a type of cache that TabbyAPI refuses.

    Source:
        TabbyAPI e632af4, ``common/config_models.py`` (``CACHE_TYPE``).
    """
    for launch in scene.launches:
        kind = launch.text("kv_dtype")
        if launch.program.startswith("tabbyapi") and kind and not _OF_TABBY.fullmatch(kind):
            message = f"TabbyAPI has no cache of type {kind!r}"
            hint = "write FP16, Q8, Q6 or Q4, or the bits of keys and values: 8,8"
            yield finding(place_of(launch, "kv_dtype"), "option-value", message, hint)


def limits_of_images_are_json(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Warn of a limit of images that is written as it was before it was JSON.

    Source:
        vLLM, ``engine/arg_utils.py`` (``_compute_kwargs``): a dictionary is read as JSON.
    """
    for launch in scene.launches:
        images = launch.text("images")
        table = facts.tables.get("vllm")
        if launch.runtime != "vllm" or table is None or not _COUNTED.fullmatch(images):
            continue
        named = scene.version_of(launch.program, launch.version).removeprefix(NEWEST)
        if named and named.split(".")[:2] != table.version.split(".")[:2]:
            continue
        pairs = (one.split("=") for one in images.split(","))
        written = ", ".join(f'"{kind}": {count}' for kind, count in pairs)
        message = (
            f"vLLM {table.version} takes JSON here, not {images!r}, which earlier versions took"
        )
        say = finding if named else warning
        place: Spot = place_of(launch, "images")
        yield say(place, "option-value", message, f"write '{{{written}}}'")

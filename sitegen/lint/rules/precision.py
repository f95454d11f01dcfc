"""Rules over what files hold: a text that promises 4 bits, a command that loads 16."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sitegen.lint.checkpoints import STORED, ResolvedCheckpoint, is_unquantized
from sitegen.lint.facts import LintContext
from sitegen.lint.findings import corrected, finding, place_of
from sitegen.lint.launches import Launch
from sitegen.lint.scene import FileModel
from sitegen.problems import Problem
from sitegen.units import GIB

_QUANTIZED = re.compile(
    r"(?<![\w-])(?:I?Q[2-8](?:_\w+)?|[2-8][- ]?bits?|INT[48]|AWQ|GPTQ|NVFP4|MXFP4|FP8|FP4|GGUF"
    r"|EXL[23]|W4A16|W8A8)(?![\w])(?! (?:models?|files?|caches?|weights|folders?)\b)",
    re.IGNORECASE,
)
NEAR = 6
"""Lines of a comment that still speaks of the command below it."""
_CHOICE = re.compile(r"\b(gguf|hf|safetensors|awq|gptq|fp8|nvfp4)\b(?= (?:models?|files?)\b)")
_WHOLE = re.compile(r"(?<![\w])(?:BF16|FP16|16[- ]?bits?|unquantized|full precision)\b", re.I)


def quantized_means_quantized(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report 16-bit files where the text or an option says that they are quantized."""
    for launch in scene.launches:
        meant = facts.loaded(launch)
        if meant is None or meant.checkpoint is None or not is_unquantized(meant.checkpoint):
            continue
        word = launch.text("quantization")
        place = place_of(launch, "model")
        held = _held(meant, facts)
        if word in STORED:
            message = f"the text asks for {word} files; {held}"
            yield finding(place, "unquantized-checkpoint", message, _other(launch, meant, word))
        elif not word and "quantization" not in launch.settings:
            said = _promised(launch)
            if said:
                message = f"the text says {said}; {held}"
                hint = _other(launch, meant, said)
                yield finding(place, "unquantized-checkpoint", message, hint)


def _held(meant: ResolvedCheckpoint, facts: LintContext) -> str:
    checkpoint = meant.checkpoint
    if checkpoint is None:
        return ""
    weights = facts.engine.reduced(meant.model, checkpoint).weights.total_bytes
    name = checkpoint.quantization.name
    return (
        f"{checkpoint.repository or meant.model.repository} contains {name}, "
        f"{weights / GIB:.1f} GiB"
    )


def _promised(launch: Launch) -> str:
    """Return the precision that the nearest text names, where it names no other."""
    around = launch.snippet.around
    nearest = "\n".join(launch.comments)
    if len(launch.comments) > NEAR or len(set(_CHOICE.findall(nearest.lower()))) > 1:
        return ""  # a block that is switched off, or ways to name several models
    for text in (nearest, *around.headings[:1]):
        found = _QUANTIZED.findall(text)
        if found and not _WHOLE.search(text):
            return str(found[0])
        if _WHOLE.search(text):
            return ""
    return ""


def _other(launch: Launch, meant: ResolvedCheckpoint, said: str) -> str:
    """Name the published checkpoint that comes nearest to what was promised."""
    key = re.sub(r"[^a-z0-9]", "", said.lower())
    named = [
        checkpoint
        for checkpoint in meant.model.checkpoints
        if checkpoint.repository and checkpoint.quantization.nominal_bits < 16
        and checkpoint.quantization.format
        in {"awq", "gptq", "fp8", "compressed-tensors", "nvfp4", "int8"}
    ]  # fmt: skip
    exact = [
        checkpoint
        for checkpoint in named
        if key[:3] and key[:3] in checkpoint.quantization.id.replace("-", "")
    ]
    bits = re.search(r"\d", key)
    near = [
        checkpoint
        for checkpoint in named
        if bits and int(checkpoint.quantization.nominal_bits) == int(bits[0])
    ]
    for checkpoint in (*exact, *near):
        changes = {"model": checkpoint.repository, "quantization": ""}
        return f"{checkpoint.quantization.name} files: {corrected(launch, changes)}"
    name = meant.model.name
    return f"name quantized files; the catalog has none of {name} for {said}"

"""How to come by a checkpoint: its repository, or how to make or to check the files."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sitegen.catalog.domain.models import Checkpoint
from sitegen.recipes.recipe import Language, Phase, Step
from sitegen.recipes.shell import quoted
from sitegen.recipes.target import Target

NEEDS_IMATRIX = ("IQ1", "IQ2", "IQ3")
"""File types that llama-quantize makes badly, or not at all, without an importance matrix."""

WEIGH_FOLDER = 'wc -c "$MODEL"/*.safetensors'
"""Bytes of each file and of all: ``du`` counts blocks, and not in bytes on every system."""

Maker = Callable[[Target, str], str]


def file_steps(target: Target, where: str = "") -> tuple[Step, ...]:
    """Say where the files come from; nothing where the runtime fetches the repository itself."""
    if target.repository:
        return ()
    quantization = target.assessment.checkpoint.quantization
    maker = MAKERS.get(quantization.format, _checked)
    title = "Make the checkpoint" if maker is not _checked else "Fetch and check the checkpoint"
    return (
        Step(
            Phase.FILES,
            title,
            Language.BASH,
            maker(target, quoted(target.assessment.model.repository)),
            where=where,
            note=_note(target),
            expect=_expected(target),
        ),
    )


def downloaded(target: Target, where: str = "") -> tuple[Step, ...]:
    """Fetch the checkpoint into a folder, for runtimes that do not fetch it themselves."""
    if not target.repository:
        return file_steps(target, where)
    lines = f'hf download {quoted(target.repository)} --local-dir "$MODEL"'
    return (Step(Phase.FILES, "Fetch the checkpoint", Language.BASH, lines, where=where),)


def _note(target: Target) -> str:
    name = target.assessment.checkpoint.quantization.name
    return (
        f"The catalog names no repository with {name} files of {target.assessment.model.name}: "
        "use published ones that match, or make them. The model's own repository holds another "
        "checkpoint."
    )


def _expected(target: Target) -> str:
    return f"about {rounded(target.assessment.weights_bytes):,} bytes of weights"


def rounded(amount: int) -> int:
    """Keep three digits of a byte count.

    >>> rounded(19_345_678_901), rounded(12)
    (19300000000, 12)
    """
    step = 1
    while amount // step >= 1_000:
        step *= 10
    return round(amount / step) * step


def _gguf(target: Target, source: str) -> str:
    kind = target.assessment.checkpoint.quantization.gguf_file_type
    if kind.startswith(NEEDS_IMATRIX):
        return _checked(target, source)
    lines = [
        "python3 -m venv convert && . convert/bin/activate",
        "pip install -r llama.cpp/requirements.txt",
        f"hf download {source} --local-dir source",
        "python3 llama.cpp/convert_hf_to_gguf.py source --outtype auto --outfile whole.gguf",
    ]
    if kind not in {"F16", "BF16"}:
        lines.append(f'llama.cpp/build/bin/llama-quantize whole.gguf "$MODEL" {quoted(kind)}')
    else:
        lines.append('mv whole.gguf "$MODEL"')
    return "\n".join([*lines, 'wc -c "$MODEL"'])


def mlx_convert(target: Target, source: str, into: str) -> str:
    """Convert a repository for MLX with the bits and groups of the checkpoint."""
    bits = int(target.assessment.checkpoint.quantization.linears.weight_bits)
    group = target.assessment.checkpoint.quantization.linears.group_size or 64
    quantize = f" -q --q-bits {bits} --q-group-size {group}" if bits < 16 else ""
    return f"mlx_lm.convert --hf-path {source} --mlx-path {into}{quantize}"


def _mlx(target: Target, source: str) -> str:
    return "\n".join((mlx_convert(target, source, '"$MODEL"'), WEIGH_FOLDER))


def _exl3(target: Target, source: str) -> str:
    bits = target.assessment.checkpoint.quantization.linears.weight_bits
    lines = [
        f"hf download {source} --local-dir source",
        "git clone https://github.com/turboderp-org/exllamav3",
        f'python3 exllamav3/convert.py -i source -o "$MODEL" -w work -b {bits:g}',
        WEIGH_FOLDER,
    ]
    return "\n".join(lines)


def _checked(target: Target, _: str) -> str:
    """Check files that somebody else made: what their config says, and how large they are."""
    if target.assessment.checkpoint.quantization.format == "gguf":
        return 'wc -c "$MODEL"'
    look = 'python3 -m json.tool "$MODEL/config.json" | grep -A 12 quantization_config'
    return f"{look}\n{WEIGH_FOLDER}"


MAKERS: Mapping[str, Maker] = {"gguf": _gguf, "mlx": _mlx, "exl3": _exl3}


def is_file(checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint is one file instead of a folder."""
    return checkpoint.quantization.format == "gguf"

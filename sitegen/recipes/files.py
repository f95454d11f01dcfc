"""How to come by a checkpoint: its repository, or how to make or to check the files."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sitegen.catalog.domain.models import Checkpoint
from sitegen.recipes.environment import PYTHON, UV
from sitegen.recipes.recipe import Language, Phase, RecipeStep
from sitegen.recipes.shell import quoted
from sitegen.recipes.target import Target
from sitegen.recipes.versions import COMMITS, HUGGINGFACE_HUB
from sitegen.units import GB

DOWNLOAD = "Download the model"
LOGIN = "hf auth whoami || hf auth login"
LLAMA_CPP = (
    "git clone https://github.com/ggml-org/llama.cpp",
    f"git -C llama.cpp checkout {COMMITS['llama-cpp']}",
)
"""The commit whose options were read."""
JOBS = '-j "$(nproc)"'
JOBS_ON_MAC = '-j "$(sysctl -n hw.ncpu)"'
"""One job of a build for each processor: without a number, make starts all of them at once.

Source:
    GNU make manual, "Parallel Execution". CMake documentation, cmake(1), ``--parallel``: without a
    number, the build tool's own default. macOS has no ``nproc``.
"""
NEEDS_IMATRIX = ("IQ1", "IQ2", "IQ3")
"""File types that llama-quantize makes badly, or not at all, without an importance matrix."""

WEIGH_FOLDER = 'wc -c "$MODEL"/*.safetensors'
"""Bytes of each file and of all: ``du`` counts blocks, and not in bytes on every system."""

EXLLAMAV3 = "1.4.2"
"""What TabbyAPI installs, in whose environment the converter runs.

Source:
    TabbyAPI e632af4, ``pyproject.toml``.
"""

CONSOLIDATED = "consolidated*"
"""Mistral's own files, which some of its repositories hold beside those for Transformers."""
FOR_TRANSFORMERS = "model*.safetensors"

Maker = Callable[[Target, str], str]


HUB = "\n".join(
    [
        *UV,
        f"uv venv --python {PYTHON} hub && . hub/bin/activate",
        f"uv pip install 'huggingface_hub=={HUGGINGFACE_HUB}'",
    ]
)
"""Brings the program that logs in and downloads, where no runtime does.

A Mac's own Python is older than it takes.

Source:
    huggingface_hub 2.4.0, ``requires-python``: 3.10 or newer. Xcode's command line tools bring 3.9.
"""


def file_steps(target: Target, where: str = "") -> tuple[RecipeStep, ...]:
    """Download the files, or make them where no repository is known."""
    if target.repository:
        return (*login_steps(target, where), _download(target, where))
    return (made_step(target, where),)


def file_pattern(kind: str) -> str:
    """Match the files of a GGUF type, in parts or whole, however their names are spelt.

    >>> file_pattern("Q4_K_M")
    '*[-.][Qq]4_[Kk]_[Mm][-.]*'
    """
    either = (_either(one.upper(), one.lower()) for one in kind)
    return f"*[-.]{''.join(either)}[-.]*"


def _either(upper: str, lower: str) -> str:
    return upper if upper == lower else f"[{upper}{lower}]"


def file_names(name: str) -> list[str]:
    """List the parts of a GGUF file by the name of the first, or the file itself.

    >>> file_names("Q8_0/M-Q8_0-00001-of-00002.gguf")
    ['Q8_0/M-Q8_0-00001-of-00002.gguf', 'Q8_0/M-Q8_0-00002-of-00002.gguf']
    """
    stem, found, parts = name.removesuffix(".gguf").rpartition("-00001-of-")
    if not found:
        return [name]
    numbers = (str(100_000 + at)[1:] for at in range(1, int(parts) + 1))
    return [f"{stem}-{number}-of-{parts}.gguf" for number in numbers]


def wanted_files(target: Target) -> str:
    """Say which files to download: by name where the catalog has it, else by their type."""
    checkpoint = target.assessment.checkpoint
    if checkpoint.file:
        return " ".join(quoted(one) for one in file_names(checkpoint.file))
    return f"--include {quoted(file_pattern(target.hub_file.rpartition(':')[2]))}"


def pattern_note(target: Target) -> str:
    """Say that files are found by a pattern, where no source lists their names."""
    if target.assessment.checkpoint.file:
        return ""
    return (
        "We do not know the file names, so the command downloads every file that matches the "
        "pattern."
    )


def first_file(target: Target, folder: str) -> str:
    """Find the downloaded file below a folder; of several parts the first."""
    name = target.assessment.checkpoint.file
    if name:
        return f"{folder}/{name}"
    pattern = quoted(file_pattern(target.hub_file.rpartition(":")[2]))
    return f"$(find {folder} -name {pattern} | sort | head -n 1)"


def hub_file_steps(target: Target, where: str = "") -> tuple[RecipeStep, ...]:
    """Download a GGUF file to where llama.cpp looks for it.

    Source:
        llama.cpp 0c1e57098, ``common/hf-cache.cpp``: it keeps files where the Hub's program does.
    """
    size = gigabytes(target.assessment.download_bytes)
    note = (
        f"This downloads about {size} into ~/.cache/huggingface, or into the folder that HF_HOME "
        "sets."
    )
    step = RecipeStep(
        Phase.FILES,
        DOWNLOAD,
        Language.BASH,
        f"hf download {quoted(target.repository)} {wanted_files(target)}",
        where=where,
        note=" ".join(filter(None, (note, pattern_note(target)))),
    )
    return (*login_steps(target, where), step)


def hub_step(where: str = "") -> RecipeStep:
    """Bring the program that logs in and downloads."""
    title = "Install the download program"
    return RecipeStep(Phase.INSTALL, title, Language.BASH, HUB, where=where)


def downloaded(target: Target, where: str = "") -> tuple[RecipeStep, ...]:
    """Download the files into a folder, for runtimes that take no repository."""
    if not target.repository:
        return file_steps(target, where)
    return (*login_steps(target, where), _download(target, where, into='"$MODEL"'))


def _download(target: Target, where: str, into: str = "") -> RecipeStep:
    checkpoint, traits = target.assessment.checkpoint, target.assessment.runtime.traits
    variant = checkpoint.variant
    words = [
        "hf download",
        quoted(target.repository),
        *(["--revision", quoted(variant)] if variant else []),
        *_left_out(checkpoint, consolidated=traits.loads_consolidated),
        *(["--local-dir", into] if into else []),
    ]
    place = "" if into else " into ~/.cache/huggingface, or into the folder that HF_HOME sets"
    note = f"This downloads about {gigabytes(target.assessment.download_bytes)}{place}."
    text = "\n".join([*([folder_line(target)] if into else []), " ".join(words)])
    return RecipeStep(Phase.FILES, DOWNLOAD, Language.BASH, text, where=where, note=note)


def _left_out(checkpoint: Checkpoint, *, consolidated: bool = False) -> list[str]:
    """Exclude files that hold the same weights once more, but not those that are loaded.

    Source:
        huggingface_hub 2.4.0, ``hf download``: one pattern per ``--exclude``; a second word would
        be the name of a file. A star matches slashes too.
    """
    patterns = (
        FOR_TRANSFORMERS if consolidated and one == CONSOLIDATED else one
        for one in checkpoint.duplicates
    )
    return [f"--exclude {quoted(one)}" for one in patterns]


def _release(target: Target, source: str) -> str:
    """Download the release, which converters read as Transformers does."""
    return " ".join(["hf download", source, *_left_out(_source(target)), "--local-dir source"])


def folder_line(target: Target) -> str:
    """Make the folder that the model's files go into, which on Linux only root can make.

    It belongs to the user who makes it, and others may read it: services run as other users.

    Source:
        install(1): ``-d`` makes a folder that its owner may write and everyone may read.
    """
    make = 'mkdir -p "$(dirname "$MODEL")"'
    if target.on_macs:
        return make
    return f'{make} 2> /dev/null || sudo install -d -o "$USER" "$(dirname "$MODEL")"'


def login_steps(target: Target, where: str = "") -> tuple[RecipeStep, ...]:
    """Log in where the files ask for an account that accepted the licence."""
    checkpoint = target.assessment.checkpoint
    gated = checkpoint.gated if checkpoint.repository else _source(target).gated
    if not gated:
        return ()
    page = f"https://huggingface.co/{target.repository or target.assessment.model.repository}"
    note = f"First accept the license at {page} with the account whose token you use here."
    return (RecipeStep(Phase.FILES, "Log in", Language.BASH, LOGIN, where=where, note=note),)


def made_step(target: Target, where: str = "", before: tuple[str, ...] = ()) -> RecipeStep:
    """Make the files, or check those that somebody else made; ``before`` gets what that needs."""
    quantization = target.assessment.checkpoint.quantization
    maker = MAKERS.get(quantization.format, _checked)
    text = maker(target, quoted(target.assessment.model.repository))
    made = text != _checked(target, "")
    return RecipeStep(
        Phase.FILES,
        "Make the files" if made else "Check the files",
        Language.BASH,
        "\n".join([*(before if made else ()), folder_line(target), text]),
        where=where,
        note=_note(target, made=made),
        expect=_expected(target),
    )


def _note(target: Target, *, made: bool) -> str:
    name = target.assessment.checkpoint.quantization.name
    none = f"We know of no repository with {name} files of {target.assessment.model.name}"
    if not made:
        return (
            f"{none}. Run the first command, put such files into the folder that MODEL names, then "
            "run the rest to check them."
        )
    accept = " First accept the model's license on Hugging Face, then run hf auth login."
    gated = accept if _source(target).gated else ""
    need = gigabytes(conversion_bytes(target))
    return f"{none}, so this step makes them. It needs about {need} of free disk space.{gated}"


def _source(target: Target) -> Checkpoint:
    """Return the release, which other files are made from."""
    listed = target.assessment.model.checkpoints
    return next((one for one in listed if one.native), listed[0])


def conversion_bytes(target: Target) -> int:
    """Sum what lies on the disk at once: the release, the whole GGUF file of it, the result."""
    assessment = target.assessment
    result, bits = assessment.weights_bytes, assessment.checkpoint.quantization.nominal_bits
    parameters = assessment.model.published_parameters or int(result * 8 / bits)
    release = int(parameters * _source(target).quantization.nominal_bits / 8)
    whole = 2 * parameters if is_file(assessment.checkpoint) else 0
    return release + whole + result


def gigabytes(amount: int) -> str:
    """Say a byte count with three digits.

    >>> gigabytes(19_345_678_901), gigabytes(981_000_000_000), gigabytes(1_934_567_890_123)
    ('19.3 GB', '981 GB', '1,930 GB')
    """
    return f"{rounded(amount) / GB:,g} GB"


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
        *UV,
        f"uv venv --python {PYTHON} --seed convert && . convert/bin/activate",
        "pip install -r llama.cpp/requirements.txt",
        _release(target, source),
        "python3 llama.cpp/convert_hf_to_gguf.py source --outtype auto --outfile whole.gguf",
    ]
    if kind not in {"F16", "BF16"}:
        lines.append(f'llama.cpp/build/bin/llama-quantize whole.gguf "$MODEL" {quoted(kind)}')
    else:
        lines.append('mv whole.gguf "$MODEL"')
    if target.assessment.settings.images:
        convert = "python3 llama.cpp/convert_hf_to_gguf.py source --mmproj"
        lines.append(f"{convert} --outfile {quoted(projector_path(target))}")
    return "\n".join([*lines, 'wc -c "$MODEL"'])


def projector_path(target: Target) -> str:
    """Name the file that reads images, where it is made beside the model."""
    return f"{target.folder}-mmproj.gguf"


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
        _release(target, source),
        f"git clone --branch v{EXLLAMAV3} https://github.com/turboderp-org/exllamav3",
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
    """Return whether a checkpoint is one file instead of a folder."""
    return checkpoint.quantization.format == "gguf"

"""What a file's own fields say against what an editor said of it: each contradiction by its kind.

A file is no proof of where it ran, so nothing is taken from it; but a field that cannot be true
of what was said means that one of the two is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, Vendor
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Quantization
from sitegen.fit.fit_engine import FitEngine
from sitegen.importers.measured import NamedHardware, ToolRun
from sitegen.importers.names import gpus_named
from sitegen.importers.spellings.models import ModelNames, Strictness
from sitegen.importers.spellings.quantizations import QuantizationNames
from sitegen.models.architecture import parameters
from sitegen.physics.reduced_checkpoint import design_of
from sitegen.units import GIB
from sitegen.values import dataclass

BACKENDS = {
    "cuda": Vendor.NVIDIA, "rocm": Vendor.AMD, "hip": Vendor.AMD, "metal": Vendor.APPLE,
    "mtl": Vendor.APPLE, "sycl": Vendor.INTEL,
}  # fmt: skip
"""Backends of llama.cpp that run on the GPUs of one vendor."""
ON_PROCESSORS = frozenset({"cpu", "blas", "amx", "accelerate"})
NEAR_PARAMETERS = 0.01
"""Share by which a file's count may differ: padded vocabularies, factors of rotary embeddings."""
NEAR_BYTES = 0.12
"""Share by which files of one recipe differ: makers keep other tensors wide."""


@dataclass(frozen=True, slots=True)
class EditorStatement:
    """What the editor said, as values of the catalog."""

    combo: Combo
    gpus: int
    model: LanguageModel
    checkpoint: Checkpoint
    runtime: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A field that cannot be true of what was said: its kind, a sentence, the option to check."""

    kind: str
    message: str
    option: str


def contradictions(
    runs: Iterable[ToolRun], stated: EditorStatement, catalog: Catalog
) -> tuple[Contradiction, ...]:
    """Hold every run of a file against what was said, each finding once."""
    engine = FitEngine(catalog)
    found = (one for run in runs for one in _of_run(run, stated, catalog, engine))
    return tuple(dict.fromkeys(found))


def _of_run(
    run: ToolRun, stated: EditorStatement, catalog: Catalog, engine: FitEngine
) -> Iterator[Contradiction]:
    combo, model = stated.combo, stated.model
    for kind, message, option in (
        ("gpu", _hardware(run.hardware, combo, catalog), "--combo"),
        ("backend", _backend(run.backends, combo), "--combo"),
        ("layers", _layers(run, stated), "--combo"),
        ("model", _named_model(run, model, catalog) or _counted(run, stated), "--model"),
        ("quantization", _kind(run, stated, catalog), "--checkpoint or --quantization"),
        ("quantization", _size(run, stated, engine), "--checkpoint or --quantization"),
        ("runtime", _runtime(run, stated, catalog), "--runtime"),
        ("samples", run.samples_differ, "the file"),
    ):
        if message:
            yield Contradiction(kind, message, option)


def _hardware(hardware: Iterable[NamedHardware], combo: Combo, catalog: Catalog) -> str:
    """Name a GPU that the file has and the combo has not, or has fewer of."""
    there = [installed.gpu.id for installed in combo.gpus]
    for named in hardware:
        ids = gpus_named(named.name, catalog)
        count = sum(id in ids for id in there)
        if ids and not count:
            return f"the file names {named.name}, but {combo.id} has none"
        if ids and named.count > count:
            return f"the file names {named.count} × {named.name}, and {combo.id} has {count}"
    return ""


def _backend(backends: Sequence[str], combo: Combo) -> str:
    """Say that a backend runs on none of the combo's GPUs."""
    vendors = {installed.gpu.vendor for installed in combo.gpus}
    words = {one.lower() for one in backends}
    if words and words <= ON_PROCESSORS and Vendor.CPU not in vendors:
        return f"the file names the backend {', '.join(backends)}, which computes on no GPU"
    needed = {BACKENDS[one] for one in words if one in BACKENDS}
    if needed and words <= BACKENDS.keys() | ON_PROCESSORS and not needed & vendors:
        return f"the file names the backend {', '.join(backends)}, and {combo.id} has no GPU of it"
    return ""


def _layers(run: ToolRun, stated: EditorStatement) -> str:
    """Say that layers stayed in system RAM; a number below zero means all on GPUs."""
    kept = run.gpu_layers
    if kept is None or kept < 0 or any(g.gpu.vendor is Vendor.CPU for g in stated.combo.gpus):
        return ""
    try:
        layers = design_of(stated.model, stated.checkpoint).layers
    except ValueError:
        return "no layer was on a GPU (n_gpu_layers 0)" if kept == 0 else ""
    if kept == 0:
        return "no layer was on a GPU (n_gpu_layers 0)"
    return f"{kept} of {layers} layers were on GPUs (n_gpu_layers)" if kept < layers else ""


def _named_model(run: ToolRun, model: LanguageModel, catalog: Catalog) -> str:
    """Say that the name in the file is that of another model."""
    names = ModelNames(catalog.models)
    repository = "/" in run.model
    by_repository = {
        one.id
        for one in catalog.models.values()
        if run.model and run.model in {one.repository, *(c.repository for c in one.checkpoints)}
    }
    strictness = Strictness.RELEASE if repository else Strictness.SPOKEN
    meant = by_repository or set(names.meant(run.model, strictness).models)
    if len(meant) != 1 or model.id in meant:
        return ""
    (other,) = meant
    if not repository and _alike(_parameters(catalog.models[other]), _parameters(model)):
        return ""  # people leave out which of two releases of one shape they mean
    return f"the file names {run.model[:80]}, which is {other}, not {model.id}"


def _parameters(model: LanguageModel, checkpoint: Checkpoint | None = None) -> float:
    try:
        return parameters(design_of(model, checkpoint))
    except ValueError:
        return 0.0


def _alike(one: float, other: float) -> bool:
    return not one or not other or abs(one / other - 1) <= NEAR_PARAMETERS


def _counted(run: ToolRun, stated: EditorStatement) -> str:
    """Say that the file holds another number of parameters."""
    count, model = run.parameters, stated.model
    exact = _parameters(model, stated.checkpoint)
    if count is None or not exact:
        return ""
    beside = (0, model.vision_parameters, model.mtp_parameters)
    if any(_alike(count, exact + more) for more in (*beside, sum(beside))):
        return ""
    return (
        f"the file holds {count / 1e9:,.3g} thousand million parameters, "
        f"{model.name} has {exact / 1e9:,.3g}"
    )


def _kind(run: ToolRun, stated: EditorStatement, catalog: Catalog) -> str:
    """Say that the name in the file is that of another format or width."""
    word = file_type(run.quantization)
    known = QuantizationNames(catalog.quantizations).meant(word) if word else None
    meant, said = catalog.quantizations.get(known or ""), stated.checkpoint.quantization
    if meant is None or _same_kind(meant, said):
        return ""
    return f"the file says {word[:40]}, but you named {said.name}"


def _same_kind(quantization: Quantization, other: Quantization) -> bool:
    if quantization.nominal_bits >= 16 and other.nominal_bits >= 16:
        return True
    if quantization.gguf_file_type or other.gguf_file_type:
        return quantization.id.startswith(other.id) or other.id.startswith(quantization.id)
    return (quantization.format, quantization.linears.weight_bits) == (
        other.format,
        other.linears.weight_bits,
    )


_SIZED = re.compile(r"\S+ (?:\d\S*B(?:\.A\S+)?|\?B|\d\S*M|\S*[?]\S*) +(.+)")


def file_type(said: str) -> str:
    """Cut the type off llama.cpp's name of a model.

    >>> file_type("qwen3moe 30B.A3B Q4_K - Medium"), file_type("llama ?B all F32"), file_type("fp8")
    ('Q4_K - Medium', 'all F32', 'fp8')
    """
    found = _SIZED.fullmatch(said.strip())
    return found[1] if found else said.strip()


def _size(run: ToolRun, stated: EditorStatement, engine: FitEngine) -> str:
    """Say that the file's weights are far from those of the checkpoint."""
    if run.weights_gib is None:
        return ""
    try:
        weighed = engine.reduced(stated.model, stated.checkpoint).weights.total_bytes / GIB
    except ValueError:
        return ""
    beside = (stated.model.vision_parameters + stated.model.mtp_parameters) * 2 / GIB
    least, most = (weighed - beside) * (1 - NEAR_BYTES), weighed * (1 + NEAR_BYTES)
    if least <= run.weights_gib <= most:
        return ""
    name = stated.checkpoint.quantization.name
    return (
        f"the file's weights are {run.weights_gib:,.2f} GiB, those of "
        f"{stated.model.name} in {name} {weighed:,.2f} GiB"
    )


def _runtime(run: ToolRun, stated: EditorStatement, catalog: Catalog) -> str:
    """Say that the tool measures, or the log names, another runtime or version."""
    if not run.runtime or run.runtime not in catalog.runtimes or not run.runtime_is_stated:
        return ""
    if run.runtime != stated.runtime:
        return f"the file is of {run.runtime}, and {stated.runtime} was named"
    dotted = re.compile(r"\d+(?:\.\d+)+")
    one, other = run.runtime_version, stated.version
    if all(dotted.fullmatch(text) for text in (one, other)) and (
        one.split(".")[:2] != other.split(".")[:2]
    ):
        return f"the file is of {run.runtime} {one}, and version {other} was named"
    return ""

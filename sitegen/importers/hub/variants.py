"""From the name of a repository to the model and the quantization that it holds, by strict rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import LanguageModel, Publisher
from sitegen.importers.spellings.makers import owner, publisher
from sitegen.importers.spellings.models import ModelNames, Strictness
from sitegen.importers.spellings.quantizations import COMMON_GROUP, QuantizationNames
from sitegen.values import dataclass

MANY = 50_000
"""Downloads from which a repository of somebody unknown is worth a place in the catalog."""
FEW = 1_000
"""Downloads from which one of a known quantizer is, of GGUF files apart."""
_FINE_GRAINED = frozenset({"qwen", "deepseek-ai", "minimaxai", "stepfun-ai", "moonshotai"})
"""Organisations whose ``-FP8`` has one scale per block of 128 × 128 (``weight_block_size``)."""
_FINE_MODELS = re.compile(r"zai-org/glm-5.*-fp8")
"""Other ``-FP8`` releases with blocks, by their configs."""
_CYAN = frozenset({"cyankiwi"})
"""Its "AWQ" is compressed tensors in groups of 32 (for Qwen3.5 and later with zero points)."""
_CONTAINERS = {"mlx-community": "mlx"}
"""What an owner publishes, where its names say only how many bits."""
_MLX = frozenset({"mlx-community", "lmstudio-community"})
_UNCLEAR: Mapping[str, frozenset[str]] = {
    "fp8": frozenset({"unsloth", "intel", "amd"}),
    "awq": frozenset({"cpatonn", "amd"}),
    "mxfp4": frozenset({"amd", "intel"}),
}
"""Owners whose names do not tell the layout of a format: blocks or rows, groups, attention too."""
_TOLD = frozenset({"nvfp4", "awq", "gptq", "compressed-tensors", "exl3", "gguf"})
"""Formats whose name tells the layout whoever writes it, together with the group where it has one;
FP8 has rows or blocks, W8A8 integers or floats, and MLX is converted by its community."""
_KNOWN = Publisher.KNOWN_QUANTIZER


@dataclass(frozen=True, slots=True)
class Variant:
    """A repository with one quantization of a catalog model.

    ``quantization`` is empty where the name says that it holds GGUF files and not which.
    """

    model: str
    quantization: str
    repository: str
    publisher: Publisher
    downloads: int | None


@dataclass(frozen=True, slots=True)
class Unread:
    """A repository that means no checkpoint of the catalog, and why; ``models`` if ambiguous."""

    repository: str
    reason: str
    models: tuple[str, ...] = ()


class VariantReader:
    """Reads names of repositories against one catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._models = catalog.models
        self._names = ModelNames(catalog.models)
        self._quantizations = QuantizationNames(catalog.quantizations)
        self._listed = catalog.quantizations

    def read(self, name: str, downloads: int | None) -> Variant | Unread:
        """Read one name; a word of it that is not accounted for means nothing."""
        meant = self._names.meant(name, Strictness.RELEASE)
        if meant.model is None:
            reason = "two models match" if meant.models else "no model of the catalog"
            return Unread(name, reason, meant.models)
        model = self._models[meant.model]
        if name.lower() == model.repository.lower() or not meant.marks:
            return Unread(name, "the release itself, or a copy of it")
        if meant.marks[-1] == "gguf" and set(meant.marks) <= {"gguf", "hf", "bf16"}:
            return self._variant(model, "", name, downloads)
        whose = publisher(name, model)
        found = self._quantizations.of_marks(
            meant.marks,
            container=_CONTAINERS.get(owner(name), ""),
            group=None if whose is Publisher.OTHER else COMMON_GROUP,
        )
        layout = self._layout(name, found or "", whose)
        if not layout:
            return Unread(name, f"no quantization is called {' '.join(meant.marks)}")
        if self._listed[layout].nominal_bits >= 16:
            return Unread(name, "not quantized")
        return self._variant(model, layout, name, downloads)

    def file_type(self, file: str) -> str | None:
        """Quantization of a GGUF file by its name; nothing for a maker's mix or a projector."""
        cut = self._names.split(file)
        if not file.lower().endswith(".gguf") or "mmproj" in file.lower() or "/" in file:
            return None
        marks = [one for one in cut.marks if one not in {"hf", "imatrix"}]
        return self._quantizations.of_marks(marks) if marks[:1] != ["gguf"] else None

    def _variant(
        self, model: LanguageModel, quantization: str, name: str, downloads: int | None
    ) -> Variant | Unread:
        whose = publisher(name, model)
        if whose is Publisher.OTHER and (downloads or 0) < MANY:
            return Unread(name, "an unknown owner, and few downloads")
        if whose is _KNOWN and quantization and (downloads or 0) < FEW:
            return Unread(name, "few downloads")
        return Variant(model.id, quantization, name, whose, downloads)

    def _layout(self, name: str, quantization: str, whose: Publisher) -> str:
        """Tell layouts apart that go by one word, by what their makers are known to write."""
        if not quantization:
            return ""
        by, form = owner(name), self._listed[quantization].format
        if by in _UNCLEAR.get(form, ()) or (form == "mlx" and whose is _KNOWN and by not in _MLX):
            return ""
        if whose is Publisher.OTHER and form not in _TOLD:
            return ""
        if form == "awq" and by in _CYAN:
            return "w4a16-g32"
        fine = by in _FINE_GRAINED or _FINE_MODELS.fullmatch(name.lower())
        return "fp8-block" if quantization == "fp8" and fine else quantization


def best(variants: Iterable[Variant]) -> dict[tuple[str, str], Variant]:
    """Choose one repository for each model and quantization."""
    chosen: dict[tuple[str, str], Variant] = {}
    for one in sorted(variants, key=_rank):
        chosen.setdefault((one.model, one.quantization), one)
    return chosen


def _rank(variant: Variant) -> tuple[int, int, str]:
    """The model's own organisation first, then who quantizes, then many downloads.

    Files for MLX are converted by its community, whatever else there is.
    """
    order = list(Publisher)
    place = order.index(variant.publisher)
    if variant.quantization.startswith("mlx") and owner(variant.repository) == "mlx-community":
        place = -1
    return (place, -(variant.downloads or 0), variant.repository)

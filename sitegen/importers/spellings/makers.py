"""Who publishes: organisations of the catalog's models, and owners who quantize for others."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.models import LanguageModel, Publisher

QUANTIZERS = frozenset({
    "unsloth", "bartowski", "ggml-org", "lmstudio-community", "mlx-community", "redhatai",
    "neuralmagic", "nvidia", "intel", "quanttrio", "cyankiwi", "cpatonn", "turboderp", "artusdev",
    "stelterlab", "casperhansen", "hugging-quants", "amd", "mradermacher", "thebloke",
    "techxgenus", "solidrust", "junhowie",
})  # fmt: skip
"""Owners whose only business is the quantization of other people's models, in small letters."""


def owner(repository: str) -> str:
    """Owner of a repository, in small letters; empty where a name has none."""
    return repository.rpartition("/")[0].lower()


def owners(models: Mapping[str, LanguageModel]) -> frozenset[str]:
    """Everybody who may stand before or behind a model's name."""
    own = (owner(model.repository) for model in models.values())
    return QUANTIZERS | {one for one in own if one}


def publisher(repository: str, model: LanguageModel) -> Publisher:
    """Say whose a repository is: the model's own organisation's, a quantizer's, or somebody's."""
    if owner(repository) == owner(model.repository):
        return Publisher.OFFICIAL
    return Publisher.KNOWN_QUANTIZER if owner(repository) in QUANTIZERS else Publisher.OTHER

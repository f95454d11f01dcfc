"""The design of a model: what rules ask of its config, hardware apart."""

from __future__ import annotations

from sitegen.catalog.domain.models import LanguageModel
from sitegen.models.architecture import Architecture
from sitegen.models.families import ConfigError, UnknownFamily, architecture


def design_of(model: LanguageModel) -> Architecture | None:
    """Read the architecture of a model; ``None`` where its family is not known."""
    try:
        return architecture(model.config)
    except (UnknownFamily, ConfigError):
        return None

"""Model families: a config's ``model_type`` to an architecture, one small function each."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.models import Json
from sitegen.models.architecture import Architecture
from sitegen.models.families.config import ConfigError, read_config
from sitegen.models.families.layout import assemble
from sitegen.models.families.names import known_as
from sitegen.models.families.registry import FAMILY_OF_TYPE
from sitegen.problems import did_you_mean

__all__ = ["FAMILIES", "ConfigError", "UnknownFamily", "architecture"]

FAMILIES: tuple[str, ...] = tuple(sorted(FAMILY_OF_TYPE))
"""Every ``model_type`` that is covered, each verified against an independent parameter count."""


class UnknownFamily(ValueError):  # noqa: N818 - the name says what the config is, not that it failed
    """No family function knows the config's ``model_type``."""

    def __init__(self, model_type: str) -> None:
        self.model_type = model_type
        hint = did_you_mean(model_type, FAMILIES)
        message = f"model_type: the family {model_type!r} is not covered"
        super().__init__(f"{message}; {hint}" if hint else message)


def architecture(config: Mapping[str, Json]) -> Architecture:
    """Read a ``config.json`` as tensors and caches.

    A multimodal config's text part is read, with its top level filling in; the vision tower is not
    part of the result.

    Args:
        config: The config's keys as published; keys that memory does not need may be left out.

    Returns:
        The inventory in layer order, exact to the parameter, and one cache per layer.

    Raises:
        UnknownFamily: If no family function knows the ``model_type``.
        ConfigError: If a key that the family needs is missing or impossible.
    """
    flat = read_config(config)
    family = FAMILY_OF_TYPE.get(flat.model_type)
    if family is None:
        raise UnknownFamily(flat.model_type)
    return assemble(flat, family(flat), known_as(config))

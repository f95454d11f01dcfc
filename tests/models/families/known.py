"""Configs of the catalog and parameter counts that torch gave, for the tests of this folder."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from sitegen.models.architecture import Architecture
from sitegen.models.families import architecture

ROOT = Path(__file__).parents[3]
COUNTS: dict[str, Any] = json.loads(
    (ROOT / "tests" / "vectors" / "parameter-counts.json").read_text()
)


@cache
def record(model: str) -> dict[str, Any]:
    """Read a model's record as YAML says it."""
    text = (ROOT / "catalog" / "models" / f"{model}.yaml").read_text()
    content: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return content


def config_of(model: str) -> dict[str, Any]:
    """Copy a model's config, free to change."""
    copy: dict[str, Any] = json.loads(json.dumps(record(model)["config"]))
    return copy


@cache
def design_of(model: str) -> Architecture:
    """Read a model's config as an architecture."""
    return architecture(record(model)["config"])


def model_ids() -> list[str]:
    """List the models of the catalog."""
    return sorted(path.stem for path in (ROOT / "catalog" / "models").glob("*.yaml"))

"""A model from the command line: a Hugging Face ``config.json`` that no catalog has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from sitegen.catalog.domain.models import Json, LanguageModel
from sitegen.cli.questions.choose import usage_error
from sitegen.cli.questions.own_hardware import COMMAND_LINE

MAX_CONFIG_BYTES = 4 * 2**20
OPTION = "--config"


def own_model(path: Path) -> LanguageModel:
    """Read a config and make a model of it; its id is the name of the file or its folder.

    Raises:
        click.UsageError: If the file is not a config that the engine knows.
        OSError: If it cannot be read.
    """
    from sitegen.models.families import FAMILIES, ConfigError, UnknownFamily, architecture

    config = _parsed(path)
    try:
        facts = architecture(config)
    except UnknownFamily as error:
        raise usage_error(OPTION, f"{path}: {error}", f"{len(FAMILIES)} families are") from error
    except ConfigError as error:
        raise usage_error(OPTION, f"{path}: {error}") from error
    except (TypeError, ValueError, KeyError, ZeroDivisionError) as error:
        message = f"{path}: a value of the config has a wrong type or size ({error})"
        raise usage_error(OPTION, message) from error
    return model_of(_id_of(path), config, promised_context(config, facts.max_position))


def promised_context(config: Mapping[str, Json], max_position: int) -> int:
    """Return the longest context in tokens that a config promises, stretched positions included.

    Llama 3, LongRoPE and multimodal scaling state the stretched length as it is; YaRN stretches
    the original length by its factor, linear and dynamic scaling the length that stands there.

    Source:
        vLLM 0.33, ``config/model.py``: derivation of the maximum model length.
    """
    text = config.get("text_config")
    inner = text if isinstance(text, dict) else {}
    scaling = config.get("rope_scaling") or inner.get("rope_scaling")
    if not isinstance(scaling, dict):
        return max_position
    factor, kind = scaling.get("factor"), scaling.get("rope_type", scaling.get("type"))
    if not isinstance(factor, int | float) or kind not in {"yarn", "linear", "dynamic"}:
        return max_position
    original = scaling.get("original_max_position_embeddings")
    base = original if kind == "yarn" and isinstance(original, int) else max_position
    return max(max_position, int(base * factor))


def model_of(name: str, config: Mapping[str, Json], context_tokens: int) -> LanguageModel:
    """Make a model of a config and nothing else: no checkpoints, no vision tower."""
    return LanguageModel(
        id=name,
        name=name,
        organization="",
        repository="",
        license="",
        released="",
        config=config,
        context_tokens=context_tokens,
        published_parameters=None,
        vision_parameters=0,
        mtp_parameters=0,
        checkpoints=(),
        notes="",
        sources=(),
        span=COMMAND_LINE,
    )


def _id_of(path: Path) -> str:
    """``models/qwen3-8b/config.json`` and ``qwen3-8b.json`` are both ``qwen3-8b``."""
    if path.stem == "config" and path.resolve().parent.name:
        return path.resolve().parent.name
    return path.stem


def _parsed(path: Path) -> Mapping[str, Json]:
    with path.open("rb") as file:
        content = file.read(MAX_CONFIG_BYTES + 1)
    if len(content) > MAX_CONFIG_BYTES:
        raise usage_error(OPTION, f"{path} is larger than 4 MiB, so it is no config")
    try:
        config = json.loads(content)
    except UnicodeDecodeError as error:
        raise usage_error(OPTION, f"{path} is not UTF-8 (byte {error.start})") from error
    except RecursionError as error:
        raise usage_error(OPTION, f"{path} is nested too deeply") from error
    except ValueError as error:
        raise usage_error(OPTION, f"{path} is not JSON: {error}") from error
    if not isinstance(config, dict):
        raise usage_error(OPTION, f"{path} holds no JSON object")
    return cast("Mapping[str, Json]", config)

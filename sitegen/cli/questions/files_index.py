"""What the list of a model's files says beside its config: how many parameters, and of what."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from sitegen.catalog.domain.models import Json
from sitegen.models.architecture import Architecture, parameters
from sitegen.values import dataclass

INDEX = "model.safetensors.index.json"
MOST_BYTES = 64 * 2**20
"""Of an index that is read; the largest published ones have 30 MiB."""
WIDTHS = {"bfloat16": 2, "float16": 2, "float32": 4}
"""Bytes of a parameter by the type that a config names; quantized files have no one width."""
_SEES = re.compile(r"vision|visual|image|projector|audio|resampler|mlp1", re.IGNORECASE)
_AHEAD = re.compile(r"(?:^|\.)(?:mtp|nextn|mtp_layers)(?:\.|$)")
_TABLE = re.compile(r"\binv_freq$")
_LAYER = re.compile(r"(?:^|\.)(?:layers|h)\.(\d+)\.")
"""Words in names of tensors: what sees or hears, what predicts ahead, rotary tables, layers."""
SEEING = ("vision_config", "vision_encoder_config", "vision_cfg", "visual", "audio_config")
AHEAD = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers")
"""Keys of configs whose parts a config alone does not count."""


@dataclass(frozen=True, slots=True)
class IndexCounts:
    """The counts that a draft may state.

    Attributes:
        counts: Keys of a record, with what is published or left over.
        remark: What the editor has to find out, may be empty.
    """

    counts: Mapping[str, int]
    remark: str = ""


def counts_from_index(
    folder: Path, config: Mapping[str, Json], design: Architecture
) -> IndexCounts:
    """Read the list of a model's files, where it lies beside the config.

    What the files hold beyond the language model is its vision tower or its layers that predict
    ahead, if their names are those of one of them. A head that is stored although it is tied to
    the embedding is no parameter of its own.
    """
    stored = _stored(folder / INDEX, config)
    text = parameters(design)
    if stored is None:
        return IndexCounts({}, _uncounted(config))
    total, names = stored
    twice = design.tied_embeddings and any(name.endswith("lm_head.weight") for name in names)
    total -= design.vocabulary * design.hidden_size * twice
    rest = total - text
    if 0 < rest <= design.layers * design.head_dim * 2 and any(map(_TABLE.search, names)):
        total, rest = text, 0  # rotary frequencies, stored by older versions
    if rest in {0, parameters(design, buffers=True) - text}:
        return IndexCounts({"published_parameters": total})
    beside = {key for name in names if (key := _beside(name, design))}
    if rest > 0 and len(beside) == 1:
        return IndexCounts({"published_parameters": total, beside.pop(): rest})
    return IndexCounts({}, f"The files hold {total:,} parameters, the config adds up to {text:,}.")


def _stored(index: Path, config: Mapping[str, Json]) -> tuple[int, tuple[str, ...]] | None:
    """Read how many parameters an index states, or its bytes amount to, and their names."""
    try:
        if index.stat().st_size > MOST_BYTES:
            return None
        found = json.loads(index.read_text(encoding="utf-8"))
        said, names = found["metadata"], tuple(map(str, found["weight_map"]))
        total = said.get("total_parameters")
        if total is None and "quantization_config" not in config:
            total = int(said["total_size"]) // WIDTHS[_type(config)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return (total, names) if isinstance(total, int) and 0 < total < 2**50 else None


def _type(config: Mapping[str, Json]) -> str:
    text = config.get("text_config")
    inner = text if isinstance(text, dict) else {}
    named = (part.get(key) for part in (config, inner) for key in ("dtype", "torch_dtype"))
    return next((one for one in named if isinstance(one, str)), "")


def _beside(name: str, design: Architecture) -> str:
    """Say which part a tensor is of that the architecture leaves out; empty for none."""
    if _SEES.search(name):
        return "vision_parameters"
    layer = _LAYER.search(name)
    later = layer is not None and int(layer[1]) >= design.layers
    return "mtp_parameters" if later or _AHEAD.search(name) else ""


def _uncounted(config: Mapping[str, Json]) -> str:
    """Say what the config has and its count does not."""
    parts = []
    if any(config.get(key) for key in SEEING):
        parts.append("vision_parameters")
    if any(config.get(key) for key in AHEAD):
        parts.append("mtp_parameters")
    listed = " and ".join(parts)
    return f"Not counted, because the config does not describe it: {listed}." if parts else ""

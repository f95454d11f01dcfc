"""Reads a Hugging Face ``config.json``: one flat mapping, checked sizes, errors naming the key."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.models import Json
from sitegen.values import dataclass

MAX_SCALING = 1024
"""Largest factor of position scaling that is believed."""

MAX_LAYERS = 1024
"""No published model comes near; a config that says more is a mistake that would stall a build."""

MAX_COUNT = 2**50
"""Largest width, count or position that is read at all; rules on sums and bounds say the rest."""

TEXT_PARTS = ("text_config", "llm_config", "language_config")
"""Keys of multimodal configs that hold the language model."""


class ConfigError(ValueError):
    """A config lacks a key, or a key holds what no model can have."""

    def __init__(self, key: str, message: str) -> None:
        self.key = key
        self.message = message
        super().__init__(f"{key}: {message}")


@dataclass(frozen=True, slots=True)
class Config:
    """A config's language part, flat: its own keys first, top-level keys where it is silent."""

    values: Mapping[str, Json]
    model_type: str

    def size(self, *keys: str, default: int | None = None) -> int:
        """Return the first key that is given as a positive integer.

        Raises:
            ConfigError: If no key is given and there is no default, or the value is no size.
        """
        value = self.count(*keys, default=default)
        if value < 1:
            raise ConfigError(keys[0], f"must be at least 1, is {value}")
        return value

    def count(self, *keys: str, default: int | None = None) -> int:
        """Return the first key that is given as an integer of at least 0.

        Raises:
            ConfigError: If no key is given and there is no default, or the value is no count.
        """
        for key in keys:
            value = self.values.get(key)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise ConfigError(key, f"must be a whole number, is {value!r}")
            if value > MAX_COUNT:
                raise ConfigError(key, f"is beyond reason; at most {MAX_COUNT} makes sense")
            return value
        if default is None:
            raise ConfigError(keys[0], f"is missing; a {self.model_type} config must have it")
        return default

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Return a switch; ``null`` counts as not given.

        Raises:
            ConfigError: If the value is neither true nor false.
        """
        value = self.values.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise ConfigError(key, f"must be true or false, is {value!r}")
        return value

    def per_layer(self, *keys: str) -> tuple[str, ...]:
        """Return a list (or pattern string) with one entry per layer, empty where not given.

        Raises:
            ConfigError: If the list's length is not the number of layers.
        """
        for key in keys:
            value = self.values.get(key)
            if value is None:
                continue
            if not isinstance(value, (list, str)) or len(value) != self.layers:
                raise ConfigError(key, f"must have one entry for each of the {self.layers} layers")
            return tuple(str(entry) for entry in value)
        return ()

    def indices(self, key: str) -> frozenset[int] | None:
        """Return a list of layer numbers, or None where it is not given."""
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(entry, int) for entry in value):
            raise ConfigError(key, "must be a list of layer numbers")
        return frozenset(entry for entry in value if isinstance(entry, int))

    @property
    def vocabulary(self) -> int:
        """Rows of the embedding; ChatGLM names them with their padding."""
        return self.size("vocab_size", "padded_vocab_size")

    @property
    def hidden(self) -> int:
        """Width of the residual stream."""
        return self.size("hidden_size", "n_embd")

    @property
    def layers(self) -> int:
        """Number of layers, bounded by :data:`MAX_LAYERS`; the list of blocks counts if it must."""
        blocks = self.values.get("layers_block_type")
        listed = len(blocks) if isinstance(blocks, list) else None
        layers = self.size("num_hidden_layers", "num_layers", "n_layer", default=listed)
        if layers > MAX_LAYERS:
            raise ConfigError("num_hidden_layers", f"is {layers}; at most {MAX_LAYERS} make sense")
        return layers

    @property
    def heads(self) -> int:
        """Query heads."""
        return self.size("num_attention_heads", "n_head")

    @property
    def kv_heads(self) -> int:
        """KV heads; as many as query heads where the config does not say."""
        return self.size("num_key_value_heads", default=self.heads)

    @property
    def positions(self) -> int:
        """Longest position, in tokens; 0 where the config does not say."""
        return self.count("max_position_embeddings", "seq_length", "n_positions", default=0)

    @property
    def linear_scaling(self) -> int:
        """Factor of linear position scaling, 1 without.

        Gemma 3 trains with 32,768 positions and states the scaled 131,072; vLLM still makes the
        table of sines and cosines as long as the stated positions times the factor.

        Source:
            vLLM 0.33 ``layers/rotary_embedding/linear_scaling_rope.py``.
        """
        scaling = self.values.get("rope_scaling")
        if not isinstance(scaling, dict):
            return 1
        factor = scaling.get("factor")
        kind = scaling.get("rope_type", scaling.get("type"))
        if (
            kind != "linear"
            or not isinstance(factor, int | float)
            or not 1 <= factor <= MAX_SCALING
        ):
            return 1
        return int(factor)

    @property
    def head_dim(self) -> int:
        """Width of one head: ``head_dim`` where given, never derived against it."""
        if self.count("head_dim", default=0):
            return self.size("head_dim")
        if self.hidden % self.heads:
            raise ConfigError("head_dim", "is missing and hidden_size is no multiple of the heads")
        return self.hidden // self.heads


def read_config(raw: Mapping[str, Json]) -> Config:
    """Flatten a config: the text part's keys, then the top level's where the text part is silent.

    ``tie_word_embeddings`` is the exception: there the top level speaks for the whole model.

    Raises:
        ConfigError: If there is no ``model_type``.
    """
    text = next((raw[key] for key in TEXT_PARTS if isinstance(raw.get(key), dict)), {})
    values: dict[str, Json] = {key: value for key, value in raw.items() if key not in TEXT_PARTS}
    if isinstance(text, dict):
        values |= {key: value for key, value in text.items() if value is not None}
    if isinstance(tied := raw.get("tie_word_embeddings"), bool):
        values["tie_word_embeddings"] = tied
    model_type = values.get("model_type")
    if not isinstance(model_type, str) or not model_type:
        raise ConfigError("model_type", "is missing; it says which family the model belongs to")
    return Config(values, model_type)

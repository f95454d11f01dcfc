"""From a tag of Ollama's library to the catalog."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import Quantization
from sitegen.lint.checkpoints import LIBRARY_TYPE, ResolvedCheckpoint, of_recipe
from sitegen.values import dataclass

TABLE = "ollama-library"
"""The table of tags, beside those of options (``benchmarks.ollama_tags``)."""
REGISTRIES = ("https://ollama.com/library/", "registry.ollama.ai/library/", "ollama.com/library/",
              "library/")  # fmt: skip
HUB = ("hf.co/", "huggingface.co/", "https://hf.co/", "https://huggingface.co/", "hf.com/")
"""How a repository of the Hub begins that Ollama is given.

Source:
    https://huggingface.co/docs/hub/ollama, read 2026-11-27.
"""
SIXTEEN = ("fp16", "bf16", "f16")


def is_of_hub(name: str) -> bool:
    """Whether Ollama is given a repository of the Hub."""
    return name.lower().startswith(HUB)


def is_file(name: str) -> bool:
    """Whether a Modelfile names a file or a folder in place of a tag."""
    return name.startswith((".", "/", "~", "$")) or name.lower().endswith((".gguf", ".safetensors"))


def is_elsewhere(name: str) -> bool:
    """Whether a tag is computed on Ollama's machines: ``gpt-oss:120b-cloud``.

    Source:
        https://docs.ollama.com/cloud, read 2026-11-27.
    """
    tag = name.lower().rpartition(":")[2] if ":" in name else ""
    return tag == "cloud" or tag.endswith("-cloud")


@dataclass(frozen=True)
class OllamaLibrary:
    """The tags of a listing, by the models of a catalog.

    ``entries`` are models, with the type of the file where it is known, by tag; what a longer tag
    with a type begins with has a dash behind it.
    """

    catalog: Catalog
    entries: Mapping[str, str]

    @cached_property
    def recipes(self) -> dict[str, Quantization]:
        """Recipes by the type of a GGUF file, in small letters."""
        return {
            one.gguf_file_type.lower(): one
            for one in self.catalog.quantizations.values()
            if one.gguf_file_type
        }

    def find(self, name: str) -> ResolvedCheckpoint | None:
        """Find what a tag names; ``None`` for what the listing or the catalog does not have."""
        plain = name.strip().lower()
        for registry in REGISTRIES:
            plain = plain.removeprefix(registry)
        family, _, tag = plain.partition(":")
        if not tag or tag == "latest":
            return self._entry(family, "")
        named = LIBRARY_TYPE.search(tag)
        if named is None:
            whole = self._entry(f"{family}:{tag}", "")
            return whole or self._entry(f"{family}:{tag}-", "")
        stem = tag[: named.start()]
        kind = "f16" if named[1] in SIXTEEN else named[1]
        return self._entry(f"{family}:{stem}-", kind)

    def _entry(self, key: str, kind: str) -> ResolvedCheckpoint | None:
        """Take an entry of the listing, in another type where one is named."""
        entry = self.entries.get(key, "")
        id_, _, usual = entry.partition(" ")
        model = self.catalog.models.get(id_)
        if model is None:
            return None
        recipe = self.recipes.get(kind or usual.lower())
        return ResolvedCheckpoint(model, of_recipe(model, recipe) if recipe is not None else None)

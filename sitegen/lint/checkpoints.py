"""From what a command loads to the catalog: a repository, a file, a folder that a recipe names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Quantization
from sitegen.importers.hub.variants import Variant, VariantReader
from sitegen.importers.spellings.models import ModelNames, Strictness
from sitegen.models.unpublished import unpublished
from sitegen.values import dataclass

_GGUF = re.compile(
    r"[-._](I?Q\d\w*|BF16|F16|MXFP4\w*)(?:-\d{5}-of-\d{5})?(?:\.gguf)?$", re.IGNORECASE
)
_SUFFIX = re.compile(r"(?:-gguf|-it|-instruct|-chat|-hf)+$")
DEFAULT_TYPE = "q4_k_m"
"""What llama.cpp takes of a repository without a tag, where there is one."""
MANY_DOWNLOADS = 10**9
"""Somebody uses the repository: that its owner is little known does not matter here."""
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_SIXTEEN = frozenset({"bf16", "fp16", "f16", "hf"})
ONLINE = {"fp8": "fp8", "bitsandbytes": "bnb-nf4", "mxfp8": "mxfp8"}
"""Words that quantize 16-bit files while they are loaded, with the recipe that comes near."""
WIDE = frozenset({"float32", "float"})
"""Words that load 16-bit files with 32 bits and compute so."""
STORED = frozenset(
    {"awq", "awq_marlin", "gptq", "gptq_marlin", "auto_awq", "auto_gptq", "compressed-tensors"}
)
"""Words for files that somebody has quantized: files of 16 bits hold nothing for them."""


@dataclass(frozen=True, slots=True)
class ResolvedCheckpoint:
    """A model, and the checkpoint of it where that is plain."""

    model: LanguageModel
    checkpoint: Checkpoint | None


@dataclass(frozen=True, slots=True)
class Names:
    """The rule by which names in logs and listings are read, over one catalog."""

    models: ModelNames
    reader: VariantReader


@dataclass(frozen=True)
class Repositories:
    """Names of models and checkpoints of a catalog."""

    catalog: Catalog

    @cached_property
    def checkpoints(self) -> dict[str, ResolvedCheckpoint]:
        """By repository, in small letters; the native checkpoint where several share one."""
        found: dict[str, ResolvedCheckpoint] = {}
        for model in self.catalog.models.values():
            for one in sorted(model.checkpoints, key=lambda c: not c.native):
                if one.repository:
                    found.setdefault(one.repository.lower(), ResolvedCheckpoint(model, one))
        for model in self.catalog.models.values():
            found.setdefault(model.repository.lower(), ResolvedCheckpoint(model, _whole(model)))
        return found

    @cached_property
    def files(self) -> dict[str, dict[str, ResolvedCheckpoint]]:
        """GGUF files by repository and type, both in small letters."""
        found: dict[str, dict[str, ResolvedCheckpoint]] = {}
        for model in self.catalog.models.values():
            for one in model.checkpoints:
                if one.repository and one.quantization.gguf_file_type:
                    types = found.setdefault(one.repository.lower(), {})
                    types.setdefault(kind_of(one).lower(), ResolvedCheckpoint(model, one))
        return found

    @cached_property
    def folders(self) -> dict[str, ResolvedCheckpoint]:
        """By the folder or file that a recipe of this site expects."""
        return {
            f"{model.id}-{one.id}": ResolvedCheckpoint(model, one)
            for model in self.catalog.models.values()
            for one in model.checkpoints
        }

    @cached_property
    def models(self) -> dict[str, LanguageModel | None]:
        """By name without signs; ``None`` where several models share one."""
        found: dict[str, LanguageModel | None] = {}
        for model in self.catalog.models.values():
            names = {model.id, model.name, model.repository.rpartition("/")[2]}
            for name in {squeezed(n) for n in names} | {squeezed(_short(n)) for n in names}:
                found[name] = model if found.get(name, model) is model else None
        return found

    @cached_property
    def names(self) -> Names:
        """Names of repositories by rule, for those that the catalog does not list."""
        return Names(ModelNames(self.catalog.models), VariantReader(self.catalog))

    def find(self, text: str, file: str = "") -> ResolvedCheckpoint | None:
        """Find what a word names; ``None`` for what the catalog does not know for sure."""
        plain = text.strip().removeprefix("hf://").removeprefix("https://huggingface.co/")
        repository, _, tag = plain.rstrip("/").partition(":")
        repository = repository.removeprefix("hf.co/")
        types = self.files.get(repository.lower())
        if types is not None:
            return self._of_types(types, tag, file)
        known = self.checkpoints.get(repository.lower())
        if known is not None and not tag:
            return known
        name = repository.rpartition("/")[2]
        folder = self.folders.get(name.removesuffix(".gguf"))
        if folder is not None:
            return folder
        for whole in filter(None, (file, f"{name}-{tag}" if tag else "", name)):
            found = self._gguf(whole.rpartition("/")[2])
            if found is not None:
                return found
        return self._by_rule(repository, tag, file)

    def _by_rule(self, repository: str, tag: str, file: str) -> ResolvedCheckpoint | None:
        """Find the model behind a repository that is not listed, and its checkpoint where plain.

        Heads, layers and positions are the model's whatever the files hold. A repository of GGUF
        files without a type is what llama.cpp takes of it.
        """
        if _REPOSITORY.fullmatch(repository) is None:
            return None
        meant = self.names.models.meant(repository, Strictness.RELEASE)
        if meant.model is None:
            return None
        model = self.catalog.models[meant.model]
        kind = tag or (found[1] if (found := _GGUF.search(file)) else "")
        if "gguf" in meant.marks:
            recipe = self._file_type(kind or DEFAULT_TYPE)
            mixed = kind.upper().startswith("UD-") or "ud" in meant.marks
            return ResolvedCheckpoint(
                model, of_recipe(model, recipe) if recipe and not mixed else None
            )
        if not meant.marks:
            return ResolvedCheckpoint(model, _whole(model))
        read = self.names.reader.read(repository, MANY_DOWNLOADS)
        layout = read.quantization if isinstance(read, Variant) else ""
        recipe = self.catalog.quantizations.get(layout)
        if recipe is None and set(meant.marks) <= _SIXTEEN:
            recipe = self.catalog.quantizations.get("bf16")
        return ResolvedCheckpoint(model, of_recipe(model, recipe) if recipe else None)

    def _of_types(
        self, types: Mapping[str, ResolvedCheckpoint], tag: str, file: str
    ) -> ResolvedCheckpoint:
        """Find a file of a known repository by its tag or name; llama.cpp's choice without one.

        A type that the catalog does not list is made by its recipe; a mix of its maker's is not
        known, and its model is.
        """
        model = next(iter(types.values())).model
        named = _GGUF.search(file)
        stem = file[: named.start()] if named else ""
        mixed = "UD-" if stem.lower().endswith(("-ud", ".ud", "_ud")) else ""
        kind = tag or (mixed + named[1] if named else "")
        if not kind:
            return types.get(DEFAULT_TYPE) or next(iter(types.values()))
        listed = types.get(kind.lower())
        recipe = self._file_type(kind)
        return listed or ResolvedCheckpoint(model, of_recipe(model, recipe) if recipe else None)

    def _gguf(self, name: str) -> ResolvedCheckpoint | None:
        found = _GGUF.search(name)
        if found is None:
            return None
        stem = name[: found.start()]
        if stem.lower().endswith(("-ud", ".ud", "_ud")):
            return None  # dynamic mixes differ from one to the next
        model = self.models.get(squeezed(_SUFFIX.sub("", stem.lower())))
        model = model or self.models.get(squeezed(stem))
        recipe = self._file_type(found[1])
        if model is None or recipe is None:
            return None
        return ResolvedCheckpoint(model, of_recipe(model, recipe))

    def _file_type(self, word: str) -> Quantization | None:
        same = (
            one
            for one in self.catalog.quantizations.values()
            if one.gguf_file_type.casefold() == word.casefold()
        )
        return next(same, None)

    def requantized(self, meant: ResolvedCheckpoint, id_: str) -> ResolvedCheckpoint | None:
        """Return what an engine makes of 16-bit files by a recipe; ``None`` if unknown."""
        recipe = self.catalog.quantizations.get(id_)
        if recipe is None or meant.checkpoint is None or not is_unquantized(meant.checkpoint):
            return None
        return ResolvedCheckpoint(meant.model, of_recipe(meant.model, recipe))


def kind_of(checkpoint: Checkpoint) -> str:
    """Name a GGUF file in its repository: as its maker does, else by its type."""
    return checkpoint.variant or checkpoint.quantization.gguf_file_type


def loaded_as(checkpoint: Checkpoint) -> str:
    """Return what a command names to load a published checkpoint."""
    kind = kind_of(checkpoint) if checkpoint.quantization.gguf_file_type else ""
    return f"{checkpoint.repository}:{kind}" if kind else checkpoint.repository


def of_recipe(model: LanguageModel, recipe: Quantization) -> Checkpoint:
    """Return the model's checkpoint of a recipe, or the one that the recipe would make."""
    same = [one for one in model.checkpoints if one.quantization == recipe]
    return same[0] if same else unpublished(recipe)


def is_unquantized(checkpoint: Checkpoint) -> bool:
    """Whether no weight has fewer than 16 bits."""
    return checkpoint.quantization.nominal_bits >= 16


def _whole(model: LanguageModel) -> Checkpoint | None:
    """The checkpoint of the model's own repository."""
    natives = [one for one in model.checkpoints if one.native]
    return natives[0] if natives else None


def _short(name: str) -> str:
    return _SUFFIX.sub("", name.lower().replace(" ", "-"))


def squeezed(name: str) -> str:
    """Keep letters and digits.

    >>> squeezed("Llama-3.1 70B")
    'llama3170b'
    """
    return "".join(c for c in name.lower() if c.isalnum())

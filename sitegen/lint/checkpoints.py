"""From what a command loads to the catalog: a repository, a file, a folder that a recipe names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
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
_MIX = re.compile(r"[-._]UD[-._](I?Q\d\w*)(?:-\d{5}-of-\d{5})?\.gguf$", re.IGNORECASE)
_LOCAL = re.compile(r"\.{0,2}/|~|[A-Za-z]:/|\$\{?\w+\}?/")
"""How a path begins that is no repository."""
_CACHE = re.compile(r"/models--([\w.-]+?)--([\w.-]+)(?=/|$)")
_SOMEBODY = "somebody"
"""Whose a folder is, for a rule that reads names with their owner."""
_SUFFIX = re.compile(r"(?:-gguf|-it|-instruct|-chat|-hf)+$")
LIBRARY_TYPE = re.compile(
    r"(?:^|-)(i?q\d\w*|b?f16|fp16|fp32|mxfp4|mxfp8|nvfp4|int4|int8)$", re.IGNORECASE
)
"""How a tag of Ollama's library ends that says what type the file has."""
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
    by_name: bool = False
    """Whether a file or folder of somebody's own is called so: what is in it, nobody says."""


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
        if _LOCAL.match(plain) and not self._of_recipe(plain):
            return self._local(plain)
        repository, _, tag = plain.rstrip("/").partition(":")
        repository = repository.removeprefix("hf.co/")
        types = self.files.get(repository.lower())
        if types is not None:
            return self._of_types(types, tag, file)
        known = self.checkpoints.get(repository.lower())
        if known is not None and not tag:
            return known
        name = repository.rpartition("/")[2]
        folder = self._of_recipe(repository)
        if folder is not None:
            return folder
        for whole in filter(None, (file, f"{name}-{tag}" if tag else "", name)):
            found = self._gguf(whole.rpartition("/")[2])
            if found is not None:
                return found
        return self._by_rule(repository, tag, file)

    def _of_recipe(self, path: str) -> ResolvedCheckpoint | None:
        """Find what a recipe of this site expects in a folder or file."""
        name = path.rstrip("/").rpartition("/")[2]
        return self.folders.get(name.removesuffix(".gguf"))

    def _local(self, path: str) -> ResolvedCheckpoint | None:
        """Read the name of a file or folder of somebody's own, if it is a release's.

        The Hub's own folders hold what they are called.

        Source:
            https://huggingface.co/docs/huggingface_hub/guides/manage-cache.
        """
        kept = _CACHE.search(path)
        if kept is not None:
            last = path.rpartition("/")[2]
            return self.find(f"{kept[1]}/{kept[2]}", last if last.endswith(".gguf") else "")
        parts = path.rstrip("/").split("/")
        name = parts[-1]
        file = _GGUF.search(name)
        if file is not None or name.endswith(".gguf"):
            found = self._gguf(name) or self._mixed(name)
        else:
            found = self.checkpoints.get("/".join(parts[-2:]).lower()) or self._of_folder(name)
        return replace(found, by_name=True) if found is not None else None

    def _of_folder(self, name: str) -> ResolvedCheckpoint | None:
        """Find the release that a folder is called like; which of its GGUF files, nobody says."""
        alike = [one for key, one in self._repositories if key == name.lower()]
        same = {(one.model.id, one.checkpoint and one.checkpoint.quantization.id) for one in alike}
        found = alike[0] if len(same) == 1 else self._by_rule(f"{_SOMEBODY}/{name}", "", "")
        if found is not None and "gguf" in name.lower():
            return replace(found, checkpoint=None)
        return found

    @cached_property
    def _repositories(self) -> tuple[tuple[str, ResolvedCheckpoint], ...]:
        """Repositories without whose they are."""
        return tuple((key.rpartition("/")[2], one) for key, one in self.checkpoints.items())

    def _mixed(self, name: str) -> ResolvedCheckpoint | None:
        """Find a mix of its maker's by its mark: ``Qwen3.8-27B-UD-Q4_K_XL.gguf``."""
        found = _MIX.search(name)
        model = self.models.get(squeezed(name[: found.start()])) if found is not None else None
        if found is None or model is None:
            return None
        kind = f"ud-{found[1]}".lower()
        same = [one for one in model.checkpoints if kind_of(one).lower() == kind]
        return ResolvedCheckpoint(model, same[0] if len(same) == 1 else None)

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

"""Which GGUF files a provider's repository holds: as listed, else the provider's standard set."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import orjson

from sitegen.catalog.domain.models import LanguageModel
from sitegen.importers.measured import UnusableError
from sitegen.values import dataclass

ORDER = ("unsloth", "bartowski", "lmstudio-community", "mradermacher", "TheBloke")
"""Providers in the order in which their files are taken."""
_OWNERS = frozenset(owner.lower() for owner in ORDER)
FIRST_DYNAMIC = "2025-04-20"
"""From this release date on Unsloth's repositories hold IQ4_XS (Qwen3 and later)."""
FEWER_PLAIN = "2026-02-01"
"""From this date on those of mixtures of experts hold no plain IQ4_XS or Q2_K (Qwen3.5 35B-A3B)."""
MIXES_ONLY = "2026-03-01"
"""From this date on they hold dynamic mixes and, plain, Q8_0 (Qwen3.6, Gemma 4, GLM 5.2)."""
LARGEST_PLAIN_BYTES = 45_000_000_000
"""mradermacher cuts larger files into parts that no program loads without joining them."""
_UNSLOTH = frozenset({"Q2_K", "Q3_K_M", "Q4_K_M", "Q5_K_M", "Q6_K", "Q8_0"})
RELISTED = {"unsloth/qwen3.8-27b-gguf": frozenset({"Q4_0", "Q4_1", "Q8_0"})}
"""Repositories whose plain files were replaced by mixes after the list was made (2026-08-23)."""
_DROPPED = re.compile(r"-(hf|bf16)$")
_STANDARD = {
    "bartowski": _UNSLOTH | {"IQ4_XS"},
    "mradermacher": _UNSLOTH | {"IQ4_XS"},
    "TheBloke": _UNSLOTH | {"Q4_0"},
}


@dataclass(frozen=True, slots=True)
class Listed:
    """What a list says that a GGUF repository holds."""

    name: str
    types: frozenset[str]


@dataclass(frozen=True, slots=True)
class File:
    """A GGUF file that a recipe can fetch by repository and type."""

    repository: str
    file_type: str
    listed: bool
    """Whether a list of the repository's files was read; else it is the provider's standard."""


def listed_types(text: bytes) -> dict[str, Listed]:
    """Read the types that xinference's ``llm_family.json`` lists for each GGUF repository.

    Raises:
        UnusableError: If the text is no such list.
    """
    found: dict[str, Listed] = {}
    try:
        for family in orjson.loads(text):
            for spec in family["model_specs"]:
                source = spec.get("model_src", {}).get("huggingface", spec)
                types = source.get("quantizations") or []
                name = source.get("model_id", "")
                if spec["model_format"] == "ggufv2" and name and types != ["none"]:
                    before = found[name.lower()].types if name.lower() in found else frozenset()
                    found[name.lower()] = Listed(name, before | {one.upper() for one in types})
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        hint = "give llm_family.json of xorbitsai/inference, or leave the option out"
        raise UnusableError("it is no list of families with model_specs", 1, hint) from None
    return {key: Listed(one.name, RELISTED.get(key, one.types)) for key, one in found.items()}


_FAMILIES = (
    "https://github.com/xorbitsai/inference/blob/7ecec16b63383e18e4af790c4b522fb7d79f7e77/"
    "xinference/model/llm/llm_family.json"
)
SOURCES: Mapping[str, tuple[str, str]] = {
    "unsloth": (
        "xorbitsai/inference @7ecec16b: the files that Unsloth's GGUF repositories of that time "
        "contain",
        _FAMILIES,
    ),
    "bartowski": (
        "Card of one of bartowski's GGUF repositories: the files that bartowski usually publishes",
        "https://huggingface.co/bartowski/Qwen2.5-32B-Instruct-GGUF",
    ),
    "mradermacher": (
        "Card of one of mradermacher's GGUF repositories: the files that mradermacher usually "
        "publishes",
        "https://huggingface.co/mradermacher/glm-4-9b-chat-GGUF/blob/main/README.md",
    ),
    "TheBloke": (
        "xorbitsai/inference @7ecec16b: the files that TheBloke's GGUF repositories contain",
        _FAMILIES,
    ),
}
"""Where the standard set of a provider was read, as title and address."""
SETS_READ = "2026-11-23"
"""Day on which those were read."""


def spellings(name: str) -> frozenset[str]:
    """Spell the name of a release as providers do, without owner, ``-hf`` or ``Meta-``."""
    short = name.rpartition("/")[2].lower()
    found = {short, _DROPPED.sub("", short)}
    found |= {one.removeprefix(prefix) for one in found for prefix in ("meta-", "nvidia-")}
    found |= {f"meta-{one}" for one in found if one.startswith("llama-3")}
    return frozenset(found)


def sources_of(listed: Mapping[str, Listed], spelled: frozenset[str]) -> set[str]:
    """Find the listed repositories of one release; bartowski's names begin with its owner."""
    found = set()
    for key, one in listed.items():
        owner, _, short = key.partition("/")
        plain = short.rpartition("_")[2] if owner == "bartowski" else short
        if owner in _OWNERS and plain.removesuffix("-gguf") in spelled:
            found.add(one.name)
    return found


def files(
    model: LanguageModel,
    repositories: Iterable[str],
    listed: Mapping[str, Listed],
    *,
    experts: bool,
) -> dict[str, File]:
    """Choose a file for each plain GGUF type that one of the repositories holds."""
    found: dict[str, File] = {}
    for repository in sorted(repositories, key=_place):
        known = listed.get(repository.lower())
        types = known.types if known else _standard(repository, model, experts=experts)
        for one in sorted(types):
            if "UD-" not in one and _whole(repository, one, model):
                found.setdefault(one, File(repository, one, known is not None))
    return found


def _place(repository: str) -> int:
    owner = repository.partition("/")[0]
    return ORDER.index(owner) if owner in ORDER else len(ORDER)


def _standard(repository: str, model: LanguageModel, *, experts: bool) -> frozenset[str]:
    owner = repository.partition("/")[0]
    if owner != "unsloth":
        return _STANDARD.get(owner, frozenset())
    if experts and model.released >= MIXES_ONLY:
        return frozenset({"Q8_0"})
    if model.released >= FEWER_PLAIN:
        return _UNSLOTH - {"Q2_K"} | (frozenset() if experts else {"IQ4_XS"})
    return _UNSLOTH | {"IQ4_XS"} if model.released >= FIRST_DYNAMIC else _UNSLOTH


def _whole(repository: str, file_type: str, model: LanguageModel) -> bool:
    """Return whether the file is in one piece, or in pieces that llama.cpp loads."""
    bits = {"Q8_0": 8.5, "Q6_K": 6.6, "Q5_K_M": 5.7, "Q4_K_M": 4.9, "IQ4_XS": 4.3}
    size = (model.published_parameters or 0) * bits.get(file_type, 4.0) / 8
    return not repository.startswith("mradermacher/") or size < LARGEST_PLAIN_BYTES

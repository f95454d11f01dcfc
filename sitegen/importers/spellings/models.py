"""Which model of the catalog a name means."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import IntEnum
from functools import cache

from sitegen.catalog.domain.models import LanguageModel
from sitegen.importers.spellings.makers import owner, owners
from sitegen.importers.spellings.words import TUNED, Split, readings, repository, split, words
from sitegen.values import dataclass

NEAR = 0.06
"""Share by which a size in a name may differ from the count that the release publishes."""
_SIZE = re.compile(r"(\d+(?:\.\d+)?)b")
_LEFT_OUT = re.compile(r"[ae]?\d+(?:\.\d+)?b|\d+x\d+b|\d+e|\d{4}|0[1-9]|1[0-2]")
"""Words that people leave out: sizes, active parameters, experts, dates of a release."""
_FLAT = re.compile(r"[a-z0-9-]{3,}_([^_]+-[^_]+)")
"""A repository that was made the name of a file: whoever owns it, and the name."""
_TAG = re.compile(r"[^\s:/]+:[^\s:/]+")
"""A tag of a library, which calls the tuned model by the name of the base where it has both."""
_FIRST = frozenset({"0.1", "01", "1"})
"""Numbers of a first version, which nobody says while it is the only one."""


class Strictness(IntEnum):
    """How exactly a name has to say the model."""

    RELEASE = 0
    """As the release itself does: of repositories, where a word less is another model."""
    SPOKEN = 1
    """As people and tags of libraries do: what no other model of the catalog differs in may be
    left out. A name with an owner is a repository, and says all."""
    SHAPE = 2
    """Whether tuned or not, which no tensor tells."""


@dataclass(frozen=True, slots=True)
class ModelMeaning:
    """What a name means: one model, or several where it is ambiguous, with the marks around it."""

    models: tuple[str, ...]
    marks: tuple[str, ...]

    @property
    def model(self) -> str | None:
        """The one model that is meant."""
        return self.models[0] if len(self.models) == 1 else None


class ModelNames:
    """The models of a catalog by every way in which the catalog itself writes their names."""

    def __init__(self, models: Mapping[str, LanguageModel]) -> None:
        self._owners = owners(models)
        families = {re.split(r"[-\d.]", id)[0] for id in models}
        own = {owner(model.repository) for model in models.values()}
        self._brands = frozenset(word for one in own for word in _brand(one)) - families
        self._makers = frozenset(word for one in self._owners for word in _brand(one)) - families
        self.models = models
        self._keys: dict[tuple[str, ...], list[str]] = {}
        self.keys_of: dict[str, list[tuple[str, ...]]] = {}
        self._letters = {
            name: id
            for id, model in models.items()
            for name in (id, model.repository.rpartition("/")[2].lower())
        }
        for id, model in models.items():
            keys = {self._key(text) for text in (id, model.name, model.repository)}
            for key in keys | ({tuple(sorted((*one, "base"))) for one in keys if model.base}):
                self._keys.setdefault(key, []).append(id)
                self.keys_of.setdefault(id, []).append(key)

    def __contains__(self, id: object) -> bool:
        """Return whether a model of the catalog has the id."""
        return id in self.models

    def named(self, key: tuple[str, ...]) -> tuple[str, ...]:
        """Return the models that a name of these words has."""
        return tuple(self._keys.get(key, ()))

    def written(self, name: str) -> str | None:
        """Find a model by its id or its repository's name, letter by letter."""
        return self._letters.get(name.rpartition("/")[2].strip().lower())

    def _key(self, text: str) -> tuple[str, ...]:
        return words(self._unbranded(split(text, ()).rest))

    def _unbranded(self, text: str, *, makers: bool = False) -> str:
        """Take off whose a model is; a quantizer before a name only where people speak."""
        first, *rest = re.split(r"[-_ ]", text, maxsplit=1)
        known = first in (self._makers if makers else self._brands)
        return rest[0] if known and rest else text

    def meant(self, name: str, strictness: Strictness = Strictness.SPOKEN) -> ModelMeaning:
        """Find what a name means.

        Args:
            name: A repository, a file's name, a tag or what a person wrote.
            strictness: What of the name may be missing or too much.
        """
        name = repository(name[:200])
        cut = split(name, self._owners)
        spoken = strictness is not Strictness.RELEASE and "/" not in name
        texts = dict.fromkeys((self._unbranded(cut.rest, makers=spoken), cut.rest))
        flat = _FLAT.fullmatch(cut.rest) if spoken else None
        tag = spoken and _TAG.fullmatch(name.strip())
        read = [one for text in texts for one in readings(text)]
        for one in (*read, *(readings(flat[1]) if flat else ())):
            if one in self._keys:
                twin = self._keys.get(tuple(sorted((*one, TUNED))), ()) if tag else ()
                return ModelMeaning((*self._keys[one], *twin), cut.marks)
        whole = "/" in name and strictness is Strictness.SPOKEN
        if whole or strictness is Strictness.RELEASE:
            return ModelMeaning((), cut.marks)
        for one in read:
            found = loosely(self, one, strictness)
            if found:
                return ModelMeaning(found, cut.marks)
        return ModelMeaning((), cut.marks)

    def split(self, name: str) -> Split:
        """Take a name apart with the owners that the catalog knows."""
        return split(name, self._owners)


def loosely(names: ModelNames, spoken: tuple[str, ...], strictness: Strictness) -> tuple[str, ...]:
    """Find models whose names leave out, or say beside, only what people do."""
    said = Counter(spoken)
    if strictness is Strictness.SHAPE and said[TUNED]:
        found = names.named(tuple(sorted((said - Counter([TUNED])).elements())))
        if found:
            return found
    alike = [id for id in names.models if _leaves_out(names, said, id)]
    sure = [id for id in alike if not _later_version(names, said, id)]
    return tuple(alike) if len(alike) > 1 else tuple(sure)


@cache
def _counted(key: tuple[str, ...]) -> Counter[str]:
    return Counter(key)


def _leaves_out(names: ModelNames, said: Counter[str], id: str) -> bool:
    return any(_tolerable(names, said, _counted(key), id) for key in names.keys_of[id])


def _tolerable(names: ModelNames, said: Counter[str], key: Counter[str], id: str) -> bool:
    missing, extra = set(key - said), set(said - key)
    if TUNED in extra or not all(_of_size(names, word, id) for word in extra):
        return False
    version = {"v"} | {word for word in missing if re.fullmatch(r"\d+(\.\d+)?", word)}
    loose = {TUNED} | (version if "v" in missing else set())
    return all(word in loose or _LEFT_OUT.fullmatch(word) for word in missing) and bool(
        set(key) & set(said)
    )


def _of_size(names: ModelNames, word: str, id: str) -> bool:
    """Return whether a word too much is the number of parameters, in thousand millions."""
    found, published = _SIZE.fullmatch(word), names.models[id].published_parameters
    return bool(found and published and abs(float(found[1]) * 1e9 / published - 1) < NEAR)


def _later_version(names: ModelNames, said: Counter[str], id: str) -> bool:
    """Return whether what is left out is the number of a later version, which another may have."""
    keys = [_counted(key) for key in names.keys_of[id]]
    lacking = [key - said for key in keys if _tolerable(names, said, key, id)]
    return all("v" in one and not _FIRST & set(one) for one in lacking)


def _brand(whose: str) -> Iterable[str]:
    """Words by which an owner is called before a model's name: its own, and its first."""
    first = re.split(r"[-_]", whose)[0]
    return (whose, first) if len(first) > 2 else (whose,)

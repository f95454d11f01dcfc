"""Results of earlier builds: surveys by their keys, and values made of the whole catalog."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cached_property
from typing import Any

import orjson

from sitegen.browser.program import BrowserProgram, program
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, Gpu
from sitegen.catalog.file_names import catalog_path
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.model_facts import ModelFacts
from sitegen.pipeline.digests import Digests
from sitegen.pipeline.memory import NO_PAST, Packer, Past
from sitegen.pipeline.survey_keys import SurveyKeys
from sitegen.pipeline.telling import fields_tell
from sitegen.published.judged_records import JudgedRecords
from sitegen.quality.ratings import ratings_of
from sitegen.quality.values import Ratings
from sitegen.site.page import Read, unheard
from sitegen.store import digest_of
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.results import ComboSurvey
from sitegen.values import dataclass

RATED = ("catalog/boards/", "catalog/scores/", "catalog/names/")
"""Folders that ratings are made of, beside the ids of models."""


@dataclass(slots=True)
class Whole:
    """Values made of a whole catalog beside its survey; ``None`` for one that is not made yet."""

    facts: Mapping[str, ModelFacts] | None = None
    records: JudgedRecords | None = None
    custom: Mapping[str, bytes] | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """The remembered part of a survey: combos and kinds of GPUs that need not be judged again."""

    combos: Mapping[str, ComboSurvey]
    needs: Mapping[str, tuple[GpusNeeded, ...]]

    def lacks(self, catalog: Catalog) -> bool:
        """Return whether anything of a catalog has to be judged."""
        return len(self.combos) < len(catalog.combos) or len(self.needs) < len(catalog.gpus)


class Recall:
    """Looks up what earlier builds found for one catalog, and keeps what this one finds."""

    def __init__(self, engine: FitEngine, texts: Mapping[str, str], past: Past) -> None:
        self._memory, self._on = past.memory, past is not NO_PAST
        self.keys: SurveyKeys | None = None
        if self._on:
            self._catalog, self._packer = engine.catalog, Packer(engine.catalog)
            self.keys = self._keys = SurveyKeys(engine.catalog, texts, past.program, engine)
            self._digests = Digests(engine.catalog, self._keys, {})
            self._hint = digest_of("reads of wholes", past.program)
            fields_tell()

    def combo(self, combo: Combo) -> ComboSurvey | None:
        """Return the remembered survey of a combo."""
        found: ComboSurvey | None = self._found(self._keys.combo(combo)) if self._on else None
        return found

    def needs(self, gpu: Gpu) -> tuple[GpusNeeded, ...] | None:
        """Return how many of a GPU each model needs."""
        found: tuple[GpusNeeded, ...] | None = self._found(self._keys.needs(gpu))
        return found

    def known(self) -> Known:
        """Return all that is remembered of the survey."""
        if not self._on:
            return Known({}, {})
        combos = ((one.id, self.combo(one)) for one in self._catalog.combos.values())
        needs = ((one.id, self.needs(one)) for one in self._catalog.gpus.values())
        return Known(
            {id_: found for id_, found in combos if found is not None},
            {id_: found for id_, found in needs if found is not None},
        )

    def whole(self) -> Whole:
        """Return the remembered values whose records are still the same."""
        if not self._on:
            return Whole()
        return Whole(**{one.name: self._found(self.key_of(one.name)) for one in fields(Whole)})

    def key_of(self, part: str) -> str:
        """Name a value made of a whole catalog by the records that its maker read last time."""
        return self._whole_key(part, self._reads.get(part, ())) if self._on else ""

    def _whole_key(self, part: str, reads: Iterable[Read]) -> str:
        return digest_of(part, self._judged, *self._digests.told(reads))

    @cached_property
    def _judged(self) -> str:
        with unheard():
            return self._keys.judged()

    @cached_property
    def _reads(self) -> dict[str, tuple[Read, ...]]:
        return _reads(self._memory.get(self._hint))

    def keep_combo(self, found: ComboSurvey) -> None:
        """Remember a combo."""
        if self._on:
            self._memory.put(self._keys.combo(found.combo), self._packer.pack(found))

    def keep_needs(self, gpu: Gpu, found: tuple[GpusNeeded, ...]) -> None:
        """Remember a kind of GPU."""
        if self._on:
            self._memory.put(self._keys.needs(gpu), self._packer.pack(found))

    def keep_whole(self, part: str, found: object, reads: Iterable[Read]) -> None:
        """Remember a value made of the whole catalog, and the records that its maker read."""
        if self._on:
            self._reads[part] = tuple(sorted(read for read in reads if read[0] == "gpu"))
            self._memory.put(self._whole_key(part, self._reads[part]), self._packer.pack(found))
            self._memory.put(self._hint, orjson.dumps(self._reads))

    def _found(self, key: str) -> Any:
        return self._packer.unpack(self._memory.get(key))


def program_of(past: Past) -> BrowserProgram:
    """Return the value made of the program alone, once for each state of the program."""
    if past is NO_PAST:
        return program()
    key, packer = digest_of("program", past.program), Packer()
    found = packer.unpack(past.memory.get(key))
    if isinstance(found, BrowserProgram):
        return found
    made = program()
    past.memory.put(key, packer.pack(made))
    return made


def ratings_in(catalog: Catalog, texts: Mapping[str, str], past: Past) -> Ratings:
    """Return the ratings of a catalog, made once for the same scores and ids of models.

    Args:
        catalog: What is rated.
        texts: Its files by path.
        past: What earlier builds found.
    """
    if past is NO_PAST:
        return ratings_of(catalog)
    files = (
        part
        for path in sorted(texts)
        if catalog_path(path).startswith(RATED)
        for part in (path, texts[path])
    )
    renamed = repr({kind: dict(old) for kind, old in catalog.renamed.items()})
    key = digest_of(
        "ratings", past.program, repr(catalog.left_out), renamed, *sorted(catalog.models), *files
    )
    packer = Packer()
    found = packer.unpack(past.memory.get(key))
    if isinstance(found, Ratings):
        return found
    made = ratings_of(catalog)
    past.memory.put(key, packer.pack(made))
    return made


def _reads(content: bytes | None) -> dict[str, tuple[Read, ...]]:
    """Read which fields of hardware were read beside what stands in every key."""
    found = orjson.loads(content) if content else {}
    return {part: tuple(tuple(read) for read in reads) for part, reads in found.items()}

"""What earlier builds found of a catalog: surveys by their keys, and what is made of it whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, Gpu
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.model_facts import ModelFacts
from sitegen.pipeline.memory import NO_PAST, Packer, Past
from sitegen.pipeline.survey_keys import SurveyKeys
from sitegen.published.judged_records import JudgedRecords
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.results import ComboSurvey
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Whole:
    """What is made of a whole catalog beside its survey."""

    facts: Mapping[str, ModelFacts]
    records: JudgedRecords
    custom: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Known:
    """What memory has of a survey: combos and kinds of GPUs that need not be judged again."""

    combos: Mapping[str, ComboSurvey]
    needs: Mapping[str, tuple[GpusNeeded, ...]]

    def lacks(self, catalog: Catalog) -> bool:
        """Whether anything of a catalog has to be judged."""
        return len(self.combos) < len(catalog.combos) or len(self.needs) < len(catalog.gpus)


class Recall:
    """Looks up what earlier builds found for one catalog, and keeps what this one finds."""

    def __init__(self, engine: FitEngine, texts: Mapping[str, str], past: Past) -> None:
        self._memory, self._on = past.memory, past is not NO_PAST
        self.keys: SurveyKeys | None = None
        if self._on:
            self._catalog, self._packer = engine.catalog, Packer(engine.catalog)
            self.keys = self._keys = SurveyKeys(engine.catalog, texts, past.program, engine)

    def combo(self, combo: Combo) -> ComboSurvey | None:
        """Return what was found for a combo."""
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

    def whole(self) -> Whole | None:
        """Return what was made of this very catalog."""
        found: Whole | None = self._found(self._keys.catalog()) if self._on else None
        return found

    def keep_combo(self, found: ComboSurvey) -> None:
        """Remember a combo."""
        if self._on:
            self._memory.put(self._keys.combo(found.combo), self._packer.pack(found))

    def keep_needs(self, gpu: Gpu, found: tuple[GpusNeeded, ...]) -> None:
        """Remember a kind of GPU."""
        if self._on:
            self._memory.put(self._keys.needs(gpu), self._packer.pack(found))

    def keep_whole(self, found: Whole) -> None:
        """Remember what was made of the whole catalog."""
        if self._on:
            self._memory.put(self._keys.catalog(), self._packer.pack(found))

    def _found(self, key: str) -> Any:
        return self._packer.unpack(self._memory.get(key))

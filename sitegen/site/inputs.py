"""Inputs of a page kind: the catalog, the engine's answers, the documents and the settings."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.model_facts import ModelFacts
from sitegen.published.judged_records import NOTHING, JudgedRecords
from sitegen.site.content.documents import Document
from sitegen.site.content.history import NO_HISTORY, History
from sitegen.site.content.known_errors import Topic
from sitegen.site.content.search_terms import NOTHING as NO_TERMS
from sitegen.site.content.search_terms import SearchTerms
from sitegen.site.content.site_settings import SiteSettings
from sitegen.site.content.unjudged import NOTHING as ALL_JUDGED
from sitegen.site.content.unjudged import UnjudgedRecord
from sitegen.survey.results import ModelOnCombo, Survey
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class SiteInputs:
    """Everything that pages are made of; ``facts`` and ``rows`` are by model id.

    ``engine`` is the one that surveyed, for what a text asks beside: it remembers what it judged.
    ``rows`` has a model's row on every combo, the combo with the least installed VRAM first.
    ``records`` is what others published, judged; ``history`` what this site published before,
    ``errors`` what people met, by topic, ``unjudged`` what is not judged, ``search_terms`` what
    they type.
    """

    catalog: Catalog
    engine: FitEngine
    survey: Survey
    facts: Mapping[str, ModelFacts]
    rows: Mapping[str, tuple[ModelOnCombo, ...]]
    documents: tuple[Document, ...]
    settings: SiteSettings
    records: JudgedRecords = NOTHING
    history: History = NO_HISTORY
    errors: tuple[Topic, ...] = ()
    unjudged: UnjudgedRecord = ALL_JUDGED
    search_terms: SearchTerms = NO_TERMS


def rows_by_model(survey: Survey) -> Mapping[str, tuple[ModelOnCombo, ...]]:
    """Turn a survey around: by model instead of by combo."""
    found: dict[str, list[ModelOnCombo]] = {}
    smallest_first = sorted(
        survey.combos.values(), key=lambda s: (s.combo.installed_vram_bytes, s.combo.id)
    )
    for combo in smallest_first:
        for row in combo.rows:
            found.setdefault(row.pick.model.id, []).append(row)
    return {model: tuple(rows) for model, rows in found.items()}

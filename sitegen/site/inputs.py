"""What a page kind may read: the catalog, the engine's answers, the documents and the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sitegen.catalog.domain.catalog import Catalog
from sitegen.engine.assessment import Survey
from sitegen.engine.model_facts import ModelFacts
from sitegen.site.documents import Document
from sitegen.site.page import Settings


@dataclass(frozen=True, slots=True)
class SiteInputs:
    """Everything that pages are made of; ``facts`` is by model id."""

    catalog: Catalog
    survey: Survey
    facts: Mapping[str, ModelFacts]
    documents: tuple[Document, ...]
    settings: Settings

"""Pages at addresses of before, which lead to where a renamed record stands today."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sitegen.catalog.domain.hardware import Combo, Gpu
from sitegen.catalog.domain.models import LanguageModel, Runtime
from sitegen.problems import SourceSpan
from sitegen.site.combo.example_recipes import runs_anywhere
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.urls import FOLDERS, machines_url, model_recipes_url, parts_of, recipes_of, url_of
from sitegen.values import dataclass

TEMPLATE = "renamed.html"


@dataclass(frozen=True, slots=True)
class RenamedView:
    """The record's address and name of today."""

    url: str
    name: str


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield one page per old id of a record that has a page."""
    catalog = inputs.catalog
    named: Mapping[str, Mapping[str, Gpu | Combo | LanguageModel | Runtime]] = {
        "gpu": catalog.gpus,
        "combo": catalog.combos,
        "model": catalog.models,
        "runtime": catalog.runtimes,
    }
    for kind, old in catalog.renamed.items():
        if kind not in named:
            continue
        for before, today in old.items():
            name = named[kind][today].name
            source = SourceSpan(f"catalog/{FOLDERS[kind]}/{today}.yaml")
            view = RenamedView(url_of(kind, today), name)
            words = f"This page is about {name} and has moved."
            yield Page(url_of(kind, before), name, TEMPLATE, view, "renamed", source, words)
            for old_part, part in zip(parts_of(kind, before), parts_of(kind, today), strict=True):
                if part == recipes_of(today) and inputs.survey.combos[today].lead is None:
                    continue
                rows = inputs.rows.get(today, ())
                if part == machines_url(today) and not rows:
                    continue
                if part == model_recipes_url(today) and not runs_anywhere(rows):
                    continue
                below = RenamedView(part, name)
                yield Page(old_part, name, TEMPLATE, below, "renamed", source, words)

"""The search page: every page by name, as a list that a script filters and scripts off is whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo, Gpu, Vendor
from sitegen.catalog.domain.models import LanguageModel, Runtime
from sitegen.problems import SourceSpan
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.urls import model_row_id, url_of
from sitegen.site.words.hardware import VENDOR_NAMES, plain_gpus
from sitegen.values import dataclass

URL = "/search/"
TEMPLATE = "search.html"
GROUPS: Mapping[str, str] = {
    "combo": "Combos",
    "model": "Models",
    "gpu": "GPUs",
    "runtime": "Runtimes",
    "guide": "Guides",
}
OTHERS = "More pages"


@dataclass(frozen=True, slots=True)
class Name:
    """A page by its name; ``words`` are other words for it.

    ``row`` is the anchor of a surveyed model's row on every combo page, else empty.
    """

    url: str
    text: str
    words: str = ""
    row: str = ""


@dataclass(frozen=True, slots=True)
class NameGroup:
    """Pages of one kind."""

    id: str
    title: str
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class SearchView:
    """What ``search.html`` shows."""

    groups: tuple[NameGroup, ...]


def search_page(pages: Iterable[Page], inputs: SiteInputs) -> Page:
    """Build the search page over all others."""
    named = _names(inputs)
    groups: dict[str, list[Name]] = {kind: [] for kind in (*GROUPS, "page")}
    for page in sorted(pages, key=lambda page: page.url):
        if not page.signpost and not page.part:
            kind = page.kind if page.kind in GROUPS else "page"
            groups[kind].append(named.get(page.url) or Name(page.url, page.title))
    view = SearchView(
        tuple(
            NameGroup(f"found-{kind}", GROUPS.get(kind, OTHERS), tuple(names))
            for kind, names in groups.items()
            if names
        )
    )
    return Page(
        URL,
        "Search",
        TEMPLATE,
        view,
        "search",
        SourceSpan(f"templates/{TEMPLATE}"),
        "Find a model, a GPU, a combo or a guide by name, a verdict by both, or words in the text.",
    )


def _names(inputs: SiteInputs) -> Mapping[str, Name]:
    """Name the pages of records as the catalog does, by URL."""
    catalog = inputs.catalog
    found = (
        *(_name("combo", combo, combo_words(combo)) for combo in catalog.combos.values()),
        *(_model(model, surveyed=model.id in inputs.rows) for model in catalog.models.values()),
        *(_name("gpu", gpu, gpu_words(gpu)) for gpu in catalog.gpus.values()),
        *(_name("runtime", runtime, ()) for runtime in catalog.runtimes.values()),
    )
    return {name.url: name for name in found}


def _name(kind: str, record: Combo | LanguageModel | Gpu | Runtime, words: Iterable[str]) -> Name:
    """Keep those of the other words that the name does not have."""
    known = set(record.name.lower().split())
    every = " ".join((record.id, *words)).lower().split()
    return Name(
        url_of(kind, record.id),
        record.name,
        " ".join(word for word in dict.fromkeys(every) if word not in known),
    )


def _model(model: LanguageModel, *, surveyed: bool) -> Name:
    named = _name("model", model, (model.organization, model.repository))
    return replace(named, row=model_row_id(model.id)) if surveyed else named


def combo_words(combo: Combo) -> tuple[str, ...]:
    """List other words for a combo: its GPUs, their makers, its links."""
    links = {node.link.name for node in combo.nodes if node.link}
    links |= {combo.network.name} if combo.network else set()
    vendors = {VENDOR_NAMES[gpu.gpu.vendor] for gpu in combo.gpus}
    return (plain_gpus(combo), *sorted(vendors), *sorted(links))


SERIES = {
    Vendor.NVIDIA: "GeForce",
    Vendor.AMD: "Radeon",
    Vendor.APPLE: "Mac MacBook Pro Air mini Studio",
}
SERVER_SERIES = {Vendor.NVIDIA: "Tesla", Vendor.AMD: "Instinct"}
"""What people and drivers also call the GPUs of a vendor, and those made for servers."""


def gpu_words(gpu: Gpu) -> tuple[str, ...]:
    """List other words for a GPU: its maker, series, architecture and segment."""
    named = SERVER_SERIES if gpu.segment == "datacenter" else SERIES
    series = named.get(gpu.vendor, "")
    return (VENDOR_NAMES[gpu.vendor], series, gpu.architecture, gpu.segment)

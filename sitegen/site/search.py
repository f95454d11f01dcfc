"""The search page: every page by name, as a list that a script filters and scripts off is whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo, Gpu, Vendor
from sitegen.catalog.domain.models import LanguageModel, Runtime
from sitegen.problems import SourceSpan
from sitegen.site.content.known_errors import Topic
from sitegen.site.content.search_terms import Term
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.urls import url_of
from sitegen.site.words.hardware import VENDOR_NAMES, plain_gpus
from sitegen.values import dataclass

URL = "/search/"
VERDICTS_URL = "/assets/verdicts.js"
"""Tier and speed of every model on every combo, for what is found."""
TEMPLATE = "search.html"
ERRORS_URL = "/errors/"
GROUPS: Mapping[str, str] = {
    "combo": "Machines",
    "model": "Models",
    "gpu": "GPUs",
    "runtime": "Runtimes",
    "guide": "Guides",
}
OTHERS = "More pages"
PAIR = "model-on-combo"
"""The kind of a page about one model on one machine."""


@dataclass(frozen=True, slots=True)
class Name:
    """A page by its name; ``words`` are other words for it.

    ``judged`` is a model with a verdict on every combo, ``old`` one that a later one replaced.
    """

    url: str
    text: str
    words: str = ""
    judged: bool = False
    old: bool = False


@dataclass(frozen=True, slots=True)
class NameGroup:
    """Pages of one kind."""

    id: str
    title: str
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class SearchView:
    """Values that ``search.html`` shows.

    ``errors`` are known errors, their ``words`` those of the text that is printed; ``terms`` what
    is typed that names no page, and ``ignored`` what chooses nothing; ``pairs`` the folders of
    pages of a model on a machine.
    """

    groups: tuple[NameGroup, ...]
    errors: tuple[Name, ...]
    terms: tuple[Term, ...]
    ignored: str
    pairs: str
    verdicts_url: str = VERDICTS_URL


def search_page(pages: Iterable[Page], inputs: SiteInputs) -> Page:
    """Build the search page over all others."""
    named = _names(inputs)
    groups: dict[str, list[Name]] = {kind: [] for kind in (*GROUPS, "page")}
    every = tuple(pages)
    for page in sorted(every, key=lambda page: page.url):
        if not page.signpost and not page.part:
            kind = page.kind if page.kind in GROUPS else "page"
            groups[kind].append(named.get(page.url) or Name(page.url, page.title))
    order = {url: at for at, url in enumerate(_newest_first(inputs))}
    groups["model"].sort(key=lambda name: order.get(name.url, len(order)))
    view = SearchView(
        tuple(
            NameGroup(f"found-{kind}", GROUPS.get(kind, OTHERS), tuple(names))
            for kind, names in groups.items()
            if names
        ),
        _errors(inputs.errors),
        inputs.search_terms.terms,
        " ".join(inputs.search_terms.ignored),
        " ".join(sorted(page.url.split("/", 2)[2] for page in every if page.kind == PAIR)),
    )
    return Page(
        URL,
        "Search",
        TEMPLATE,
        view,
        "search",
        SourceSpan(f"templates/{TEMPLATE}"),
        "Find a model, GPU, machine or guide by name, the verdict of a model on a machine, or "
        "words in the text.",
    )


def _names(inputs: SiteInputs) -> Mapping[str, Name]:
    """Name the pages of records as the catalog does, by URL."""
    catalog = inputs.catalog
    names = (
        *(_name("combo", combo, combo_words(combo)) for combo in catalog.combos.values()),
        *(_model(model, surveyed=model.id in inputs.rows) for model in catalog.models.values()),
        *(_name("gpu", gpu, gpu_words(gpu)) for gpu in catalog.gpus.values()),
        *(_name("runtime", runtime, ()) for runtime in catalog.runtimes.values()),
    )
    return {name.url: name for name in names}


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
    return replace(named, judged=surveyed, old=bool(model.superseded_by))


def _newest_first(inputs: SiteInputs) -> Iterable[str]:
    """List the pages of models, those that a later one replaced last."""
    models = sorted(inputs.catalog.models.values(), key=lambda model: model.released, reverse=True)
    models.sort(key=lambda model: bool(model.superseded_by))
    return (url_of("model", model.id) for model in models)


def _errors(topics: Iterable[Topic]) -> tuple[Name, ...]:
    """Name known errors; a number in a text is somebody's own, and no word of it."""
    return tuple(
        Name(f"{ERRORS_URL}#{error.id}", error.title, " ".join(dict.fromkeys(words)))
        for topic in topics
        for error in topic.record.errors
        if (words := re.findall(r"[a-z]{2,}", error.text.lower()))
    )


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
"""Other names of a vendor's GPUs in speech and drivers, and of those for servers."""


def gpu_words(gpu: Gpu) -> tuple[str, ...]:
    """List other words for a GPU: its maker, series, architecture and segment."""
    named = SERVER_SERIES if gpu.segment == "datacenter" else SERIES
    series = named.get(gpu.vendor, "")
    return (VENDOR_NAMES[gpu.vendor], series, gpu.architecture, gpu.segment)

"""What a text names, held against the catalog alone: no model is judged for it.

What only a survey knows (an empty table, a pair without a plan) and what only rendered pages know
(headings, pages without a record) is found where pages are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sitegen.catalog.authored import CatalogRecords, renamed, unknown_reference
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.kinds import Kind
from sitegen.fit.assessment import FitTier
from sitegen.problems import Problem, did_you_mean
from sitegen.site.content.authored_links import authored_links
from sitegen.site.content.documents import Document
from sitegen.site.content.known_errors import Topic
from sitegen.site.content.references import (
    Directive,
    Notation,
    NotUnderstood,
    find_directives,
    find_references,
    parse_directive,
)
from sitegen.site.guides.directives import kind_of
from sitegen.site.guides.prose import malformed, problem_of
from sitegen.site.guides.reference_values import FIELDS, parts_of
from sitegen.site.resolve_ids import look_up
from sitegen.site.tables.links import checkpoint_of
from sitegen.site.urls import FOLDERS

_IDS: Mapping[str, tuple[Kind, ...]] = {
    "gpu": (Kind.GPU,),
    "interconnect": (Kind.INTERCONNECT,),
    "model": (Kind.MODEL,),
    "weights": (Kind.MODEL,),
    "combo": (Kind.COMBO,),
    "effective": (Kind.COMBO,),
    "assess": (Kind.MODEL, Kind.COMBO),
    "runtime": (Kind.RUNTIME,),
    "constant": (Kind.RUNTIME,),
    "quantization": (Kind.QUANTIZATION,),
}
"""By first word of a reference, what its first ids name."""
_OPTIONS: Mapping[str, Kind] = {
    "gpu": Kind.GPU,
    "network": Kind.INTERCONNECT,
    "model": Kind.MODEL,
    "models": Kind.MODEL,
    "combo": Kind.COMBO,
    "combos": Kind.COMBO,
    "runtime": Kind.RUNTIME,
    "runtimes": Kind.RUNTIME,
}
_ONLY: Mapping[str, Kind] = {
    "assumptions": Kind.ASSUMPTION,
    "combos": Kind.COMBO,
    "formats": Kind.QUANTIZATION,
    "gpus": Kind.GPU,
    "links": Kind.INTERCONNECT,
    "transfers": Kind.INTERCONNECT,
    "unified": Kind.GPU,
}
"""By name of a directive, what its option ``only`` lists."""
_PAGES = {FOLDERS[kind.value]: kind for kind in (Kind.COMBO, Kind.MODEL, Kind.GPU, Kind.RUNTIME)}


def unknown_names(
    documents: tuple[Document, ...],
    topics: tuple[Topic, ...],
    records: CatalogRecords,
    catalog: Catalog,
) -> Iterator[Problem]:
    """Yield a problem for each id, field, option or page of a record that texts name in vain.

    Args:
        documents: Guides and plain pages.
        topics: Errors that people met.
        records: All of the catalog that can be read; a file that cannot counts as there.
        catalog: What they mean, as far as they are sound.
    """
    for document in documents:
        for notation in find_references(document.body):
            yield from _said(document, notation, lambda it: _reference(it, records, catalog))
        for notation in find_directives(document.body):
            yield from _said(
                document, notation, lambda it: _directive(it, topics, records, catalog)
            )
        yield from malformed(document)
        yield from unknown_combo(document, records.ids)
        yield from _links(document, documents, records)
    for topic in topics:
        yield from unknown_runtimes(topic, records.ids)


def _said(document: Document, notation: Notation, look: Callable[[str], None]) -> Iterator[Problem]:
    try:
        look(notation.inner)
    except NotUnderstood as error:
        yield problem_of(document, notation, error)


def _known(records: CatalogRecords, kind: Kind, word: str) -> None:
    look_up(dict.fromkeys(records.ids[kind]), kind.value, word)


def _reference(inner: str, records: CatalogRecords, catalog: Catalog) -> None:
    """Look up what a reference names.

    Raises:
        NotUnderstood: If it names nothing.
    """
    kind, ids, field = parts_of(inner)
    for of, word in zip(_IDS.get(kind, ()), ids, strict=False):
        _known(records, of, word)
    if kind == "assumption":
        _known(records, Kind.ASSUMPTION, field)
    elif kind in FIELDS:
        look_up(dict.fromkeys(FIELDS[kind]), f"field of '{kind}'", field)
    if kind == "weights" and ids[0] in catalog.models:
        checkpoint_of(catalog.models[ids[0]], ids[1])


def _directive(
    inner: str, topics: tuple[Topic, ...], records: CatalogRecords, catalog: Catalog
) -> None:
    """Look up what a directive names.

    Raises:
        NotUnderstood: If it names nothing.
    """
    directive = parse_directive(inner)
    kind_of(directive)
    for option in directive.options:
        of = _ONLY.get(directive.name) if option == "only" else _OPTIONS.get(option)
        if of is not None:
            for word in directive.ids(option):
                _known(records, of, word)
    if "tier" in directive.options:
        look_up(dict.fromkeys(map(str, FitTier)), "tier", directive.options["tier"])
    if directive.name == "errors":
        look_up(
            {topic.id: topic for topic in topics}, "topic of errors", directive.required("topic")
        )
    _checkpoints(directive, catalog)


def _checkpoints(directive: Directive, catalog: Catalog) -> None:
    model = catalog.models.get(directive.options.get("model", ""))
    if model is not None:
        for word in (*directive.ids("checkpoint"), *directive.ids("checkpoints")):
            checkpoint_of(model, word)


def unknown_combo(document: Document, ids: Mapping[Kind, frozenset[str]]) -> Iterator[Problem]:
    """Yield the problem of a document about a combo that does not exist."""
    if document.combo and document.combo not in ids[Kind.COMBO]:
        yield unknown_reference(document.matter, ("combo",), "combo", document.combo, ids)


def unknown_runtimes(topic: Topic, ids: Mapping[Kind, frozenset[str]]) -> Iterator[Problem]:
    """Yield a problem for each runtime of a topic's errors that does not exist."""
    for index, error in enumerate(topic.record.errors):
        for place, runtime in enumerate(error.runtimes):
            if runtime not in ids[Kind.RUNTIME]:
                where = ("errors", index, "runtimes", place)
                yield unknown_reference(topic.source, where, "runtime", runtime, ids)


def _links(
    document: Document, documents: tuple[Document, ...], records: CatalogRecords
) -> Iterator[Problem]:
    """Yield a problem for each link to the page of a record or a guide that does not exist."""
    guides = frozenset(one.slug for one in documents if one.kind == "guide")
    for link in authored_links(document.source.text, document.body_index):
        folder, _, rest = link.target.removeprefix("/").partition("/")
        name = rest.partition("#")[0].partition("/")[0]
        if not link.target.startswith("/") or not name or folder not in {*_PAGES, FOLDERS["guide"]}:
            continue
        known = guides if folder == FOLDERS["guide"] else _addresses(records, _PAGES[folder])
        if name not in known:
            message = f"the link '{link.target}' leads to no page"
            hint = did_you_mean(name, known)
            yield document.source.problem_at("link", message, index=link.index, hint=hint)


def _addresses(records: CatalogRecords, kind: Kind) -> frozenset[str]:
    return records.ids[kind] | renamed(records, kind).keys()

"""Guides and plain pages: one per Markdown file of ``content/``, and the list of guides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sitegen.catalog.kinds import Kind
from sitegen.problems import Problem, ProblemsFound, SourceSpan
from sitegen.site.cells import Link
from sitegen.site.content.documents import Document
from sitegen.site.guides.calculator import Calculator
from sitegen.site.guides.names import unknown_combo
from sitegen.site.guides.prose import Prose, resolve_prose
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.values import dataclass

TEMPLATE = "document.html"
INDEX_TEMPLATE = "guides.html"


@dataclass(frozen=True, slots=True)
class DocumentView:
    """Values that ``document.html`` shows; ``onward`` leads to the next guide."""

    prose: Prose
    onward: Link | None
    calculates: bool = False
    """Whether a form on it needs scripts."""


@dataclass(frozen=True, slots=True)
class GuidesView:
    """Values that ``guides.html`` shows."""

    guides: tuple[tuple[Link, str], ...]
    others: tuple[tuple[Link, str], ...]


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield a page per document and the list of guides.

    Raises:
        ProblemsFound: With every reference and combo of every document that names nothing.
    """
    problems: list[Problem] = []
    made: list[Page] = []
    for document in inputs.documents:
        page, found = _page(document, inputs)
        problems += found
        made.append(page)
    if problems:
        raise ProblemsFound(problems)
    yield from made
    index = GuidesView(_entries(_guides(inputs)), _others(inputs))
    opening = "How to spread a model over GPUs and machines, with numbers from the catalog."
    source = SourceSpan("content/guides")
    yield Page("/guides/", "Guides", INDEX_TEMPLATE, index, "guides", source, opening)


def page_at(url: str, inputs: SiteInputs) -> Page | None:
    """Return the page of the document with an address, looking at no other; ``None`` without one.

    Raises:
        ProblemsFound: With every reference and combo of the document that names nothing.
    """
    document = next((document for document in inputs.documents if document.url == url), None)
    if document is None:
        return None
    page, problems = _page(document, inputs)
    if problems:
        raise ProblemsFound(problems)
    return page


def _guides(inputs: SiteInputs) -> tuple[Document, ...]:
    return tuple(document for document in inputs.documents if document.kind == "guide")


def _entries(documents: Iterable[Document]) -> tuple[tuple[Link, str], ...]:
    return tuple((Link(found.url, found.title), found.description) for found in documents)


def _others(inputs: SiteInputs) -> tuple[tuple[Link, str], ...]:
    """List plain pages, and the errors where some are recorded."""
    found = _entries(document for document in inputs.documents if document.kind == "page")
    words = "Error messages, each with its likeliest causes first."
    return (*found, (Link("/errors/", "Errors, word for word"), words)) if inputs.errors else found


def _page(document: Document, inputs: SiteInputs) -> tuple[Page, tuple[Problem, ...]]:
    prose, found = resolve_prose(document, inputs)
    calculates = any(isinstance(block, Calculator) for block in prose.blocks.values())
    page = Page(
        document.url,
        document.title,
        TEMPLATE,
        DocumentView(prose, _onward(document, _guides(inputs)), calculates),
        document.kind,
        document.span,
        document.description,
    )
    ids = {Kind.COMBO: frozenset(inputs.catalog.combos)}
    return page, (*found, *unknown_combo(document, ids))


def _onward(document: Document, guides: tuple[Document, ...]) -> Link | None:
    if document not in guides:
        return None
    after = guides[guides.index(document) + 1 :]
    return Link(after[0].url, after[0].title) if after else None

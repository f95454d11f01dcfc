"""Every page of every kind, as one site; a URL that two of them claim is a problem."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module

from sitegen.catalog.domain.catalog import Catalog
from sitegen.engine.assessment import ModelOnCombo, Survey
from sitegen.engine.judged_records import NOTHING, JudgedRecords
from sitegen.engine.model_facts import model_facts
from sitegen.problems import Problem, ProblemsFound
from sitegen.site import kinds
from sitegen.site.documents import Document
from sitegen.site.history import NO_HISTORY, History
from sitegen.site.inputs import SiteInputs, rows_by_model
from sitegen.site.known_errors import Topic
from sitegen.site.page import Page, Settings, Site
from sitegen.site.search import search_page

Pages = Callable[[SiteInputs], Iterator[Page]]


def page_kinds() -> tuple[Pages, ...]:
    """Find the page kinds, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(kinds.__path__))
    return tuple(import_module(f"{kinds.__name__}.{name}").pages for name in names)


def collect(
    catalog: Catalog,
    survey: Survey,
    documents: tuple[Document, ...],
    settings: Settings,
    records: JudgedRecords = NOTHING,
    *,
    history: History = NO_HISTORY,
    errors: tuple[Topic, ...] = (),
) -> Site:
    """Collect the pages of a site.

    Raises:
        ProblemsFound: With every problem of the documents, or every URL claimed twice.
    """
    rows = rows_by_model(survey)
    facts = {
        model.id: model_facts(model, known_bytes=_weighed(rows.get(model.id, ())))
        for model in catalog.models.values()
    }
    return collect_pages(
        SiteInputs(
            catalog,
            survey,
            facts,
            rows,
            documents,
            settings,
            records,
            history,
            errors,
        )
    )


def _weighed(rows: tuple[ModelOnCombo, ...]) -> Mapping[str, int]:
    """Checkpoint sizes that the survey has computed already."""
    if not rows:
        return {}
    better = (rows[0].better,) if rows[0].better else ()
    return {o.checkpoint.id: o.weights_bytes for o in (rows[0].verdict, *better, *rows[0].others)}


def collect_pages(inputs: SiteInputs, every: Iterable[Pages] | None = None) -> Site:
    """Collect the pages that the given kinds, or all, make of the inputs.

    Raises:
        ProblemsFound: As ``collect``.
    """
    found: list[Page] = []
    problems: list[Problem] = []
    for pages in page_kinds() if every is None else every:
        try:
            found += pages(inputs)
        except ProblemsFound as failure:
            problems += failure.problems
    found.append(search_page(found, inputs))
    problems += _collisions(found)
    if problems:
        raise ProblemsFound(problems)
    pages_by_url = {page.url: page for page in sorted(found, key=lambda p: p.url)}
    return Site(inputs.settings, pages_by_url, inputs.history)


def _collisions(pages: Iterable[Page]) -> Iterator[Problem]:
    """Compare as a file system may that does not tell capitals apart."""
    owners: dict[str, Page] = {}
    for page in pages:
        owner = owners.setdefault(page.url.casefold(), page)
        if owner is not page:
            message = f"{page.url} is also the page of {owner.source.path}"
            yield Problem(page.source, "url-taken", message, "rename one of the two files")

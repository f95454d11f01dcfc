"""A project's files, parsed: their values, or the problems of all of them at once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import TypeVar

from sitegen.catalog.authored import CatalogRecords
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.file_names import catalog_path, is_public
from sitegen.catalog.kinds import Kind
from sitegen.catalog.load import BrokenCatalog, KnownRecords, parse_authored
from sitegen.catalog.resolve.sound_part import sound_part
from sitegen.catalog.stand_ins import stand_ins
from sitegen.catalog.text.source_text import SourceText
from sitegen.fit import catalog_checks as engine_checks
from sitegen.inputs import ProjectFiles, UnreadFiles
from sitegen.pipeline import cache_words, named_families
from sitegen.pipeline.placed import placed, without_consequences
from sitegen.problems import Problem, ProblemsFound, Severity, SourceSpan
from sitegen.site.content import known_errors
from sitegen.site.content.documents import Document, parse_documents
from sitegen.site.content.history import History, parse_history
from sitegen.site.content.known_errors import Topic, parse_errors
from sitegen.site.content.search_terms import SearchTerms, parse_search_terms
from sitegen.site.content.settings import as_published, dated, parse_settings, unknown_sources
from sitegen.site.content.site_settings import SiteSettings
from sitegen.site.content.unjudged import (
    NOTHING,
    UnjudgedRecord,
    already_judged,
    bad_sources,
    parse_unjudged,
)
from sitegen.values import dataclass

SETTINGS = "content/site.yaml"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Parsed:
    """The values of a project's sources; ``warnings`` do not stop a build."""

    records: CatalogRecords
    catalog: Catalog
    documents: tuple[Document, ...]
    settings: SiteSettings
    history: History
    errors: tuple[Topic, ...]
    unjudged: UnjudgedRecord
    search_terms: SearchTerms
    warnings: tuple[Problem, ...] = ()


def parse(project: ProjectFiles, *, today: str = "", known: KnownRecords | None = None) -> Parsed:
    """Read the sources and apply every rule that needs no verdict.

    Args:
        project: Every file that matters.
        today: ISO date after which no source can have been read; empty for no limit.
        known: Records that were read before; takes those that are read now.

    Raises:
        BrokenSources: With the problems of catalog, documents and settings together.
    """
    return Parser(known).parse(project, today=today)


class BrokenSources(ProblemsFound):
    """Sources with errors, and the records of their catalog that could be read."""

    def __init__(self, problems: Iterable[Problem], records: CatalogRecords) -> None:
        super().__init__(problems)
        self.records = records


def broken_beside(unread: UnreadFiles, *, today: str = "") -> BrokenSources:
    """Gather the problems of files that cannot be read, and those of all others.

    A record that cannot be read counts as there: what refers to it is not wrong.
    """
    lost = {problem.span.path for problem in unread.problems}
    records = {path: "" for path in lost if path.startswith("catalog/") and path.endswith(".yaml")}
    catalog = {**unread.project.catalog, **records}
    try:
        parsed = parse(replace(unread.project, catalog=catalog), today=today)
        found, readable = parsed.warnings, parsed.records
    except BrokenSources as others:
        found, readable = others.problems, others.records
    folders = any(path.startswith("catalog") and path not in records for path in lost)
    texts = any(path.startswith("content") for path in lost)
    beside = (
        problem
        for problem in found
        if problem.span.path not in lost
        and not (folders and problem.code.startswith("unknown-"))
        and not ((folders or texts) and problem.code in {"link", "reference"})
    )
    return BrokenSources({*unread.problems, *beside}, readable)


@dataclass(frozen=True, slots=True)
class _Facts:
    """A catalog that was read, the texts that it was read from, and what its rules say."""

    texts: Mapping[str, str]
    settings: str
    today: str
    records: CatalogRecords
    catalog: Catalog
    judged: tuple[Problem, ...]
    """What only the engine finds wrong with it."""


@dataclass(frozen=True, slots=True)
class _Texts:
    """What stands in ``content/`` beside the settings, and the files that it was read from."""

    read: Mapping[str, str]
    documents: tuple[Document, ...]
    history: History
    errors: tuple[Topic, ...]
    unjudged: UnjudgedRecord
    search_terms: SearchTerms


def _texts(content: Mapping[str, str]) -> _Texts:
    """Read every text, and report the problems of all of them together."""
    heard = ProblemCollector()
    documents = heard.out(lambda: parse_documents(content))
    history = heard.out(lambda: parse_history(content))
    errors = heard.out(lambda: parse_errors(content))
    unjudged = heard.out(lambda: parse_unjudged(content))
    terms = heard.out(lambda: parse_search_terms(content))
    if documents is None or history is None or errors is None or unjudged is None or terms is None:
        raise ProblemsFound(heard.problems)
    return _Texts(content, documents, history, errors, unjudged, terms)


JUDGED = tuple(
    f"catalog/{one}/"
    for one in ("models", "quantizations", "runtimes", "assumptions", "benchmarks")
)
"""Folders that the engine's own rules read."""


def _of_engine(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the files that the engine's own rules read."""
    return {path: text for path, text in texts.items() if catalog_path(path).startswith(JUDGED)}


class Parser:
    """Parses sources again and again; a file whose text is the same is not read twice."""

    def __init__(self, known: KnownRecords | None = None) -> None:
        self._records = known or KnownRecords()
        self._facts: _Facts | None = None
        self._texts: _Texts | None = None

    def parse(self, project: ProjectFiles, *, today: str = "") -> Parsed:
        """Do as the function of this name; equal catalogs are one value.

        Raises:
            BrokenSources: With the problems of catalog, documents and settings together.
        """
        heard = ProblemCollector()
        facts: _Facts | None = None
        try:
            facts = self._catalog(project, today)
            records, catalog = facts.records, facts.catalog
            heard.problems += (*catalog.warnings, *facts.judged)
        except BrokenCatalog as broken:
            records, catalog = broken.records, sound_part(broken.records, broken.problems)
            judged = without_consequences(_judged(records, catalog), broken.problems, records)
            heard.problems += (*broken.problems, *judged)
        texts = heard.out(lambda: self._content(project.content))
        settings = heard.out(lambda: _settings(project))
        heard.problems += cache_words.check(records)
        sources = records.ids[Kind.SCORE] | records.ids[Kind.NAMES]
        heard.problems += unknown_sources(sources, project.content)
        unjudged = texts.unjudged if texts else NOTHING
        heard.problems += already_judged(unjudged, catalog, project.content)
        if texts:
            heard.problems += _names(texts, records, catalog)
            heard.problems += known_errors.bad_sources(texts.errors, today)
            heard.problems += bad_sources(unjudged, project.content, today)
        for path, text in project.catalog.items():
            heard.problems += stand_ins(SourceText(path, text))
        try:
            warnings = only_warnings(heard.problems)
        except ProblemsFound as found:
            raise BrokenSources(found.problems, records) from found
        if facts is None or texts is None or settings is None:
            raise BrokenSources(heard.problems, records)
        told = replace(
            dated(settings, catalog),
            has_errors=bool(texts.errors),
            private=project.private,
            private_records=_private_records(project),
        )
        return Parsed(
            records, catalog, texts.documents, told, texts.history, texts.errors, texts.unjudged,
            texts.search_terms, warnings,
        )  # fmt: skip

    def _content(self, content: Mapping[str, str]) -> _Texts:
        if self._texts is None or self._texts.read != content:
            self._texts = _texts(content)
        return self._texts

    def _catalog(self, project: ProjectFiles, today: str) -> _Facts:
        texts, settings = project.catalog, project.content.get(SETTINGS, "")
        last = self._facts
        if last and (last.texts, last.settings, last.today) == (texts, settings, today):
            return last
        records, plain = parse_authored(texts, today=today, known=self._records)
        catalog = as_published(plain, project.content)
        same = last is not None and _of_engine(last.texts) == _of_engine(texts)
        judged = last.judged if last and same else _judged(records, catalog)
        self._facts = _Facts(texts, settings, today, records, catalog, judged)
        return self._facts


def _judged(records: CatalogRecords, catalog: Catalog) -> tuple[Problem, ...]:
    return (*placed(engine_checks.check(catalog), records), *named_families.check(records))


def _names(texts: _Texts, records: CatalogRecords, catalog: Catalog) -> tuple[Problem, ...]:
    """Return what the texts name in vain, as far as that is known before anything is judged."""
    from sitegen.site.guides.names import unknown_names  # what shows it takes a while to import

    if not texts.documents and not texts.errors:
        return ()
    return tuple(unknown_names(texts.documents, texts.errors, records, catalog))


def only_warnings(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Pass warnings on.

    Raises:
        ProblemsFound: If any of them is an error.
    """
    found = tuple(sorted(set(problems)))
    if any(problem.severity is Severity.ERROR for problem in found):
        raise ProblemsFound(found)
    return found


def data_version(files: Mapping[str, str]) -> str:
    """Identify a catalog by its content: the same files, the same twelve characters.

    >>> data_version({"catalog/gpus/a.yaml": "name: A"})
    '0ce2226484d4'
    """
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(f"{catalog_path(path)}\0{len(files[path])}\0{files[path]}".encode())
    return digest.hexdigest()[:12]


@dataclass(slots=True)
class ProblemCollector:
    """Runs stages that do not need each other and keeps the problems of all of them."""

    problems: list[Problem] = field(default_factory=list)

    def out(self, stage: Callable[[], T]) -> T | None:
        """Return the stage's result, or nothing where it found problems."""
        try:
            return stage()
        except ProblemsFound as found:
            self.problems += found.problems
            return None


def _private_records(project: ProjectFiles) -> tuple[str, ...]:
    """Name the records of the private catalog: ``gpus/prototype``."""
    private = (catalog_path(path) for path in project.catalog if not is_public(path))
    return tuple(sorted(path.removeprefix("catalog/").removesuffix(".yaml") for path in private))


def _settings(project: ProjectFiles) -> SiteSettings:
    if SETTINGS not in project.content:
        message = "the site's name and addresses are missing"
        hint = "write title, tagline, description, base_url and the other keys of docs/content.md"
        raise ProblemsFound([Problem(SourceSpan(SETTINGS), "missing-settings", message, hint)])
    version = data_version(project.catalog)
    return parse_settings(project.content[SETTINGS], path=SETTINGS, data_version=version)

"""A build: from a project's files to a site's files, without touching disk, network or clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field

from sitegen.browser.buy_files import buy_files
from sitegen.browser.home_files import home_files
from sitegen.catalog.authored import CatalogRecords
from sitegen.catalog.domain.catalog import Catalog
from sitegen.inputs import ProjectFiles
from sitegen.output import SiteFiles
from sitegen.pipeline.digests import Digests, digest_of_texts
from sitegen.pipeline.finish import finished
from sitegen.pipeline.known_records import RememberedRecords
from sitegen.pipeline.memory import NO_PAST, Past
from sitegen.pipeline.page_memory import PageMemory
from sitegen.pipeline.pages import Writer, rendered_site
from sitegen.pipeline.processes import in_background
from sitegen.pipeline.recall import program_of
from sitegen.pipeline.search import Indexer
from sitegen.pipeline.sources import Parsed, only_warnings, parse
from sitegen.pipeline.surveys import Answers, answers_in
from sitegen.pipeline.telling import (
    CLAIMS,
    CONTENT,
    RECORDS,
    VERSION,
    WARNINGS,
    telling,
)
from sitegen.problems import Problem
from sitegen.render.beside import beside_files
from sitegen.render.data.verdicts import verdict_file
from sitegen.render.matrix import matrix_files
from sitegen.site.collect import collect_pages
from sitegen.site.combo.matrix import grid_of
from sitegen.site.inputs import SiteInputs, rows_by_model
from sitegen.site.json.api import listings
from sitegen.site.page import JUDGED, Read, Site
from sitegen.site.search import PAIR
from sitegen.store import digest_of
from sitegen.survey.results import Survey
from sitegen.values import dataclass

Clock = Callable[[], float]
Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class BuildResult:
    """A whole site: ``files`` is all that gets published, ``timings`` seconds by stage."""

    files: SiteFiles
    survey: Survey
    records: CatalogRecords
    catalog: Catalog
    site: Site
    warnings: tuple[Problem, ...]
    timings: Mapping[str, float]


@dataclass(slots=True)
class _Stopwatch:
    """Seconds by stage, from a clock that is handed in: a build itself knows no time."""

    clock: Clock
    told: Told
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = self.clock()
        self.told(name)
        yield
        self.seconds[name] = self.clock() - started


def _parsed(project: ProjectFiles, today: str, past: Past) -> Parsed:
    records = RememberedRecords(past, project.catalog)
    parsed = parse(project, today=today, known=records.known)
    records.keep()
    return parsed


def _inputs(parsed: Parsed, answers: Answers) -> SiteInputs:
    """Gather what pages are made of; it tells what they read where builds are remembered."""
    inputs = SiteInputs(
        parsed.catalog,
        answers.engine,
        answers.survey,
        answers.facts,
        rows_by_model(answers.survey),
        parsed.documents,
        parsed.settings,
        answers.records,
        parsed.history,
        parsed.errors,
        parsed.unjudged,
        parsed.search_terms,
    )
    return telling(inputs) if answers.keys is not None else inputs


def _page_memory(
    past: Past, project: ProjectFiles, parsed: Parsed, answers: Answers, site: Site
) -> PageMemory | None:
    keys = answers.keys
    if keys is None:
        return None
    views = [page.url for page in site.pages.values() if page.kind == PAIR]
    whole: dict[Read, str] = {
        CLAIMS: keys.claims(),
        CONTENT: digest_of_texts(project.content),
        JUDGED: keys.judged(),
        RECORDS: answers.records_key,
        VERSION: parsed.settings.data_version,
        WARNINGS: digest_of(repr(parsed.catalog.warnings)),
    }
    digests = Digests(parsed.catalog, keys, whole)
    return PageMemory(past, project, parsed.settings, digests, digest_of(keys.common, *views))


def _files_of_no_page(
    site: Site, parsed: Parsed, answers: Answers, inputs: SiteInputs, memory: PageMemory | None
) -> dict[str, bytes]:
    """Write what pages fetch, and the lists of the API, while the pages render."""
    remembered = memory.files if memory else _made
    # its shapes take a while to import
    from sitegen.render.data.schemas import api_files, api_schemas

    listed = listings(parsed.records, answers.survey, site.pages.values())
    return {
        **api_files(listed, site.settings),
        **remembered("schemas", lambda: api_schemas(inputs.settings)),
        **remembered("home", lambda: home_files(inputs.catalog, inputs.survey)),
        **remembered("buy", lambda: buy_files(inputs)),
        **remembered("verdicts", lambda: verdict_file(inputs.survey)),
        **remembered("beside", lambda: beside_files(inputs)),
        **remembered("matrix", lambda: matrix_files(grid_of(inputs), inputs.facts)),
    }


def _made(_name: str, make: Callable[[], Mapping[str, bytes]]) -> Mapping[str, bytes]:
    return make()


def build(
    project: ProjectFiles,
    *,
    clock: Clock = lambda: 0.0,
    jobs: int = 1,
    today: str = "",
    search: Indexer | None = None,
    early: Writer | None = None,
    past: Past = NO_PAST,
    told: Told = lambda _stage: None,
) -> BuildResult:
    """Build the whole site in memory.

    Args:
        project: Every file that matters.
        clock: Seconds since anything; only for ``timings``.
        jobs: Processes that survey and render; the bytes do not depend on it.
        today: ISO date after which no source can have been read; empty for no limit.
        search: Makes the full-text index; without it the search page finds names only.
        early: Takes most files of the result as soon as they are made, before their links are
            checked: to be thrown away if this raises.
        past: What earlier builds found; the bytes do not depend on it.
        told: Takes the name of each stage when it begins.

    Raises:
        ProblemsFound: With every problem of the first stage that has errors.
    """
    watch = _Stopwatch(clock, told)
    with in_background(lambda: program_of(past), jobs) as made:
        with watch.stage("parse"):
            parsed = _parsed(project, today, past)
        with watch.stage("survey"):
            answers = answers_in(parsed.catalog, made, jobs=jobs, past=past, texts=project.catalog)
        files = dict(made().files)
    with watch.stage("collect"):
        inputs = _inputs(parsed, answers)
        site = collect_pages(inputs)
        memory = _page_memory(past, project, parsed, answers, site)
    with watch.stage("render"):
        rendered = rendered_site(
            site,
            project.templates,
            project.assets,
            project.fonts,
            jobs=jobs,
            others=lambda: _files_of_no_page(site, parsed, answers, inputs, memory),
            memory=memory,
            early=early,
        )
        files = {**files, **rendered.others, **answers.custom}
    with watch.stage("finish"):
        last = finished(
            site, rendered, files, jobs=jobs, search=search, early=early, memory=memory,
            written={**project.catalog, **project.content},
        )  # fmt: skip
    whole, read = rendered.files.and_these({**files, **last.files}), parsed.records
    warnings = only_warnings((*parsed.warnings, *last.problems))
    return BuildResult(whole, answers.survey, read, parsed.catalog, site, warnings, watch.seconds)

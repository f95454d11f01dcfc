"""A build: from a project's files to a site's files, without touching disk, network or clock."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import NO_LIMIT, parse_catalog
from sitegen.engine import profiles
from sitegen.engine.assessment import Survey
from sitegen.engine.families import architecture
from sitegen.engine.survey import survey
from sitegen.inputs import ProjectFiles
from sitegen.problems import Problem, ProblemsFound, Severity, SourceSpan
from sitegen.render import render_site
from sitegen.render.links import check as check_links
from sitegen.site import collect
from sitegen.site.documents import Document, parse_documents
from sitegen.site.page import Settings, Site
from sitegen.site.settings import parse_settings

SETTINGS = "content/site.yaml"
Clock = Callable[[], float]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Parsed:
    """What the sources mean; ``warnings`` do not stop a build."""

    catalog: Catalog
    documents: tuple[Document, ...]
    settings: Settings
    warnings: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class BuildResult:
    """A whole site: ``files`` is all that gets published, ``timings`` seconds by stage."""

    files: Mapping[str, bytes]
    survey: Survey
    catalog: Catalog
    site: Site
    warnings: tuple[Problem, ...]
    timings: Mapping[str, float]


@dataclass(slots=True)
class _Stopwatch:
    """Seconds by stage, from a clock that is handed in: a build itself knows no time."""

    clock: Clock
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = self.clock()
        yield
        self.seconds[name] = self.clock() - started


def build(
    project: ProjectFiles, *, clock: Clock = lambda: 0.0, jobs: int = 1, today: str = ""
) -> BuildResult:
    """Build the whole site in memory.

    Args:
        project: Every file that matters.
        clock: Seconds since anything; only for ``timings``.
        jobs: Processes that render pages; the bytes do not depend on it.
        today: ISO date after which no source can have been read; empty for no limit.

    Raises:
        ProblemsFound: With every problem of the first stage that has errors.
    """
    watch = _Stopwatch(clock)
    with watch.stage("parse"):
        parsed = parse(project, today=today)
    with watch.stage("survey"):
        answers = survey(parsed.catalog)
    with watch.stage("collect"):
        site = collect(parsed.catalog, answers, parsed.documents, parsed.settings)
    with watch.stage("render"):
        files = render_site(site, project.templates, project.assets, jobs=jobs)
    with watch.stage("links"):
        found = check_links(files)
    warnings = _only_warnings((*parsed.warnings, *found))
    return BuildResult(files, answers, parsed.catalog, site, warnings, watch.seconds)


def parse(project: ProjectFiles, *, today: str = "") -> Parsed:
    """Read the sources and apply every rule that needs no verdict.

    Raises:
        ProblemsFound: With the problems of catalog, documents and settings together.
    """
    heard = _Heard()
    catalog = heard.out(lambda: parse_catalog(project.catalog, today=today or NO_LIMIT))
    documents = heard.out(lambda: parse_documents(project.content))
    settings = heard.out(lambda: _settings(project))
    if catalog is not None:
        heard.problems += [*profiles.check(catalog), *_unknown_configs(catalog)]
    warnings = _only_warnings(heard.problems)
    if catalog is None or documents is None or settings is None:
        raise ProblemsFound(heard.problems)
    return Parsed(catalog, documents, settings, warnings)


@dataclass(slots=True)
class _Heard:
    """Runs stages that do not need each other and keeps the problems of all of them."""

    problems: list[Problem] = field(default_factory=list)

    def out(self, stage: Callable[[], T]) -> T | None:
        """Return the stage's result, or nothing where it found problems."""
        try:
            return stage()
        except ProblemsFound as found:
            self.problems += found.problems
            return None


def _settings(project: ProjectFiles) -> Settings:
    if SETTINGS not in project.content:
        message = "the site's name and addresses are missing"
        raise ProblemsFound([Problem(SourceSpan(SETTINGS), "missing-settings", message)])
    version = data_version(project.catalog)
    return parse_settings(project.content[SETTINGS], path=SETTINGS, data_version=version)


def _unknown_configs(catalog: Catalog) -> Iterator[Problem]:
    """Ensure the engine can read every model's config, with each checkpoint's overrides."""
    for model in catalog.models.values():
        different = (c.config_overrides for c in model.checkpoints if c.config_overrides)
        for overrides in ({}, *different):
            try:
                architecture({**model.config, **overrides})
            except (ValueError, TypeError, KeyError, ZeroDivisionError) as error:
                yield Problem(model.span, "config", f"the config cannot be read: {error}")
                break


def _only_warnings(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Pass warnings on.

    Raises:
        ProblemsFound: If any of them is an error.
    """
    found = tuple(sorted(set(problems)))
    if any(problem.severity is Severity.ERROR for problem in found):
        raise ProblemsFound(found)
    return found


def data_version(files: Mapping[str, str]) -> str:
    """Identify a catalog by its content: the same files, the same twelve characters."""
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(f"{path}\0{len(files[path])}\0{files[path]}".encode())
    return digest.hexdigest()[:12]

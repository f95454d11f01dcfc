"""What every test of a process shares: catalogs, records and templates that were read once.

The same files are the same catalog, which nothing can change: whoever asks for it a second time,
by whatever command, gets the first answer; and where one file differs, the others are not read
again. Checks and references are, as is a file with problems. Commands ask the engine that the
last one asked, if the catalog is the same. The same templates are compiled once, and what is made
of the program alone, the engine for browsers and the schemas, is made once. Processes that a test
starts read and make everything themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import cache, lru_cache
from typing import Any

from hypothesis import settings
from jinja2 import Environment

from sitegen.browser.program import program
from sitegen.catalog import load, one_record
from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.file_names import CatalogFile
from sitegen.catalog.kinds import Kind
from sitegen.catalog.load import KnownRecords
from sitegen.catalog.records.parts import Record
from sitegen.cli.questions import answer, bench_sessions, best_models, several
from sitegen.importers import evidence, quality
from sitegen.pipeline import building, pages
from sitegen.pipeline.processes import in_background
from sitegen.problems import Problem
from sitegen.render import environment
from tests.engines import engine_of

Asked = AbstractContextManager[Callable[[], Any]]
Read = tuple[Authored[Record] | None, tuple[Problem, ...]]
Parsed = tuple[CatalogRecords, Catalog]
KEPT = 6
"""Catalogs of a process: the whole, parts of it, a small project and changes of it."""


def read_once(parse: Callable[..., Parsed]) -> Callable[..., Parsed]:
    """Remember the last catalogs; problems are found anew."""

    @lru_cache(maxsize=KEPT)
    def parsed(files: tuple[tuple[str, str], ...], today: str) -> Parsed:
        return parse(dict(files), today=today)

    def remembered(
        files: Mapping[str, str], *, today: str = "", known: KnownRecords | None = None
    ) -> Parsed:
        if known is not None:
            return parse(files, today=today, known=known)
        return parsed(tuple(files.items()), today)

    return remembered


def read_each_once(read: Callable[..., Read]) -> Callable[..., Read]:
    """Remember every record that is in order."""
    kept: dict[CatalogFile, Read] = {}

    def remembered(file: CatalogFile, ids: Mapping[Kind, frozenset[str]]) -> Read:
        found = kept.get(file)
        if found is None:
            found = read(file, ids)
            if not found[1]:
                kept[file] = found
        return found

    return remembered


def compiled_once(compile_: Callable[..., Environment]) -> Callable[..., Environment]:
    """Remember the last sets of templates."""

    @lru_cache(maxsize=KEPT)
    def compiled(templates: tuple[tuple[str, str], ...], pictures: bool) -> Environment:
        return compile_(dict(templates), pictures=pictures)

    def remembered(templates: Mapping[str, str], *, pictures: bool) -> Environment:
        return compiled(tuple(templates.items()), pictures)

    return remembered


def made_here(begin: Callable[..., Asked]) -> Callable[..., Asked]:
    """Work before a process is forked for it, which would forget what it made."""

    def remembered(work: Callable[[], object], jobs: int) -> Asked:
        work()
        return begin(work, jobs)

    return remembered


vars(load).update(read_record=read_each_once(one_record.read_record))
load.parse_authored = read_once(load.parse_authored)
vars(pages)["environment"] = compiled_once(environment)
vars(building).update(program=cache(program), in_background=made_here(in_background))
# A busy machine is no mistake of what is tested; times are measured in benchmarks.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
for asking in (answer, bench_sessions, best_models, several, evidence, quality):
    vars(asking)["FitEngine"] = engine_of

"""What every test of a process shares: catalogs, records and templates that were read once.

What takes seconds is made by one of the workers for all: the whole catalog and the programs for
browsers.

The same files are the same catalog, which nothing can change: whoever asks for it a second time,
by whatever command, gets the first answer; and where one file differs, the others are not read
again. Checks and references are, as is a file with problems. Commands ask the engine that the
last one asked, if the catalog is the same. The same templates are compiled once, and what is made
of the program alone, the engine for browsers and the schemas, is made once. Processes that a test
starts read and make everything themselves.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import lru_cache, partial
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import settings
from jinja2 import Environment

from sitegen.catalog import load, one_record
from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.file_names import CatalogFile, list_files
from sitegen.catalog.kinds import Kind
from sitegen.catalog.load import KnownRecords
from sitegen.catalog.records.parts import Record
from sitegen.cli.questions import answer, bench_sessions, best_models, several
from sitegen.importers import evidence, quality
from sitegen.pipeline import building, pages, recall, sources
from sitegen.pipeline.processes import in_background
from sitegen.problems import Problem
from sitegen.render.environment import environment
from tests.engines import engine_of
from tests.made_once import FOLDER, browser_program, made_once, replace_in

Asked = AbstractContextManager[Callable[[], Any]]
Read = tuple[Authored[Record] | None, tuple[Problem, ...]]
Parsed = tuple[CatalogRecords, Catalog]
KEPT = 6
"""Catalogs of a process: parts of the whole, a small project and changes of it."""
WHOLE = 1_000
"""Files of which none but the real catalog has as many; it is never forgotten."""


def read_once(parse: Callable[..., Parsed]) -> Callable[..., Parsed]:
    """Remember the last catalogs; problems are found anew."""
    wholes: dict[tuple[tuple[tuple[str, str], ...], str], Parsed] = {}

    @lru_cache(maxsize=KEPT)
    def parsed(files: tuple[tuple[str, str], ...], today: str) -> Parsed:
        return parse(dict(files), today=today)

    def whole(files: tuple[tuple[str, str], ...], today: str) -> Parsed:
        found = wholes.get((files, today))
        if found is None:
            name = f"catalog {today} {files}"
            found = made_once(name, lambda: parse(dict(files), today=today))
            wholes[files, today] = found
            keep_records(files, found)
        return found

    def remembered(
        files: Mapping[str, str], *, today: str = "", known: KnownRecords | None = None
    ) -> Parsed:
        given = tuple(files.items())
        if len(given) >= WHOLE and (known is None or not known.by_path):
            return whole(given, today)
        if known is not None:
            return parse(files, today=today, known=known)
        return parsed(given, today)

    return remembered


kept: dict[CatalogFile, Read] = {}


def read_each_once(read: Callable[..., Read]) -> Callable[..., Read]:
    """Remember every record that is in order."""

    def remembered(file: CatalogFile, ids: Mapping[Kind, frozenset[str]]) -> Read:
        found = kept.get(file)
        if found is None:
            found = read(file, ids)
            if not found[1]:
                kept[file] = found
        return found

    return remembered


def keep_records(files: tuple[tuple[str, str], ...], parsed: Parsed) -> None:
    """Remember the records of a catalog that another worker read, where it warned of none."""
    records, catalog = parsed
    warned = {problem.span.path for problem in catalog.warnings}
    by_path = {one.source.text.path: one for one in records.all}
    for file in list_files(dict(files)).files:
        if file.source.path not in warned:
            kept.setdefault(file, (by_path[file.source.path], ()))


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


def pytest_configure(config: pytest.Config) -> None:
    """Give the workers of this run a folder of their own."""
    if getattr(config.option, "numprocesses", None) and FOLDER not in os.environ:
        made = TemporaryDirectory(prefix="sitegen-tests-")
        config.add_cleanup(made.cleanup)
        os.environ[FOLDER] = made.name
        config.add_cleanup(partial(os.environ.__delitem__, FOLDER))


replace_in(load, read_record=read_each_once(one_record.read_record))
replace_in(load, parse_authored=read_once(load.parse_authored))
replace_in(sources, parse_authored=load.parse_authored)
replace_in(pages, environment=compiled_once(environment))
replace_in(building, in_background=made_here(in_background))
replace_in(recall, program=browser_program)
# A busy machine is no mistake of what is tested; times are measured in benchmarks.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
for asking in (answer, bench_sessions, best_models, several, evidence, quality):
    replace_in(asking, FitEngine=engine_of)

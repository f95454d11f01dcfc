"""Earlier publications: releases with the verdicts they changed, and addresses that are gone.

Both are records that people write and commit, ``content/changes/<date>.yaml`` and
``content/removed.yaml``: a build compares with nothing and knows no date but theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from pydantic import Field

from sitegen.catalog.authored import PlacedSource
from sitegen.catalog.records.parts import IsoDate, Record, Slug, Text
from sitegen.catalog.text.source_text import SourceText
from sitegen.fit.assessment import FitTier
from sitegen.problems import Problem, ProblemsFound, SourceSpan
from sitegen.site.content.records import parsed_record
from sitegen.site.dates import first_day
from sitegen.values import dataclass

CHANGES = "content/changes/"
REMOVED = "content/removed.yaml"


class TierMoves(Record):
    """Rows whose tier changed from one to another."""

    before: FitTier = Field(strict=False, description="Tier of before.")
    after: FitTier = Field(strict=False, description="Tier of today.")
    rows: dict[Slug, tuple[Slug, ...]] = Field(description="Ids of models by id of the combo.")


class Release(Record):
    """Changes of one publication; ``sitegen diff --format yaml`` writes them."""

    date: IsoDate = Field(description="ISO date of the publication.")
    title: Text = Field(description="What changed, in a few words.")
    summary: str = Field(default="", description="Why it changed, for readers; Markdown.")
    base: str = Field(default="", description="Data version of before.")
    head: str = Field(default="", description="Data version of this release.")
    removed: dict[Slug, tuple[Slug, ...]] = Field(
        default={}, description="Ids that are gone, by kind."
    )
    added: dict[Slug, tuple[Slug, ...]] = Field(default={}, description="New ids, by kind.")
    moved: tuple[TierMoves, ...] = Field(default=(), description="Rows with another tier.")


class Tombstone(Record):
    """Why a page is gone."""

    date: IsoDate = Field(description="ISO date on which it was taken away.")
    reason: Text = Field(description="Why, in a sentence.")
    instead: str = Field(default="", description="Address of this site that helps instead.")


@dataclass(frozen=True, slots=True)
class ReleaseFile:
    """A release and the name of its file."""

    slug: str
    release: Release
    span: SourceSpan


@dataclass(frozen=True, slots=True)
class Removed:
    """An address that is gone, and why."""

    address: str
    tombstone: Tombstone
    span: SourceSpan


@dataclass(frozen=True, slots=True)
class History:
    """Releases, the newest first; addresses that are gone, in their order."""

    releases: tuple[ReleaseFile, ...] = ()
    removed: tuple[Removed, ...] = ()


NO_HISTORY = History()
T = TypeVar("T")


def parse_history(files: Mapping[str, str]) -> History:
    """Parse the releases and the removals of ``content/``.

    Args:
        files: POSIX paths relative to the project root, with their text; others are left alone.

    Raises:
        ProblemsFound: With the problems of all files.
    """
    problems: list[Problem] = []
    releases: list[ReleaseFile] = []
    removed: list[Removed] = []
    for path in sorted(files):
        slug = path.removeprefix(CHANGES).removesuffix(".yaml")
        if path.startswith(CHANGES) and path.endswith(".yaml"):
            found = _parsed(Release, "release", path, files[path], problems)
            if found is not None:
                problems += _release_problems(_source(path, files[path]), slug, found)
                releases.append(ReleaseFile(slug, found, SourceSpan(path)))
        elif path == REMOVED:
            shape, noun = dict[str, Tombstone], "list of removals"
            stones = _parsed(shape, noun, path, files[path], problems) or {}
            problems += _address_problems(_source(path, files[path]), stones)
            removed = [Removed(url, stones[url], SourceSpan(path)) for url in sorted(stones)]
    if problems:
        raise ProblemsFound(problems)
    releases.sort(key=lambda one: (one.release.date, one.slug), reverse=True)
    return History(tuple(releases), tuple(removed))


def _parsed(shape: type[T], noun: str, path: str, text: str, problems: list[Problem]) -> T | None:
    source = _source(path, text).text
    return parsed_record(shape, source, problems, noun=noun, hint="see docs/data.md")


def _source(path: str, text: str) -> PlacedSource:
    return PlacedSource(SourceText(path, text.replace("\r\n", "\n")))


def _release_problems(source: PlacedSource, slug: str, release: Release) -> Iterator[Problem]:
    at = ("date",)
    if first_day(release.date) is None or len(release.date) != len("2026-11-20"):
        message = f"date: '{release.date}' is no day"
        yield source.problem(at, "history", message, "write a day such as 2026-11-20")
    elif not slug.startswith(release.date) or not slug.replace("-", "").isalnum():
        message = "a release's file is named by its date"
        yield source.problem(at, "history", message, f"name it {release.date}.yaml")


def _address_problems(source: PlacedSource, stones: Mapping[str, Tombstone]) -> Iterator[Problem]:
    for url, stone in stones.items():
        below = (url, "instead")
        for at, address in (((url,), url), (below, stone.instead)):
            if address and not _is_address(address):
                message = f"'{address}' is no address of this site"
                hint = "write it from the root and with a slash at the end, as /models/old/"
                yield source.problem(at, "history", message, hint, at_key=at == (url,))
        if stone.instead in stones:
            message = f"'{url}' sends readers to '{stone.instead}', which is gone too"
            yield source.problem(below, "history", message, "name a page that is there")


def _is_address(address: str) -> bool:
    parts = address.strip("/").split("/")
    named = all(part[:1].isalnum() and part.replace("-", "").replace(".", "").isalnum()
                and part.isascii() and part == part.lower() for part in parts)  # fmt: skip
    return address == f"/{'/'.join(parts)}/" and named

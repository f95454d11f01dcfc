"""``content/site.yaml``: the site's name and addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.text.positions import locate
from sitegen.catalog.text.source_text import SourceText, quoted
from sitegen.catalog.text.yaml_source import Plain, compose
from sitegen.problems import Problem, ProblemsFound, did_you_mean
from sitegen.site.content.site_settings import SiteSettings
from sitegen.site.freshness import data_date

KEYS = (
    "title", "tagline", "description", "base_url", "repository_url", "data_licence",
    "data_licence_url",
)  # fmt: skip
THRESHOLDS = (
    "comfortable-utilization", "reference-context-tokens", "reduced-context-tokens",
    "speed-floor-tokens-per-s", "speed-minimum-tokens-per-s",
)  # fmt: skip
"""Assumptions that say what the words of the tiers mean."""


PATH = "content/site.yaml"
QUALITY = "quality"
LEAVE_OUT = "leave_out"


def dated(settings: SiteSettings, catalog: Catalog) -> SiteSettings:
    """Add what every page tells of its data: its date, and the thresholds of the tiers."""
    known = catalog.assumptions
    thresholds = tuple(known[name] for name in THRESHOLDS if name in known)
    return replace(settings, data_date=data_date(catalog), thresholds=thresholds)


def parse_settings(
    text: str, *, path: str = "content/site.yaml", data_version: str
) -> SiteSettings:
    """Parse the site's settings.

    Args:
        text: The YAML file.
        path: Where it stands, for messages.
        data_version: What identifies the catalog this site shows, e.g. a hash of its files.

    Raises:
        ProblemsFound: With every unknown, missing or mistyped key.
    """
    source = SourceText(path, text.replace("\r\n", "\n"))
    value, problems = compose(source)
    found = list(problems)
    if not found and not isinstance(value, dict):
        found.append(source.problem("settings", "site.yaml is a mapping of keys to texts"))
    given = value if isinstance(value, dict) else {}
    if not found:
        found += _problems(source, given)
    if found:
        raise ProblemsFound(found)
    texts = {key: str(given[key]) for key in KEYS}
    return SiteSettings(**texts, data_version=data_version)  # type: ignore[arg-type]


def as_published(catalog: Catalog, content: Mapping[str, str]) -> Catalog:
    """Add to a catalog what the settings of its site leave out of the ratings."""
    value, _ = compose(SourceText(PATH, content.get(PATH, "").replace("\r\n", "\n")))
    left = tuple(_left_out(value if isinstance(value, dict) else {}))
    return replace(catalog, left_out=left) if left else catalog


def unknown_sources(catalog: Catalog, content: Mapping[str, str]) -> Iterator[Problem]:
    """Yield a problem for each source of scores that is left out and does not exist."""
    source = SourceText(PATH, content.get(PATH, "").replace("\r\n", "\n"))
    known = {id_ for sheet in catalog.scores.values() for id_ in (sheet.id, sheet.names)}
    places = locate(source.text) if catalog.left_out else {}
    for index, name in enumerate(catalog.left_out):
        if name not in known:
            place = places[QUALITY, LEAVE_OUT, index]
            message = f"no file of scores and no map of names is called {quoted(name)}"
            hint = did_you_mean(name, known) or "see catalog/scores and catalog/names"
            yield source.problem(
                "unknown-source", message, line=place.line, column=place.column, hint=hint
            )


def _left_out(given: Mapping[str, Plain]) -> Iterator[str]:
    quality = given.get(QUALITY)
    names = quality.get(LEAVE_OUT) if isinstance(quality, dict) else None
    if isinstance(names, list):
        yield from (name for name in names if isinstance(name, str))


def _quality_problems(
    given: Plain, problem: Callable[[str, str, str], Problem]
) -> Iterator[Problem]:
    if given is None:
        return
    names = given.get(LEAVE_OUT) if isinstance(given, dict) and set(given) == {LEAVE_OUT} else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        hint = f"write {QUALITY}: {{{LEAVE_OUT}: [livebench]}}"
        yield problem(QUALITY, f"'{QUALITY}' has a list of sources under '{LEAVE_OUT}'", hint)


def _problems(source: SourceText, given: Mapping[str, Plain]) -> Iterator[Problem]:
    places = locate(source.text)

    def problem(key: str, message: str, hint: str = "") -> Problem:
        place = places.get((key,))
        line, column = (place.key_line, place.key_column) if place else (1, 1)
        return source.problem("settings", message, line=line, column=column, hint=hint)

    yield from _quality_problems(given.get(QUALITY), problem)
    for key in given:
        if key not in (*KEYS, QUALITY):
            yield problem(key, f"no setting is called '{key}'", did_you_mean(key, KEYS))
    for key in KEYS:
        word = given.get(key)
        if not isinstance(word, str) or not word.strip():
            yield problem(key, f"'{key}' must be a text")
        elif key.endswith("_url") and not word.startswith("https://"):
            yield problem(key, f"'{key}' must start with https://")
        elif key == "base_url" and not word.endswith("/"):
            yield problem(key, "'base_url' must end with a slash")

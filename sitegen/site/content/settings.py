"""``content/site.yaml``: the site's name and addresses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace

from pydantic import Field

from sitegen.catalog.authored import PlacedSource
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.records.parts import Record, Text
from sitegen.catalog.text.positions import locate
from sitegen.catalog.text.source_text import SourceText, quoted
from sitegen.catalog.text.yaml_source import compose
from sitegen.problems import Problem, ProblemsFound, did_you_mean
from sitegen.site.content.records import parsed_record
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
HINT = "see docs/content.md"
QUALITY = "quality"
LEAVE_OUT = "leave_out"


class QualityRecord(Record):
    """What the ratings of this site are made of."""

    leave_out: tuple[str, ...] = Field(
        description=f"Sources that no rating rests on: `{QUALITY}: {{{LEAVE_OUT}: [livebench]}}`."
    )


class SettingsRecord(Record):
    """The settings of a site as they are written."""

    title: Text = Field(description="What the site is called.")
    tagline: Text = Field(description="What it asks or answers, in a few words.")
    description: Text = Field(description="What it is, in a sentence or two.")
    base_url: Text = Field(description="Address of the published site, with a slash at the end.")
    repository_url: Text = Field(description="Address of its sources.")
    data_licence: Text = Field(description="Licence of its data.")
    data_licence_url: Text = Field(description="Address of that licence.")
    quality: QualityRecord | None = Field(default=None, description="What ratings are made of.")


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
    found: list[Problem] = []
    record = parsed_record(SettingsRecord, source, found, noun="site", hint=HINT)
    if record is not None:
        found += _problems(PlacedSource(source), record)
    if record is None or found:
        raise ProblemsFound(found)
    texts = {key: getattr(record, key) for key in KEYS}
    return SiteSettings(**texts, data_version=data_version)


def as_published(catalog: Catalog, content: Mapping[str, str]) -> Catalog:
    """Add to a catalog what the settings of its site leave out of the ratings."""
    left = _left_out(_text_of(content))
    return replace(catalog, left_out=left) if left else catalog


def unknown_sources(known: Set[str], content: Mapping[str, str]) -> Iterator[Problem]:
    """Yield a problem for each source of scores that is left out and does not exist.

    Args:
        known: Ids of files of scores and of maps of names.
        content: Text by path, the settings among them.
    """
    source = _text_of(content)
    left_out = _left_out(source)
    places = locate(source.text) if left_out else {}
    for index, name in enumerate(left_out):
        if name not in known:
            place = places[QUALITY, LEAVE_OUT, index]
            message = f"no file of scores and no map of names is called {quoted(name)}"
            hint = did_you_mean(name, known) or "see catalog/scores and catalog/names"
            yield source.problem(
                "unknown-source", message, line=place.line, column=place.column, hint=hint
            )


def _text_of(content: Mapping[str, str]) -> SourceText:
    return SourceText(PATH, content.get(PATH, "").replace("\r\n", "\n"))


def _left_out(source: SourceText) -> tuple[str, ...]:
    value, _ = compose(source)
    quality = value.get(QUALITY) if isinstance(value, dict) else None
    names = quality.get(LEAVE_OUT) if isinstance(quality, dict) else None
    listed = names if isinstance(names, list) else []
    return tuple(name for name in listed if isinstance(name, str))


def _problems(source: PlacedSource, record: SettingsRecord) -> Iterator[Problem]:
    for key in KEYS:
        address = getattr(record, key)
        if key.endswith("_url") and not address.startswith("https://"):
            message = f"`{key}` must start with https://, not {quoted(address)}"
            yield source.problem((key,), "settings", message)
        elif key == "base_url" and not address.endswith("/"):
            yield source.problem((key,), "settings", f"`{key}` must end with a slash")

"""Pages and the site they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from sitegen.problems import SourceSpan
from sitegen.site.social import SocialCard

PlainJson: TypeAlias = "bool | int | float | str | list[PlainJson] | dict[str, PlainJson] | None"


@dataclass(frozen=True, slots=True)
class Settings:
    """What ``content/site.yaml`` says, and the version of the data that the site shows."""

    title: str
    tagline: str
    description: str
    base_url: str
    """Where the site is published, with a slash at the end; for canonical links only."""
    repository_url: str
    data_licence: str
    data_licence_url: str
    data_version: str = "unversioned"

    @property
    def base_path(self) -> str:
        """The path part of ``base_url``, with a slash at both ends."""
        return "/" + self.base_url.split("://", 1)[-1].partition("/")[2]


@dataclass(frozen=True, slots=True)
class Page:
    """One page: where it stands, what it shows, and the file that asked for it.

    ``view`` is all that ``template`` sees beside ``page`` and ``site``. ``result`` is what the
    JSON twin carries, with ``total`` entries; ``None`` for pages without one.
    """

    url: str
    title: str
    template: str
    view: object
    kind: str
    source: SourceSpan
    description: str
    result: Mapping[str, PlainJson] | None = field(default=None, compare=False)
    total: int = 0
    card: SocialCard | None = None
    """What its picture says elsewhere; ``None`` for the site's own picture."""


@dataclass(frozen=True, slots=True)
class Site:
    """Every page by URL, in URL order."""

    settings: Settings
    pages: Mapping[str, Page]

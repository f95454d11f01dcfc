"""Why a publication did not happen."""

from __future__ import annotations


class PublishError(Exception):
    """Nothing was published and the old site stands; the message says why and what to do."""


class BuildInProgress(PublishError):  # noqa: N818 - the name says what happens
    """Another process is publishing into the same folder."""

"""Rules on runtimes and their version profiles."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.text.source_text import quoted
from sitegen.problems import Problem

if TYPE_CHECKING:
    from sitegen.catalog.records.models import RuntimeRecord

PROFILED = {"paged", "layer-split", "eager-split"}
"""Memory models whose formulas need numbers."""


def version_key(version: str) -> tuple[int, ...]:
    """Return a key that orders dotted versions as numbers; trailing zeros mean nothing.

    >>> version_key("0.9") < version_key("0.10"), version_key("1.0") == version_key("1")
    (True, True)
    """
    parts = [int(part[:20]) for part in version.split(".")]
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


def only_orchestrators_drive(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure an orchestrator says what it drives, and an engine drives nothing."""
    for runtime in records.runtimes.values():
        orchestrator = runtime.record.memory_model == "orchestrator"
        if orchestrator and not runtime.record.drives:
            message = "an orchestrator needs `drives`: the engines it runs"
            yield runtime.problem(("memory_model",), "drives", message, "add `drives: [vllm]`")
        if runtime.record.drives and not orchestrator:
            message = "only an orchestrator drives other runtimes"
            yield runtime.problem(("drives",), "drives", message, "remove it", at_key=True)


def profiled_runtimes_have_profiles(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a runtime with a memory model has profiles, and the assessed version is one."""
    for runtime in records.runtimes.values():
        versions = [profile.version for profile in runtime.record.profiles]
        assessed = runtime.record.assessed_version
        if runtime.record.memory_model not in PROFILED:
            for key in ("profiles", "assessed_version"):
                if getattr(runtime.record, key):
                    message = f"a runtime that is not assessed has no `{key}`"
                    yield runtime.problem((key,), "profiles", message, "remove it", at_key=True)
        elif not versions:
            message = f"the memory model {quoted(runtime.record.memory_model)} needs a profile"
            hint = "add `profiles`, or make it `unprofiled`"
            yield runtime.problem(("memory_model",), "profiles", message, hint)
        elif assessed is None:
            message = "`assessed_version` is missing: the profile that verdicts are based on"
            hint = f"add assessed_version: {quoted(versions[-1])}"
            yield runtime.problem(("profiles",), "assessed-version", message, hint, at_key=True)
        elif assessed not in versions:
            message = f"no profile has the version {quoted(assessed)}"
            hint = f"the profiles are {', '.join(versions)}"
            yield runtime.problem(("assessed_version",), "assessed-version", message, hint)


def profile_versions_are_in_order(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure profiles come oldest first, do not overlap, and contain the version they show."""
    for runtime in records.runtimes.values():
        for index, profile in enumerate(runtime.record.profiles):
            since, shown = version_key(profile.since), version_key(profile.version)
            until = version_key(profile.until) if profile.until else None
            if shown < since or (until is not None and shown >= until):
                message = f"version {profile.version} is not within since and until"
                path = ("profiles", index, "version")
                yield runtime.problem(path, "profile-range", message)
            if until is not None and until <= since:
                message = f"until {profile.until} is not after since {profile.since}"
                path = ("profiles", index, "until")
                yield runtime.problem(path, "profile-range", message)
        yield from _overlaps(runtime)


def profiles_stand_on_earlier_ones(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure the profile that another is like comes before it."""
    for runtime in records.runtimes.values():
        earlier: list[str] = []
        for index, profile in enumerate(runtime.record.profiles):
            if profile.like is not None and profile.like not in earlier:
                message = f"no earlier profile has the version {quoted(profile.like)}"
                hint = f"earlier are {', '.join(earlier)}" if earlier else "state every constant"
                yield runtime.problem(("profiles", index, "like"), "profile-like", message, hint)
            earlier.append(profile.version)


def _overlaps(runtime: Authored[RuntimeRecord]) -> Iterator[Problem]:
    for index, (older, newer) in enumerate(pairwise(runtime.record.profiles), 1):
        path = ("profiles", index, "since")
        if older.until is None:
            message = f"the previous profile, {older.version}, has no `until`"
            hint = f"end it with `until: '{newer.since}'`"
            yield runtime.problem(path, "profile-range", message, hint)
        elif version_key(newer.since) < version_key(older.until):
            message = f"since {newer.since} overlaps the previous profile, until {older.until}"
            hint = "list profiles from oldest to newest"
            yield runtime.problem(path, "profile-range", message, hint)

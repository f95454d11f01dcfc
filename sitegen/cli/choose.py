"""From words on the command line to records of the catalog, or an error that names the nearest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

import click

from sitegen.catalog.checks.runtimes import version_key
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import (
    Checkpoint,
    LanguageModel,
    Quantization,
    Runtime,
    RuntimeProfile,
)
from sitegen.catalog.domain.provenance import Evidence
from sitegen.problems import did_you_mean

T = TypeVar("T")
LISTED = 12
"""As many ids as a line of an error can carry."""


def usage_error(option: str, message: str, hint: str = "") -> click.UsageError:
    """Build an error that names the option or argument it is about."""
    return click.UsageError(f"{option}: {message}" + (f"; {hint}" if hint else ""))


def record(option: str, noun: str, given: str, known: Mapping[str, T]) -> T:
    """Look up an id.

    Raises:
        click.UsageError: With the nearest id, or all of them where there are few.
    """
    if given in known:
        return known[given]
    hint = did_you_mean(given, known) or _listed(known)
    raise usage_error(option, f"no {noun} has the id {given!r}", hint)


def _listed(known: Iterable[str]) -> str:
    ids = sorted(known)
    more = f" and {len(ids) - LISTED} more" if len(ids) > LISTED else ""
    return f"known are {', '.join(ids[:LISTED])}{more}" if ids else "the catalog has none"


def checkpoint_of(model: LanguageModel, given: str, catalog: Catalog) -> Checkpoint:
    """Choose a checkpoint of a model by its id, or make one from any recipe of the catalog.

    Raises:
        click.UsageError: If there is neither, or nothing was given and there are several.
    """
    own = {checkpoint.id: checkpoint for checkpoint in model.checkpoints}
    if not given:
        if len(own) == 1:
            return next(iter(own.values()))
        known = own or catalog.quantizations
        raise usage_error("--quantization", f"which one of {model.id}?", _listed(known))
    if given in own:
        return own[given]
    quantization = _recipe(given, catalog)
    same = [one for one in model.checkpoints if quantization and one.quantization == quantization]
    if same:
        return same[0]
    if quantization is None:
        hint = did_you_mean(given, {*own, *catalog.quantizations}) or _listed(own)
        raise usage_error("--quantization", f"no quantization has the id {given!r}", hint)
    return Checkpoint(
        id=quantization.id,
        quantization=quantization,
        repository="",
        published_bytes=None,
        config_overrides={},
        kept=(),
        native=False,
        evidence=Evidence.ESTIMATED,
        sources=(),
    )


def _recipe(given: str, catalog: Catalog) -> Quantization | None:
    """Find a recipe by id, or by the name people write (``Q4_K_M``)."""
    word = given.casefold()
    names = (
        recipe
        for recipe in catalog.quantizations.values()
        if word in {recipe.name.casefold(), recipe.gguf_file_type.casefold()}
    )
    return catalog.quantizations.get(given) or next(names, None)


def runtime_of(given: str, catalog: Catalog) -> tuple[Runtime, RuntimeProfile]:
    """Choose a runtime and the profile of a version: ``vllm``, ``vllm@0.19``.

    Raises:
        click.UsageError: If there is no such runtime, or no profile covers the version.
    """
    option = "--runtime"
    if not given:
        ids = [key for key, runtime in catalog.runtimes.items() if runtime.profiles]
        raise usage_error(option, "which one?", _listed(ids))
    name, _, version = given.partition("@")
    runtime = record(option, "runtime", name, catalog.runtimes)
    if not runtime.profiles:
        raise usage_error(option, f"{runtime.id} has no memory profile yet, so nothing can be said")
    wanted = version or runtime.assessed_version or runtime.profiles[-1].version
    number = _version_number(wanted)
    for profile in reversed(runtime.profiles):
        until = _version_number(profile.until) if profile.until else None
        since = _version_number(profile.since)
        if number and since and number >= since and (until is None or number < until):
            return runtime, profile
    ranges = ", ".join(_range(profile) for profile in runtime.profiles)
    raise usage_error(option, f"no profile of {runtime.id} covers version {wanted!r}", ranges)


def _range(profile: RuntimeProfile) -> str:
    return f"{profile.since} up to {profile.until or 'now'}"


def _version_number(text: str) -> tuple[int, ...]:
    """Read a dotted version as numbers; anything else is no version.

    >>> _version_number("0.19.0"), _version_number("b9000"), _version_number("x")
    ((0, 19), (9000,), ())
    """
    plain = text.removeprefix("v").removeprefix("b")
    dotted = all(part.isascii() and part.isdigit() for part in plain.split("."))
    return version_key(plain) if dotted else ()

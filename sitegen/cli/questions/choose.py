"""From words on the command line to records of the catalog, or an error that names the nearest."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TypeVar

import click

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import (
    Checkpoint,
    LanguageModel,
    Quantization,
    Runtime,
    RuntimeProfile,
)
from sitegen.models.unpublished import unpublished
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.problems import did_you_mean, listed

T = TypeVar("T")
GROUPS_SHARE = 0.01
"""Share of its bits that the scales of groups add to a format: one of 32 bits per 128 × 128 weights
makes 8.002 of 8."""


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


def _listed(known: Collection[str]) -> str:
    return f"known ids: {listed(known)}" if known else "the catalog has none"


def checkpoints_of(model: LanguageModel, given: str, catalog: Catalog) -> tuple[Checkpoint, ...]:
    """Choose a checkpoint of a model by its id, or make one from any recipe of the catalog.

    Without a word, all checkpoints of the model may be meant. A word that names a format, such as
    ``fp8``, means the files of that format and width which exist: where the model has none under
    that very id, a published one of another grouping (``fp8-block``) is meant.

    Raises:
        click.UsageError: If there is no such checkpoint or recipe, or nothing to choose from.
    """
    own = {checkpoint.id: checkpoint for checkpoint in model.checkpoints}
    if not given and own:
        return tuple(own.values())
    recipe = _recipe(given, catalog) if given else None
    same = [one for one in model.checkpoints if given == one.id or one.quantization == recipe][:1]
    if same and (same[0].is_published or given != same[0].quantization.id):
        return tuple(same)
    if recipe is not None:
        alike = [one for one in model.checkpoints if one.is_published and _alike(one, recipe)]
        if same or alike:
            return tuple(alike or same)
    if recipe is None:
        message = f"no quantization has the id {given!r}" if given else f"which one of {model.id}?"
        known = {*own, *catalog.quantizations}
        raise usage_error("--quantization", message, did_you_mean(given, known) or _listed(known))
    return (unpublished(recipe),)


def _alike(checkpoint: Checkpoint, recipe: Quantization) -> bool:
    """Whether a checkpoint has a recipe's format and width, in whatever groups.

    Types of GGUF files are named exactly.
    """
    other = checkpoint.quantization
    same_width = abs(other.nominal_bits - recipe.nominal_bits) <= GROUPS_SHARE * recipe.nominal_bits
    return other.format == recipe.format and same_width and not recipe.gguf_file_type


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

    An orchestrator (``ray-serve``) stands for the first engine it drives that has a profile, as far
    as it lets it cut layers and span machines.

    Raises:
        click.UsageError: If there is no such runtime, or no profile covers the version.
    """
    option = "--runtime"
    name, at, version = given.partition("@")
    runtime = record(option, "runtime", name, catalog.runtimes)
    if at and not version:
        raise usage_error(option, f"{given!r} names no version", f"write {name}@VERSION or {name}")
    driven = [catalog.runtimes[one] for one in runtime.drives if catalog.runtimes[one].profiles]
    if driven and not version:  # an orchestrator runs replicas of an engine: the engine decides
        runtime = _within(driven[0], runtime)
    if not runtime.profiles:
        raise usage_error(
            option, f"{runtime.id} has no memory profile yet, so sitegen cannot assess it"
        )
    plain = version.removeprefix("v").removeprefix("b")
    known = not version or all(part.isascii() and part.isdigit() for part in plain.split("."))
    profile = profile_of(runtime, plain) if known else None
    if profile is None:
        ranges = ", ".join(_range(profile) for profile in runtime.profiles)
        raise usage_error(option, f"no profile of {runtime.id} covers version {version!r}", ranges)
    return runtime, profile


def _within(engine: Runtime, orchestrator: Runtime) -> Runtime:
    """Return an engine without what its orchestrator cannot ask of it."""
    own, can = engine.capabilities, orchestrator.capabilities
    narrowed = replace(
        own,
        tensor_parallel=own.tensor_parallel and can.tensor_parallel,
        multi_node=own.multi_node and can.multi_node,
    )
    return replace(engine, capabilities=narrowed)


def _range(profile: RuntimeProfile) -> str:
    return f"{profile.since} up to {profile.until or 'now'}"

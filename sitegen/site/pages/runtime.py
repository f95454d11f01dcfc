"""Runtime pages: what a runtime can do and the constants it is assessed with."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.models import Runtime, RuntimeProfile
from sitegen.catalog.domain.provenance import Source
from sitegen.recipes.recipe import Recipe
from sitegen.site.cells import Absent, Cell, Code, Link, NumberCell, Unit, joined
from sitegen.site.combo.example_recipes import ON_RUNTIME, group, on_runtime
from sitegen.site.combo.recipes import RecipeGroup
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.reports.runtime_support import format_limits, models_cell, without_code
from sitegen.site.sources import constants_table, source_cell, sources_table
from sitegen.site.table import Column, Row, Table, facts
from sitegen.site.tables.runtimes import CAPABILITIES, assessed_words, has, yes_or_no
from sitegen.site.urls import url_of
from sitegen.site.words.hardware import VENDOR_NAMES
from sitegen.values import dataclass

TEMPLATE = "runtime.html"


@dataclass(frozen=True, slots=True)
class RuntimeView:
    """Values that ``runtime.html`` shows."""

    runtime: Runtime
    facts: Table
    capabilities: Table
    constants: Table | None
    defaults: Table | None
    flags: Table | None
    versions: Table | None
    backends: Table | None
    recipes: tuple[RecipeGroup, ...]
    sources: Table
    without_code: Table | None = None
    format_limits: Table | None = None


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield one page per runtime."""
    for runtime in inputs.catalog.runtimes.values():
        profile = _assessed(runtime)
        yield Page(
            url_of("runtime", runtime.id),
            runtime.name,
            TEMPLATE,
            RuntimeView(
                runtime=runtime,
                facts=_facts(runtime, inputs),
                capabilities=_capabilities(runtime),
                constants=_constants(runtime, profile) if profile else None,
                defaults=_defaults(profile) if profile and profile.defaults else None,
                flags=_flags(profile) if profile and profile.flags else None,
                versions=_versions(runtime) if len(runtime.profiles) > 1 else None,
                backends=_backends(runtime) if runtime.backends else None,
                recipes=group("run-example", _example(runtime, inputs), ON_RUNTIME),
                sources=sources_table(_sources(runtime)),
                without_code=without_code(runtime, inputs.catalog.models.values()),
                format_limits=format_limits(runtime),
            ),
            "runtime",
            runtime.span,
            f"{runtime.name}: the GPUs, formats and parallelism that it supports, the constants "
            "of its memory model with sources, and its known pitfalls.",
            sources=runtime.sources,
        )


def _sources(runtime: Runtime) -> tuple[Source, ...]:
    """Add where its table of models stands to the record's sources."""
    table = runtime.known_models
    return runtime.sources if table is None else (*runtime.sources, table.source)


def _example(runtime: Runtime, inputs: SiteInputs) -> tuple[Recipe, ...]:
    found = on_runtime(runtime, inputs.survey)
    return () if found is None else (found,)


def _assessed(runtime: Runtime) -> RuntimeProfile | None:
    wanted = (p for p in runtime.profiles if p.version == runtime.assessed_version)
    return next(wanted, None)


def _facts(runtime: Runtime, inputs: SiteInputs) -> Table:
    driven = tuple(
        Link(url_of("runtime", id_), inputs.catalog.runtimes[id_].name)
        for id_ in runtime.drives
        if id_ in inputs.catalog.runtimes
    )
    oldest = runtime.minimum_compute_capability
    capability: Cell = f"{oldest[0]}.{oldest[1]}" if oldest else Absent("no limit recorded")
    families: Cell = joined(tuple(Code(family) for family in runtime.families))
    pairs: tuple[tuple[str, Cell], ...] = (
        ("Memory model", assessed_words(runtime)),
        ("Version we rate", runtime.release(runtime.assessed_version) or Absent("none")),
        ("GPUs", ", ".join(VENDOR_NAMES[vendor] for vendor in runtime.vendors)),
        ("Minimum NVIDIA compute capability", capability),
        ("Formats", joined(tuple(Code(word) for word in runtime.formats))),
        ("Model families", families if runtime.families else "no limit recorded"),
        ("Models it has code for", models_cell(runtime, inputs.catalog.models.values())),
        *((("Runs on", joined(driven)),) if driven else ()),
        ("License", runtime.license),
        ("Website", Link(runtime.url, runtime.url) if runtime.url else Absent()),
    )
    return facts("facts", "Facts", pairs)


def _capabilities(runtime: Runtime) -> Table:
    pairs = tuple(
        (heading, yes_or_no(has(runtime.capabilities, name))) for name, heading in CAPABILITIES
    )
    return facts("capabilities", "Features", pairs)


def _constants(runtime: Runtime, profile: RuntimeProfile) -> Table:
    return constants_table(
        tuple(profile.constants.items()),
        id="constants",
        caption=f"Constants of version {runtime.release(profile.version)}",
    )


def _defaults(profile: RuntimeProfile) -> Table:
    columns = (
        Column("GPUs with at least", numeric=True),
        Column("Tokens per step", numeric=True),
        Column("Sequences per step", numeric=True),
        Column("Except"),
    )
    rows = tuple(
        Row(
            (
                NumberCell(row.min_visible_bytes, Unit.GIB),
                NumberCell(row.max_num_batched_tokens, Unit.COUNT),
                NumberCell(row.max_num_seqs, Unit.COUNT),
                joined(tuple(Code(gpu) for gpu in row.excluded_gpus)),
            )
        )
        for row in profile.defaults
    )
    return Table("defaults", "Scheduler defaults by GPU memory", columns, rows)


def _versions(runtime: Runtime) -> Table:
    """List the profiles: which versions each holds for, and what a start takes by default."""
    columns = (
        Column("Profile"),
        Column("From version"),
        Column("Before version"),
        Column("Default share", numeric=True),
        Column("Graphs inside the share"),
        Column("Known faults"),
    )
    return Table(
        "versions",
        "Profiles by version",
        columns,
        tuple(Row(_version_cells(runtime, profile)) for profile in runtime.profiles),
    )


def _version_cells(runtime: Runtime, profile: RuntimeProfile) -> tuple[Cell, ...]:
    share = profile.constants.get("memory_fraction")
    inside = profile.flags.get("graphs_in_budget")
    return (
        runtime.release(profile.version),
        runtime.release(profile.since),
        runtime.release(profile.until) or Absent("open"),
        Absent("by GPU") if share is None else NumberCell(share.value.mid, Unit.PERCENT),
        Absent() if inside is None else yes_or_no(inside),
        " ".join(f"{defect.text}." for defect in profile.defects) or Absent("none recorded"),
    )


def _backends(runtime: Runtime) -> Table:
    """List the ways to reach a GPU whose driver gives memory in limited pieces."""
    columns = (Column("Backend"), Column("Id"), Column("Largest allocation", numeric=True),
               Column("Source"))  # fmt: skip
    rows = tuple(
        Row(
            (
                backend.name,
                Code(backend.id),
                NumberCell(backend.largest_allocation_bytes, Unit.GIB),
                source_cell(backend.source),
            )
        )
        for backend in runtime.backends
    )
    return Table("backends", "Drivers that limit a single allocation", columns, rows)


def _flags(profile: RuntimeProfile) -> Table:
    columns = (Column("Switch"), Column("On"))
    rows = tuple(Row((Code(name), yes_or_no(on))) for name, on in profile.flags.items())
    return Table("flags", "Memory model settings", columns, rows)

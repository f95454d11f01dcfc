"""Models that a runtime has code for, and formats by GPU, for its page."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalog.domain.models import FormatLimit, LanguageModel, Runtime
from sitegen.fit.compatibility import model_refusal, through_transformers
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.reduced_checkpoint import design_of
from sitegen.site.cells import Absent, Cell, Code, Link, Parts, joined
from sitegen.site.sources import source_cell
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import url_of
from sitegen.site.words.families import FAMILY_NAMES


def models_cell(runtime: Runtime, models: Iterable[LanguageModel]) -> Cell:
    """Count the models that a runtime has code for, of all that are listed here."""
    table = runtime.known_models
    if table is None:
        return Absent("not checked")
    listed = tuple(models)
    able = len(listed) - len(_without(runtime, listed))
    borrowed = sum(through_transformers(design_of(one), runtime) for one in listed)
    words = f"{able} of the {len(listed)} models listed here ({table.version})"
    return f"{words}; {borrowed} of them through Transformers" if borrowed else words


def without_code(runtime: Runtime, models: Iterable[LanguageModel]) -> Table | None:
    """List the models for which a runtime has no code; ``None`` where there are none."""
    found = _without(runtime, tuple(models))
    table = runtime.known_models
    if table is None or not found:
        return None
    rows = tuple(
        Row((Link(url_of("model", model.id), model.name), FAMILY_NAMES.get(family, family)))
        for model, family in found
    )
    caption = f"Models that {runtime.name} {runtime.release(table.version)} does not support"
    return Table("without-code", caption, (Column("Model"), Column("Family")), rows)


def _without(
    runtime: Runtime, models: tuple[LanguageModel, ...]
) -> list[tuple[LanguageModel, str]]:
    profile = profile_of(runtime) if runtime.assessed_version else None
    refused = ((m, model_refusal(design_of(m), runtime, profile)) for m in models)
    found = [(m, str(reason.arguments["family"])) for m, reason in refused if reason is not None]
    return sorted(found, key=lambda pair: pair[0].name.casefold())


def format_limits(runtime: Runtime) -> Table | None:
    """List the GPUs on which a runtime runs formats; ``None`` where nothing is recorded."""
    if not runtime.format_limits:
        return None
    columns = (
        Column("Formats"),
        Column("Minimum NVIDIA compute capability", key="nvidia compute capability from"),
        Column("Other GPUs"),
        Column("How"),
        Column("Source"),
    )
    rows = tuple(Row(_limit_cells(limit)) for limit in runtime.format_limits)
    return Table("format-limits", "Formats by GPU", columns, rows)


def _capabilities(limit: FormatLimit) -> Cell:
    lowest, highest = limit.minimum_compute_capability, limit.maximum_compute_capability
    if lowest is None:
        return Absent("the runtime's own")
    words = f"{lowest[0]}.{lowest[1]}"
    return f"{words} to {highest[0]}.{highest[1]}" if highest else words


def _limit_cells(limit: FormatLimit) -> tuple[Cell, ...]:
    others: Cell = Absent("none")
    if limit.other_architectures is None:
        others = "every GPU that this runtime supports"
    elif limit.other_architectures:
        others = ", ".join(limit.other_architectures)
    formats = joined(tuple(Code(name) for name in limit.quantizations or limit.formats))
    return (
        Parts((formats, " (experts)")) if limit.experts else formats,
        _capabilities(limit),
        others,
        limit.note or Absent(),
        source_cell(limit.source),
    )

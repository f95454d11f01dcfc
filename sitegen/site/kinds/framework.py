"""The framework: the method, written around the constants that the engine itself uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sitegen.catalog.domain.provenance import Constant
from sitegen.engine.assessment import FitTier
from sitegen.engine.fit_engine import PROFILED
from sitegen.problems import SourceSpan
from sitegen.site.cells import Cell, Link, Quantity, TierMark, Unit
from sitegen.site.inputs import SiteInputs
from sitegen.site.ledger import LINE_NAMES
from sitegen.site.page import Page
from sitegen.site.sources import constants_table
from sitegen.site.tables import Column, Row, Table
from sitegen.site.urls import url_of

TEMPLATE = "framework.html"

LINE_MEANINGS: Mapping[str, str] = {
    "reserved_os": "What the system or a desktop keeps of the GPU's memory.",
    "context": "What a process pays for opening the GPU: code, page tables, allocator.",
    "weights": "The checkpoint's tensors on this GPU: shards, replicated tensors, padding.",
    "projector": "The image tower, where the format keeps it in a file of its own (mmproj).",
    "kv": "Keys and values of every token in the context, for the layers on this GPU.",
    "state": "What recurrent layers keep per sequence, whatever its length.",
    "compute": "The peak of one forward pass: activations, logits, sampler.",
    "communication": "Buffers of the collectives between ranks.",
    "graphs": "Captured CUDA graphs.",
    "fragmentation": "Memory that the allocator holds and cannot use.",
}


@dataclass(frozen=True, slots=True)
class FrameworkView:
    """What ``framework.html`` shows. Thresholds are the engine's own."""

    marks: tuple[TierMark, ...]
    comfortable: Cell
    reference_context: Cell
    reduced_context: Cell
    speed_floor: Cell
    speed_minimum: Cell
    ledger_lines: Table
    evidence: Table
    assumptions: Table
    runtimes: tuple[Table, ...]
    runtime_links: tuple[Link, ...]


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the framework page."""
    catalog = inputs.catalog
    assessed = [
        (runtime, profile)
        for runtime in catalog.runtimes.values()
        for profile in runtime.profiles
        if profile.version == runtime.assessed_version and runtime.memory_model in PROFILED
    ]
    known = catalog.assumptions
    view = FrameworkView(
        marks=tuple(TierMark(tier) for tier in FitTier),
        comfortable=_number(known, "comfortable-utilization", Unit.PERCENT),
        reference_context=_number(known, "reference-context-tokens", Unit.TOKENS),
        reduced_context=_number(known, "reduced-context-tokens", Unit.TOKENS),
        speed_floor=_number(known, "speed-floor-tokens-per-s", Unit.TOKENS_PER_S),
        speed_minimum=_number(known, "speed-minimum-tokens-per-s", Unit.TOKENS_PER_S),
        ledger_lines=_ledger_lines(),
        evidence=_evidence(),
        assumptions=constants_table(
            tuple(known.items()), id="assumptions-table", caption="Assumptions"
        ),
        runtimes=tuple(
            constants_table(
                tuple(profile.constants.items()),
                id=f"constants-{runtime.id}",
                caption=f"{runtime.name} {profile.version}",
            )
            for runtime, profile in assessed
        ),
        runtime_links=tuple(
            Link(url_of("runtime", runtime.id), runtime.name) for runtime, _ in assessed
        ),
    )
    yield Page(
        "/framework/",
        "The framework: how a verdict is reached",
        TEMPLATE,
        view,
        "framework",
        SourceSpan("catalog/assumptions"),
        "Effective VRAM, working set, fit tiers, evidence, and every constant the engine uses, "
        "with unit, source and date.",
    )


def _number(known: Mapping[str, Constant], name: str, unit: Unit) -> Cell:
    return Quantity(known[name].value.mid, unit)


def _ledger_lines() -> Table:
    rows = tuple(Row((name, LINE_MEANINGS[line])) for line, name in LINE_NAMES.items())
    columns = (Column("Line"), Column("What it is"))
    return Table("ledger-lines", "Lines of a GPU's ledger", columns, rows)


def _evidence() -> Table:
    words = (
        ("measured", "The same model, checkpoint, runtime, GPU and link, with logs or a script."),
        ("measured-near", "Measured with one part of the tuple different, and close."),
        ("community", "Reported by somebody, not reproduced here."),
        ("extrapolated", "Computed from a measurement of something else."),
        ("estimated", "Computed from facts and constants alone."),
    )
    rows = tuple(Row((word, meaning)) for word, meaning in words)
    columns = (Column("Word"), Column("How the number is known"))
    return Table("evidence-words", "Evidence, strongest first", columns, rows)

"""The framework: the method, written around the constants that the engine itself uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sitegen.catalog.domain.models import Runtime, RuntimeProfile
from sitegen.catalog.domain.provenance import Constant, Evidence
from sitegen.fit.assessment import FitTier
from sitegen.fit.fit_engine import PROFILED
from sitegen.fit.nearest_record import NEAR, SAME
from sitegen.physics.speed.estimate import PREFILL_TOKENS
from sitegen.problems import SourceSpan
from sitegen.site.cells import Cell, EvidenceMark, Link, NumberCell, TierMark, Unit
from sitegen.site.drawings.ledger import LINE_NAMES
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.reports.constants import Group, groups, kind_of
from sitegen.site.sources import constants_table
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import url_of
from sitegen.site.words.speeds import BOUNDS
from sitegen.values import dataclass

TEMPLATE = "framework.html"
CONSTANTS_TEMPLATE = "constants.html"
CONSTANTS_URL = "/framework/constants/"

LINE_MEANINGS: Mapping[str, str] = {
    "reserved_os": "GPU memory that the system or a desktop reserves.",
    "context": "Memory that a process needs to open the GPU: code, page tables, allocator.",
    "weights": "The checkpoint's tensors on this GPU: shards, replicated tensors, padding.",
    "projector": "The part that reads images, if the format stores it in a separate file (mmproj).",
    "kv": "Keys and values of every token in the context, for the layers on this GPU.",
    "state": "A fixed amount that recurrent layers store per sequence, regardless of its length.",
    "compute": "Peak memory of one forward pass: activations, logits, sampler.",
    "communication": "Buffers for communication between ranks.",
    "graphs": "Captured CUDA graphs.",
    "fragmentation": "Memory that the allocator has reserved but cannot use.",
}

EVIDENCE: Mapping[Evidence, str] = {
    Evidence.MEASURED: "A log or a script's output for exactly this fit tuple.",
    Evidence.MEASURED_NEAR: "A log or a script's output in which one part of the fit tuple "
    "differs.",
    Evidence.COMMUNITY: "A report without a log, or a run in which several parts of the fit "
    "tuple differ.",
    Evidence.EXTRAPOLATED: "No record of this model on this hardware, but records of other models "
    "on the same GPUs with the same runtime.",
    Evidence.ESTIMATED: "Computed only from facts and constants.",
}

BOUND_MEANINGS: Mapping[str, str] = {
    "memory": "A smaller checkpoint, or GPUs with more bandwidth.",
    "compute": "GPUs with a higher rate, or a shorter prompt.",
    "link": "A faster link, a pipeline or layer split, or fewer GPUs for each replica.",
    "cpu": "Fewer layers or experts in system RAM.",
    "overhead": "Captured graphs, a newer runtime, or more concurrent users.",
}


@dataclass(frozen=True, slots=True)
class FrameworkView:
    """Values that ``framework.html`` shows. Thresholds are the engine's own."""

    marks: tuple[TierMark, ...]
    comfortable: Cell
    reference_context: Cell
    reduced_context: Cell
    speed_floor: Cell
    streams_cap: Cell
    counted_cap: Cell
    speed_minimum: Cell
    ledger_lines: Table
    evidence: Table
    bounds: Table
    first_token_prompt: Cell
    same_bits: Cell
    near_bits: Cell
    assumptions: Table
    speed_constants: Cell
    runtimes: Table


@dataclass(frozen=True, slots=True)
class ConstantsView:
    """Values that ``constants.html`` shows."""

    count: Cell
    groups: tuple[Group, ...]


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the framework page, and one with the constants of the speed model."""
    yield _framework(inputs)
    yield _constants(inputs)


def _constants(inputs: SiteInputs) -> Page:
    found = groups(inputs.catalog.assumptions)
    count = sum(len(fold.table.rows) for group in found for fold in group.folds)
    return Page(
        CONSTANTS_URL,
        "Constants of the speed model",
        CONSTANTS_TEMPLATE,
        ConstantsView(NumberCell(count, Unit.COUNT), found),
        "framework",
        SourceSpan("catalog/assumptions"),
        f"{count} constants of the speed model by kind and by family of runtimes, each with unit, "
        "status and source.",
    )


def _framework(inputs: SiteInputs) -> Page:
    catalog = inputs.catalog
    assessed = [
        (runtime, profile)
        for runtime in catalog.runtimes.values()
        for profile in runtime.profiles
        if profile.version == runtime.assessed_version and runtime.memory_model in PROFILED
    ]
    known = catalog.assumptions
    rest = tuple((name, constant) for name, constant in known.items() if not kind_of(name))
    view = FrameworkView(
        marks=tuple(TierMark(tier) for tier in FitTier),
        comfortable=_number(known, "comfortable-utilization", Unit.PERCENT),
        reference_context=_number(known, "reference-context-tokens", Unit.TOKENS),
        reduced_context=_number(known, "reduced-context-tokens", Unit.TOKENS),
        speed_floor=_number(known, "speed-floor-tokens-per-s", Unit.TOKENS_PER_S),
        streams_cap=_number(known, "aggregate-streams-cap", Unit.COUNT),
        counted_cap=_number(known, "counted-sequences-cap", Unit.COUNT),
        speed_minimum=_number(known, "speed-minimum-tokens-per-s", Unit.TOKENS_PER_S),
        ledger_lines=_ledger_lines(),
        evidence=_evidence(),
        bounds=_bounds(),
        first_token_prompt=NumberCell(PREFILL_TOKENS, Unit.TOKENS),
        same_bits=NumberCell(SAME, Unit.PERCENT),
        near_bits=NumberCell(NEAR, Unit.PERCENT),
        assumptions=constants_table(rest, id="assumptions-table", caption="Thresholds and memory"),
        speed_constants=NumberCell(len(known) - len(rest), Unit.COUNT),
        runtimes=_runtimes(assessed),
    )
    return Page(
        "/framework/",
        "The framework: how we reach a verdict",
        TEMPLATE,
        view,
        "framework",
        SourceSpan("catalog/assumptions"),
        "Effective VRAM, working set, fit tiers, evidence, the speed model, and every constant "
        "with unit, source and date.",
    )


def _number(known: Mapping[str, Constant], name: str, unit: Unit) -> Cell:
    return NumberCell(known[name].value.mid, unit)


def _ledger_lines() -> Table:
    rows = tuple(Row((name, LINE_MEANINGS[line])) for line, name in LINE_NAMES.items())
    columns = (Column("Line"), Column("Meaning"))
    return Table("ledger-lines", "Lines of a GPU's memory ledger", columns, rows)


def _evidence() -> Table:
    rows = tuple(Row((EvidenceMark(word), meaning)) for word, meaning in EVIDENCE.items())
    columns = (Column("Word"), Column("Meaning"))
    return Table("evidence-words", "Evidence, strongest first", columns, rows)


def _bounds() -> Table:
    rows = tuple(Row((words, BOUND_MEANINGS[code])) for code, words in BOUNDS.items())
    columns = (Column("Limited by"), Column("Fix", key="remedy"))
    return Table("speed-bounds", "What limits the speed, and what helps", columns, rows)


def _runtimes(assessed: list[tuple[Runtime, RuntimeProfile]]) -> Table:
    columns = (Column("Runtime"), Column("Version"), Column("Constants", numeric=True))
    rows = tuple(
        Row(
            (
                Link(f"{url_of('runtime', runtime.id)}#constants-heading", runtime.name),
                runtime.release(profile.version),
                NumberCell(len(profile.constants), Unit.COUNT),
            )
        )
        for runtime, profile in assessed
    )
    return Table("runtime-constants", "Memory constants of each runtime", columns, rows)

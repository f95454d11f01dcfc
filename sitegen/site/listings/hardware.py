"""Tables of GPUs, links and combos."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, Gpu, Interconnect, UnifiedMemory
from sitegen.engine.assessment import Assessment, ComboSurvey, FitTier, RefusedPlan
from sitegen.site.cells import (
    NOT_APPLICABLE,
    NOT_RECORDED,
    Absent,
    Cell,
    EvidenceMark,
    Lines,
    Link,
    Parts,
    Quantity,
    Small,
    TierMark,
    Unit,
    joined,
    recorded,
    span,
)
from sitegen.site.hardware import plain_gpus
from sitegen.site.plans import effective_words, refused_words
from sitegen.site.sentences import reason_sentence
from sitegen.site.tables import Column, Row, Table
from sitegen.site.urls import url_of
from sitegen.site.verdicts import checkpoint_name, row_link


def installed_memory(gpu: Gpu) -> Cell:
    """Marketing size of a card, or the sizes that a chip is sold with."""
    if isinstance(gpu.memory, UnifiedMemory):
        return joined(tuple(Quantity(size, Unit.GIB) for size in gpu.memory.options_bytes))
    return Quantity(gpu.memory.installed_bytes, Unit.GIB)


def visible_memory(gpu: Gpu) -> Cell:
    """What a process sees."""
    if isinstance(gpu.memory, UnifiedMemory):
        return Parts((span(gpu.memory.default_fraction, Unit.PERCENT), " of the memory by default"))
    return Quantity(gpu.memory.visible_bytes, Unit.GIB)


def gpus_table(gpus: Iterable[Gpu], *, id: str, caption: str) -> Table:
    """List GPUs with what decides fit and speed."""
    columns = (
        Column("GPU"),
        Column("Memory", numeric=True, note="installed"),
        Column("Visible", numeric=True, note="to a process"),
        Column("Bandwidth", numeric=True),
        Column("Dense FP16", numeric=True),
        Column("Power", numeric=True),
        Column("Architecture"),
    )
    rows = tuple(
        Row(
            (
                Link(url_of("gpu", gpu.id), gpu.name),
                installed_memory(gpu),
                visible_memory(gpu),
                Quantity(gpu.memory_bandwidth_bytes_per_s, Unit.GB_PER_S),
                recorded(gpu.fp16_flops_per_s, Unit.TFLOPS),
                recorded(gpu.tdp_watts, Unit.WATTS),
                gpu.architecture,
            )
        )
        for gpu in gpus
    )
    return Table(id, caption, columns, rows, counted=True)


def bandwidth_cell(link: Interconnect) -> Cell:
    """What a collective sees of a link."""
    if link.bus_bandwidth_bytes_per_s is None:
        return NOT_RECORDED
    return span(link.bus_bandwidth_bytes_per_s, Unit.GB_PER_S)


def latency_cell(link: Interconnect) -> Cell:
    """What an empty all-reduce between two ranks costs on a link."""
    return NOT_RECORDED if link.latency_s is None else span(link.latency_s, Unit.MICROSECONDS)


def largest(assessment: Assessment | None) -> Cell:
    """Name the model of a combo-level answer, its checkpoint, and its tier unless comfortable."""
    if assessment is None:
        return Absent("none fits")
    remark: tuple[Cell, ...] = (checkpoint_name(assessment),)
    if assessment.tier is not FitTier.COMFORTABLE:
        remark = (*remark, ", ", TierMark(assessment.tier))
    return Lines((Link(row_link(assessment), assessment.model.name), Small(Parts(remark))))


def combo_heading(combo: Combo) -> Cell:
    """Name a combo, and its GPUs where the name does not already."""
    link = Link(url_of("combo", combo.id), combo.name)
    gpus = plain_gpus(combo)
    told = {combo.name, combo.name.replace("× ", " × "), f"1 × {combo.name}"}
    return link if gpus in told else Lines((link, Small(gpus)))


def effective_vram(survey: ComboSurvey) -> Cell:
    """The most that one replica can fill under any plan of a combo."""
    most = max((row.bytes for row in survey.effective_vram), default=None)
    return NOT_APPLICABLE if most is None else Quantity(most, Unit.GIB)


def combos_table(
    surveys: Iterable[ComboSurvey],
    *,
    id: str,
    caption: str,
) -> Table:
    """List combos with the two answers and the number of models per tier."""
    columns = (
        Column("Combo"),
        Column("Installed", numeric=True),
        Column("Effective", numeric=True, note="one replica, at most"),
        Column("Largest single model"),
        Column("Comfortable", numeric=True),
        Column("Borderline", numeric=True),
        Column("Not practical", numeric=True),
    )
    rows = tuple(_combo_row(survey) for survey in surveys)
    return Table(id, caption, columns, rows, counted=True)


def _combo_row(survey: ComboSurvey) -> Row:
    combo = survey.combo
    return Row(
        (
            combo_heading(combo),
            Quantity(combo.installed_vram_bytes, Unit.GIB),
            effective_vram(survey),
            largest(survey.largest_single_model),
            *(Quantity(len(survey.tier(tier)), Unit.COUNT) for tier in FitTier),
        )
    )


def effective_table(survey: ComboSurvey, catalog: Catalog, *, id: str = "effective") -> Table:
    """List what one replica can fill under each plan of a combo, most first."""
    columns = (
        Column("Plan"),
        Column("Runtime"),
        Column("Effective VRAM", numeric=True, note="one replica"),
        Column("For the model", numeric=True, note="overhead deducted"),
        Column("Replicas", numeric=True),
        Column("Remark"),
    )
    rows = tuple(
        Row(
            (
                effective_words(row),
                Link(url_of("runtime", row.runtime.id), row.runtime.name),
                Quantity(row.bytes, Unit.GIB),
                Quantity(row.for_weights_and_kv_bytes, Unit.GIB),
                Quantity(row.replicas, Unit.COUNT),
                "–" if row.note is None else reason_sentence(row.note, catalog),
            )
        )
        for row in sorted(survey.effective_vram, key=lambda row: -row.bytes)
    )
    return Table(id, "Effective VRAM of one replica, by plan", columns, rows)


def refused_table(
    refused: Iterable[RefusedPlan],
    catalog: Catalog,
    *,
    caption: str,
    id: str = "refused",
) -> Table:
    """List plans that a rule refuses, each with the rule's sentence."""
    rows = tuple(
        Row((refused_words(plan), reason_sentence(plan.reason, catalog), plan.reason.code))
        for plan in refused
    )
    columns = (Column("Plan"), Column("Why it is refused"), Column("Rule"))
    return Table(id, caption, columns, rows, counted=True)


def interconnects_table(
    links: Iterable[Interconnect],
    *,
    id: str,
    caption: str,
) -> Table:
    """List links with line rate, what a collective sees, and latency."""
    columns = (
        Column("Link"),
        Column("Line rate", numeric=True, note="one direction"),
        Column("Collective", numeric=True, note="low–high"),
        Column("Latency", numeric=True, note="low–high"),
        Column("Evidence"),
    )
    rows = tuple(
        Row(
            (
                link.name,
                recorded(link.nominal_bytes_per_s, Unit.GB_PER_S),
                bandwidth_cell(link),
                latency_cell(link),
                EvidenceMark(link.evidence),
            )
        )
        for link in links
    )
    return Table(id, caption, columns, rows, counted=True)

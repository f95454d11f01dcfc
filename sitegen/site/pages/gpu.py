"""GPU pages: facts, what one and several run, and the combos that use it, at ``/gpus/<id>/``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, DedicatedMemory, Gpu, GpuBody, Vendor
from sitegen.ownership.prices import smallest_size, to_rent
from sitegen.quality.values import Ratings
from sitegen.site.cells import (
    NOT_APPLICABLE,
    Absent,
    Cell,
    EvidenceMark,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    Unit,
    joined,
    recorded,
    span,
)
from sitegen.site.combo.gpu_answers import GpuAnswers, gpu_answers, kinds_by_gpu
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Lazy, Page, unheard
from sitegen.site.sources import sources_table
from sitegen.site.table import Fold, Table, facts
from sitegen.site.tables.combos import combos_table
from sitegen.site.tables.counts import runs_tables
from sitegen.site.tables.hardware import installed_memory, visible_memory
from sitegen.site.tables.measured import RunTally, measured_by_gpu, measured_of_gpu
from sitegen.site.urls import url_of
from sitegen.site.words.hardware import VENDOR_NAMES
from sitegen.site.words.prices import (
    gpu_price_cell,
    in_several_sizes,
    money,
    newest_observations,
    observed_cell,
)
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.gpu_grid import OneKind
from sitegen.survey.results import ComboSurvey
from sitegen.units import GIB
from sitegen.values import dataclass

TEMPLATE = "gpu.html"
SHOWN = 20
"""Models of one machine that the page lists; its files have all."""
FOLDED = 10
"""The same where a reader unfolds a larger machine."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Models that machines with this GPU run: on the smallest, then those that larger ones add.

    ``files`` are the tables in full, which the page shows the best of.
    """

    link: str
    """The link between several; empty where there is only one."""
    first: Table
    rest: tuple[Fold, ...]
    files: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class GpuView:
    """Values that ``gpu.html`` shows."""

    gpu: Gpu
    maker: str
    answers: GpuAnswers
    figures: tuple[tuple[str, Cell], ...]
    machines: tuple[Link, ...]
    matrix: Link
    facts: Table
    runs: Runs | None
    combos: Table
    measured: Table
    sources: Table


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield one page per GPU."""
    measured = measured_by_gpu(inputs.catalog)
    with unheard():
        kinds = kinds_by_gpu(inputs)
        combos = _combos_by_gpu(one.combo for one in inputs.survey.combos.values())
        ids = tuple(inputs.catalog.gpus)
    for id_ in ids:
        with unheard() as own:
            listed = {one.combo.id for kind in kinds[id_] for one in kind.listed.values()}
            surveys = {one: inputs.survey.combos[one] for one in (*combos.get(id_, ()), *listed)}
            using = tuple(surveys[one] for one in combos.get(id_, ()))
            gpu = inputs.catalog.gpus[id_]
            page = _page(gpu, inputs, measured.get(id_, {}), kinds=kinds[id_], using=using)
        yield replace(page, read=tuple(own))


def _combos_by_gpu(combos: Iterable[Combo]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for combo in combos:
        for gpu_id in dict.fromkeys(combo.gpu_ids):
            found[gpu_id] = (*found.get(gpu_id, ()), combo.id)
    return found


def _page(
    gpu: Gpu,
    inputs: SiteInputs,
    measured: Mapping[str, RunTally],
    *,
    kinds: tuple[OneKind, ...],
    using: tuple[ComboSurvey, ...],
) -> Page:
    maker = VENDOR_NAMES[gpu.vendor]
    needs = inputs.survey.needs.get(gpu.id, ())

    def view() -> GpuView:
        return GpuView(
            gpu=gpu,
            maker=maker,
            answers=gpu_answers(kinds, needs, inputs),
            figures=tuple(_figures(gpu, inputs.catalog)),
            machines=tuple(Link(url_of("combo", one.combo.id), one.combo.name) for one in using),
            matrix=Link(f"/matrix/index.html?gpu={gpu.id}", "Filter the models in the matrix"),
            facts=_facts(gpu, inputs.catalog),
            runs=_runs(needs, inputs.engine.ratings),
            combos=combos_table(using, id="combos", caption=f"Machines with {gpu.name}"),
            measured=measured_of_gpu(measured, inputs.catalog, id="measured-models"),
            sources=sources_table(gpu.sources),
        )

    return Page(
        url_of("gpu", gpu.id),
        question(gpu, maker),
        TEMPLATE,
        Lazy(view),
        "gpu",
        gpu.span,
        f"{maker} {gpu.name}: the best models for one or several of them, with commands, "
        f"price, memory, power and links{_machines(len(using))}.",
        sources=gpu.sources,
        given=" ".join(_told(using, kinds)),
    )


def _told(using: Iterable[ComboSurvey], kinds: Iterable[OneKind]) -> Iterator[str]:
    """Name the machines with a GPU, and those that are put together of it, with their links."""
    yield from (survey.combo.id for survey in using)
    for kind in kinds:
        for count, combo in kind.machines.items():
            link = combo.nodes[0].link
            yield f"{kind.each_bytes} {count} {combo.id} {link.id if link else ''}"


def question(gpu: Gpu, maker: str) -> str:
    """Ask the question of a page; a record of processors is named by their RAM or by a board."""
    if gpu.vendor is Vendor.CPU:
        if gpu.name.startswith("DDR"):
            return f"What can a processor with {gpu.name.replace(', ', ' in ')} run?"
        return f"What can the {gpu.name} run?"
    return f"What can the {maker} {gpu.name} run?"


def _machines(count: int) -> str:
    """Count machines in a sentence; say nothing of none."""
    if not count:
        return ""
    return ", and 1 machine with it" if count == 1 else f", and {count} machines with it"


def _runs(needs: tuple[GpusNeeded, ...], ratings: Ratings) -> Runs | None:
    tables = tuple(runs_tables(needs, ratings))
    if not tables:
        return None
    link = next((need.link.name for need in needs if need.link is not None), "")
    rest = tuple(
        Fold(f"{heading} ({len(table.rows)})", _best_of(table, FOLDED))
        for heading, table in tables[1:]
    )
    files = tuple(replace(table, on_page=False) for _, table in tables)
    return Runs(link, _best_of(tables[0][1], SHOWN), rest, files)


def _best_of(table: Table, most: int) -> Table:
    """Cut a table to its first rows."""
    more = len(table.rows) - most
    caption = (
        table.caption if more <= 0 else f"{table.caption}: the best {most} of {len(table.rows)}"
    )
    return replace(
        table, caption=caption, rows=table.rows[:most], counted=more <= 0, in_files=False
    )


def _figures(gpu: Gpu, catalog: Catalog) -> Iterator[tuple[str, Cell]]:
    """Yield what a reader compares GPUs by, the price first."""
    yield from _price_figures(gpu)
    yield "Memory", installed_memory(gpu)
    yield "Bandwidth", NumberCell(gpu.memory_bandwidth_bytes_per_s, Unit.GB_PER_S)
    yield "Power", recorded(gpu.tdp_watts, Unit.WATTS)
    names = [catalog.interconnects[link].name for link in gpu.links]
    bus = [catalog.interconnects[gpu.bus].name] if gpu.bus else []
    if names or bus:
        yield "Links", ", ".join((*names, *bus))


def _price_figures(gpu: Gpu) -> Iterator[tuple[str, Cell]]:
    """Yield what one costs to buy and to rent; each says whether it is new, and of which day."""
    yield "Price", gpu_price_cell(gpu)
    rent = to_rent(gpu)
    if rent is not None:
        hour = money(float(rent.amount), rent.currency, an_hour=True)
        yield "Rent", Lines((hour, Small(rent.date)))


FORMS = {
    "card": "PCIe card",
    "sxm": "SXM module",
    "oam": "OAM module",
    "laptop": "built into a laptop",
}
COOLERS = {"active": "its own fans", "passive": "heat sink; the case fans must blow air through it"}


def _body(body: GpuBody) -> Iterator[tuple[str, Cell]]:
    """Yield the recorded facts of a GPU's body: form, size, connectors, cooling."""
    if body.form:
        yield "Form factor", FORMS.get(body.form, body.form)
    if body.slots is not None:
        yield "Slots covered", NumberCell(body.slots, Unit.COUNT)
    if body.length_mm is not None:
        yield "Length", NumberCell(body.length_mm, Unit.MILLIMETRES)
    if body.power_connectors:
        yield "Power connectors", body.power_connectors
    if body.cooler:
        yield "Cooling", COOLERS.get(body.cooler, body.cooler)


def _ram_link(gpu: Gpu) -> Iterator[tuple[str, Cell]]:
    """Yield the rate at which a GPU reads the RAM of a processor on its module."""
    if gpu.ram_link_bytes_per_s is not None:
        yield "Speed of reading the processor's RAM", span(gpu.ram_link_bytes_per_s, Unit.GB_PER_S)


def _observed(gpu: Gpu) -> Iterator[tuple[str, Cell]]:
    """Yield the newest price of each kind with day and source."""
    for name, price in newest_observations(gpu):
        yield f"{name}{_with_memory(price.memory_bytes or 0)}", observed_cell(price)


def _launch_price_name(gpu: Gpu) -> str:
    several = in_several_sizes(gpu) and gpu.launch_price_usd is not None
    return f"Price at launch{_with_memory(smallest_size(gpu) if several else 0)}"


def _with_memory(size: int) -> str:
    return f", {size // GIB} GiB" if size else ""


def _facts(gpu: Gpu, catalog: Catalog) -> Table:
    capability = gpu.compute_capability
    links = tuple(catalog.interconnects[link].name for link in gpu.links)
    evidence: Cell = ""
    if isinstance(gpu.memory, DedicatedMemory):
        evidence = Parts((" (", EvidenceMark(gpu.memory.visible_evidence), ")"))
    pairs: tuple[tuple[str, Cell], ...] = (
        ("Vendor", VENDOR_NAMES[gpu.vendor]),
        ("Architecture", gpu.architecture),
        ("Segment", gpu.segment),
        ("Memory installed", installed_memory(gpu)),
        ("Memory visible to programs", Parts((visible_memory(gpu), evidence))),
        ("Memory bandwidth", NumberCell(gpu.memory_bandwidth_bytes_per_s, Unit.GB_PER_S)),
        ("Dense FP16", recorded(gpu.fp16_flops_per_s, Unit.TFLOPS)),
        ("Dense FP8", recorded(gpu.fp8_flops_per_s, Unit.TFLOPS)),
        ("Dense FP4", recorded(gpu.fp4_flops_per_s, Unit.TFLOPS)),
        ("Dense INT8", recorded(gpu.int8_ops_per_s, Unit.TOPS)),
        ("Rates stated at", recorded(gpu.rates_at_hz, Unit.MHZ)),
        (
            "Compute capability",
            f"{capability[0]}.{capability[1]}" if capability else NOT_APPLICABLE,
        ),
        ("Multiprocessors", recorded(gpu.multiprocessors, Unit.COUNT)),
        ("Host link", catalog.interconnects[gpu.bus].name if gpu.bus else Absent()),
        *_ram_link(gpu),
        ("Links between GPUs", joined(links) if links else Absent("none except the host link")),
        ("Power", recorded(gpu.tdp_watts, Unit.WATTS)),
        *_body(gpu.body),
        *_observed(gpu),
        (_launch_price_name(gpu), recorded(gpu.launch_price_usd, Unit.USD)),
        ("On sale since", gpu.launched or Absent()),
    )
    return facts("facts", "Facts", pairs)

"""The page on which readers compose a build, at ``/custom/``."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Gpu, OperatingSystem, UnifiedMemory, Vendor
from sitegen.fit.assessment import PlanGoal
from sitegen.fit.fit_engine import PROFILED
from sitegen.problems import SourceSpan
from sitegen.site.cells import Cell, NumberCell, Unit
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.urls import CUSTOM_URL
from sitegen.site.words.hardware import VENDOR_NAMES
from sitegen.survey.composed_build import KV_BITS
from sitegen.units import GIB
from sitegen.values import dataclass

TEMPLATE = "custom.html"
ENGINE_URL = "/assets/custom-engine.js"
MODEL_URL = "/assets/custom-model.js"
"""Script with the details of one model, loaded when a reader opens the first."""
DATA_URLS = tuple(f"/assets/custom-data-{piece}.js" for piece in range(1, 10))
"""One script of them all would hold up the page while a browser reads it."""
NETWORK = "ethernet-10g"
"""The link between machines that a reader begins with, where the catalog has it."""
CONTEXTS = (4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 262_144, 1_048_576)
GOALS = {
    "": "Auto: typical use of this hardware",
    PlanGoal.LATENCY: "One user: the fastest answer",
    PlanGoal.THROUGHPUT: "Many users: most tokens per second in total",
    PlanGoal.LARGEST_MODEL: "Long context: most free memory",
}
SYSTEMS = {
    OperatingSystem.LINUX: "Linux",
    OperatingSystem.WINDOWS: "Windows",
    OperatingSystem.MACOS: "macOS",
}
KV_WORDS = {16: "16 bits", 8: "8 bits", 4: "4 bits (llama.cpp and programs built on it)"}


@dataclass(frozen=True, slots=True)
class HardwareOption:
    """An option of a list; ``memories`` in GiB and ``system`` are those of a chip's machine."""

    value: str
    words: str
    memories: tuple[int, ...] = ()
    system: str = ""


@dataclass(frozen=True, slots=True)
class CustomView:
    """Values that ``custom.html`` shows: the choices of each list, and the scripts it loads."""

    engine_url: str
    data_urls: tuple[str, ...]
    model_url: str
    gpus: tuple[tuple[str, tuple[HardwareOption, ...]], ...]
    combos: tuple[HardwareOption, ...]
    links: tuple[HardwareOption, ...]
    networks: tuple[HardwareOption, ...]
    network: str
    systems: tuple[HardwareOption, ...]
    runtimes: tuple[HardwareOption, ...]
    goals: tuple[HardwareOption, ...]
    goal: str
    cache_bits: tuple[HardwareOption, ...]
    contexts: tuple[int, ...]
    models: Cell


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the one page."""
    catalog = inputs.catalog
    words = "Put together a machine from any GPUs and see which models run on it, how and why."
    source = SourceSpan(f"templates/{TEMPLATE}")
    view = _view(catalog)
    yield Page(
        CUSTOM_URL, "Custom build: what runs on it?", TEMPLATE, view, "custom", source, words
    )


def _view(catalog: Catalog) -> CustomView:
    links = catalog.interconnects.values()
    return CustomView(
        engine_url=ENGINE_URL,
        data_urls=DATA_URLS,
        model_url=MODEL_URL,
        gpus=tuple(
            (VENDOR_NAMES[vendor], found)
            for vendor in Vendor
            if (found := tuple(_gpu(one) for one in catalog.gpus.values() if one.vendor is vendor))
        ),
        combos=tuple(HardwareOption(one.id, one.name) for one in catalog.combos.values()),
        links=tuple(HardwareOption(one.id, one.name) for one in links if not one.between_nodes),
        networks=tuple(HardwareOption(one.id, one.name) for one in links if one.between_nodes),
        network=NETWORK,
        systems=tuple(HardwareOption(system, words) for system, words in SYSTEMS.items()),
        runtimes=tuple(
            HardwareOption(one.id, one.name)
            for one in catalog.runtimes.values()
            if one.memory_model in PROFILED and one.assessed_version
        ),
        goals=tuple(HardwareOption(goal, words) for goal, words in GOALS.items()),
        goal="",
        cache_bits=tuple(HardwareOption(str(bits), KV_WORDS[bits]) for bits in KV_BITS),
        contexts=CONTEXTS,
        models=NumberCell(len(catalog.surveyed_models), Unit.COUNT),
    )


def _gpu(gpu: Gpu) -> HardwareOption:
    memory = gpu.memory
    if not isinstance(memory, UnifiedMemory):
        return HardwareOption(gpu.id, gpu.name)
    system = OperatingSystem.MACOS if gpu.vendor is Vendor.APPLE else ""
    return HardwareOption(
        gpu.id, gpu.name, tuple(size // GIB for size in memory.options_bytes), system
    )

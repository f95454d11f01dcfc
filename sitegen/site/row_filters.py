"""Filters for the rows of an index; each row says its own values as facets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sitegen.catalog.domain.hardware import Combo, Gpu, UnifiedMemory
from sitegen.catalog.domain.models import LanguageModel
from sitegen.physics.model_facts import ModelFacts
from sitegen.site.words.hardware import VENDOR_NAMES
from sitegen.site.words.prices import build_usd, gpu_usd
from sitegen.units import GIB
from sitegen.values import dataclass

Facets = tuple[tuple[str, str], ...]
LINK_NAMES: Mapping[str, str] = {
    "ethernet": "Ethernet",
    "infiniband": "InfiniBand",
    "nvlink": "NVLink",
    "oculink": "OCuLink",
    "pcie": "PCIe",
    "thunderbolt": "Thunderbolt",
    "ualink": "UALink",
    "xgmi": "xGMI",
    "none": "None needed",
}
BILLION = 10**9
PRICE_NOTE = (
    "Prices are for the GPUs only: the newest that we have seen, or the launch price. "
    "If you set a limit, rows without a price disappear."
)


@dataclass(frozen=True, slots=True)
class WordFilter:
    """A filter by one of several words: rows whose facet ``name`` has the word stay."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    """Value and printed word."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A number: rows stay whose facet ``name`` is known and at least, or at most, as large."""

    name: str
    label: str
    most: bool
    unit: str


@dataclass(frozen=True, slots=True)
class Choosing:
    """Every control of a page, and what its rows are called."""

    noun: str
    controls: tuple[WordFilter | Bound, ...]
    note: str = ""


def combo_facets(combo: Combo) -> Facets:
    """Vendor, links, installed GiB, and what the GPUs cost where all prices are known."""
    vendors = sorted({gpu.gpu.vendor for gpu in combo.gpus})
    links = {node.link.kind for node in combo.nodes if node.link}
    links |= {combo.network.kind} if combo.network else set()
    return (
        ("vendor", " ".join(vendors)),
        ("link", " ".join(sorted(links)) or "none"),
        ("vram", str(combo.installed_vram_bytes // GIB)),
        *_price(build_usd(combo)),
    )


def choosing_combos(combos: Iterable[Combo]) -> Choosing:
    """Controls of the index of combos."""
    rows = [dict(combo_facets(combo)) for combo in combos]
    return Choosing(
        "machines",
        (
            WordFilter("vendor", "Vendor", _options(rows, "vendor", VENDOR_NAMES)),
            WordFilter("link", "Interconnect", _options(rows, "link", LINK_NAMES)),
            Bound("vram", "VRAM, at least", most=False, unit="GiB"),
            Bound("price", "Price, at most", most=True, unit="USD"),
        ),
        PRICE_NOTE,
    )


def gpu_facets(gpu: Gpu) -> Facets:
    """Vendor, GiB (the most that a chip with shared memory is sold with), and what one costs."""
    memory = gpu.memory
    size = (
        max(memory.options_bytes) if isinstance(memory, UnifiedMemory) else memory.installed_bytes
    )
    return (
        ("vendor", str(gpu.vendor)),
        ("vram", str(size // GIB)),
        *_price(gpu_usd(gpu)),
    )


def choosing_gpus(gpus: Iterable[Gpu]) -> Choosing:
    """Controls of the index of GPUs."""
    rows = [dict(gpu_facets(gpu)) for gpu in gpus]
    return Choosing(
        "GPUs",
        (
            WordFilter("vendor", "Vendor", _options(rows, "vendor", VENDOR_NAMES)),
            Bound("vram", "VRAM, at least", most=False, unit="GiB"),
            Bound("price", "Price, at most", most=True, unit="USD"),
        ),
        PRICE_NOTE,
    )


def model_facets(model: LanguageModel, facts: ModelFacts) -> Facets:
    """Organization and licence as words of an address, parameters in billions."""
    return (
        ("maker", slug(model.organization)),
        ("licence", slug(model.license)),
        ("size", f"{facts.all_parameters / BILLION:.4g}"),
    )


def choosing_models(models: Iterable[tuple[LanguageModel, ModelFacts]]) -> Choosing:
    """Controls of the index of models."""
    listed = tuple(models)
    makers = {slug(model.organization): model.organization for model, _ in listed}
    licences = {slug(model.license): model.license for model, _ in listed}
    rows = [dict(model_facets(model, facts)) for model, facts in listed]
    return Choosing(
        "models",
        (
            WordFilter("maker", "Organization", _options(rows, "maker", makers)),
            WordFilter("licence", "License", _options(rows, "licence", licences)),
            Bound("size", "Parameters, at most", most=True, unit="billion"),
        ),
    )


def slug(text: str) -> str:
    """Write a name as one word of an address.

    >>> slug("Alibaba (Qwen)")
    'alibaba-qwen'
    """
    plain = "".join(c if c.isascii() and c.isalnum() else " " for c in text.lower())
    return "-".join(plain.split())


def _price(usd: int | None) -> Facets:
    return () if usd is None else (("price", str(usd)),)


def _options(
    rows: Iterable[Mapping[str, str]], name: str, words: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """List the values that rows have, by their printed words."""
    found = {value for row in rows for value in row[name].split()}
    return tuple(sorted(((v, words[v]) for v in found), key=lambda pair: pair[1].casefold()))

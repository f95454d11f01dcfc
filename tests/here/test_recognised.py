"""Recorded machines in the catalog's words: ids, links, and the combo that the engine judges."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import OperatingSystem, UnifiedMemory
from sitegen.cli.questions.projects import catalog_at
from sitegen.cli.session import CliSession
from sitegen.here.machine import ActiveLinks, FoundGpu, MachineReport, Pair, PcieLink
from sitegen.here.recognised import UnjudgedError, combo_here, recognised
from sitegen.units import GIB, MIB
from tests.cli.small_project import REPOSITORY
from tests.here.machines import machine

IDS = {
    "2x-rtx-3090-lspci": [("rtx-3090",), ("rtx-3090",)],
    "2x-rtx-3090-nvlink": [("rtx-3090",), ("rtx-3090",)],
    "3x-rtx-a6000": [("rtx-a6000",)] * 3,
    "arc-a770": [("arc-a770-16gb",)],
    "arc-b580": [("arc-b580",)],
    "dgx-spark": [("dgx-spark",)],
    "h100-sxm": [("h100-sxm",)],
    "h200-mig": [("h200-sxm",)],
    "l40s": [("l40s",)],
    "linux-without-gpu": [],
    "macbook-air-m1": [("apple-m1",)],
    "macbook-air-m4": [("apple-m4",)],
    "mi100": [("mi100",)] * 4,
    "rtx-4080-super": [("rtx-4080-super",)],
    "rx-570": [()],
    "rx-6700-xt": [("rx-6700-xt",)],
    "rx-7800-xt": [()],
    "rx-7900-xt": [("rx-7900-xt",)],
    "rx-9070-xt": [("rx-9070", "rx-9070-xt")],
    "strix-halo": [()],
    "windows-rtx-2080-super": [("rtx-2080-super",)],
}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return catalog_at(CliSession(given_root=REPOSITORY))


@pytest.mark.parametrize("name", IDS)
def test_gpus_get_the_ids_of_the_catalog(name: str, catalog: Catalog) -> None:
    assert [one.ids for one in recognised(machine(name), catalog)] == IDS[name]


def test_a_device_that_a_gpu_without_record_shares_stays_open(catalog: Catalog) -> None:
    (one,) = recognised(machine("rx-6700-xt"), catalog)
    assert (one.or_another, one.id) == (True, "")  # the RX 6800M has as much memory


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("linux-without-gpu", "reports a GPU"),
        ("h200-mig", "MIG"),
        ("rx-9070-xt", "rx-9070 or rx-9070-xt"),
        ("rx-6700-xt", "without a record"),
        ("rx-570", "sitegen new gpu"),
        ("dgx-spark", "no tool reports how much memory"),
    ],
)
def test_what_cannot_be_told_is_refused_and_why(name: str, words: str, catalog: Catalog) -> None:
    with pytest.raises(UnjudgedError, match=words):
        combo_here(machine(name), catalog)


def test_only_free_memory_counts_and_the_reader_is_told(catalog: Catalog) -> None:
    combo, notes = combo_here(machine("2x-rtx-3090-nvlink"), catalog)
    assert [one.visible_bytes for one in combo.gpus] == [1502 * MIB, 1470 * MIB]
    assert len(notes) == 2
    assert "1.5 of 24.0 GiB are free" in notes[0]


def test_what_windows_holds_is_not_taken_off_twice(catalog: Catalog) -> None:
    combo, _ = combo_here(machine("windows-rtx-2080-super"), catalog)
    held = catalog.assumptions["reserved-windows-gib"].value.mid * GIB
    assert combo.nodes[0].operating_system is OperatingSystem.WINDOWS
    assert combo.gpus[0].visible_bytes - held == pytest.approx(7191 * MIB)


def test_a_pair_with_a_bridge_is_joined_by_it(catalog: Catalog) -> None:
    link = combo_here(machine("2x-rtx-3090-nvlink"), catalog)[0].nodes[0].link
    assert link is not None
    assert link.id == "nvlink-bridge-ga102"


def test_a_bridge_between_two_of_three_is_not_the_link(catalog: Catalog) -> None:
    combo, notes = combo_here(machine("3x-rtx-a6000"), catalog)
    link = combo.nodes[0].link
    assert link is not None
    assert link.id == "pcie-4-x16"
    assert "NVLink connects only some" in notes[0]


def mesh(gpu: str, word: str, count: int, links: int) -> MachineReport:
    """Some equal GPUs, every pair of which is joined in one way."""
    gpus = tuple(FoundGpu(gpu, "nvidia", at) for at in range(count))
    pairs = tuple(Pair(a, b, word) for a in range(count) for b in range(a + 1, count))
    rates = tuple(ActiveLinks(at, (1,) * links) for at in range(count))
    return MachineReport(gpus=gpus, pairs=pairs, links=rates)


@pytest.mark.parametrize(
    ("found", "id"),
    [
        (mesh("NVIDIA H100 80GB HBM3", "NV18", 8, 18), "nvswitch-gen3"),
        (mesh("NVIDIA H100 80GB HBM3", "NV6", 4, 18), "nvlink-4"),
        (mesh("NVIDIA A100-SXM4-80GB", "NV12", 8, 12), "nvlink-3"),
        (mesh("NVIDIA GeForce RTX 4090", "NODE", 2, 0), "pcie-4-x16"),
    ],
)
def test_a_switch_is_told_from_links_between_pairs(
    found: MachineReport, id: str, catalog: Catalog
) -> None:
    link = combo_here(found, catalog)[0].nodes[0].link
    assert link is not None
    assert link.id == id


@pytest.mark.parametrize(
    ("pcie", "id", "told"),
    [
        (PcieLink(1, 8, 4, 16), "pcie-4-x8", False),  # at rest, in a slot with eight lanes
        (PcieLink(3, 16, 3, 16), "pcie-3-x16", False),
        (PcieLink(4, 2, 4, 16), "pcie-3-x4", False),  # the fastest that is not faster
        (PcieLink(2, 1, 2, 16), "pcie-3-x4", True),  # the catalog has nothing as slow
    ],
)
def test_the_slowest_slot_is_the_link(
    pcie: PcieLink, id: str, told: bool, catalog: Catalog
) -> None:
    fast = FoundGpu("NVIDIA GeForce RTX 4090", "nvidia", 0, pcie=PcieLink(4, 16, 4, 16))
    slow = replace(fast, index=1, pcie=pcie)
    combo, notes = combo_here(MachineReport(gpus=(fast, slow), pairs=(Pair(0, 1, "PHB"),)), catalog)
    link = combo.nodes[0].link
    assert link is not None
    assert link.id == id
    assert any("slower than" in note for note in notes) is told


def chip(name: str, vendor: str, ram: float, **others: object) -> MachineReport:
    """A machine whose GPU shares its memory."""
    gpu = FoundGpu(name, vendor, 0)
    return replace(MachineReport(gpus=(gpu,), ram_bytes=int(ram * GIB)), **others)  # type: ignore[arg-type]


def usable(found: MachineReport, catalog: Catalog) -> tuple[int, float, float]:
    """Size that is sold, share by default, and what stays with the system when it is raised."""
    (one,) = combo_here(found, catalog)[0].gpus
    memory = one.gpu.memory
    assert isinstance(memory, UnifiedMemory)
    raised = memory.reserve_of(one.installed_bytes) / GIB
    return one.installed_bytes // GIB, memory.fraction_of(one.installed_bytes).mid, raised


def test_shared_memory_is_the_size_that_is_sold(catalog: Catalog) -> None:
    size, share, _ = usable(chip("NVIDIA GB10", "nvidia", 121.7), catalog)
    own = catalog.gpus["dgx-spark"].memory
    assert isinstance(own, UnifiedMemory)
    assert (size, share) == (128, own.default_fraction.mid)


def test_a_limit_that_somebody_set_is_the_limit(catalog: Catalog) -> None:
    set_to = chip("Apple M4", "apple", 16, wired_limit_bytes=14 * GIB)
    assert usable(set_to, catalog)[:2] == (16, 14 / 16)


def test_memory_that_is_taken_is_not_there_by_default_nor_when_raised(catalog: Catalog) -> None:
    size, share, kept = usable(
        chip("NVIDIA GB10", "nvidia", 121.7, ram_free_bytes=32 * GIB), catalog
    )
    assert (size, share, kept) == (128, 0.25, 96)


def test_what_amd_may_map_is_the_limit_of_its_chip(catalog: Catalog) -> None:
    found = machine("strix-halo")
    gpu = replace(found.gpus[0], name="Radeon 8060S Graphics")
    named = replace(found, gpus=(gpu,), ram_bytes=123 * GIB)
    assert usable(named, catalog)[:2] == (128, 96 / 128)


def test_a_size_that_is_not_sold_is_refused(catalog: Catalog) -> None:
    with pytest.raises(UnjudgedError, match="not listed with 40 GiB"):
        combo_here(chip("Apple M4", "apple", 40), catalog)

"""Outputs of real machines: every value below was read from the output by a person."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sitegen.here.machine import FoundGpu, InstalledProgram, MemoryModule, Pair, PcieLink
from sitegen.here.outputs import FILES
from sitegen.units import KIB, MIB
from tests.here.machines import NAMES, RECORDED, machine

GPUS: dict[str, tuple[dict[str, Any], ...]] = {
    "2x-rtx-3090-lspci": (
        {"name": "NVIDIA Corporation GA102 [GeForce RTX 3090]", "address": "05:00.0"},
        {"name": "NVIDIA Corporation GA102 [GeForce RTX 3090]", "address": "0a:00.0", "index": 1},
    ),
    "2x-rtx-3090-nvlink": (
        {"name": "NVIDIA GeForce RTX 3090", "memory_bytes": 24576 * MIB,
         "free_bytes": 1502 * MIB, "display": False, "driver": "610.43.02"},
        {"index": 1, "free_bytes": 1470 * MIB, "display": True, "address": "65:00.0"},
    ),
    "3x-rtx-a6000": (
        {"name": "NVIDIA RTX A6000", "memory_bytes": None}, {"index": 1}, {"index": 2},
    ),
    "arc-a770": (
        {"name": "Intel(R) Arc(TM) A770 Graphics", "vendor": "intel", "address": "03:00.0",
         "memory_bytes": 16288 * MIB, "free_bytes": (16288 - 3642) * MIB},
    ),
    "arc-b580": (
        {"name": "Intel(R) Arc(TM) B580 Graphics", "memory_bytes": 12216 * MIB,
         "free_bytes": (12216 - 239) * MIB, "pcie": PcieLink(None, None, 4, 8),
         "driver": "9FF4708BCC22C0EE6FD801A"},
    ),
    "dgx-spark": (
        {"name": "NVIDIA GB10", "memory_bytes": None, "free_bytes": None, "address": "f:01:00.0"},
    ),
    "dgx-spark-memory": (),
    "h100-sxm": (
        {"name": "NVIDIA H100 80GB HBM3", "memory_bytes": 81559 * MIB, "free_bytes": 81081 * MIB,
         "pcie": PcieLink(5, 16, 5, 16), "compute_capability": "9.0", "partitioned": False},
    ),
    "h200-mig": (
        {"name": "NVIDIA H200", "memory_bytes": 143771 * MIB, "partitioned": True},
    ),
    "l40s": (
        {"name": "NVIDIA L40S", "memory_bytes": 46068 * MIB, "pcie": PcieLink(4, 16, 4, 16)},
    ),
    "linux-without-gpu": (),
    "macbook-air-m1": ({"name": "Apple M1", "vendor": "apple", "memory_bytes": None},),
    "macbook-air-m4": ({"name": "Apple M4", "vendor": "apple", "memory_bytes": None},),
    "mi100": tuple(
        {"name": "Arcturus GL-XL [Instinct MI100]", "index": at, "vendor": "amd",
         "memory_bytes": 34342961152, "free_bytes": 34342961152 - 6750208,
         "mapped_bytes": 135138402304, "mapped_used_bytes": 11354112,
         "pcie": PcieLink(4, 16), "address": f"{bus}:00.0"}
        for at, bus in enumerate(("83", "a3", "c3", "e3"))
    ),
    "rtx-4080-super": (
        {"name": "NVIDIA GeForce RTX 4080 SUPER", "free_bytes": 15348 * MIB,
         "pcie": PcieLink(1, 16, 4, 16), "display": True, "driver_model": ""},
    ),
    "rx-570": ({"name": "", "vendor": "amd", "index": 1, "memory_bytes": 4294967296},),
    "rx-6700-xt": (
        {"name": "Navi 22 [Radeon RX 6700/6700 XT / 6800M]", "target": "gfx1031",
         "memory_bytes": 12868124672, "free_bytes": 12868124672 - 1572745216},
    ),
    "rx-7800-xt": ({"name": "", "vendor": "", "pcie": PcieLink(4, 16, 4, 16)},),
    "rx-7900-xt": (
        {"name": "Radeon RX 7900 XT", "memory_bytes": 21458059264, "target": "gfx1100",
         "mapped_bytes": None},
    ),
    "rx-9070-xt": ({"vendor": "amd", "address": "2f:00.0", "pcie": PcieLink()},),
    "ryzen-7950x": (),
    "strix-halo": (
        {"name": "", "vendor": "amd", "memory_bytes": 4294967296, "free_bytes": None,
         "mapped_bytes": 103079215104},
    ),
    "windows-rtx-2080-super": (
        {"name": "NVIDIA GeForce RTX 2080 SUPER", "driver_model": "WDDM", "driver": "610.62",
         "memory_bytes": 8192 * MIB, "free_bytes": 7191 * MIB, "pcie": PcieLink(3, 16, 3, 16)},
    ),
}  # fmt: skip


def test_every_recorded_machine_is_read_and_has_a_source() -> None:
    assert sorted(GPUS) == NAMES
    sources = (RECORDED / "SOURCES.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\S+) \| https://\S+", sources, re.MULTILINE)
    assert rows == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_gpus_are_as_their_tools_print_them(name: str) -> None:
    found = machine(name).gpus
    assert len(found) == len(GPUS[name])
    for gpu, expected in zip(found, GPUS[name], strict=True):
        assert {key: getattr(gpu, key) for key in expected} == expected


@pytest.mark.parametrize("name", NAMES)
def test_recordings_have_names_that_are_read_and_no_secret(name: str) -> None:
    for path in (RECORDED / name).iterdir():
        assert path.name in FILES
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"GPU-[0-9a-f]{8}-(?!0000)|Serial Number[^:]*: (?!removed)", text)


@pytest.mark.parametrize(
    ("name", "pairs"),
    [
        ("2x-rtx-3090-nvlink", (Pair(0, 1, "NV4"),)),
        ("3x-rtx-a6000", (Pair(0, 1, "NV4"), Pair(0, 2, "NODE"), Pair(1, 2, "NODE"))),
        ("h100-sxm", ()),
    ],
)
def test_pairs_are_read_from_the_topology(name: str, pairs: tuple[Pair, ...]) -> None:
    assert machine(name).pairs == pairs


def test_active_links_have_their_rates_and_inactive_ones_none() -> None:
    links = machine("3x-rtx-a6000").links
    rates = [one.rates_bytes_per_s for one in links]
    assert rates == [(14_062_000_000,) * 4, (14_062_000_000,) * 4, ()]
    assert [len(one.rates_bytes_per_s) for one in machine("h100-sxm").links] == [18]


def test_ram_is_what_the_kernel_counts_and_what_it_says_is_available() -> None:
    spark, plain = machine("dgx-spark-memory"), machine("linux-without-gpu")
    assert (spark.ram_bytes, spark.ram_free_bytes) == (127600748 * KIB, 118566368 * KIB)
    assert (plain.ram_bytes, plain.ram_free_bytes) == (3997272 * KIB, 3386876 * KIB)
    assert plain.processor == "Intel(R) Core(TM) i5-7360U CPU @ 2.30GHz"


def test_a_mac_says_its_memory_and_not_what_is_free() -> None:
    mac = machine("macbook-air-m4")
    assert (mac.ram_bytes, mac.ram_free_bytes) == (16 * 1024 * MIB, None)
    assert (mac.computer, mac.system) == ("MacBook Air Mac16,12", "macOS")


def test_an_empty_slot_is_no_module_and_the_rate_is_the_one_that_is_set() -> None:
    found = machine("ryzen-7950x")
    assert found.modules == (MemoryModule(16 * 1024 * MIB, "DDR5", 6_000_000_000, 64, "0/a"),)


def test_drivers_are_named_by_their_tools() -> None:
    windows = machine("windows-rtx-2080-super").programs
    assert windows == (
        InstalledProgram("NVIDIA driver", "610.62"),
        InstalledProgram("CUDA of the driver", "13.3"),
    )
    assert machine("mi100").programs == (InstalledProgram("AMD driver", "6.3.6"),)


def test_what_no_tool_says_is_absent() -> None:
    found = machine("rx-7800-xt")
    assert (found.system, found.processor, found.ram_bytes) == ("", "", None)
    assert (found.channels, found.ram_bandwidth_bytes_per_s) == (None, None)
    assert found.gpus == (FoundGpu("", "", 0, pcie=PcieLink(4, 16, 4, 16)),)

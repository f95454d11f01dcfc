"""What the recorded machines do not show: odd outputs, channels of RAM, what is taken out."""

from __future__ import annotations

import pytest

from sitegen.here import amd, apple, intel, linux, nvidia
from sitegen.here.machine import MachineReport, MemoryModule, Pair, PcieLink
from sitegen.here.outputs import masked
from sitegen.here.reading import machine_of
from sitegen.units import GIB, MIB


@pytest.mark.parametrize(
    "text",
    ["", "Failed to initialize NVML: Driver/library version mismatch", "{", "[]", "a,b\n1,2", "|"],
)
def test_a_tool_that_says_nothing_names_no_gpu(text: str) -> None:
    files = (
        "nvidia-smi-query.csv", "nvidia-smi.txt", "nvidia-smi-topo.txt", "nvidia-smi-nvlink.txt",
        "rocm-smi.json", "rocm-smi-topo.json", "amd-smi-static.json", "amd-smi-metric.json",
        "xpu-smi.txt", "xpu-smi-discovery.txt", "system-profiler.txt", "lspci.txt", "sys.txt",
    )  # fmt: skip
    found = machine_of(dict.fromkeys(files, text))
    assert (found.gpus, found.pairs, found.links) == ((), (), ())


def test_a_query_is_read_by_its_heading_in_any_order() -> None:
    text = "memory.free [MiB], name\n100 MiB, NVIDIA L4\n[N/A], NVIDIA T4\n"
    first, second = nvidia.queried(text)
    assert (first.name, first.free_bytes, first.index) == ("NVIDIA L4", 100 * MIB, 0)
    assert (second.name, second.free_bytes, second.index) == ("NVIDIA T4", None, 1)


def test_a_name_that_the_table_cuts_keeps_its_dots() -> None:
    row = "|   0  NVIDIA GeForce RTX 2080 ...  WDDM  |   00000000:0C:00.0  On |      N/A |"
    (found,) = nvidia.tabled(row)
    assert found.name == "NVIDIA GeForce RTX 2080 ..."
    assert (found.driver_model, found.display) == ("WDDM", True)


def test_network_cards_are_no_gpus_of_the_topology() -> None:
    text = "\tGPU0\tGPU1\tNIC0\tCPU Affinity\nGPU0\t X \tSYS\tPIX\t0-3\nGPU1\tSYS\t X \tNODE\t4-7\n"
    assert nvidia.topology(text + "NIC0\tPIX\tNODE\t X \n") == (Pair(0, 1, "SYS"),)


def test_amd_smi_says_what_is_free_where_metric_does() -> None:
    static = """[{"gpu": 0, "asic": {"market_name": "AMD Instinct MI300X"},
      "bus": {"bdf": "0000:83:00.0", "max_pcie_width": 16, "pcie_interface_version": "Gen 5"},
      "vram": {"size": {"value": 196592, "unit": "MB"}}, "driver": {"version": "6.19.14"}}]"""
    metric = """{"gpu_data": [{"gpu": 0,
      "pcie": {"width": 8, "speed": {"value": 32, "unit": "GT/s"}},
      "mem_usage": {"free_vram": {"value": 1024, "unit": "MB"}}}]}"""
    (found,) = amd.of_amd_smi(static, metric)
    assert (found.memory_bytes, found.free_bytes) == (196592 * MIB, GIB)
    assert found.pcie == PcieLink(5, 8, 5, 16)
    (alone,) = amd.of_amd_smi(static)
    assert (alone.free_bytes, alone.pcie.generation) == (None, None)


def test_links_of_amd_are_read_for_each_pair() -> None:
    text = '{"system": {"(Topology) Link type between DRM devices 0 and 1": "XGMI"}}'
    assert amd.topology(text) == (Pair(0, 1, "XGMI"),)


def test_xpu_smi_lists_devices_as_json_too() -> None:
    text = """{"device_list": [{"device_id": 1, "device_name": "Intel(R) Arc(TM) Pro B60 Graphics",
      "memory_physical_size_byte": "25669140480", "memory_free_size_byte": "25447604224",
      "pci_bdf_address": "0000:97:00.0", "pcie_generation": "5", "pcie_max_link_width": "8"}]}"""
    (found,) = intel.discovered(text)
    assert (found.index, found.memory_bytes, found.free_bytes) == (1, 25669140480, 25447604224)


@pytest.mark.parametrize(
    "text",
    [
        '{"SPDisplaysDataType": [{"sppci_model": "Apple M2 Max", "sppci_cores": "30"}]}',
        "Graphics/Displays:\n\n    Apple M2 Max:\n\n      Chipset Model: Apple M2 Max\n"
        "      Type: GPU\n      Bus: Built-In\n      Total Number of Cores: 30\n",
    ],
)
def test_cores_of_a_mac_are_read_as_text_or_json(text: str) -> None:
    (found,) = apple.displays(text)
    assert (found.name, found.cores, found.vendor) == ("Apple M2 Max", 30, "apple")


def test_a_wired_limit_of_nothing_is_the_system_s_own() -> None:
    assert apple.wired_limit_bytes("iogpu.wired_limit_mb: 0") is None
    assert apple.wired_limit_bytes("hw.memsize: 1\niogpu.wired_limit_mb: 120000") == 120000 * MIB


def test_windows_says_its_memory_in_kibibytes() -> None:
    text = "\r\nTotalVisibleMemorySize : 16671872\r\nFreePhysicalMemory     : 6524456\r\n\r\n"
    found = machine_of({"windows-memory.txt": text})
    assert (found.ram_bytes, found.ram_free_bytes) == (16671872 * 1024, 6524456 * 1024)


def module(channel: str, rate: int | None = 3_200_000_000) -> MemoryModule:
    return MemoryModule(32 * GIB, "DDR4", rate, 64, channel)


@pytest.mark.parametrize(
    ("modules", "channels", "bandwidth"),
    [
        ((module("0/a"), module("0/a"), module("0/b")), 2, 51_200_000_000),
        ((module("0/a"), module("1/a")), 2, 51_200_000_000),
        ((module("0/a"), module("")), None, None),
        ((module("0/a"), module("0/b", None)), 2, None),
        ((), None, None),
    ],
)
def test_bandwidth_counts_channels_and_not_modules(
    modules: tuple[MemoryModule, ...], channels: int | None, bandwidth: int | None
) -> None:
    found = MachineReport(modules=modules)
    assert (found.channels, found.ram_bandwidth_bytes_per_s) == (channels, bandwidth)


@pytest.mark.parametrize(
    ("bank", "slot", "channel"),
    [
        ("P0 CHANNEL A", "DIMM 0", "0/a"),
        ("P0_Node1_Channel2_Dimm0", "P1-DIMMC1", "0/1/2"),
        ("BANK 3", "Controller0-ChannelD-DIMM0", "0/d"),
        ("Not Specified", "PROC  2 DIMM 12", ""),
    ],
)
def test_a_channel_is_named_by_the_board_or_not_at_all(bank: str, slot: str, channel: str) -> None:
    text = f"Handle 0x1\nMemory Device\n\tSize: 32 GB\n\tLocator: {slot}\n\tBank Locator: {bank}\n"
    (found,) = linux.modules(text)
    assert found.channel == channel


def test_a_card_of_amd_has_the_link_of_the_narrowest_port_above_it() -> None:
    card = "/sys/class/drm/card0/device"
    text = (
        f"{card}/vendor: 0x1002\n"
        f"{card}/current_link_speed: 16.0 GT/s PCIe\n{card}/current_link_width: 16\n"
        f"{card}/../../current_link_speed: 8.0 GT/s PCIe\n{card}/../../current_link_width: 4\n"
    )
    (found,) = linux.sys_gpus(text)
    assert found.pcie == PcieLink(3, 4, None, None)


CHIP = "model name\t: AMD RYZEN AI MAX+ 395 w/ Radeon 8060S\n"
CARDS = (
    "/sys/class/drm/card0/device/vendor: 0x1002\n"
    "/sys/class/drm/card0/device/mem_info_gtt_total: 103079215104\n"
    "/sys/class/drm/card0/device/address: 0000:c3:00.0\n"
)
CARD = (
    "/sys/class/drm/card1/device/vendor: 0x1002\n"
    "/sys/class/drm/card1/device/mem_info_gtt_total: 103079215104\n"
    "/sys/class/drm/card1/device/address: 0000:c4:00.0\n"
)
LISTED = (
    "c3:00.0 Display controller: Advanced Micro Devices, Inc. [AMD/ATI] Strix Halo "
    "[Radeon Graphics / Radeon 8050S Graphics / Radeon 8060S Graphics] (rev d1)\n"
    "c4:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Navi 31\n"
)


@pytest.mark.parametrize(
    ("sys", "lspci", "names"),
    [
        (CARDS, "", ["Radeon 8060S"]),
        (CARDS + CARD, "", ["", ""]),  # which of the two is on the processor is not said
        (CARDS + CARD, LISTED, ["Radeon 8060S", "Navi 31"]),
    ],
)
def test_the_processor_says_which_chip_it_has(sys: str, lspci: str, names: list[str]) -> None:
    found = machine_of({"cpuinfo.txt": CHIP, "sys.txt": sys, "lspci.txt": lspci})
    assert [one.name.rpartition("] ")[2] for one in found.gpus] == names


def test_the_adapter_of_a_server_s_console_is_no_gpu() -> None:
    sys = "/sys/class/drm/card0/device/vendor: 0x1a03\n"
    lspci = "03:00.0 VGA compatible controller: ASPEED Technology, Inc. ASPEED Graphics Family\n"
    assert machine_of({"sys.txt": sys, "lspci.txt": lspci}).gpus == ()


def test_serials_and_processes_are_taken_out_and_nothing_else() -> None:
    text = (
        "| GPU 0 |\n+----+\n\n+-----+\n| Processes: |\n|  0  python secret.py |\n+-----+\n"
        '\tSerial Number: E958EACA\n      "serial_number" : "D5XQV1FMFJ",\n  Locator: DIMM 0\n'
    )
    assert masked(text) == "| GPU 0 |\n+----+\n\n"
    assert masked('  "serial_number" : "D5X",\n  Locator: DIMM 0') == (
        '  "serial_number" : "removed",\n  Locator: DIMM 0'
    )

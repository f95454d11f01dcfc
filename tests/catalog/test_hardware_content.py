"""The hardware of the real catalog, against vendor arithmetic and logs read by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

import pytest
import yaml

from sitegen.catalog.records.hardware import ComboRecord, GpuRecord, InterconnectRecord
from sitegen.catalog.records.parts import Record

CATALOG = Path(__file__).parents[2] / "catalog"
RecordT = TypeVar("RecordT", bound=Record)


def _read(record: type[RecordT], folder: str, name: str) -> RecordT:
    text = (CATALOG / folder / f"{name}.yaml").read_text(encoding="utf-8")
    return record.model_validate_json(json.dumps(yaml.load(text, Loader=yaml.CSafeLoader)))


def _gpu(name: str) -> GpuRecord:
    return _read(GpuRecord, "gpus", name)


@pytest.mark.parametrize(
    ("gpu", "gbit_per_s", "bus_bits"),
    [
        ("rtx-3090", 19.5, 384),
        ("rtx-4090", 21, 384),
        ("rtx-4080", 22.4, 256),
        ("rtx-5090", 28, 512),
        ("rtx-pro-6000-blackwell-workstation", 28, 512),
        ("rx-7900-xtx", 20, 384),
        ("radeon-ai-pro-r9700", 20, 256),
    ],
)
def test_memory_bandwidth_is_pin_rate_times_bus_width(
    gpu: str, gbit_per_s: float, bus_bits: int
) -> None:
    vendor = gbit_per_s * bus_bits / 8
    assert _gpu(gpu).memory_bandwidth_gb_s == pytest.approx(vendor, rel=5e-4)


@pytest.mark.parametrize(
    ("gpu", "multiprocessors"),
    [
        ("rtx-3090", 82),
        ("rtx-4060-ti-16gb", 34),
        ("rtx-4090", 128),
        ("rtx-5090", 170),
        ("rtx-pro-6000-blackwell-server", 188),
        ("l40s", 142),
        ("a100-80gb-sxm", 108),
        ("h100-sxm", 132),
        ("mi300x", 304),
    ],
)
def test_multiprocessors_are_those_of_the_vendor(gpu: str, multiprocessors: int) -> None:
    assert _gpu(gpu).multiprocessors == multiprocessors


@pytest.mark.parametrize(
    ("gpu", "gib_in_a_start_up_log"),
    [
        ("rtx-3090", 23.56),
        ("rtx-4090", 23.51),
        ("rtx-5090", 31.40),
        ("l40s", 44.40),
        ("h100-sxm", 79.19),
        ("b200-sxm", 178.36),
    ],
)
def test_visible_memory_is_what_a_process_sees(gpu: str, gib_in_a_start_up_log: float) -> None:
    visible_mib = _gpu(gpu).visible_mib
    assert visible_mib is not None
    assert visible_mib / 1024 == pytest.approx(gib_in_a_start_up_log, abs=0.005)


def test_geforce_lost_nvlink_after_the_3090_ti() -> None:
    assert "nvlink-bridge-ga102" in _gpu("rtx-3090-ti").links
    assert _gpu("rtx-4090").links == ()
    assert _gpu("rtx-5090").links == ()


def test_a_board_of_two_dies_is_recorded_as_one_of_them() -> None:
    assert _gpu("mi250x-gcd").vram_gib == 64


def test_gigabit_ethernet_is_slower_to_answer_than_nvlink_at_its_worst() -> None:
    ethernet = _read(InterconnectRecord, "interconnects", "ethernet-1g").latency_us
    nvlink = _read(InterconnectRecord, "interconnects", "nvlink-4").latency_us
    assert ethernet is not None
    assert nvlink is not None
    assert ethernet.low > nvlink.high


def test_a_link_without_a_source_has_no_numbers() -> None:
    ualink = _read(InterconnectRecord, "interconnects", "ualink-200")
    assert (ualink.nominal_gb_s, ualink.bus_bandwidth_gb_s, ualink.latency_us) == (None,) * 3


def test_the_ray_serve_cluster_has_four_nodes_of_two_gpus_and_says_what_is_assumed() -> None:
    combo = _read(ComboRecord, "combos", "4-nodes-2x-rtx-4090-ray-serve")
    (node,) = combo.nodes
    assert (node.count, node.gpus[0].gpu, node.gpus[0].count) == (4, "rtx-4090", 2)
    assert (combo.orchestrator, combo.network) == ("ray-serve", "ethernet-10g")
    assert "we assume" in combo.notes


@pytest.mark.parametrize("path", sorted((CATALOG / "combos").glob("*.yaml")), ids=lambda p: p.stem)
def test_every_combo_says_why_and_why_not_and_what_goes_wrong(path: Path) -> None:
    combo = _read(ComboRecord, "combos", path.stem)
    assert combo.why
    assert combo.not_for
    assert 2 <= len(combo.failure_modes) <= 4

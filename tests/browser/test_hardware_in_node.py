"""What a reader types or pastes means the GPUs that Python takes it for: hardware.js, in Node."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from sitegen.browser.home_files import names_table
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import parse_catalog
from sitegen.importers.spellings.gpus import GpuNames
from sitegen.inputs import read_project
from sitegen.site.composed_address import read_state, write_build
from sitegen.survey.composed_build import build_of
from sitegen.units import GIB
from tests.translator.running import run_script

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "templates/assets/hardware.js"
OUTPUTS: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("hardware_outputs.yaml").read_text(encoding="utf-8")
)
SPELLINGS = ROOT / "tests/importers/spellings/held_out.txt"
ASK = """
const hardware = sitegenHardware.opened(NAMES);
const asked = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const answers = asked.map(([what, ...given]) => hardware[what](...given) ?? null);
process.stdout.write(JSON.stringify(answers));
"""


@cache
def catalog() -> Catalog:
    return parse_catalog(read_project(ROOT).catalog)


def asked(questions: list[list[Any]], folder: Path) -> Any:
    table = json.dumps(names_table(catalog()))
    script = SCRIPT.read_text(encoding="utf-8")
    return run_script(f"{script}\nconst NAMES = {table};\n{ASK}", questions, folder)


def test_what_computers_print_names_their_gpus(tmp_path: Path) -> None:
    found = asked([["read", one["text"]] for one in OUTPUTS], tmp_path)
    for one, result in zip(OUTPUTS, found, strict=True):
        groups = [[" ".join(sorted(g["ids"])), g["count"]] for g in result["groups"]]
        assert groups == one["groups"], one["source"]
        assert not one.get("unknown") or result["unknown"] == one["unknown"]
        assert "gib" not in one or result["groups"][0]["gib"] == one["gib"]


def test_a_spelling_means_what_python_takes_it_for(tmp_path: Path) -> None:
    lines = SPELLINGS.read_text(encoding="utf-8").splitlines()
    spellings = [line.split(" | ")[1] for line in lines if line.startswith("gpu | ")]
    assert len(spellings) > 30
    rule = GpuNames(catalog().gpus)
    found = asked([["meant", text] for text in spellings], tmp_path)
    for text, ids in zip(spellings, found, strict=True):
        assert tuple(ids) == rule.meant(text), text


SMI = """\
|   0  NVIDIA GeForce RTX 3090        Off |   00000000:01:00.0 Off |                  N/A |
| 41%   43C    P1            105W /  350W |   20488MiB /  24576MiB |      0%      Default |
|   1  NVIDIA GeForce RTX 9090        Off |   00000000:02:00.0 Off |                  N/A |
| 41%   43C    P1            105W /  350W |   20488MiB /  24576MiB |      0%      Default |
"""
PCI = """\
00:02.0 VGA compatible controller: Intel Corporation AlderLake-S GT1 [UHD Graphics 770] (rev 0c)
01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA102 [GeForce RTX 3090] [10de:2204]
02:00.0 3D controller [0302]: NVIDIA Corporation Device [10de:3fff] (rev a1)
03:00.0 VGA compatible controller: ASPEED Technology, Inc. ASPEED Graphics Family (rev 41)
"""
ROCM = """\
GPU[0] : Card series: AMD Radeon RX 7900 XTX
GPU[0] : Card model: 0x744c
GPU[1] : Card series: 0x7fff
GPU[1] : Card model: 0x2422
"""


@pytest.mark.parametrize(
    ("text", "known", "unknown"),
    [
        (SMI, ["rtx-3090"], ["NVIDIA GeForce RTX 9090"]),
        (PCI, ["rtx-3090"], ["UHD Graphics 770", "NVIDIA Corporation Device"]),
        (ROCM, ["rx-7900-xtx"], ["0x7fff"]),
        (SMI + PCI, ["rtx-3090"], ["NVIDIA GeForce RTX 9090", "UHD Graphics 770"]),
    ],
)
def test_a_card_that_we_do_not_know_is_named_beside_one_that_we_know(
    text: str, known: list[str], unknown: list[str], tmp_path: Path
) -> None:
    (found,) = asked([["read", text]], tmp_path)
    assert [(group["ids"], group["count"]) for group in found["groups"]] == [(known, 1)]
    assert found["unknown"] == unknown


@pytest.mark.parametrize(
    ("typed", "first", "count"),
    [
        ("2x 3090", "rtx-3090", 2),
        ("4090", "rtx-4090", 1),
        ("2x3090", "rtx-3090", 2),
        ("rtx 5090 x4", "rtx-5090", 4),
        ("dual 4060 ti 16gb", "rtx-4060-ti-16gb", 2),
        ("7900xtx", "rx-7900-xtx", 1),
        ("m4 max 64gb", "apple-m4-max", 1),
        ("h100 sxm", "h100-sxm", 1),
        ("8 h100 sxm", "h100-sxm", 8),
        ("2 3090", "rtx-3090", 2),
        ("3090x4", "rtx-3090", 4),
        ("two 3090s", "rtx-3090", 2),
        ("I have two 3090s", "rtx-3090", 2),
        ("my 4090", "rtx-4090", 1),
        ("We've got a 4090.", "rtx-4090", 1),
        ("3090 x2 24gb", "rtx-3090", 2),
        ("3090 + 3090", "rtx-3090", 2),
    ],
)
def test_the_first_suggestion_is_what_was_typed(
    typed: str, first: str, count: int, tmp_path: Path
) -> None:
    found = asked([["find", typed]], tmp_path)[0]
    assert (found[0]["gpu"]["id"], found[0]["count"]) == (first, count)


SPOKEN = {
    "rtx-6000-ada": ("A6000 ada", "rtx 6000 ada"),
    "strix-halo": (
        "ryzen ai max+ 395",
        "AI Max+ 395",
        "ai max 395 128gb",
        "framework desktop 128gb",
        "gmktec evo-x2",
        "Radeon 8060S",
    ),
    "dgx-spark": ("two dgx sparks", "GB10", "asus ascent gx10", "msi edgexpert", "nvidia spark"),
    "rtx-5090-laptop": ("rtx 5090 mobile", "5090 laptop", "GeForce RTX 5090 Max-Q / Mobile"),
    "rtx-pro-6000-blackwell-workstation": ("RTX PRO 6000 Blackwell", "rtx pro 6000", "pro 6000"),
    "rtx-pro-6000-blackwell-max-q": ("rtx pro 6000 max-q",),
    "l40s": ("l40s", "3x L40S"),
    "rtx-4080-super": ("4080s", "4080 super"),
    "rtx-4080": ("two 4080s", "4080"),
    "rtx-3090": ("i have 2 3090s", "evga 3090 ftw3 ultra", "MSI RTX 3090 Suprim X", "rtx3090"),
    "rx-7900-xtx": (
        "rx7900xtx",
        "nitro+ 7900 xtx",
        "Sapphire NITRO+ RX 7900 XTX",
        "sapphire nitro+7900xtx",
        "7900 xtx nitro+",
        "2x nitro+ 7900 xtx vapor-x",
    ),
    "rx-7900-xt": ("pulse 7900 xt", "Pulse+ 7900 XT"),
    "rtx-4060-ti-16gb": ("2 x 4060ti 16gb",),
    "radeon-ai-pro-r9700": ("Radeon AI PRO R9700", "2x R9700"),
    "arc-pro-b70": ("B70",),
    "apple-m4-pro": ("m4 pro 48", "mac mini m4 pro 64gb"),
    "rtx-3060-12gb": ("3060 12",),
    "mi50-32gb": ("mi50 32",),
}


def test_hardware_is_heard_as_people_write_it(tmp_path: Path) -> None:
    typed = [(id, text) for id, texts in SPOKEN.items() for text in texts]
    found = asked([["find", text] for _, text in typed], tmp_path)
    firsts = [(one[0]["gpu"] or {}).get("id") if one else None for one in found]
    wrong = [(text, first) for (id, text), first in zip(typed, firsts, strict=True) if first != id]
    assert wrong == []


@pytest.mark.parametrize(
    ("typed", "combo"),
    [
        ("4 nodes 2x 4090", "4-nodes-2x-rtx-4090-ray-serve"),
        ("4 nodes of 2x RTX 4090", "4-nodes-2x-rtx-4090-ray-serve"),
        ("2 nodes 8x h100", "2-nodes-8x-h100"),
        ("two nodes 4060", "2-nodes-1x-rtx-4060-ray"),
    ],
)
def test_several_machines_are_heard_with_their_counts(
    typed: str, combo: str, tmp_path: Path
) -> None:
    assert asked([["find", typed]], tmp_path)[0][0]["address"] == f"combo={combo}"


@pytest.mark.parametrize(
    ("typed", "other"),
    [("tesla p40", "A100"), ("t4", "A40"), ("GB10", "3080"), ("gb300", "MI300X"), ("a40", "A100")],
)
def test_letters_and_numbers_of_one_word_stand_side_by_side(
    typed: str, other: str, tmp_path: Path
) -> None:
    assert not any(other in one["text"] for one in asked([["find", typed]], tmp_path)[0])


def test_a_size_that_is_not_sold_is_said(tmp_path: Path) -> None:
    asked_for = [
        ["find", "M4 Max 24GB"],
        ["find", "M4 Max 64GB"],
        ["find", "framework desktop 128gb"],
    ]
    odd, sold, named = asked(asked_for, tmp_path)
    assert odd[0]["note"] == "not listed with 24 GB"
    assert odd[0]["unsold"] == "We do not list the M4 Max with 24 GB: we answer for 48 GB."
    assert "unsold" not in sold[0]
    assert named[0]["gpu"]["gib"] == 128


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("GB203M / GN22-X11 [GeForce RTX 5090 Max-Q / Mobile] (rev a1)", ["rtx-5090-laptop"]),
        ("Vega 20 [AMD Radeon Pro VII/Radeon Instinct MI50 32GB]", ["radeon-pro-vii", "mi50-32gb"]),
    ],
)
def test_names_on_the_bus_with_a_stroke_are_all_heard(
    line: str, ids: list[str], tmp_path: Path
) -> None:
    maker = "NVIDIA Corporation" if "GeForce" in line else "Advanced Micro Devices, Inc."
    (found,) = asked([["read", f"01:00.0 VGA compatible controller: {maker} {line}"]], tmp_path)
    assert [one["ids"] for one in found["groups"]] == [ids]


@pytest.mark.parametrize(
    ("typed", "hardware"),
    [
        ("rtx 3090 + rtx 4090", "rtx-3090*1+rtx-4090*1"),
        ("2x 3090 + 1x 4090", "rtx-3090*2+rtx-4090*1"),
        ("4090 and 3060 12gb", "rtx-4090*1+rtx-3060-12gb*1"),
        ("5090, 4060 ti 16gb", "rtx-5090*1+rtx-4060-ti-16gb*1"),
        ("3090+4090", "rtx-3090*1+rtx-4090*1"),
        ("rtx 3090+ rtx 4090", "rtx-3090*1+rtx-4090*1"),
        ("nitro+ 7900 xtx + 3090", "rx-7900-xtx*1+rtx-3090*1"),
        ("evga 3090 ftw3 + 2x nitro+ 7900 xtx", "rtx-3090*1+rx-7900-xtx*2"),
    ],
)
def test_gpus_of_several_kinds_are_all_heard(typed: str, hardware: str, tmp_path: Path) -> None:
    (found,) = asked([["find", typed]], tmp_path)[0]
    assert f"machine=1;{hardware};" in found["address"]


@pytest.mark.parametrize("typed", ["0x 3090", "100x 3090", "3090 + rtx 9999", "65 * 4090"])
def test_nothing_is_answered_for_other_hardware_than_was_typed(typed: str, tmp_path: Path) -> None:
    assert asked([["find", typed]], tmp_path)[0] == []


@pytest.mark.parametrize(("typed", "gib"), [("strix halo 64gb", 64), ("m4 max 48 GB", 48)])
def test_the_size_that_was_typed_comes_first(typed: str, gib: int, tmp_path: Path) -> None:
    assert asked([["find", typed]], tmp_path)[0][0]["gpu"]["gib"] == gib


def test_the_name_of_a_machine_lists_machines_first(tmp_path: Path) -> None:
    found = asked([["find", "mac studio"]], tmp_path)[0]
    assert found[0]["text"].startswith("Mac Studio")


def test_a_machine_is_found_by_its_link_beside_a_size(tmp_path: Path) -> None:
    found = asked([["find", "3090 24gb x2 nvlink"]], tmp_path)[0]
    assert found[0]["address"] == "combo=2x-rtx-3090-nvlink"


def test_machines_are_suggested_too(tmp_path: Path) -> None:
    found = asked([["find", "mac studio m4"], ["find", "2x 3090 nvlink"]], tmp_path)
    assert "combo=mac-studio-m4-max-128gb" in [one["address"] for one in found[0]]
    assert "combo=2x-rtx-3090-nvlink" in [one["address"] for one in found[1]]


def test_addresses_are_the_engine_s_and_lead_back(tmp_path: Path) -> None:
    known = catalog()
    own = asked([["ofGpu", id, 2] for id in known.gpus], tmp_path)
    for one in own:
        build = read_state(one["address"], known).build
        assert write_build(build) == one["address"]
    back = asked([["described", one["address"]] for one in own], tmp_path)
    assert [one["text"] for one in back] == [one["text"] for one in own]
    builds = [f"combo={id}" for id in known.combos]
    builds += [write_build(build_of(combo)) for combo in known.combos.values()]
    assert all(asked([["described", text] for text in builds], tmp_path))


RAM = {
    "RTX 4090 + 64 GB RAM": ("rtx-4090*1", 64, "RTX 4090 + 64 GB RAM"),
    "3090 with 128GB DDR4": ("rtx-3090*1", 128, "RTX 3090 + 128 GB RAM"),
    "2x 3090, 256 GB of DDR5-5600 RAM": ("rtx-3090*2", 256, "2× RTX 3090 + 256 GB RAM"),
    "5090 96gb system ram": ("rtx-5090*1", 96, "RTX 5090 + 96 GB RAM"),
    "3090 + 4090 + 64 GiB RAM": ("rtx-3090*1+rtx-4090*1", 64, "RTX 3090 + RTX 4090 + 64 GB RAM"),
}


def test_the_ram_of_the_computer_is_heard_beside_its_gpus(tmp_path: Path) -> None:
    found = asked([["find", text] for text in RAM], tmp_path)
    described = asked([["described", one[0]["address"]] for one in found], tmp_path)
    for (cards, gib, words), some, told in zip(RAM.values(), found, described, strict=True):
        assert some[0]["address"].split(";")[1] == cards
        assert (some[0]["text"], told["text"]) == (words, words)
        build = read_state(some[0]["address"], catalog()).build
        assert (build.nodes[0].ram_bytes, write_build(build)) == (gib * GIB, some[0]["address"])


def test_memory_that_is_the_gpus_own_is_no_ram_beside_it(tmp_path: Path) -> None:
    texts = ["m4 max 64gb ram", "Strix Halo 128 GB DDR5", "rtx 3060 12gb", "3090 24 GB VRAM"]
    found = asked([["find", text] for text in texts], tmp_path)
    for text, some in zip(texts, found, strict=True):
        assert some, text
        state = read_state(some[0]["address"], catalog())
        assert state.combo or state.build.nodes[0].ram_bytes is None, text

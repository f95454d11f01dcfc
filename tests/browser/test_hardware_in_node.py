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
        ("3090 + 3090", "rtx-3090", 2),
    ],
)
def test_the_first_suggestion_is_what_was_typed(
    typed: str, first: str, count: int, tmp_path: Path
) -> None:
    found = asked([["find", typed]], tmp_path)[0]
    assert (found[0]["gpu"]["id"], found[0]["count"]) == (first, count)


@pytest.mark.parametrize(
    ("typed", "hardware"),
    [
        ("rtx 3090 + rtx 4090", "rtx-3090*1+rtx-4090*1"),
        ("2x 3090 + 1x 4090", "rtx-3090*2+rtx-4090*1"),
        ("4090 and 3060 12gb", "rtx-4090*1+rtx-3060-12gb*1"),
        ("5090, 4060 ti 16gb", "rtx-5090*1+rtx-4060-ti-16gb*1"),
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

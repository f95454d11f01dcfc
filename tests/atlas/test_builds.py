"""Builds are what people can put together, and are what their own words say to ``sitegen fit``."""

from __future__ import annotations

from collections import Counter

import pytest

from sitegen.atlas.builds import Build, Kind, builds_of, kinds_of
from sitegen.catalog.domain.hardware import Combo, Node
from sitegen.cli.questions.own_hardware import own_combo
from sitegen.fit.fit_engine import FitEngine
from sitegen.survey.gpu_counts import machines_of
from tests.atlas.made import fit_options
from tests.survey.whole_catalog import whole_catalog

KINDS = (
    "rtx-3090",
    "radeon-ai-pro-r9700",
    "h100-sxm",
    "mi210",
    "gb200",
    "rtx-5090-laptop",
    "apple-m3-ultra-256gib",
    "strix-halo-128gib",
    "cpu-ddr5-4800-12-channels-384gib",
)
"""Cards, modules, laptops, chips and processors."""


def kind(id_: str) -> Kind:
    return {one.id: one for one in kinds_of(whole_catalog())}[id_]


def of(id_: str) -> tuple[Build, ...]:
    return builds_of(whole_catalog(), kind(id_))


def typed(build: Build) -> Combo:
    """The hardware that ``sitegen fit`` makes of a build's words."""
    return own_combo(fit_options("qwen3-8b", *build.fit_options.split()), whole_catalog())


@pytest.mark.parametrize("id_", KINDS)
def test_the_words_of_a_build_mean_the_same_gpu_groups_to_fit(id_: str) -> None:
    engine = FitEngine(whole_catalog())
    for build in of(id_):
        ours, theirs = build.combo(), typed(build)
        assert engine.gpu_groups(ours) == engine.gpu_groups(theirs), build.id
        assert (ours.is_datacenter, ours.gpu_ids) == (theirs.is_datacenter, theirs.gpu_ids)


def test_every_build_of_the_catalog_has_a_name_of_its_own() -> None:
    catalog = whole_catalog()
    names = Counter(one.id for kind in kinds_of(catalog) for one in builds_of(catalog, kind))
    assert [name for name, count in names.items() if count > 1] == []
    assert len(names) > 10_000


def test_a_bridge_joins_two_cards_and_a_switch_a_whole_board() -> None:
    bridged = {one.gpus for one in of("rtx-3090") if "nvlink" in one.id}
    switched = {one.gpus for one in of("h100-sxm") if "nvswitch" in one.id}
    on_boards = {one.gpus for one in of("v100-32gb-sxm") if "nvlink-2" in one.id}
    assert (bridged, switched, on_boards) == ({2}, {2, 3, 4, 6, 8}, {2, 4, 8})
    assert {one.gpus for one in of("mi210") if "xgmi" in one.id} == {2, 4}


def test_every_machine_that_pages_count_is_a_build_of_the_atlas() -> None:
    catalog = whole_catalog()
    built: dict[str, set[tuple[Node, ...]]] = {}
    for one in kinds_of(catalog):
        nodes = built.setdefault(one.installed.gpu.id, set())
        nodes |= {build.combo().nodes for build in builds_of(catalog, one)}
    counted = [one for gpu in catalog.gpus.values() for one in machines_of(catalog, gpu)]
    assert len(counted) > 900
    assert [one.id for one in counted if one.nodes not in built[one.gpus[0].gpu.id]] == []


def test_a_chip_and_a_laptop_have_one_gpu_and_no_ram_beside_it() -> None:
    assert {(one.gpus, one.machines) for one in of("rtx-5090-laptop")} == {(1, 1)}
    assert {(one.gpus, one.ram_gib) for one in of("apple-m3-ultra-256gib")} == {(1, 0)}
    assert "thunderbolt-5-rdma" in {
        one.network.id for one in of("apple-m3-ultra-256gib") if one.network
    }


def test_only_cards_in_desktops_stand_in_narrow_slots() -> None:
    narrow = {one.node_link.id for one in of("rtx-3090") if one.node_link}
    wide = {one.node_link.id for one in of("l40s") if one.node_link}
    assert {"pcie-4-x8", "pcie-4-x4"} <= narrow
    assert wide == {"pcie-4-x16"}


def test_a_price_at_launch_is_no_price_of_a_build() -> None:
    catalog = whole_catalog()
    only_launched = [
        one
        for one in kinds_of(catalog)
        if not one.installed.gpu.prices and one.installed.gpu.launch_price_usd
    ]
    assert only_launched
    assert [one.id for one in only_launched if builds_of(catalog, one)[0].usd is not None] == []

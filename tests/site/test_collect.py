"""Which pages there are, what they are called, and what happens when two want one URL."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.fit.assessment import FitTier
from sitegen.physics.plan import PlanKind
from sitegen.problems import ProblemsFound, SourceSpan
from sitegen.render.cells import text
from sitegen.site.collect import collect_pages, page_kinds
from sitegen.site.combo.key_facts import key_facts
from sitegen.site.content.settings import parse_settings
from sitegen.site.page import Page
from sitegen.site.tables.running_costs import running_costs
from sitegen.site.words.combo_answer import Pooling, pooling
from sitegen.site.words.hardware import PoolingShape, node_groups
from sitegen.site.words.plans import effective_words
from sitegen.site.words.verdicts import longest_context
from sitegen.survey.runtime_support import runtimes_on
from tests.site import fabricated
from tests.site.fabricated import FOUR_BY_TWO, MIXED, SURVEY
from tests.survey.whole_catalog import whole_catalog, whole_survey

SITE_YAML = """\
title: t
tagline: u
description: d
base_url: https://example.org/
repository_url: https://example.org/r
data_licence: CC BY 4.0
data_licence_url: https://licence.example/
"""


def test_every_record_and_document_has_its_page() -> None:
    urls = set(collect_pages(fabricated.inputs()).pages)
    assert urls == {
        "/", "/404.html", "/combos/", "/models/", "/gpus/", "/runtimes/", "/guides/", "/framework/",
        "/framework/constants/", "/custom/", "/check/", "/buy/",
        "/benchmarks/opportunities/", "/claims/", "/accuracy/", "/accuracy/vllm/", "/quality/",
        "/compare/", "/matrix/", "/search/",
        "/api/", "/changes/", "/errors/", "/status/", "/runtimes/withdrawn/", "/glossary/",
        "/guides/several-machines/",
        *(f"/combos/{id_}/" for id_ in ("four-by-two", "mac-studio", "mixed-pair",
                                        "single-rtx-3060")),
        *(f"/combos/{id_}/models/" for id_ in ("four-by-two", "mac-studio", "mixed-pair",
                                               "single-rtx-3060")),
        *(f"/combos/{id_}/recipes/" for id_ in ("four-by-two", "mac-studio", "mixed-pair")),
        *(f"/models/{id_}/" for id_ in ("small-8b", "large-70b", "huge-400b")),
        *(f"/models/{id_}/machines/" for id_ in ("small-8b", "large-70b", "huge-400b")),
        *(f"/models/{id_}/recipes/" for id_ in ("small-8b", "large-70b")),
        *(f"/gpus/{id_}/" for id_ in ("rtx-4090", "rtx-3060-12gb", "m3-ultra")),
        *(f"/runtimes/{id_}/" for id_ in ("vllm", "llama-cpp", "ray-serve")),
    }  # fmt: skip


def test_pages_come_in_url_order() -> None:
    urls = list(collect_pages(fabricated.inputs()).pages)
    assert urls == sorted(urls)


@pytest.mark.parametrize("other", ["/combos/x/", "/Combos/X/"])
def test_a_url_claimed_twice_is_a_problem_that_names_both_files(other: str) -> None:
    def page(url: str, path: str) -> Page:
        return Page(url, "t", "index.html", None, "k", SourceSpan(path), "d")

    both = [page("/combos/x/", "catalog/combos/x.yaml"), page(other, "content/pages/x.md")]
    with pytest.raises(ProblemsFound) as caught:
        collect_pages(fabricated.inputs(), [lambda _: iter(both)])
    (problem,) = caught.value.problems
    assert problem.span.path == "content/pages/x.md"
    assert "catalog/combos/x.yaml" in problem.message


def test_a_document_named_like_an_index_collides_with_it() -> None:
    text_ = fabricated.GLOSSARY_TEXT
    with pytest.raises(ProblemsFound) as caught:
        collect_pages(fabricated.inputs(**{"pages/models": text_}))
    assert "/models/" in caught.value.problems[0].message


def test_a_kind_is_one_module_with_a_pages_function() -> None:
    assert len(page_kinds()) >= 9


def test_the_question_is_the_title_of_a_combo_page() -> None:
    page = collect_pages(fabricated.inputs()).pages["/combos/four-by-two/"]
    assert page.title == "What runs on 4 nodes × 2× RTX 4090?"
    assert page.source.path == "catalog/combos/four-by-two.yaml"


@pytest.mark.parametrize(
    ("combo", "name"), [("1x-dgx-spark", "Machine to buy"), ("1x-rtx-3090", "GPUs to buy")]
)
def test_a_chip_that_is_a_machine_is_bought_as_one(combo: str, name: str) -> None:
    found = whole_survey(combo)
    costs = running_costs(found.combo, found.lead, None, whole_catalog().assumptions)
    assert [key for key, _ in key_facts(found, costs) if "to buy" in key] == [name]


def test_why_vram_pools_depends_on_the_hardware() -> None:
    several = pooling(SURVEY.combos[FOUR_BY_TWO.id], ())
    assert several.shape is PoolingShape.MANY_NODES
    assert several.shared_nodes
    assert several.tensor_across_nodes_refused
    assert not several.tensor_across_nodes
    assert not several.mixed
    assert pooling(SURVEY.combos[MIXED.id], ()).mixed


def test_macs_of_one_gpu_each_cut_layers_over_the_nodes_where_their_link_is_fast() -> None:
    rdma, tcp = (
        pooling_of(f"2x-mac-studio-m3-ultra-{link}") for link in ("rdma", "thunderbolt-tcp")
    )
    assert not rdma.shared_nodes
    assert rdma.tensor_across_nodes
    assert not tcp.tensor_across_nodes


def pooling_of(name: str) -> Pooling:
    catalog = whole_catalog()
    found = replace(SURVEY.combos[FOUR_BY_TWO.id], combo=catalog.combos[name])
    return pooling(found, runtimes_on(found.combo, catalog.runtimes.values()))


def test_a_layer_split_over_machines_is_llama_cpp_s_rpc_and_a_pipeline_elsewhere() -> None:
    row = SURVEY.combos[FOUR_BY_TWO.id].effective_vram[0]
    far = replace(row, plan_kind=PlanKind.REMOTE_LAYER_SPLIT, gpus=2, replicas=1)
    words = [
        effective_words(replace(far, runtime=whole_catalog().runtimes[name]))
        for name in ("llama-cpp", "mlx-lm", "exo")
    ]
    assert words == ["layers split over 2 GPUs (RPC)", "PP 2", "PP 2"]


def test_no_context_is_said_in_words() -> None:
    assert [text(longest_context(tokens)) for tokens in (0, 4_096)] == ["none", "4,096\xa0tokens"]


def test_equal_neighbours_are_one_group_and_an_unequal_node_parts_them() -> None:
    assert [(g.heading, g.count) for g in node_groups(FOUR_BY_TWO)] == [("Nodes 1–4", 4)]
    other = replace(FOUR_BY_TWO, nodes=(*FOUR_BY_TWO.nodes[:2], *MIXED.nodes, FOUR_BY_TWO.nodes[3]))
    assert [g.heading for g in node_groups(other)] == ["Nodes 1–2", "Node 3", "Node 4"]


def test_tiers_partition_the_rows() -> None:
    for survey in SURVEY.combos.values():
        parts = [row for tier in FitTier for row in survey.tier(tier)]
        assert len(parts) == len(survey.rows)


def test_settings_are_read_and_checked_together() -> None:
    assert parse_settings(SITE_YAML, data_version="v").base_path == "/"
    wrong = SITE_YAML.replace("title: t\n", "titel: t\n").replace("tagline: u\n", "")
    with pytest.raises(ProblemsFound) as caught:
        parse_settings(wrong, data_version="v")
    assert sorted(problem.message for problem in caught.value.problems) == [
        "`tagline` is missing",
        "a site has no key 'titel'",
    ]
    wrong = SITE_YAML.replace("https://example.org/r", "http").replace("example.org/\n", "x.org\n")
    with pytest.raises(ProblemsFound) as caught:
        parse_settings(wrong, data_version="v")
    assert [problem.message for problem in caught.value.problems] == [
        "`base_url` must end with a slash",
        "`repository_url` must start with https://, not 'http'",
    ]

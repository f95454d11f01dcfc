"""What the search page finds first, in Chromium, over the names of the real catalog."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from benchmarks.browser_parity import ROOT, opened_catalog
from sitegen.inputs import read_project
from sitegen.pipeline.pages import render
from sitegen.pipeline.sources import parse
from sitegen.problems import SourceSpan
from sitegen.render.data.verdicts import verdict_file
from sitegen.render.filters import quantity
from sitegen.site.cells import NumberCell, Unit
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page as SitePage
from sitegen.site.page import Site
from sitegen.site.search import search_page
from sitegen.site.urls import url_of
from sitegen.site.words.tiers import TIER_WORDS
from sitegen.survey.results import ComboSurvey, Survey
from tests.browser.conftest import written
from tests.survey.whole_catalog import whole_survey

pytestmark = pytest.mark.browser

COMBO = "4x-l40s"
MODEL = "qwen3-235b-a22b-instruct-2507"
VISIBLE = "main section:not([hidden]) li:not([hidden]) a"
FIRST = [
    ("2x 3090", "2× RTX 3090", "combos/2x-rtx-3090"),
    ("3090", "RTX 3090", "combos/1x-rtx-3090/"),
    ("5090", "RTX 5090", "combos/1x-rtx-5090/"),
    ("5060ti 16gb", "RTX 5060 Ti 16GB", "combos/1x-rtx-5060-ti-16gb/"),
    ("4 nodes 4090", "4 nodes", "combos/4"),
    ("m4 max", "Mac Studio M4 Max 128 GB", "combos/mac-studio-m4-max-128gb/"),
    ("strix halo", "Strix Halo", "combos/1x-strix-halo/"),
    ("l40s", "L40S", "combos/"),
    ("deepseek", "DeepSeek V4", "models/deepseek-v4"),
    ("70b", "Apertus 70B Instruct 2509", "models/"),
    ("qwen3-235b", "Qwen3 235B A22B", "models/qwen3-235b-a22b"),
    ("llama 70b 3090", "Llama 3.3 70B Instruct on RTX 3090", "custom/"),
    ("4x l40s qwen3-235b awq", "Qwen3 235B A22B", f"custom/index.html#combo={COMBO}&model="),
    ("llama 3.3 70b on 2x 3090", "Llama 3.3 70B Instruct on 2× RTX 3090", "custom/"),
    ("vllm", "vLLM", "runtimes/vllm/"),
    ("nvlink", "Which link do the GPUs need?", "guides/multi-gpu/"),
    ("nvl", "Which link do the GPUs need?", "guides/multi-gpu/"),
    ("out of memory", "Errors: not enough memory", "errors/index.html#memory"),
    ("oom", "Errors: not enough memory", "errors/index.html#memory"),
    ("vram", "Do several GPUs share their memory?", "guides/multi-gpu/"),
    ("quantization", "Which quantization should I use?", "guides/quantization/"),
    ("gguf", "Which quantization should I use?", "guides/quantization/"),
    ("exl3", "Which quantization should I use?", "guides/quantization/"),
    ("tg", "Questions about speed", "guides/faq/"),
    ("pp", "Glossary: prefill (reading the prompt)", "glossary/"),
    ("best model", "Best models by use", "quality/"),
    ("best model for a 3090", "Best models by use", "quality/"),
    ("cheapest", "What should I buy? Builds for a budget", "buy/"),
    ("$5000", "Machines for at most $5,000", "combos/index.html?price=5000"),
    ("$3k", "Machines for at most $3,000", "combos/index.html?price=3000"),
    ("compare qwen3.8 27b and gpt-oss 120b on 2x 3090",
     "Compare Qwen3.8 27B and gpt-oss 120B on 2× RTX 3090, PCIe only",
     "compare/?model=qwen3.8-27b&with=gpt-oss-120b&a=2x-rtx-3090-pcie"),
    ("Qwen3.8 27B vs. gpt-oss 120b?", "Compare Qwen3.8 27B and gpt-oss 120B",
     "compare/?model=qwen3.8-27b&with=gpt-oss-120b"),
    ("rtx 3090 vs rtx 4090 for qwen3.8 27b", "Compare RTX 3090 and RTX 4090 with Qwen3.8 27B",
     "compare/?model=qwen3.8-27b&a=1x-rtx-3090&b=1x-rtx-4090"),
    ("compare", "Compare machines and models", "compare/"),
    ("vllm vs sglang", "Compare machines and models", "compare/"),
]  # fmt: skip
PASTED = [
    ("CUDA out of memory. Tried to allocate", "torch.OutOfMemoryError: CUDA out of memory"),
    (
        "(EngineCore pid=812) ERROR ValueError: To serve at least one request with the models's "
        "max seq len (131072), (16.0 GiB KV cache is needed, which is larger than the available KV "
        "cache memory (2.91 GiB).",
        "The context needs more KV cache than is available",
    ),
    ("ValueError: Free memory on device cuda:0 (9.1/23.6 GiB) on startup is less than desired GPU "
     "memory utilization (0.9, 21.2 GiB).", "Free memory is below the requested share"),
    ("ggml_backend_cuda_buffer_type_alloc_buffer: allocating 4096.00 MiB on device 0: cudaMalloc "
     "failed: out of memory", "Unable to allocate a CUDA0 buffer"),
    ("ValueError: Total number of attention heads (40) must be divisible by tensor parallel size "
     "(3).", "Attention heads do not divide evenly"),
    ("error loading model: unknown model architecture: 'qwen9'", "Unknown model architecture"),
    ("RuntimeError: NCCL error: unhandled system error (run with NCCL_DEBUG=INFO for details)",
     "NCCL: unhandled system error"),
]  # fmt: skip


@pytest.fixture(scope="module")
def survey() -> ComboSurvey:
    return whole_survey(COMBO)


@pytest.fixture(scope="module")
def root(survey: ComboSurvey, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The search page alone, of every name: all models judged, on one combo with a verdict."""
    catalog, engine = opened_catalog()
    project = read_project(ROOT)
    parsed = parse(project)
    inputs = SiteInputs(
        catalog, engine, Survey({}), {}, {model.id: () for model in catalog.models.values()},
        parsed.documents, parsed.settings, errors=parsed.errors, search_terms=parsed.search_terms,
    )  # fmt: skip
    kinds = {
        "combo": catalog.combos, "model": catalog.models, "gpu": catalog.gpus,
        "runtime": catalog.runtimes,
    }  # fmt: skip
    named = [(kind, url_of(kind, id_), id_) for kind, records in kinds.items() for id_ in records]
    named += [(one.kind, one.url, one.title) for one in parsed.documents]
    source = SourceSpan("x")
    pages = [SitePage(url, title, "", None, kind, source, "") for kind, url, title in named]
    page = search_page(pages, inputs)
    files = render(Site(parsed.settings, {page.url: page}), project.templates, project.assets)
    folder = tmp_path_factory.mktemp("search")
    written(folder, {**files, **verdict_file(Survey({COMBO: survey}))})
    return folder


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    made = context.new_page()
    failed: list[str] = []
    made.on("pageerror", lambda error: failed.append(str(error)))
    yield made
    context.close()
    assert failed == []


def searched(page: Page, root: Path, query: str) -> Page:
    """Open the page with the first query in its address, and type those that come after it."""
    address = (root / "search/index.html").as_uri()
    if page.url.startswith(address):
        page.evaluate("document.querySelector('#told').textContent = ''")
        page.fill("#search [name=q]", query)
        page.press("#search [name=q]", "Enter")
    else:
        page.goto(f"{address}?{urlencode({'q': query})}")
    expect(page.locator("#told")).not_to_be_empty()
    return page


@pytest.mark.parametrize(("query", "text", "address"), FIRST)
def test_the_first_hit_of_what_people_type(
    page: Page, root: Path, query: str, text: str, address: str
) -> None:
    first = searched(page, root, query).locator(VISIBLE).first
    assert first.inner_text().startswith(text)
    href = str(first.evaluate("a => a.href"))
    leads_to = href.removeprefix(f"{root.as_uri()}/").replace("index.html", "")
    assert leads_to.startswith(address.replace("index.html", ""))


@pytest.mark.parametrize(("pasted", "title"), PASTED)
def test_a_pasted_error_finds_its_entry(page: Page, root: Path, pasted: str, title: str) -> None:
    first = searched(page, root, pasted).locator(VISIBLE).first
    expect(first).to_have_text(title)
    assert "errors/index.html#" in (first.get_attribute("href") or "")


def test_names_are_no_error(page: Page, root: Path) -> None:
    for query in (
        "llama 70b 3090",
        "vllm",
        "qwen3 coder",
        "4x l40s qwen3-235b awq",
        "rtx pro 6000",
    ):
        expect(searched(page, root, query).locator("#errors")).to_be_hidden()


def test_a_verdict_shows_its_tier_and_speed_and_opens_the_pair(
    page: Page, root: Path, survey: ComboSurvey
) -> None:
    searched(page, root, "4x l40s qwen3-235b instruct 2507 awq")
    row = next(row for row in survey.rows if row.model.id == MODEL)
    hit = page.locator("#verdicts li").first
    expect(hit.locator(".tier")).to_contain_text(TIER_WORDS[row.tier])
    assert row.pick.speed is not None
    mid = quantity(NumberCell(row.pick.speed.single_tokens_per_s.mid, Unit.TOKENS_PER_S))
    expect(hit).to_contain_text(mid.replace("\N{NO-BREAK SPACE}", " "))
    href = hit.locator("a").evaluate("a => a.href")
    assert href == f"{root.as_uri()}/custom/index.html#combo={COMBO}&model={MODEL}"
    assert Axe().run(page).violations_count == 0


def test_a_word_that_is_in_no_name_is_left_out_and_the_page_says_so(page: Page, root: Path) -> None:
    searched(page, root, "4x l40s qwen3-235b zzyzx")
    expect(page.locator("#told")).to_contain_text("Ignored, because no name contains it: zzyzx.")
    assert page.locator("#verdicts li").count() >= 1
    searched(page, root, "zzyzx")
    expect(page.locator("#told")).to_contain_text("0 pages by name")
    assert page.locator(VISIBLE).count() == 0


def test_a_word_of_its_own_is_no_beginning_of_another(page: Page, root: Path) -> None:
    shown = searched(page, root, "mac").locator(VISIBLE).all_inner_texts()
    assert any("Mac" in text for text in shown)
    assert not any("Inkling" in text for text in shown)  # of Thinking Machines
    models = searched(page, root, "qwen").locator(VISIBLE).all_inner_texts()
    assert any(text.startswith("Qwen3") for text in models)


@pytest.mark.parametrize("query", ["deepseek", "70b"])
def test_current_models_stand_before_older_ones(page: Page, root: Path, query: str) -> None:
    catalog, _ = opened_catalog()
    searched(page, root, query)
    links = page.locator("section:has(#found-model) li:not([hidden]) a").all()
    ids = [str(link.get_attribute("href")).split("/")[-2] for link in links]
    found = [catalog.models[id_] for id_ in ids]
    whole = [m for m in found if any(query == word for word in m.name.lower().split())]
    old = [bool(model.superseded_by) for model in whole]
    assert old == sorted(old)
    assert {True, False} <= set(old)
    current = [model.released for model in whole if not model.superseded_by]
    assert current == sorted(current, reverse=True)

"""Scripts stay small, ask nobody, and write text and elements, never markup."""

from __future__ import annotations

import gzip
import re

import pytest

from sitegen.render.addresses import file_of
from tests.render.built import files, pages, project, site, tree

SCRIPTS = sorted(name for name in project().assets if name.endswith(".js"))
OWN_PAGE = {
    "404.html": ("not-found.js",),
    "index.html": ("copy.js", "asking.js", "links.js", "home.js"),
    "search/index.html": ("search.js",),
    "compare/index.html": ("links.js", "compare.js"),
    "matrix/index.html": ("matrix-data.js", "links.js", "matrix.js"),
    "custom/index.html": ("asking.js", "links.js", "custom.js"),
    "check/index.html": ("copy.js", "check.js"),
    "buy/index.html": ("asking.js", "links.js", "buy.js"),
}


def compressed(name: str) -> int:
    return len(gzip.compress(project().assets[name], 9))


def test_what_every_page_loads_is_under_three_kilobytes_and_with_what_copies_under_five() -> None:
    assert compressed("site.js") <= 3_000
    assert compressed("site.js") + compressed("copy.js") <= 5_000
    # Of one page: names, verdicts, ideas, errors and comparisons.
    assert compressed("search.js") <= 6_400
    assert compressed("compare.js") <= 5_100
    assert compressed("links.js") <= 1_600  # of pages whose address has a state
    assert compressed("home.js") + compressed("asking.js") <= 6_200
    assert compressed("hardware.js") <= 8_400  # with the first key, beside the names
    assert compressed("pair.js") + compressed("asking.js") <= 3_400
    assert compressed("combo.js") <= 3_000
    assert compressed("matrix.js") <= 4_700


@pytest.mark.parametrize("path", pages())
def test_a_page_loads_the_common_script_and_only_what_it_uses(path: str) -> None:
    scripts = [e for e in tree(path).iter("script") if e.get("type") is None]
    loaded = [str(e.get("src")).rsplit("/", 1)[-1] for e in scripts]
    own = list(OWN_PAGE[path]) if path in OWN_PAGE else ["copy.js"] * ("copy.js" in loaded)
    choosing = [e for e in tree(path).iter("form") if e.get("id") == "choose-model"]
    own += ["links.js", "combo.js"] * len(choosing)
    prices = [e for e in tree(path).iter("form") if "own-prices" in (e.get("class") or "")]
    own = [*(["cost.js", "calculator.js"] if prices else []), *own]
    own += ["links.js", "choosing.js"] * any(
        e.get("data-choosing") for e in tree(path).iter("form")
    )
    own += ["asking.js", "links.js", "pair.js"] * any(
        e.get("id") == "sliders" for e in tree(path).iter("form")
    )
    report = ["report.js"] if b'class="report"' in files()[path] else []
    assert loaded == ["site.js", *own, *report]
    assert all(e.get("defer") is not None for e in scripts)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_makes_no_markup_of_text_and_names_no_server(name: str) -> None:
    text = project().assets[name].decode()
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(|https?:/"
    assert not re.search(forbidden, text)


def test_every_name_in_the_list_leads_to_a_page_and_every_page_is_in_it() -> None:
    page = tree("search/index.html")
    lists = (section for section in page.iter("section") if section.get("class") == "names")
    listed = [str(a.get("href")) for section in lists for a in section.iter("a")]
    found = (
        page
        for page in site().pages.values()
        if not (page.signpost or page.part or page.kind == "search")
    )
    shown = {file_of(page.url) for page in found}
    assert len(shown) > 20
    assert sorted(f"../{path}" for path in shown) == sorted(listed)
    assert len(files()["search/index.html"]) < 30_000

"""Scripts stay small, ask nobody, and write text and elements, never markup."""

from __future__ import annotations

import gzip
import re

import pytest

from tests.render.built import files, pages, project, tree

SCRIPTS = sorted(name for name in project().assets if name.endswith(".js"))
OWN_PAGE = {
    "search/index.html": "search.js",
    "compare/index.html": "compare.js",
    "custom/index.html": "custom.js",
}


def compressed(name: str) -> int:
    return len(gzip.compress(project().assets[name], 9))


def test_what_every_page_loads_is_under_three_kilobytes_and_the_rest_under_another_three() -> None:
    assert compressed("site.js") <= 3_000
    for name in ("search.js", "compare.js"):
        assert compressed(name) <= 3_000


@pytest.mark.parametrize("path", pages())
def test_a_page_loads_the_common_script_and_at_most_its_own(path: str) -> None:
    loaded = [str(e.get("src")).rsplit("/", 1)[-1] for e in tree(path).iter("script")]
    own = [OWN_PAGE[path]] if path in OWN_PAGE else []
    assert loaded == ["site.js", *own]
    assert all(e.get("defer") is not None for e in tree(path).iter("script"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_makes_no_markup_of_text_and_names_no_server(name: str) -> None:
    text = project().assets[name].decode()
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(|https?:/"
    assert not re.search(forbidden, text)


def test_every_name_in_the_list_leads_to_a_page_and_every_page_is_in_it() -> None:
    page = tree("search/index.html")
    listed = [str(a.get("href")) for section in page.iter("section") for a in section.iter("a")]
    shown = {path for path in pages() if path not in {"404.html", "search/index.html"}}
    assert sorted(f"../{path}" for path in shown) == sorted(listed)
    assert len(files()["search/index.html"]) < 30_000

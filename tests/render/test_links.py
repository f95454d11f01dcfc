"""Links and addresses: relative anywhere, checked everywhere."""

from __future__ import annotations

import pytest

from sitegen.problems import SourceSpan
from sitegen.render.addresses import file_of, outside, relative
from sitegen.render.links import check
from tests.render.built import files, site


def page(body: str) -> bytes:
    return f"<html><body>{body}</body></html>".encode()


def codes(found: dict[str, bytes]) -> list[tuple[str, str]]:
    return [(problem.code, problem.message) for problem in check(found)]


def test_the_invented_site_has_no_broken_link_and_no_orphan() -> None:
    signposts = frozenset(file_of(p.url) for p in site().pages.values() if p.signpost)
    assert check(files(), elsewhere=signposts) == ()


def test_a_link_to_no_page_is_a_problem_with_the_nearest_page() -> None:
    found = {
        "index.html": page('\n <a href="combos/dual/index.html">x</a>'),
        "combos/duel/index.html": page('<a href="../../index.html">home</a>'),
    }
    first, orphan = check(found)
    assert first.span == SourceSpan("combos/duel/index.html") or first.code == "orphan"
    broken = orphan if orphan.code == "link" else first
    assert "leads to no page" in broken.message
    assert "combos/duel/index.html" in broken.hint
    assert (broken.span.line, broken.span.column) == (2, 4)


def test_an_anchor_that_the_page_lacks_is_a_problem() -> None:
    found = {"index.html": page('<p id="tier-fair">x</p><a href="#tier-fare">x</a>')}
    assert codes(found) == [
        ("link", "index.html: '#tier-fare': index.html has no anchor 'tier-fare'")
    ]
    assert check(found)[0].hint == "did you mean 'tier-fair'?"


def test_a_broken_link_of_a_document_is_placed_where_it_is_written() -> None:
    found = {
        "index.html": page('<a href="guides/a/index.html">x</a>'),
        "guides/a/index.html": page('<a href="../../gpus/nope/index.html">x</a>'),
    }
    source = SourceSpan("content/guides/a.md")
    text = "---\ntitle: A\n---\n`[x](/gpus/nope/)` and\nsee [x](/gpus/nope/).\n"
    sources = {"guides/a/index.html": source}
    (placed,) = check(found, sources, written={source.path: text})
    assert placed.span == SourceSpan(source.path, 5, 9)
    (elsewhere,) = check(found, sources, written={source.path: "nothing"})
    assert elsewhere.span == source


def test_what_a_script_of_the_page_reads_is_no_anchor() -> None:
    found = {"index.html": page('<a href="#machine=1;rtx-4090*2&amp;model=a">x</a>')}
    assert codes(found) == []


def test_an_anchor_of_another_page_is_found() -> None:
    found = {
        "index.html": page('<a href="a/index.html#here">x</a>'),
        "a/index.html": page('<p id="here">x</p>'),
    }
    assert codes(found) == []


def test_a_missing_asset_is_a_problem_and_an_address_outside_is_not_looked_at() -> None:
    found = {
        "index.html": page('<img src="assets/a.png" alt=""><a href="https://x.example/">x</a>')
    }
    assert [message for _, message in codes(found)] == [
        "index.html: the link 'assets/a.png' leads to no page"
    ]


def test_a_link_from_the_root_is_looked_up_under_the_base_path() -> None:
    found = {
        "404.html": page('<a href="/site/a/">x</a>'),
        "a/index.html": page(""),
        "index.html": b"",
    }
    assert check(found, base_path="/site/") == ()
    assert [p.code for p in check(found)] == ["link", "orphan"]


def test_the_error_page_works_from_any_missing_address() -> None:
    html = files()["404.html"].decode()
    assert 'href="/assets/site.css"' in html
    assert 'href="/combos/"' in html


def test_a_page_that_nothing_leads_to_is_an_orphan_named_by_its_source() -> None:
    found = {"index.html": page(""), "guides/a/index.html": page('<a href="">self</a>')}
    source = SourceSpan("content/guides/a.md")
    problems = check(found, {"guides/a/index.html": source})
    assert ("orphan", source) in [(p.code, p.span) for p in problems]


def test_text_that_looks_like_an_attribute_is_not_a_link() -> None:
    assert codes({"index.html": page('<p>write href="nowhere.html" there</p>')}) == []


@pytest.mark.parametrize(
    ("target", "here", "written"),
    [
        ("/", "/", "index.html"),
        ("/", "/combos/dual/", "../../index.html"),
        ("/combos/", "/combos/dual/", "../index.html"),
        ("/combos/dual/", "/combos/dual/", "index.html"),
        ("/combos/", "/", "combos/index.html"),
        ("/404.html", "/combos/", "../404.html"),
        ("/assets/site.css", "/404.html", "assets/site.css"),
        ("/a/a/", "/a/", "a/index.html"),
    ],
)
def test_an_address_is_written_relative_to_its_page(target: str, here: str, written: str) -> None:
    assert relative(target, here) == written


def test_a_site_url_names_one_file() -> None:
    assert [file_of(url) for url in ("/", "/a/", "/404.html")] == [
        "index.html",
        "a/index.html",
        "404.html",
    ]


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "file:///etc/passwd", "//evil.example", "https://", "https://a b.c/",
     "https://user@evil.example/", "https://evil.example/" + "x" * 5_000, "ftp://a.example/",
     "https://a.example/\nx", "https://[::1"],
)  # fmt: skip
def test_a_doubtful_address_is_not_written(address: str) -> None:
    assert outside(address) is None

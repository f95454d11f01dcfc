"""Markdown from anyone: no active address, no raw HTML, tables that stay readable."""

from __future__ import annotations

import re
from html import unescape

import pytest

from sitegen.render.markdown.page import allowed, anchor, inline_html, prose_html, text_html
from sitegen.site.cells import NumberCell, Unit
from sitegen.site.guides.prose import Prose
from sitegen.units import GIB

PAGE = "/guides/several/"

ADDRESSES = (
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java&#x0A;script:alert(1)",
    "&#106;avascript:alert(1)",
    "&#x6A;avascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "data:image/svg+xml;base64,PHN2Zz4=",
    "vbscript:msgbox(1)",
    "file:///etc/passwd",
    "//evil.example/",
    "\\\\evil.example/",
    "/\\evil.example/",
    "https://user:word@evil.example/",
    "ftp://evil.example/",
    "%6Aavascript:alert(1)",
    "blob:https://evil.example/1",
)


def shown(text: str) -> str:
    return prose_html(Prose(text, {}, {}), PAGE, "Title", {})


def active(html: str) -> list[str]:
    """Addresses that a browser would follow or fetch, apart from this site's own files."""
    found = re.findall(r"""(?:href|src)\s*=\s*["']?([^"'\s>]*)""", html)
    return [a for a in found if re.match(r"(?i)[a-z][a-z0-9+.-]*:|//|\\|/\\", a)]


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize(
    "text", ["[x]({0})", "[x](<{0}>)", "<{0}>", "![x]({0})", "[x][1]\n\n[1]: {0}", "{0}"]
)
def test_no_hostile_address_becomes_a_link(address: str, text: str) -> None:
    for html in (shown(text.format(address)), inline_html(text.format(address), PAGE)):
        assert active(html) == []
        assert "<script" not in html


@pytest.mark.parametrize(
    "html",
    ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>",
     "<a href='javascript:alert(1)'>x</a>", "<!-- x -->", "<iframe src='//e'></iframe>"],
)  # fmt: skip
def test_raw_html_is_shown_as_text(html: str) -> None:
    for written in (shown(html), shown(f"word {html} word"), text_html(html, PAGE)):
        assert not re.search(r"<(script|img|svg|iframe|!--)", written)
        assert "&lt;" in written


INCLUDES = [
    "--8<-- '/etc/passwd'", "{% include '/etc/passwd' %}", "{{ include('../x') }}",
    "{!../../x.md!}", "!include ../x", "@import '../x'", "<!--#include file='x' -->",
    ".. include:: /etc/passwd", "```{include}\n/etc/passwd\n```", "::include{file=../x}",
    "[[_TOC_]]", "![[../x]]",
]  # fmt: skip


@pytest.mark.parametrize("text", INCLUDES)
def test_what_other_generators_include_is_text(text: str) -> None:
    for html in (shown(text), inline_html(text, PAGE), text_html(text, PAGE)):
        assert "root:" not in html
        assert re.search(r"passwd|\.\./x|TOC|'x'", unescape(re.sub(r"</?[a-z][^>]*>", "", html)))


def test_an_image_comes_from_the_assets_or_is_its_text() -> None:
    assert '<img src="../../assets/a.png" alt="a chart">' in shown("![a chart](/assets/a.png)")
    assert shown("![a chart](https://evil.example/a.png)").strip() == "<p>a chart</p>"


def test_links_inside_are_relative_and_links_outside_are_marked() -> None:
    html = shown("[f](/framework/#speed) [o](https://outside.example/x) [h](#here)")
    assert 'href="../../framework/index.html#speed"' in html
    assert 'href="https://outside.example/x" rel="noopener nofollow ugc"' in html
    assert 'href="#here"' in html


def test_a_look_alike_host_shows_its_real_name() -> None:
    html = shown("[x](https://еxample.org/)")
    assert "https://xn--xample-2of.org/" in html


def test_a_bare_address_in_a_note_becomes_a_link_without_its_full_stop() -> None:
    html = inline_html("see (https://docs.example/a_b/c).", PAGE)
    assert 'href="https://docs.example/a_b/c"' in html
    assert html.endswith("</a>).")


def test_headings_have_stable_anchors_that_do_not_repeat() -> None:
    html = shown("## Why 1 GbE is slow\n\n## Why 1 GbE is slow\n")
    assert re.findall(r'id="([^"]*)"', html) == ["why-1-gbe-is-slow", "why-1-gbe-is-slow-2"]
    assert anchor("TP × PP: which?") == "tp-pp-which"


def test_a_heading_may_keep_an_older_anchor_when_its_words_change() -> None:
    html = shown(
        "## How fast is a cable? {#two-numbers}\n\n| a |\n|---|\n| one |\n\n## Two numbers\n"
    )
    assert re.findall(r'<h2 id="([^"]*)"', html) == ["two-numbers", "two-numbers-2"]
    assert "{#" not in html
    assert '<span id="caption-1">How fast is a cable?</span>' in html


def test_braces_that_name_no_anchor_stay_text() -> None:
    assert "{#Not an anchor}" in shown("## A {#Not an anchor}\n")
    assert "A {#x} B" in shown("## A {#x} B\n")
    assert "Words {#x}" in shown("Words {#x}\n")


def test_a_quotation_that_begins_with_do_this_is_a_box() -> None:
    assert '<blockquote class="do-this">' in shown("> **Do this**\n>\n> 1. One.\n")
    for other in ("> Do this and that\n", "> - Do this\n", "> One.\n", ">\n"):
        assert "do-this" not in shown(other)


def test_a_table_gets_scope_caption_and_region() -> None:
    html = shown("## Sizes\n\n| a | b |\n|---|--:|\n| one | 2 |\n")
    assert '<div class="table" role="region" aria-labelledby="caption-1" tabindex="0">' in html
    assert '<span id="caption-1">Sizes</span>' in html
    assert '<th scope="col">a</th>' in html
    assert '<th scope="row">one</th>' in html
    assert '<td class="n">2</td>' in html


def test_code_is_highlighted_by_classes_and_its_text_is_escaped() -> None:
    html = shown("```bash\nexport A='<b>' # why\n```\n")
    assert '<span class="k-c1"># why</span>' in html
    assert "&lt;b&gt;" in html
    assert "style=" not in html


def test_a_reference_is_filled_in_prose_code_and_fences() -> None:
    values = {"gpu rtx-4090 installed": NumberCell(24 * GIB, Unit.GIB)}
    one = "{{ gpu rtx-4090 installed }}"
    text = f"A {one} GPU, `{one}`\n\n```\n{one} {{{{.Names}}}}\n```\n"
    html = unescape(prose_html(Prose(text, values, {}), PAGE, "Title", {}))
    assert "A 24\N{NO-BREAK SPACE}GiB GPU" in html
    assert "<code>24 GiB</code>" in html
    assert "24 GiB {{.Names}}" in html


def test_catalog_text_knows_no_references() -> None:
    assert inline_html("{{ gpu rtx-4090 visible }} {{7*7}}", PAGE) == (
        "{{ gpu rtx-4090 visible }} {{7*7}}"
    )


@pytest.mark.parametrize("url", ["/combos/", "#x", "mailto:a@b.example", "https://a.example/"])
def test_the_allow_list_lets_good_addresses_pass(url: str) -> None:
    assert allowed(url)

"""Files for the whole site: pages listed, changes fed, addresses kept, one file to read offline."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest

from sitegen.pipeline.sources import parse
from sitegen.render.data.linked_data import script_html
from sitegen.render.data.offline import OFFLINE, offline_archive, pack
from sitegen.render.links import check
from sitegen.render.whole_site import citation_cff, redirects
from sitegen.site.citation import citation, report_url
from sitegen.site.collect import collect_pages
from sitegen.site.content.history import NO_HISTORY, parse_history
from sitegen.survey.results import Survey
from tests.render.built import ROOT, files, pages, project, site, tree, words
from tests.site import fabricated
from tests.yaml_files import read_yaml

ATOM = "{http://www.w3.org/2005/Atom}"
LISTED = tuple(page for page in site().pages.values() if "page.md" in page.files)


BASE = "https://example.org/"
BESIDE = ("/index.json", "/data.csv", "/metadata.json", "/page.md", "card.png")


def test_the_offline_file_holds_all_that_is_read_and_opens_anywhere(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(files()[OFFLINE])) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path)
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {entry.external_attr >> 16 for entry in archive.infolist()} == {0o100644}
    found = {
        path.relative_to(tmp_path / "site").as_posix(): path.read_bytes()
        for path in (tmp_path / "site").rglob("*")
        if path.is_file()
    }
    here = {path for path in files() if not f"/{path}".endswith(BESIDE) or path.startswith("api/")}
    assert set(found) == here - {OFFLINE}
    for ending in BESIDE:
        assert any(f"/{path}".endswith(ending) for path in files())
    for path, content in found.items():
        assert content == files()[path] or path.endswith(".html")
    absolute = [p for p in pages() if p != "404.html" and re.search(rb'(href|src)="/', found[p])]
    assert absolute == []


def test_no_link_of_the_offline_file_leads_to_a_file_that_it_lacks() -> None:
    with zipfile.ZipFile(io.BytesIO(files()[OFFLINE])) as archive:
        packed = {name.removeprefix("site/") for name in archive.namelist()}
        pages_read = {
            name: archive.read(f"site/{name}").decode() for name in packed if name.endswith(".html")
        }
    led_out = 0
    for page, html in pages_read.items():
        for target in re.findall(r' href="([^"#?]+)', html):
            if target.startswith("https://example.org/"):
                path = target.removeprefix("https://example.org/")
                led_out += path in files() and path not in packed
            elif not target.startswith(("http", "/")):
                path = normpath(join(dirname(page), target))
                assert path in packed, f"{page}: {target}"
    assert led_out > len(pages_read)


def test_the_offline_file_is_the_same_in_whatever_order_files_come() -> None:
    some = {path: files()[path] for path in pages()}
    assert pack(dict(reversed(some.items())), BASE) == pack(some, BASE)


def test_packs_one_behind_the_other_are_one_archive() -> None:
    some, more = {"a.html": b"<p>a</p>" * 99, "b.png": b"\x89PNG"}, {"c/d.txt": b"1,2\r\n"}
    archive = offline_archive([pack(some, BASE), pack({}, BASE), pack(more, BASE)])
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert opened.testzip() is None
        read = {entry.filename: opened.read(entry) for entry in opened.infolist()}
    assert read == {f"site/{path}": content for path, content in (some | more).items()}


def test_llms_txt_lists_every_page_with_its_markdown_and_tells_nobody_what_to_do() -> None:
    text = files()["llms.txt"].decode()
    listed = re.findall(r"^- \[.*\]\((\S+)\): ", text, re.MULTILINE)
    assert sorted(listed) == sorted(f"https://example.org{page.url}page.md" for page in LISTED)
    stated = [line for line in text.splitlines() if line and not line.startswith("- [")]
    kinds = sorted({f"## {page.kind}" for page in LISTED})
    assert stated == [
        "# sitegen",
        "> Which models run on which GPUs.",
        "Data version test, license CC BY 4.0.",
        *kinds,
    ]


def test_the_feed_has_an_entry_for_each_release_with_what_is_gone_first() -> None:
    feed = ElementTree.fromstring(files()["feed.xml"])  # noqa: S314 - our own
    assert feed.findtext(f"{ATOM}updated") == "2026-11-20T00:00:00Z"
    (entry,) = feed.findall(f"{ATOM}entry")
    address = "https://example.org/changes/#release-2026-11-20"
    assert entry.findtext(f"{ATOM}id") == address
    assert [link.get("href") for link in entry.findall(f"{ATOM}link")] == [address]
    assert entry.findtext(f"{ATOM}summary") == (
        "Removed gpus: gtx-1080. Added models: small-8b. 2 rows from comfortable to borderline. "
        "The buffer of **vLLM** is larger than was assumed."
    )
    anchors = {element.get("id") for element in tree("changes/index.html").iter()}
    assert "release-2026-11-20" in anchors


def test_a_release_is_shown_with_links_to_what_there_still_is() -> None:
    page = tree("changes/index.html")
    rows = [
        r for t in page.iter("table") if t.get("id") == "moved-2026-11-20" for r in t.iter("tr")
    ]
    assert [words(row) for row in rows[1:]] == [
        "small-8bsingle-rtx-3060✓ fits comfortably→ ≈ borderline",
        "large-70bgone-combo✓ fits comfortably→ ≈ borderline",
    ]
    addresses = [[str(link.get("href")) for link in row.iter("a")] for row in rows[1:]]
    assert addresses[0][1] == "../combos/single-rtx-3060/models/index.html#m-small-8b"
    assert addresses[1] == ["../models/large-70b/index.html"]


def test_markup_in_a_release_stays_text_in_the_feed() -> None:
    text = "date: 2026-11-20\ntitle: a <b> & ]]> c\n"
    history = parse_history({"content/changes/2026-11-20.yaml": text})
    from sitegen.render.whole_site import feed

    made = ElementTree.fromstring(feed(history.releases, fabricated.SETTINGS))  # noqa: S314
    assert made.findtext(f"{ATOM}entry/{ATOM}title") == "a <b> & ]]> c"


def test_without_releases_there_is_a_feed_and_a_page_all_the_same() -> None:
    empty = collect_pages(replace(fabricated.inputs(), history=NO_HISTORY))
    from sitegen.pipeline.pages import render

    made = render(empty, project().templates, project().assets)
    assert b"There are no releases yet" in made["changes/index.html"]
    assert ElementTree.fromstring(made["feed.xml"]).findall(f"{ATOM}entry") == []  # noqa: S314


def test_a_renamed_record_is_found_at_its_old_address_by_pages_and_by_hosts() -> None:
    catalog = replace(fabricated.CATALOG, renamed={"gpu": {"rtx4090": "rtx-4090"}})
    renamed = collect_pages(replace(fabricated.inputs(), catalog=catalog))
    assert redirects(renamed.pages.values()) == b"/gpus/rtx4090/ /gpus/rtx-4090/ 301\n"
    assert renamed.pages["/gpus/rtx4090/"].signpost


def test_a_removed_page_says_when_why_and_where_to_look_instead() -> None:
    page = tree("runtimes/withdrawn/index.html")
    main = next(element for element in page.iter("main"))
    assert "removed on 2026-11-19" in words(main)
    assert "Its maker has withdrawn it." in words(main)
    assert [link.get("href") for link in main.iter("a")] == ["../../models/small-8b/index.html"]
    assert "runtimes/withdrawn/index.json" not in files()
    assert "withdrawn" not in files()["sitemap.xml"].decode()


def test_a_removal_that_points_nowhere_is_a_broken_link() -> None:
    stones = "/models/old/:\n  date: 2026-11-20\n  reason: Gone.\n  instead: /models/none/\n"
    history = parse_history({"content/removed.yaml": stones})
    from sitegen.pipeline.pages import render

    made = render(
        collect_pages(replace(fabricated.inputs(), history=history)),
        project().templates,
        project().assets,
    )
    problems = [p for p in check(made, elsewhere=frozenset(made)) if "../none/" in p.message]
    assert {problem.message.partition(":")[0] for problem in problems} == {
        "models/old/index.html",
        "models/old/machines/index.html",
        "models/old/recipes/index.html",
    }


def version_of(url: str) -> str:
    """Read the version that a page names in what machines read of it."""
    scripts = tree(f"{url[1:]}index.html").findall("head/script")
    (block,) = [script for script in scripts if script.get("type")]
    version = str(json.loads(block.text or "")["version"])
    assert re.fullmatch("[0-9a-f]{12}", version)
    return version


@pytest.mark.parametrize("page", LISTED, ids=lambda page: page.url)
def test_a_page_is_cited_with_title_version_date_and_address(page: object) -> None:
    from sitegen.site.page import Page

    assert isinstance(page, Page)
    root = tree(f"{page.url[1:]}index.html")
    box = next(e for e in root.iter("details") if e.get("class") == "cite")
    version = version_of(page.url)
    for text in (words(next(box.iter("p"))), words(next(box.iter("pre")))):
        assert f"data version {version} of 2026-11-20" in text.replace("Data", "data")
        assert f"https://example.org{page.url}" in text
    assert page.title.rstrip(".") in words(next(box.iter("p")))


def test_a_citation_is_this_one() -> None:
    cited = citation(site().pages["/gpus/rtx-4090/"], fabricated.SETTINGS)
    assert cited.plain == (
        "The sitegen contributors (2026). What can the NVIDIA RTX 4090 run? "
        "sitegen, data version test of 2026-11-20. https://example.org/gpus/rtx-4090/"
    )
    assert cited.bibtex == (
        "@misc{sitegen-gpus-rtx-4090-test,\n"
        "  author = {{The sitegen contributors}},\n"
        "  title = {{What can the NVIDIA RTX 4090 run?}},\n"
        "  organization = {sitegen},\n"
        "  year = {2026},\n"
        "  version = {test},\n"
        "  note = {Data version test of 2026-11-20},\n"
        "  url = {https://example.org/gpus/rtx-4090/},\n"
        "}"
    )


def test_what_tex_would_run_is_escaped() -> None:
    page = replace(site().pages["/gpus/rtx-4090/"], title=r"100 % of \input{x} & $y_1$")
    bibtex = citation(page, fabricated.SETTINGS).bibtex
    assert r"title = {{100 \% of \textbackslash{}input\{x\} \& \$y\_1\$}}" in bibtex


def test_a_title_that_asks_is_cited_without_a_second_stop() -> None:
    page = site().pages["/combos/four-by-two/"]
    assert "RTX 4090? sitegen" in citation(page, fabricated.SETTINGS).plain


def test_the_served_citation_file_says_what_the_repository_s_says() -> None:
    settings = parse(project()).settings
    served = read_yaml(citation_cff(settings))
    own = read_yaml((ROOT / "CITATION.cff").read_text("utf-8"))
    assert served["title"] == own["title"].partition(":")[0]
    for key in ("cff-version", "authors", "keywords"):
        assert served[key] == own[key]
    assert served["version"] == settings.data_version
    assert str(served["date-released"]) == settings.data_date
    assert {"message", "title", "authors"} <= set(served)


@pytest.mark.parametrize("page", LISTED, ids=lambda page: page.url)
def test_linked_data_names_files_that_exist(page: object) -> None:
    from sitegen.site.page import Page

    assert isinstance(page, Page)
    scripts = tree(f"{page.url[1:]}index.html").findall("head/script")
    (block,) = [script for script in scripts if script.get("type")]
    about = json.loads(block.text or "")
    assert about["@type"] in {"Dataset", "TechArticle"}
    assert about["version"] == version_of(page.url)
    assert about["license"] == "https://creativecommons.org/licenses/by/4.0/"
    assert about["url"] == f"https://example.org{page.url}"
    for download in about.get("distribution", []):
        assert download["contentUrl"].removeprefix("https://example.org/") in files()
    assert ("distribution" in about) == (about["@type"] == "Dataset")


def test_nothing_in_linked_data_can_end_its_block() -> None:
    html = script_html({"name": "</script><script>alert(1)</script>&<!--"})
    assert html.count("<") == 2
    inside = html.partition(">")[2].rpartition("<")[0]
    assert json.loads(inside) == {"name": "</script><script>alert(1)</script>&<!--"}


@pytest.mark.parametrize("page", LISTED, ids=lambda page: page.url)
def test_a_wrong_number_is_reported_with_what_is_known_filled_in(page: object) -> None:
    from sitegen.site.page import Page

    assert isinstance(page, Page)
    root = tree(f"{page.url[1:]}index.html")
    (link,) = [a for a in root.iter("a") if a.get("class") == "report"]
    address = urlsplit(str(link.get("href")))
    assert address.netloc + address.path == "example.org/sitegen/issues/new"
    asked = parse_qs(address.query, strict_parsing=True)
    assert set(asked) == {"title", "body"}
    assert f"Page: https://example.org{page.url}\n" in asked["body"][0]
    assert f"Data version: {version_of(page.url)} of 2026-11-20\n" in asked["body"][0]
    assert page.source.path in asked["body"][0]


def test_no_title_can_add_to_the_address_of_a_report() -> None:
    page = replace(site().pages["/"], title="a&labels=x#y %00\n" + "z" * 5_000)
    address = urlsplit(report_url(page, fabricated.SETTINGS))
    assert address.fragment == ""
    assert set(parse_qs(address.query)) == {"title", "body"}
    assert len(address.query) < 4_000


def test_every_anchor_that_is_recorded_is_on_its_page() -> None:
    recorded = json.loads(files()["anchors.json"])["pages"]
    assert set(recorded) == set(site().pages)
    for url, anchors in recorded.items():
        path = url[1:] + ("index.html" if url.endswith("/") else "")
        assert set(anchors) <= {element.get("id") for element in tree(path).iter()}
    assert "m-small-8b--q4-k-m" in recorded["/combos/single-rtx-3060/"]


def test_the_anchors_of_a_page_do_not_depend_on_other_records() -> None:
    fewer = {id_: c for id_, c in fabricated.SURVEY.combos.items() if id_ != "mac-studio"}
    inputs = replace(fabricated.inputs(), survey=Survey(fewer))
    from sitegen.render.whole_site import anchors_of

    before = json.loads(files()["anchors.json"])["pages"]
    after = {url: list(anchors_of(page)) for url, page in collect_pages(inputs).pages.items()}
    url = "/combos/four-by-two/"
    assert after[url] == before[url]
    assert "/combos/mac-studio/" not in after

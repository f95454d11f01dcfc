"""A page's version is of what the page says, and of nothing beside it."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from sitegen.render.data.page_version import UNKNOWN
from sitegen.render.environment import environment
from sitegen.render.page_files import render_page
from sitegen.site.page import Page
from tests.render.built import files, project, site
from tests.site import fabricated

URL = "/gpus/rtx-4090/"


def made(page: Page, version: str = "test") -> dict[str, bytes]:
    settings = replace(fabricated.SETTINGS, data_version=version)
    return render_page(page, settings, environment(project().templates))


def version_in(page_files: dict[str, bytes]) -> str:
    return str(json.loads(page_files[f"{URL[1:]}index.json"])["data_version"])


def test_the_version_of_the_catalog_changes_no_file_of_a_page() -> None:
    page = site().pages[URL]
    assert made(page) == made(page, "another")


def test_what_a_page_says_changes_its_version_in_all_its_files() -> None:
    page = site().pages[URL]
    before = version_in(made(page))
    after = made(replace(page, stated={"figure": 1}))
    version = version_in(after)
    assert version != before
    for name in ("index.html", "metadata.json", "page.md"):
        assert version.encode() in after[f"{URL[1:]}{name}"]
        assert before.encode() not in after[f"{URL[1:]}{name}"]


def test_words_of_a_template_are_no_data_of_a_page_with_figures() -> None:
    page = site().pages[URL]
    templates = project().templates
    words = {**templates, page.template: templates[page.template].replace("<h2", "<h2 lang=en", 1)}
    other = render_page(page, fabricated.SETTINGS, environment(words))
    assert other != made(page)
    assert version_in(other) == version_in(made(page))


def test_no_file_is_left_without_its_version() -> None:
    assert not [path for path, content in files().items() if UNKNOWN.encode() in content]
    texts = [text for path, text in files().items() if path.endswith(".html")]
    assert len({re.findall(rb"Data version ([0-9a-f]{12}), under", text)[0] for text in texts}) > 10

"""Pictures of pages: right in size, few in bytes, the same every time, named in the head."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from sitegen.render.social import Painter, cards_of
from sitegen.site.social_card import SocialCard
from tests.render.built import files, pages, project, site, tree

PICTURES = tuple(path for path in files() if path.endswith("card.png"))


def properties(path: str) -> dict[str, str]:
    """The named values of a page's head."""
    return {
        str(meta.get("property") or meta.get("name")): str(meta.get("content"))
        for meta in tree(path).iter("meta")
    }


def test_combos_and_surveyed_models_have_a_picture_and_the_site_has_one() -> None:
    own = {page.url for page in site().pages.values() if page.kind in {"combo", "model"}}
    assert set(PICTURES) == {f"{url.lstrip('/')}card.png" for url in own} | {"assets/card.png"}


@pytest.mark.parametrize("path", PICTURES)
def test_a_picture_has_the_size_that_readers_of_links_expect(path: str) -> None:
    with Image.open(BytesIO(files()[path])) as picture:
        assert (picture.format, picture.size, picture.mode) == ("PNG", (1_200, 630), "P")
        assert len(picture.getcolors() or ()) <= 16
    assert len(files()[path]) < 40_000


@pytest.mark.parametrize("path", pages())
def test_the_head_names_a_picture_that_is_published(path: str) -> None:
    found = properties(path)
    assert found["og:title"]
    assert found["twitter:card"] == "summary_large_image"
    address = found["og:image"]
    assert address.startswith("https://example.org/")
    assert address.removeprefix("https://example.org/") in files()
    assert found["og:image:alt"]


def test_a_picture_is_the_same_when_drawn_again() -> None:
    page = next(page for page in site().pages.values() if page.card is not None)
    again = cards_of(page, site().settings, project().fonts)
    assert again == {path: files()[path] for path in again}


def test_a_long_title_is_cut_and_never_leaves_the_picture() -> None:
    painter = Painter(project().fonts, "sitegen")
    card = SocialCard("over", "A title of many words " * 20, ("A line " * 60,))
    with Image.open(BytesIO(painter.drawn(card))) as picture:
        right = picture.crop((1_200 - 60, 100, 1_200, 630))
        foot = picture.crop((30, 610, 1_200, 630))
        assert right.getextrema() == (0, 0)
        assert foot.getextrema() == (0, 0)


def test_a_project_without_fonts_has_no_pictures_and_does_not_name_any() -> None:
    page = next(page for page in site().pages.values() if page.card is not None)
    assert cards_of(page, site().settings, {}) == {}

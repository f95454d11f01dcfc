"""JSON twins and the sitemap: valid, sorted, complete, the same every time."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from sitegen.pipeline.pages import render
from sitegen.render.addresses import file_of
from sitegen.render.data.machine import json_twin
from sitegen.site.page import TWIN
from tests.render.built import collected, files, project, site
from tests.site import fabricated

TWINS = tuple(path for path in files() if path.endswith("index.json"))
ENVELOPED = tuple(
    path
    for path in files()
    if path.endswith(".json")
    and "schema/" not in path
    and path not in {"anchors.json", "api/v2/openapi.json"}
)


def numbers(value: object) -> Iterator[float]:
    if isinstance(value, dict):
        for item in value.values():
            yield from numbers(item)
    elif isinstance(value, list):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, float):
        yield value


@pytest.mark.parametrize("path", ENVELOPED)
def test_a_file_has_its_envelope_sorted_keys_and_finite_numbers(path: str) -> None:
    twin = json.loads(files()[path])
    assert list(twin) == sorted(twin)
    assert set(twin) == {
        "schema_version", "data_version", "data_licence", "generated_from", "total", "result",
    }  # fmt: skip
    assert all(math.isfinite(number) for number in numbers(twin))


def test_every_page_with_facts_has_a_twin() -> None:
    expected = {file_of(page.url) for page in site().pages.values() if TWIN in page.files}
    assert {path.replace(".json", ".html") for path in TWINS} - {"api/v2/index.html"} == expected


def test_a_number_that_is_not_one_is_refused_rather_than_written() -> None:
    page = site().pages["/combos/four-by-two/"]
    broken = replace(page, stated={"share": float("nan")})
    with pytest.raises(ValueError, match="JSON"):
        json_twin(broken, (), fabricated.SETTINGS)


def test_the_sitemap_lists_every_page_but_the_error_page() -> None:
    listed = re.findall("<loc>(.*?)</loc>", files()["sitemap.xml"].decode())
    urls = [url for url, page in site().pages.items() if not page.signpost]
    assert listed == [f"https://example.org{url}" for url in urls]


def test_the_same_inputs_give_the_same_bytes_in_the_same_order() -> None:
    given = project()
    again = render(collected(), given.templates, given.assets, given.fonts)
    assert {path: files()[path] for path in again} == again
    assert list(again) == sorted(again)


def test_a_float_has_six_digits_and_a_byte_count_all_of_them() -> None:
    page = replace(
        site().pages["/combos/four-by-two/"],
        stated={"share": 0.8428911331353572, "few": [1e-9 / 3], "bytes": 25246564352, "on": True},
    )
    twin = json.loads(json_twin(page, (), fabricated.SETTINGS))["result"]
    assert twin == {"share": 0.842891, "few": [3.33333e-10], "bytes": 25246564352, "on": True}
    floats = [n for path in TWINS for n in numbers(json.loads(files()[path]))]
    assert floats
    assert all(n == float(f"{n:.6g}") for n in floats)

"""What docs/data.md says of formats is what is published."""

from __future__ import annotations

import json
import re
from pathlib import Path

from sitegen.site.content.history import parse_history
from sitegen.site.dates import STALE_DAYS
from tests.render.built import files

TEXT = (Path(__file__).parents[1] / "docs" / "data.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.S | re.M)


def test_every_file_that_is_named_is_published() -> None:
    named = set(re.findall(r"`/([\w./]+\.\w+)`", TEXT))
    assert len(named) >= 6
    assert named <= set(files())
    assert "_redirects" in files()
    beside = set(re.findall(r"^\| `(\w+\.\w+)` \|", TEXT, re.M))
    assert beside == {p.rpartition("/")[2] for p in files() if p.startswith("gpus/rtx-4090/")} - {
        "index.html"
    }


def test_every_list_is_named_and_no_other() -> None:
    table = TEXT.partition("| list | entries |\n|---|---|\n")[2].partition("\n\n")[0]
    named = {
        name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])
    }
    listed = json.loads(files()["api/v2/index.json"])["result"]
    assert named == {one["name"] for one in listed}


def test_the_envelope_has_the_keys_of_every_file() -> None:
    (example,) = blocks("json")
    assert set(json.loads(example)) == set(json.loads(files()["api/v2/gpus.json"]))


def test_columns_that_are_named_exist() -> None:
    header = files()["combos/four-by-two/data.csv"].decode().partition("\r\n")[0].split(",")
    section = TEXT.partition("Columns:")[2].partition("## The API")[0]
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)*)`", section))
    assert {"max_context_tokens", "utilization_percent_low"} <= named <= set(header)


def test_the_examples_of_records_are_valid() -> None:
    release, stones = blocks("yaml")
    found = parse_history(
        {"content/changes/2026-11-20.yaml": release, "content/removed.yaml": stones}
    )
    assert len(found.releases) == len(found.removed) == 1


def test_the_days_of_a_stale_record_are_those_of_the_code() -> None:
    assert re.findall(r"more than (\d+) days", TEXT) == [str(STALE_DAYS)]

"""Names that were reviewed after the collection was made, and the scores that it lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks.quality.review import Review, added, review
from sitegen.importers.spellings.models import ModelNames
from tests.survey.whole_catalog import whole_catalog

CATALOG = whole_catalog()
BOARD = {"category": "coding", "unit": "percent", "higher_is_better": True}
NAME = {"evaluated_by": "somebody", "model_name": "a", "match": "exact", "model_id": "model-a"}
SECTIONS = {"exact": "exact", "sibling": "siblings", "none": "outside"}


def row(name: str, model: str | None = None) -> dict[str, Any]:
    match = "exact" if model else "none"
    return {"evaluated_by": "aider", "model_name": name, "model_id": model, "match": match}


def maps() -> dict[str, dict[str, Any]]:
    files = sorted(Path("catalog/names").glob("*.yaml"))
    return {file.stem: yaml.safe_load(file.read_text(encoding="utf-8")) for file in files}


def collected() -> list[dict[str, str]]:
    """List the boards of the added scores, as rows of a collection would name them."""
    groups = yaml.safe_load(Path("benchmarks/quality/added-scores.yaml").read_text("utf-8"))
    return [
        {"benchmark": benchmark}
        for group in groups
        for given in group["scores"].values()
        for benchmark in given.keys() - {"mode", "effort"}
    ]


def spellings(name: str) -> Iterator[str]:
    """Spell a name as files and repositories do: without blanks, remarks, and owners by `_`."""
    yield name
    yield re.sub(r" \(.*", "", name).replace(" ", "-")
    yield name.replace("_", "/", 1).rpartition("/")[2]


def test_a_review_goes_before_the_matches_of_the_collection() -> None:
    names = Review({"aider": {"siblings": {"a": "model-a"}, "outside": {"b": "Another model."}}})
    found = names.applied([row("a"), row("b", "model-b"), row("c", "model-c")], {"aider": "aider"})
    assert [(one["match"], one["model_id"]) for one in found] == [
        ("sibling", "model-a"),
        ("none", None),
        ("exact", "model-c"),
    ]
    assert names.why == {("aider", "b"): "Another model."}


def test_a_reviewed_name_that_no_score_has_stops_the_conversion() -> None:
    names = Review({"aider": {"exact": {"a": "model-a"}}})
    with pytest.raises(SystemExit, match="in no row"):
        names.applied([row("A")], {"aider": "aider"})
    with pytest.raises(SystemExit, match="in no row"):
        names.applied([row("a")], {"aider": "another-map"})


def test_a_name_is_reviewed_once() -> None:
    with pytest.raises(SystemExit, match="twice"):
        Review({"aider": {"exact": {"a": "model-a"}, "outside": {"a": "Another model."}}})


def test_added_scores_are_rows_of_the_boards_of_the_collection() -> None:
    boards = {one["benchmark"] for one in collected()}
    found = added([{"benchmark": benchmark, **BOARD, **NAME} for benchmark in boards])
    assert {one["benchmark"] for one in found} == boards
    assert all(one["category"] == "coding" and one["read"] > one["date"] for one in found)
    assert all(one.get("ci_low", 0) <= one["score"] <= one.get("ci_high", 5_000) for one in found)
    keys = [(one["model_name"], one["benchmark"], one.get("mode"), one["date"]) for one in found]
    assert len(keys) == len(set(keys))
    assert {one["model_id"] for one in found} == {None}


def test_an_added_score_means_the_model_that_the_collection_means() -> None:
    boards = [{"benchmark": one["benchmark"], **BOARD} for one in collected()]
    name = {"evaluated_by": "LMArena (human votes)", "model_name": "kimi-k3-max"}
    known = {**NAME, **name, "model_id": "kimi-k3"}
    found = added([{**board, **known} for board in boards])
    ids = {one["model_name"]: one["model_id"] for one in found}
    assert ids["kimi-k3-max"] == "kimi-k3"
    assert ids["Step 3.5 Flash"] is None


def test_an_added_score_of_no_board_stops_the_conversion() -> None:
    with pytest.raises(KeyError):
        added([{"benchmark": "hle", **BOARD, **NAME}])


def test_the_committed_maps_say_what_was_reviewed() -> None:
    committed, seen = maps(), 0
    for (map_, name), (match, model) in review().meant.items():
        record = committed[map_]
        there = [key for key in SECTIONS.values() if name in record.get(key, ())]
        if there:  # scores of makers and of quantized files of models outside are not kept
            seen += 1
            assert there == [SECTIONS[match]], name
            assert model is None or record[there[0]][name] == model
            assert match != "none" or name in record["decided"]
        else:
            assert match == "none", name
    assert seen > 200


def test_a_name_outside_that_spells_a_model_says_why_it_is_not_that_model() -> None:
    names = ModelNames(CATALOG.models)
    unsaid = [
        (map_, name, model)
        for map_, record in maps().items()
        for name in record.get("outside", ())
        if name not in record.get("decided", {})
        for model in {names.meant(spelling).model for spelling in spellings(name)} - {None}
    ]
    assert unsaid == []

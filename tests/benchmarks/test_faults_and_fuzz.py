"""The scripts that inject faults and broken input notice what they are there to notice."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import pytest

from benchmarks.faults.__main__ import SCENARIOS
from benchmarks.faults.project import Ended, against, left_beside, not_whole
from benchmarks.fuzz import __main__ as fuzz
from benchmarks.fuzz.changes import bytes_changed, value_changed, words_changed
from benchmarks.fuzz.kinds import Bench, Case
from sitegen.output import MANIFEST, publish

SITE: Mapping[str, bytes] = {"index.html": b"home", "a/index.html": b"a", "a/data.csv": b"1,2"}
ASKED_FOR = (
    "kill -9", "full disk", "read-only", "two builds", "worker", "clock", "HOME", "files change",
    "FIFOs", "YAML", "Unicode", "formulas and scripts", "server",
)  # fmt: skip


def test_every_fault_that_was_asked_for_has_a_scenario() -> None:
    assert [word for word in ASKED_FOR if not any(word in name for name in SCENARIOS)] == []


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda _: None, ""),
        (lambda out: (out / "a/index.html").write_bytes(b"b"), "a/index.html is not what"),
        (lambda out: (out / "a/data.csv").unlink(), "files and list differ"),
        (lambda out: (out / "half.html").write_bytes(b""), "files and list differ"),
        (lambda out: (out / MANIFEST).unlink(), "no list of its files"),
        (lambda out: (out / MANIFEST).write_bytes(b"{"), "no list of its files"),
    ],
)
def test_a_site_that_is_not_whole_is_noticed(
    tmp_path: Path, harm: Callable[[Path], object], said: str
) -> None:
    out = tmp_path / "public"
    publish(SITE, out)
    harm(out)
    found = not_whole(out)
    assert said in found
    assert bool(found) is bool(said)
    assert left_beside(out) == ""
    (tmp_path / ".public.tmp-1").mkdir()
    assert ".public.tmp-1" in left_beside(out)


@pytest.mark.parametrize(
    ("done", "wrong"),
    [
        (Ended(0, "", ""), False),
        (Ended(2, "", "sitegen: error: no space"), False),
        (Ended(3, "", ""), True),
        (Ended(-11, "", ""), True),
        (Ended(1, "", "Traceback (most recent call last)"), True),
        (Ended(2, "", "sitegen: error: internal error: KeyError"), True),
        (Ended(-14, "", "hung for 180 s"), True),
    ],
)
def test_an_end_that_was_not_meant_is_noticed(done: Ended, wrong: bool) -> None:
    assert bool(against(done)) is wrong


def test_changes_follow_from_the_seed_and_change_something() -> None:
    text, value = b"name: a\nsizes: [1, 2]\n", {"name": "a", "sizes": [1, 2, {"b": None}]}
    words = ["fit", "qwen3-8b", "--context", "8192"]
    for change, given in ((bytes_changed, text), (value_changed, value), (words_changed, words)):
        act = cast("Callable[[object, random.Random], object]", change)
        made = [repr(act(given, random.Random(seed))) for seed in range(50)]  # noqa: S311 - cases
        again = [repr(act(given, random.Random(seed))) for seed in range(50)]  # noqa: S311 - cases
        assert made == again
        assert len(set(made)) > 25
    assert value == {"name": "a", "sizes": [1, 2, {"b": None}]}


def test_values_may_be_of_any_size() -> None:
    for seed in range(300):
        value_changed({"a": 10**400, "b": float("inf"), "c": "x"}, random.Random(seed))  # noqa: S311


def raises(_: Bench, dice: random.Random) -> Case:
    raise ZeroDivisionError(str(dice.random()))


def hangs(_: Bench, __: random.Random) -> Case:
    while True:
        json.loads("[]")


def is_well(_: Bench, dice: random.Random) -> Case:
    return Case(str(dice.random()).encode(), "well")


def test_a_case_that_raises_or_hangs_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {"raises": (1, raises), "hangs": (1, hangs), "well": (1, is_well)}
    monkeypatch.setattr(fuzz, "KINDS", kinds)
    monkeypatch.setattr(fuzz, "LIMIT_S", 1)
    bench = cast("Bench", None)
    began = time.process_time()
    assert "ZeroDivisionError" in fuzz.tried(bench, "raises", 1, 1)[0].wrong
    assert "more than 1 s" in fuzz.tried(bench, "hangs", 1, 1)[0].wrong
    assert time.process_time() - began < 20
    first, second = (fuzz.tried(bench, "well", 1, number)[0] for number in (1, 2))
    assert first.wrong == second.wrong == ""
    assert first == fuzz.tried(bench, "well", 1, 1)[0]
    assert first.given != second.given


def test_what_is_written_into_the_project_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    before = fuzz.tree(tmp_path)
    assert fuzz.tree(tmp_path) == before
    (tmp_path / "a").write_text("2")
    changed = fuzz.tree(tmp_path)
    (tmp_path / "b").write_text("")
    assert len({before, changed, fuzz.tree(tmp_path)}) == 3

"""Releases and removals are records: what is wrong in one has a place, and nothing is guessed."""

from __future__ import annotations

import pytest

from sitegen.problems import ProblemsFound
from sitegen.site.content.history import parse_history

GOOD = "date: 2026-11-20\ntitle: One\n"


CODES = {"history", "yaml-syntax", "missing-key", "unknown-key", "not-a-choice"}


def messages(path: str, text: str) -> list[str]:
    with pytest.raises(ProblemsFound) as found:
        parse_history({path: text})
    assert {problem.code for problem in found.value.problems} <= CODES
    return [str(problem).splitlines()[0] for problem in found.value.problems]


def test_releases_come_newest_first() -> None:
    paths = ("2026-11-20", "2026-12-01", "2026-11-20-b")
    files = {f"content/changes/{name}.yaml": f"date: {name[:10]}\ntitle: t\n" for name in paths}
    found = parse_history(files).releases
    assert [one.slug for one in found] == ["2026-12-01", "2026-11-20-b", "2026-11-20"]


def test_other_files_are_left_alone() -> None:
    assert parse_history({"content/site.yaml": "x: y", "content/guides/a.md": "z"}).releases == ()


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("title: One\n", "1:1", "`date` is missing"),
        ("date: 2026-11-20\n", "1:1", "`title` is missing"),
        (f"{GOOD}colour: red\n", "3:", "a release has no key 'colour'"),
        (f"{GOOD}moved:\n  - before: fine\n    after: borderline\n    rows: {{}}\n", "4:13",
         "`moved.0.before` is 'fine', expected 'comfortable'"),
        ("date: 2026-02-30\ntitle: One\n", "1:7", "'2026-02-30' is no day"),
        ("date: 2026-11-19\ntitle: One\n", "1:7", "a release's file is named by its date"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_release_has_its_place(text: str, place: str, said: str) -> None:
    (message,) = messages("content/changes/2026-11-20.yaml", text)
    assert message.startswith(f"content/changes/2026-11-20.yaml:{place}")
    assert said in message


@pytest.mark.parametrize(
    "address", ["models/x/", "/models/x", "/../x/", "/Models/x/", "//evil/", "/a b/", "/x%2f/", "/"]
)
def test_an_address_that_is_none_of_this_site_is_refused(address: str) -> None:
    stone = f'/a/: {{date: 2026-11-20, reason: r}}\n"{address}": {{date: 2026-11-20, reason: r}}\n'
    (message,) = messages("content/removed.yaml", stone)
    assert message.startswith("content/removed.yaml:2:1: ")
    assert "is no address of this site" in message


@pytest.mark.parametrize(
    ("goals", "gone"),
    [
        ({"/a/": "/a/"}, ["/a/"]),
        ({"/a/": "/b/", "/b/": "/a/"}, ["/b/", "/a/"]),
        ({"/a/": "/b/", "/b/": "/here/"}, ["/b/"]),
    ],
    ids=["itself", "circle", "chain"],
)
def test_nobody_is_sent_to_a_page_that_is_gone_too(goals: dict[str, str], gone: list[str]) -> None:
    stones = "".join(
        f"{url}: {{date: 2026-11-20, reason: r, instead: {goal}}}\n" for url, goal in goals.items()
    )
    said = messages("content/removed.yaml", stones)
    assert len(said) == len(gone)
    for message, address in zip(said, gone, strict=True):
        assert f"sends readers to '{address}', which is gone too" in message
        line, column = map(int, message.split(":")[1:3])
        assert stones.splitlines()[line - 1][column - 1 :] == f"{address}}}"

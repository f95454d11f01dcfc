"""Pages are remembered by what was read for them, and a read that is not told is noticed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sitegen.browser.program import BrowserProgram
from sitegen.catalog import load, one_record
from sitegen.catalog.file_names import CatalogFile
from sitegen.catalog.kinds import Kind
from sitegen.fit.fit_engine import FitEngine
from sitegen.inputs import read_project
from sitegen.pipeline import building, pages, recall, telling
from sitegen.pipeline.building import build
from sitegen.pipeline.known_records import RememberedRecords
from sitegen.pipeline.memory import Past
from sitegen.pipeline.sources import parse
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import JUDGED, Lazy, Read, note, recorded
from sitegen.site.pages.pair import judged_beside
from sitegen.survey.every_combo import survey_combo
from sitegen.survey.results import Survey
from tests.cli.small_project import small_project
from tests.made_once import browser_program
from tests.pipeline.random_edits import differing
from tests.pipeline.test_memory import BENCH, Kept, replace_in

GUIDE = """---
title: A guide
description: What a guide says.
kind: guide
---

Text.
"""


def _another_price(root: Path) -> None:
    replace_in(root / "catalog" / "gpus" / "rtx-3090.yaml", "amount: 1", "amount: 9")


def _another_count(root: Path) -> None:
    replace_in(root / "catalog" / "combos" / f"{BENCH}.yaml", "count: 2", "count: 4")


def _another_guide(root: Path) -> None:
    guides = root / "content" / "guides"
    guides.mkdir(exist_ok=True)
    number = len(list(guides.iterdir()))
    (guides / f"guide-{number}.md").write_text(GUIDE, encoding="utf-8")


def _made(monkeypatch: pytest.MonkeyPatch, root: Path, past: Past) -> list[str]:
    """Build, and name the pages that were made anew."""
    made: list[str] = []
    rendered = pages.rendered

    def telling_rendered(page: Any, *others: Any, **more: Any) -> dict[str, bytes]:
        made.append(page.url)
        return rendered(page, *others, **more)

    with monkeypatch.context() as patched:
        patched.setattr(pages, "rendered", telling_rendered)
        build(read_project(root), past=past)
    return made


def test_only_pages_that_read_what_changed_are_made_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root, past = small_project(tmp_path), Past(Kept(), "program")
    every = _made(monkeypatch, root, past)
    assert _made(monkeypatch, root, past) == ["/search/"]  # it lists all pages
    _another_price(root)
    priced = set(_made(monkeypatch, root, past))
    assert "/gpus/rtx-3090/" in priced
    assert {f"/combos/{BENCH}/", "/models/qwen3-8b/"} <= priced  # which say what it costs
    others = {"/gpus/rtx-4090/", "/combos/2x-rtx-4090/", f"/combos/{BENCH}/models/", "/matrix/"}
    assert others <= set(every) - priced


def test_files_of_no_page_are_made_again_where_what_they_say_has_changed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root, past, made = small_project(tmp_path), Past(Kept(), "program"), list[str]()
    for name in ("home_files", "buy_files", "verdict_file", "beside_files"):
        make = getattr(building, name)

        def told(*given: Any, name: str = name, make: Any = make) -> dict[str, bytes]:
            made.append(name)
            return dict(make(*given))

        monkeypatch.setattr(building, name, told)
    first = build(read_project(root), past=past).files
    assert len(made) == 4
    assert build(read_project(root), past=past).files == first
    assert len(made) == 4
    _another_price(root)
    build(read_project(root), past=past)
    assert "buy_files" in made[4:]
    assert "verdict_file" not in made[4:]  # a script of tiers and speeds


def test_a_page_that_the_memory_has_lost_since_is_made_again(tmp_path: Path) -> None:
    memory = Kept()
    root, past = small_project(tmp_path), Past(memory, "program")
    whole = dict(build(read_project(root)).files)
    build(read_project(root), past=past)
    found = build(read_project(root), past=past)
    memory.entries.clear()  # as another build does that cuts the store to its size
    assert dict(found.files) == whole


def test_an_index_is_kept_by_the_texts_that_are_searched(tmp_path: Path) -> None:
    root, past, indexed = (
        small_project(tmp_path),
        Past(Kept(), "program"),
        list[Mapping[str, str]](),
    )

    def search(pages: Mapping[str, str]) -> dict[str, bytes]:
        indexed.append(pages)
        return {"pagefind/words": " ".join(sorted(pages)).encode()}

    first = build(read_project(root), past=past, search=search).files
    _another_price(root)
    assert dict(build(read_project(root), past=past, search=search).files) != dict(first)
    assert len(indexed) == 1
    _another_guide(root)
    assert "pagefind/words" in build(read_project(root), past=past, search=search).files
    assert len(indexed) == 2


def test_records_are_read_once_while_their_text_and_all_ids_stand(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root, past, read = small_project(tmp_path), Past(Kept(), "program"), list[str]()
    own = one_record.read_record

    def told(file: CatalogFile, ids: Mapping[Kind, frozenset[str]]) -> Any:
        read.append(file.id)
        return own(file, ids)

    monkeypatch.setattr(load, "read_record", told)
    files = read_project(root).catalog

    def again(texts: Mapping[str, str]) -> set[str]:
        read.clear()
        records = RememberedRecords(past, texts)
        load.read_records(texts, known=records.known)
        records.keep()
        return set(read)

    assert len(again(files)) == len(files)
    assert again(files) == set()
    gpu, combo = "catalog/gpus/rtx-3090.yaml", f"catalog/combos/{BENCH}.yaml"
    assert again({**files, gpu: files[gpu] + "# more\n"}) == {"rtx-3090"}
    twin = {**files, "catalog/combos/twin.yaml": files[combo]}
    assert again(twin) == {"twin", "rtx-3090"}  # the text of before
    assert len(again(files)) == len(files)  # an id is gone


def test_the_program_is_translated_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root, past, made = small_project(tmp_path), Past(Kept(), "program"), list[int]()

    def counted() -> BrowserProgram:
        made.append(1)
        return browser_program()

    monkeypatch.setattr(recall, "program", counted)
    for _ in range(2):
        build(read_project(root), past=past)
    _another_count(root)
    build(read_project(root), past=past)
    assert made == [1]
    build(read_project(root), past=replace(past, program="another"))
    assert made == [1, 1]


def test_a_template_makes_every_page_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root, past = small_project(tmp_path), Past(Kept(), "program")
    every = _made(monkeypatch, root, past)
    path = root / "templates" / "base.html"
    path.write_text(path.read_text() + "<!-- more -->\n")
    assert _made(monkeypatch, root, past) == every


@pytest.mark.parametrize(
    ("forgotten", "edit"),
    [
        (lambda read: read[0] == "gpu" and read[-1] == "prices", _another_price),
        (lambda read: read[0] in {"survey", "combo"}, _another_count),
        (lambda read: read == telling.CONTENT, _another_guide),
    ],
)
def test_a_read_that_is_not_told_gives_another_site(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    forgotten: Callable[[Read], bool],
    edit: Callable[[Path], None],
) -> None:
    root = small_project(tmp_path)
    _another_guide(root)

    def forgetful(*reads: Read) -> None:
        note(*(read for read in reads if not forgotten(read)))

    monkeypatch.setattr(telling, "note", forgetful)
    past = Past(Kept(), "program")
    assert differing(root, past) == []
    edit(root)
    assert differing(root, past) != []


def test_who_asks_later_has_read_what_the_first_one_read() -> None:
    def make() -> int:
        note(("gpu", "a"))
        return 1

    lazy = Lazy(make)
    with recorded() as outer:
        with recorded() as first:
            assert lazy.value() == 1
        with recorded() as second:
            assert lazy.value() == 1
    assert list(first) == list(second) == list(outer) == [("gpu", "a")]


def test_values_by_id_tell_which_are_read() -> None:
    values = telling.Telling("gpu", {"a": 1, "b": 2})
    with recorded() as reads:
        assert values["a"] == 1
        assert values.get("c") is None
        assert "b" in values
    assert list(reads) == [("gpu", "a"), ("gpu", "c"), ("gpu", "b")]
    with recorded() as reads:
        assert list(values.values()) == [1, 2]
    assert list(reads) == [("gpu", "*")]
    with recorded() as reads:
        assert list(values) == ["a", "b"]
        assert len(values) == 2
    assert list(reads) == [("gpu", "*", "ids")]


def test_what_is_judged_for_a_page_reads_no_price(tmp_path: Path) -> None:
    parsed = parse(read_project(small_project(tmp_path)))
    catalog, engine = parsed.catalog, FitEngine(parsed.catalog)
    survey = survey_combo(engine, catalog.combos[BENCH])
    told = telling.telling(
        SiteInputs(
            catalog, engine, Survey({BENCH: survey}, {}), {}, {}, parsed.documents, parsed.settings
        )
    )
    with recorded() as reads:
        judged_beside(survey.rows[0].pick, told.engine)
    assert list(reads) == [JUDGED]
    with recorded() as reads:
        assert told.catalog.gpus["rtx-3090"].prices
    assert ("gpu", "rtx-3090", "prices") in reads

"""``sitegen new``: what it writes is valid but for what an editor is to replace."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest

from sitegen.catalog.kinds import RECORDS, Kind
from sitegen.cli.demo import copy_demo
from tests.cli.small_project import REPOSITORY, run

STAND_IN = re.compile(r"REPLACE(: [^\n\"']*)?")
COMMENT = re.compile(r"[ ]*# REPLACE.*")


def replaced(text: str) -> str:
    """Return a new file as an editor leaves it: comments gone, texts of their own."""
    return STAND_IN.sub("Somebody", COMMENT.sub("", text))


@pytest.mark.parametrize("kind", list(Kind))
def test_a_new_file_of_every_kind_passes_the_check_and_says_what_to_replace(
    lent: Path, kind: Kind
) -> None:
    done = run("--root", lent, "new", kind.value, "brand-new-1.5")
    assert (done.status, done.out) == (0, f"catalog/{kind.folder}/brand-new-1.5.yaml\n")
    fixed = run("--root", lent, "check", "--fix", lent / done.out.strip())
    assert "mended" not in fixed.err, "it is in order from the start"
    text = (lent / done.out.strip()).read_text(encoding="utf-8")
    places = {
        (number, match.start() + 1)
        for number, line in enumerate(text.splitlines(), 1)
        for match in re.finditer("REPLACE", line)
    }
    for file in ((), (lent / done.out.strip(),)):
        checked = run("--root", lent, "check", "--format", "json", *file)
        found = json.loads(checked.out)["problems"]
        assert checked.status == 0
        assert {one["severity"] for one in found} == {"warning"}
        assert {one["code"] for one in found} == {"stand-in"}
        assert {(one["line"], one["column"]) for one in found} == places
        assert all(one["hint"] for one in found)


GIVEN = re.compile(
    r"(read|date|reviewed|name|url|id|- id): ('(\d{4}-\d\d-\d\d|brand-new)?'|[\w-]+-1)"
)
"""What a new file may state unasked: the day, its id, and that no address is known."""


@pytest.mark.parametrize("kind", list(Kind))
def test_a_new_file_of_every_kind_states_nothing_that_it_does_not_ask_for(
    lent: Path, kind: Kind
) -> None:
    path = lent / run("--root", lent, "new", kind.value, "brand-new").out.strip()
    asked_at = 1_000
    for line in path.read_text(encoding="utf-8").splitlines():
        indent = len(line) - len(line.lstrip())
        if "REPLACE" in line:
            asked_at = indent
        elif indent <= asked_at:
            asked_at = 1_000
            states = not line.lstrip().startswith("#") and line.partition(": ")[2]
            assert not states or GIVEN.fullmatch(line.strip().removeprefix("- ")), line


@pytest.mark.parametrize("kind", list(Kind))
def test_a_new_file_of_every_kind_passes_once_its_stand_ins_are_gone(
    lent: Path, kind: Kind
) -> None:
    path = lent / run("--root", lent, "new", kind.value, "brand-new-1.5").out.strip()
    path.write_text(replaced(path.read_text(encoding="utf-8")), encoding="utf-8")
    checked = run("--root", lent, "check")
    assert (checked.status, checked.out) == (0, "")


def test_two_drafts_of_every_kind_stand_side_by_side(lent: Path) -> None:
    for kind in Kind:
        for name in ("brand-new", "brand-new-2"):
            assert run("--root", lent, "new", kind.value, name).status == 0
    checked = run("--root", lent, "check", "--ignore", "stand-in")
    assert (checked.status, checked.out) == (0, "")


def test_questions_are_answered_while_stand_ins_are_there(lent: Path) -> None:
    run("--root", lent, "new", "gpu", "brand-new")
    assert run("--root", lent, "fit", "qwen3-8b", "--gpu", "brand-new").status == 0


def test_a_sentence_about_replacing_is_no_stand_in(lent: Path) -> None:
    path = lent / "catalog" / "gpus" / "rtx-4090.yaml"
    words = "notes: They REPLACE older cards. REPLACED, too: a fan.\n"
    path.write_text(path.read_text(encoding="utf-8") + words, encoding="utf-8")
    checked = run("--root", lent, "check", "--select", "stand-in")
    assert (checked.status, checked.out) == (0, "")


def test_a_new_file_of_every_kind_passes_in_the_catalog_that_is_published(tmp_path: Path) -> None:
    for folder in ("catalog", "content", "templates"):
        shutil.copytree(REPOSITORY / folder, tmp_path / folder)
    for kind in Kind:
        assert run("--root", tmp_path, "new", kind.value, f"brand-new-{kind.value}").status == 0
    checked = run("--root", tmp_path, "check", "--ignore", "stand-in")
    assert (checked.status, checked.out) == (0, "")


def test_a_score_needs_a_map_with_a_name(lent: Path) -> None:
    names = lent / "catalog" / "names" / "somebody.yaml"
    names.write_text(names.read_text().partition("exact:")[0], encoding="utf-8")
    done = run("--root", lent, "new", "score", "x")
    assert done.status != 0
    assert "catalog/names/somebody.yaml has none" in done.err


@pytest.mark.parametrize("kind", list(Kind))
def test_a_new_file_names_its_schema_and_every_key_it_may_have(lent: Path, kind: Kind) -> None:
    run("--root", lent, "new", kind.value, "x")
    text = (lent / "catalog" / kind.folder / "x.yaml").read_text(encoding="utf-8")
    assert text.splitlines()[0] == kind.modeline
    for key in RECORDS[kind].model_fields:
        assert f"\n{key}:" in text or f"\n# {key}:" in text


def test_an_existing_file_is_never_overwritten(lent: Path) -> None:
    record = lent / "catalog" / "gpus" / "rtx-4090.yaml"
    before = record.read_bytes()
    done = run("--root", lent, "new", "gpu", "rtx-4090")
    assert done.status == 2
    assert "exists already" in done.err
    assert record.read_bytes() == before


@pytest.mark.parametrize(
    "given", ["RTX", "../x", "a/b", "/abs", "con", "a" * 81, "-x", "é", "a b", "a.", ""]
)
def test_an_id_that_some_system_cannot_hold_is_refused(lent: Path, given: str) -> None:
    before = sorted(lent.rglob("*"))
    done = run("--root", lent, "new", "gpu", "--", given)
    assert done.status == 2
    assert "Traceback" not in done.err
    assert sorted(lent.rglob("*")) == before


def test_a_missing_id_is_said_to_be_missing(lent: Path) -> None:
    done = run("--root", lent, "new", "gpu")
    assert done.status == 2
    assert "ID is missing: write `sitegen new gpu <id>`" in done.err


def test_a_config_of_an_unknown_family_says_what_a_family_is(lent: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "brand-new"}', encoding="utf-8")
    done = run("--root", lent, "new", "model", "own", "--from", tmp_path / "config.json")
    assert done.status == 2
    assert "--from: " in done.err
    assert "--config" not in done.err
    assert "sitegen/models/families/" in done.err


def test_a_kind_that_refers_to_another_says_what_to_add_first(tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    done = run("--root", tmp_path, "new", "combo", "mine")
    assert done.status == 2
    assert "`sitegen new gpu <id>` first" in done.err


def test_a_first_project_is_made_and_built_without_a_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr("socket.socket", refused)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert run("new", "demo").out == "demo\n"
    assert run("--root", "demo", "check").status == 0
    done = run("--root", "demo", "build", "--jobs", "1")
    assert done.status == 0, done.out + done.err
    page = tmp_path / "demo" / "public" / "combos" / "2x-rtx-4090" / "index.html"
    assert "Qwen3 8B" in page.read_text()
    seconds = float(done.err.splitlines()[-1].split()[-2])
    assert seconds < 60, "ten seconds on an idle machine"


def test_a_first_project_takes_no_folder_that_holds_something(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    for folder in (tmp_path / "mine", tmp_path / "mine" / "thesis.txt"):
        done = run("new", "demo", folder)
        assert done.status == 2
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]
    assert run("new", "demo", tmp_path / "x", "y").status == 2


def test_a_first_project_is_copied_from_an_installation_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    for to, patterns in listed["tool"]["setuptools"]["data-files"].items():
        target = tmp_path / to.removeprefix("share/sitegen/")
        target.mkdir(parents=True)
        for pattern in patterns:
            for path in REPOSITORY.glob(pattern):
                shutil.copy(path, target)
    monkeypatch.setattr("sitegen.cli.shares.CHECKOUT", tmp_path / "nowhere")
    monkeypatch.setattr("sitegen.cli.shares.INSTALLED", tmp_path)
    installed = copy_demo(tmp_path / "installed")
    monkeypatch.undo()
    assert installed == copy_demo(tmp_path / "beside")
    assert (tmp_path / "installed" / "templates" / "fonts" / "LICENSE.txt").is_file()

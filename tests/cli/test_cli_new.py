"""``sitegen new``: what it writes is valid before anybody has touched it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.catalog.kinds import RECORDS, Kind
from tests.cli.small_project import run, small_project


@pytest.mark.parametrize("kind", list(Kind))
def test_a_new_file_of_every_kind_passes_the_check_unedited(tmp_path: Path, kind: Kind) -> None:
    root = small_project(tmp_path)
    done = run("--root", root, "new", kind.value, "brand-new-1.5")
    assert (done.status, done.out) == (0, f"catalog/{kind.folder}/brand-new-1.5.yaml\n")
    checked = run("--root", root, "check")
    assert (checked.status, checked.out) == (0, "")


@pytest.mark.parametrize("kind", list(Kind))
def test_a_new_file_names_its_schema_and_every_key_it_may_have(tmp_path: Path, kind: Kind) -> None:
    root = small_project(tmp_path)
    run("--root", root, "new", kind.value, "x")
    text = (root / "catalog" / kind.folder / "x.yaml").read_text(encoding="utf-8")
    assert text.splitlines()[0] == kind.modeline
    for key in RECORDS[kind].model_fields:
        assert f"\n{key}:" in text or f"\n# {key}:" in text


def test_an_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    root = small_project(tmp_path)
    record = root / "catalog" / "gpus" / "rtx-4090.yaml"
    before = record.read_bytes()
    done = run("--root", root, "new", "gpu", "rtx-4090")
    assert done.status == 2
    assert "exists already" in done.err
    assert record.read_bytes() == before


@pytest.mark.parametrize(
    "given", ["RTX", "../x", "a/b", "/abs", "con", "a" * 81, "-x", "é", "a b", "a.", ""]
)
def test_an_id_that_some_system_cannot_hold_is_refused(tmp_path: Path, given: str) -> None:
    root = small_project(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    done = run("--root", root, "new", "gpu", "--", given)
    assert done.status == 2
    assert "Traceback" not in done.err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_kind_that_refers_to_another_says_what_to_add_first(tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    done = run("--root", tmp_path, "new", "combo", "mine")
    assert done.status == 2
    assert "`sitegen new gpu <id>` first" in done.err

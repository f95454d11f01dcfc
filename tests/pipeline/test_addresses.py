"""An address that was published stays, leads on, or says why it is gone."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from sitegen.pipeline.addresses import lost_addresses
from sitegen.problems import Severity
from tests.cli.small_project import run, small_project

PAGE = "/combos/2x-rtx-4090/"


def anchors(**pages: list[str]) -> bytes:
    listed = {f"/{name}/": found for name, found in pages.items()}
    return json.dumps({"pages": listed}).encode()


def lost(before: bytes, after: bytes) -> list[tuple[str, str]]:
    found = lost_addresses(before, {"anchors.json": after})
    return [(problem.code, problem.message) for problem in found]


def test_the_same_addresses_and_more_lose_nothing() -> None:
    assert lost(anchors(a=["m-x"]), anchors(a=["m-x", "m-y"], b=[])) == []


def test_a_page_that_is_gone_is_an_error_and_a_row_that_is_gone_a_warning() -> None:
    found = lost_addresses(anchors(a=["m-x", "m-y"], b=[]), {"anchors.json": anchors(a=["m-y"])})
    assert [(p.code, p.severity, p.message) for p in found] == [
        ("address-lost", Severity.ERROR, "/b/ was published but is now missing"),
        ("row-lost", Severity.WARNING, "the row 'm-x' was published but is now missing from /a/"),
    ]


def test_another_checkpoint_at_the_head_of_a_model_s_row_is_no_loss() -> None:
    assert lost(anchors(a=["m-x", "m-x--q4"]), anchors(a=["m-x", "m-x--q8"])) == []


def test_a_page_that_leads_on_has_lost_nothing() -> None:
    assert lost(anchors(a=["m-x"]), anchors(a=[])) == []


def test_a_row_that_many_pages_lose_is_said_once() -> None:
    names = [f"p{number}" for number in range(9)]
    before = anchors(**{name: ["m-x", "m-y"] for name in names})
    ((code, message),) = lost(before, anchors(**{name: ["m-y"] for name in names}))
    assert code == "row-lost"
    assert message.endswith("/p0/, /p1/, /p2/, /p3/, /p4/ and 4 more")


@pytest.mark.parametrize("before", [b"", b"{", b"[]", b'{"pages": 3}', b"\xff"])
def test_a_file_that_is_no_list_of_addresses_has_none(before: bytes) -> None:
    assert lost(before, anchors(a=[])) == []


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project, published, from which a combo has been taken away since."""
    root = small_project(tmp_path_factory.mktemp("published"))
    assert run("--root", root, "build").status == 0
    (root / "catalog" / "combos" / "2x-rtx-4090.yaml").unlink()
    return root


def copy_of(published: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(published, tmp_path / "project"))


def test_a_build_that_would_lose_a_page_publishes_nothing(published: Path, tmp_path: Path) -> None:
    root = copy_of(published, tmp_path)
    done = run("--root", root, "build")
    assert done.status == 1
    assert re.findall(r"error\[(.*?)\]: (\S+)", done.out) == [("address-lost", PAGE)]
    assert (root / "public" / PAGE[1:] / "index.html").exists()
    assert run("--root", root, "build", "--forget").status == 0
    assert not (root / "public" / PAGE[1:]).exists()


def test_a_word_about_why_it_is_gone_is_enough(published: Path, tmp_path: Path) -> None:
    root = copy_of(published, tmp_path)
    stone = (
        f"{PAGE}:\n  date: 2026-11-20\n  reason: Sold.\n  instead: /combos/2x-rtx-3090-nvlink/\n"
    )
    (root / "content" / "removed.yaml").write_text(stone, encoding="utf-8")
    done = run("--root", root, "build")
    said = re.findall(r"(\w+)\[(.*?)\]: the row '(.*?)'", done.out)
    assert (done.status, said) == (0, [("warning", "row-lost", "needs-rtx-4090")])
    page = (root / "public" / PAGE[1:] / "index.html").read_text(encoding="utf-8")
    assert "Sold." in page
    (root / "content" / "removed.yaml").unlink()
    assert run("--root", root, "build").status == 1

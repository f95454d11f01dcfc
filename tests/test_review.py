"""The comment on a pull request: what moved and why, problems, and no markup of a title."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from scripts import review
from scripts.review import MARKER, MOST_CHARACTERS, fenced, main, shortened
from tests.cli.small_project import run, small_project


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_project(tmp_path_factory.mktemp("base"))


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the program in this process: two tests run it as its workflow does."""

    def ran(project: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        monkeypatch.chdir(project)
        done = run(*arguments)
        return subprocess.CompletedProcess(arguments, done.status, done.out, done.err)

    monkeypatch.setattr(review, "sitegen", ran)


def changed(base: Path, folder: Path, old: str, new: str) -> Path:
    """Copy a project with another text in the record of the RTX 3090."""
    shutil.copytree(base, folder)
    record = folder / "catalog" / "gpus" / "rtx-3090.yaml"
    text = record.read_text("utf-8")
    assert text.count(old) == 1
    record.write_text(text.replace(old, new), encoding="utf-8")
    return folder


def test_a_comment_names_the_rows_that_moved_and_the_fact_behind_them(
    base: Path, tmp_path: Path
) -> None:
    head = changed(
        base,
        tmp_path / "head",
        "vram_gib: 24\nvisible_mib: 24126",
        "vram_gib: 8\nvisible_mib: 8042",
    )
    assert main([str(base), str(head), str(tmp_path / "out")]) == 0
    comment = (tmp_path / "out" / "comment.md").read_text("utf-8")
    assert comment.startswith(f"{MARKER}\n\n**The check found no error.**\n")
    assert "moved by `gpus/rtx-3090: visible_mib 24126 → 8042, vram_gib 24.0 → 8.0`" in comment
    assert "on `2x-rtx-3090-nvlink`:" in comment
    assert "2x-rtx-4090" not in comment
    assert (tmp_path / "out" / "site" / "index.html").is_file()


@pytest.mark.usefixtures("here")
def test_a_fact_that_moves_nothing_is_named_too(base: Path, tmp_path: Path) -> None:
    rate = "memory_bandwidth_gb_s: {}\nmemory_bus_bits: 384\nmemory_gbit_s: {}"
    old, new = rate.format("936.2", "19.5"), rate.format("960.0", "20.0")
    head = changed(base, tmp_path / "head", old, new)
    assert main([str(base), str(head), str(tmp_path / "out")]) == 0
    comment = (tmp_path / "out" / "comment.md").read_text("utf-8")
    said = "no verdict or pick moved by `gpus/rtx-3090: memory_bandwidth_gb_s 936.2 → 960.0, "
    assert said in comment


@pytest.mark.usefixtures("here")
def test_an_address_that_is_lost_without_a_word_stops_the_merge(base: Path, tmp_path: Path) -> None:
    head = tmp_path / "head"
    shutil.copytree(base, head)
    (head / "catalog" / "combos" / "2x-rtx-4090.yaml").unlink()
    assert main([str(base), str(head), str(tmp_path / "out")]) == 1
    comment = (tmp_path / "out" / "comment.md").read_text("utf-8")
    assert "**Not to be merged like this: addresses would be lost.**" in comment
    assert "error[address-lost]: /combos/2x-rtx-4090/" in comment
    assert "- removed combos: `2x-rtx-4090`" in comment
    assert not (tmp_path / "out" / "site" / "combos" / "2x-rtx-4090").exists()


def test_a_broken_record_is_shown_and_nothing_of_it_becomes_markup(
    base: Path, tmp_path: Path
) -> None:
    evil = "name: '```` </details><img src=x> @everyone [x](https://evil.example)'\nvram: many"
    head = changed(base, tmp_path / "head", "name: RTX 3090\n", f"{evil}\n")
    assert main([str(base), str(head), str(tmp_path / "out")]) == 1
    comment = (tmp_path / "out" / "comment.md").read_text("utf-8")
    assert "**The check found errors; nothing was built.**" in comment
    assert "catalog/gpus/rtx-3090.yaml:" in comment
    before, _, inside = comment.partition("text\n")
    fence = before.splitlines()[-1]
    assert set(fence) == {"`"}
    assert fence not in inside.rstrip().removesuffix(fence)
    assert not (tmp_path / "out" / "site").exists()


def test_a_fence_is_longer_than_any_in_the_text_and_is_closed_after_a_cut() -> None:
    assert fenced("a ```` b").startswith("`````text\n")
    long = shortened(f"words\n\n{fenced('line' + chr(10) * 1 + 'x' * 80 + chr(10)) * 1200}")
    assert len(long) <= MOST_CHARACTERS + 100
    assert sum(line.startswith("```") for line in long.splitlines()) % 2 == 0
    assert shortened("short") == "short"


@pytest.mark.usefixtures("here")
def test_a_comment_of_200_kb_is_cut_and_mentions_nobody(base: Path, tmp_path: Path) -> None:
    head = changed(base, tmp_path / "head", "name: RTX 3090\n", "name: RTX 3090\n")
    evil = "".join(f"  - '@everyone #1 <img src=x> ``` {'x' * 400} {at}'\n" for at in range(500))
    text = head / "catalog" / "gpus" / "rtx-3090.yaml"
    text.write_text(f"{text.read_text('utf-8')}aliases:\n{evil}nonsense: 1\n", encoding="utf-8")
    assert len(text.read_bytes()) > 200_000
    assert main([str(base), str(head), str(tmp_path / "out")]) == 1
    comment = (tmp_path / "out" / "comment.md").read_text("utf-8")
    assert len(comment) < 65_536
    before, _, inside = comment.partition("text\n")
    fence = before.splitlines()[-1]
    assert inside.count(f"\n{fence}\n") == 1, "all that is the author's stands in one fence"
    assert "@everyone" not in inside.partition(f"\n{fence}\n")[2]
    assert "@everyone" not in before

"""``sitegen diff``: which verdicts move between two publications, for people and for programs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from sitegen.site.content.history import parse_history
from sitegen.site.json.differences import LISTS
from tests.cli.small_project import run, small_project
from tests.yaml_files import read_yaml

Sites = tuple[Path, Path]


def verdict(combo: str, model: str, tier: str, need_gib: float, **more: object) -> dict[str, Any]:
    return {
        "combo": combo, "model": model, "checkpoint": "q4-k-m", "runtime": "vllm", "tier": tier,
        "too_close": False, "need_bytes": int(need_gib * 2**30), "budget_bytes": 22 * 2**30,
        **more,
    }  # fmt: skip


def site(folder: Path, version: str, verdicts: list[dict[str, Any]], **ids: list[str]) -> Path:
    api = folder / "api" / "v1"
    api.mkdir(parents=True)
    files = {name: [{"id": id_} for id_ in ids.get(name, [])] for name in LISTS}
    for name, result in {**files, "verdicts": verdicts}.items():
        envelope = {"data_version": version, "result": result}
        (api / f"{name}.json").write_text(json.dumps(envelope), encoding="utf-8")
    return folder


@pytest.fixture
def sites(tmp_path: Path) -> Sites:
    base = site(
        tmp_path / "base",
        "one",
        [
            verdict("duo", "big", "borderline", 20.5),
            verdict("duo", "same", "comfortable", 9),
            verdict("duo", "older", "comfortable", 9),
            verdict("solo", "big", "borderline", 20.5),
        ],
        models=["big", "same", "older", "gone"],
        gpus=["old-gpu"],
    )
    head = site(
        tmp_path / "head",
        "two",
        [
            verdict("duo", "big", "comfortable", 19),
            verdict("duo", "same", "comfortable", 9),
            verdict("solo", "big", "borderline", 21, too_close=True),
        ],
        models=["big", "same", "older", "new"],
    )
    return base, head


def test_what_is_gone_stands_first_and_each_change_says_from_what_to_what(sites: Sites) -> None:
    done = run("diff", *sites)
    assert (done.status, done.err) == (0, "")
    assert done.out.replace("\N{NO-BREAK SPACE}", " ").splitlines() == [
        "removed models: gone",
        "removed gpus: old-gpu",
        "added models: new",
        "without a verdict now: older",
        "big q4-k-m on duo: borderline → fits comfortably "
        "(needs 20.5 GiB of 22 GiB on vllm → needs 19 GiB of 22 GiB on vllm)",
        "big q4-k-m on solo: borderline → borderline, too close to call "
        "(needs 20.5 GiB of 22 GiB on vllm → needs 21 GiB of 22 GiB on vllm)",
    ]


def test_a_comment_for_a_review_is_markdown_with_every_id_as_code(sites: Sites) -> None:
    lines = run("diff", *sites, "--format", "md").out.splitlines()
    assert lines[0] == "## Verdicts: `one` → `two`"
    assert lines[2] == "- removed models: `gone`"
    assert lines[6].startswith("- `big q4-k-m` on `duo`: borderline → fits comfortably (")


def test_an_id_cannot_end_its_code_or_its_line(tmp_path: Path) -> None:
    evil = "`x` <img src=x>\n# y [z](https://evil.example)"
    base = site(tmp_path / "base", evil, [verdict("c", evil, "borderline", 20)], models=[evil])
    head = site(tmp_path / "head", evil, [verdict("c", evil, "comfortable", 20)])
    lines = run("diff", base, head, "--format", "md").out.splitlines()
    assert len(lines) == 4
    assert all(line.count("`") in {2, 4} or not line for line in lines)
    assert all("<img" not in line.split("`")[0] for line in lines)


def test_programs_get_everything(sites: Sites) -> None:
    found = json.loads(run("diff", *sites, "--format", "json").out)
    assert found["removed"] == {"models": ["gone"], "gpus": ["old-gpu"]}
    assert found["unsurveyed"] == ["older"]
    assert [(one["combo"], one["after"]["tier"]) for one in found["moved"]] == [
        ("duo", "comfortable"),
        ("solo", "borderline"),
    ]


def test_a_release_is_ready_but_for_its_date_and_title(sites: Sites) -> None:
    text = run("diff", *sites, "--format", "yaml").out
    filled = text.replace("date: #", "date: 2026-12-01 #").replace("title: #", "title: New #")
    (one,) = parse_history({"content/changes/2026-12-01.yaml": filled}).releases
    (moved,) = one.release.moved
    assert (moved.before, moved.after, moved.rows) == (
        "borderline",
        "comfortable",
        {"duo": ("big",)},
    )
    assert one.release.removed == {"models": ("gone",), "gpus": ("old-gpu",)}
    assert read_yaml(text)["date"] is None


def test_a_site_beside_itself_differs_in_nothing_and_the_order_of_files_does_not_matter(
    sites: Sites,
) -> None:
    base, head = sites
    assert run("diff", head, head).out == "no verdict changed, no record came or went\n"
    before = run("diff", base, head, "--format", "json").out
    path = base / "api" / "v1" / "verdicts.json"
    envelope = json.loads(path.read_text("utf-8"))
    envelope["result"].reverse()
    path.write_text(json.dumps(envelope), encoding="utf-8")
    assert run("diff", base, head, "--format", "json").out == before


def test_a_folder_that_is_no_site_is_said_to_be_none(tmp_path: Path, sites: Sites) -> None:
    done = run("diff", tmp_path, sites[0])
    assert done.status == 2
    assert "is no published site" in done.err
    (sites[0] / "api" / "v1" / "verdicts.json").write_text('{"result": [{}]}', encoding="utf-8")
    broken = run("diff", *sites)
    assert broken.status == 2
    assert "not a list of verdicts" in broken.err


def test_a_changed_fact_of_a_real_project_moves_its_verdicts(tmp_path: Path) -> None:
    root = small_project(tmp_path)
    assert run("--root", root, "build").status == 0
    shutil.copytree(root / "public", tmp_path / "before")
    path = root / "catalog" / "gpus" / "rtx-4090.yaml"
    text = path.read_text("utf-8")
    smaller = text.replace("vram_gib: 24", "vram_gib: 3")
    assert smaller != text
    lines = [line for line in smaller.splitlines() if not line.startswith("visible_mib")]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    built = run("--root", root, "build")
    assert built.status == 0, built.out
    moved = json.loads(run("diff", tmp_path / "before", root / "public", "--format", "json").out)
    assert {one["combo"] for one in moved["moved"]} == {"2x-rtx-4090"}
    assert moved["removed"] == {}

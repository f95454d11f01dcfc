"""``sitegen diff``: which verdicts move between two publications, for people and for programs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from sitegen.site.content.history import parse_history
from sitegen.site.json.differences import READ
from tests.by_columns import entries
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
    return published(
        folder, version, verdicts, {name: {key: {} for key in ids[name]} for name in ids}
    )


def published(
    folder: Path,
    version: str,
    verdicts: list[dict[str, Any]],
    records: dict[str, dict[str, dict[str, Any]]],
) -> Path:
    api = folder / "api" / "v2"
    api.mkdir(parents=True)
    files = {
        name: [{"id": id_, "record": record} for id_, record in records.get(name, {}).items()]
        for name in READ
    }
    for name, result in {**files, "verdicts": by_columns(verdicts)}.items():
        envelope = {"data_version": version, "result": result}
        (api / f"{name}.json").write_text(json.dumps(envelope), encoding="utf-8")
    return folder


def by_columns(listed: list[dict[str, Any]]) -> dict[str, Any]:
    """As the API has it: a column that is the same for all has its value once."""
    columns: dict[str, Any] = {}
    for name in listed[0] if listed else ():
        column = [one[name] for one in listed]
        columns[name] = column[0] if all(value == column[0] for value in column) else column
    return {"total": len(listed), "columns": columns}


def of_version_1(site: Path) -> Path:
    """Write a site's lists as they stood before: verdicts as entries, in another folder."""
    (site / "api" / "v2").rename(site / "api" / "v1")
    path = site / "api" / "v1" / "verdicts.json"
    envelope = json.loads(path.read_text("utf-8"))
    envelope["result"] = entries(envelope["result"])
    path.write_text(json.dumps(envelope), encoding="utf-8")
    return site


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
        "no longer with a verdict: older",
        "2 verdicts moved by the program: no published record behind these rows changed",
        "  big q4-k-m on duo: borderline → fits comfortably "
        "(needs 20.5 GiB of 22 GiB on vllm → needs 19 GiB of 22 GiB on vllm)",
        "  big q4-k-m on solo: borderline → borderline (too close to call) "
        "(needs 20.5 GiB of 22 GiB on vllm → needs 21 GiB of 22 GiB on vllm)",
    ]


def test_a_comment_for_a_review_is_markdown_with_every_id_as_code(sites: Sites) -> None:
    lines = run("diff", *sites, "--format", "md").out.splitlines()
    assert lines[0] == "## Verdicts: `one` → `two`"
    assert lines[2] == "- removed models: `gone`"
    assert lines[7].startswith("  - `big q4-k-m` on `duo`: borderline → fits comfortably (")


def test_an_id_cannot_end_its_code_or_its_line(tmp_path: Path) -> None:
    evil = "`x` <img src=x>\n# y [z](https://evil.example)"
    base = site(tmp_path / "base", evil, [verdict("c", evil, "borderline", 20)], models=[evil])
    head = site(tmp_path / "head", evil, [verdict("c", evil, "comfortable", 20)])
    lines = run("diff", base, head, "--format", "md").out.splitlines()
    assert len(lines) == 5
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
    assert run("diff", head, head).out == (
        "no verdict or pick changed, and no record was added or removed\n"
    )
    before = run("diff", base, head, "--format", "json").out
    path = base / "api" / "v2" / "verdicts.json"
    envelope = json.loads(path.read_text("utf-8"))
    for column in envelope["result"]["columns"].values():
        if isinstance(column, list):
            column.reverse()
    path.write_text(json.dumps(envelope), encoding="utf-8")
    assert run("diff", base, head, "--format", "json").out == before


def test_a_site_that_was_published_with_version_1_is_read_as_well(sites: Sites) -> None:
    base, head = sites
    same = run("diff", base, head, "--format", "json").out
    assert "moved" in same
    assert run("diff", of_version_1(base), head, "--format", "json").out == same


def test_a_folder_that_is_no_site_is_said_to_be_none(tmp_path: Path, sites: Sites) -> None:
    done = run("diff", tmp_path, sites[0])
    assert done.status == 2
    assert "is not a published site" in done.err
    (sites[0] / "api" / "v2" / "verdicts.json").write_text('{"result": [{}]}', encoding="utf-8")
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
    done = run("diff", tmp_path / "before", root / "public", "--format", "json")
    assert done.status == 0, done.err
    moved = json.loads(done.out)
    assert {one["combo"] for one in moved["moved"]} == {"2x-rtx-4090"}
    assert moved["removed"] == {}
    (cause,) = moved["moved"][0]["causes"]
    assert (cause["list"], cause["id"]) == ("gpus", "rtx-4090")
    assert {"path": "vram_gib", "before": "24.0", "after": "3.0"} in cause["facts"]
    assert moved["pages"]["removed"] == moved["pages"]["added"] == []
    assert moved["pages"]["changed"] >= 3


def test_a_moved_row_names_the_facts_behind_it_that_changed_and_no_others(tmp_path: Path) -> None:
    combos: dict[str, dict[str, Any]] = {
        "duo": {
            "name": "Two",
            "nodes": [{"gpus": [{"gpu": "fast", "count": 2}], "link": "bridge"}],
        },
        "solo": {"nodes": [{"gpus": [{"gpu": "slow"}]}]},
    }
    before: dict[str, dict[str, dict[str, Any]]] = {
        "combos": combos,
        "gpus": {
            "fast": {"memory_bandwidth_gb_s": 900.0, "vram_gib": 24.0, "notes": "old words"},
            "slow": {"vram_gib": 8.0, "prices": [{"amount": 10}]},
        },
        "interconnects": {"bridge": {"nominal_gb_s": 56.0}},
        "models": {"big": {"context": 4096}, "small": {}},
        "quantizations": {"q4-k-m": {}, "q8-0": {}},
        "runtimes": {"vllm": {}, "sglang": {}},
        "assumptions": {"margin": {"value": 1.0, "note": "why"}},
    }
    after = json.loads(json.dumps(before))
    after["gpus"]["fast"].update(memory_bandwidth_gb_s=450.0, notes="new words")
    after["gpus"]["slow"]["prices"] = [{"amount": 12}]
    after["interconnects"]["bridge"]["nominal_gb_s"] = 112.0
    after["runtimes"]["new-one"] = {}
    base = published(
        tmp_path / "base",
        "one",
        [
            verdict("duo", "big", "comfortable", 20),
            verdict("solo", "big", "borderline", 20),
            verdict("solo", "small", "comfortable", 3),
        ],
        before,
    )
    head = published(
        tmp_path / "head",
        "two",
        [
            verdict("duo", "big", "borderline", 20),
            verdict("solo", "big", "not-practical", 20),
            verdict("solo", "small", "comfortable", 3, runtime="new-one"),
        ],
        after,
    )
    lines = run("diff", base, head).out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        "added runtimes: new-one",
        "1 verdict moved by gpus/fast: memory_bandwidth_gb_s 900.0 → 450.0; "
        "interconnects/bridge: nominal_gb_s 56.0 → 112.0",
        "1 verdict moved by the program: no published record behind these rows changed",
        "1 pick moved by runtimes/new-one is new",
    ]
    assert "  small q4-k-m on solo: q4-k-m in vllm → q4-k-m in new-one" in lines


def test_facts_that_move_no_verdict_are_no_cause_and_are_named_apart(tmp_path: Path) -> None:
    before: dict[str, dict[str, dict[str, Any]]] = {
        "combos": {"duo": {"nodes": [{"gpus": [{"gpu": "fast"}]}]}},
        "gpus": {"fast": {"vram_gib": 24.0, "tdp_watts": 300}},
        "runtimes": {"vllm": {
            "speculation": [{"draft": "small"}], "assessed_version": "0.19", "profiles": [
                {"version": "0.9", "constants": {"margin": 2}},
                {"version": "0.10", "constants": {"margin": 1}},
                {"version": "0.19", "like": "0.9"},
        ]}},
    }  # fmt: skip
    words = json.loads(json.dumps(before))
    words["runtimes"]["vllm"]["speculation"] = [{"draft": "smaller"}]
    words["runtimes"]["vllm"]["profiles"].insert(0, {"version": "0.8", "since": "0.8"})
    facts = json.loads(json.dumps(words))
    facts["runtimes"]["vllm"]["profiles"][1]["constants"]["margin"] = 3
    facts["gpus"]["fast"] = {"vram_gib": 12.0, "tdp_watts": 250}
    rows = [verdict("duo", "big", "comfortable", 20)], [verdict("duo", "big", "borderline", 21)]
    base = published(tmp_path / "a", "a", rows[0], before)
    said = run("diff", base, published(tmp_path / "b", "b", rows[1], words)).out.splitlines()
    assert "1 verdict moved by the program: no published record behind these rows changed" in said
    unread = (
        "no verdict or pick moved by runtimes/vllm: profiles[0.8].since nothing → 0.8, "
        "profiles[0.8].version nothing → 0.8, speculation[0].draft small → smaller"
    )
    assert unread in said
    said = run("diff", base, published(tmp_path / "c", "c", rows[1], facts)).out.splitlines()
    cause = "gpus/fast: vram_gib 24.0 → 12.0; runtimes/vllm: profiles[0.9].constants.margin 2 → 3"
    assert f"1 verdict moved by {cause}" in said
    assert "no verdict or pick moved by gpus/fast: tdp_watts 300 → 250" in said
    assert unread in said


def test_a_constant_is_named_for_every_row_and_evidence_only_where_no_record_changed(
    tmp_path: Path,
) -> None:
    rows = [verdict("duo", "big", "comfortable", 20)], [verdict("duo", "big", "borderline", 21)]
    record: dict[str, Any] = {"combos": {"duo": {}}, "losses": {"paper": {"value": 1}}}
    constant = {"assumptions": {"margin": {"value": 2.0, "note": "words"}}}
    base = published(
        tmp_path / "a", "a", rows[0], {**record, "assumptions": {"margin": {"value": 1.0}}}
    )
    head = published(tmp_path / "b", "b", rows[1], {**record, **constant})
    assert "moved by assumptions/margin: value 1.0 → 2.0" in run("diff", base, head).out
    other = {**record, **constant, "losses": {"paper": {"value": 3}}}
    again = published(tmp_path / "c", "c", rows[0], other)
    assert "moved by losses/paper: value 1 → 3" in run("diff", head, again).out


def test_pages_and_accuracy_stand_at_the_end(sites: Sites) -> None:
    base, head = sites
    for root, digest, reached in ((base, "aa", 0.01), (head, "bb", 0.02)):
        files = [{"path": "index.html", "sha256": digest, "size": 1}]
        files += [{"path": f"only-{digest}/index.html", "sha256": digest, "size": 1}]
        (root / "sitegen-manifest.json").write_text(json.dumps({"files": files}), encoding="utf-8")
        goals = [{"quantity": "weights", "measure": "p95", "program": "", "reached": reached}]
        (root / "accuracy").mkdir()
        text = json.dumps({"result": {"goals": goals}})
        (root / "accuracy" / "index.json").write_text(text, encoding="utf-8")
    assert run("diff", base, head).out.splitlines()[-4:] == [
        "removed pages: /only-aa/",
        "added pages: /only-bb/",
        "changed pages: 1",
        "accuracy, weights p95: 1.00% → 2.00%",
    ]

"""One slip hides no other from ``sitegen check``, be it in a text, a record, or the engine's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.catalog.test_problems import DOCUMENTED
from tests.cli.small_project import REPOSITORY, run, small_project

FAST = """\
# yaml-language-server: $schema=../../schema/v1/benchmark.schema.json
runs:
  - id: too-fast
    group: llama
    subject: {model: llama-3.1-8b-instruct, checkpoint: bf16, runtime: vllm}
    system: {nodes: [{gpus: [{gpu: rtx-4090}]}]}
    workload: {sequences: 1}
    figures: {decode_tokens_per_s: 6000}
    timed: steady
    quote: 6000 tok/s
sources:
  - {title: A page, url: https://example.org/speed, read: 2026-11-20}
"""
GUIDE = """\
---
title: A guide
description: It starts a model.
kind: guide
order: 1
---

```
vllm serve meta-llama/Llama-3.1-8B-Instruct --tensor-paralel-size 2
```
"""
EXCUSE = "  # sitegen: ignore[above-bound] its source says so"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = small_project(tmp_path)
    (root / "catalog" / "benchmarks").mkdir()
    (root / "content" / "guides").mkdir()
    (root / "content" / "guides" / "start.md").write_text(GUIDE)
    return write(root, FAST)


def write(root: Path, text: str) -> Path:
    (root / "catalog" / "benchmarks" / "fast.yaml").write_text(text)
    return root


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def codes(root: Path) -> list[str]:
    done = run("--root", root, "check", "--format", "concise")
    return re.findall(r"(?:error|warning)\[([a-z0-9-]+)\]", done.out)


def test_a_run_above_its_bound_is_a_warning_at_its_figure_as_documented(root: Path) -> None:
    done = run("--root", root, "check", "--select", "above-bound")
    assert done.status == 0
    shown = done.out.partition("  more:")[0]
    assert f"```text\n{shown}```" in DOCUMENTED["above-bound"]


def test_the_same_run_of_two_streams_or_at_a_possible_speed_is_no_problem(root: Path) -> None:
    assert codes(root) == ["above-bound", "unknown-option"]
    write(root, FAST.replace("6000}", "50}"))
    assert codes(root) == ["unknown-option"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FAST.replace("6000}", f"6000}}{EXCUSE}"), []),
        (FAST.replace("6000}", "6000}  # sitegen: ignore[above-bound]"),
         ["above-bound", "bad-ignore"]),
        (FAST.replace("6000}", f"50}}{EXCUSE}"), ["needless-ignore"]),
    ],
)  # fmt: skip
def test_what_a_source_prints_is_excused_on_its_line(
    root: Path, text: str, expected: list[str]
) -> None:
    (root / "content" / "guides" / "start.md").unlink()
    assert sorted(codes(write(root, text))) == expected


def test_a_slip_in_a_text_hides_nothing_that_the_engine_finds(root: Path) -> None:
    edit(root / "content" / "site.yaml", "tagline:", "tag:")
    assert set(codes(root)) == {"unknown-key", "above-bound", "unknown-option"}


def test_a_file_that_cannot_be_read_hides_nothing_that_the_engine_finds(root: Path) -> None:
    (root / "content" / "odd.md").write_bytes(b"\xff")
    assert set(codes(root)) == {"not-utf8", "above-bound", "unknown-option"}


@pytest.mark.parametrize(
    ("path", "old", "new", "code"),
    [
        ("gpus/rtx-3090.yaml", "vendor: nvidia", "vendor: nvida", "not-a-choice"),
        ("interconnects/ethernet-10g.yaml", "kind: ", "kinds: ", "unknown-key"),
        ("models/qwen3-8b.yaml", "model_type: qwen3", "model_type: qwen9", "unknown-family"),
    ],
)
def test_a_slip_in_another_record_hides_no_run_above_its_bound(
    root: Path, path: str, old: str, new: str, code: str
) -> None:
    edit(root / "catalog" / path, old, new)
    found = set(codes(root))
    assert {code, "above-bound"} <= found
    assert "unknown-option" not in found


def test_a_slip_in_the_record_that_it_needs_is_all_that_is_said(root: Path) -> None:
    edit(root / "catalog/models/llama-3.1-8b-instruct.yaml", "model_type: llama", "model_type: l")
    assert codes(root) == ["unknown-family"]
    done = run("--root", root, "check")
    assert "commands in texts are not checked while the catalog has errors" in done.err


NAMES = """\
---
title: A guide
description: It names things.
kind: guide
order: 2
---

{{ gpu rtx-4090 name }} [its page](/gpus/rtx-4090/#memory)
{{ gpu rtx-4090 vrm }}
{{ gpu rtx-4099 name }}
{{ combo 2x-rtx-4090 larget-model }}
[a page](/gpus/rtx-4099/)

{% fits combo=2x-rtx-4090 tier=comfy %}
"""
MET = """\
title: Starts
errors:
  - id: killed
    title: Killed
    text: Killed
    runtimes: [vlm]
    means: The system ended it.
    likely: [{cause: No memory., check: Look., fix: Add some.}]
    source: {title: A thread, url: https://example.org/thread, read: 2026-11-20}
"""


def test_a_source_of_a_text_was_read_on_a_day_that_has_been(root: Path) -> None:
    (root / "content" / "errors").mkdir()
    error = MET.replace("vlm", "vllm").replace("read: 2026-11-20", "read: 2999-01-01")
    (root / "content" / "errors" / "starts.yaml").write_text(error)
    source = "source: {title: A, url: 'ftp://example.org/', read: 2026-11-20}"
    unjudged = f"models:\n  - name: A\n    reason: It is closed.\n    {source}\n"
    (root / "content" / "unjudged.yaml").write_text(unjudged)
    done = run("--root", root, "check", "--format", "concise")
    assert re.search(r"starts.yaml:9:\d+: error\[date\]: 2999-01-01 is in the future", done.out)
    assert "unjudged.yaml:4:29: error[url]" in done.out


def test_the_benchmark_that_contributing_shows_is_one(root: Path) -> None:
    shown = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```yaml\n(runs:\n.*?)```", shown, re.DOTALL)
    write(root, FAST.splitlines(keepends=True)[0] + example)
    edit(root / "content" / "guides" / "start.md", "tensor-paralel", "tensor-parallel")
    done = run("--root", root, "check")
    assert (done.status, done.out) == (0, "")


@pytest.mark.parametrize(
    ("key", "under"),
    [
        ("model: qwen3-8b", "subject"),
        ("decode_tokens_per_s: 5", "figures"),
        ("count: 2", "system.nodes` or `system.nodes.gpus"),
    ],
)
def test_a_key_in_the_wrong_place_is_told_where_it_belongs(
    root: Path, key: str, under: str
) -> None:
    write(root, FAST.replace("    timed:", f"    {key}\n    timed:"))
    done = run("--root", root, "check", "--select", "unknown-key")
    assert f"it belongs under `{under}`" in done.out


def test_what_texts_name_in_vain_is_found_without_a_page(root: Path) -> None:
    (root / "content" / "guides" / "names.md").write_text(NAMES)
    (root / "content" / "errors").mkdir()
    (root / "content" / "errors" / "starts.yaml").write_text(MET)
    done = run("--root", root, "check", "--format", "concise")
    assert done.status == 1
    for place in (
        "names.md:9:1: error[reference]: no field of 'gpu' is called 'vrm'",
        "names.md:10:1: error[reference]: no gpu is called 'rtx-4099'",
        "names.md:11:1: error[reference]: no field of 'combo' is called 'larget-model'",
        "names.md:12:10: error[link]: the link '/gpus/rtx-4099/' leads to no page",
        "names.md:14:1: error[reference]: no tier is called 'comfy'",
        "starts.yaml:6:16: error[unknown-runtime]: no runtime has the id 'vlm'",
    ):
        assert place in done.out
    assert "names.md:8:" not in done.out

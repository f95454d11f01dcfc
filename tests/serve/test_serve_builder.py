"""Builds of the development server run in a process of their own."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from sitegen.problems import ProblemsFound
from sitegen.serve.builder import Builder, BuildFailed
from tests.cli.small_project import small_project


def test_a_build_apart_gives_files_or_problems_or_one_line(tmp_path: Path) -> None:
    root = small_project(tmp_path)
    builder = Builder(root, jobs=2)
    assert "combos/2x-rtx-4090/index.html" in builder()
    (root / "catalog" / "gpus" / "broken.yaml").write_text("name: [")
    with pytest.raises(ProblemsFound) as found:
        builder()
    assert found.value.problems[0].span.path == "catalog/gpus/broken.yaml"
    (root / "catalog" / "gpus" / "broken.yaml").unlink()
    (root / "templates" / "combo.html").write_text("{% for %}")
    with pytest.raises(BuildFailed, match="RenderError: /combos/"):
        builder()


def test_a_build_that_is_stopped_says_so(tmp_path: Path) -> None:
    builder = Builder(small_project(tmp_path))
    failures: list[str] = []

    def build() -> None:
        try:
            builder()
        except BuildFailed as error:
            failures.append(str(error))

    thread = threading.Thread(target=build)
    thread.start()
    time.sleep(0.2)
    builder.stop()
    thread.join(timeout=30)
    assert failures == ["the build was stopped"]


def test_stopping_what_does_not_run_does_nothing(tmp_path: Path) -> None:
    Builder(tmp_path).stop()

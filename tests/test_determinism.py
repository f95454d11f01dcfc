"""The same sources give the same bytes, wherever and however they are built."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from sitegen.inputs import ProjectFiles, read_project
from sitegen.pipeline.building import build
from sitegen.pipeline.sources import data_version
from tests.cli.small_project import REPOSITORY, small_project

WAYS: tuple[tuple[dict[str, str], int, str], ...] = (
    ({"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"}, 0o022, "1"),
    ({"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "POSIX"}, 0o077, "2"),
    ({"PYTHONHASHSEED": "2", "TZ": "America/Noronha", "LANG": "tr_TR.UTF-8"}, 0o002, "3"),
)


def tree(out: Path) -> dict[str, str]:
    """Digest by path."""
    return {
        path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


def test_folder_user_settings_and_processes_do_not_matter(tmp_path: Path) -> None:
    original = small_project(tmp_path / "original")
    trees = []
    for number, (settings, umask, jobs) in enumerate(WAYS):
        root = tmp_path / ("deeper/" * number) / f"project {number}"
        shutil.copytree(original, root)
        command = [sys.executable, "-m", "sitegen", "--root", str(root), "build", "--jobs", jobs]
        environment = {
            **os.environ,
            **settings,
            "PYTHONPATH": str(REPOSITORY),
            "HOME": str(tmp_path),
        }
        done = subprocess.run(
            command, check=False, capture_output=True, env=environment, umask=umask, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        trees.append(tree(root / "public"))
    assert trees[0] == trees[1] == trees[2]
    assert len(trees[0]) > 10


def test_order_of_files_and_line_ends_of_another_system_do_not_matter(tmp_path: Path) -> None:
    root = small_project(tmp_path)
    project = read_project(root)
    files = build(project).files
    backwards = ProjectFiles(
        catalog=dict(reversed(list(project.catalog.items()))),
        content=dict(reversed(list(project.content.items()))),
        templates=dict(reversed(list(project.templates.items()))),
        assets=dict(reversed(list(project.assets.items()))),
        fonts=dict(reversed(list(project.fonts.items()))),
    )
    assert build(backwards).files == files
    for path in (root / "catalog").rglob("*.yaml"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert build(read_project(root)).files == files


def test_the_data_version_changes_with_every_byte_of_the_catalog_and_with_nothing_else() -> None:
    one = {"catalog/a.yaml": "x", "catalog/b.yaml": "y"}
    assert data_version(one) == data_version(dict(reversed(one.items())))
    assert data_version(one) != data_version({**one, "catalog/b.yaml": "z"})
    assert data_version({"a": "xb", "b": ""}) != data_version({"a": "x", "bb": ""})

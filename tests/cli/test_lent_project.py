"""A project that is lent is the same for every test, whatever the one before did."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.cli.lent_project import LentProject


def state(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path): (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"")
        for path in root.rglob("*")
    }


def test_every_change_is_put_back(tmp_path: Path) -> None:
    lent = LentProject(tmp_path / "project")
    gpus, before = lent.root / "catalog" / "gpus", state(lent.root)
    record = gpus / "rtx-4090.yaml"
    record.write_bytes(record.read_bytes().replace(b"4090", b"4900"))  # of the same size
    (gpus / "new.yaml").write_text("name: x\n")
    (gpus / "link.yaml").symlink_to(record)
    (gpus / "rtx-3090.yaml").chmod(0o600)
    (lent.root / "public" / "deep").mkdir(parents=True)
    (lent.root / "public" / "deep" / "index.html").write_text("x")
    (lent.root / "content" / "site.yaml").unlink()
    (lent.root / "content" / "site.yaml").mkdir()
    shutil.rmtree(lent.root / "catalog" / "models")
    (lent.root / "catalog" / "models").symlink_to(gpus)
    os.mkfifo(lent.root / "catalog" / "pipe")
    (lent.root / "templates").rename(lent.root / "elsewhere")
    (lent.root / "templates").write_text("no folder")
    assert state(lent.root) != before
    lent.restore()
    assert state(lent.root) == before
    lent.restore()
    assert state(lent.root) == before

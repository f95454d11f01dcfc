"""A power cut after the switch finds a whole site: all of it is on the disk before, by fsync."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen.output import SwapMode, publish
from sitegen.output.scratch import MARKER, NEW

SITE = {
    "index.html": b"home" * 1_000, "combos/a/index.html": b"a", "combos/b/data.csv": b"",
    "deep/er/still/x.json": b"{}",
}  # fmt: skip
MODES = (SwapMode.FIRST, SwapMode.EXCHANGE, SwapMode.RENAMES)


def state(path: Path | int) -> tuple[int, int, int]:
    """Which file or folder it is, and how much is in it."""
    found = os.stat(path)  # noqa: PTH116 - of a descriptor, too
    held = len(os.listdir(path)) if stat.S_ISDIR(found.st_mode) else found.st_size  # noqa: PTH208
    return found.st_dev, found.st_ino, held


class Disk:
    """What was flushed, in the order in which it was, and the moment of the switch."""

    def __init__(self) -> None:
        self.flushed: list[tuple[int, int, int]] = []
        self.before_switch: list[Path] | None = None
        self.missing: list[str] = []
        self.at_switch = 0

    def forget(self) -> None:
        """Begin again, for another publication."""
        self.flushed.clear()
        self.before_switch = None

    def flush(self, descriptor: int) -> None:
        """Stand in for ``os.fsync``."""
        self.flushed.append(state(descriptor))

    def switches(self, scratch: Path) -> None:
        """Note what of a new site is not on the disk when it takes its place."""
        tree = [scratch, scratch / MARKER, scratch / NEW, *(scratch / NEW).rglob("*")]
        self.missing = [str(path) for path in tree if state(path) not in self.flushed]
        self.before_switch = tree
        self.at_switch = len(self.flushed)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    noted = Disk()
    module = sys.modules["sitegen.output.swap"]
    rename: Callable[[Path, Path], Path] = Path.rename
    exchange = vars(module)["_exchange"]

    def renamed(path: Path, target: Path) -> Path:
        if noted.before_switch is None:  # the first rename of all is a part of the switch
            noted.switches(path.parent if path.name == NEW else Path(target).parent)
        return rename(path, target)

    def exchanged(fresh: Path, out: Path) -> None:
        noted.switches(fresh.parent)
        exchange(fresh, out)

    monkeypatch.setattr(os, "fsync", noted.flush)
    monkeypatch.setattr(Path, "rename", renamed)
    monkeypatch.setattr(module, "_exchange", exchanged)
    return noted


@pytest.mark.parametrize("mode", MODES)
def test_all_of_a_site_is_on_the_disk_before_it_takes_its_place_and_then_its_name(
    tmp_path: Path, disk: Disk, mode: SwapMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "public"
    if mode is not SwapMode.FIRST:
        publish({"index.html": b"old"}, out)
        disk.forget()
    if mode is SwapMode.RENAMES:
        monkeypatch.setenv("SITEGEN_SWAP", "renames")
    publication = publish(SITE, out)
    if mode is SwapMode.EXCHANGE and publication.mode is not mode:
        pytest.skip("this file system cannot exchange folders")
    assert publication.mode is mode
    assert disk.before_switch is not None
    assert (
        len(disk.before_switch) == 3 + len(SITE) + 1 + 6
    )  # scratch, its mark, root, list, six folders
    assert disk.missing == []
    above = state(tmp_path)[:2]
    assert above in [one[:2] for one in disk.flushed[disk.at_switch :]]

"""An entry is there whole or not at all, whoever was killed and whatever lies in the folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sitegen.store import FolderStore, digest_of, open_store
from tests.cli.small_project import REPOSITORY

WRITER = """
import sys
from pathlib import Path
from sitegen.store import open_store
store = open_store(Path(sys.argv[1]))
print("ready", flush=True)
turn = 0
while True:
    key = str(turn % 7)
    store.put(key, key.encode() * 300_000)
    turn += 1
"""


def made(root: Path) -> FolderStore:
    store = open_store(root / "store")
    assert store is not None
    return store


def entries(store: FolderStore) -> list[Path]:
    return sorted(path for path in store.root.glob("??/*") if path.is_file())


def test_what_was_put_is_found_by_another_store_of_the_folder(tmp_path: Path) -> None:
    made(tmp_path).put("key", b"content")
    assert made(tmp_path).get("key") == b"content"
    assert made(tmp_path).get("other") is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[:-1],
        lambda whole: whole[:10],
        lambda _: b"",
        lambda whole: whole[:-1] + bytes([whole[-1] ^ 1]),
        lambda whole: whole + b"more",
        lambda _: b"foreign",
    ],
)
def test_a_torn_or_foreign_file_is_no_entry_and_is_removed(tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    store = made(tmp_path)
    store.put("key", b"content" * 100)
    (path,) = entries(store)
    path.write_bytes(damage(path.read_bytes()))
    assert store.get("key") is None
    assert not path.exists()
    store.put("key", b"again")
    assert store.get("key") == b"again"


def test_an_entry_under_the_name_of_another_key_is_not_believed(tmp_path: Path) -> None:
    store = made(tmp_path)
    store.put("one", b"of one")
    (one,) = entries(store)
    store.put("two", b"of two")
    (two,) = set(entries(store)) - {one}
    two.write_bytes(one.read_bytes())
    assert store.get("two") is None


def test_what_was_used_last_stays_when_the_store_is_cut_to_its_size(tmp_path: Path) -> None:
    store = made(tmp_path)
    for turn, key in enumerate("abcd"):
        store.put(key, os.urandom(10_000))
        for path in entries(store):
            if path.stat().st_mtime > turn + 10:
                os.utime(path, (turn, turn))
    assert store.get("a") is not None  # used now, although it is the oldest
    store.trim(25_000)
    assert [key for key in "abcd" if store.get(key)] == ["a", "d"]


def test_what_was_asked_after_counts_as_used(tmp_path: Path) -> None:
    store = made(tmp_path)
    store.put("a", b"content")
    (path,) = entries(store)
    os.utime(path, (1, 1))
    assert store.touch("a")
    assert path.stat().st_mtime > 1
    assert not store.touch("b")


def test_what_a_killed_build_left_goes_after_an_hour(tmp_path: Path) -> None:
    store = made(tmp_path)
    store.put("key", b"content")
    (path,) = entries(store)
    left = path.with_name("left.part")
    left.write_bytes(b"half")
    store.trim()
    assert left.exists()  # somebody may be writing it
    os.utime(left, (1, 1))
    store.trim()
    assert not left.exists()
    assert store.get("key") == b"content"


def test_a_folder_that_others_can_write_to_is_not_used(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert open_store(shared) is None
    (tmp_path / "link").symlink_to(tmp_path)
    assert open_store(tmp_path / "link") is None
    (tmp_path / "file").write_text("")
    assert open_store(tmp_path / "file") is None


def test_on_a_disk_that_refuses_nothing_is_kept_and_nothing_fails(tmp_path: Path) -> None:
    store = made(tmp_path)
    for name in range(256):
        (store.root / f"{name:02x}").write_text("in the way")
    store.put("key", b"content")
    assert store.get("key") is None
    store.trim()


def test_two_writers_and_a_kill_leave_only_whole_entries(tmp_path: Path) -> None:
    root = tmp_path / "store"
    command = [sys.executable, "-c", WRITER, str(root)]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    for _ in range(4):
        writers = [
            subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) for _ in range(2)
        ]
        store = None
        try:
            for one in writers:
                assert one.stdout is not None
                assert one.stdout.readline() == b"ready\n"
            store = open_store(root)
            assert store is not None
            until = time.monotonic() + 0.3
            while time.monotonic() < until:
                for key in map(str, range(7)):
                    assert store.get(key) in {None, key.encode() * 300_000}
        finally:
            for one in writers:
                one.send_signal(signal.SIGKILL)
                one.communicate()
    assert store is not None
    for key in map(str, range(7)):
        assert store.get(key) == key.encode() * 300_000


def test_names_tell_where_parts_end() -> None:
    assert digest_of("ab", "c") != digest_of("a", "bc")
    assert digest_of("a") != digest_of("a", "")

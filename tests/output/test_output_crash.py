"""Publishing under ``kill -9``, and two publications at once."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen.output import MANIFEST, BuildInProgress, PublishError, publish, recover
from sitegen.output.lock import lock_path, locked
from sitegen.output.scratch import MARKER, NEW, OLD

WRITER = """
import sys
from pathlib import Path
from sitegen.output import publish
out, first = Path(sys.argv[1]), int(sys.argv[2])
print("ready", flush=True)
for version in range(first, first + 10_000):
    publish({f"pages/{n}.html": f"version {version}".encode() * 50 for n in range(40)}, out)
"""
KILLS = 20


def version_of(out: Path) -> str:
    """Read the site; all its files must be of one version."""
    contents = {path.read_bytes() for path in (out / "pages").iterdir()}
    assert len(contents) == 1, "a mix of two sites"
    assert len(list((out / "pages").iterdir())) == 40
    assert (out / MANIFEST).is_file()
    return contents.pop().decode()


@pytest.mark.parametrize("mode", ["exchange", "renames"])
def test_kill_at_random_moments_leaves_one_whole_site(tmp_path: Path, mode: str) -> None:
    out = tmp_path / "public"
    chance = random.Random(20261120)  # noqa: S311 - moments, not secrets
    environment = {**os.environ, "SITEGEN_SWAP": mode}
    publish({f"pages/{n}.html": b"version 0" * 50 for n in range(40)}, out)
    for kill in range(1, KILLS + 1):
        command = [sys.executable, "-c", WRITER, str(out), str(kill * 10_000)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
            time.sleep(chance.uniform(0.0, 0.06))
            writer.send_signal(signal.SIGKILL)
        recover(out)
        version_of(out)
        assert [path.name for path in tmp_path.iterdir() if path != out] in ([], [".public.lock"])
    publish({"index.html": b"after"}, out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["public"]


def left_by_a_killed_build(out: Path, number: int = 4711) -> Path:
    """Make a scratch folder as a build makes it before it is killed."""
    scratch = out.parent / f".{out.name}.tmp-{number}"
    scratch.mkdir()
    (scratch / MARKER).write_bytes(b"")
    return scratch


@pytest.mark.parametrize("has_new", [True, False])
def test_a_crash_between_the_two_renames_is_repaired(tmp_path: Path, has_new: bool) -> None:
    out = tmp_path / "public"
    publish({"index.html": b"old"}, out)
    scratch = left_by_a_killed_build(out)
    if has_new:
        publish({"index.html": b"new"}, tmp_path / "next")
        (tmp_path / "next").rename(scratch / NEW)
    out.rename(scratch / OLD)
    repaired = recover(out)
    assert (
        repaired
        == f"put the {'new' if has_new else 'old'} site back that a killed build left behind"
    )
    assert (out / "index.html").read_bytes() == (b"new" if has_new else b"old")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["public"]


def test_half_written_folders_of_dead_builds_are_removed(tmp_path: Path) -> None:
    out = tmp_path / "public"
    scratch = left_by_a_killed_build(out, 1)
    (scratch / NEW / "pages").mkdir(parents=True)
    (scratch / NEW / "pages" / "half.html").write_bytes(b"<ht")
    (tmp_path / ".public.tmp-2").mkdir()  # killed before it could be marked
    assert recover(out) == ""
    assert list(tmp_path.iterdir()) == []


def test_a_site_that_is_half_removed_never_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "public"
    publish({"index.html": b"new"}, out)
    scratch = left_by_a_killed_build(out)
    publish({"index.html": b"old", "b.html": b"old"}, tmp_path / "before")
    (tmp_path / "before").rename(scratch / OLD)

    def killed_in_the_middle(folder: Path) -> None:
        (folder / "index.html").unlink()
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(shutil, "rmtree", killed_in_the_middle)
        with pytest.raises(KeyboardInterrupt):
            recover(out)
    (out / "index.html").unlink()
    (out / MANIFEST).unlink()
    out.rmdir()
    assert recover(out) == ""
    assert list(tmp_path.iterdir()) == []


USERS_OWN = (
    "public.old-backup", ".public.old-backup", ".public.old-20261101", ".public.old-4711",
    ".public.tmp-draft", ".public.tmp-20261101", ".public.tmp-1x", ".public.tmp-", ".public.tmp-٣",
)  # fmt: skip


@pytest.mark.parametrize("name", USERS_OWN)
@pytest.mark.parametrize("stands", [True, False])
def test_folders_of_a_user_beside_the_output_are_never_touched(
    tmp_path: Path, name: str, stands: bool
) -> None:
    out = tmp_path / "public"
    publish({"index.html": b"copied"}, tmp_path / name)  # a copy of a site looks like one of ours
    for folder in (NEW, OLD):
        (tmp_path / name / folder).mkdir()
        (tmp_path / name / folder / "thesis.txt").write_text("years of work")
    if stands:
        publish({"index.html": b"old"}, out)
    assert recover(out) == ""
    assert out.exists() is stands
    publish({"index.html": b"new"}, out)
    for folder in (NEW, OLD):
        assert (tmp_path / name / folder / "thesis.txt").read_text() == "years of work"
    assert (tmp_path / name / "index.html").read_bytes() == b"copied"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "public"])


def test_what_a_user_keeps_in_a_folder_of_a_killed_build_stays(tmp_path: Path) -> None:
    out = tmp_path / "public"
    scratch = left_by_a_killed_build(out)
    (scratch / NEW).mkdir()
    (scratch / "thesis.txt").write_text("years of work")
    publish({"index.html": b"new"}, out)
    assert sorted(path.name for path in scratch.iterdir()) == sorted([MARKER, "thesis.txt"])


def test_a_name_that_a_user_has_taken_is_left_to_them(tmp_path: Path) -> None:
    out = tmp_path / "public"
    mine = tmp_path / f".public.tmp-{os.getpid()}"
    mine.write_text("a file of mine")
    publish({"index.html": b"new"}, out)
    assert mine.read_text() == "a file of mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([mine.name, "public"])


def _file(path: Path) -> None:
    path.write_text("4711 is the pin\n")


def _folder(path: Path) -> None:
    path.mkdir()


def _link(path: Path) -> None:
    path.symlink_to("elsewhere")


@pytest.mark.parametrize("make", [_file, _folder, _link, os.mkfifo])
def test_what_a_user_calls_like_the_lock_stops_the_build_and_is_named(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    out = tmp_path / "public"
    publish({"index.html": b"old"}, out)
    make(lock_path(out))
    before = lock_path(out).lstat()
    for act in (lambda: publish({"index.html": b"new"}, out), lambda: recover(out)):
        with pytest.raises(PublishError, match=r"\.public\.lock is in the way.*move it away"):
            act()
    assert os.path.samestat(lock_path(out).lstat(), before)
    assert make is not _file or lock_path(out).read_text() == "4711 is the pin\n"
    assert (out / "index.html").read_bytes() == b"old"


def test_recover_leaves_a_quiet_folder_alone(tmp_path: Path) -> None:
    assert recover(tmp_path / "nowhere" / "public") == ""
    assert recover(tmp_path / "public") == ""
    assert list(tmp_path.iterdir()) == []


def test_a_second_build_is_told_who_is_building(tmp_path: Path) -> None:
    out = tmp_path / "public"
    message = rf"build in progress \(pid {os.getpid()}\)"
    with locked(out), pytest.raises(BuildInProgress, match=message):
        publish({"index.html": b"x"}, out)
    assert not out.exists()
    publish({"index.html": b"x"}, out)


def test_a_lock_of_a_dead_process_does_not_count(tmp_path: Path) -> None:
    out = tmp_path / "public"
    lock_path(out).write_text("sitegen 999999\n")
    publish({"index.html": b"x"}, out)
    assert not lock_path(out).exists()


def test_builds_that_race_publish_one_after_the_other_or_say_so(tmp_path: Path) -> None:
    out = tmp_path / "public"
    script = """
import sys
from pathlib import Path
from sitegen.output import BuildInProgress, publish
done = 0
for turn in range(30):
    try:
        text = (sys.argv[2] + "x" * 500).encode()
        publish({f"pages/{n}.html": text for n in range(40)}, Path(sys.argv[1]))
        done += 1
    except BuildInProgress:
        pass
print(done)
"""
    racers = [
        subprocess.Popen([sys.executable, "-c", script, str(out), name], stdout=subprocess.PIPE)
        for name in "ab"
    ]
    published = [int(racer.communicate(timeout=60)[0]) for racer in racers]
    assert all(racer.returncode == 0 for racer in racers)
    assert sum(published) >= 1
    assert version_of(out)[0] in "ab"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["public"]

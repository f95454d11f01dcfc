"""Publishing under ``kill -9``, and two publications at once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sitegen.output import MANIFEST, BuildInProgress, publish, recover
from sitegen.output.lock import lock_path, locked

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


@pytest.mark.parametrize("has_new", [True, False])
def test_a_crash_between_the_two_renames_is_repaired(tmp_path: Path, has_new: bool) -> None:
    out = tmp_path / "public"
    publish({"index.html": b"old"}, out)
    if has_new:
        publish({"index.html": b"new"}, tmp_path / "next")
        (tmp_path / "next").rename(tmp_path / ".public.tmp-4711")
    out.rename(tmp_path / ".public.old-4711")
    repaired = recover(out)
    assert (
        repaired
        == f"put the {'new' if has_new else 'old'} site back that a killed build left aside"
    )
    assert (out / "index.html").read_bytes() == (b"new" if has_new else b"old")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["public"]


def test_half_written_folders_of_dead_builds_are_removed(tmp_path: Path) -> None:
    out = tmp_path / "public"
    (tmp_path / ".public.tmp-1" / "pages").mkdir(parents=True)
    (tmp_path / ".public.tmp-1" / "pages" / "half.html").write_bytes(b"<ht")
    assert recover(out) == ""
    assert list(tmp_path.iterdir()) == []


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
    lock_path(out).write_text("999999\n")
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

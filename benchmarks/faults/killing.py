"""Processes that die, in pairs, and with the wrong time."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import suppress

from benchmarks.faults.project import (
    CHANGED,
    VERSIONS,
    Outcome,
    Place,
    against,
    children,
    ended,
    first_wrong,
    left_beside,
    not_whole,
    orphans,
    version_of,
)

KILLS = 20
WORKERS = 8
RACES = 3
BROKEN_CLOCK = """
import time
_wall, _steps = time.time, [0]

def _back(*_):
    _steps[0] += 1
    return _wall() - 3_600.0 * _steps[0]

time.time = _back
time.time_ns = lambda: int(_back() * 1e9)
"""


def killed_build(place: Place) -> Iterator[Outcome]:
    """Kill -9 a build at random moments, in both ways to switch; the next build mends."""
    place.must_build()
    began = time.perf_counter()
    place.must_build()
    whole_s = time.perf_counter() - began
    for number in range(KILLS):
        mode = ("", "renames")[number % 2]
        place.environment["SITEGEN_SWAP"] = mode
        place.say(number % 2)
        process = place.start(place.build_words())
        late = number % 4 < 2  # half of them near the end, when the site is written and switched
        time.sleep(place.chance(0.7 * whole_s if late else 0, whole_s * 1.1))
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGKILL)
        process.communicate()
        left = orphans(process.pid)
        gap = mode == "renames" and not place.out.exists()  # which decision and docs allow
        wrong = f"processes are left: {left}" if left else "" if gap else not_whole(place.out)
        yield Outcome(f"kill -9 number {number + 1} ({mode or 'exchange'})", wrong)
    del place.environment["SITEGEN_SWAP"]
    done = place.build()
    wrong = first_wrong(against(done, 0), not_whole(place.out), left_beside(place.out))
    yield Outcome("the build after all kills", wrong)


def killed_worker(place: Place) -> Iterator[Outcome]:
    """Kill one worker of a build: it says so, and publishes nothing."""
    place.say(0)
    place.must_build()
    place.say(1)
    for number in range(WORKERS):
        process = place.start(place.build_words())
        deadline = time.monotonic() + 20
        time.sleep(place.chance(0, 1.5))
        killed = 0
        while not killed and time.monotonic() < deadline and process.poll() is None:
            with suppress(IndexError, ProcessLookupError):
                killed = random.choice(children(process.pid))  # noqa: S311 - whichever it is
                os.kill(killed, signal.SIGKILL)
        done = ended(process)
        wrong = first_wrong(
            against(done, 0, 2),
            f"said: {done.err[-200:]}" if done.status == 2 and "killed" not in done.said else "",
            not_whole(place.out),
            "published after a failure" if done.status == 2 and version_of(place.out) == 1 else "",
            left_beside(place.out),
        )
        yield Outcome(f"worker {number + 1} killed", wrong)
        place.say(0)
        if version_of(place.out) == 1:
            place.build()
        place.say(1)


def interrupted(place: Place) -> Iterator[Outcome]:
    """Interrupt a build as a terminal does, and end it as systems do."""
    place.say(0)
    place.must_build()
    for number, signals in enumerate((signal.SIGINT, signal.SIGTERM, signal.SIGHUP) * 2):
        place.say(1 - number % 2)
        process = place.start(place.build_words())
        time.sleep(place.chance(0.1, 4))
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signals)
        done = ended(process)
        status = "" if done.status in {0, 130, -signals} else f"status {done.status}"
        left = orphans(process.pid)
        wrong = first_wrong(status, f"left: {left}" if left else "", not_whole(place.out))
        yield Outcome(f"{signals.name} to the group", wrong)
    done = place.build()
    yield Outcome("the build after them", first_wrong(against(done, 0), left_beside(place.out)))


def two_builds(place: Place) -> Iterator[Outcome]:
    """Build twice at once into one folder: one publishes, the other says who is building."""
    for number in range(RACES):
        racers = [place.start(place.build_words()) for _ in range(2)]
        done = [ended(one) for one in racers]
        wrong = first_wrong(
            *(against(one, 0, 2) for one in done),
            "" if any(one.status == 0 for one in done) else "none of them published",
            *(
                f"said: {one.err[-200:]}"
                for one in done
                if one.status == 2 and "build in progress" not in one.err
            ),
            not_whole(place.out),
            left_beside(place.out),
        )
        yield Outcome(f"race {number + 1}", wrong)


def clock_back(place: Place) -> Iterator[Outcome]:
    """Let the clock run backwards an hour with each look, and date files 1970 and 2100."""
    patched = place.folder / "clock"
    patched.mkdir()
    (patched / "sitecustomize.py").write_text(BROKEN_CLOCK)
    place.must_build()
    before = (place.out / "index.html").read_bytes()
    path = f"{patched}{os.pathsep}{place.known()['PYTHONPATH']}"
    done = place.build(env={**place.known(), "PYTHONPATH": path})
    same = (place.out / "index.html").read_bytes() == before
    wrong = first_wrong(against(done, 0), "" if same else "other bytes", not_whole(place.out))
    yield Outcome("a clock that runs backwards", wrong)
    for year, seconds in (("1970", 0), ("2100", 4_102_444_800)):
        for name in ("catalog", "content", "templates"):
            for file in (place.root / name).rglob("*"):
                os.utime(file, (seconds, seconds))
        done = place.build()
        wrong = first_wrong(against(done, 0), not_whole(place.out))
        same = (place.out / "index.html").read_bytes() == before
        yield Outcome(f"sources of {year}", wrong or ("" if same else "other bytes"))


def changing_files(place: Place) -> Iterator[Outcome]:
    """Save a record again and again while it is read: words of before or after, or half a file."""
    path = place.root / CHANGED
    text = path.read_text(encoding="utf-8")
    other = text.replace(VERSIONS[0], VERSIONS[1])
    place.must_build()
    for number, saves in enumerate(((text, other), (text, text[:300]), (text, "")) * 2):
        process = place.start(place.build_words())
        at = 0
        while process.poll() is None:
            at += 1
            path.write_text(saves[at % 2], encoding="utf-8")
            time.sleep(0.002)
        done = ended(process)
        path.write_text(text, encoding="utf-8")
        yield Outcome(f"{at} saves, {number + 1}", first_wrong(
            against(done, 0, 1), not_whole(place.out), left_beside(place.out)
        ))  # fmt: skip
    process = place.start(place.build_words())
    while process.poll() is None:
        path.unlink(missing_ok=True)
        path.write_text(text, encoding="utf-8")
    done = ended(process)
    wrong = first_wrong(against(done, 0, 1), not_whole(place.out))
    yield Outcome("deleted and made again all the time", wrong)


SCENARIOS = {
    "kill -9 of a build": killed_build,
    "a killed worker": killed_worker,
    "interrupted": interrupted,
    "two builds at once": two_builds,
    "the clock goes back": clock_back,
    "files change during the build": changing_files,
}

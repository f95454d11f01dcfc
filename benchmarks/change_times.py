"""Time on the main thread that a change of a form costs: the home page's, and that of own builds.

``python -m benchmarks.change_times public`` serves a built site, changes the form so many times
in Chromium and reads the main thread's clocks by the DevTools protocol before each change and once
its answer stands. The goal is held against processor time: on a busy machine other clocks run on
while the thread waits for a core. Ends with 1 where its median is above 100 ms.
"""

from __future__ import annotations

import argparse
import random
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import CDPSession, Page, sync_playwright

from benchmarks.browser_parity import ARGUMENTS, percentile
from benchmarks.lighthouse import Compressed, chromium

GOAL_MS = 100
WAIT_MS = 90_000
LOOK_MS = 50
SEED = 20_261_123
WARM = 3
"""Changes that are made before any is measured."""
OBSERVE = """() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) window.longest = Math.max(window.longest, one.duration);
  }).observe({type: "longtask"});
}"""
COUNT_ANSWERS = """() => {
  window.settled = 0;
  new MutationObserver(() => { window.settled++; })
    .observe(document.getElementById("summary"), {childList: true});
}"""


@dataclass(frozen=True)
class Change:
    """What one change cost, in milliseconds; ``processor`` is the thread's own time."""

    wall: float
    tasks: float
    script: float
    layout: float
    processor: float
    longest: float


class Clock:
    """Reads the clocks of a page's main thread."""

    def __init__(self, page: Page) -> None:
        """Switch the clocks on."""
        self.page = page
        self.session: CDPSession = page.context.new_cdp_session(page)
        self.session.send("Performance.enable")
        page.evaluate(OBSERVE)

    def now(self) -> Mapping[str, float]:
        """Read all of them, in milliseconds."""
        metrics = self.session.send("Performance.getMetrics")["metrics"]
        return {one["name"]: 1000 * float(one["value"]) for one in metrics}

    def of(self, change: Callable[[], None]) -> Change:
        """Make a change and say what it cost."""
        self.page.evaluate("window.longest = 0")
        before = self.now()
        change()
        after = self.now()
        cost = {name: after[name] - before[name] for name in before}
        return Change(
            cost["Timestamp"],
            cost["TaskDuration"],
            cost["ScriptDuration"],
            cost["LayoutDuration"] + cost["RecalcStyleDuration"],
            cost["ThreadTime"],
            float(self.page.evaluate("window.longest")),
        )


def offered(page: Page, field: str) -> list[str]:
    """List what a field offers."""
    return [
        one.get_attribute("value") or "" for one in page.locator(f"{field} option").all()
    ]  # fmt: skip


def changes_of_builds(page: Page, home: str, count: int, dice: random.Random) -> list[Change]:
    """Change machine, context, users and goal of an own build in turn."""
    page.goto(f"{home}custom/")
    page.wait_for_selector("html[data-ready]", timeout=WAIT_MS)
    page.evaluate(COUNT_ANSWERS)
    every = {name: offered(page, f"#build [name={name}]") for name in ("combo", "context", "goal")}
    clock = Clock(page)

    def change() -> None:
        kind = dice.choice(["combo", "combo", "context", "users", "goal"])
        field = page.locator(f"#build [name={kind}]")
        seen, now = int(page.evaluate("window.settled")), field.input_value()
        if kind == "users":
            field.fill(dice.choice([one for one in ("1", "2", "4", "8", "16") if one != now]))
        else:
            wanted = [one for one in every[kind] if one != now and (one or kind != "combo")]
            field.select_option(dice.choice(wanted))
        page.wait_for_function(
            "seen => window.settled > seen", arg=seen, timeout=WAIT_MS, polling=LOOK_MS
        )

    return [clock.of(change) for _ in range(count + WARM)][WARM:]


HARDWARE = (
    "2x 3090", "4090", "5090", "m4 max", "strix halo", "3060 12gb", "4x l40s", "8x h100", "5080",
    "2x 7900 xtx", "a100", "2x 5060 ti 16gb", "dgx spark", "4 nodes 2x 4090", "v100", "4x 4090",
)  # fmt: skip


def changes_of_home(page: Page, home: str, count: int, dice: random.Random) -> list[Change]:
    """Change hardware, use, context and users of the first question in turn."""
    page.goto(home)
    page.wait_for_selector("html[data-ready]", timeout=WAIT_MS)
    every = {name: offered(page, f"#ask [name={name}]") for name in ("context", "use")}
    clock = Clock(page)

    def change() -> None:
        kind = dice.choice(["hardware", "hardware", "use", "context", "users"])
        page.evaluate("delete document.querySelector('#answer').dataset.asked")
        if kind == "hardware":
            page.fill("#hardware", dice.choice(HARDWARE))
            page.wait_for_selector("#suggestions li", timeout=WAIT_MS)
            page.press("#hardware", "Enter")
        else:
            field = page.locator(f"#ask [name={kind}]")
            if kind == "users":
                field.fill(dice.choice(["1", "2", "4", "8", "16"]))
            else:
                field.select_option(dice.choice(every[kind]))
            field.dispatch_event("change", {"bubbles": True})
        page.wait_for_selector("#answer[data-asked]:not([aria-busy])", timeout=WAIT_MS)

    return [clock.of(change) for _ in range(count + WARM)][WARM:]


def row(name: str, of: Callable[[Change], float], found: Sequence[Change]) -> str:
    """Print one clock's median, 95th percentile and most."""
    values = [of(one) for one in found]
    shares = " | ".join(f"{percentile(values, share):.0f}" for share in (0.5, 0.95, 1))
    return f"| {name} | {shares} |"


def main() -> int:
    """Change both forms and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path, help="a folder that sitegen build made")
    parser.add_argument("--count", type=int, default=100)
    given = parser.parse_args()
    handler = partial(Compressed, directory=str(given.site.resolve()))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}/"
    slow = False
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        for name, changes in (("/custom/", changes_of_builds), ("home", changes_of_home)):
            page = browser.new_page()
            dice = random.Random(SEED)  # noqa: S311 - a seeded sample
            found = changes(page, home, given.count, dice)
            print(f"| {name}, ms over {len(found)} changes | median | p95 | most |")
            print("|---|---:|---:|---:|")
            print(row("until the answer stands", lambda one: one.wall, found))
            print(row("main thread, in tasks", lambda one: one.tasks, found))
            print(row("of it in scripts", lambda one: one.script, found))
            print(row("of it in style and layout", lambda one: one.layout, found))
            print(row("main thread, processor time", lambda one: one.processor, found))
            print(row("longest task", lambda one: one.longest, found), flush=True)
            slow |= percentile([one.processor for one in found], 0.5) > GOAL_MS
            page.close()
        browser.close()
    server.shutdown()
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())

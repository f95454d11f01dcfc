"""Scores of a built site's pages by Lighthouse, served here as a host would: compressed.

Needs Node.js: ``python -m benchmarks.lighthouse public`` runs the ``lighthouse`` of the path, or
fetches one by ``npx``, in the Chromium that ``CHROMIUM`` or the path names. Prints one line per
page: the four categories of 100, and what a busy machine does not change: layout shift, bytes sent,
elements, what blocks the first paint. Ends with 1 where accessibility, best practices or SEO is
below 100, layout shifts above 0.02, or, with ``--idle``, performance is below 95.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

LIGHTHOUSE = "lighthouse@12"
PAGES = (
    "index.html", "combos/index.html", "combos/2x-rtx-3090-pcie/index.html",
    "combos/2x-rtx-3090-pcie/models/index.html", "combos/2x-rtx-3090-pcie/recipes/index.html",
    "models/index.html", "models/qwen3-32b/index.html", "models/qwen3-32b/machines/index.html",
    "models/qwen3-32b/recipes/index.html", "gpus/index.html", "gpus/rtx-3090/index.html",
    "compare/index.html", "matrix/index.html", "buy/index.html", "custom/index.html",
    "check/index.html", "quality/index.html", "quality/coding/index.html", "runtimes/index.html",
    "runtimes/vllm/index.html", "guides/index.html", "guides/multi-gpu/index.html",
    "framework/index.html", "framework/constants/index.html", "accuracy/index.html",
    "accuracy/vllm/index.html", "claims/index.html", "benchmarks/opportunities/index.html",
    "errors/index.html", "glossary/index.html", "search/index.html", "status/index.html",
    "changes/index.html", "api/index.html", "404.html",
)  # fmt: skip
FLAGS = "--headless=new --no-sandbox --disable-gpu"
HUNDRED = ("accessibility", "best-practices", "seo")
IDLE_PERFORMANCE = 95
MOST_SHIFT = 0.02
FORBIDDEN = {"check/index.html": ("robots-txt",)}
"""Audits that ask the host from within a page whose policy forbids every connection."""


class Compressed(SimpleHTTPRequestHandler):
    """Serves a folder, compressed and to be kept for ten minutes, as public hosts do."""

    def do_GET(self) -> None:
        """Answer with a file; a folder's page is its ``index.html``."""
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            path /= "index.html"
        if not path.is_file():
            self.send_error(404)
            return
        body = gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Cache-Control", "max-age=600")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):  # a reader who left the page
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@dataclass(frozen=True)
class Report:
    """What Lighthouse found on one page."""

    page: str
    scores: Mapping[str, int]
    shift: float
    blocked_ms: float
    largest_ms: float
    sent_kb: float
    elements: int
    blocking: int
    lost: tuple[str, ...]
    """Audits of the three categories without a full score."""

    def failures(self, *, idle: bool) -> list[str]:
        """Name the goals that the page misses."""
        excused = FORBIDDEN.get(self.page) == self.lost
        missed = [name for name in HUNDRED if self.scores[name] < 100 and not excused]
        if self.shift > MOST_SHIFT:
            missed.append(f"layout shift {self.shift:.3f}")
        if idle and self.scores["performance"] < IDLE_PERFORMANCE:
            missed.append("performance")
        return missed


def report(page: str, address: str) -> Report:
    """Run Lighthouse on an address and keep what is shown."""
    found = shutil.which("lighthouse")
    command = [found] if found else ["npx", "--yes", LIGHTHOUSE]
    done = subprocess.run(
        [*command, address, "--quiet", "--output=json", f"--chrome-flags={FLAGS}"],
        check=True,
        capture_output=True,
        env=surroundings(),
    )
    said = json.loads(done.stdout)
    audits = said["audits"]
    return Report(
        page=page,
        scores={one["id"]: round(100 * (one["score"] or 0)) for one in said["categories"].values()},
        shift=value(audits, "cumulative-layout-shift"),
        blocked_ms=value(audits, "total-blocking-time"),
        largest_ms=value(audits, "largest-contentful-paint"),
        sent_kb=value(audits, "total-byte-weight") / 1000,
        elements=round(value(audits, "dom-size")),
        blocking=len(audits["render-blocking-resources"].get("details", {}).get("items", ())),
        lost=tuple(
            reference["id"]
            for name in HUNDRED
            for reference in said["categories"][name]["auditRefs"]
            if reference["weight"] and audits[reference["id"]]["score"] not in {1, None}
        ),
    )


def value(audits: Mapping[str, Any], name: str) -> float:
    """Read the number of an audit; one that did not run counts as zero."""
    return float(audits.get(name, {}).get("numericValue", 0))


def chromium() -> str:
    """Find the browser: what ``CHROMIUM`` names, or the first of the path."""
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if name and (found := shutil.which(name))), "")


def surroundings() -> dict[str, str]:
    """Name the browser to Lighthouse."""
    return {**os.environ, "CHROME_PATH": chromium()}


def row(one: Report) -> str:
    """Print a page as a row of the table."""
    scores = " | ".join(str(one.scores[name]) for name in ("performance", *HUNDRED))
    lost = f" | {', '.join(one.lost)}" if one.lost else " |"
    return (
        f"| {one.page.removesuffix('index.html') or 'home'} | {scores} | {one.shift:.3f} "
        f"| {one.blocked_ms:.0f} | {one.largest_ms / 1000:.1f} | {one.sent_kb:.0f} "
        f"| {one.elements:,} | {one.blocking}{lost} |"
    )


def main() -> int:
    """Serve the folder and score its pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path, help="a folder that sitegen build made")
    parser.add_argument("pages", nargs="*", default=PAGES, help="files below it")
    parser.add_argument("--idle", action="store_true", help="nothing else runs: hold performance")
    given = parser.parse_args()
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Compressed, directory=str(given.site.resolve()))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print("| page | perf | a11y | best | SEO | shift | blocked ms | largest paint s ", end="")
    print("| KB sent | elements | blocking | lost |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|")
    missed: list[str] = []
    for page in given.pages:
        one = report(page, f"http://127.0.0.1:{server.server_port}/{page}")
        print(row(one), flush=True)
        missed += [f"{page}: {what}" for what in one.failures(idle=given.idle)]
    server.shutdown()
    print("\n".join(missed) or "every goal is met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

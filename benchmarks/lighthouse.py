"""Scores of a built site's pages by Lighthouse, served here as a host would: compressed.

Needs Node.js: ``python -m benchmarks.lighthouse public`` fetches Lighthouse by ``npx`` and runs it
in the Chromium that ``CHROMIUM`` or the path names. Prints one line per page: the four categories
of 100, and the time to the largest paint.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

LIGHTHOUSE = "lighthouse@12"
PAGES = (
    "index.html", "combos/4x-rtx-3090/index.html", "models/qwen3-32b/index.html",
    "guides/multi-gpu/index.html", "custom/index.html",
)  # fmt: skip
FLAGS = "--headless=new --no-sandbox --disable-gpu"


class Compressed(SimpleHTTPRequestHandler):
    """Serves a folder; text is compressed, as every public host does."""

    def do_GET(self) -> None:
        """Answer with a file."""
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        body = gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def scores(address: str) -> str:
    """Run Lighthouse on an address and say what it found."""
    command = ["npx", "--yes", LIGHTHOUSE, address, "--quiet", "--output=json"]
    done = subprocess.run(
        [*command, f"--chrome-flags={FLAGS}"], check=True, capture_output=True, env=surroundings()
    )
    report = json.loads(done.stdout)
    found = (f"{c['id']} {round(100 * c['score'])}" for c in report["categories"].values())
    largest = report["audits"]["largest-contentful-paint"]["displayValue"]
    return f"{', '.join(found)}, largest paint {largest}"


def surroundings() -> dict[str, str]:
    """Name the browser to Lighthouse."""
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    path = next((found for name in names if name and (found := shutil.which(name))), "")
    return {**os.environ, "CHROME_PATH": path}


def main() -> int:
    """Serve the folder and score its pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path, help="a folder that sitegen build made")
    parser.add_argument("pages", nargs="*", default=PAGES, help="files below it")
    given = parser.parse_args()
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Compressed, directory=str(given.site.resolve()))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for page in given.pages:
        print(page, scores(f"http://127.0.0.1:{server.server_port}/{page}"), flush=True)
    server.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())

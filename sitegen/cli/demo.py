"""A first project: a few records that come with the program, and all that a build needs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from sitegen.cli.shares import shared

WHOLE = (
    "catalog/interconnects", "catalog/quantizations", "catalog/runtimes", "catalog/assumptions",
    "schema/v1", "templates", "templates/partials", "templates/assets", "templates/fonts",
)  # fmt: skip
"""Folders that are copied with every file in them."""
CHOSEN = (
    "catalog/gpus/rtx-3090.yaml",
    "catalog/gpus/rtx-4090.yaml",
    "catalog/combos/2x-rtx-3090-nvlink.yaml",
    "catalog/combos/2x-rtx-4090.yaml",
    "catalog/models/llama-3.1-8b-instruct.yaml",
    "catalog/models/qwen3-8b.yaml",
    "content/site.yaml",
)
"""Records enough for a site that says something."""


class DemoRefused(Exception):  # noqa: N818 - the name says what happened
    """The folder holds something, or the program came without its files."""


def copy_demo(folder: Path) -> int:
    """Fill a folder with a small project; return the number of its files.

    Raises:
        DemoRefused: If the folder is not absent or empty, or there is nothing to copy.
        OSError: If the system refuses.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise DemoRefused(f"{folder} is not a folder")
    if folder.is_dir() and any(folder.iterdir()):
        raise DemoRefused(f"{folder} is not empty; name a new folder")
    files = [*_files()]
    for source, path in files:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    return len(files)


def _files() -> Iterator[tuple[Path, str]]:
    """Yield every file to copy, and its path in the project."""
    for name in WHOLE:
        found = sorted(path for path in shared(name).glob("*") if path.is_file())
        if not found:
            raise DemoRefused(f"the installation lacks its {name}/ folder; install sitegen again")
        for path in found:
            yield path, f"{name}/{path.name}"
    for name in CHOSEN:
        yield shared(name), name

"""The only writer: publishes a tree of files by switching the whole folder at once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from sitegen.output.errors import BuildInProgress, PublishError
from sitegen.output.lock import locked
from sitegen.output.ownership import (
    MANIFEST,
    PublishedFile,
    foreign_files,
    manifest_bytes,
    manifest_of,
    read_manifest,
    refuse_foreign,
    refuse_precious,
    refuse_unusable,
)
from sitegen.output.paths import check_paths
from sitegen.output.swap import SwapMode, flush_switch, fresh_path, repair, swap, tidy
from sitegen.output.tree import carry_over, write_tree
from sitegen.values import dataclass

__all__ = [
    "MANIFEST",
    "BuildInProgress",
    "Publication",
    "PublishError",
    "SwapMode",
    "publish",
    "recover",
]


@dataclass(frozen=True, slots=True)
class Publication:
    """What a publication changed: paths by fate, files that are not ours, how it switched."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int
    foreign: tuple[str, ...]
    mode: SwapMode
    repaired: str


def publish(
    files: Mapping[str, bytes], out: Path, *, root: Path | None = None, force: bool = False
) -> Publication:
    """Make ``out`` hold exactly ``files`` (and what is not ours), or leave it as it was.

    Everything is written to a folder beside ``out`` first, flushed to the disk, and then takes its
    place; until then nothing under ``out`` is touched. File times are not part of the result.

    Args:
        files: Content by relative POSIX path.
        out: A folder that is absent, empty, or was published by us; never a symlink.
        root: The project, whose sources must not be published over.
        force: Keep files that are not ours (they are copied along) instead of refusing.

    Raises:
        PublishError: If the folder or a path is refused, or the system fails; ``out`` is unchanged.
        BuildInProgress: If another process publishes into ``out``.
    """
    check_paths([*files, MANIFEST])
    out = _resolved(out)
    refuse_precious(out, root)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with locked(out):
            repaired = repair(out)
            refuse_unusable(out)
            return _publish_locked(files, out, force=force, repaired=repaired)
    except OSError as error:
        raise PublishError(f"cannot publish into {out}: {_in_words(error)}") from error


def recover(out: Path) -> str:
    """Repair what a killed run left beside ``out``; return what was done, or an empty string.

    Raises:
        PublishError: If another process is publishing, or the system refuses.
    """
    out = _resolved(out)
    try:
        beside = list(out.parent.iterdir()) if out.parent.is_dir() else []
        if not any(path.name.startswith(f".{out.name}.") for path in beside):
            return ""
        with locked(out):
            return repair(out)
    except OSError as error:
        raise PublishError(f"cannot repair {out}: {_in_words(error)}") from error


def _publish_locked(
    files: Mapping[str, bytes], out: Path, *, force: bool, repaired: str
) -> Publication:
    old = (read_manifest(out) if out.is_dir() else None) or {}
    foreign = foreign_files(out, old) if out.is_dir() else ()
    if foreign:
        refuse_foreign(foreign, files, out, force=force)
    manifest = manifest_of(files)
    fresh = fresh_path(out)
    try:
        write_tree({**files, MANIFEST: manifest_bytes(manifest)}, fresh)
        carry_over(foreign, out, fresh)
        mode = swap(fresh, out)
        flush_switch(out)
    finally:
        tidy(out)
    return _compared(old, manifest, foreign=foreign, mode=mode, repaired=repaired)


def _compared(
    old: Mapping[str, PublishedFile],
    new: Mapping[str, PublishedFile],
    *,
    foreign: tuple[str, ...],
    mode: SwapMode,
    repaired: str,
) -> Publication:
    both = old.keys() & new.keys()
    changed = tuple(sorted(path for path in both if old[path] != new[path]))
    return Publication(
        added=tuple(sorted(new.keys() - old.keys())),
        changed=changed,
        removed=tuple(sorted(old.keys() - new.keys())),
        unchanged=len(both) - len(changed),
        foreign=foreign,
        mode=mode,
        repaired=repaired,
    )


def _resolved(out: Path) -> Path:
    """Absolute, with symlinks of the parents followed but not one at ``out`` itself."""
    absolute = Path(os.path.abspath(out))  # noqa: PTH100 - resolve() would follow a symlink at out
    return absolute.parent.resolve() / absolute.name if absolute.name else absolute


def _in_words(error: OSError) -> str:
    where = f": {error.filename}" if error.filename else ""
    return f"{error.strerror or error}{where}"

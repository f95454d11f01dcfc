"""Which folder may be replaced, and which files in it are ours: the manifest."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from sitegen.output.described import ManifestEntry
from sitegen.output.errors import PublishError

MANIFEST = "sitegen-manifest.json"
"""Lists every published file with its size and SHA-256; its presence says the folder is ours."""
SOURCE_FOLDERS = ("catalog", "content", "templates", "sitegen", "tests", "docs", ".git")
_MAX_MANIFEST_BYTES = 64 * 2**20


def manifest_bytes(manifest: Mapping[str, ManifestEntry]) -> bytes:
    """Write a manifest as JSON, the same bytes for the same files."""
    rows = [
        {"path": path, "sha256": file.sha256, "size": file.size} for path, file in manifest.items()
    ]
    document = {"generator": "sitegen", "files": rows}
    return (json.dumps(document, separators=(",", ":")) + "\n").encode()


def read_manifest(out: Path) -> dict[str, ManifestEntry] | None:
    """Read the manifest of a published folder; ``None`` where there is none that is ours."""
    path = out / MANIFEST
    if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_MANIFEST_BYTES:
        return None
    try:
        document = json.loads(path.read_bytes())
        if document["generator"] != "sitegen":
            return None
        return {
            str(row["path"]): ManifestEntry(str(row["sha256"]), int(row["size"]))
            for row in document["files"]
        }
    except (ValueError, KeyError, TypeError):
        return None


def refuse_precious(out: Path, root: Path | None) -> None:
    """Refuse a folder that holds more than a site.

    Raises:
        PublishError: If ``out`` is the file system's root, the home folder, the project root, one
            of their parents, or in or above a folder of sources.
    """
    precious = [Path(os.sep), *_home()]
    sources: list[Path] = []
    if root is not None:
        precious.append(root.resolve())
        sources = [root.resolve() / name for name in SOURCE_FOLDERS]
    for folder in (*precious, *sources):
        if folder == out or out in folder.parents:
            raise PublishError(f"refusing to publish into {out}: it is or contains {folder}")
    for folder in sources:
        if folder in out.parents:
            raise PublishError(f"refusing to publish into {out}: {folder} holds sources")


def _home() -> tuple[Path, ...]:
    """Return the home folder; nothing for a user who has none, as in many containers."""
    try:
        return (Path.home().resolve(),)
    except RuntimeError:
        return ()


def refuse_unusable(out: Path) -> None:
    """Refuse a file, a symlink, a mount, or a folder with files that no build of ours has written.

    Raises:
        PublishError: Saying which it is.
    """
    if out.is_symlink():
        raise PublishError(f"refusing to publish into {out}: it is a symlink")
    if os.path.lexists(out) and not out.is_dir():
        raise PublishError(f"refusing to publish into {out}: it is a file")
    if out.is_mount():
        message = f"refusing to publish into {out}: sitegen cannot replace a mount point"
        raise PublishError(f"{message}; choose a folder in it, such as {out / 'site'}")
    if out.is_dir() and any(out.iterdir()) and read_manifest(out) is None:
        message = f"refusing to publish into {out}: it is not empty, and sitegen did not write it"
        raise PublishError(f"{message} (no {MANIFEST}); empty it or choose another folder")


def foreign_files(out: Path, old: Mapping[str, ManifestEntry]) -> tuple[str, ...]:
    """List what lies in ``out`` beside the published files: files, symlinks, empty folders."""
    known = {*old, MANIFEST}
    folders = {"/".join(p.split("/")[:end]) for p in old for end in range(1, p.count("/") + 1)}
    return tuple(sorted(path for path in _entries(out, "", folders) if path not in known))


def edited_files(out: Path, old: Mapping[str, ManifestEntry]) -> tuple[str, ...]:
    """List published files that are not what the manifest says: written, replaced or removed since.

    Only what the system says was touched after the manifest is read: the manifest of a publication
    is written last.

    Raises:
        OSError: If a file that is there cannot be read.
    """
    if not old:
        return ()
    since, folder = (out / MANIFEST).lstat().st_ctime_ns, f"{out}{os.sep}"
    return tuple(sorted(path for path in old if _is_edited(folder + path, old[path], since)))


def renew_manifest(out: Path, listed: Iterable[str]) -> None:
    """Let the manifest be the file touched last, if nobody has written since it was made.

    The system says that a file was touched when it loses its name in the folder that made way.
    """
    manifest = out / MANIFEST
    with suppress(OSError):  # files touched later are read, and found to be what they were
        made, folder = manifest.lstat().st_mtime_ns, f"{out}{os.sep}"
        if all(os.lstat(folder + path).st_mtime_ns <= made for path in listed):
            manifest.chmod(0o644)


def is_touched(found: os.stat_result, since_ns: int) -> bool:
    """Return whether a file may have been written since the manifest was: the system's word."""
    return max(found.st_ctime_ns, found.st_mtime_ns) >= since_ns


def _is_edited(path: str, said: ManifestEntry, since_ns: int) -> bool:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return True
    if not stat.S_ISREG(found.st_mode) or found.st_size != said.size:
        return True
    if not is_touched(found, since_ns):
        return False
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() != said.sha256


def refuse_foreign(
    foreign: tuple[str, ...], files: Mapping[str, bytes], out: Path, *, force: bool
) -> None:
    """Refuse files that are not ours, or with ``force`` only those that are in our way.

    Raises:
        PublishError: Naming the files.
    """
    if foreign and not force:
        listed = ", ".join(repr(path) for path in foreign[:5]) + (" …" if foreign[5:] else "")
        message = f"{out} holds files that sitegen did not write ({len(foreign)}): {listed}"
        raise PublishError(f"{message}; move them away, or keep them with --force")
    taken = {path.casefold() for path in files}
    for path in foreign:
        if path.casefold() in taken:
            raise PublishError(
                f"{out / path} does not belong to sitegen, and the build would overwrite it; move "
                "it away"
            )


def _entries(folder: Path, prefix: str, expected: set[str]) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            path = f"{prefix}{entry.name}"
            if not entry.is_dir(follow_symlinks=False):
                yield path
            elif path in expected or os.listdir(entry.path):  # noqa: PTH208 - an entry, not a path
                yield from _entries(Path(entry.path), f"{path}/", expected)
            else:
                yield path

"""The only writer: publishes a tree of files by switching the whole folder at once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from sitegen.output.described import DescribedFile, ManifestEntry, SiteFiles, described
from sitegen.output.errors import BuildInProgress, PublishError
from sitegen.output.lock import locked
from sitegen.output.ownership import (
    MANIFEST,
    edited_files,
    foreign_files,
    manifest_bytes,
    read_manifest,
    refuse_foreign,
    refuse_precious,
    refuse_unusable,
    renew_manifest,
)
from sitegen.output.paths import check_paths
from sitegen.output.scratch import NEW, make_scratch
from sitegen.output.swap import SwapMode, flush_switch, repair, swap, tidy
from sitegen.output.tree import TreeWriter, carry_over
from sitegen.values import dataclass

__all__ = [
    "MANIFEST",
    "BuildInProgress",
    "DescribedFile",
    "ManifestEntry",
    "Publication",
    "PublishError",
    "Publisher",
    "SiteFiles",
    "SwapMode",
    "described",
    "publish",
    "publishing",
    "recover",
]


@dataclass(frozen=True, slots=True)
class Publication:
    """The changes of a publication: paths by fate, files that are not ours, how it switched.

    ``edited`` are files of the last publication that somebody changed or removed since.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int
    foreign: tuple[str, ...]
    edited: tuple[str, ...]
    mode: SwapMode


def publish(
    files: Mapping[str, bytes], out: Path, *, root: Path | None = None, force: bool = False
) -> Publication:
    """Make ``out`` hold exactly ``files`` (and what is not ours), or leave it as it was.

    Args and errors are those of ``publishing``.
    """
    with publishing(out, root=root, force=force) as publisher:
        return publisher.finish(files)


@contextmanager
def publishing(
    out: Path, *, root: Path | None = None, force: bool = False
) -> Iterator[PublicationInProgress]:
    """Begin a publication: files can be written as they come, and all take their place at once.

    Everything is written to a scratch folder beside ``out`` first, flushed to the disk, and then
    takes its place; until then nothing under ``out`` is touched. File times are not part of the
    result. What ends without ``finish`` leaves ``out`` as it was.

    Args:
        out: A folder that is absent, empty, or was published by us; never a symlink.
        root: The project, whose sources must not be published over.
        force: Keep files that are not ours (they are copied along) instead of refusing.

    Raises:
        PublishError: If the folder or a path is refused, or the system fails; ``out`` is unchanged.
        BuildInProgress: If another process publishes into ``out``.
    """
    out = _resolved(out)
    refuse_precious(out, root)
    with ExitStack() as held:
        with _said_of(out):
            out.parent.mkdir(parents=True, exist_ok=True)
            held.enter_context(locked(out))
            repair(out)
            refuse_unusable(out)
            if not force:
                refuse_foreign(_foreign_in(out), {}, out, force=False)
            held.callback(tidy, out)
            scratch = make_scratch(out)
            listed = _listed(out)
            edited = edited_files(out, listed)
            tree = TreeWriter(scratch / NEW, out, listed)
        yield PublicationInProgress(out, scratch, tree, edited=edited, force=force)


@dataclass(slots=True)
class PublicationInProgress:
    """A publication under way; ``edited`` are published files that somebody changed before it."""

    out: Path
    scratch: Path
    tree: TreeWriter
    edited: tuple[str, ...]
    force: bool

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write files of the site, by relative POSIX path; a forked process may do so, too.

        Raises:
            PublishError: If a path is unsafe, or the system refuses.
        """
        check_paths([*files, MANIFEST])
        with _said_of(self.out):
            self.tree.write(files)

    def finish(self, files: Mapping[str, bytes]) -> Publication:
        """Write the site's files that are not written yet, and let all take their place.

        Raises:
            PublishError: As ``write``, or if files that are not ours are in the way.
        """
        check_paths([*files, MANIFEST])
        with _said_of(self.out):
            old = _listed(self.out)
            foreign = foreign_files(self.out, old) if self.out.is_dir() else ()
            refuse_foreign(foreign, files, self.out, force=self.force)
            site = files if isinstance(files, SiteFiles) else SiteFiles(files)
            manifest = {path: site.entry(path) for path in site}
            for path, entry in manifest.items():
                if not self.tree.has(path, entry.size):
                    self.tree.put(path, entry, partial(site.__getitem__, path))
            self.tree.write({MANIFEST: manifest_bytes(manifest)})
            self.tree.flush([*manifest, MANIFEST])
            carry_over(foreign, self.out, self.tree.root)
            mode = swap(self.scratch, self.out)
            flush_switch(self.out)
        tidy(self.out)
        renew_manifest(self.out, manifest)
        compared = _compared(old, manifest, mode=mode)
        return replace(compared, foreign=foreign, edited=self.edited)


def _foreign_in(out: Path) -> tuple[str, ...]:
    """List the files of a folder that are not ours, before anything is built for it."""
    return foreign_files(out, _listed(out)) if out.is_dir() else ()


def _listed(out: Path) -> dict[str, ManifestEntry]:
    """Read what the last publication wrote; nothing where there was none."""
    return (read_manifest(out) if out.is_dir() else None) or {}


def recover(out: Path) -> str:
    """Repair the rest of a killed run beside ``out``; return the repair in words, or nothing.

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


def _compared(
    old: Mapping[str, ManifestEntry],
    new: Mapping[str, ManifestEntry],
    *,
    mode: SwapMode,
) -> Publication:
    both = old.keys() & new.keys()
    changed = tuple(sorted(path for path in both if old[path] != new[path]))
    return Publication(
        added=tuple(sorted(new.keys() - old.keys())),
        changed=changed,
        removed=tuple(sorted(old.keys() - new.keys())),
        unchanged=len(both) - len(changed),
        foreign=(),
        edited=(),
        mode=mode,
    )


def _resolved(out: Path) -> Path:
    """Absolute, with symlinks of the parents followed but not one at ``out`` itself."""
    absolute = Path(os.path.abspath(out))  # noqa: PTH100 - resolve() would follow a symlink at out
    return absolute.parent.resolve() / absolute.name if absolute.name else absolute


@contextmanager
def _said_of(out: Path) -> Iterator[None]:
    """Say in words what the system refuses while a folder is published into."""
    try:
        yield
    except OSError as error:
        raise PublishError(f"cannot publish into {out}: {_in_words(error)}") from error


def _in_words(error: OSError) -> str:
    where = f": {error.filename}" if error.filename else ""
    return f"{error.strerror or error}{where}"

"""The only reader: a project's catalog, content and templates, taken from disk with suspicion.

Nothing is followed and nothing is trusted: folders and files are opened relative to their parent
without following links, so that a swap between looking and reading gains nothing; only regular
files up to a size are read; text is UTF-8.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path

from sitegen.catalog.text.source_text import SourceText, decode, text_problems, visible
from sitegen.problems import Problem, ProblemsFound, SourceSpan
from sitegen.values import dataclass

MAX_TEXT_BYTES = 2**20
MAX_ASSET_BYTES = 2**23
MAX_DEPTH = 8
LONGEST_PATH = 240

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a FIFO would wait for a writer.
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class ProjectFiles:
    """Everything a build is a function of.

    Attributes:
        catalog: Text by POSIX path relative to the project root: ``catalog/gpus/rtx-4090.yaml``.
        content: The same for Markdown and ``content/site.yaml``.
        templates: Text by template name, which is relative to ``templates/``: ``base.html``.
        assets: Bytes by path relative to ``templates/assets/``: ``site.css``.
        fonts: Bytes by name: TrueType files of ``templates/fonts/``, for pictures of pages.
        private: What the paths of a private catalog in ``catalog`` begin with; empty without one.
    """

    catalog: Mapping[str, str]
    content: Mapping[str, str]
    templates: Mapping[str, str]
    assets: Mapping[str, bytes]
    fonts: Mapping[str, bytes] = field(default_factory=dict)
    private: str = ""


Stamp = tuple[int, int, int, int, int]
"""Disk, inode, size, and the times of the last write and the last change of a file."""
SETTLED_NS = 2_000_000_000
"""Age of a file after which another change of it has another time, on any file system."""


@dataclass(slots=True)
class KnownFiles:
    """Files as they were last read: what nobody has touched since is opened and not read again."""

    contents: dict[str, tuple[Stamp, bytes]] = field(default_factory=dict)
    texts: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    """Texts that were in order, with the bytes that they are of."""

    def content(self, path: str, stamp: Stamp) -> bytes | None:
        """Return what a file held, if it is the same one, untouched."""
        known = self.contents.get(path)
        return known[1] if known is not None and known[0] == stamp else None

    def keep(self, path: str, stamp: Stamp, content: bytes) -> None:
        """Remember a file, unless it was touched just now and may be again in the same moment."""
        if time.time_ns() - max(stamp[3:]) > SETTLED_NS:
            self.contents[path] = stamp, content
        else:
            self.contents.pop(path, None)


class UnreadFiles(ProblemsFound):
    """Some files cannot be read; ``project`` has all others, whose problems count as well."""

    def __init__(self, problems: Iterable[Problem], project: ProjectFiles) -> None:
        super().__init__(problems)
        self.project = project


def read_project(
    root: Path, private: Path | None = None, *, known: KnownFiles | None = None
) -> ProjectFiles:
    """Read a project folder.

    Files and folders whose name starts with a dot or ends with ``~`` belong to editors and
    systems and are passed over. Windows line ends become line feeds.

    Args:
        root: The folder that holds ``catalog/``, and perhaps ``content/`` and ``templates/``.
        private: A folder of further records (``gpus/``, ``models/`` and so on), laid over them.
        known: Files that were read before, for whoever reads a project again and again.

    Returns:
        The files in path order, those of the private catalog last, under their own paths.

    Raises:
        UnreadFiles: With every link, special, large or undecodable file, or without a catalog.
        ProblemsFound: If the folder itself cannot be read.
    """
    reader = _FolderReader(known or KnownFiles())
    try:
        root_fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        reason = error.strerror or "cannot be opened"
        problem = _problem(".", "unreadable", f"the project folder cannot be read: {reason}")
        raise ProblemsFound([problem]) from error
    try:
        reader.folder(root_fd, "catalog", needed=True)
        reader.folder(root_fd, "content")
        reader.folder(root_fd, "templates")
    finally:
        os.close(root_fd)
    project = reader.project()
    if private is not None:
        project = replace(project, private=shown_path(root, private))
        records, problems = _read_private(private, project.private)
        project = replace(project, catalog={**project.catalog, **records})
        reader.problems += problems
    if reader.problems:
        raise UnreadFiles(reader.problems, project)
    return project


def shown_path(root: Path, private: Path) -> str:
    """Return what messages call a private catalog: relative to the project if it is below it."""
    whole = private.resolve()
    inside = whole.is_relative_to(root.resolve())
    return (whole.relative_to(root.resolve()) if inside else whole).as_posix()


def _read_private(folder: Path, shown: str) -> tuple[dict[str, str], list[Problem]]:
    """Read a private catalog under the rules of the public one; its paths begin with ``shown``."""
    if shown in {".", "catalog"} or shown.startswith("catalog/"):
        hint = "keep private records in their own folder"
        message = "a private catalog cannot be the project or a part of its catalog"
        return {}, [_problem(shown, "private-folder", message, hint)]
    reader = _FolderReader()
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        message = f"the private catalog cannot be read: {error.strerror}"
        return {}, [_problem(shown, "unreadable", message)]
    try:
        reader.inside(fd, "catalog")
    finally:
        os.close(fd)
    found = reader.project().catalog
    strayed = [path for path in found if path.count("/") != 2]
    problems = [replace(one, span=_moved(one.span, shown)) for one in reader.problems]
    hint = "a record of a private catalog is <folder>/<kind>/<id>.yaml"
    for path in strayed:
        moved = f"{shown}{path.removeprefix('catalog')}"
        problems.append(_problem(moved, "folder", "this folder does not hold records", hint))
    if not found and not problems:
        message = "the private catalog holds no records"
        problems.append(_problem(shown, "missing-folder", message, hint))
    kept = {path: text for path, text in found.items() if path not in strayed}
    return {f"{shown}{path.removeprefix('catalog')}": kept[path] for path in kept}, problems


def _moved(span: SourceSpan, shown: str) -> SourceSpan:
    return replace(span, path=visible(shown) + span.path.removeprefix("catalog"))


def read_beside_names(root: Path, paths: Iterable[str]) -> Mapping[str, str]:
    """Read some catalog files; of the others the names alone, each with an empty text.

    Args:
        root: The folder that holds ``catalog/``.
        paths: POSIX paths of the files to read, relative to it.

    Raises:
        ProblemsFound: With every one of ``paths`` that is a link, special, large or undecodable.
    """
    reader = _FolderReader()
    kinds = [entry for entry in os.scandir(root / "catalog") if entry.is_dir()]
    names = [f"catalog/{kind.name}/{file.name}" for kind in kinds for file in os.scandir(kind)]
    for path in paths:
        folder = path.rpartition("/")[0]
        folder_fd = os.open(root / folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            reader.file(folder_fd, path.rpartition("/")[2], path)
        finally:
            os.close(folder_fd)
    project = reader.project()
    if reader.problems:
        raise ProblemsFound(reader.problems)
    records = (name for name in sorted(names) if name.endswith(".yaml"))
    return {**dict.fromkeys(records, ""), **project.catalog}


def _problem(path: str, code: str, message: str, hint: str = "") -> Problem:
    return Problem(SourceSpan(visible(path)), code, message, hint)


@dataclass(slots=True)
class _FolderReader:
    """Collects bytes by path, and problems."""

    known: KnownFiles = field(default_factory=KnownFiles)
    files: dict[str, bytes] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def folder(self, parent_fd: int, path: str, *, needed: bool = False) -> None:
        """Read a folder of the project and all below it."""
        name = path.rpartition("/")[2]
        try:
            fd = os.open(name, _FOLDER_FLAGS, dir_fd=parent_fd)
        except FileNotFoundError:
            if needed:
                hint = "run sitegen in a project folder, or name one"
                self.report(path, "missing-folder", f"the folder {path}/ does not exist", hint)
            return
        except OSError as error:
            self.refused(parent_fd, name, path, error)
            return
        try:
            self.inside(fd, path)
        finally:
            os.close(fd)

    def inside(self, fd: int, path: str) -> None:
        """Read all below a folder that is open."""
        with os.scandir(fd) as entries:
            names = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
        for child, is_folder in names:
            self.entry(fd, f"{path}/{child}", is_folder=is_folder)

    def entry(self, parent_fd: int, path: str, *, is_folder: bool) -> None:
        """Read one file or folder, unless its name says that it is nobody's."""
        name = path.rpartition("/")[2]
        if name.startswith(".") or name.endswith("~"):
            return
        if not name.isprintable() or len(path) > LONGEST_PATH or path.count("/") > MAX_DEPTH:
            message = "the name has characters that cannot be printed"
            if name.isprintable():
                message = "the path is too long" if len(path) > LONGEST_PATH else "too many folders"
            self.report(path, "file-name", message, "rename or move it")
        elif is_folder:
            self.folder(parent_fd, path)
        else:
            self.file(parent_fd, name, path)

    def file(self, parent_fd: int, name: str, path: str) -> None:
        """Read one regular file."""
        limit = MAX_ASSET_BYTES if path.startswith("templates/assets/") else MAX_TEXT_BYTES
        try:
            fd = os.open(name, _FILE_FLAGS, dir_fd=parent_fd)
        except OSError as error:
            self.refused(parent_fd, name, path, error)
            return
        with os.fdopen(fd, "rb") as stream:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                message = "sitegen reads only regular files"
                self.report(path, "not-a-file", message, "move it out of the project")
                return
            stamp = (
                status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns,
                status.st_ctime_ns,
            )  # fmt: skip
            content = self.known.content(path, stamp)
            if content is None:
                try:
                    content = stream.read(limit + 1)
                except OSError as error:
                    self.report(path, "unreadable", f"cannot be read: {error.strerror}")
                    return
                self.known.keep(path, stamp, content)
        if len(content) > limit:
            message = f"the file is larger than {limit // 2**20} MiB"
            self.report(path, "too-large", message, "split it, or move it out of the project")
        else:
            self.files[path] = content

    def refused(self, parent_fd: int, name: str, path: str, error: OSError) -> None:
        """Say why something could not be opened."""
        try:
            mode = os.stat(name, dir_fd=parent_fd, follow_symlinks=False).st_mode
        except OSError:
            mode = 0
        if stat.S_ISLNK(mode):
            message = "sitegen does not follow symbolic links"
            self.report(path, "symlink", message, "put the file itself here")
        elif mode and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            hint = "move it out of the project"
            self.report(path, "not-a-file", "sitegen reads only regular files", hint)
        else:
            self.report(path, "unreadable", f"cannot be read: {error.strerror}")

    def report(self, path: str, code: str, message: str, hint: str = "") -> None:
        """Note a problem with a file as a whole."""
        self.problems.append(_problem(path, code, message, hint))

    def project(self) -> ProjectFiles:
        """Sort the files by kind, with their text decoded."""
        assets, fonts = "templates/assets/", "templates/fonts/"
        texts = {
            path: text
            for path, content in self.files.items()
            if not path.startswith((assets, fonts))
            and (text := self.decoded(path, content)) is not None
        }
        return ProjectFiles(
            catalog=dict(_below("catalog/", texts)),
            content=dict(_below("content/", texts)),
            templates={
                path.removeprefix("templates/"): text for path, text in _below("templates/", texts)
            },
            assets={
                path.removeprefix(assets): content
                for path, content in self.files.items()
                if path.startswith(assets)
            },
            fonts={
                path.removeprefix(fonts): content
                for path, content in self.files.items()
                if path.startswith(fonts) and path.endswith(".ttf")
            },
        )

    def decoded(self, path: str, content: bytes) -> str | None:
        """Decode UTF-8; report the first byte that is not, and characters that hide."""
        before = self.known.texts.get(path)
        if before is not None and before[0] is content:
            return before[1]
        text, problem = decode(path, content)
        if problem is not None:
            self.problems.append(problem)
            return None
        # the catalog's own reader looks at its files
        found = [] if path.startswith("catalog/") else text_problems(SourceText(path, text))
        self.problems += found
        if not found:
            self.known.texts[path] = content, text
        return text


def _below(folder: str, texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((path, text) for path, text in texts.items() if path.startswith(folder))

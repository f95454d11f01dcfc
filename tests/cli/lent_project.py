"""One small project for many tests: each has it as it was made, and may change what it likes.

To copy seven hundred files takes longer than what most tests of the command line do with them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from stat import S_ISDIR, S_ISREG

import pytest

from tests.cli.small_project import small_project

LONG_AGO_NS = 1_000_000_000 * 10**9
"""When all files of it were written; whoever writes one does so later."""


class LentProject:
    """A small project, and what it is made of."""

    def __init__(self, root: Path) -> None:
        self.root = small_project(root)
        self._files: dict[Path, tuple[int, bytes]] = {}
        self._folders: dict[Path, int] = {}
        for folder, _, names in os.walk(root):
            self._folders[Path(folder)] = Path(folder).stat().st_mode
            for path in (Path(folder, name) for name in names):
                self._files[path] = (path.stat().st_mode, path.read_bytes())
                os.utime(path, ns=(LONG_AGO_NS, LONG_AGO_NS))

    def restore(self) -> None:
        """Put back what was changed, and remove what was added."""
        unchanged: set[Path] = set()
        for folder, inner, names in os.walk(self.root, topdown=False):
            for path in (Path(folder, name) for name in (*inner, *names)):
                found = path.lstat()
                if S_ISREG(found.st_mode) and self._is_unchanged(path, found):
                    unchanged.add(path)
                elif S_ISDIR(found.st_mode) and path not in self._folders:
                    shutil.rmtree(path)
                elif not S_ISDIR(found.st_mode):
                    path.unlink()
        for path, mode in self._folders.items():
            path.mkdir(exist_ok=True)
            path.chmod(mode)
        for path in self._files.keys() - unchanged:
            mode, content = self._files[path]
            path.write_bytes(content)
            path.chmod(mode)
            os.utime(path, ns=(LONG_AGO_NS, LONG_AGO_NS))

    def _is_unchanged(self, path: Path, found: os.stat_result) -> bool:
        mode, content = self._files.get(path, (0, b""))
        same = (found.st_mode, found.st_size) == (mode, len(content))
        return same and found.st_mtime_ns == LONG_AGO_NS


@pytest.fixture(scope="session")
def lendable(tmp_path_factory: pytest.TempPathFactory) -> LentProject:
    """The one project of this process."""
    return LentProject(tmp_path_factory.mktemp("lent"))


@pytest.fixture
def lent(lendable: LentProject) -> Iterator[Path]:
    """The project for one test."""
    yield lendable.root
    lendable.restore()

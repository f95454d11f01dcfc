"""The folder of an atlas: files written whole, a manifest that says what they were made of."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sitegen
from sitegen.atlas.parquet import MADE_OF_KEY, SCHEMA_VERSION
from sitegen.atlas.partitions import Partition
from sitegen.values import dataclass

MANIFEST = "atlas.json"
LOCK = ".lock"
UNFINISHED = ".part"


class AtlasError(Exception):
    """The folder cannot take these answers; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class AtlasFolder:
    """Where an atlas is kept; ``made_of`` is the digest of its inputs."""

    path: Path
    made_of: str

    def has(self, partition: Partition) -> bool:
        """Whether a partition is there, whole."""
        path = self.path / partition.path
        return path.is_file() and _is_whole(path, partition.tuples, self.made_of)

    def write(self, name: str, content: bytes) -> None:
        """Write a file beside its place, to the disk, and then put it there."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}{UNFINISHED}")
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)

    def begin(self, words: Mapping[str, Any]) -> None:
        """Say what the folder will hold; nothing else is in it yet, or parts of the same."""
        known = self._manifest()
        if known is not None and known.get("made_of") != self.made_of:
            raise AtlasError(
                f"{self.path} holds an atlas made from other inputs (another catalog, program or "
                "filter): name another folder, or use --replace"
            )
        if known is None and any(self.path.glob("verdicts/*/*")):
            raise AtlasError(f"{self.path} has verdicts but no {MANIFEST}: name another folder")
        for left in self.path.glob(f"verdicts/*/.*{UNFINISHED}"):
            left.unlink()
        if known is None:
            self._state({**words, "complete": False, "files": []})

    def finish(self, words: Mapping[str, Any], partitions: Sequence[Partition]) -> None:
        """Name every partition that is there with its digest: now the atlas is complete."""
        files = [
            {"path": one.path, "tuples": one.tuples, "sha256": _sha256(self.path / one.path)}
            for one in sorted(partitions, key=lambda one: one.path)
            if (self.path / one.path).is_file()
        ]
        tuples = sum(one.tuples for one in partitions if (self.path / one.path).is_file())
        self._state({**words, "complete": True, "tuples": tuples, "files": files})

    def replace(self) -> None:
        """Take away an atlas of other inputs, and only that."""
        if self._manifest() is None:
            return
        for path in self.path.glob("verdicts/*/*"):
            if path.suffix in {".parquet", UNFINISHED}:
                path.unlink()
        for folder in self.path.glob("verdicts/gpu=*"):
            if not any(folder.iterdir()):
                folder.rmdir()
        (self.path / MANIFEST).unlink()

    def _state(self, words: Mapping[str, Any]) -> None:
        stated = {
            "schema_version": SCHEMA_VERSION,
            "sitegen": sitegen.__version__,
            "made_of": self.made_of,
            **words,
        }
        self.write(MANIFEST, (json.dumps(stated, indent=1, sort_keys=True) + "\n").encode())

    def _manifest(self) -> dict[str, Any] | None:
        try:
            found = json.loads((self.path / MANIFEST).read_bytes())
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise AtlasError(f"{self.path / MANIFEST} is no JSON: {error}") from error
        return found if isinstance(found, dict) else {}

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other runs out of the folder.

        Raises:
            AtlasError: If one is at work.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / LOCK).open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise AtlasError(f"another run is writing into {self.path}") from error
            yield


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _is_whole(path: Path, rows: int, made_of: str) -> bool:
    """Whether a file has so many rows, made of these inputs; false where it cannot be read."""
    import pyarrow
    import pyarrow.parquet

    try:
        found = pyarrow.parquet.read_metadata(path)
    except (OSError, pyarrow.ArrowInvalid):
        return False
    words = found.metadata or {}
    return bool(found.num_rows == rows and words.get(MADE_OF_KEY) == made_of.encode())

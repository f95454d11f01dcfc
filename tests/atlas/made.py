"""Atlases made in this process or in one of its own, of a few kinds and models."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tests.cli.small_project import REPOSITORY, Ran, run

ONLY = (
    "gpu=rtx-3090,rtx-4090,rtx-3060-12gb,apple-m4-max",
    "model=qwen3-32b,gpt-oss-20b,llama-3.3-70b-instruct",
    "nodes=1",
    "runtime=vllm,llama-cpp,mlx-lm",
)


def words(out: Path, *more: str, only: tuple[str, ...] = ONLY) -> list[str | Path]:
    chosen = [word for one in only for word in ("--only", one)]
    return ["--root", REPOSITORY, "atlas", out, *chosen, *more]


def made(out: Path, *more: str, only: tuple[str, ...] = ONLY) -> Ran:
    return run(*words(out, *more, only=only))


def files(folder: Path) -> dict[str, str]:
    """Every file that counts, by its digest."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }

"""Atlases made in this process or in one of its own, of a few kinds and models."""

from __future__ import annotations

import hashlib
from pathlib import Path

from sitegen.cli.commands import fit_command
from sitegen.cli.group import cli
from sitegen.cli.questions.fit_options import FitOptions
from tests.cli.small_project import REPOSITORY, Ran, run

ONLY = (
    "gpu=rtx-3090,rtx-4090,rtx-3060-12gb,apple-m4-max",
    "model=qwen3-32b,gpt-oss-20b,llama-3.3-70b-instruct",
    "nodes=1",
    "runtime=vllm,llama-cpp,mlx-lm",
    "context=8192,32768",
    "sequences=1,16",
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


def fit_options(*typed: str) -> FitOptions:
    """Read words as ``sitegen fit`` does, below the group whose settings click remembers."""
    found = fit_command.command.make_context("fit", list(typed), **cli.context_settings)
    known = {name: value for name, value in found.params.items() if name in FitOptions.__slots__}
    return FitOptions(**known)

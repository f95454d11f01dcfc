"""Commands that the programs' own documentation prints: nothing is reported that is right."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.lint.support import codes, linted
from tests.yaml_files import read_yaml

CORPUS = Path(__file__).parent / "corpus"
PROGRAMS = ("llama-cpp", "ray", "sglang", "vllm")


@cache
def entries() -> tuple[tuple[str, dict[str, Any]], ...]:
    """Every entry of the corpus with a name."""
    return tuple(
        (f"{name}-{at}", entry)
        for name in PROGRAMS
        for at, entry in enumerate(read_yaml((CORPUS / f"{name}.yaml").read_text("utf-8")))
    )


def text_of(entry: dict[str, Any]) -> tuple[str, str]:
    """The text of an entry and its language."""
    return entry["text"], entry.get("language", "bash")


@pytest.mark.parametrize("entry", [e for _, e in entries()], ids=[name for name, _ in entries()])
def test_nothing_is_reported_but_what_is_known_to_be_wrong(entry: dict[str, Any]) -> None:
    assert sorted(set(codes(*text_of(entry)))) == sorted(entry.get("found", []))


def test_there_are_sixty_commands_and_each_names_its_source() -> None:
    assert len(entries()) >= 60
    assert all(e["source"].startswith("https://github.com/") for _, e in entries())
    assert all("why" in e for _, e in entries() if "found" in e)


def test_most_entries_start_something_that_rules_look_at() -> None:
    starting = [name for name, entry in entries() if linted(*text_of(entry)).launches]
    assert len(starting) >= 60

"""The texts for people stay true: what they link to exists, what they name works as they say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitegen.cli.group import COMMANDS

ROOT = Path(__file__).parents[1]
TEXTS = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")))
PEOPLE = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/architecture.md")
LLAMA_8B = {
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "tie_word_embeddings": False,
    "max_position_embeddings": 131072,
}


def _prose(path: Path) -> str:
    """The text without fenced blocks, in which brackets may mean something else."""
    return re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)


def _links() -> Iterator[tuple[str, str]]:
    for path in TEXTS:
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", _prose(path))):
            if "://" not in target and not target.startswith(("#", "/")):
                yield path.relative_to(ROOT).as_posix(), target.partition("#")[0]


def _readme_commands() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.S | re.M)
    return re.findall(r"^sitegen (.+)$", "\n".join(blocks), re.MULTILINE)


@pytest.mark.parametrize(("text", "target"), sorted(set(_links())))
def test_a_link_leads_to_a_file(text: str, target: str) -> None:
    assert (ROOT / text).parent.joinpath(target).exists()


@pytest.mark.parametrize("text", PEOPLE)
def test_a_path_in_backticks_exists(text: str) -> None:
    named = re.findall(r"`((?:docs|sitegen|tests|templates)/[\w./-]+)`", _prose(ROOT / text))
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("text", PEOPLE)
def test_a_make_target_in_a_text_is_one_of_the_makefile(text: str) -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    named = re.findall(r"(?:^|`)make ([a-z-]+)", (ROOT / text).read_text("utf-8"), re.MULTILINE)
    assert set(named) <= set(targets)


def test_the_readme_shows_every_command_of_the_program() -> None:
    assert {line.split()[0] for line in _readme_commands()} == set(COMMANDS)


def test_decisions_are_numbered_without_gaps_and_at_most_fifteen_lines() -> None:
    records = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    assert [int(path.name[:4]) for path in records] == list(range(1, len(records) + 1))
    for path in records:
        text = path.read_text("utf-8")
        assert text.startswith(f"# {int(path.name[:4])}. ")
        assert len(text.splitlines()) <= 15
        assert all(f"**{part}.**" in text for part in ("Context", "Decision", "Consequences"))


def test_an_editor_finds_the_schema_of_every_kind_of_record() -> None:
    settings = json.loads((ROOT / ".vscode" / "settings.json").read_text("utf-8"))
    schemas: dict[str, str] = settings["yaml.schemas"]
    assert all((ROOT / schema).is_file() for schema in schemas)
    folders = {path.name for path in (ROOT / "catalog").iterdir() if path.is_dir()}
    assert {glob.split("/")[1] for glob in schemas.values()} == folders

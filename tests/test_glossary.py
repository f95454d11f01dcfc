"""One word per idea: identifiers, docstrings and prose keep to the words of the glossary.

The table of ``docs/glossary.md`` says which words stand for which term, and where they are banned.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
ROW = re.compile(
    r"^\| \*(?P<term>[^*|]+)\* \| (?P<banned>[^|]+) \| (?P<where>[^|]+) \|", re.MULTILINE
)
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
CODE = re.compile(
    r"^```.*?^```|`[^`\n]*`|\{[#%{].*?\}+|\]\([^)]*\)|https?://\S+", re.MULTILINE | re.DOTALL
)
PLACES = ("identifiers", "docstrings", "prose")
EXCEPTIONS = {
    "sitegen/cli/machine_tools.py": "a card of the kernel's DRM tree: /sys/class/drm/card0",
    "sitegen/here/": "a card or device as the tools of its maker print it",
    "sitegen/lint/": "flags and scripts of other programs, whose word is device",
    "sitegen/recipes/": "what llama.cpp and containers call a device in their own options",
    "sitegen/importers/startup_": "what llama.cpp calls a device in its log, the processor too",
    "sitegen/cli/imports/hub_steps.py": "a model card of the Hub",
    "sitegen/catalog/file_names.py": "a device of Windows, as a file name",
    "sitegen/catalog/checks/specifications.py": "a PCIe card, told apart from a server module",
    "sitegen/ownership/power_and_space.py": "a PCIe card as an object in a slot",
    "sitegen/site/tables/running_costs.py": "a PCIe card as an object in a slot",
    "sitegen/site/combo/": "a card on a page: a box with one answer",
    "sitegen/site/pages/": "a card on a page: a box with one answer",
    "sitegen/site/json/schema/pages.py": "the published key longest_card_mm",
    "sitegen/site/page.py": "the picture of a page for social networks, a card by its makers' name",
    "sitegen/site/social_card.py": "the picture of a page for social networks",
    "sitegen/site/words/social_cards.py": "the picture of a page for social networks",
    "sitegen/render/social.py": "the picture of a page for social networks",
    "sitegen/models/architecture.py": "copies of a tensor in a layer: as many as experts",
    "sitegen/models/gguf/checkpoint.py": "copies of a tensor in a layer: as many as experts",
    "sitegen/models/gguf/mix.py": "K-quants: llama.cpp's name of a family of types",
    "sitegen/physics/memory/layer_split_profile.py": "copies that a pipeline keeps of a graph",
    "sitegen/physics/plan.py": "copies of the attention, which are parts of one replica",
    "sitegen/pipeline/processes.py": "copies of a pickled message",
    "sitegen/published/accuracy/": "copies of the attention, of a graph and of experts",
}
"""Files and folders in which a banned word means something else, and what."""


class Synonym(NamedTuple):
    """A word that the glossary bans for a term, with the places where it is unambiguous."""

    term: str
    banned: str
    places: tuple[str, ...]


def synonyms(text: str) -> tuple[Synonym, ...]:
    """Read the table of synonyms."""
    return tuple(
        Synonym(
            row["term"], word.strip(), tuple(place.strip() for place in row["where"].split(","))
        )
        for row in ROW.finditer(text)
        for word in row["banned"].split(",")
    )


BANNED = synonyms((ROOT / "docs" / "glossary.md").read_text("utf-8"))


def identifiers(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module gives."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def docstrings(tree: ast.Module) -> Iterator[str]:
    """Yield docstrings of modules, classes, functions and fields; code in backticks is left out."""
    for node in ast.walk(tree):
        body = getattr(node, "body", ())
        for statement in body if isinstance(body, list) else ():
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                value = statement.value.value
                if isinstance(value, str):
                    yield re.sub(r"``.*?``|\n\s*Source:.*", "", value, flags=re.DOTALL)


def words_of(name: str) -> str:
    """Split a name into its words: ``DeviceSet`` and ``device_set`` are both two."""
    return " ".join(WORD.findall(name)).lower()


def broken(place: str, texts: Iterator[str], banned: tuple[Synonym, ...] = BANNED) -> Iterator[str]:
    """Yield what each text says instead of the glossary's term."""
    here = [one for one in banned if place in one.places]
    for text in texts:
        said = words_of(text) if place == "identifiers" else text.lower()
        for one in here:
            if one.banned in said and re.search(
                rf"(?<![\w-]){re.escape(one.banned)}(?![\w-])", said
            ):
                yield f"{one.banned!r} for {one.term!r} in {text.strip()[:70]!r}"


def in_module(text: str) -> Iterator[str]:
    """Yield the synonyms of a module."""
    tree = ast.parse(text)
    yield from broken("identifiers", identifiers(tree))
    yield from broken("docstrings", docstrings(tree))


def exempt(path: str) -> str | None:
    """Return the exception that a file falls under."""
    return next((one for one in EXCEPTIONS if path.startswith(one)), None)


def test_the_program_keeps_to_the_words_of_the_glossary() -> None:
    wrong, needed = [], set()
    for file in sorted((ROOT / "sitegen").rglob("*.py")):
        path = file.relative_to(ROOT).as_posix()
        found = list(in_module(file.read_text("utf-8")))
        if found and exempt(path):
            needed.add(exempt(path))
        else:
            wrong += [f"{path}: {one}" for one in found]
    assert wrong == []
    assert needed == set(EXCEPTIONS), "an exception that nothing needs"


def test_documents_keep_to_the_words_of_the_glossary() -> None:
    files = [*(ROOT / "docs").glob("*.md"), *(ROOT / "content").rglob("*.md")]
    wrong = [
        f"{file.relative_to(ROOT)}: {one}"
        for file in sorted(files)
        if file != ROOT / "docs" / "glossary.md"
        for one in broken("prose", iter([CODE.sub("", file.read_text("utf-8"))]))
    ]
    assert len(files) > 20
    assert wrong == []


@pytest.mark.parametrize(
    "planted",
    [
        "class DeviceSet: ...",
        "def device_of(gpu): ...",
        "def plan(copies): ...",
        'def held():\n    """Bytes of one device."""',
        'LIMIT = 1\n"""What the graphics card holds."""',
        "quants = ()",
    ],
)
def test_a_planted_synonym_is_found(planted: str) -> None:
    assert list(in_module(planted))


def test_a_planted_synonym_is_found_in_prose_and_not_in_commands() -> None:
    planted = "Buy a second graphics card, then run `--graphics card`."
    assert len(list(broken("prose", iter([CODE.sub("", planted)])))) == 1
    assert not list(broken("prose", iter([CODE.sub("", "Run `graphics card` on a GPU.")])))


def test_the_words_of_the_glossary_itself_are_free() -> None:
    terms = " ".join(one.term for one in BANNED)
    assert not list(broken("docstrings", iter([terms])))
    assert {place for one in BANNED for place in one.places} == set(PLACES)

"""The commands of a recipe as words: which program is called with which options."""

from __future__ import annotations

import configparser
import re
import shlex
from collections.abc import Iterable, Iterator
from functools import cache

from sitegen.recipes.recipe import Language, Recipe, RecipeStep
from tests.yaml_files import read_yaml

PROGRAMS = {
    "vllm serve": "vllm",
    "sglang serve": "sglang",
    "sglang_router.launch_router": "sglang-router",
    "ray start": "ray",
    "ray get-auth-token": "ray",
    "serve shutdown": "ray",
    "llama-server": "llama-cpp",
    "ik_llama.cpp/build/bin/llama-server": "ik-llama-cpp",
    "$RPC_SERVER": "rpc",
    "mlx_lm.server": "mlx-lm",
    "mlx_lm.convert": "mlx-lm-convert",
    "mlx.launch": "mlx",
    "mlx.distributed_config": "mlx",
    "uv run exo": "exo",
    "trtllm-serve": "tensorrt-llm",
    "main.py": "tabbyapi",
    "lms load": "lm-studio",
    "lms server": "lm-studio",
    "lms get": "lm-studio",
    "lms unload": "lm-studio",
    "infernet chat": "infernet",
    "infernet init": "infernet",
}
"""What a command line contains, and whose options follow."""
COMMON = {"--help", "--version"}
"""Options that every command line has without stating them."""


def one_of_each_shape(texts: Iterable[str]) -> list[str]:
    """Leave out shell texts that differ from another only in words with a digit in them.

    Such a word, of letters, digits, dots, dashes and underscores, is no keyword and quotes
    nothing: whether a shell can read a text does not depend on which it is.
    """
    shapes = {re.sub(r"[\w.-]*\d[\w.-]*", "1", text, flags=re.ASCII): text for text in texts}
    return sorted(shapes.values())


def command_lines(step: RecipeStep) -> Iterator[list[str]]:
    """Yield the words of every command of a bash step, continuations joined."""
    yield from map(list, _words_of(step.text))


@cache
def _words_of(text: str) -> tuple[tuple[str, ...], ...]:
    """Split a text once: most recipes share their steps."""
    joined = text.replace("\\\n", " ")
    return tuple(tuple(shlex.split(line, comments=True)) for line in joined.splitlines())


def called(words: list[str]) -> str:
    """Name the program whose options stand in a command; empty for those of the system."""
    line = " ".join(words)
    found = [name for name in PROGRAMS if name in line and not line.startswith(("pkill", "ls"))]
    last = max(found, key=lambda name: (line.index(name) + len(name), len(name)), default="")
    return PROGRAMS.get(last, "")


def options(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Yield program and option for every option that a recipe uses, wherever it stands."""
    for step in recipe.steps:
        if step.language is Language.BASH:
            for words in command_lines(step):
                at = words.index("--") if "--" in words else 0  # behind a launcher
                yield from launched(words[:at])
                yield from launched(words[at:])
        elif step.file.endswith(".service"):
            words = started_by(step)
            yield from ((called(words), word) for word in _options(words))
        elif step.file == "compose.yaml":
            for service in read_yaml(step.text)["services"].values():
                yield from ((recipe.reads, w) for w in _options(service.get("command", [])))


def started_by(step: RecipeStep) -> list[str]:
    """Split what a unit starts, where bash starts it what bash reads."""
    words = shlex.split(unit(step)["Service"]["ExecStart"])
    return shlex.split(words[2].replace("$$", "$")) if words[:2] == ["/bin/bash", "-c"] else words


def launched(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the program of one command with each of its options."""
    program = called(words)
    if program:
        yield from ((program, word) for word in _options(words))


def _options(words: list[str]) -> Iterator[str]:
    """Keep what begins with a dash, after the program: what launches it has its own."""
    start = words.index("trtllm-serve") if "trtllm-serve" in words else 0
    router = "sglang_router.launch_router"
    start = words.index(router) if router in words else start
    start = words.index("sglang") if "docker" in words and "sglang" in words else start
    found = (w for w in words[start:] if re.fullmatch(r"--?[a-zA-Z][\w-]*", w))
    yield from (w for w in found if w not in COMMON)


def value(recipe: Recipe, option: str) -> list[str]:
    """List the values of an option in the bash steps of a recipe."""
    found = []
    for step in recipe.steps:
        if step.language is Language.BASH:
            for words in command_lines(step):
                found += [words[at + 1] for at, word in enumerate(words) if word == option]
    return found


def unit(step: RecipeStep) -> configparser.ConfigParser:
    """Read a unit file, in which a key may stand several times."""
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",), strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(step.text)
    return parser

"""What recipes print and call: the commands for each parser, and the files for each checker."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

IMAGES = {
    "vllm/vllm-openai": ("vllm", "serve"),
    "lmsysorg/sglang": ("sglang", "serve"),
    "ghcr.io/ggml-org/llama.cpp": ("llama-server",),
}
"""What a container of an image runs, before the words of its command."""
BY_NAME = frozenset(
    {
        "hf", "ufw", "ray", "mlx_lm.server", "mlx_lm.convert", "mlx.launch",
        "mlx.distributed_config", "trtllm-serve", "ollama", "lms", "infernet", "kubectl",
        "rpc-server",
    }
)  # fmt: skip
"""Programs that are called by their name alone."""
JOINS = frozenset({";", "&", "&&", "||", "|", "do", "then", "fi", "done", ">", "<"})
BEFORE = frozenset({"sudo", "if", "for", "exec"})
ASSIGNS = re.compile(r"[A-Za-z_]+=")
DASHED = re.compile(r"\$\{\w+(:-)?\}|\$\(\w+\)|\$\w+")
"""Variables of shells, compose files and pods, which stand for a word."""


@dataclass(frozen=True, slots=True)
class Written:
    """One recipe: what its scripts called, its steps in bash, its files."""

    form: str
    combo: str
    calls: tuple[tuple[str, ...], ...]
    bash: tuple[str, ...]
    files: Mapping[str, str]

    @classmethod
    def of(cls, line: str) -> Written:
        """Read a line that ``run_recipes --written`` wrote."""
        found = json.loads(line)
        calls = tuple(tuple(one) for one in found["calls"])
        return cls(found["form"], found["combo"], calls, tuple(found["bash"]), found["files"])


def commands(written: Written) -> Iterator[tuple[str, ...]]:
    """Yield every command of a recipe: printed, and as its scripts called it where they ran."""
    yield from written.calls
    for text in written.bash:
        yield from printed(text)
    for name, text in written.files.items():
        if name == "compose.yaml":
            yield from _of_compose(yaml.safe_load(text))
        elif name.endswith(".service"):
            yield from _of_unit(text)
        elif name.endswith(".yaml"):
            yield from _of_pods(list(yaml.safe_load_all(text)))


def printed(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the commands of a text in bash: words between what joins commands."""
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        command: list[str] = []
        for word in [*words, ";"]:
            if word in JOINS or word.endswith(";"):
                if command:
                    yield tuple(_plain(one) for one in command)
                command = []
            elif command or not (ASSIGNS.match(word) or word in BEFORE):
                command.append(word)


def _plain(word: str) -> str:
    """Put a word in the place of a variable."""
    return DASHED.sub("1", word)


def _of_compose(text: Any) -> Iterator[tuple[str, ...]]:
    for service in text["services"].values():
        for image, program in IMAGES.items():
            if service["image"].startswith(image) and "command" in service:
                yield (*program, *map(_plain, service["command"]))


def _of_unit(text: str) -> Iterator[tuple[str, ...]]:
    found = re.search(r"^ExecStart=(.*)$", text, re.MULTILINE)
    if found:
        yield tuple(_plain(word) for word in shlex.split(found[1]))


def _of_pods(found: Any) -> Iterator[tuple[str, ...]]:
    """Yield commands of containers, wherever they stand in a manifest."""
    if isinstance(found, dict):
        command, args = found.get("command"), found.get("args")
        if isinstance(command, list) and "name" in found:
            yield tuple(_plain(str(word)) for word in [*command, *(args or [])])
        for inner in found.values():
            yield from _of_pods(inner)
    elif isinstance(found, list):
        for inner in found:
            yield from _of_pods(inner)


def program_of(words: tuple[str, ...]) -> tuple[str, list[str]]:
    """Name the parser that a command is for, and the words that it reads; ``""`` for no parser."""
    path, rest = words[0], list(words[1:])
    name = Path(path).name
    if name == "env" or not rest:
        return "", rest
    if name == "llama-server":
        return ("ik-llama-cpp" if "ik_llama.cpp" in path else "llama-cpp"), rest
    if name in {"vllm", "sglang"} and rest[0] == "serve":
        return name, rest[1:]
    if name in {"python", "python3"}:
        return _of_python(rest)
    if name == "uv" and rest[:2] == ["run", "exo"]:
        return "exo", rest[2:]
    return (name if name in BY_NAME else ""), rest


def _of_python(rest: list[str]) -> tuple[str, list[str]]:
    if rest[0] == "main.py":
        return "tabbyapi", rest[1:]
    if rest[0] == "-m" and rest[1].startswith(("dynamo.", "sglang_router")):
        return rest[1].replace("sglang_router.launch_router", "sglang-router"), rest[2:]
    if rest[0].endswith("exllamav3/convert.py"):
        return "exllamav3", rest[1:]
    return "", rest

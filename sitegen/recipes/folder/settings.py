"""The file ``.env``: variables that the script, compose files and units read alike."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

from sitegen.recipes.recipe import Phase, Recipe

ENVIRONMENT = ".env"
LINE = re.compile(r"([A-Z][A-Z0-9_]*)=(\S+|'[^']*')")
COMMENT = re.compile(r"# ([A-Z][A-Z0-9_]*): (.*)")
KEY = "API_KEY"


def variables(recipe: Recipe) -> Mapping[str, tuple[str, str]]:
    """List the variables of a recipe with value and comment, each once."""
    found: dict[str, tuple[str, str]] = {}
    for name, value, comment in _written(recipe):
        found.setdefault(name, (shlex.split(value)[0], comment))
    return found


def _written(recipe: Recipe) -> Iterator[tuple[str, str, str]]:
    texts = (step.text for step in recipe.steps if step.phase is Phase.SETTINGS)
    lines = [line for text in texts for line in text.splitlines()]
    comments: dict[str, str] = {}
    for line in lines:
        said, read = COMMENT.fullmatch(line), LINE.fullmatch(line)
        if said is not None:
            comments.setdefault(said[1], said[2])
        elif read is not None:
            yield read[1], read[2], comments.get(read[1], "")
        else:
            raise ValueError(f"no variable: {line!r}")


def environment(recipe: Recipe) -> str:
    """Write the file, which a shell, docker compose and systemd read alike: nothing is quoted.

    A path in a home stands only in recipes of Macs, whose script alone reads the file.

    Raises:
        ValueError: If a value has a space, which they do not read alike.
    """
    lines = ["# Read by run.sh, by docker compose and by the systemd unit. Keep it private."]
    for name, (value, comment) in variables(recipe).items():
        if re.search(r"[\s'\"$`\\#]", value.removeprefix("$HOME/")):
            raise ValueError(f"{name} cannot be written to a file of variables: {value!r}")
        if name == KEY:
            lines += [f"# {name}: {comment}; run.sh creates one when it first starts", f"{name}="]
            continue
        lines += [*([f"# {name}: {comment}"] if comment else []), f"{name}={value}"]
    return "\n".join(lines) + "\n"

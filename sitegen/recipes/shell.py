"""Shell text: quoted words, options one a line, variables set at the top."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence

from sitegen.values import dataclass

Option = tuple[str, ...]
"""An option and its value as they stand in the shell, or a switch: one line of a command."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A shell variable that the reader sets once, with what it is where that is not plain."""

    name: str
    value: str
    comment: str = ""


def quoted(text: str) -> str:
    """Quote a word of the catalog where the shell needs it."""
    return shlex.quote(text)


def quoted_path(path: str) -> str:
    """Quote a path of ours, in which the shell replaces HOME.

    >>> quoted_path("/models/qwen3-8b"), quoted_path("$HOME/models/qwen3-8b")
    ('/models/qwen3-8b', '"$HOME/models/qwen3-8b"')
    """
    return f'"{path}"' if path.startswith("$HOME/") else quoted(path)


def settings(variables: Iterable[Variable]) -> str:
    r"""Set variables, one a line, each comment in a line before.

    Readers copy these lines into files that systemd reads, for which a comment behind a value is a
    part of it.

    Source:
        systemd.exec(5), ``EnvironmentFile=``: only lines that begin with ``#`` or ``;`` are
        comments.

    >>> settings([Variable("PORT", "8000"), Variable("HOST", "127.0.0.1", "this machine only")])
    'PORT=8000\n# HOST: this machine only\nHOST=127.0.0.1'
    """
    lines = []
    for one in variables:
        lines += [f"# {one.name}: {one.comment}"] if one.comment else []
        lines.append(f"{one.name}={one.value}")
    return "\n".join(lines)


def command(program: str, options: Sequence[Option], *, before: str = "", after: str = "") -> str:
    r"""Write a command with one option a line; nothing stands behind a continuation.

    >>> print(command("vllm serve", [("--port", "8000"), ("--headless",)]))
    vllm serve \
      --port 8000 \
      --headless
    """
    first = f"{before} {program}" if before else program
    lines = [first, *(f"  {' '.join(option)}" for option in options)]
    return " \\\n".join(lines) + (f" {after}" if after else "")


def flat(program: str, options: Sequence[Option]) -> str:
    """Write a command in one line, as unit files want it."""
    return " ".join([program, *(word for option in options for word in option)])


def literal(options: Iterable[Option], replaced: Mapping[str, str]) -> list[Option]:
    """Write options as no shell reads them: variables replaced, quotes taken away.

    >>> literal([("--host", '"$HOST"'), ("--json", "'{}'"), ("-v",)], {'"$HOST"': "127.0.0.1"})
    [('--host', '127.0.0.1'), ('--json', '{}'), ('-v',)]
    """
    return [
        (option[0], *(replaced.get(value, value.strip("'")) for value in option[1:]))
        for option in options
    ]


def words(options: Sequence[Option]) -> list[str]:
    """List options and values one by one, as configuration files want them."""
    return [word for option in options for word in option]

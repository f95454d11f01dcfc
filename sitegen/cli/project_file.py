"""Settings of a project: ``sitegen.toml`` beside ``catalog/``, or ``[tool.sitegen]``.

A table is named like a command, its keys like the command's long options; what is typed goes
before. ``version`` is the version of sitegen that the project's own checks run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

import click

from sitegen.problems import did_you_mean
from sitegen.values import dataclass

_ONLY_VERSION = re.compile(r'(?:[ \t]*(?:#[^\n]*)?\n)*version = "([0-9.]+)"\s*')
"""A file that is read on every start, as text: the parser of TOML takes ten times as long."""
FILES = ("sitegen.toml", "pyproject.toml")
VERSION = "version"
Commands = Callable[[str], click.Command | None]


class ProjectFileError(Exception):
    """The file says something that no setting is; the message says where and what is near."""


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """A project's settings, and the file of each."""

    file: str = ""
    version: str = ""
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Values by command and by the name of a long option without its dashes."""

    def defaults(self, commands: Commands) -> dict[str, dict[str, Any]]:
        """Return the defaults that click takes, by command and by the name of its parameter."""
        return {
            name: {parameter: value for parameter, _, value in self._of(name, commands)}
            for name in self.tables
        }

    def lines(self, commands: Commands) -> Iterator[str]:
        """Yield each setting with the file that made it."""
        if self.version:
            yield f"{VERSION} = {self.version}  ({self.file})"
        for name in sorted(self.tables):
            for _, key, value in self._of(name, commands):
                yield f"{name}.{key} = {value}  ({self.file})"

    def _of(self, name: str, commands: Commands) -> Iterator[tuple[str, str, Any]]:
        """Yield the parameter, the key and the value of a command's settings.

        Raises:
            ProjectFileError: If there is no such command or option.
        """
        command = commands(name)
        if command is None:
            raise ProjectFileError(f"{self.file}: there is no command {name!r}")
        options = {
            option.removeprefix("--"): parameter
            for parameter in command.params
            for option in parameter.opts
            if isinstance(parameter, click.Option) and option.startswith("--")
        }
        for key, value in sorted(self.tables[name].items()):
            if key not in options:
                hint = did_you_mean(key, options)
                message = f"{self.file}: `{name}` has no option {key!r}"
                raise ProjectFileError(message + (f"; {hint}" if hint else ""))
            taken = isinstance(value, str | int | bool | float)
            if not taken and not (isinstance(value, list) and options[key].multiple):
                raise ProjectFileError(f"{self.file}: {name}.{key} is not a valid value")
            self._is_taken(f"{name}.{key}", options[key], value)
            yield options[key].name or key, key, value

    def _is_taken(self, key: str, option: click.Option, value: Any) -> None:
        """Try a value as the command will.

        Raises:
            ProjectFileError: If the option does not take it.
        """
        if option.multiple and not isinstance(value, list):
            last = key.rpartition(".")[2]
            example = f'{last} = ["{value}"]'
            raise ProjectFileError(f"{self.file}: {key} is a list: write {example}")
        try:
            for one in value if isinstance(value, list) else [value]:
                option.type(one, option)
        except click.BadParameter as error:
            raise ProjectFileError(f"{self.file}: {key}: {error.message}") from error


def project_settings(root: Path, names: tuple[str, ...]) -> ProjectSettings:
    """Read the settings of a project; none where no file has any.

    Args:
        root: The folder that holds ``catalog/``.
        names: The commands there are.

    Raises:
        ProjectFileError: If a file is no TOML, or has a table or key that is none.
    """
    for file in FILES:
        try:
            text = (root / file).read_text(encoding="utf-8")
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as error:
            raise ProjectFileError(f"cannot read {file}: {error}") from error
        if file == FILES[0] or "[tool.sitegen" in text:
            return _read(file, text, names)
    return ProjectSettings()


def _read(file: str, text: str, names: tuple[str, ...]) -> ProjectSettings:
    only = _ONLY_VERSION.fullmatch(text)
    if only:
        return ProjectSettings(file, only[1])
    import tomllib

    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProjectFileError(f"{file}: {error}") from error
    if file != FILES[0]:
        found = found.get("tool", {}).get("sitegen", {})
    for key, value in found.items():
        if key == VERSION and isinstance(value, str):
            continue
        if key not in names or not isinstance(value, dict):
            hint = did_you_mean(key, (*names, VERSION)) if key not in names else ""
            what = f"{key!r} is not a setting" if key not in names else f"`{key}` is a table"
            raise ProjectFileError(f"{file}: {what}" + (f"; {hint}" if hint else ""))
    tables = {key: value for key, value in found.items() if isinstance(value, dict)}
    return ProjectSettings(file, str(found.get(VERSION, "")), tables)


def older(one: str, other: str) -> bool:
    """Whether a version is before another, by their numbers.

    >>> older("0.9.1", "0.10"), older("1.0", "1.0.0"), older("2", "1.9")
    (True, False, False)
    """
    first, second = (_numbers(version) for version in (one, other))
    longest = max(len(first), len(second))
    return first + [0] * (longest - len(first)) < second + [0] * (longest - len(second))


def _numbers(version: str) -> list[int]:
    return [int(part) if part.isdecimal() else 0 for part in version.split(".")]

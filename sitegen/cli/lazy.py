"""A group of commands whose modules are imported when they are called, not before."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from sitegen.problems import did_you_mean


class LazyGroup(click.Group):
    """Knows name, module and one-line help of each command; the module has a ``command``."""

    def __init__(self, commands_by_name: Mapping[str, tuple[str, str]], **settings: Any) -> None:
        super().__init__(**settings)
        self._known = commands_by_name

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Name the commands in the order they are met in practice."""
        return list(self._known)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module."""
        if cmd_name not in self._known:
            hint = did_you_mean(cmd_name, self._known)
            ctx.fail(f"no command {cmd_name!r}" + (f"; {hint}" if hint else ""))
        command = import_module(self._known[cmd_name][0]).command
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._known.items()])

"""The type of published JSON."""

from __future__ import annotations

from typing import TypeAlias

PlainJson: TypeAlias = "bool | int | float | str | list[PlainJson] | dict[str, PlainJson] | None"

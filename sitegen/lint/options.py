"""Which options a program has, as ``benchmarks.recipe_flags`` read them in its sources."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files as package_files

from sitegen.lint.known_programs import PROGRAMS, traits_of
from sitegen.values import dataclass

ALWAYS = frozenset({"--help", "-h", "--version"})


@dataclass(frozen=True, slots=True)
class Taken:
    """What an option takes.

    Attributes:
        least: Values that must follow.
        most: Values that may follow.
        form: ``int``, ``float``, ``json``, ``str`` or ``unknown``.
        choices: Words that are accepted, empty for any.
        open: Whether others than the choices may be registered by somebody.
    """

    least: int
    most: int
    form: str = "str"
    choices: tuple[str, ...] = ()
    open: bool = False


FORMER = "former"
"""The kind of an option that only earlier versions had (``benchmarks.former_options``)."""
NO_OPTIONS = frozenset({"word", FORMER})
"""Kinds of names that a command line does not take."""
UNKNOWN = Taken(0, 1, "unknown")
"""An option whose values were not read, or no option of the program."""
MANY = 10_000


@dataclass(frozen=True, slots=True)
class OptionTable:
    """The options of one version of a program.

    ``kinds`` maps a name to what it takes, in the words of ``benchmarks.option_values``.
    """

    program: str
    version: str
    kinds: Mapping[str, str]

    def canonical(self, name: str) -> str:
        """Return the name that stands for an option in settings; empty where there is none."""
        found = self._known(name)
        kind = self.kinds.get(found, "")
        return kind[2:] if kind.startswith("= ") else found

    def _takes(self, name: str) -> bool:
        """Whether the version that was read has an option of this very name."""
        return self.kinds.get(name, "word") not in NO_OPTIONS

    def was_there(self, name: str) -> bool:
        """Whether an earlier version had an option that this one lacks."""
        plain = name.replace("_", "-") if traits_of(self.program).underscores else name
        return self.kinds.get(plain) == FORMER or self.kinds.get(name) == FORMER

    def _known(self, name: str) -> str:
        if name in ALWAYS or self._takes(name):
            return name
        if not name.startswith("--"):
            head, dot, _ = name.partition(".")
            return name if dot and self.kinds.get(self._plain(head)) == "json" else ""
        plain = name.replace("_", "-") if traits_of(self.program).underscores else name
        head, dot, _ = plain.partition(".")
        if dot and self.kinds.get(self._plain(head)) in {"json", "str"}:
            return plain
        if self._takes(plain):
            return plain
        if traits_of(self.program).abbreviates and len(plain) > 3:
            longer = {o for o, kind in self.kinds.items() if o.startswith(plain) and kind != FORMER}
            meant = {self._plain(o) for o in longer}
            if len(meant) == 1:
                return meant.pop()
        return ""

    def _plain(self, name: str) -> str:
        kind = self.kinds.get(name, "")
        return kind[2:] if kind.startswith("= ") else name

    def gone(self, name: str) -> str:
        """Say what took the place of an option that was removed; empty for one that is there."""
        kind = self.kinds.get(self._plain(name), "")
        return kind.removeprefix("gone ") if kind.startswith("gone ") else ""

    def taken(self, name: str) -> Taken:
        """Say what an option takes."""
        if name in ALWAYS:
            return Taken(0, 0)
        if "." in name and not self._takes(name):
            return Taken(1, 1)
        return taken_of(self.kinds.get(self.canonical(name), "unknown"))

    def names(self) -> tuple[str, ...]:
        """List the long options that are there."""
        here = ((n, k) for n, k in self.kinds.items() if k != FORMER)
        return tuple(n for n, k in here if n[:2] == "--" and k[:5] != "gone ")

    def is_key(self, name: str) -> bool:
        """Whether a keyword of a configuration is known."""
        option = f"--{name.replace('_', '-')}"
        return any(self.kinds.get(one, FORMER) != FORMER for one in (name, option))

    def keys(self) -> tuple[str, ...]:
        """List keywords as Python and configurations write them."""
        here = (n for n, k in self.kinds.items() if k != FORMER and n[:1] != "=")
        return tuple(n.removeprefix("--").replace("-", "_") for n in here)


@cache
def taken_of(kind: str) -> Taken:
    """Read the word for what an option takes."""
    word, _, rest = kind.partition(" ")
    if word in {"one", "such", "many"} and rest[:3] in {"of ", "as "}:
        choices = tuple(rest[3:].split("|"))
        return Taken(1, MANY if word == "many" else 1, "str", choices, word == "such")
    plain = {
        "nothing": Taken(0, 0),
        "maybe": Taken(0, 1),
        "many": Taken(1, MANY),
        "two": Taken(2, 2),
        "int": Taken(1, 1, "int"),
        "float": Taken(1, 1, "float"),
        "json": Taken(1, 1, "json"),
        "str": Taken(1, 1),
    }
    return plain.get(word, UNKNOWN)


def tables_of(files: Mapping[str, str]) -> dict[str, OptionTable]:
    """Read the tables of all programs; some files hold those of a second one, with a prefix.

    Args:
        files: Text of each table, by any name.
    """
    tables: dict[str, OptionTable] = {}
    for text in files.values():
        record = json.loads(text)
        kinds: dict[str, str] = record["options"]
        name = record["program"]
        for prefix, table in (("rpc:", "rpc"), ("bench:", f"{name}-bench")):
            own = {o.removeprefix(prefix): k for o, k in kinds.items() if o.startswith(prefix)}
            if own:
                tables[table] = OptionTable(table, record["version"], own)
        tables[name] = OptionTable(name, record["version"], kinds)
    for program, traits in PROGRAMS.items():
        if traits.unread:
            tables.setdefault(program, OptionTable(program, "", {}))
        elif traits.passes_to in tables and program not in tables:
            tables[program] = OptionTable(program, tables[traits.passes_to].version, {})
    for front in tuple(tables.values()):
        engine = tables.get(traits_of(front.program).passes_to)
        if engine is not None:
            both = {**engine.kinds, **front.kinds}
            tables[front.program] = OptionTable(front.program, front.version, both)
    return tables


@cache
def option_tables() -> dict[str, OptionTable]:
    """Read the tables of options that the package carries."""
    folder = package_files("sitegen.lint").joinpath("options")
    return tables_of(
        {one.name: one.read_text("utf-8") for one in folder.iterdir() if one.name.endswith(".json")}
    )

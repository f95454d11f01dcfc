"""Modules to one script: the definitions that its entry points need, and no others."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from sitegen.javascript.names import (
    Module,
    Program,
    TranslationError,
    defined_names,
    methods_by_name,
    read_module,
)
from sitegen.javascript.statements import Statements

Key = tuple[str, str]
"""A module's dotted name and a name that it defines."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Translated definitions.

    Attributes:
        script: The definitions, to stand after the runtime inside one function.
        names: The name of each definition in the script.
        classes: Those names that are classes.
    """

    script: str
    names: Mapping[Key, str]
    classes: tuple[str, ...]


Reader = Callable[[str], str | None]
"""Returns the text of a module by its dotted name, ``None`` for a module of somebody else."""


def bundle(read: Reader, entries: Iterable[Key], provided: Mapping[Key, str]) -> Bundle:
    """Translate the definitions that some need, with all that these need themselves.

    Args:
        read: Where the modules come from.
        entries: Where to begin.
        provided: Definitions that the page brings itself, each with a JavaScript expression.

    Raises:
        TranslationError: If a construct has no counterpart.
    """
    entries = tuple(entries)
    modules = _modules(read, entries)
    program = Program(modules, methods_by_name(modules))
    mangled = _mangled(program, provided)
    written: dict[Key, tuple[str, list[Key]]] = {}
    waiting = list(entries)
    while waiting:
        key = waiting.pop()
        if key in written or key in provided:
            continue
        if key not in mangled:
            raise TranslationError(f"{key[0]} defines no {key[1]}")
        writer = Statements(program, modules[key[0]], mangled)
        text = writer.definition_text(modules[key[0]].defined[key[1]], mangled[key])
        written[key] = text, writer.needed
        waiting += writer.needed
    script = "\n".join(written[key][0] for key in _in_order(program, written))
    classes = sorted(
        mangled[key] for key in written if isinstance(modules[key[0]].defined[key[1]], ast.ClassDef)
    )
    return Bundle(script, {key: mangled[key] for key in written}, tuple(classes))


def _modules(read: Reader, entries: Iterable[Key]) -> dict[str, Module]:
    """Read the modules of some definitions and all that these import, whatever is used of it."""
    found: dict[str, Module] = {}
    waiting = [module for module, _ in entries]
    while waiting:
        name = waiting.pop()
        if name in found or (source := read(name)) is None:
            continue
        found[name] = read_module(name, source)
        for dotted in found[name].imported.values():
            waiting += (dotted, dotted.rpartition(".")[0])
    return found


def _mangled(program: Program, provided: Mapping[Key, str]) -> dict[Key, str]:
    """Give each definition a name that no other has."""
    found: dict[Key, str] = {}
    taken: dict[str, int] = {}
    for module in sorted(program.modules):
        for name in program.modules[module].defined:
            number = taken.get(name, 0)
            taken[name] = number + 1
            found[module, name] = f"{name}${number or ''}"
    return {**found, **provided}


def _in_order(program: Program, written: Mapping[Key, tuple[str, list[Key]]]) -> list[Key]:
    """Put constants after what they are made of; the rest as the modules have it."""
    place = {
        (module, name): (number, at)
        for number, module in enumerate(sorted(program.modules))
        for at, statement in enumerate(program.modules[module].body)
        for name in defined_names(statement)
    }
    ordered: list[Key] = []
    seen: set[Key] = set()

    def visit(key: Key) -> None:
        if key in seen or key not in written:
            return
        seen.add(key)
        for other in written[key][1]:
            visit(other)
        ordered.append(key)

    for key in sorted(written, key=place.__getitem__):
        visit(key)
    return ordered

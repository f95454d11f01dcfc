"""Modules to one script: the definitions that its entry points need, and no others."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from sitegen.browser.translator.assignments import InnerFields, inner_nodes
from sitegen.browser.translator.classes import Definitions
from sitegen.browser.translator.names import (
    Key,
    Module,
    Modules,
    Reader,
    TranslatedModules,
    TranslationError,
    field_names,
    methods_by_name,
    numeric_names,
)
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Bundle:
    """Translated definitions.

    Attributes:
        script: The definitions, to stand after the runtime inside one function.
        later: Those that only the later entries need, to stand where the others are known.
        names: The name of each definition in the scripts.
        classes: Those names in the first script that are classes.
        early: The names of the first script.
    """

    script: str
    later: str
    names: Mapping[Key, str]
    classes: tuple[str, ...]
    early: frozenset[str]


def bundle(
    read: Reader | Modules,
    entries: Iterable[Key],
    provided: Mapping[Key, str],
    *,
    later: Iterable[Key] = (),
) -> Bundle:
    """Translate the definitions that some need, with all that these need themselves.

    Args:
        read: Where the modules come from; asked for those alone in which something is needed.
            ``Modules`` keep what they parsed for another bundle.
        entries: Where to begin.
        provided: Definitions that the page brings itself, each with a JavaScript expression.
        later: Where to begin with what a page loads only when it is asked for.

    Raises:
        TranslationError: If a construct has no counterpart.
    """
    modules = read if isinstance(read, Modules) else Modules(read)
    first = _reached(modules, entries, provided)
    nodes = first | _reached(modules, later, provided)
    program = TranslatedModules(
        modules,
        methods_by_name(nodes.values()),
        field_names(nodes.values()),
        numeric_names(nodes.values()),
    )
    names = _mangled(nodes)
    known = {**names, **provided}
    written: dict[Key, tuple[str, list[Key]]] = {}
    for key, node in nodes.items():
        writer = Definitions(program, modules[key[0]], known)
        written[key] = writer.definition_text(node, names[key]), writer.needed
    ordered = _in_order(written)
    script, rest = (
        "\n".join(written[key][0] for key in ordered if (key in first) == early)
        for early in (True, False)
    )
    classes = sorted(names[key] for key, node in first.items() if isinstance(node, ast.ClassDef))
    return Bundle(script, rest, names, tuple(classes), frozenset(names[key] for key in first))


def _reached(
    modules: Modules, entries: Iterable[Key], provided: Mapping[Key, str]
) -> dict[Key, ast.stmt]:
    """Find the definitions that some need, with all that these need, in order of their names."""
    found: dict[Key, ast.stmt] = {}
    program, waiting = TranslatedModules(modules, {}, frozenset(), frozenset()), list(entries)
    while waiting:
        key = waiting.pop()
        if key in found or key in provided:
            continue
        module = modules.get(key[0])
        if module is None or key[1] not in module.defined:
            raise TranslationError(f"{key[0]} defines no {key[1]}")
        found[key] = module.defined[key[1]]
        for dotted in _named_by(module, key[1]):
            known = program.definition(dotted)
            if known is not None:
                waiting.append(known)
    return dict(sorted(found.items()))


def _named_by(module: Module, name: str) -> frozenset[str]:
    """Return the dotted names that a definition reads, found once."""
    known = module.named.get(name)
    if known is None:
        known = module.named[name] = frozenset(_named(module.defined[name], module))
    return known


READ = InnerFields("annotation", "returns", "decorator_list")
"""Fields without those that say something of a definition and are not translated."""


def _named(node: ast.AST, module: Module) -> Iterator[str]:
    """Yield the dotted names that a definition reads, without what annotates or decorates it."""
    if isinstance(node, ast.Name):
        if node.id in module.defined:
            yield f"{module.name}.{node.id}"
        elif node.id in module.imported:
            yield module.imported[node.id]
        return
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        above = module.imported.get(node.value.id, "")
        yield f"{above}.{node.attr}"
    for part in inner_nodes(node, READ):
        yield from _named(part, module)


def _mangled(keys: Iterable[Key]) -> dict[Key, str]:
    """Give each definition a name that no other has."""
    found: dict[Key, str] = {}
    taken: dict[str, int] = {}
    for module, name in keys:
        number = taken.get(name, 0)
        taken[name] = number + 1
        found[module, name] = f"{name}${number or ''}"
    return found


def _in_order(written: Mapping[Key, tuple[str, list[Key]]]) -> list[Key]:
    """Put definitions after what they are made of."""
    ordered: dict[Key, None] = {}
    seen: set[Key] = set()

    def visit(key: Key) -> None:
        if key not in seen and key in written:
            seen.add(key)
            for other in written[key][1]:
                visit(other)
            ordered[key] = None

    for key in written:
        visit(key)
    return list(ordered)

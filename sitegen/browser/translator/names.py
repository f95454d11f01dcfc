"""What names stand for: definitions of modules, imports, local variables, words of JavaScript."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field

from sitegen.browser.translator.assignments import all_nodes
from sitegen.values import dataclass

RESERVED = frozenset(
    {
        "arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger",
        "default", "delete", "do", "else", "enum", "eval", "export", "extends", "finally", "for",
        "function", "if", "implements", "import", "in", "instanceof", "interface", "let", "new",
        "package", "private", "protected", "public", "return", "static", "super", "switch",
        "this", "throw", "try", "typeof", "var", "void", "while", "with", "yield", "undefined",
        "NaN", "Infinity", "Object", "Array", "Map", "Set", "Math", "Number", "String", "Symbol",
        "JSON", "Error",
    }
)  # fmt: skip


NUMERIC = frozenset({"int", "float"})
"""Annotations of numbers."""
GETTERS = frozenset({"property", "cached_property"})
"""Decorators of methods that are read like fields."""
Key = tuple[str, str]
"""A module's dotted name and a name that it defines."""
Reader = Callable[[str], str | None]
"""Returns the text of a module by its dotted name, ``None`` for a module of somebody else."""


class TranslationError(Exception):
    """A construct that has no exact counterpart; the message names module, line and construct."""


def identifier(name: str) -> str:
    """Return a name that JavaScript allows for a variable.

    >>> identifier("arguments"), identifier("tokens")
    ('arguments$', 'tokens')
    """
    return f"{name}$" if name in RESERVED else name


@dataclass(frozen=True, slots=True)
class Signature:
    """Parameters in order, without ``self``; ``annotations`` beside them."""

    parameters: tuple[str, ...]
    returns: str = ""


@dataclass(slots=True)
class Module:
    """A parsed module: its definitions by name, and where its imported names come from.

    ``imported`` has dotted names: ``sitegen.units.pad``, ``dataclasses.replace``; ``named`` those
    that a definition reads, once somebody asked.
    """

    name: str
    body: list[ast.stmt]
    defined: dict[str, ast.stmt] = field(default_factory=dict)
    imported: dict[str, str] = field(default_factory=dict)
    named: dict[str, frozenset[str]] = field(default_factory=dict)


def read_module(name: str, source: str) -> Module:
    """Parse a module; imports for type checking alone are left out."""
    module = Module(name, ast.parse(source).body)
    inner = [
        one
        for node in _functions(module.body)
        for one in node.body
        if isinstance(one, ast.ImportFrom)
    ]  # what a function imports when it is called
    for statement in (*inner, *module.body):
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                module.imported[alias.asname or alias.name] = f"{statement.module}.{alias.name}"
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                module.imported[alias.asname or alias.name] = alias.name
        for defined in defined_names(statement):
            module.defined[defined] = statement
    return module


def _functions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef]:
    """Yield the functions of a module or class, and those inside them."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from _functions(node.body)


def defined_names(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a module's top level defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Name):
                yield target.id
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        yield statement.target.id


def decorators(node: ast.FunctionDef | ast.ClassDef) -> tuple[str, ...]:
    """Return the names of decorators, called or not."""
    found = []
    for one in node.decorator_list:
        bare = one.func if isinstance(one, ast.Call) else one
        found.append(bare.attr if isinstance(bare, ast.Attribute) else ast.unparse(bare))
    return tuple(found)


def base_names(node: ast.ClassDef) -> tuple[str, ...]:
    """Return the names of base classes."""
    return tuple(ast.unparse(base) for base in node.bases)


def is_enumeration(node: ast.ClassDef) -> bool:
    """Whether a class is an enumeration; its members become plain strings or numbers."""
    return bool({"StrEnum", "IntEnum"} & set(base_names(node)))


def has_fields(node: ast.ClassDef) -> bool:
    """Whether a class is a dataclass or a named tuple."""
    return "dataclass" in decorators(node) or "NamedTuple" in base_names(node)


def fields_of(node: ast.ClassDef) -> tuple[ast.AnnAssign, ...]:
    """Return the fields of a dataclass or named tuple."""
    return tuple(
        one
        for one in node.body
        if isinstance(one, ast.AnnAssign)
        and isinstance(one.target, ast.Name)
        and "ClassVar" not in ast.unparse(one.annotation)
    )


def parameters_of(node: ast.FunctionDef) -> tuple[ast.arg, ...]:
    """Return all parameters in the order in which JavaScript takes them."""
    given = node.args
    return (*given.posonlyargs, *given.args, *given.kwonlyargs)


def signature_of(node: ast.FunctionDef, *, method: bool = False) -> Signature:
    """Return what a call has to know of a function."""
    names = tuple(one.arg for one in parameters_of(node))
    bound = method and "staticmethod" not in decorators(node)
    returns = ast.unparse(node.returns) if node.returns else ""
    return Signature(names[1:] if bound else names, returns)


def class_signature(node: ast.ClassDef) -> Signature:
    """Return the parameters of a constructor."""
    if has_fields(node):
        return Signature(tuple(ast.unparse(one.target) for one in fields_of(node)))
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and one.name == "__init__":
            return signature_of(one, method=True)
    return Signature(())


class Modules:
    """Modules by dotted name, each read when it is asked for."""

    def __init__(self, read: Reader) -> None:
        self._read = read
        self._known: dict[str, Module | None] = {}

    def get(self, name: str) -> Module | None:
        """Return a module, ``None`` for one of somebody else."""
        if name not in self._known:
            source = self._read(name)
            self._known[name] = None if source is None else read_module(name, source)
        return self._known[name]

    def __getitem__(self, name: str) -> Module:
        found = self.get(name)
        if found is None:
            raise KeyError(name)
        return found


@dataclass(frozen=True, slots=True)
class TranslatedModules:
    """All modules; signatures of methods and names of fields: a call does not know its object.

    ``numeric`` are fields and properties that every class which has them says are numbers.
    """

    modules: Modules
    methods: Mapping[str, tuple[Signature, ...]]
    fields: frozenset[str]
    numeric: frozenset[str]

    def definition(self, dotted: str) -> Key | None:
        """Split a dotted name into a module of ours and a name that it defines."""
        module, _, name = dotted.rpartition(".")
        found = self.modules.get(module) if module else None
        if found is None:
            return None
        if name in found.defined:
            return module, name
        again = found.imported.get(name)
        return self.definition(again) if again and again != dotted else None


def field_names(nodes: Iterable[ast.stmt]) -> frozenset[str]:
    """Collect the names under which classes hold values."""
    return frozenset(
        one.attr
        for node in nodes
        if isinstance(node, ast.ClassDef)
        for one in all_nodes(node)
        if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)
    ) | frozenset(
        ast.unparse(one.target)
        for node in nodes
        if isinstance(node, ast.ClassDef)
        for one in fields_of(node)
    )


def numeric_names(nodes: Iterable[ast.stmt]) -> frozenset[str]:
    """Collect the fields and properties that are numbers in every class that has them."""
    said: dict[str, set[bool]] = {}
    for node in nodes:
        if not isinstance(node, ast.ClassDef):
            continue
        for one in fields_of(node):
            said.setdefault(ast.unparse(one.target), set()).add(is_numeric(one.annotation))
        for inner in all_nodes(node):
            if isinstance(inner, ast.FunctionDef) and GETTERS & set(decorators(inner)):
                said.setdefault(inner.name, set()).add(is_numeric(inner.returns))
            if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
                said.setdefault(inner.attr, set()).add(False)
    return frozenset(name for name, kinds in said.items() if kinds == {True})


def is_numeric(annotation: ast.expr | None) -> bool:
    """Whether an annotation says that a value is a number."""
    return annotation is not None and ast.unparse(annotation) in NUMERIC


def methods_by_name(nodes: Iterable[ast.stmt]) -> dict[str, tuple[Signature, ...]]:
    """Collect the signatures of all methods that are called, by name."""
    found: dict[str, tuple[Signature, ...]] = {}
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            for one in node.body:
                if isinstance(one, ast.FunctionDef) and not GETTERS & set(decorators(one)):
                    known = found.get(one.name, ())
                    found[one.name] = (*known, signature_of(one, method=True))
    return found

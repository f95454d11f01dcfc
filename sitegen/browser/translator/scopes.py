"""What names mean at a place: local variables, definitions, what Python has built in."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

from sitegen.browser.translator.names import (
    NUMERIC,
    Module,
    Signature,
    TranslatedModules,
    TranslationError,
    identifier,
)
from sitegen.browser.translator.natives import BUILTINS, LIBRARY, METHODS


class Scopes(ABC):
    """Writes the expressions of one definition; remembers which other definitions they name."""

    def __init__(
        self, program: TranslatedModules, module: Module, mangled: dict[tuple[str, str], str]
    ) -> None:
        self.program = program
        self.module = module
        self.needed: list[tuple[str, str]] = []
        self._mangled = mangled
        self._scopes: list[set[str]] = []
        self.numbers: set[str] = set()
        """Local names that are numbers beyond doubt."""
        self.itself: tuple[str, ...] = ()
        """Names that stand for ``this``."""

    def refuse(self, node: ast.AST, what: str) -> TranslationError:
        """Name a construct without a counterpart."""
        line = getattr(node, "lineno", 0)
        return TranslationError(f"{self.module.name}, line {line}: {what}")

    @contextmanager
    def scope(self, names: set[str]) -> Iterator[None]:
        """Know further local names for a while."""
        self._scopes.append(names)
        yield
        self._scopes.pop()

    def is_local(self, name: str) -> bool:
        """Whether a name is a local variable here."""
        return any(name in scope for scope in self._scopes)

    def dotted(self, node: ast.expr) -> str:
        """Return the dotted name of an imported thing or of a definition, else nothing."""
        if isinstance(node, ast.Name) and not self.is_local(node.id):
            if node.id in self.module.defined:
                return f"{self.module.name}.{node.id}"
            return self.module.imported.get(node.id, "")
        if isinstance(node, ast.Attribute):
            above = self.dotted(node.value)
            return f"{above}.{node.attr}" if above else ""
        return ""

    def definition(self, node: ast.expr) -> tuple[str, str] | None:
        """Return module and name of what an expression names, where that is a definition."""
        dotted = self.dotted(node)
        return self.program.definition(dotted) if dotted else None

    def use(self, key: tuple[str, str]) -> str:
        """Return the name under which a definition is written, and remember that it is needed."""
        self.needed.append(key)
        return self._mangled[key]

    def name(self, node: ast.Name) -> str:
        """Write a name."""
        if node.id in self.itself:
            return "this"
        if self.is_local(node.id):
            return identifier(node.id)
        found = self.definition(node)
        if found is not None:
            return self.use(found)
        dotted = self.dotted(node)
        if dotted in LIBRARY:
            return LIBRARY[dotted]
        if not dotted and node.id in BUILTINS:
            return BUILTINS[node.id]
        raise self.refuse(node, f"nobody defines '{dotted or node.id}'")

    def is_number(self, node: ast.expr) -> bool:
        """Whether an expression is a number beyond doubt."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, int | float) and not isinstance(node.value, bool)
        if isinstance(node, ast.Name):
            return node.id in self.numbers and self.is_local(node.id)
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.USub)
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod):
                return True
            if any(isinstance(side, ast.List | ast.Tuple) for side in (node.left, node.right)):
                return False
            return self.is_number(node.left) or self.is_number(node.right)
        if isinstance(node, ast.IfExp):
            return self.is_number(node.body) and self.is_number(node.orelse)
        if isinstance(node, ast.Call):
            return self._counts(node)
        if isinstance(node, ast.Attribute):
            return node.attr in self.program.numeric and not self.dotted(node)
        return False

    def _counts(self, node: ast.Call) -> bool:
        """Whether a call returns a number beyond doubt."""
        function = node.func
        if isinstance(function, ast.Name) and not self.is_local(function.id):
            if function.id in {"len", "int", "abs", "float"}:
                return True
            if function.id in {"min", "max"} and len(node.args) > 1:
                return all(self.is_number(one) for one in node.args)
        found = self.signature(node)
        if found is not None:
            return found.returns in NUMERIC
        if isinstance(function, ast.Attribute) and function.attr not in METHODS:
            known = self.program.methods.get(function.attr, ())
            return bool(known) and all(one.returns in NUMERIC for one in known)
        return False

    @abstractmethod
    def signature(self, node: ast.Call) -> Signature | None:
        """Return the parameters of what is called, where that is known."""

    @abstractmethod
    def write(self, node: ast.expr) -> str:
        """Write an expression."""

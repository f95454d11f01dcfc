"""Expressions of Python as expressions of JavaScript."""

from __future__ import annotations

import ast
import json
from abc import abstractmethod
from collections.abc import Sequence

from sitegen.browser.translator.loops import Loops, member
from sitegen.browser.translator.names import identifier
from sitegen.browser.translator.natives import LIBRARY, METHODS


class Expressions(Loops):
    """Writes the expressions of one definition."""

    def constant(self, node: ast.Constant) -> str:
        """Write a constant."""
        value = node.value
        if value is None:
            return "null"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int | float | str):
            return json.dumps(value)
        raise self.refuse(node, f"a constant {value!r}")

    def write(self, node: ast.expr) -> str:
        """Write an expression."""
        match node:
            case ast.Constant():
                return self.constant(node)
            case ast.Name():
                return self.name(node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Subscript():
                return self.subscript(node)
            case ast.BinOp():
                return self.operation(node)
            case ast.UnaryOp():
                return self.unary(node)
            case ast.BoolOp():
                return self.either(node)
            case ast.Compare():
                return self.comparison(node)
            case ast.IfExp():
                body, other = self.write(node.body), self.write(node.orelse)
                return f"({self.test(node.test)} ? {body} : {other})"
            case ast.Tuple() | ast.List():
                return f"[{self.listed(node.elts)}]"
            case ast.Set():
                return f"$set([{self.listed(node.elts)}])"
            case ast.Dict():
                return self.dictionary(node)
            case ast.ListComp() | ast.GeneratorExp():
                return self.comprehension(node, "$r.push({})")
            case ast.SetComp():
                return f"$set({self.comprehension(node, '$r.push({})')})"
            case ast.DictComp():
                return f"$dict({self.pairs(node)})"
            case ast.JoinedStr():
                return self.formatted(node)
            case ast.Lambda():
                return self.function_value(node)
            case ast.NamedExpr():
                return f"({identifier(node.target.id)} = {self.write(node.value)})"
            case ast.Starred():
                return f"...$it({self.write(node.value)})"
            case ast.Yield():
                return f"yield {self.write(node.value) if node.value else ''}"
            case ast.YieldFrom():
                return f"yield* $it({self.write(node.value)})"
            case ast.Call():
                return self.call(node)
        raise self.refuse(node, type(node).__name__)

    @abstractmethod
    def call(self, node: ast.Call) -> str:
        """Write a call."""

    def listed(self, nodes: Sequence[ast.expr]) -> str:
        """Write expressions with commas between."""
        return ", ".join(self.write(one) for one in nodes)

    def function_value(self, node: ast.Lambda) -> str:
        """Write a lambda; its body sees what stands around it."""
        names = [one.arg for one in node.args.args]
        with self.scope(set(names)):
            body = self.write(node.body)
        parameters = ", ".join(identifier(name) for name in names)
        return f"(({parameters}) => {f'({body})' if body.startswith('{') else body})"

    def attribute(self, node: ast.Attribute) -> str:
        """Write an attribute: of a module, of an object, or a method as a value."""
        found = self.definition(node)
        if found is not None:
            return self.use(found)
        dotted = self.dotted(node)
        if dotted in LIBRARY:
            return LIBRARY[dotted]
        value = self.write(node.value)
        if node.attr == "value":
            return f"$value({value})"
        if node.attr == "__getitem__":
            return f"((k) => $item({value}, k))"
        if node.attr == "__dict__" or (node.attr.startswith("__") and node.attr != "__name__"):
            raise self.refuse(node, f"the attribute {node.attr}")
        if node.attr in METHODS:
            return f"$bound({value}, {json.dumps(node.attr)})"
        if node.attr in self.program.methods:
            return f"$method({value}.{node.attr}, {value})"
        return f"{value}.{node.attr}"

    def subscript(self, node: ast.Subscript) -> str:
        """Write an item or a slice."""
        value, key = self.write(node.value), node.slice
        if isinstance(key, ast.Slice):
            if key.step is not None:
                raise self.refuse(node, "a slice with a step")
            ends = [self.write(one) if one else "" for one in (key.lower, key.upper)]
            start, stop = ends[0] or "0", ends[1]
            return f"{value}.slice({start}{', ' + stop if stop else ''})"
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            return member(value, key.value)
        if isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.USub):
            return f"{value}.at({self.write(key)})"
        if self.is_number(key):
            return f"$at({value}, {self.write(key)})"
        return f"$item({value}, {self.write(key)})"

    def dictionary(self, node: ast.Dict) -> str:
        """Write a dictionary: an object where all keys are words, else by the first key."""
        words = all(
            key is None or (isinstance(key, ast.Constant) and isinstance(key.value, str))
            for key in node.keys
        )
        if not node.keys:
            return "$dict([])"
        pieces = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                spread = "$obj" if words else "$items"
                pieces.append(f"...{spread}({self.write(value)})")
            elif words:
                pieces.append(f"{self.write(key)}: {self.write(value)}")
            else:
                pieces.append(f"[{self.write(key)}, {self.write(value)}]")
        inside = ", ".join(pieces)
        return f"{{{inside}}}" if words else f"$dict([{inside}])"

    def formatted(self, node: ast.JoinedStr) -> str:
        """Write a formatted string."""
        parts = []
        for piece in node.values:
            if isinstance(piece, ast.Constant):
                parts.append(json.dumps(piece.value))
            elif isinstance(piece, ast.FormattedValue):
                value = self.write(piece.value)
                if piece.format_spec is not None:
                    parts.append(f"$format({value}, {self.write(piece.format_spec)})")
                else:
                    parts.append(f"{'$repr' if piece.conversion == ord('r') else '$str'}({value})")
        return "(" + " + ".join(['""', *parts]) + ")"

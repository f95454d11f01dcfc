"""Operators, comparisons and tests."""

from __future__ import annotations

import ast
import json

from sitegen.browser.translator.scopes import Scopes

ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
GENERIC = {ast.Lt: "$lt", ast.LtE: "$le", ast.Gt: "$gt", ast.GtE: "$ge"}
SETS = {ast.Sub: "$without", ast.BitOr: "$union", ast.BitAnd: "$common"}


class Operators(Scopes):
    """Writes what stands between values."""

    def operation(self, node: ast.BinOp) -> str:
        """Write arithmetic; sequences and sets have operators of their own."""
        kind, sides = type(node.op), (node.left, node.right)
        if kind is ast.Pow and all(isinstance(side, ast.Constant) for side in sides):
            return json.dumps(ast.literal_eval(sides[0]) ** ast.literal_eval(sides[1]))
        left, right = (self.write(side) for side in sides)
        numeric = any(self.is_number(side) for side in sides)
        if kind is ast.FloorDiv:
            return f"Math.floor({left} / {right})"
        if kind is ast.Mod:
            return f"$mod({left}, {right})"
        if kind is ast.LShift:
            return f"({left} * 2 ** {right})"
        if kind is ast.Mult and any(_is_repeated(side) for side in sides):
            return f"$repeat({left}, {right})"
        if kind in SETS and not numeric and self.is_set(node):
            return f"{SETS[kind]}({left}, {right})"
        if kind is ast.Add and not numeric:
            text = any(isinstance(side, ast.JoinedStr) or _is_text(side) for side in sides)
            return f"({left} + {right})" if text else f"$add({left}, {right})"
        if kind in ARITHMETIC:
            return f"({left} {ARITHMETIC[kind]} {right})"
        raise self.refuse(node, f"the operator {kind.__name__}")

    def is_set(self, node: ast.BinOp) -> bool:
        """Whether an operator stands between sets: one of them is made on the spot."""
        if isinstance(node.op, ast.BitOr | ast.BitAnd):
            return True
        sides = (node.left, node.right)
        return any(
            isinstance(side, ast.Set | ast.SetComp)
            or (
                isinstance(side, ast.Call)
                and isinstance(side.func, ast.Name)
                and side.func.id in {"set", "frozenset"}
            )
            for side in sides
        )

    def unary(self, node: ast.UnaryOp) -> str:
        """Write a sign or a negation."""
        if isinstance(node.op, ast.Not):
            return f"!{self.test(node.operand)}"
        if isinstance(node.op, ast.USub):
            return f"(-{self.write(node.operand)})"
        raise self.refuse(node, type(node.op).__name__)

    def test(self, node: ast.expr) -> str:
        """Write an expression of which only the truth matters."""
        if isinstance(node, ast.BoolOp):
            sign = " && " if isinstance(node.op, ast.And) else " || "
            return f"({sign.join(self.test(one) for one in node.values)})"
        if isinstance(node, ast.Compare) or (
            isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        ):
            return self.write(node)
        return f"$t({self.write(node)})"

    def either(self, node: ast.BoolOp) -> str:
        """Write ``and`` and ``or`` where their value matters."""
        if all(isinstance(one, ast.Compare) for one in node.values):
            return self.test(node)
        way = "$and" if isinstance(node.op, ast.And) else "$or"
        written = [self.write(one) for one in node.values]
        out = written[-1]
        for one in reversed(written[:-1]):
            out = f"{way}({one}, () => {out})"
        return out

    def comparison(self, node: ast.Compare) -> str:
        """Write comparisons; what stands between two of them is written twice."""
        sides = [node.left, *node.comparators]
        if any(isinstance(one, ast.Call | ast.NamedExpr) for one in sides[1:-1]):
            raise self.refuse(node, "a call in the middle of a chain of comparisons")
        parts = [
            self.compared(sides[at], operator, sides[at + 1])
            for at, operator in enumerate(node.ops)
        ]
        return parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"

    def compared(self, expression: ast.expr, operator: ast.cmpop, other: ast.expr) -> str:
        """Write one comparison."""
        left, right = self.write(expression), self.write(other)
        kind = type(operator)
        if kind in {ast.Is, ast.IsNot}:
            loose = any(
                isinstance(side, ast.Constant) and side.value is None
                for side in (expression, other)
            )
            sign = "==" if loose else "==="
            return f"({left} {'!' + sign[1:] if kind is ast.IsNot else sign} {right})"
        if kind in {ast.In, ast.NotIn}:
            return f"{'!' if kind is ast.NotIn else ''}$in({left}, {right})"
        plain = any(
            self.is_number(side) or isinstance(side, ast.Constant) for side in (expression, other)
        )
        if kind in {ast.Eq, ast.NotEq}:
            if plain:
                return f"({left} {'===' if kind is ast.Eq else '!=='} {right})"
            return f"{'!' if kind is ast.NotEq else ''}$eq({left}, {right})"
        if plain:
            return f"({left} {COMPARED[kind]} {right})"
        return f"{GENERIC[kind]}({left}, {right})"


def _is_repeated(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple) or _is_text(node)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)

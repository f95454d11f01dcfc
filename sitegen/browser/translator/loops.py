"""Comprehensions, the heads of loops, and what is assigned to."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable

from sitegen.browser.translator.names import identifier
from sitegen.browser.translator.operators import Operators

Comprehension = ast.ListComp | ast.GeneratorExp | ast.SetComp


class Loops(Operators):
    """Writes loops, those inside of expressions too."""

    def comprehension(self, node: Comprehension, each: str, start: str = "const $r = [];",
                      end: str = "return $r;") -> str:  # fmt: skip
        """Write a comprehension as loops; ``each`` is done with every element."""
        return self.loops(node.generators, lambda: each.format(self.write(node.elt)), start, end)

    def pairs(self, node: ast.DictComp) -> str:
        """Write the entries of a dictionary comprehension."""

        def entry() -> str:
            return f"$r.push([{self.write(node.key)}, {self.write(node.value)}])"

        return self.loops(node.generators, entry, "const $r = [];", "return $r;")

    def loops(
        self, generators: list[ast.comprehension], body: Callable[[], str], start: str, end: str
    ) -> str:
        """Write nested loops of a comprehension around a body, as a function called on the spot."""
        if not generators:
            return f"{body()};"
        return f"(() => {{ {start} {self.nested(generators, body)} {end} }})()"

    def nested(self, generators: list[ast.comprehension], body: Callable[[], str]) -> str:
        """Write the loops themselves."""
        if not generators:
            return f"{body()};"
        first = generators[0]
        head, names, numbers = self.loop_head(first.target, first.iter, "let")
        known = self.numbers
        self.numbers = (known - names) | numbers
        with self.scope(names):
            tests = " && ".join(self.test(one) for one in first.ifs)
            inner = self.nested(generators[1:], body)
        self.numbers = known
        return f"{head} {f'if ({tests}) ' if tests else ''}{{ {inner} }}"

    def loop_head(
        self, target: ast.expr, source: ast.expr, declare: str
    ) -> tuple[str, set[str], set[str]]:
        """Write the head of a loop; return it, the names it binds and those that are numbers."""
        names = {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}
        word = f"{declare} " if declare else ""
        counted = (
            isinstance(source, ast.Call)
            and isinstance(source.func, ast.Name)
            and source.func.id == "range"
            and len(source.args) < 3
            and isinstance(target, ast.Name)
            and declare
        )
        if counted and isinstance(source, ast.Call):
            ends = [self.write(one) for one in source.args]
            first, last = ends if len(ends) == 2 else ("0", ends[0])
            with self.scope(names):
                at = self.target(target)
            return f"for (let {at} = {first}, $n = {last}; {at} < $n; {at}++)", names, names
        iterated = f"$it({self.write(source)})"
        numbers = names if _is_call(source, "range") else set()
        if _is_call(source, "enumerate") and isinstance(target, ast.Tuple):
            numbers = {target.elts[0].id} if isinstance(target.elts[0], ast.Name) else set()
        with self.scope(names):
            pattern = self.target(target)
        return f"for ({word}{pattern} of {iterated})", names, numbers

    def target(self, node: ast.expr) -> str:
        """Write what is assigned to."""
        match node:
            case ast.Name():
                return identifier(node.id)
            case ast.Tuple() | ast.List():
                if any(isinstance(one, ast.Starred) for one in node.elts[:-1]):
                    raise self.refuse(node, "a starred target before another")
                return f"[{', '.join(self.target(one) for one in node.elts)}]"
            case ast.Starred():
                return f"...{self.target(node.value)}"
            case ast.Attribute():
                return f"{self.write(node.value)}.{node.attr}"
            case ast.Subscript(slice=ast.Constant(value=str(key))):
                return member(self.write(node.value), key)
        raise self.refuse(node, "a target of an assignment")


def member(value: str, key: str) -> str:
    """Write the entry of a dictionary that has words for keys."""
    return f"{value}.{key}" if key.isidentifier() else f"{value}[{json.dumps(key)}]"


def _is_call(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name

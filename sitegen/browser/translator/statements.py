"""Statements and functions of Python as those of JavaScript."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping

from sitegen.browser.translator.assignments import assignments, own_nodes, yields
from sitegen.browser.translator.calls import Calls
from sitegen.browser.translator.names import decorators, identifier, is_numeric, parameters_of


class Statements(Calls):
    """Writes functions and what they do."""

    def top_function(self, node: ast.FunctionDef, name: str) -> str:
        """Write a function of the top level."""
        marks = set(decorators(node))
        if marks - {"cache", "lru_cache"}:
            raise self.refuse(node, f"the decorators {marks}")
        star = "*" if yields(node) else ""
        whole = f"function{star} {name}{self.rest_of_function(node)}"
        if not marks:
            return whole
        inner = f"function{star} {self.rest_of_function(node)}"
        return f"const {name} = $cached({inner});"

    def rest_of_function(self, node: ast.FunctionDef, *, method: bool = False) -> str:
        """Write parameters and body of a function."""
        given = list(parameters_of(node))
        rest = node.args.vararg
        if node.args.kwarg or (rest is not None and node.args.kwonlyargs):
            raise self.refuse(node, "** among the parameters, or names behind *")
        if method and "staticmethod" not in decorators(node):
            given = given[1:]
        names = {one.arg for one in (*given, *((rest,) if rest else ()))}
        values: dict[str, list[ast.expr | None]] = {}
        for name, value in assignments(node.body):
            values.setdefault(name, []).append(value)
        local = names | set(values)
        known = self.numbers
        self.numbers = (known - local) | self.sure_numbers(given, values)
        defaults = self.defaults(node)
        with self.scope(local):
            parameters = ", ".join(
                identifier(one.arg) + (f" = {defaults[one.arg]}" if one.arg in defaults else "")
                for one in given
            )
            if rest is not None:
                parameters += f"{', ' if given else ''}...{identifier(rest.arg)}"
            body = self.block(node.body)
        self.numbers = known
        declared = sorted(identifier(name) for name in local - names)
        variables = f"let {', '.join(declared)}; " if declared else ""
        return f"({parameters}) {{ {variables}{body} }}"

    def defaults(self, node: ast.FunctionDef) -> dict[str, str]:
        """Write the defaults of parameters, by name."""
        plain = [*node.args.posonlyargs, *node.args.args]
        given = node.args.defaults
        pairs = list(zip(plain[len(plain) - len(given) :], given, strict=True))
        pairs += [
            (one, default)
            for one, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if default is not None
        ]
        return {one.arg: self.write(default) for one, default in pairs}

    def sure_numbers(
        self, given: Iterable[ast.arg], values: Mapping[str, list[ast.expr | None]]
    ) -> set[str]:
        """Return parameters annotated as numbers, and variables that are nothing else."""
        annotated = {one.arg for one in given if is_numeric(one.annotation)}
        known, found = self.numbers, annotated | set(values)
        with self.scope(set(values) | {one.arg for one in given}):
            while True:  # what is left when nothing contradicts any more
                self.numbers = found
                kept = {name for name in found if all(map(self._sure, values.get(name, ())))}
                if kept == found:
                    break
                found = kept
        self.numbers = known
        return found

    def _sure(self, value: ast.expr | None) -> bool:
        return value is not None and self.is_number(value)

    def block(self, body: Iterable[ast.stmt]) -> str:
        """Write statements."""
        return " ".join(self.statement(one) for one in body)

    def statement(self, node: ast.stmt) -> str:
        """Write a statement."""
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Assert():
                return ""
            case ast.Expr():
                return f"{self.write(node.value)};"
            case ast.Return():
                return f"return {self.write(node.value)};" if node.value else "return null;"
            case ast.Assign():
                return self.assignment(node)
            case ast.AnnAssign():
                if node.value is None:
                    return ""
                return f"{self.target(node.target)} = {self.initial(node)};"
            case ast.AugAssign():
                return self.changed(node)
            case ast.If():
                other = f" else {{ {self.block(node.orelse)} }}" if node.orelse else ""
                return f"if ({self.test(node.test)}) {{ {self.block(node.body)} }}{other}"
            case ast.For():
                return self.loop(node)
            case ast.While():
                return f"while ({self.test(node.test)}) {{ {self.block(node.body)} }}"
            case ast.Continue():
                return "continue;"
            case ast.Break():
                return "break;"
            case ast.Raise() if node.exc is not None:
                return f"throw {self.write(node.exc)};"
            case ast.FunctionDef():
                return self.inner_function(node)
            case ast.Try():
                return self.attempt(node)
            case ast.ImportFrom():
                return ""
        raise self.refuse(node, type(node).__name__)

    def attempt(self, node: ast.Try) -> str:
        """Write ``try`` with what is done about errors that are known by name."""
        if node.finalbody or any(one.name for one in node.handlers):
            raise self.refuse(node, "finally, or an error with a name")
        parts = []
        for one in node.handlers:
            kinds = one.type.elts if isinstance(one.type, ast.Tuple) else [one.type]
            names = json.dumps([ast.unparse(kind) for kind in kinds if kind is not None])
            parts.append(f"if ($caught($e, {names})) {{ {self.block(one.body)} }}")
        parts.append("throw $e;")
        tried = self.block([*node.body, *node.orelse])
        if len(parts) == 2 and not node.handlers[0].body:
            raise self.refuse(node, "an empty handler")
        caught = " else ".join([*parts[:-1], f"{{ {parts[-1]} }}"])
        return f"try {{ {tried} }} catch ($e) {{ {caught} }}"

    def initial(self, node: ast.AnnAssign) -> str:
        """Write a value whose type is said: a dictionary with words for keys is an object."""
        empty = isinstance(node.value, ast.Dict) and not node.value.keys
        if empty and ast.unparse(node.annotation).startswith(("dict[str,", "Record")):
            return "{}"
        return self.write(node.value) if node.value else "null"

    def assignment(self, node: ast.Assign) -> str:
        """Write an assignment to one or several targets."""
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
            return self.stored(node.targets[0], self.write(node.value))
        value = self.write(node.value)
        if isinstance(node.targets[0], ast.Tuple) and not isinstance(node.value, ast.Tuple):
            value = f"$it({value})"
        for target in reversed(node.targets):
            value = f"{self.target(target)} = {value}"
        return f"{value};"

    def stored(self, target: ast.Subscript, value: str) -> str:
        """Write what is put into a list or a dictionary."""
        return f"$put({self.write(target.value)}, {self.write(target.slice)}, {value});"

    def changed(self, node: ast.AugAssign) -> str:
        """Write ``+=`` and its like."""
        target = node.target
        if isinstance(target, ast.Subscript):
            plain = ast.Subscript(target.value, target.slice, ast.Load())
            ast.copy_location(plain, target)
            value = self.operation(ast.copy_location(ast.BinOp(plain, node.op, node.value), node))
            return self.stored(target, value)
        holder = ast.copy_location(
            ast.Name(target.id, ast.Load()) if isinstance(target, ast.Name)
            else ast.Attribute(target.value, target.attr, ast.Load()),
            target,
        )  # fmt: skip
        sure = self.is_number(holder) or self.is_number(node.value)
        if isinstance(node.op, ast.Add) and not sure:
            written = self.write(holder)
            return f"{written} = $extended({written}, {self.write(node.value)});"
        value = self.operation(ast.copy_location(ast.BinOp(holder, node.op, node.value), node))
        return f"{self.target(target)} = {value};"

    def loop(self, node: ast.For) -> str:
        """Write a loop; its variables belong to the function."""
        head, _, _ = self.loop_head(node.target, node.iter, "")
        body = self.block(node.body)
        if not node.orelse:
            return f"{head} {{ {body} }}"
        if any(isinstance(one, ast.For | ast.While) for one in own_nodes(node.body)):
            raise self.refuse(node, "a loop inside a loop that has an else")
        left = body.replace("break;", "break $else;")
        return f"$else: {{ {head} {{ {left} }} {self.block(node.orelse)} }}"

    def inner_function(self, node: ast.FunctionDef) -> str:
        """Write a function inside another; it sees what stands around it."""
        rest = self.rest_of_function(node)
        if yields(node):
            if self.itself and any(
                isinstance(one, ast.Name) and one.id in self.itself for one in ast.walk(node)
            ):
                raise self.refuse(node, "self in a generator inside a method")
            return f"{identifier(node.name)} = function* {rest};"
        return f"{identifier(node.name)} = {arrow(rest)};"


def arrow(rest: str) -> str:
    """Turn parameters and body into a function that sees what stands around it, ``this`` too."""
    depth = 0
    for at, character in enumerate(rest, 1):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return f"{rest[:at]} => {rest[at:]}"
    raise ValueError(rest)

"""Statements, functions and classes of Python as those of JavaScript."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator

from sitegen.javascript.calls import Calls
from sitegen.javascript.names import (
    base_names,
    decorators,
    fields_of,
    has_fields,
    identifier,
    is_enumeration,
    parameters_of,
)

NUMERIC = frozenset({"int", "float"})
FACTORIES = {"dict": "$dict([])", "list": "[]", "set": "$set([])"}


class Statements(Calls):
    """Writes one definition of a module's top level."""

    def definition_text(self, node: ast.stmt, name: str) -> str:
        """Write a definition under a name of its own."""
        if isinstance(node, ast.FunctionDef):
            return self.top_function(node, name)
        if isinstance(node, ast.ClassDef):
            return self.enumeration(node, name) if is_enumeration(node) else self.klass(node, name)
        if isinstance(node, ast.Assign):
            return f"const {name} = {self.write(node.value)};"
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return f"const {name} = {self.initial(node)};"
        raise self.refuse(node, "a definition")

    # -- functions -----------------------------------------------------------------------------

    def top_function(self, node: ast.FunctionDef, name: str) -> str:
        """Write a function of the top level."""
        marks = set(decorators(node))
        if marks - {"cache", "lru_cache"}:
            raise self.refuse(node, f"the decorators {marks}")
        star = "*" if _yields(node) else ""
        whole = f"function{star} {name}{self.rest_of_function(node)}"
        if not marks:
            return whole
        inner = f"function{star} {self.rest_of_function(node)}"
        return f"const {name} = $cached({inner});"

    def rest_of_function(self, node: ast.FunctionDef, *, method: bool = False) -> str:
        """Write parameters and body of a function."""
        given = list(parameters_of(node))
        if node.args.vararg or node.args.kwarg:
            raise self.refuse(node, "* or ** among the parameters")
        if method and "staticmethod" not in decorators(node):
            given = given[1:]
        names = {one.arg for one in given}
        local = names | set(_assigned(node.body))
        known = self.numbers
        self.numbers = (known - local) | self.sure_numbers(node, given)
        defaults = self.defaults(node)
        with self.scope(local):
            parameters = ", ".join(
                identifier(one.arg) + (f" = {defaults[one.arg]}" if one.arg in defaults else "")
                for one in given
            )
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

    def sure_numbers(self, node: ast.FunctionDef, given: Iterable[ast.arg]) -> set[str]:
        """Return parameters annotated as numbers, and variables that are nothing else."""
        annotated = {
            one.arg for one in given if one.annotation and ast.unparse(one.annotation) in NUMERIC
        }
        values: dict[str, list[ast.expr | None]] = {}
        for name, value in _assignments(node.body):
            values.setdefault(name, []).append(value)
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

    # -- statements ----------------------------------------------------------------------------

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
        raise self.refuse(node, type(node).__name__)

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
        if any(isinstance(one, ast.For | ast.While) for one in _own(node.body)):
            raise self.refuse(node, "a loop inside a loop that has an else")
        left = body.replace("break;", "break $else;")
        return f"$else: {{ {head} {{ {left} }} {self.block(node.orelse)} }}"

    def inner_function(self, node: ast.FunctionDef) -> str:
        """Write a function inside another; it sees what stands around it."""
        rest = self.rest_of_function(node)
        if _yields(node):
            if self.itself and any(
                isinstance(one, ast.Name) and one.id in self.itself for one in ast.walk(node)
            ):
                raise self.refuse(node, "self in a generator inside a method")
            return f"{identifier(node.name)} = function* {rest};"
        at = rest.index(") {") + 1 if not node.args.defaults else _end_of_parameters(rest)
        return f"{identifier(node.name)} = {rest[:at]} => {rest[at:]};"

    # -- classes -------------------------------------------------------------------------------

    def enumeration(self, node: ast.ClassDef, name: str) -> str:
        """Write an enumeration of strings: its members are the strings."""
        members = ", ".join(
            f"{one.targets[0].id}: {self.write(one.value)}"  # type: ignore[attr-defined]
            for one in node.body
            if isinstance(one, ast.Assign)
        )
        return f"const {name} = $enumeration({{{members}}});"

    def klass(self, node: ast.ClassDef, name: str) -> str:
        """Write a class."""
        bases = set(base_names(node)) - {"NamedTuple"}
        if bases:
            raise self.refuse(node, f"the bases {bases}")
        self._owner = node
        parts = [self.constructor(node)] if has_fields(node) else []
        for one in node.body:
            if isinstance(one, ast.FunctionDef):
                parts.append(self.class_function(one))
        self._owner = None
        text = f"class {name} extends $Object {{ {' '.join(part for part in parts if part)} }}"
        if not has_fields(node):
            return text
        names = [one.target.id for one in fields_of(node)]  # type: ignore[union-attr]
        equal = "eq=False" not in "".join(ast.unparse(one) for one in node.decorator_list)
        return f"{text} $fields({name}, {json.dumps(names)}, {str(equal).lower()});"

    def constructor(self, node: ast.ClassDef) -> str:
        """Write the constructor of a class with fields."""
        parameters, body = [], []
        for one in fields_of(node):
            name = one.target.id  # type: ignore[union-attr]
            default = f" = {self.field_default(one.value)}" if one.value is not None else ""
            parameters.append(f"{identifier(name)}{default}")
            body.append(f"this.{name} = {identifier(name)};")
        if any(
            isinstance(one, ast.FunctionDef) and one.name == "__post_init__" for one in node.body
        ):
            body.append("this.__post_init__();")
        return f"constructor({', '.join(parameters)}) {{ super(); {' '.join(body)} }}"

    def field_default(self, node: ast.expr) -> str:
        """Write a field's default."""
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "field":
            for keyword in node.keywords:
                if keyword.arg == "default_factory":
                    factory = ast.unparse(keyword.value)
                    return FACTORIES.get(factory) or f"new {self.write(keyword.value)}()"
                if keyword.arg == "default":
                    return self.write(keyword.value)
            raise self.refuse(node, "a field")
        return self.write(node)

    def class_function(self, node: ast.FunctionDef) -> str:
        """Write a method, a property or a way to make one; what pickles is left out."""
        marks = set(decorators(node))
        if node.name.startswith("__") and node.name not in {"__init__", "__post_init__"}:
            return ""
        static = marks & {"classmethod", "staticmethod"}
        if marks - {"classmethod", "staticmethod", "property"}:
            raise self.refuse(node, f"the decorators {marks}")
        known = self.itself
        self.itself = () if "staticmethod" in marks else (node.args.args[0].arg,)
        rest = self.rest_of_function(node, method=True)
        self.itself = known
        if node.name == "__init__":
            return (
                "constructor" + rest.replace("{", "{ super();", 1)
                if _no_brace_before_body(rest)
                else _refuse_constructor(self, node)
            )
        word = "static " if static else "get " if "property" in marks else ""
        return f"{word}{'*' if _yields(node) else ''}{node.name}{rest}"


def _no_brace_before_body(rest: str) -> bool:
    return "{" not in rest[: rest.index(") {")]


def _refuse_constructor(writer: Statements, node: ast.FunctionDef) -> str:
    raise writer.refuse(node, "a constructor whose defaults are objects")


def _end_of_parameters(rest: str) -> int:
    depth = 0
    for at, character in enumerate(rest):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return at + 1
    raise ValueError(rest)


def _own(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Walk statements without the functions inside them."""
    for node in nodes:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            yield from _own(ast.iter_child_nodes(node))


def _yields(node: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Yield | ast.YieldFrom) for one in _own(node.body))


COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _assigned(body: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that a function's body assigns to, comprehensions' own left out."""
    for name, _ in _assignments(body):
        yield name


def _assignments(body: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield names with what is assigned to them, ``None`` where that is a part of something."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, None
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, COMPREHENSIONS):
            yield from _walrus(node)
            continue
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _bound(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            yield from _bound(node.target, node.value)
        elif isinstance(node, ast.For):
            whole = node.iter if isinstance(node.target, ast.Name) and _counts(node.iter) else None
            yield from _bound(node.target, ast.Constant(0) if whole is not None else None)
        yield from _assignments(ast.iter_child_nodes(node))


def _walrus(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    for one in ast.walk(node):
        if isinstance(one, ast.NamedExpr):
            yield one.target.id, None


def _counts(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"
    )


def _bound(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple | ast.List):
        for one in target.elts:
            yield from _bound(one, None)
    elif isinstance(target, ast.Starred):
        yield from _bound(target.value, None)

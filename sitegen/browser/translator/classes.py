"""Definitions of a module's top level: classes, enumerations, functions, constants."""

from __future__ import annotations

import ast
import json

from sitegen.browser.translator.assignments import yields
from sitegen.browser.translator.names import (
    GETTERS,
    base_names,
    decorators,
    fields_of,
    has_fields,
    identifier,
    is_enumeration,
)
from sitegen.browser.translator.statements import Statements, arrow

FACTORIES = {"dict": "$dict([])", "list": "[]", "set": "$set([])"}


class Definitions(Statements):
    """Writes one definition."""

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

    def enumeration(self, node: ast.ClassDef, name: str) -> str:
        """Write an enumeration of strings: its members are the strings."""
        members = ", ".join(
            f"{ast.unparse(one.targets[0])}: {self.write(one.value)}"
            for one in node.body
            if isinstance(one, ast.Assign)
        )
        return f"const {name} = $enumeration({{{members}}});"

    def klass(self, node: ast.ClassDef, name: str) -> str:
        """Write a class."""
        above = self.base(node)
        self._owner = node
        parts = [self.constructor(node)] if has_fields(node) else []
        for one in node.body:
            if isinstance(one, ast.FunctionDef):
                parts.append(self.class_function(one))
        self._owner = None
        text = f"class {name} extends {above} {{ {' '.join(part for part in parts if part)} }}"
        if not has_fields(node):
            return text
        names = [ast.unparse(one.target) for one in fields_of(node)]
        equal = "eq=False" not in "".join(ast.unparse(one) for one in node.decorator_list)
        return f"{text} $fields({name}, {json.dumps(names)}, {str(equal).lower()});"

    def base(self, node: ast.ClassDef) -> str:
        """Write the class that a class extends: the runtime's, or one of ours without fields."""
        bases = [base for base in node.bases if ast.unparse(base) != "NamedTuple"]
        if not bases:
            return "$Object"
        found = self.definition(bases[0])
        above = self.program.modules[found[0]].defined[found[1]] if found else None
        if found is None or len(bases) > 1 or not isinstance(above, ast.ClassDef):
            raise self.refuse(node, f"the bases {', '.join(base_names(node))}")
        if has_fields(above) or above.bases:
            raise self.refuse(node, f"fields or bases of the base {found[1]}")
        return self.use(found)

    def constructor(self, node: ast.ClassDef) -> str:
        """Write the constructor of a class with fields."""
        parameters, body = [], []
        for one in fields_of(node):
            name = ast.unparse(one.target)
            if _made_later(one.value):
                continue
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
        if marks - {"classmethod", "staticmethod", *GETTERS}:
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
        if "cached_property" in marks:
            rest = f"() {{ return $kept(this, {json.dumps(node.name)}, {arrow(rest)}); }}"
        word = "static " if static else "get " if marks & GETTERS else ""
        return f"{word}{'*' if yields(node) else ''}{node.name}{rest}"


def _made_later(value: ast.expr | None) -> bool:
    """Whether a field is none of the constructor's."""
    return isinstance(value, ast.Call) and any(
        one.arg == "init" and ast.unparse(one.value) == "False" for one in value.keywords
    )


def _no_brace_before_body(rest: str) -> bool:
    return "{" not in rest[: rest.index(") {")]


def _refuse_constructor(writer: Definitions, node: ast.FunctionDef) -> str:
    raise writer.refuse(node, "a constructor whose defaults are objects")

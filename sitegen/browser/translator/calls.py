"""Calls: keywords take their place among the parameters, since JavaScript knows none."""

from __future__ import annotations

import ast
import json

from sitegen.browser.translator.expressions import Expressions
from sitegen.browser.translator.names import (
    Signature,
    class_signature,
    is_enumeration,
    signature_of,
)
from sitegen.browser.translator.natives import BUILTINS, EXCEPTIONS, LIBRARY, METHODS, OF_PATTERNS


class Calls(Expressions):
    """Writes calls of functions, constructors, methods and what Python has built in."""

    _owner: ast.ClassDef | None = None

    def signature(self, node: ast.Call) -> Signature | None:
        """Return the parameters of what is called, where it is a definition."""
        found = self.definition(node.func)
        if found is None:
            return None
        statement = self.program.modules[found[0]].defined[found[1]]
        if isinstance(statement, ast.FunctionDef):
            return signature_of(statement)
        return class_signature(statement) if isinstance(statement, ast.ClassDef) else None

    def call(self, node: ast.Call) -> str:
        """Write a call."""
        function = node.func
        if isinstance(function, ast.Name) and not self.is_local(function.id):
            if function.id in EXCEPTIONS and function.id not in self.module.defined:
                return f"$error({json.dumps(function.id)}, {self.listed(node.args)})"
            if function.id in BUILTINS and not self.dotted(function):
                return self.built_in(node, function.id)
        dotted = self.dotted(function)
        if dotted in {"functools.lru_cache", "lru_cache"}:
            return "$cached"
        if dotted in LIBRARY:
            return self.library(node, dotted)
        if dotted in {"dataclasses.field"}:
            raise self.refuse(node, "field() outside a dataclass")
        found = self.definition(function)
        if found is not None:
            statement = self.program.modules[found[0]].defined[found[1]]
            if isinstance(statement, ast.ClassDef) and is_enumeration(statement):
                return f"$member({self.use(found)}, {self.listed(node.args)})"
            arguments = self.arguments(node, self.signature(node))
            maker = "new " if isinstance(statement, ast.ClassDef) else ""
            return f"{maker}{self.use(found)}({arguments})"
        if isinstance(function, ast.Name) and function.id in self.itself:  # cls(...)
            return f"new this({self.arguments(node, self.own_constructor())})"
        if isinstance(function, ast.Attribute):
            return self.method(node, function)
        return f"{self.write(function)}({self.arguments(node, None)})"

    def own_constructor(self) -> Signature | None:
        """Return the parameters of the class that is being written."""
        return class_signature(self._owner) if self._owner else None

    def own_method(self, function: ast.Attribute) -> tuple[Signature, ...]:
        """Return the parameters of a method of the class that is being written."""
        if not (isinstance(function.value, ast.Name) and function.value.id in self.itself):
            return ()
        body = self._owner.body if self._owner else []
        return tuple(
            signature_of(one, method=True)
            for one in body
            if isinstance(one, ast.FunctionDef) and one.name == function.attr
        )

    def arguments(self, node: ast.Call, signature: Signature | None) -> str:
        """Write the arguments in the order of the parameters."""
        written = [self.write(one) for one in node.args]
        if not node.keywords:
            return ", ".join(written)
        if signature is None:
            raise self.refuse(node, f"keywords of an unknown function: {ast.unparse(node)[:60]}")
        places = dict.fromkeys(signature.parameters[len(written) :], "undefined")
        for keyword in node.keywords:
            if keyword.arg not in places:
                raise self.refuse(node, f"the keyword {keyword.arg}")
            places[keyword.arg] = self.write(keyword.value)
        written += places.values()
        while written[-1] == "undefined":
            written.pop()
        return ", ".join(written)

    def method(self, node: ast.Call, function: ast.Attribute) -> str:
        """Write a call of a method: of an object of ours, or of a built-in type."""
        name = function.attr
        if name == "_replace":
            return self.replaced(self.write(function.value), node.keywords)
        known = tuple(
            one
            for one in self.own_method(function) or self.program.methods.get(name, ())
            if {keyword.arg for keyword in node.keywords} <= set(one.parameters)
        )
        value = self.write(function.value)
        if name in METHODS:
            arguments = ", ".join([value, *(self.write(one) for one in node.args)])
            if not self.program.methods.get(name):
                return f"$m.{name}({arguments})"
            own = self.arguments(node, _agreed(known) if node.keywords else None)
            plain = f"$m.{name}({arguments})"
            return f"({value} instanceof $Object ? {value}.{name}({own}) : {plain})"
        if name in OF_PATTERNS and name not in self.program.methods:
            return f"{value}.{name}({self.listed(node.args)})"
        if name not in self.program.methods and name not in self.program.fields:
            raise self.refuse(node, f"the method '{name}', which no class defines")
        agreed = None
        if node.keywords:
            agreed = _agreed(known)
            if agreed is None:
                raise self.refuse(node, f"keywords of '{name}', which no class or several define")
        return f"{value}.{name}({self.arguments(node, agreed)})"

    def replaced(self, value: str, keywords: list[ast.keyword]) -> str:
        """Write a copy with other fields."""
        changes = ", ".join(f"{one.arg}: {self.write(one.value)}" for one in keywords)
        return f"$replace({value}, {{{changes}}})"

    def library(self, node: ast.Call, dotted: str) -> str:
        """Write a call of a function of the standard library."""
        name = LIBRARY[dotted]
        if name == "$replace":
            return self.replaced(self.write(node.args[0]), node.keywords)
        keywords = [
            self.write(one.value)
            for one in node.keywords
            if one.arg in {"key", "indent", "maxsplit", "n"}
        ]
        if len(keywords) < len(node.keywords):
            raise self.refuse(node, f"a keyword of {dotted}")
        written = [self.write(one) for one in node.args]
        return f"{name}({', '.join([*written, *keywords])})"

    def built_in(self, node: ast.Call, name: str) -> str:
        """Write a call of a built-in function."""
        keywords = {one.arg: self.write(one.value) for one in node.keywords if one.arg}
        if any(one.arg is None for one in node.keywords):
            raise self.refuse(node, "** in a call")
        if name in {"any", "all"} and isinstance(node.args[0], ast.GeneratorExp):
            return self.searched(node.args[0], name)
        if name == "next" and isinstance(node.args[0], ast.GeneratorExp):
            other = self.write(node.args[1])
            return self.comprehension(node.args[0], "return {}", "", f"return {other};")
        if name in {"min", "max"}:
            return self.best(node, name, keywords)
        if name == "isinstance":
            kinds = ", ".join(self.kinds(node.args[1]))
            return f"$isinstance({self.write(node.args[0])}, [{kinds}])"
        if name == "dict" and keywords:
            raise self.refuse(node, "dict() with keywords")
        keywords.pop("strict", None)
        written = [self.write(one) for one in node.args]
        if name == "sorted":
            written += [keywords.pop("key", "null"), keywords.pop("reverse", "false")]
        if keywords:
            raise self.refuse(node, f"keywords of {name}")
        return f"{BUILTINS[name]}({', '.join(written)})"

    def searched(self, node: ast.GeneratorExp, name: str) -> str:
        """Write ``any`` and ``all`` as loops that end early."""
        some = name == "any"
        return self.loops(
            node.generators,
            lambda: f"if ({'' if some else '!'}{self.test(node.elt)}) return {str(some).lower()}",
            "",
            f"return {str(not some).lower()};",
        )

    def best(self, node: ast.Call, name: str, keywords: dict[str, str]) -> str:
        """Write ``min`` and ``max``, of arguments or of what can be iterated."""
        sign = BUILTINS[name]
        if len(node.args) > 1:
            if not keywords:
                return f"{sign}({self.listed(node.args)})"
            node = ast.copy_location(
                ast.Call(node.func, [ast.List(node.args, ast.Load())], node.keywords), node
            )
        only = node.args[0]
        many = self.write(only)
        if isinstance(only, ast.Starred):
            many = f"[{many}]"
        key, default = keywords.get("key", "null"), keywords.get("default", "undefined")
        return f"{sign}Of({many}, {key}, {default})"

    def kinds(self, node: ast.expr) -> list[str]:
        """Write the types of ``isinstance``."""
        if isinstance(node, ast.BinOp):
            return [*self.kinds(node.left), *self.kinds(node.right)]
        if isinstance(node, ast.Tuple):
            return [kind for one in node.elts for kind in self.kinds(one)]
        return [self.write(node)]


def _agreed(known: tuple[Signature, ...]) -> Signature | None:
    """Return the parameters of a method of which all of that name have the same."""
    several = {one.parameters for one in known}
    return known[0] if len(several) == 1 else None

"""Expressions of Python as expressions of JavaScript."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from sitegen.javascript.names import Module, Program, Signature, TranslationError, identifier
from sitegen.javascript.natives import BUILTINS, LIBRARY, METHODS

ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
GENERIC = {ast.Lt: "$lt", ast.LtE: "$le", ast.Gt: "$gt", ast.GtE: "$ge"}
SETS = {ast.Sub: "$without", ast.BitOr: "$union", ast.BitAnd: "$common"}
Comprehension = ast.ListComp | ast.GeneratorExp | ast.SetComp


class Expressions:
    """Writes the expressions of one definition; remembers which other definitions they name."""

    def __init__(
        self, program: Program, module: Module, mangled: dict[tuple[str, str], str]
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

    # -- names ---------------------------------------------------------------------------------

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

    # -- kinds of values -----------------------------------------------------------------------

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
            if isinstance(node.func, ast.Name) and node.func.id in {"len", "int", "abs", "float"}:
                return not self.is_local(node.func.id)
            found = self.signature(node)
            return found is not None and found.returns in {"int", "float"}
        return False

    def signature(self, node: ast.Call) -> Signature | None:
        """Return the parameters of what is called, where that is known."""
        raise NotImplementedError

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

    # -- all of them ---------------------------------------------------------------------------

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

    def call(self, node: ast.Call) -> str:
        """Write a call."""
        raise NotImplementedError

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
            return self.member(value, key.value)
        if isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.USub):
            return f"{value}.at({self.write(key)})"
        if self.is_number(key):
            return f"$at({value}, {self.write(key)})"
        return f"$item({value}, {self.write(key)})"

    @staticmethod
    def member(value: str, key: str) -> str:
        """Write the entry of a dictionary that has words for keys."""
        return f"{value}.{key}" if key.isidentifier() else f"{value}[{json.dumps(key)}]"

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
        if kind is ast.Mult and any(isinstance(side, ast.List | ast.Tuple) for side in sides):
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

    def compared(self, one: ast.expr, operator: ast.cmpop, other: ast.expr) -> str:
        """Write one comparison."""
        left, right = self.write(one), self.write(other)
        kind = type(operator)
        if kind in {ast.Is, ast.IsNot}:
            loose = any(
                isinstance(side, ast.Constant) and side.value is None for side in (one, other)
            )
            sign = "==" if loose else "==="
            return f"({left} {'!' + sign[1:] if kind is ast.IsNot else sign} {right})"
        if kind in {ast.In, ast.NotIn}:
            return f"{'!' if kind is ast.NotIn else ''}$in({left}, {right})"
        plain = any(self.is_number(side) or isinstance(side, ast.Constant) for side in (one, other))
        if kind in {ast.Eq, ast.NotEq}:
            if plain:
                return f"({left} {'===' if kind is ast.Eq else '!=='} {right})"
            return f"{'!' if kind is ast.NotEq else ''}$eq({left}, {right})"
        if plain:
            return f"({left} {COMPARED[kind]} {right})"
        return f"{GENERIC[kind]}({left}, {right})"

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
                return f"[{', '.join(self.target(one) for one in node.elts)}]"
            case ast.Starred():
                return f"...{self.target(node.value)}"
            case ast.Attribute():
                return f"{self.write(node.value)}.{node.attr}"
            case ast.Subscript(slice=ast.Constant(value=str(key))):
                return self.member(self.write(node.value), key)
        raise self.refuse(node, "a target of an assignment")

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


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_call(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name

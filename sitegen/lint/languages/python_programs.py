"""Programs that start engines: Ray Serve applications, offline engines, web servers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from sitegen.catalog.text.source_text import line_starts
from sitegen.lint.languages.configurations import replica, script_of
from sitegen.lint.languages.markdown import snippets_of_block
from sitegen.lint.languages.plain_text import PROGRAMS, guessed
from sitegen.lint.launches import Form, Launch, Setting, of_tree, tree_setting
from sitegen.lint.options import OptionTable
from sitegen.lint.scene import Deployment, FileModel, Keywords, Misplaced
from sitegen.lint.script import whole_number
from sitegen.lint.snippets import Snippet, Spot
from sitegen.lint.trees import Tree, amount, of_keywords, of_python, place
from sitegen.recipes.recipe import Language

ENGINES = {"LLM", "vllm.LLM"}
ARGUMENTS = {"AsyncEngineArgs", "EngineArgs"}
METHODS = frozenset({"get", "post", "put", "delete", "patch", "route", "websocket", "api_route"})
SERVERS = frozenset({"FastAPI", "Flask", "Starlette", "APIRouter", "Sanic", "Quart"})
_KEY = re.compile(r"(?m)^[ \t]*(?:- )?[A-Za-z_][\w.-]*:(?:[ \t]+[^\n]*)?$")
"""A line of YAML that gives a key."""
FEWEST_KEYS = 3
_STARTS = re.compile(PROGRAMS)
INSERTED = "$____"
"""What stands for a value that a program puts into a text; nobody sets it."""
MOST_NODES = 50_000


def read_program(
    scene: FileModel, snippet: Snippet, tables: Mapping[str, OptionTable]
) -> Iterator[Snippet]:
    """Take the engines and deployments of a program; yield configurations that it holds."""
    try:
        tree = ast.parse(snippet.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    program = _Program(scene, snippet, tree, tables)
    yield from program.run()
    yield from program.texts()


def written(node: ast.expr) -> str:
    """Write an expression as a program has it; empty for one that is too deep to be a name."""
    try:
        return ast.unparse(node)
    except RecursionError:
        return ""


def _text(node: ast.AST) -> str:
    """Return the text of a string, with a variable of the shell for what is put in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(one) for one in node.values)
    if isinstance(node, ast.FormattedValue):
        return INSERTED
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _language(text: str) -> Language | None:
    """Say what a text of many lines is, where it may start something: a script, or YAML."""
    if len(_KEY.findall(text)) >= FEWEST_KEYS and _STARTS.search(text):
        return Language.YAML
    return Language.BASH if guessed(text) is Language.BASH else None


class _Program:
    def __init__(
        self,
        scene: FileModel,
        snippet: Snippet,
        tree: ast.Module,
        tables: Mapping[str, OptionTable],
    ) -> None:
        self.scene, self.snippet, self.tables = scene, snippet, tables
        self.lines = snippet.text.split("\n")
        self.starts = line_starts(snippet.text)
        self.nodes = []
        for node in ast.walk(tree):
            self.nodes.append(node)
            if len(self.nodes) > MOST_NODES:
                break
        self.from_vllm = self._imported("vllm")
        self.constants = self._constants(tree)

    def texts(self) -> Iterator[Snippet]:
        """Yield the scripts that a program writes or hands to a shell, as texts of many lines."""
        pieces = {
            id(piece) for n in self.nodes if isinstance(n, ast.JoinedStr) for piece in n.values
        }
        for node in self.nodes:
            text = "" if id(node) in pieces else _text(node)
            if not isinstance(node, ast.Constant | ast.JoinedStr):
                continue
            if "```" in text and _STARTS.search(text):
                yield from self._page(node, text)
            elif "\n" in text and (language := _language(text)) is not None:
                start = place(node.lineno, node.col_offset, self.starts, self.lines)
                end = place(
                    node.end_lineno or node.lineno,
                    node.end_col_offset or 0,
                    self.starts,
                    self.lines,
                )
                for script in script_of(self.snippet, start, end, text):
                    around = replace(script.around, quoted=True)
                    yield replace(script, language=language, around=around)

    def _page(self, node: ast.Constant | ast.JoinedStr, text: str) -> Iterator[Snippet]:
        """Yield the code of a text that is Markdown, as many begin a program with."""
        start = place(node.lineno, node.col_offset, self.starts, self.lines)
        source = self.snippet.source
        line = source.text.count("\n", 0, self.snippet.index(start))
        yield from snippets_of_block(source, text, line, self.snippet.around)

    def _imported(self, module: str) -> set[str]:
        found = {f"{module}.LLM"} if any(self._imports(n, module) for n in self.nodes) else set()
        for node in self.nodes:
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == module:
                found |= {alias.asname or alias.name for alias in node.names}
        return found

    @staticmethod
    def _imports(node: ast.AST, module: str) -> bool:
        return isinstance(node, ast.Import) and any(a.name == module for a in node.names)

    @staticmethod
    def _constants(tree: ast.Module) -> dict[str, ast.expr]:
        """Names that the program sets once, at its top."""
        found: dict[str, ast.expr] = {}
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if isinstance(node.value, ast.Constant | ast.Dict | ast.List):
                    found[name] = node.value
                else:
                    found.pop(name, None)
        return found

    def at(self, node: ast.expr | ast.stmt) -> Spot:
        """Place of a node."""
        return Spot(self.snippet, place(node.lineno, node.col_offset, self.starts, self.lines))

    def value(self, node: ast.expr) -> Tree:
        """Value of an expression, constants of the program looked up."""
        if isinstance(node, ast.Name) and node.id in self.constants:
            return of_python(self.constants[node.id], self.starts, self.lines)
        return of_python(node, self.starts, self.lines)

    def keywords(self, call: ast.Call) -> Tree:
        """Keywords of a call as a mapping; ``**`` of a known mapping is opened."""
        tree = of_keywords(call, self.starts, self.lines)
        fields, keys, whole = dict(tree.fields), dict(tree.keys), True
        for one in call.keywords:
            if one.arg is not None and isinstance(one.value, ast.Name):
                fields[one.arg] = self.value(one.value)
            elif one.arg is None:
                opened = self.value(one.value)
                fields |= opened.fields
                keys |= opened.keys
                whole = whole and opened.kind == "mapping"
        return Tree(tree.start, tree.end, fields=fields, keys=keys, kind="mapping", known=whole)

    def run(self) -> Iterator[Snippet]:
        """Take everything of the program."""
        servers = list(self._servers())
        inside = {id(n): s for s, node in servers for n in ast.walk(node)}
        engines: dict[str, ast.Call] = {}
        for node in self.nodes:
            if isinstance(node, ast.Call):
                name = written(node.func)
                if name in ENGINES & self.from_vllm:
                    self._engine(node, inside.get(id(node), ""))
                elif name in ARGUMENTS & self.from_vllm:
                    self._arguments(node)
                elif name.split(".")[-1] == "LLMConfig":
                    tree = self.keywords(node)
                    if "engine_kwargs" in tree.fields or "model_loading_config" in tree.fields:
                        fields = {"engine_kwargs": Tree(tree.start, tree.start), **tree.fields}
                        replica(
                            self.scene, self.snippet,
                            Tree(tree.start, tree.end, fields=fields, keys=tree.keys,
                                 kind="mapping"),
                            self.tables,
                        )  # fmt: skip
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                target = node.targets[0]
                if written(node.value.func) in ENGINES & self.from_vllm:
                    engines[written(target)] = node.value
            elif isinstance(node, ast.Constant):
                yield from self._embedded(node)
        self._used(engines, servers, inside)
        self._deployments()

    def _embedded(self, node: ast.Constant) -> Iterator[Snippet]:
        """Yield the configuration of a replica that a string holds."""
        text = node.value
        if isinstance(text, str) and "engine_kwargs:" in text:
            begin = place(node.lineno, node.col_offset, self.starts, self.lines)
            start = self.snippet.text.find(text, begin)
            if start >= 0:
                yield self.snippet.part(start, start + len(text), Language.YAML)

    def _engine(self, call: ast.Call, server: str) -> None:
        tree = self.keywords(call)
        self.scene.keywords.append(Keywords("vllm", tree, self.snippet))
        settings = of_tree(self.snippet, "vllm", tree, self.tables["vllm"])
        if call.args:
            settings["model"] = tree_setting(self.snippet, self.value(call.args[0]))
        found = Launch("vllm", Form.OFFLINE, settings, self.at(call))
        self.scene.launches.append(found)
        if server:
            self.scene.misplaced.append(Misplaced(server, self.at(call)))

    def _arguments(self, call: ast.Call) -> None:
        tree = self.keywords(call)
        self.scene.keywords.append(Keywords("vllm", tree, self.snippet))
        settings = of_tree(self.snippet, "vllm", tree, self.tables["vllm"])
        self.scene.launches.append(Launch("vllm", Form.OFFLINE, settings, self.at(call)))

    def _servers(self) -> Iterator[tuple[str, ast.AST]]:
        """Yield what serves requests: deployments of Ray Serve, handlers of web frameworks."""
        apps = {
            written(n.targets[0])
            for n in self.nodes
            if isinstance(n, ast.Assign)
            and isinstance(n.value, ast.Call)
            and written(n.value.func).split(".")[-1] in SERVERS
        }
        for node in self.nodes:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            for decorator in node.decorator_list:
                text = written(decorator.func if isinstance(decorator, ast.Call) else decorator)
                owner, _, method = text.rpartition(".")
                if text.endswith("serve.deployment"):
                    yield f"the Ray Serve deployment {node.name}", node
                elif owner in apps and method in METHODS:
                    yield f"the request handler {node.name}", node

    def _used(
        self, engines: Mapping[str, ast.Call], servers: list[tuple[str, ast.AST]],
        inside: Mapping[int, str],
    ) -> None:  # fmt: skip
        """Report engines of the module that a handler asks."""
        for name, call in engines.items():
            if inside.get(id(call)):
                continue
            for server, node in servers:
                asked = any(
                    isinstance(n, ast.Call)
                    and written(n.func) in {f"{name}.generate", f"{name}.chat"}
                    for n in ast.walk(node)
                )
                if asked:
                    self.scene.misplaced.append(Misplaced(server, self.at(call)))
                    break

    def _deployments(self) -> None:
        """Take what deployments of Ray Serve reserve for the engines inside them."""
        for node in self.nodes:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef):
                continue
            for decorator in node.decorator_list:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if written(called).endswith("serve.deployment"):
                    self._deployment(node, decorator)

    def _deployment(self, node: ast.ClassDef | ast.FunctionDef, decorator: ast.expr) -> None:
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        launch = next(
            (
                one
                for one in self.scene.launches
                if one.snippet is self.snippet
                and one.form is Form.OFFLINE
                and self.snippet.text.count("\n", 0, one.place.index) + 1 in lines
            ),
            None,
        )
        tree = Tree(0, 0, kind="mapping")
        if isinstance(decorator, ast.Call):
            tree = self.keywords(decorator)
        gpus = tree.at("ray_actor_options", "num_gpus")
        bundles = tree.at("placement_group_bundles")
        replicas = tree.at("num_replicas")
        setting: Setting | None = None
        if replicas is not None and whole_number(replicas.text()) is not None:
            setting = tree_setting(self.snippet, replicas)
        if bundles is not None and bundles.kind == "list":
            amounts = tuple(amount(one.at("GPU")) for one in bundles.items)
            here = Spot(self.snippet, bundles.start)
            self.scene.deployments.append(
                Deployment(node.name, sum(amounts), here, setting, launch, "", amounts)
            )
            return
        if gpus is not None and not gpus.known:
            return
        here = self.at(decorator) if gpus is None else Spot(self.snippet, gpus.start)
        reserved = None if gpus is None and not tree.known else amount(gpus)
        self.scene.deployments.append(Deployment(node.name, reserved, here, setting, launch))

"""From a file to a scene: every snippet read in its language, variables carried along."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import pairwise

from sitegen.catalog.text.source_text import SourceText
from sitegen.lint import launches, programs
from sitegen.lint.known_programs import reads_variables
from sitegen.lint.languages import shell
from sitegen.lint.languages.configurations import note_map, read_tree
from sitegen.lint.languages.dockerfile import snippets_of_dockerfile
from sitegen.lint.languages.html import snippets_of_html
from sitegen.lint.languages.markdown import snippets_of_markdown
from sitegen.lint.languages.plain_text import (
    commands_of_text,
    guessed,
    is_configuration,
    snippets_of_text,
)
from sitegen.lint.languages.python_programs import read_program
from sitegen.lint.languages.templates import documents
from sitegen.lint.languages.windows import as_shell
from sitegen.lint.launches import HIDERS, Setting, devices
from sitegen.lint.options import OptionTable
from sitegen.lint.scene import PORT, Broken, FileModel, PublishedPort, Variable
from sitegen.lint.script import Command, Fault, HereDocument, Script, Word
from sitegen.lint.snippets import Snippet, Spot, Surroundings, without
from sitegen.lint.trees import of_yaml
from sitegen.lint.versions import pinned_versions, told_versions
from sitegen.recipes.recipe import Language
from sitegen.values import dataclass

SUFFIXES: Mapping[str, str] = {
    **dict.fromkeys(("md", "markdown", "mdx"), "markdown"),
    **dict.fromkeys(("html", "htm", "xhtml"), "html"),
    **dict.fromkeys(("sh", "bash", "zsh", "fish", "ps1", "bat", "cmd"), "bash"),
    **dict.fromkeys(("yaml", "yml"), "yaml"),
    "json": "json",
    "py": "python",
    **dict.fromkeys(("service", "ini", "conf"), "ini"),
    **dict.fromkeys(("txt", "text", "rst"), "text"),
}
"""How a file is read, by the end of its name."""
_EXEC = re.compile(r"^Exec(?:Start)?[ \t]*=[ \t]*((?:[^\n\\]|\\\n|\\.)*)", re.MULTILINE)
_SECTIONS = re.compile(
    r"(?:[ \t]*(?:[#;][^\n]*)?\n){0,40}\[(?:Unit|Service|Container|supervisord|program:[^\]\n]*)\]"
)
"""How a unit of systemd or a file of Supervisor begins."""
_SECTION = re.compile(
    r"^\[(program:[^\]\n]*|supervisord)\][^\n]*((?:\n(?!\[)[^\n]*)*)", re.MULTILINE
)
"""A section of Supervisor's, with its lines."""
_SUPERVISED = re.compile(
    r"^(command|environment)[ \t]*=[ \t]*([^\n]*(?:\n[ \t]+\S[^\n]*)*)", re.MULTILINE
)
"""The command of a program that Supervisor runs, and its variables; indented lines go on with it.

Source:
    https://supervisord.org/configuration.html, read 2026-11-24.
"""
_PAIR = re.compile(r"([A-Za-z_]\w*)[ \t]*=[ \t]*(?:\"([^\"\n]*)\"|'([^'\n]*)'|([^,;\s\"']*))")
"""A variable in Supervisor's list of them, its value in quotes or without."""
_IN_FRONT = re.compile(r"^nodaemon[ \t]*=[ \t]*true", re.MULTILINE | re.IGNORECASE)
"""Supervisor that does not leave its terminal: the first process of a container."""
_FIRST = re.compile(r"(?:^|/)(?:docker[\w.-]*|containers?)/[^/]*\.sh$|entry-?_?point[^/]*\.sh$")
"""A script that a container runs, by its name or its folder."""
_PYTHON = re.compile(r"python[\d.]*")
_EXPANDED = re.compile(r"%\(\w+\)[sd]")
"""What Supervisor puts in; as a variable of the shell that nobody sets, it is as long."""
_ENVIRONMENT = re.compile(r"^Environment[ \t]*=[ \t]*(.*)$", re.MULTILINE)
_IMAGE = re.compile(r"^\[Container\](?:\n(?!\[)[^\n]*)*?\nImage[ \t]*=[ \t]*(\S+)", re.MULTILINE)
"""The image of a container that systemd runs (``podman-systemd.unit``)."""
_ENTRY = re.compile(r"^Entrypoint[ \t]*=", re.MULTILINE)
_PARAMETER = re.compile(r"^[ \t]*PARAMETER[ \t]+([\w.]+)", re.MULTILINE | re.IGNORECASE)
_MADE_FROM = re.compile(r"^[ \t]*FROM[ \t]+(\S+)", re.MULTILINE | re.IGNORECASE)
_CONTEXT = re.compile(r"^[ \t]*PARAMETER[ \t]+num_ctx[ \t]+(\d+)", re.MULTILINE | re.IGNORECASE)
_OF_OLLAMA = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n){0,40}[ \t]*FROM[ \t]+\S+[ \t]*(?:\n|\Z)")
_MODELFILE = re.compile(
    r"^[ \t]*(?:PARAMETER[ \t]+\w|(?:TEMPLATE|SYSTEM|ADAPTER|MESSAGE|LICENSE)[ \t])",
    re.MULTILINE,
)
_DOCKERFILE = re.compile(r"^(?:RUN|CMD|ENTRYPOINT|COPY|WORKDIR|ENV|ARG|EXPOSE)[ \t]", re.MULTILINE)
"""What a Modelfile begins with, what else only such a file says, and what none says.

Source:
    https://docs.ollama.com/modelfile.
"""
_COLOR = re.compile("\x1b\\[[0-9;?]*[A-Za-z]")
"""What a terminal is told of colours, which a log keeps."""
_SERVES = re.compile(
    r"(?:^|[\s/])(?:vllm serve|sglang serve|trtllm-serve|text-generation-launcher|llama-server"
    r"|lmdeploy serve|aphrodite run|mlc_llm serve|koboldcpp\S*|xinference launch|local-ai run"
    r"|lms (?:load|server start)|tabbyapi|tritonserver|mistralrs(?:-server)?|llamafile\S*"
    r"|lemonade-server serve|python(?:[\d.]|\$\{?\w+\}?)*(?: -[uOB])* -m (?:vllm\.entrypoints"
    r"|sglang\.launch|lightllm|mlc_llm|llama_cpp\.server|fastchat\.serve|aphrodite)\S*)(?=\s|$)"
)
"""What starts a model server, of whatever program."""
_SPEAKS_OF = re.compile(
    r"(?:sudo )?(?:echo|printf|grep|pgrep|pkill|killall|which|man|pip\d?|uv pip|apt\S*|brew|cat"
    r"|alias|curl|git|cp|mv|ls|if|for|nsys|docker (?:pull|build|logs|stop|rm))\b"
)
"""Commands that name a program and do not start it."""
_GIVEN = re.compile(r"^(?:\s*[A-Z_][A-Z0-9_]*=\S*\s+)+")
"""Variables that a command is given."""
_LED = re.compile(
    r"^(?:(?:(?:conda|mamba|micromamba|pixi|uv) run|nohup|exec|env)"
    r"(?: -\S+(?: [\w$/.{}][\w$/.{}-]*)?)*? )+(?=python|vllm|sglang|llama)"
)
"""What leads to a program in a command that a script keeps."""
_FOLDER = re.compile(r"^[\w${}.~/-]*/(?=\w)")
"""Where the program of a command lies."""
_HOST = frozenset({"--network host", "--net host"})
"""A container that takes the addresses of its machine."""
MOST_LOOKED_AT = 12
"""Words of a command that are looked at for a server that is not known."""
DEEPEST = 3
"""Scripts inside scripts that are followed."""
_TOP = re.compile(r"(?:#!.*\n)?\s*((?:#(?!!).*\n?)+)")
_ESCAPED = re.compile(r'\\(?=["$`\\])')
"""A backslash that keeps the sign behind it for the script inside a quote."""
_KEPT = re.compile(r"\\(?=[$`\\])")
"""A backslash that keeps the sign behind it in a here-document whose variables are put in."""
_REOPENED = re.compile(r"'\\'(?=')")
"""How a quote is written inside single quotes: they are closed and opened again around it."""
OF_TMUX = frozenset(
    {"new", "new-session", "neww", "new-window", "send", "send-keys", "splitw", "split-window"}
)
"""Commands of tmux that are given one of the shell.

Source:
    https://man.openbsd.org/tmux, read 2026-11-26.
"""
BY_VARIABLE: Mapping[str, str] = {
    "OLLAMA_CONTEXT_LENGTH": "context",
    "OLLAMA_NUM_PARALLEL": "parallel",
    "OLLAMA_KV_CACHE_TYPE": "kv_dtype",
    "OLLAMA_FLASH_ATTENTION": "flash",
}
"""Settings of Ollama's models by the variables of its server."""
SETTING = frozenset({"export", "env", "launchctl"})
"""Commands that set variables for what follows."""
ENDING = frozenset({"kill", "pkill", "killall", "wait", "fg"})
"""Commands after which a server that was put in the background may be gone."""
_OF_SERVERS = re.compile(r"OLLAMA_[A-Z_]+|LLAMA_ARG_[A-Z0-9_]+")
"""Variables that servers read."""
_OLLAMA = re.compile(r"(?:^|/)ollama(?=$|[ \t])")


def kind_of(path: str, text: str) -> str:
    """Say how a file is read: by its name, else by how it begins."""
    name = re.sub(r"\.(?:sample|example|template|dist|tmpl|j2)$", "", path.rsplit("/", 1)[-1])
    if name == "Modelfile" or name.startswith("Modelfile."):
        return "modelfile"
    if re.fullmatch(r"(?:.*\.)?(?:Docker|Container)file(?:\..*)?", name):
        return "dockerfile"
    suffix = name.rpartition(".")[2].lower() if "." in name else ""
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    return _kind_of_text(text)


def _kind_of_text(text: str) -> str:
    """Say how a text without a name that tells is read."""
    head = text[:2_000].lstrip()
    if _OF_OLLAMA.match(text) and _MODELFILE.search(text) and not _DOCKERFILE.search(text):
        return "modelfile"
    told = _kind_by_signs(text, head)
    if told:
        return told
    if head[:1] != "{" and is_configuration(text):
        return str(Language.YAML)
    language = guessed(text)
    program = language is Language.PYTHON and re.match(r"(?:import|from|#|\"\"\")", head)
    if language in {Language.JSON, Language.YAML} or program:
        return str(language)
    return "text"


def _kind_by_signs(text: str, head: str) -> str:
    """Say how a text is read that tells by a sign of its language; empty for any other."""
    if re.match(r"<(?:!doctype|html|head|body|div|p|h1|pre)\b", head, re.IGNORECASE):
        return "html"
    if re.search(r"^[ \t]*(?:```|~~~)", text, re.MULTILINE):
        return "markdown"
    if head.startswith("#!"):
        return "bash"
    return str(Language.INI) if _SECTIONS.match(text) else ""


def snippets_of(source: SourceText, kind: str) -> Iterator[Snippet]:
    """Yield the pieces of a file that are in a language of ours."""
    if kind == "markdown":
        yield from snippets_of_markdown(source)
    elif kind == "html":
        yield from snippets_of_html(source)
    elif kind == "dockerfile":
        around = Surroundings(headings=_top(source.text))
        yield from snippets_of_dockerfile(
            Snippet(source, source.text, Language.BASH, around=around)
        )
    elif kind == "text":
        plain = as_shell(without(Snippet.whole(source), _COLOR))
        top = _top(source.text)
        yield from snippets_of_text(source, plain.text, plain.breaks, headings=top)
    else:
        contained = _FIRST.search(source.path) is not None
        around = Surroundings(headings=_top(source.text), contained=contained)
        yield Snippet(source, source.text, Language(kind), around=around)


def _top(text: str) -> tuple[str, ...]:
    """Return the comment that a file begins with, which says what all of it is for."""
    found = _TOP.match(text[:2_000])
    said = "\n".join(line.lstrip("# ") for line in found[1].splitlines()) if found else ""
    return (said,) if said else ()


def read(
    source: SourceText, tables: Mapping[str, OptionTable], kind: str = "",
    beside: Mapping[str, str] | None = None,
) -> FileModel:  # fmt: skip
    """Read a file.

    Args:
        source: Its text, line ends as line feeds.
        tables: Options of the programs.
        kind: How it is read; found out where it is left out.
        beside: Versions by program that files beside it pin (``manifests``), where they were read.
    """
    kind = kind or kind_of(source.path, source.text)
    page = kind in {"markdown", "html"}
    return read_snippets(source, snippets_of(source, kind), tables, page=page, beside=beside)


def read_snippets(
    source: SourceText, snippets: Iterator[Snippet] | Sequence[Snippet],
    tables: Mapping[str, OptionTable], *, page: bool = False,
    beside: Mapping[str, str] | None = None,
) -> FileModel:  # fmt: skip
    """Read pieces of one file, in order: variables that one sets are known to the next."""
    reader = _FileReader(FileModel(source), tables, page=page)
    reader.scene.pinned |= told_versions(source.text)
    if beside is not None:
        reader.scene.beside |= beside
    for snippet in snippets:
        reader.snippet(snippet, 0)
    reader.scene.launches = [_of_server(one, reader.scene) for one in reader.scene.launches]
    return reader.scene


def _of_server(launch: launches.Launch, scene: FileModel) -> launches.Launch:
    """Add to a client's call what the variables of its server say; two servers say nothing."""
    found: dict[str, set[str]] = {}
    settings = dict(launch.settings)
    for one in scene.environment if launch.traits.names_tags else ():
        name = BY_VARIABLE.get(one.name, "")
        theirs = one.server == launch.program  # a client's own variables say nothing
        if name and name not in launch.settings and not theirs:
            found.setdefault(name, set()).add(one.setting.text)
            alike = one.setting.known and len(found[name]) == 1
            settings.setdefault(name, one.setting)
            settings[name] = replace(settings[name], known=alike)
    return replace(launch, settings=settings) if found else launch


@dataclass(slots=True)
class _FileReader:
    scene: FileModel
    tables: Mapping[str, OptionTable]
    variables: dict[str, str | None] = field(default_factory=dict)
    page: bool = False
    """Whether people read the file, in place of a shell."""
    image: str = ""
    """Program of the image whose words are read, where it has one of its own to start."""
    of_unit: bool = False
    """Whether a command of a unit is read, whose variables are known."""
    phase: int = 0
    """How often the file has ended what ran beside it."""
    exported: dict[str, Setting] = field(default_factory=dict)
    """Variables that what follows is started with, where they are set."""

    def snippet(self, snippet: Snippet, depth: int) -> None:
        """Read a piece in its language."""
        if depth > DEEPEST:
            return
        if depth == 0:
            for name in HIDERS:  # another block may be another shell
                self.variables.pop(name, None)
        if snippet.language is Language.BASH:
            snippet = as_shell(snippet)
            if "svc.cluster.local" in snippet.text:  # a name inside a cluster of Kubernetes
                snippet = replace(snippet, around=replace(snippet.around, contained=True))
            before = self.variables
            if snippet.around.variables:  # of a container, whose shell is another one
                self.variables = before | dict(snippet.around.variables)
            self.script(snippet, shell.read(snippet.text, self.variables), depth)
            self.variables = before
        elif snippet.language in {Language.YAML, Language.JSON}:
            self.configuration(snippet, depth)
        elif snippet.language is Language.PYTHON:
            for inner in read_program(self.scene, snippet, self.tables):
                self.snippet(inner, depth + 1)
        elif snippet.language is Language.INI:
            self.unit(snippet)
        else:
            for found in _PARAMETER.finditer(snippet.text):
                self.scene.parameters.append((snippet, found[1], found.start(1)))
            self.model(snippet)

    def model(self, snippet: Snippet) -> None:
        """Take what a Modelfile is made from, and the context that it asks for."""
        settings: dict[str, Setting] = {}
        for name, pattern in (("model", _MADE_FROM), ("context", _CONTEXT)):
            found = pattern.search(snippet.text)
            if found is not None:
                settings[name] = Setting(found[1], Spot(snippet, found.start(1)), found.end(1))
        if "model" in settings:
            place = settings["model"].place
            self.scene.launches.append(
                launches.Launch("ollama-run", launches.Form.REPLICA, settings, place)
            )

    def configuration(self, snippet: Snippet, depth: int) -> None:
        """Read the documents of a configuration, and the scripts that stand in them."""
        parts = [(part, tuple(of_yaml(part.text))) for part in documents(snippet)]
        for part, trees in parts:
            for tree in trees:
                note_map(self.scene, part, tree)
        for part, trees in parts:
            for tree in trees:
                for inner in read_tree(self.scene, part, tree, self.tables):
                    self.snippet(inner, depth + 1)
            if not trees and snippet.language is Language.YAML:
                for inner in commands_of_text(part):
                    self.snippet(inner, depth + 1)

    def unit(self, snippet: Snippet) -> None:
        """Read the command of a systemd unit with its variables."""
        image = _IMAGE.search(snippet.text)
        if image is not None:
            version = programs.version_of_image(image[1])
            around = replace(snippet.around, contained=True, version=version)
            snippet = replace(snippet, around=around)
            if _ENTRY.search(snippet.text) is None:
                self.image = programs.started_by(image[1])
        if _IN_FRONT.search(snippet.text):
            snippet = replace(snippet, around=replace(snippet.around, contained=True))
        given: list[tuple[str, Word]] = []
        for found in _ENVIRONMENT.finditer(snippet.text):
            for pair in re.finditer(r"\"?([A-Z][A-Z0-9_]*)=([^\"\s]*)", found[1]):
                at = found.start(1) + pair.start(2)
                given.append((pair[1], Word(pair[2], at, at + len(pair[2]))))
        self.variables_of_unit(snippet, given)
        before = self.exported
        self.exported = dict(_settings(snippet, given))
        self.of_unit = True  # their place is that of the unit's lines
        self.supervised(snippet)
        for found in _EXEC.finditer(snippet.text):
            part = snippet.part(found.start(1), found.end(1), Language.BASH)
            script = shell.read(part.text, {})
            # Variables of the unit stand elsewhere in it: they are shown where the command begins.
            moved = tuple((name, replace(word, start=0, end=1)) for name, word in given)
            commands = tuple(
                replace(one, variables=(*moved, *one.variables)) for one in script.commands
            )
            self.script(part, replace(script, commands=commands), 0)
        self.of_unit, self.image = False, ""
        self.exported = before

    def supervised(self, snippet: Snippet) -> None:
        """Read the commands of Supervisor, each with its variables and those of all programs."""
        before, sections = self.exported, tuple(_SECTION.finditer(snippet.text))
        shared = [pair for one in sections if one[1] == "supervisord" for pair in _listed(one)]
        for section in sections:
            own = [] if section[1] == "supervisord" else _listed(section)
            ours = any(one[1] == "command" and _OLLAMA.search(one[2]) for one in
                       _SUPERVISED.finditer(section[2]))  # fmt: skip
            self.noted(snippet, own, ours=ours)
            self.exported = before | dict(_settings(snippet, [*shared, *own]))
            moved = tuple((name, replace(w, start=0, end=1)) for name, w in (*shared, *own))
            for found in _SUPERVISED.finditer(section[2]):
                if found[1] != "command" or section[1] == "supervisord":
                    continue
                at = section.start(2)
                part = snippet.part(at + found.start(2), at + found.end(2), Language.BASH)
                text = _EXPANDED.sub(lambda one: f"${'_' * (len(one[0]) - 1)}", part.text)
                part = replace(part, text=text.replace("\n", " "))
                script = shell.read(part.text, {})
                commands = tuple(
                    replace(one, variables=(*moved, *one.variables)) for one in script.commands
                )
                self.script(part, replace(script, commands=commands), 0)
        self.exported = before

    def variables_of_unit(self, snippet: Snippet, given: Sequence[tuple[str, Word]]) -> None:
        """Note the variables of a unit's server.

        A unit without a command adds to another one, which its variables tell.
        """
        started = _EXEC.search(snippet.text)
        ours = started is None or _OLLAMA.search(started[1]) is not None
        self.noted(snippet, given, ours=ours)

    def noted(self, snippet: Snippet, given: Sequence[tuple[str, Word]], *, ours: bool) -> None:
        """Note the variables of servers among some; ``ours`` are those of Ollama's surely."""
        around = snippet.around
        for name, word in given:
            if _OF_SERVERS.fullmatch(name):
                server = "ollama" if ours and name.startswith("OLLAMA_") else ""
                setting = Setting(word.text, Spot(snippet, word.start), word.end, word.known)
                self.scene.environment.append(
                    Variable(snippet, name, setting, server, around.contained)
                )

    def script(self, snippet: Snippet, script: Script, depth: int) -> None:
        """Take the commands of a script."""
        commands = tuple(joined(script.commands))
        last_ours = False
        for command in commands:
            last_ours = self.command(snippet, command, depth)
        for fault in script.faults:
            if last_ours and commands and fault.index >= commands[-1].start:
                self.scene.broken.append(Broken(fault, snippet, commands[-1]))
        for document in script.documents:
            self.document(snippet, document, depth)

    def document(self, snippet: Snippet, document: HereDocument, depth: int) -> None:
        """Read what a command writes into a file."""
        target = _written_by_tee(document) or document.target
        suffix = target.rpartition(".")[2].lower()
        body = snippet.text[document.start : document.end]
        kinds = {"yaml": Language.YAML, "yml": Language.YAML, "json": Language.JSON}
        kinds |= {"py": Language.PYTHON, "sh": Language.BASH, "service": Language.INI}
        if suffix == "conf" and re.search(r"^\[(?:Service|Unit|program:)", body, re.MULTILINE):
            kinds |= {"conf": Language.INI}  # what is added to a unit, or a program of Supervisor
        language = kinds.get(suffix) or guessed(body)
        if any(_PYTHON.fullmatch(programs.base(word)) for word in document.fed):
            language = Language.PYTHON
        if target.endswith("Modelfile"):
            language = Language.MODELFILE
        if language is not None:
            part = snippet.part(document.start, document.end, language)
            self.snippet(without(part, _KEPT) if document.expands else part, depth + 1)

    def command(self, snippet: Snippet, command: Command, depth: int) -> bool:
        """Take one command; return whether it calls a program of ours."""
        self.pinned(command)
        self.environment(snippet, command)
        self.made(command)
        self.ended(command)
        inner = _inner_script(snippet, command) or _kept_command(snippet, command)
        if inner is not None:
            self.snippet(_of_container(inner, command), depth + 1)
        invocation = programs.invocation(command, self.tables) or self.of_image(command)
        known = invocation is not None
        faults = command.faults if known or _takes_options(command) else ()
        if any(word.text in {"...", "…"} for word in command.words):
            faults = ()  # a sketch
        if self.page and "\\\n" not in snippet.text[command.start : command.end]:
            # a page that lays a command out over lines, none of which continues, shows its options
            faults = tuple(one for one in faults if one.code != "missing-continuation")
        self.scene.broken += [Broken(one, snippet, command) for one in faults]
        if invocation is None:
            program, version = programs.entered(command.words)
            if version:
                self.scene.pinned.setdefault(program, version)
            called = " ".join(programs.calling(command.words[:MOST_LOOKED_AT]))
            if inner is None and _SERVES.search(called) and not _SPEAKS_OF.match(called):
                self.scene.unread.append(Spot(snippet, command.start))
            return known
        invocation = replace(invocation, version=invocation.version or snippet.around.version)
        self.scene.invocations.append((snippet, invocation))
        self.published(snippet, invocation)
        launch = launches.of_invocation(
            snippet, invocation, {k: v for k, v in self.variables.items() if v is not None}
        )
        if launch is not None:
            launch = launches.with_variables(launch, self.given(snippet, command))
            if launch.visible is None:
                launch = self.hidden(launch)
            version = self.scene.version_of(launch.program, launch.version)
            self.scene.launches.append(replace(launch, version=version, phase=self.phase))
        return known

    def of_image(self, command: Command) -> programs.Invocation | None:
        """Read words as options of the program that a unit's image starts."""
        words = command.words
        table = self.tables.get(self.image) if words else None
        if table is None or not words[0].text.startswith("-"):
            return None
        return programs.parsed(table, command, 0, "")

    def given(self, snippet: Snippet, command: Command) -> dict[str, Setting]:
        """Collect the variables that a command starts with; a container has only its own."""
        if programs.is_contained(command.words):
            return dict(_settings(snippet, _of_container_options(command.words)))
        own = [] if self.of_unit else list(command.variables)
        around = {
            name: Setting(text, Spot(snippet, command.start), command.start)
            for name, text in snippet.around.variables.items()
        }
        inline = dict(_settings(snippet, [*own, *_assigned(command.words)]))
        return self.exported | around | inline

    def hidden(self, launch: launches.Launch) -> launches.Launch:
        """Apply a variable that the shell has set before."""
        for name in HIDERS:
            value = self.variables.get(name)
            if value is not None and not launch.contained:
                return replace(
                    launch, visible=devices(value), visible_place=launch.place, hider=name
                )
        return launch

    def pinned(self, command: Command) -> None:
        """Note the versions that a command installs."""
        for word in command.words:
            for name, version in pinned_versions(word.text):
                self.scene.pinned[name] = version

    def environment(self, snippet: Snippet, command: Command) -> None:
        """Note the variables of servers that a command sets."""
        texts = [word.text for word in command.words]
        given = [] if self.of_unit else list(command.variables)
        server = ""
        if texts[:1] == ["export"] or texts[:1] == ["env"]:
            given += _assigned(command.words[1:])
        fish = shell.set_by_fish(command.words)
        if fish is not None:
            given += [fish]
        exported = texts[:1] == ["export"] or (fish is not None and shell.is_exporting(texts[1:3]))
        if exported:
            self.exported |= dict(_settings(snippet, given))
        elif texts[:2] == ["launchctl", "setenv"] and len(texts) > 3:
            given.append((texts[2], command.words[3]))
        found = programs.find(command.words)
        contained = snippet.around.contained or programs.is_contained(command.words)
        if found is not None and (found[0].startswith("ollama") or reads_variables(found[0])):
            server = found[0]
            given += _of_container_options(command.words)
        elif texts and texts[0] not in SETTING and not exported:
            return  # another program's
        for name, word in given:
            if _OF_SERVERS.fullmatch(name):
                setting = Setting(word.text, Spot(snippet, word.start), word.end, word.known)
                version = found[2] if found is not None else ""
                self.scene.environment.append(
                    Variable(snippet, name, setting, server, contained, version)
                )

    def made(self, command: Command) -> None:
        """Note a model that is made for Ollama: ``ollama create NAME -f Modelfile``."""
        texts = [word.text for word in command.words]
        for first, second, name in zip(texts, texts[1:], texts[2:], strict=False):
            if programs.base(first) == "ollama" and second in {"create", "cp"}:
                self.scene.made.add((texts[-1] if second == "cp" else name).removesuffix(":latest"))

    def ended(self, command: Command) -> None:
        """Note that what ran beside the script no longer does: which of them, nobody can say."""
        if command.words and programs.base(command.words[0].text) in ENDING:
            self.phase += 1

    def published(self, snippet: Snippet, invocation: programs.Invocation) -> None:
        """Note the ports that a container takes of its machine."""
        words = invocation.launcher
        for at, word in enumerate(words[:-1]):
            if word.text in {"-p", "--publish"}:
                port = PORT.fullmatch(words[at + 1].text)
                if port is not None:
                    place = Spot(snippet, words[at + 1].start)
                    self.scene.published.append(PublishedPort(int(port[1]), place, "a container"))


def _listed(section: re.Match[str]) -> list[tuple[str, Word]]:
    """List the variables of a section of Supervisor's, each where its value stands."""
    given: list[tuple[str, Word]] = []
    for found in _SUPERVISED.finditer(section[2]):
        for pair in _PAIR.finditer(found[2]) if found[1] == "environment" else ():
            which = next((at for at in (2, 3, 4) if pair[at] is not None), 4)
            start = section.start(2) + found.start(2) + pair.start(which)
            known = "%(" not in pair[which]
            given.append((pair[1], Word(pair[which], start, start + len(pair[which]), known)))
    return given


def _settings(snippet: Snippet, given: Iterable[tuple[str, Word]]) -> Iterator[tuple[str, Setting]]:
    """Yield variables with their values as settings, each at its place."""
    for name, word in given:
        yield name, Setting(word.text, Spot(snippet, word.start), word.end, word.known)


def _assigned(words: Sequence[Word]) -> Iterator[tuple[str, Word]]:
    """Yield the variables that words set: ``NAME=value``."""
    for word in words:
        name, equals, value = word.text.partition("=")
        if equals:
            yield name, Word(value, word.start, word.end, word.known)


def _of_container_options(words: Sequence[Word]) -> Iterator[tuple[str, Word]]:
    """Yield the variables that a container is given: ``-e NAME=value``, ``--env=NAME=value``."""
    for before, word in pairwise(words):
        text = word.text
        if before.text in {"-e", "--env"}:
            yield from _assigned((word,))
        elif text.startswith("--env="):
            inner = text.removeprefix("--env=")
            yield from _assigned((Word(inner, word.start, word.end, word.known),))


def _written_by_tee(document: HereDocument) -> str:
    """Return the file that ``tee`` writes what it is fed to; empty where nothing calls it."""
    fed = [programs.base(word) for word in document.fed]
    behind = document.fed[fed.index("tee") + 1 :] if "tee" in fed else ()
    return next((word for word in behind if not word.startswith("-")), "")


def _takes_options(command: Command) -> bool:
    """Whether a broken line in a command is worth a word: it has options, so it is no prose."""
    return any(word.text.startswith("--") for word in command.words)


def _inner_script(snippet: Snippet, command: Command) -> Snippet | None:
    """Return the script that ``bash -c '…'`` or ``eval "…"`` is given."""
    texts = [word.text for word in command.words]
    for at, text in enumerate(texts[:-1]):
        if programs.base(text) in programs.SHELLS | programs.AS_SOMEBODY:
            after = at + 1
            entry = bool(at) and texts[at - 1] == "--entrypoint"
            if entry:  # options of the container and its image stand before those of the shell
                told = (n for n in range(after, len(texts)) if re.fullmatch(r"-\w*c", texts[n]))
                after = next(told, after)
            named = programs.base(text) in programs.AS_SOMEBODY
            while after < len(texts) - 1 and re.fullmatch(
                r"-[a-bd-z]*|--\w+" + (r"|[a-z_][\w-]*" if named else ""), texts[after]
            ):
                after += 1
            if after + 1 < len(texts) and re.fullmatch(r"-\w*c", texts[after]):
                return _unquoted(snippet, command.words[after + 1])
        elif text == "eval" and at == 0:
            return _unquoted(snippet, command.words[1])
    return _typed_elsewhere(snippet, command)


def _typed_elsewhere(snippet: Snippet, command: Command) -> Snippet | None:
    """Return the script that ``tmux new -d '…'`` or ``ssh host "…"`` is given in quotes."""
    called = [word.text for word in command.words[:2]]
    tmux = called[:1] == ["tmux"] and called[1:] and called[1] in OF_TMUX
    for word in command.words[1:] if tmux or called[:1] == ["ssh"] else ():
        if word.quoted and re.search(r"\s", word.text):
            return _unquoted(snippet, word)
    return None


def _of_container(inner: Snippet, command: Command) -> Snippet:
    """Say of a script that a container is given what image it is run in, and where it listens."""
    version = programs.contained_version(command.words, len(command.words)) or inner.around.version
    if not programs.is_contained(command.words):
        return replace(inner, around=replace(inner.around, version=version))
    texts = [word.text for word in command.words]
    shared = any(f"{a} {b}".replace("=", " ") in _HOST for a, b in pairwise((*texts, "")))
    shared = shared or any(text.replace("=", " ") in _HOST for text in texts)
    contained = inner.around.contained or not shared
    return replace(inner, around=replace(inner.around, version=version, contained=contained))


def _kept_command(snippet: Snippet, command: Command) -> Snippet | None:
    """Return the command that a script keeps in a variable and runs by its name."""
    for name, word in command.variables if not command.words else ():
        raw = snippet.text[word.start : word.end]
        at = raw.find("=") + 1
        kept = _LED.sub("", _GIVEN.sub("", raw[at + 1 :]))
        if raw[at : at + 1] not in {"'", '"'} or not _SERVES.match(_FOLDER.sub("", kept)):
            continue
        called = rf"(?m)^[ \t]*(?:exec |nohup |eval )*\"?\$\{{?{name}\b"
        if re.search(called, snippet.text[word.end :]):
            return _unquoted(snippet, replace(word, start=word.start + at))
    return None


def _unquoted(snippet: Snippet, word: Word) -> Snippet | None:
    """Take a quoted word as a script, without the backslashes that quote what is in it."""
    raw = snippet.text[word.start : word.end]
    if len(raw) < 2 or raw[0] not in "'\"" or raw[-1] != raw[0]:
        return None
    part = snippet.part(word.start + 1, word.end - 1, Language.BASH)
    return without(part, _REOPENED if raw[0] == "'" else _ESCAPED)


def joined(commands: tuple[Command, ...]) -> Iterator[Command]:
    """Join a command with options that stand alone on the next line: a backslash is missing."""
    waiting: Command | None = None
    for command in commands:
        loose = bool(command.words) and re.match(r"--?[A-Za-z]", command.words[0].text) is not None
        ours = loose and waiting is not None and _ours(waiting)
        if waiting is not None and command.adjoins and (ours or _lacks_image(waiting, command)):
            fault = Fault("missing-continuation", waiting.end, command.start)
            sketched = any(word.text in {"...", "…"} for word in waiting.words)
            waiting = replace(
                waiting,
                words=(*waiting.words, *command.words),
                end=command.end,
                background=command.background,
                comments=(*waiting.comments, *command.comments),
                faults=(*waiting.faults, *(() if sketched else (fault,)), *command.faults),
            )
            continue
        if waiting is not None:
            yield waiting
        waiting = command
    if waiting is not None:
        yield waiting


def _lacks_image(command: Command, following: Command) -> bool:
    """Whether a container has options alone, and its image begins the next line."""
    texts = [word.text for word in command.words]
    started = programs.is_contained(command.words) and "run" in texts
    if not started or not following.words or programs.find(command.words) is not None:
        return False
    return (texts[-1].startswith("-") or texts[-2].startswith("-")) and programs.is_server(
        following.words[0].text
    )


def _ours(command: Command) -> bool:
    return programs.find(command.words) is not None

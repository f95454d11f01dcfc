"""A file as the rules see it: launches, clusters, deployments and commands, in order."""

from __future__ import annotations

import re
from dataclasses import field

from sitegen.catalog.text.source_text import SourceText
from sitegen.lint.launches import Launch, Setting
from sitegen.lint.programs import NEWEST, Invocation
from sitegen.lint.script import Command, Fault
from sitegen.lint.snippets import Snippet, Spot
from sitegen.lint.trees import Tree
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Broken:
    """A fault of the text of a command of ours."""

    fault: Fault
    snippet: Snippet
    command: Command | None


@dataclass(frozen=True, slots=True)
class Deployment:
    """Replicas that an orchestrator starts, with the GPUs that each reserves.

    Attributes:
        name: What the author calls it.
        reserved: GPUs of one replica.
        reserved_place: Where that is said.
        replicas: The most that may run, ``None`` where nothing says.
        launch: What each replica starts.
        strategy: How bundles are placed, as the orchestrator names it.
        bundles: GPUs of each bundle.
    """

    name: str
    reserved: float | None
    reserved_place: Spot
    replicas: Setting | None
    launch: Launch | None
    strategy: str = ""
    bundles: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Misplaced:
    """An offline engine inside something that serves requests: ``server`` names it."""

    server: str
    place: Spot


@dataclass(frozen=True, slots=True)
class Keywords:
    """Keyword arguments for a program's engine: which table knows them."""

    program: str
    tree: Tree
    snippet: Snippet


@dataclass(frozen=True, slots=True)
class Daemon:
    """A configuration of the Infernet daemon."""

    tree: Tree
    snippet: Snippet


PORT = re.compile(r"(?:[\d.]+:)?(\d{1,5}):\d+(?:/tcp)?")
"""How a port of the machine is given to a container: ``8000:8000``, ``127.0.0.1:8000:8000``."""


@dataclass(frozen=True, slots=True)
class PublishedPort:
    """A port of the machine that a container or service takes."""

    port: int
    place: Spot
    owner: str


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a server's environment, with its value.

    Attributes:
        name: What it is called.
        setting: The value and its place.
        server: Program that is surely started with it, empty where only its name tells.
        contained: Whether the server runs in a container with an address of its own.
        version: Of the server, where its image tells.
    """

    snippet: Snippet
    name: str
    setting: Setting
    server: str = ""
    contained: bool = False
    version: str = ""


@dataclass(slots=True)
class FileModel:
    """Everything of one file that rules look at."""

    source: SourceText
    invocations: list[tuple[Snippet, Invocation]] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    deployments: list[Deployment] = field(default_factory=list)
    misplaced: list[Misplaced] = field(default_factory=list)
    keywords: list[Keywords] = field(default_factory=list)
    daemons: list[Daemon] = field(default_factory=list)
    published: list[PublishedPort] = field(default_factory=list)
    environment: list[Variable] = field(default_factory=list)
    """Variables that servers read."""
    maps: dict[str, dict[str, Setting]] = field(default_factory=dict)
    """What the ConfigMaps of the file hold, by their names."""
    made: set[str] = field(default_factory=set)
    """Names of models that the text makes for Ollama; their Modelfiles say what they are."""
    parameters: list[tuple[Snippet, str, int]] = field(default_factory=list)
    """Parameters of Modelfiles: name and place."""
    unread: list[Spot] = field(default_factory=list)
    """Commands that start a model server and were not understood."""
    started_twice: list[tuple[Spot, str]] = field(default_factory=list)
    """Words of containers that start what their image starts by itself."""
    pinned: dict[str, str] = field(default_factory=dict)
    """Versions that the file installs, by program."""
    beside: dict[str, str] = field(default_factory=dict)
    """Versions that files beside it pin, by program: they count where it names none itself."""

    def version_of(self, program: str, version: str) -> str:
        """Return the version of a program: of its call or image, of its file, of files beside it.

        What a file installs comes before an image that follows the newest version.
        """
        given = version if version != NEWEST else ""
        return given or self.pinned.get(program, "") or version or self.beside.get(program, "")

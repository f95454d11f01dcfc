"""A recipe: the ordered steps that run an assessed plan, as values without HTML."""

from __future__ import annotations

from enum import StrEnum

from sitegen.fit.assessment import Assessment
from sitegen.recipes.target import FIRST_PORT
from sitegen.values import dataclass


class Phase(StrEnum):
    """Purpose of a step, in the order of steps."""

    SETTINGS = "settings"
    INSTALL = "install"
    FILES = "files"
    NETWORK = "network"
    START = "start"
    VERIFY = "verify"
    STOP = "stop"
    INSTEAD = "instead"
    """Another way to start the same plan: a unit, a container."""


class Language(StrEnum):
    """How the text of a step, or of a page, is read."""

    BASH = "bash"
    YAML = "yaml"
    JSON = "json"
    PYTHON = "python"
    INI = "ini"
    MODELFILE = "modelfile"
    NGINX = "nginx"


@dataclass(frozen=True, slots=True)
class RecipeStep:
    """One thing to do: a command to type or a file to write.

    Attributes:
        title: A few words, an imperative.
        where: The machines it is for, empty where there is only one.
        file: Name of the file that the text is, empty for commands.
        note: A sentence that has to be known before, may be empty.
        expect: What a command that worked prints, empty where nothing is to be seen.
        stays: Whether its commands run until they are stopped.
        answers: Where what it starts answers once it is ready, as host, port and path in the
            shell; without a path whoever listens there is asked nothing.
    """

    phase: Phase
    title: str
    language: Language
    text: str
    where: str = ""
    file: str = ""
    note: str = ""
    expect: str = ""
    stays: bool = False
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recipe:
    """The steps that run an assessment, in order.

    Attributes:
        id: Of the form, unique among the recipes of an assessment: ``vllm``, ``vllm-ray``.
        name: Of the form, for headings.
        reads: The program whose options the steps use, a key of ``versions.READ``.
        version: The version of it that they were read in.
        warnings: What has to be known before the first step, most dangerous first.
        beside: Assessments of the other models that it runs at the same time.
        port: Where its first server is asked.
        names_model: Whether the server names its model itself, so that it is asked for the name.
        front: Whether it runs one application, so that a second has no place beside it.
        measures_itself: Whether its program brings a tool that measures it.
        store_bytes: What its program needs in a store of its own, beside the files of the model.
    """

    id: str
    name: str
    reads: str
    version: str
    assessment: Assessment
    warnings: tuple[str, ...]
    steps: tuple[RecipeStep, ...]
    beside: tuple[Assessment, ...] = ()
    port: int = FIRST_PORT
    names_model: bool = False
    front: bool = False
    measures_itself: bool = False
    store_bytes: int = 0

    @property
    def read_in(self) -> str:
        """Program and version whose options the steps use."""
        return self.version if " " in self.version else f"{self.reads} {self.version}"

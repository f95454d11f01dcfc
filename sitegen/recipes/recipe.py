"""A recipe: the ordered steps that run an assessed plan, as values without HTML."""

from __future__ import annotations

from enum import StrEnum

from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment
from sitegen.recipes.target import FIRST_PORT
from sitegen.values import dataclass


class Phase(StrEnum):
    """Purpose of a step, in the order of steps."""

    SETTINGS = "settings"
    INSTALL = "install"
    FILES = "files"
    NETWORK = "network"
    LIMIT = "limit"
    """A limit of the system that the plan exceeds."""
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
        note: What has to be known before, may be empty; each line is a paragraph.
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

    @property
    def note_paragraphs(self) -> tuple[str, ...]:
        """The note, paragraph by paragraph; none where there is no note."""
        return tuple(self.note.split("\n")) if self.note else ()


def paragraphs(*notes: str) -> str:
    r"""Put notes under one another, each a paragraph of a step's note; empty ones are left out.

    >>> paragraphs("Log in first.", "", "It asks for a token.")
    'Log in first.\nIt asks for a token.'
    """
    return "\n".join(one for one in notes if one)


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
        one_user_gain: One user's speed with the options for speculative decoding that its start
            names, over that without; ``None`` where it names none or nobody measured.
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
    one_user_gain: Interval | None = None

    @property
    def read_in(self) -> str:
        """Program and version whose options the steps use."""
        return self.version if " " in self.version else f"{self.reads} {self.version}"

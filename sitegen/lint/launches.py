"""What starts a model server, in one shape for commands, configurations and programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from enum import StrEnum

from sitegen.lint.known_programs import Program, traits_of
from sitegen.lint.options import OptionTable
from sitegen.lint.programs import Invocation
from sitegen.lint.script import Word, whole_number
from sitegen.lint.snippets import Snippet, Spot
from sitegen.lint.trees import Tree
from sitegen.values import dataclass

_KEPT_FOLDER = re.compile(r"\$(?:\w+|\{\w+\})(?:/[\w.-]+)+/?")
"""A path whose beginning a variable keeps, and whose end stands there."""
_NONE = re.compile(r"0+(?:\.0*)?")
"""An amount of nothing: ``--cpu-offload-gb 0`` leaves the whole model on the GPUs."""


class Form(StrEnum):
    """Where a launch stands."""

    COMMAND = "command"
    OFFLINE = "offline"
    """``LLM(...)`` in a program."""
    REPLICA = "replica"
    """An ``LLMConfig`` of Ray Serve, or a worker of a manifest."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A value with its place; ``known`` is false where nobody can say what it will be."""

    text: str
    place: Spot
    end: int
    known: bool = True

    @property
    def number(self) -> int | None:
        """The value as a whole number; ``None`` for anything else."""
        return whole_number(self.text.strip()) if self.known else None


@dataclass(frozen=True, slots=True)
class Launch:
    """One start of a model.

    Attributes:
        program: Table of options.
        form: Command, offline engine or replica of a deployment.
        settings: By the names of ``known_programs.PROGRAMS``.
        place: Where it begins.
        snippet: What it stands in.
        comments: Lines above it that say what it is for.
        invocation: The call, where it is a command.
        visible: GPUs that the process sees; ``None`` where it sees all.
        version: Of the program, where the file names one.
        background: Whether the next command runs beside it.
        contained: Whether it runs in a container with an address of its own.
        phase: How often the script had ended what ran beside it; only what started in the same
            phase runs at once.
    """

    program: str
    form: Form
    settings: Mapping[str, Setting]
    place: Spot
    comments: tuple[str, ...] = ()
    invocation: Invocation | None = None
    visible: tuple[str, ...] | None = None
    visible_place: Spot | None = None
    hider: str = ""
    """Variable that hides the other GPUs; it counts those of its vendor."""
    version: str = ""
    background: bool = False
    contained: bool = False
    phase: int = 0
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def snippet(self) -> Snippet:
        """The piece of the file that it stands in."""
        return self.place.snippet

    @property
    def runtime(self) -> str:
        """Runtime of the catalog, empty for none."""
        return self.traits.runtime

    @property
    def traits(self) -> Program:
        """What is known of the program."""
        return traits_of(self.program)

    def number(self, name: str, default: int = 1) -> int | None:
        """Return a setting as a number; ``None`` where it is given and unknown."""
        found = self.settings.get(name)
        return default if found is None else found.number

    def text(self, name: str) -> str:
        """Return a setting's text, empty where it is not given or unknown."""
        found = self.settings.get(name)
        return found.text if found is not None and found.known else ""

    @property
    def model_name(self) -> str:
        """What the model is called, also in a folder that a variable keeps."""
        found = self.settings.get("model")
        kept = found is not None and _KEPT_FOLDER.fullmatch(found.text)
        return found.text if found is not None and (found.known or kept) else ""

    @property
    def open_ended(self) -> bool:
        """Whether a word of the command may hold options that nobody sees: ``$MORE``."""
        words = self.invocation.positionals if self.invocation is not None else ()
        first = 1 if self.traits.model_first else 0
        return any(not word.known for word in words[first:])

    @property
    def tensor(self) -> int | None:
        """Tensor parallel size."""
        return self.number("tensor")

    @property
    def pipeline(self) -> int | None:
        """Pipeline parallel size."""
        return self.number("pipeline")

    @property
    def data(self) -> int | None:
        """Copies that data parallelism starts, each on GPUs of its own."""
        inside = "attention_data" in self.settings
        return 1 if inside else self.number("data")

    @property
    def sequences(self) -> int | None:
        """Sequences that share the context that is asked for; ``None`` for an unknown number."""
        found = self.number("parallel")
        return None if found is None else max(1, found)

    @property
    def context_parts(self) -> int | None:
        """Parts that the context is cut in; ``None`` for an unknown number.

        Source:
            https://github.com/ggml-org/llama.cpp, ``src/llama-context.cpp`` (``n_ctx_seq``), read
            2026-11-27: each sequence has its part, unless one cache is for all of them.
        """
        whole = "unified" in self.settings or self.traits.context_each
        return 1 if whole else self.sequences

    @property
    def local_world(self) -> int | None:
        """GPUs that the launch takes where it is started, other machines apart."""
        local = self.settings.get("local_data")
        call = self.invocation
        if local is None or call is None:
            return self.world
        ranks = 1 if call.given("--data-parallel-rank") is not None else local.number
        if ranks is None or self.tensor is None or self.pipeline is None:
            return None
        return self.tensor * self.pipeline * ranks

    @property
    def world(self) -> int | None:
        """GPUs that one launch takes: tensor times pipeline times data parallel size."""
        sizes = (self.tensor, self.pipeline, self.data)
        if any(one is None or one < 1 for one in sizes):
            return None
        tensor, pipeline, data = (one or 1 for one in sizes)
        return tensor * pipeline * data


def of_invocation(
    snippet: Snippet, invocation: Invocation, variables: Mapping[str, str]
) -> Launch | None:
    """Read a call of a program as a launch; ``None`` for programs that load no model."""
    options_of = traits_of(invocation.program).settings
    if not options_of:
        return None
    settings: dict[str, Setting] = {}
    for name, options in options_of.items():
        for option in options:
            given = invocation.given(option)
            if given is not None and not _is_none(name, "".join(v.text for v in given.values)):
                settings[name] = _setting(snippet, given.values, given.word)
                break
    _without_model_option(snippet, invocation, settings)
    command = invocation.command
    hider, shown = _visible(snippet, invocation)
    return Launch(
        program=invocation.program,
        form=Form.COMMAND,
        settings=settings,
        place=Spot(snippet, command.start),
        comments=command.comments,
        invocation=invocation,
        version=invocation.version,
        background=command.background or any(w.text == "-d" for w in invocation.launcher),
        contained=snippet.around.contained
        or any(w.text in {"docker", "podman", "nerdctl"} for w in invocation.launcher),
        variables=variables,
        visible=None if shown is None else devices(shown.text),
        visible_place=None if shown is None else shown.place,
        hider=hider,
    )


def _is_none(name: str, text: str) -> bool:
    """Whether a setting says that nothing lies in system RAM, as where it is not given."""
    return name == "offload" and _NONE.fullmatch(text) is not None


ON = frozenset({"on", "enabled", "true", "1"})
OFF = frozenset({"off", "disabled", "false", "0"})
"""How the variable of a switch is read (llama.cpp, ``is_truthy`` and ``is_falsey``)."""


def with_variables(launch: Launch, given: Mapping[str, Setting]) -> Launch:
    """Add what variables say and the launch does not: its own options come before them."""
    settings = dict(launch.settings)
    for option, setting in _told(launch.traits, given):
        for name, options in launch.traits.settings.items():
            if option in options and name not in settings and not _is_none(name, setting.text):
                settings[name] = setting
    variables = dict(launch.variables) | {name: one.text for name, one in given.items()}
    return replace(launch, settings=settings, variables=variables)


def _told(traits: Program, given: Mapping[str, Setting]) -> Iterator[tuple[str, Setting]]:
    """Yield the options that variables stand for, with their values."""
    for name, option in traits.variables.items():
        if name in given:
            yield option, given[name]
    for name, (on, off) in traits.switches.items():
        text = given[name].text.lower() if name in given else ""
        option = on if text in ON else off if text in OFF else ""
        if option:
            yield option, replace(given[name], text="")


def _without_model_option(
    snippet: Snippet, invocation: Invocation, settings: dict[str, Setting]
) -> None:
    module = any(word.text in traits_of(invocation.program).modules for word in invocation.launcher)
    if traits_of(invocation.program).model_first and invocation.positionals and not module:
        word = invocation.positionals[0]
        settings["model"] = _setting(snippet, (word,), word)


def _setting(snippet: Snippet, values: Iterable[Word], word: Word) -> Setting:
    listed = tuple(values)
    if not listed:
        return Setting("", Spot(snippet, word.start), word.end)
    text = " ".join(one.text for one in listed)
    known = all(one.known for one in listed)
    return Setting(text, Spot(snippet, listed[0].start), listed[-1].end, known)


HIDERS = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK")
"""Variables that hide GPUs from a process."""
MOST_COUNTED = 64
"""GPUs of a container that are counted: no machine has more."""


def _visible(snippet: Snippet, invocation: Invocation) -> tuple[str, Setting | None]:
    """Find the GPUs that a call may see, in its variables or in its container's options."""
    for name, word in invocation.command.variables:
        if name in HIDERS and word.known:
            return name, Setting(word.text, Spot(snippet, word.start), word.end)
    words = invocation.launcher
    for at, word in enumerate(words):
        text = word.text
        if text.startswith("--gpus=") or (text == "--gpus" and at + 1 < len(words)):
            value = text.partition("=")[2] if "=" in text else words[at + 1].text
            listed = value.strip("\"'")
            if listed.startswith("device="):
                shown = listed.partition("=")[2]
                return HIDERS[0], Setting(shown, Spot(snippet, word.start), word.end)
            counted = any(one.text == "docker" for one in words[:at])  # Slurm's are all nodes'
            if counted and first_devices(listed):
                shown = ",".join(first_devices(listed))
                return HIDERS[0], Setting(shown, Spot(snippet, word.start), word.end)
        name, equals, value = text.partition("=")
        if name in HIDERS and equals and word.known and words[at - 1].text in {"-e", "--env"}:
            return name, Setting(value, Spot(snippet, word.start), word.end)
    return "", None


def devices(text: str) -> tuple[str, ...]:
    """Split a list of GPUs.

    >>> devices("0,1"), devices("")
    (('0', '1'), ())
    """
    return tuple(one.strip() for one in text.split(",") if one.strip())


def first_devices(count: str) -> tuple[str, ...]:
    """List the GPUs that Docker gives a container by their number; none for ``all``.

    Source:
        https://github.com/moby/moby, ``daemon/nvidia_linux.go`` (``countToDevices``), read
        2026-11-27: it gives every container the first ones.

    >>> first_devices("2"), first_devices("all")
    (('0', '1'), ())
    """
    number = whole_number(count) or 0
    return tuple(str(at) for at in range(number)) if number <= MOST_COUNTED else ()


def of_tree(snippet: Snippet, program: str, tree: Tree, table: OptionTable) -> dict[str, Setting]:
    """Read keyword arguments of an engine as settings."""
    named: dict[str, Tree] = {}
    for key, value in tree.fields.items():
        canonical = table.canonical("--" + key.replace("_", "-")) or "--" + key.replace("_", "-")
        named[canonical] = value
    settings: dict[str, Setting] = {}
    for name, options in traits_of(program).settings.items():
        for option in options:
            found = named.get(option)
            given = found is not None and found.scalar is not False
            if found is not None and given and not _is_none(name, found.text()):
                settings[name] = tree_setting(snippet, found)
                break
    return settings


def tree_setting(snippet: Snippet, value: Tree) -> Setting:
    """Turn a scalar into a setting; anything else is unknown."""
    known = value.known and value.kind == "scalar" and value.scalar is not None
    return Setting(value.text(), Spot(snippet, value.start), value.end, known)

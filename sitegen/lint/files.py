"""A file under the linter: read, held against every rule, its findings in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sitegen.catalog.text.source_text import MAX_BYTES, SourceText
from sitegen.lint.facts import LintContext
from sitegen.lint.launches import Launch
from sitegen.lint.ollama_library import is_elsewhere
from sitegen.lint.reading import read
from sitegen.lint.rules import problems_of
from sitegen.lint.rules.exposure import servers_maybe_guarded
from sitegen.lint.rules.fit import why_unweighed
from sitegen.lint.rules.options import judged, options_not_listed
from sitegen.lint.scene import FileModel
from sitegen.lint.snippets import Spot
from sitegen.problems import Problem
from sitegen.values import dataclass

ASKING = frozenset({"--version", "--help", "-h", "--list-devices", "--help-all"})
"""Options with which a program answers and loads nothing."""
MOST_FINDINGS = 500
"""Findings of one file that are kept: nobody reads on."""


@dataclass(frozen=True, slots=True)
class Smallest:
    """The smallest combo of the catalog on which a launch runs as it is written."""

    place: str
    model: str
    combo: str
    """Empty where no combo runs it."""


@dataclass(frozen=True, slots=True)
class Unweighed:
    """A launch of a known model on known hardware whose memory was not checked all the same."""

    place: str
    why: str


@dataclass(frozen=True, slots=True)
class ReadByName:
    """A file or folder of somebody's own that is called like a release."""

    place: str
    name: str
    meant: str


@dataclass(frozen=True, slots=True)
class Linted:
    """What was found in one file.

    Attributes:
        problems: In the order of the file.
        launches: Starts of a model that were read.
        without_hardware: How many of them name no hardware, and none was asked for: rules that
            need it said nothing about them.
        unknown_machines: How many of those have words about hardware around them that were not
            recognised, or mean several.
        unknown_models: Names of models that the catalog does not know, one for each launch.
        unnamed_models: How many launches name no model, or keep it in a variable; a server that
            loads what its clients ask for counts where no client does.
        by_name: Files and folders of which only the name says what they hold.
        unweighed: Launches of known models whose memory was not checked, and why.
        calls: Commands of programs that are known, also of those that load no model, and
            variables of their servers.
        other_versions: Calls of a version whose options were not read.
        unlisted: Options that no version had which was read, with their places: of a version to
            come or of somebody's own build.
        maybe_guarded: Places of servers on every address without a key, in files that speak of what
            may stand before them.
        unread: Places of commands that start a model server and were not understood.
        smallest: For each launch without hardware, where that was asked for.
    """

    problems: tuple[Problem, ...]
    launches: int = 0
    without_hardware: int = 0
    unknown_machines: int = 0
    unknown_models: tuple[str, ...] = ()
    unnamed_models: int = 0
    by_name: tuple[ReadByName, ...] = ()
    unweighed: tuple[Unweighed, ...] = ()
    calls: int = 0
    other_versions: int = 0
    unlisted: tuple[str, ...] = ()
    maybe_guarded: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    smallest: tuple[Smallest, ...] = ()


def lint(
    source: SourceText, facts: LintContext, kind: str = "",
    beside: Mapping[str, str] | None = None,
) -> Linted:  # fmt: skip
    """Hold one file against every rule.

    Args:
        source: Its text, line ends as line feeds.
        facts: Catalog, engine, options and the combo asked for.
        kind: How it is read; by its name where it is left out.
        beside: Versions by program that files beside it pin, as ``manifests`` reads them.
    """
    if len(source.text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        message = f"the file is larger than {MAX_BYTES // 2**20} MiB"
        return Linted((source.problem("too-large", message, hint="split it"),))
    return lint_scene(read(source, facts.tables, kind, beside), facts)


def lint_scene(scene: FileModel, facts: LintContext) -> Linted:
    """Hold what was read of a file against every rule."""
    found = sorted(set(problems_of(scene, facts)))
    unnamed = [one for one in scene.launches if one.runtime and facts.named(one) is None]
    return Linted(
        tuple(found[:MOST_FINDINGS]),
        launches=len(scene.launches),
        without_hardware=len(unnamed),
        unknown_machines=sum(facts.speaks_of_hardware(one) for one in unnamed),
        unknown_models=tuple(_unknown(scene, facts)),
        unnamed_models=_unnamed(scene),
        by_name=tuple(_by_name(scene, facts)),
        unweighed=tuple(
            Unweighed(_line(one.place), why)
            for one in scene.launches
            if (why := why_unweighed(one, facts))
        ),
        calls=len(scene.invocations) + len(scene.environment),
        other_versions=sum(judged(scene, facts, call) is None for _, call in scene.invocations),
        unlisted=tuple(
            f"{_line(place)}: {said}" for place, said in options_not_listed(scene, facts)
        ),
        maybe_guarded=tuple(_line(place) for place in servers_maybe_guarded(scene)),
        unread=tuple(_line(place) for place in scene.unread),
        smallest=tuple(_smallest(unnamed, facts)) if facts.auto else (),
    )


def _unnamed(scene: FileModel) -> int:
    """Count the launches that name no model which anybody can read."""
    loading = [one for one in scene.launches if one.traits.loads_models and not _is_told(one)]
    count = sum(not one.model_name for one in loading)
    served = any(call.program == "ollama" for _, call in scene.invocations)
    served = served or any(one.server == "ollama" for one in scene.environment)
    asked = any(one.traits.names_tags for one in loading)
    return count + (1 if served and not asked else 0)


def _is_told(launch: Launch) -> bool:
    """Whether a call asks only what a program says of itself, or of the machine."""
    call = launch.invocation
    return call is not None and any(one.written in ASKING for one in call.options)


def _unknown(scene: FileModel, facts: LintContext) -> Iterator[str]:
    """Yield the models that launches name and nobody knows here."""
    for launch in scene.launches:
        name = launch.model_name
        tagged = launch.traits.names_tags
        elsewhere = tagged and (is_elsewhere(name) or name.removesuffix(":latest") in scene.made)
        if name and not elsewhere and facts.loaded(launch) is None:
            yield name


def _by_name(scene: FileModel, facts: LintContext) -> Iterator[ReadByName]:
    """Yield the files and folders that were read as what they are called."""
    for launch in scene.launches:
        found = facts.loaded(launch)
        if found is not None and found.by_name:
            kind = found.checkpoint.quantization.name if found.checkpoint is not None else ""
            meant = ", ".join(filter(None, (found.model.name, kind)))
            yield ReadByName(_line(launch.place), launch.model_name, meant)


def _smallest(launches: Iterable[Launch], facts: LintContext) -> Iterator[Smallest]:
    for launch in launches:
        known, combo = facts.smallest(launch)
        if known:
            yield Smallest(_line(launch.place), launch.text("model"), combo.id if combo else "")


def _line(place: Spot) -> str:
    source = place.snippet.source
    line = source.text.count("\n", 0, place.snippet.index(place.index)) + 1
    return f"{source.path}:{line}"

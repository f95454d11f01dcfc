"""A file under the linter: read, held against every rule, its findings in order."""

from __future__ import annotations

from sitegen.catalog.text.source_text import MAX_BYTES, SourceText
from sitegen.lint.facts import Facts
from sitegen.lint.reading import read
from sitegen.lint.rules import problems_of
from sitegen.lint.scene import Scene
from sitegen.problems import Problem
from sitegen.values import dataclass

MOST_FINDINGS = 500
"""Findings of one file that are kept: nobody reads on."""


@dataclass(frozen=True, slots=True)
class Linted:
    """What was found in one file.

    Attributes:
        problems: In the order of the file.
        launches: Starts of a model that were read.
        without_hardware: How many of them name no hardware, and none was asked for: rules that
            need it said nothing about them.
    """

    problems: tuple[Problem, ...]
    launches: int = 0
    without_hardware: int = 0


def lint(source: SourceText, facts: Facts, kind: str = "") -> Linted:
    """Hold one file against every rule.

    Args:
        source: Its text, line ends as line feeds.
        facts: Catalog, engine, options and the combo asked for.
        kind: How it is read; by its name where it is left out.
    """
    if len(source.text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        message = f"the file is larger than {MAX_BYTES // 2**20} MiB"
        return Linted((source.problem("too-large", message, hint="split it"),))
    return lint_scene(read(source, facts.tables, kind), facts)


def lint_scene(scene: Scene, facts: Facts) -> Linted:
    """Hold what was read of a file against every rule."""
    found = sorted(set(problems_of(scene, facts)))
    unnamed = sum(facts.named(one) is None for one in scene.launches if one.runtime)
    return Linted(tuple(found[:MOST_FINDINGS]), len(scene.launches), unnamed)

"""Plants one mistake at a time in files of ``lint_corpus.json`` and counts those that are found.

A mistake is planted where a pattern finds something to spoil, in files whose launches the linter
knows by their model or version as far as the mistake needs it; it counts as found where its code
is reported once more than before::

    python -m benchmarks.lint_plants FOLDER
    python -m benchmarks.lint_plants FOLDER --part second
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.lint_corpus import PARTS, PROGRAM, ROOT, listed
from sitegen.catalog.load import parse_catalog
from sitegen.catalog.text.source_text import SourceText
from sitegen.fit.fit_engine import FitEngine
from sitegen.inputs import read_project
from sitegen.lint.facts import LintContext
from sitegen.lint.files import lint_scene
from sitegen.lint.launches import Launch
from sitegen.lint.options import option_tables
from sitegen.lint.reading import read
from sitegen.lint.rules.options import judged

SPELT = (
    r"(--(?:max-model-len|tensor-parallel-size|gpu-memory-utilization|tp|port|model-id|num-shard"
    r"|served-model-name|max-num-seqs|session-len|trust-remote-code|host))(?=[\s=\"'])"
)
TOO_SMALL = frozenset(
    {"does-not-fit", "world-size", "visible-gpus", "no-context-cap", "context-too-long",
     "unsupported", "may-not-fit"}
)  # fmt: skip
SMALL = "1x-rtx-2080-ti"
"""A combo on which next to nothing runs."""


@dataclass(frozen=True)
class Plant:
    """A mistake: what it spoils, how, and the codes of which one has to be reported."""

    name: str
    pattern: str
    spoil: Callable[[re.Match[str]], str]
    codes: frozenset[str]
    needs: str
    """``version``, ``model``, ``gpu`` (a model on a small GPU) or ``text``."""
    most: int = 16


def _wrong(text: str) -> Callable[[re.Match[str]], str]:
    return lambda found: found[1] + text


PLANTS = (
    Plant(
        "misspelt option", SPELT, lambda found: found[1][:-2] + "q" + found[1][-2:],
        frozenset({"unknown-option"}), "version", 24,
    ),
    Plant(
        "word for a number",
        r"(--(?:max-model-len|tensor-parallel-size|max-num-seqs|tp)[= ])\d+", _wrong("many"),
        frozenset({"option-value"}), "version",
    ),
    Plant(
        "share above one", r"(--(?:gpu-memory-utilization|mem-fraction-static)[= ])0?\.\d+",
        _wrong("9.5"), frozenset({"option-value"}), "version",
    ),
    Plant(
        "port beyond the last", r"(--(?:port|server-port)[= ])\d+", _wrong("99999"),
        frozenset({"option-value"}), "text",
    ),
    Plant(
        "context beyond the model", r"(--(?:max-model-len|context-length)[= ])\d+",
        _wrong("99999999"), frozenset({"context-beyond-model"}), "model",
    ),
    Plant(
        "size that divides nothing", r"(--(?:tensor-parallel-size|tp-size|tp)[= ])\d+",
        _wrong("7"), frozenset({"tensor-split"}), "model",
    ),
    Plant(
        "blank behind a backslash", r"(--[a-z-]+[^\n]*\\)(?=\n\s*--)", _wrong(" "),
        frozenset({"broken-continuation"}), "text",
    ),
    Plant("model for a small GPU", r"(?!)", _wrong(""), TOO_SMALL, "gpu", 30),
)  # fmt: skip


def _suits(plant: Plant, launch: Launch, text: str, facts: LintContext) -> Iterator[re.Match[str]]:
    """Yield what can be spoilt in the text of a launch."""
    call = launch.invocation
    if call is None:
        return
    known = facts.meant(launch) is not None and facts.runtime(launch) is not None
    if plant.needs == "model" and (not known or "overrides" in launch.settings):
        return
    snippet = launch.snippet
    first, last = snippet.index(call.command.start), snippet.index(call.command.end)
    yield from (
        found
        for found in re.compile(plant.pattern).finditer(text, first)
        if found.end() <= last + 1
    )


def planted(
    plant: Plant, source: SourceText, beside: Mapping[str, str], facts: LintContext
) -> Iterator[tuple[str, bool]]:
    """Plant a mistake once in each launch of a file; yield where, and whether it was found."""
    scene = read(source, facts.tables, beside=beside)
    before = Counter(one.code for one in lint_scene(scene, facts).problems)
    for launch in scene.launches:
        call = launch.invocation
        if call is None or (plant.needs == "version" and judged(scene, facts, call) is None):
            continue
        found = next(_suits(plant, launch, source.text, facts), None)
        if found is None:
            continue
        text = source.text[: found.start()] + plant.spoil(found) + source.text[found.end() :]
        changed = SourceText(source.path, text)
        again = read(changed, facts.tables, beside=beside)
        after = Counter(one.code for one in lint_scene(again, facts).problems)
        line = source.text.count("\n", 0, found.start()) + 1
        caught = any(after[code] > before[code] for code in plant.codes)
        yield f"{source.path}:{line}", caught


def on_a_small_gpu(
    source: SourceText, beside: Mapping[str, str], facts: LintContext, plant: Plant
) -> Iterator[tuple[str, bool]]:
    """Hold launches of models that are known against a GPU that is too small for them."""
    scene = read(source, facts.tables, beside=beside)
    problems = lint_scene(scene, facts).problems
    for launch in scene.launches:
        meant, pair = facts.meant(launch), facts.runtime(launch)
        if meant is None or meant.checkpoint is None or pair is None or launch.world is None:
            continue
        size = facts.engine.reduced(meant.model, meant.checkpoint).weights.total_bytes
        if size < 11 * 2**30 or "layers" in launch.traits.settings:
            continue
        line = source.text.count("\n", 0, launch.snippet.index(launch.place.index)) + 1
        last = line + 60
        found = [p for p in problems if p.code in plant.codes and line <= p.span.line <= last]
        yield f"{source.path}:{line}", bool(found)


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--part", type=click.Choice(["all", *PARTS]), default="all")
def main(folder: Path, part: str) -> None:
    """Plant, lint, count."""
    catalog = parse_catalog(read_project(ROOT).catalog)
    engine, tables = FitEngine(catalog), option_tables()
    plain, small = LintContext(engine, tables), LintContext(engine, tables, catalog.combos[SMALL])
    sources = [
        (SourceText(f"{one.repository} {one.path}", text), one.beside(folder))
        for one in listed(part)
        if PROGRAM.search(text := one.text(folder))
    ]
    total = caught = 0
    for plant in PLANTS:
        seen = hit = 0
        for source, beside in sources:
            if seen >= plant.most:
                break
            kept = SourceText(source.path.partition(" ")[2], source.text)
            where = (
                on_a_small_gpu(kept, beside, small, plant)
                if plant.needs == "gpu"
                else planted(plant, kept, beside, plain)
            )
            for place, found in [*where][:2]:
                seen, hit = seen + 1, hit + found
                if not found:
                    click.echo(f"not found: {plant.name}: {source.path.split()[0]} {place}")
        click.echo(f"{plant.name}: {hit} of {seen}")
        total, caught = total + seen, caught + hit
    click.echo(f"{caught} of {total} planted mistakes found ({caught / max(1, total):.1%})")


if __name__ == "__main__":
    main()

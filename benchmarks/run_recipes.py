"""Recipes drawn by a fixed seed over all runtimes, as folders, run to their end by stand-ins.

``python -m benchmarks.run_recipes`` draws 80, writes each as ``sitegen recipe --out`` does, and
runs its script on the machines of the plan, one after the other, with programs that stand in for
the real ones: they hold options to the tables that were read in the sources, serve and answer.
Nothing is edited: what a reader has to set (addresses of nodes, where files lie that nobody
publishes) comes from the environment.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.stand_ins.machine import Machine
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import Runtime
from sitegen.catalog.load import parse_catalog
from sitegen.fit.assess import assess
from sitegen.fit.assessment import FitRequest, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.inputs import read_project
from sitegen.recipes import recipes_for
from sitegen.recipes.folder import folder_of
from sitegen.recipes.folder.machines import Machines
from sitegen.recipes.folder.settings import variables
from sitegen.recipes.recipe import Language, Recipe
from sitegen.recipes.target import Target
from sitegen.survey.verdict_policy import reference_workload

SEED = 20_261_123
COUNT = 80
TRIES = 400
RESULTS = Path(__file__).with_name("run_recipes.json")


@dataclass(frozen=True, slots=True)
class Run:
    """One recipe on the machines of its plan."""

    runtime: str
    form: str
    combo: str
    model: str
    checkpoint: str
    repository: str
    machines: int
    status: int
    said: str = ""


def drawn(engine: FitEngine, seed: int, count: int) -> Iterator[tuple[str, Recipe]]:
    """Draw recipes, one runtime after the other, until there are enough."""
    chance = random.Random(seed)  # noqa: S311 - a sample, not a secret
    catalog = engine.catalog
    runtimes = [one for one in catalog.runtimes.values() if one.profiles or one.drives]
    found = 0
    while found < count:
        for runtime in runtimes:
            recipe = _one(engine, runtime, chance)
            if recipe is not None and found < count:
                found += 1
                yield runtime.id, recipe


def _one(engine: FitEngine, runtime: Runtime, chance: random.Random) -> Recipe | None:
    catalog = engine.catalog
    combos, models = list(catalog.combos.values()), list(catalog.models.values())
    engines = {one.id: (one, profile) for one, profile in engine.assessed_runtimes()}
    loads = [engines[name] for name in (runtime.id, *runtime.drives) if name in engines]
    for _ in range(TRIES):
        combo, model = chance.choice(combos), chance.choice(models)
        runs, profile = chance.choice(loads)
        goal = chance.choice([PlanGoal.LARGEST_MODEL, PlanGoal.THROUGHPUT])
        if runtime.drives:
            combo = replace(combo, orchestrator=runtime.id)
        fitting = [c for c in model.checkpoints if c.quantization.format in runs.formats]
        published = [one for one in fitting if one.is_published]
        if not fitting:
            continue
        checkpoint = chance.choice(published or fitting)
        workload = reference_workload(engine, model)
        request = FitRequest(model, checkpoint, combo, runs, profile, workload, goal=goal)
        written = recipes_for(assess(engine, request))
        wanted = [one for one in written if not runtime.drives or one.id == runtime.id]
        if wanted:
            return chance.choice(wanted)
    return None


def run(
    recipe: Recipe,
    runtime: str,
    folder: Path,
    repositories: Path,
    heard: list[tuple[str, ...]] | None = None,
) -> Run:
    """Run a recipe on its machines: the first, the last, and one between.

    ``heard`` gets every command that the scripts called.
    """
    found = recipe.assessment
    machines = Machines.of(recipe)
    used = [at + 1 for at, gpus in enumerate(machines.used) if gpus]
    chosen = sorted({used[0], used[len(used) // 2], used[-1]})
    target = Target.of(found)
    base = Run(
        runtime,
        recipe.id,
        found.combo.id,
        found.model.id,
        found.checkpoint.id,
        target.repository if target else "",
        len(chosen),
        0,
    )
    for node in chosen:
        on = folder / str(node)
        status, said, calls = _on(recipe, machines, node, on, repositories)
        if heard is not None:
            heard += calls
        if status:
            return replace(base, status=status, said=said[-1_500:])
    return base


def _on(
    recipe: Recipe, machines: Machines, node: int, folder: Path, repositories: Path
) -> tuple[int, str, tuple[tuple[str, ...], ...]]:
    gpus = machines.megabytes(node - 1)
    installed = sum(one.installed_bytes for one in machines.nodes[node - 1].gpus)
    machine = Machine(folder / "machine", gpus, memory_bytes=installed, repositories=repositories)
    machine.prepare()
    written = folder / "recipe"
    for name, text in folder_of(recipe, title="A drawn recipe", asked="benchmarks").items():
        path = written / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    settings = {"NODE": str(node), **own_settings(recipe, folder / "models")}
    try:
        done = machine.run(written / "run.sh", settings=settings)
        stopped = machine.run(written / "run.sh", "stop", settings=settings)
    except subprocess.TimeoutExpired as late:
        return 124, f"it does not end: {late.stdout!r}", ()
    logs = "".join(path.read_text("utf-8") for path in sorted(written.glob("state/logs/*")))
    calls = (*done.calls, *stopped.calls)
    return done.status or stopped.status, f"{done.said}{stopped.said}{logs}", calls


def own_settings(recipe: Recipe, models: Path) -> Mapping[str, str]:
    """Set what a reader sets: addresses of nodes, and where files lie that nobody publishes."""
    found = {}
    for name, (value, _) in variables(recipe).items():
        if value.startswith("10.0.0.") or name.startswith("NODE_"):
            found[name] = "127.0.0.1"
        if value.removeprefix("$HOME").startswith("/models/"):
            path = models / Path(value).name
            found[name] = str(path)
            _brought(path)
    return found


def _brought(path: Path) -> None:
    """Lay down the files that a reader brings."""
    if path.suffix == ".gguf":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"0")
        return
    path.mkdir(parents=True, exist_ok=True)
    path.joinpath("model.safetensors").write_bytes(b"0")
    config = {"quantization_config": {"bits": 4}}
    path.joinpath("config.json").write_text(json.dumps(config), encoding="utf-8")


def repositories_of(catalog: Catalog) -> str:
    """List every repository that the catalog names."""
    named = {model.repository for model in catalog.models.values()}
    named |= {c.repository for model in catalog.models.values() for c in model.checkpoints}
    return "\n".join(sorted(filter(None, named)))


def main(words: list[str]) -> int:
    """Draw, run, and write down what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--written", type=Path, help="keep what is printed and called here")
    parser.add_argument("--part", default="1/1", help="run every Nth recipe, from the Kth: K/N")
    parser.add_argument("--print", action="store_true", help="write recipes down, and run none")
    parser.add_argument("--join", type=Path, nargs="+", help="what parts have kept: run nothing")
    given = parser.parse_args(words)
    if given.join:
        return joined(given.seed, given.join, given.written)
    part, parts = map(int, given.part.split("/"))
    kept: list[str] = []
    catalog = parse_catalog(read_project(Path.cwd()).catalog)
    engine = FitEngine(catalog)
    runs = []
    with tempfile.TemporaryDirectory() as temporary:
        listed = Path(temporary, "repositories")
        listed.write_text(repositories_of(catalog), encoding="utf-8")
        for at, (runtime, recipe) in enumerate(drawn(engine, given.seed, given.count)):
            if at % parts != part - 1:
                continue
            if given.print:
                kept.append(json.dumps(written(recipe, [])))
                continue
            folder = Path(temporary, str(at))
            heard: list[tuple[str, ...]] = []
            one = run(recipe, runtime, folder, listed, heard)
            kept.append(json.dumps(written(recipe, heard) | {"at": at, "run": asdict(one)}))
            shutil.rmtree(folder, ignore_errors=True)  # a last call may still be logged
            runs.append(one)
            line = f"{at + 1:3} {one.status} {one.runtime} {one.form} {one.combo} {one.model}"
            print(line, flush=True)
            if one.status:
                print(one.said)
    if given.written:
        given.written.write_text("\n".join(kept) + "\n", encoding="utf-8")
    whole = parts == 1 and not given.print
    return reported(given.seed, runs) if whole else int(any(one.status for one in runs))


def joined(seed: int, parts: list[Path], into: Path | None) -> int:
    """Put what parts have kept into one, and report on all of it."""
    lines = [line for path in parts for line in path.read_text("utf-8").splitlines()]
    lines.sort(key=lambda line: int(json.loads(line)["at"]))
    if into:
        into.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return reported(seed, [Run(**json.loads(line)["run"]) for line in lines])


def reported(seed: int, runs: list[Run]) -> int:
    """Write the report; 1 where a run failed."""
    report = summary(seed, runs)
    RESULTS.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(report["figures"], indent=1))
    return int(any(one.status for one in runs))


def written(recipe: Recipe, calls: list[tuple[str, ...]]) -> dict[str, object]:
    """Keep what a recipe prints and calls, for ``benchmarks.real_parsers``."""
    bash = [step.text for step in recipe.steps if step.language is Language.BASH]
    return {
        "form": recipe.id,
        "combo": recipe.assessment.combo.id,
        "calls": list(dict.fromkeys(calls)),
        "bash": bash,
        "files": dict(folder_of(recipe, title="A drawn recipe", asked="benchmarks")),
    }


def summary(seed: int, runs: list[Run]) -> dict[str, object]:
    """Count what ran to its end, by runtime and by form."""
    return {
        "seed": seed,
        "figures": {
            "recipes": len(runs),
            "run_to_the_end": sum(not one.status for one in runs),
            "scripts_run": sum(one.machines for one in runs),
            "with_a_repository": sum(bool(one.repository) for one in runs),
            "by_runtime": dict(sorted(Counter(one.runtime for one in runs).items())),
            "by_form": dict(sorted(Counter(one.form for one in runs).items())),
        },
        "runs": [asdict(one) for one in runs],
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

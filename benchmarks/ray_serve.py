"""Holds the Ray Serve recipes against Ray itself, and serves one of them with a stand-in engine.

Makes an environment with ``ray[serve]`` of the version that the recipes name (some hundred
megabytes, so it is no part of ``make test``), checks every ``serve.yaml`` of the catalog's combos
for Ray with Ray's own schema classes, then starts one on logical GPUs and asks it over HTTP:

    python -m benchmarks.ray_serve [--python PATH]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sitegen.catalog.load import parse_catalog
from sitegen.fit.assess import assess
from sitegen.fit.assessment import FitRequest, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.inputs import read_project
from sitegen.recipes import recipes_for
from sitegen.recipes.forms.ray_serve import ORCHESTRATOR
from sitegen.recipes.versions import READ
from sitegen.survey.verdict_policy import reference_workload

CHILD = Path(__file__).parent / "ray_stand_in.py"
PACKAGES = (f"ray[serve]=={READ['ray']}", "pyarrow", "pyyaml")


def serve_files() -> Iterator[tuple[str, str]]:
    """Write the Serve file of every model that runs on a combo built for Ray Serve."""
    catalog = parse_catalog(read_project(Path.cwd()).catalog)
    engine = FitEngine(catalog)
    runtimes = {runtime.id: (runtime, profile) for runtime, profile in engine.assessed_runtimes()}
    runtime, profile = runtimes["vllm"]
    combos = [one for one in catalog.combos.values() if one.orchestrator == ORCHESTRATOR]
    for combo in combos:
        for model in catalog.surveyed_models:
            for checkpoint in model.checkpoints:
                if checkpoint.quantization.format not in runtime.formats:
                    continue
                request = FitRequest(
                    *(model, checkpoint, combo, runtime, profile),
                    workload=reference_workload(engine, model),
                    goal=PlanGoal.THROUGHPUT,
                )
                for recipe in recipes_for(assess(engine, request)):
                    for step in recipe.steps:
                        if step.file == "serve.yaml":
                            yield f"{combo.id}-{model.id}-{checkpoint.id}", step.text


def environment(folder: Path) -> Path:
    """Make an environment with Ray; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "-q", "--disable-pip-version-check", "install"]
    subprocess.run([*pip, *PACKAGES], check=True)
    return python


def main(words: list[str]) -> int:
    """Write the files, make the environment unless one is given, and run the checks in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", type=Path, help="Of an environment that has Ray already.")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        files = []
        for name, text in serve_files():
            path = folder / f"{name}.yaml"
            path.write_text(text + "\n", encoding="utf-8")
            files.append(str(path))
        python = given.python or environment(folder / "environment")
        return subprocess.run([str(python), str(CHILD), *files], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Python and Chromium on the same questions, compared exactly; and how long the browser takes.

Every fit tuple of the static combo pages, random builds with a random model each, what is said of
an opened model in both, and the time of the whole list of models over random builds::

    python -m benchmarks.browser_parity --builds 10000
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from benchmarks.opened_models import opened_differences, opening_ms, running
from sitegen.browser.engine_script import custom_files
from sitegen.browser.program import program
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, UnifiedMemory
from sitegen.fit.assessment import PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.inputs import read_project
from sitegen.pipeline.pages import render
from sitegen.pipeline.sources import parse
from sitegen.site.collect import collect_pages
from sitegen.site.composed_address import read_state
from sitegen.site.inputs import SiteInputs
from sitegen.site.pages import custom as custom_page
from sitegen.survey.composed_build import KV_BITS, combo_of, verdict_of
from sitegen.survey.every_combo import prepare_all, survey_combo
from sitegen.survey.results import Survey
from sitegen.units import GIB

ROOT = Path(__file__).parents[1]
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
BATCH = 500
BY_ID = frozenset({"model", "checkpoint", "runtime", "profile", "combo"})
RECORD = """const written = (found) => JSON.stringify(found, (key, value) =>
  key.startsWith("$") ? undefined
  : BY_ID.includes(key) && value instanceof Object ? value.id ?? value.version : value);
""".replace("BY_ID", json.dumps(sorted(BY_ID)))
"""Assessments as JSON, every field of it, with records of the catalog by their ids."""
OPEN = """() => {
  const steps = sitegen.opening(sitegenData);
  let step = steps.next();
  while (!step.done) step = steps.next();
  const data = step.value;
  const {catalog} = data, engine = sitegen.open_engine(
    catalog, data.evidence, data.losses, data.ratings);
  const verdicts = (combo, asked, cured) => sitegen.in_order(
    catalog.surveyed_models
      .map((model) => sitegen.verdict_of(engine, combo, model, asked, cured))
      .filter((one) => one !== null));
  window.parity = {catalog, engine, verdicts};
}"""
OF_COMBO = """([id, context]) => {
  const {catalog, verdicts} = window.parity;
  const found = verdicts(catalog.combos[id], new sitegen.BuildQuestion(context), true);
  RECORD
  return written(found);
}""".replace("RECORD", RECORD)
OF_BUILDS = """(questions) => {
  const {catalog, engine} = window.parity;
  RECORD
  return written(questions.map((text) => {
    const state = sitegen.read_state(text, catalog);
    const combo = sitegen.combo_of(catalog, state.build, state.combo);
    const found = sitegen.verdict_of(engine, combo, catalog.models[state.model], state.asked);
    return [sitegen.write_state(state, catalog), found];
  }));
}""".replace("RECORD", RECORD)
TIMED = """(texts) => {
  const {catalog, verdicts} = window.parity;
  return texts.map((text) => {
    const begun = performance.now();
    const state = sitegen.read_state(text, catalog);
    const combo = sitegen.combo_of(catalog, state.build, state.combo);
    const found = verdicts(combo, state.asked, false);
    const judged = performance.now();
    const results = sitegen.results(found, combo, state, catalog);
    for (let at = 0; at < sitegen.blocks_of(results); at++) [...sitegen.block_pieces(results, at)];
    return [judged - begun, performance.now() - begun];
  });
}"""


@cache
def opened_catalog() -> tuple[Catalog, FitEngine]:
    """Return the real catalog and an engine over it, made once."""
    catalog = parse(read_project(ROOT)).catalog
    engine = FitEngine(catalog)
    prepare_all(engine)
    return catalog, engine


def published(catalog: Catalog, engine: FitEngine, folder: Path) -> Path:
    """Write the page with its scripts into a folder, and return the page's path."""
    project = read_project(ROOT)
    settings = parse(project).settings
    inputs = SiteInputs(catalog, engine, Survey({}), {}, {}, (), settings)
    site = collect_pages(inputs, [custom_page.pages])
    files = render(site, project.templates, project.assets)
    files |= custom_files(catalog, engine, program().engine)
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return folder / "custom" / "index.html"


def differences(one: object, other: object, at: str = "") -> Iterator[str]:
    """Name where two records differ; numbers must be the same, not near."""
    if one == other:
        return
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            yield from differences(one.get(key), other.get(key), f"{at}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from differences(a, b, f"{at}[{index}]")
    else:
        yield f"{at}: Python {one!r}, browser {other!r}"


def static_differences(page: Page, engine: FitEngine, combo: Combo) -> tuple[int, list[str]]:
    """Compare every row of a combo's page with the browser; return how many rows there are."""
    rows = [record_of(row.pick) for row in survey_combo(engine, combo).rows]
    reference = int(engine.assumptions["reference-context-tokens"].value.mid)
    found = json.loads(page.evaluate(OF_COMBO, [combo.id, reference]))
    return len(rows), list(differences(rows, found, combo.id))


def record_of(value: object, key: str = "") -> Any:
    """Write a value as ``RECORD`` does in the browser."""
    if key in BY_ID and _fields_of(type(value)) is not None:
        return getattr(value, "id", None) or getattr(value, "version", None)
    names = _fields_of(type(value))
    if names is not None:
        return {name: record_of(getattr(value, name), name) for name in names}
    if isinstance(value, Mapping):
        return {str(name): record_of(one, str(name)) for name, one in value.items()}
    if isinstance(value, tuple | list):
        return [record_of(one) for one in value]
    return str(value) if isinstance(value, str) else value


_FIELDS: dict[type, tuple[str, ...] | None] = {}


def _fields_of(kind: type) -> tuple[str, ...] | None:
    if kind not in _FIELDS:
        names = tuple(one.name for one in fields(kind)) if is_dataclass(kind) else None
        _FIELDS[kind] = names
    return _FIELDS[kind]


def random_build(dice: random.Random, catalog: Catalog) -> str:
    """Return the address of a build that nobody has, with a question and a model."""
    gpus = tuple(catalog.gpus.values())
    inside = [link.id for link in catalog.interconnects.values() if not link.between_nodes]
    between = [link.id for link in catalog.interconnects.values() if link.between_nodes]
    machines = []
    for _ in range(dice.choice([1, 1, 1, 2])):
        cards = []
        for _ in range(dice.choice([1, 1, 1, 2, 3])):
            gpu = dice.choice(gpus)
            text = f"{gpu.id}*{dice.choice([1, 1, 2, 2, 3, 4, 6, 8])}"
            if isinstance(gpu.memory, UnifiedMemory):
                text += f"@{dice.choice(gpu.memory.options_bytes) // GIB}"
            cards.append(text)
        ram, speed = dice.choice(["", "", "64", "256", "1024"]), dice.choice(["", "", "200"])
        system = dice.choice(["linux", "linux", "windows", "macos"])
        desktop = dice.choice(["", "", "display"])
        link = dice.choice(["", *inside])
        count = dice.choice([1, 1, 1, 2, 3, 4])
        machines.append(
            f"machine={count};{'+'.join(cards)};{link};{ram};{speed};{system};{desktop}"
        )
    runtimes = ["", "", "", *catalog.runtimes]
    context = dice.choice([512, 4_096, 8_192, 8_192, 16_384, 32_768, 65_536, 131_072, 1_048_576])
    return "&".join(
        [
            *machines,
            f"network={dice.choice(between)}",
            f"context={context}",
            f"users={dice.choice([1, 1, 1, 2, 4, 8, 17, 64])}",
            f"kv={dice.choice([16, 16, *KV_BITS])}",
            f"goal={dice.choice(list(PlanGoal))}",
            f"runtime={dice.choice(runtimes)}",
            f"model={dice.choice(catalog.surveyed_models).id}",
        ]
    )


def random_differences(
    page: Page, engine: FitEngine, questions: Sequence[str]
) -> tuple[int, list[str]]:
    """Compare builds with the browser; return how many have a verdict, and what differs."""
    catalog, judged, found = engine.catalog, 0, []
    for start in range(0, len(questions), BATCH):
        batch = list(questions[start : start + BATCH])
        answers = json.loads(page.evaluate(OF_BUILDS, batch))
        for text, (address, answer) in zip(batch, answers, strict=True):
            state = read_state(text, catalog)
            if read_state(address, catalog) != state:
                found.append(f"{text}: the address {address} is another build")
            combo = combo_of(catalog, state.build, state.combo)
            assessed = verdict_of(engine, combo, catalog.models[state.model], state.asked)
            judged += assessed is not None
            expected = None if assessed is None else record_of(assessed)
            found += differences(expected, answer, text)
    return judged, found


def whole_list_ms(page: Page, questions: Sequence[str]) -> list[tuple[float, float]]:
    """Return milliseconds per build: judging all models, and with the tables written."""
    return [(judged, whole) for judged, whole in page.evaluate(TIMED, list(questions))]


def timing_builds(catalog: Catalog, count: int, seed: int) -> list[str]:
    """Return builds as readers compose them: few kinds of GPU, any question."""
    dice = random.Random(seed)  # noqa: S311 - a seeded sample
    combos = list(catalog.combos)
    contexts, users = [4_096, 8_192, 32_768, 131_072], [1, 1, 4, 16]
    return [
        f"combo={dice.choice(combos)}&context={dice.choice(contexts)}&users={dice.choice(users)}"
        if dice.random() < 0.5
        else random_build(dice, catalog)
        for _ in range(count)
    ]


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def opening_builds(catalog: Catalog, count: int, seed: int) -> list[str]:
    """Return the whole list of models, each opened on a build of those that are timed."""
    builds = timing_builds(catalog, max(1, count // 20), seed)
    bare = [build.rpartition("&model=")[0] or build for build in builds]
    return [f"{build}&model={model.id}" for build in bare for model in catalog.surveyed_models]


def _shares(values: Sequence[float]) -> str:
    return ", ".join(f"p{p} {percentile(values, p / 100):.0f} ms" for p in (50, 95, 100))


def _report(page: Page, catalog: Catalog, engine: FitEngine, asked: argparse.Namespace) -> None:
    page.evaluate(OPEN)
    times = whole_list_ms(page, timing_builds(catalog, asked.timed, asked.seed))[5:]
    for name, of in (("judged", 0), ("judged and written", 1)):
        shares = _shares([one[of] for one in times])
        print(f"whole list of models, {name}, over {len(times)} builds: {shares}", flush=True)
    for name, values in opening_ms(page, opening_builds(catalog, asked.timed, asked.seed)).items():
        print(f"opened model, {name}: {_shares(values)}", flush=True)
    tuples, wrong = 0, list[str]()
    for combo in catalog.combos.values():
        count, found = static_differences(page, engine, combo)
        tuples, wrong = tuples + count, [*wrong, *found]
    print(f"static tuples: {tuples}, different: {len(wrong)}", *wrong[:10], sep="\n  ", flush=True)
    opened, recipes, wrong = 0, 0, []
    for combo in catalog.combos.values():
        ask = [(text, at % asked.every == 0) for at, text in enumerate(running(engine, combo))]
        count, found = opened_differences(page, engine, ask)
        opened, recipes, wrong = opened + len(ask), recipes + count, [*wrong, *found]
    print(f"opened models: {opened}, recipes: {recipes}, different: {len(wrong)}", flush=True)
    print(*wrong[:10], sep="\n", flush=True)
    dice = random.Random(asked.seed)  # noqa: S311 - a seeded sample
    questions = [random_build(dice, catalog) for _ in range(asked.builds)]
    judged, recipes, wrong = 0, 0, []
    for start in range(0, len(questions), BATCH):
        fresh = FitEngine(catalog, engine.evidence)  # so that memory does not grow without end
        page.evaluate(OPEN)
        batch = questions[start : start + BATCH]
        count, found = random_differences(page, fresh, batch)
        ask = [(text, at % asked.every == 0) for at, text in enumerate(batch)]
        written, other = opened_differences(page, fresh, ask)
        judged, recipes, wrong = judged + count, recipes + written, [*wrong, *found, *other]
    shares = f"with a verdict: {judged}, recipes: {recipes}, different: {len(wrong)}"
    print(f"random builds: {len(questions)}, {shares}", *wrong[:10], sep="\n")


def main() -> None:
    """Compare and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--builds", type=int, default=10_000)
    parser.add_argument("--timed", type=int, default=105)
    words = "losses and other checkpoints of one opened model in so many"
    parser.add_argument("--every", type=int, default=5, help=words)
    parser.add_argument("--seed", type=int, default=20_261_121)
    asked = parser.parse_args()
    catalog, engine = opened_catalog()
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    chromium = next((found for name in names if name and (found := shutil.which(name))), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = browser.new_page()
        page.goto(published(catalog, engine, Path(folder)).as_uri())
        page.wait_for_selector("html[data-ready]", timeout=60_000)
        _report(page, catalog, engine, asked)
        browser.close()


if __name__ == "__main__":
    main()

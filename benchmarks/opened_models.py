"""What is said of an opened model on a composed build, by Python and by Chromium, compared exactly.

Commands of every question; losses and other checkpoints, which are many verdicts each, of a share.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from playwright.sync_api import Page

from sitegen.browser.html import further_html, losses_html, others_html
from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.site.composed_address import read_state
from sitegen.site.reports.opened_model import commands, further, losses, others
from sitegen.survey.composed_build import BuildQuestion, combo_of, verdict_of
from sitegen.survey.composed_model import after_losses, curves_of, other_ways

Answer = dict[str, Any]
LOAD = """() => new Promise((done, failed) => {
  if (sitegen.commands) return done();
  const script = document.createElement("script");
  script.src = document.getElementById("build").dataset.further;
  script.onload = () => done();
  script.onerror = () => failed(new Error(script.src));
  document.head.append(script);
})"""
OPENED = """(questions) => {
  const {catalog, engine} = window.parity;
  const known = (name, value) => (name.startsWith("$") ? undefined : value);
  return JSON.stringify(questions.map(([text, whole]) => {
    const state = sitegen.read_state(text, catalog), {asked} = state;
    const combo = sitegen.combo_of(catalog, state.build, state.combo);
    const found = sitegen.verdict_of(engine, combo, catalog.models[state.model], asked);
    if (found === null) return null;
    const answer = {commands: sitegen.commands(found)};
    if (!whole) return answer;
    const curves = sitegen.curves_of(engine, found, asked);
    const lost = [...sitegen.after_losses(engine, found, asked)];
    const ways = [...sitegen.other_ways(engine, found, asked)];
    return {
      ...answer,
      further: sitegen.further_html(sitegen.further(found, curves)),
      losses: sitegen.losses_html(sitegen.losses(found, lost, catalog)),
      others: sitegen.others_html(sitegen.others(ways)),
    };
  }), known);
}"""
OPENING_MS = """(texts) => {
  const {catalog, engine} = window.parity;
  return texts.map((text) => {
    const state = sitegen.read_state(text, catalog), {asked} = state;
    const combo = sitegen.combo_of(catalog, state.build, state.combo);
    const begun = performance.now();
    const found = sitegen.verdict_of(engine, combo, catalog.models[state.model], asked);
    if (found === null) return null;
    sitegen.details_html(sitegen.details(found, catalog));
    const verdict = performance.now();
    sitegen.commands_html(sitegen.commands(found));
    const commands = performance.now();
    const lost = [...sitegen.after_losses(engine, found, asked)];
    sitegen.losses_html(sitegen.losses(found, lost, catalog));
    const losses = performance.now();
    const ways = [...sitegen.other_ways(engine, found, asked)];
    sitegen.others_html(sitegen.others(ways));
    const done = performance.now();
    return [verdict - begun, commands - verdict, losses - commands, done - losses];
  }).filter((one) => one !== null);
}"""
PIECES = ("verdict", "commands", "losses", "other checkpoints")


def answer(engine: FitEngine, text: str, *, whole: bool) -> Answer | None:
    """Say what the page says of the model that an address opens; ``None`` without a verdict."""
    state = read_state(text, engine.catalog)
    combo = combo_of(engine.catalog, state.build, state.combo)
    found = verdict_of(engine, combo, engine.catalog.models[state.model], state.asked)
    return None if found is None else _answer(engine, found, state.asked, whole=whole)


def _answer(engine: FitEngine, found: Assessment, asked: BuildQuestion, *, whole: bool) -> Answer:
    run = commands(found)
    said: Answer = {"commands": None if run is None else asdict(run)}
    if whole:
        lost = tuple(after_losses(engine, found, asked))
        ways = tuple(other_ways(engine, found, asked))
        said["further"] = further_html(further(found, curves_of(engine, found, asked)))
        said["losses"] = losses_html(losses(found, lost, engine.catalog))
        said["others"] = others_html(others(ways))
    plain: Answer = json.loads(json.dumps(said))
    return plain


def opened_differences(
    page: Page, engine: FitEngine, questions: Sequence[tuple[str, bool]]
) -> tuple[int, list[str]]:
    """Compare opened models; return how many recipes there are, and what differs."""
    recipes, wrong = 0, []
    for (text, whole), there in zip(questions, asked_of(page, questions), strict=True):
        here = answer(engine, text, whole=whole)
        recipes += len(here["commands"]["recipes"]) if here and here["commands"] else 0
        if here != there:
            wrong.append(f"{text}: {_first_difference(here, there)}")
    return recipes, wrong


def asked_of(page: Page, questions: Sequence[tuple[str, bool]]) -> list[Answer | None]:
    """Return what the browser says."""
    page.evaluate(LOAD)
    found: list[Answer | None] = json.loads(page.evaluate(OPENED, [list(q) for q in questions]))
    return found


def _first_difference(one: Answer | None, other: Answer | None) -> str:
    if one is None or other is None:
        return "a verdict in one of them alone"
    here, there = (json.dumps(value, sort_keys=True) for value in (one, other))
    at = next((at for at, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), 0)
    near = slice(max(0, at - 60), at + 60)
    return f"Python …{here[near]}…, browser …{there[near]}…"


def opening_ms(page: Page, texts: Sequence[str]) -> dict[str, list[float]]:
    """Return the milliseconds that each piece of an opened model takes, by its name."""
    page.evaluate(LOAD)
    rows = page.evaluate(OPENING_MS, list(texts))
    return {name: [row[at] for row in rows] for at, name in enumerate(PIECES)}


def running(engine: FitEngine, combo: Combo) -> Iterator[str]:
    """Yield the addresses of every model that runs on a combo, at the reference workload."""
    asked = read_state("", engine.catalog).asked
    for model in engine.catalog.surveyed_models:
        found = verdict_of(engine, combo, model, asked, cured=False)
        if found is not None and found.tier is not FitTier.NOT_PRACTICAL:
            yield f"combo={combo.id}&model={model.id}"

"""The engine for browsers, with its data, in Node: the same records as here, without Chromium."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from benchmarks.browser_parity import (
    RECORD,
    differences,
    opened_catalog,
    random_build,
    record_of,
)
from sitegen.browser.engine_script import data_scripts, engine_scripts
from sitegen.browser.home import home_state
from sitegen.recipes import recipes_for
from sitegen.render.first_answer import answer_html
from sitegen.site.combo.first_answer import first_view
from sitegen.site.composed_address import read_state
from sitegen.survey.composed_build import combo_of, verdict_of
from sitegen.survey.first_answer import of_model
from tests.made_once import browser_program
from tests.translator.running import run_script

ASK = (
    RECORD
    + """
const steps = sitegen.opening(self.sitegenData);
let step = steps.next();
while (!step.done) step = steps.next();
const {catalog, evidence, losses, ratings} = step.value;
const engine = sitegen.open_engine(catalog, evidence, losses, ratings);
const asked = JSON.parse(require('fs').readFileSync(0, 'utf8'));
process.stdout.write(written(asked.map((text) => {
  const state = sitegen.read_state(text, catalog);
  const combo = sitegen.combo_of(catalog, state.build, state.combo);
  return sitegen.verdict_of(engine, combo, catalog.models[state.model], state.asked);
})));
"""
)
WITH_RECORDS = (
    "combo=1x-dgx-spark&model=gpt-oss-120b",
    "combo=1x-dgx-spark&model=gpt-oss-120b&runtime=vllm",
    "combo=1x-strix-halo&model=gpt-oss-20b&users=4",
    "combo=1x-rtx-4090&model=qwen3-8b&users=8&context=4096&runtime=vllm",
    "combo=1x-rtx-3090&model=qwen3-0.6b&users=100&context=512&runtime=llama-cpp",
)
"""Builds near which somebody measured, and such that serve a number of users."""
RANDOM_BUILDS = 60


def test_the_browser_s_engine_gives_the_same_records(tmp_path: Path) -> None:
    catalog, engine = opened_catalog()
    dice = random.Random(20261123)  # noqa: S311 - a seeded sample
    questions = [*WITH_RECORDS, *(random_build(dice, catalog) for _ in range(RANDOM_BUILDS))]
    made = browser_program().engine
    texts = [engine_scripts(made)[0], *data_scripts(catalog, engine, made)]
    script = "\n".join(["globalThis.self = globalThis;", *texts, ASK])
    answers: list[Any] = run_script(script, questions, tmp_path)
    wrong = []
    for question, theirs in zip(questions, answers, strict=True):
        state = read_state(question, catalog)
        combo = combo_of(catalog, state.build, state.combo)
        found = verdict_of(engine, combo, catalog.models[state.model], state.asked)
        ours = None if found is None else record_of(found)
        wrong += [f"{question}{one}" for one in differences(ours, theirs)]
    assert not wrong, wrong[:5]
    known = [one for one in answers[: len(WITH_RECORDS)] if one["anchors"]]
    assert len(known) >= 3
    assert [answers[at]["speed"]["batch"] for at in (2, 3, 4)] == [4, 8, 100]


ANSWER = """
const steps = sitegen.opening(self.sitegenData);
let step = steps.next();
while (!step.done) step = steps.next();
const {catalog, evidence, losses, ratings} = step.value;
const engine = sitegen.open_engine(catalog, evidence, losses, ratings);
const asked = JSON.parse(require('fs').readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(asked.map((text) => {
  const state = sitegen.home_state(text, catalog, 0);
  const combo = sitegen.combo_of(catalog, state.build, state.combo);
  const found = sitegen.verdict_of(engine, combo, catalog.models[state.model], state.asked);
  const view = sitegen.first_view(sitegen.of_model(combo, found), state, catalog);
  const steps = sitegen.recipes_for(found).flatMap((one) => [...one.steps]);
  return [sitegen.answer_html(view, "/"), steps.map((one) => [...one.note_paragraphs])];
})));
"""
"""Write the home page's answer about a model, and the notes of its commands."""
GUESSED = (
    "combo=1x-rtx-3090&model=qwen3.8-27b",
    "combo=1x-rtx-3090&model=qwen3.8-27b&users=4",
    "combo=2x-rtx-3090-nvlink&model=gemma-4-31b-it&runtime=llama-cpp",
    "combo=1x-h100-sxm&model=qwen3.6-27b&runtime=sglang",
    "combo=1x-rtx-4090&model=llama-3.1-8b-instruct",
)
"""Questions to which speculative decoding is an answer, and such to which it is none."""


def test_the_browser_s_answer_names_the_same_gain(tmp_path: Path) -> None:
    catalog, engine = opened_catalog()
    made = browser_program().engine
    texts = [*engine_scripts(made), *data_scripts(catalog, engine, made)]
    script = "\n".join(["globalThis.self = globalThis;", *texts, ANSWER])
    answers: list[Any] = run_script(script, list(GUESSED), tmp_path)
    for question, theirs in zip(GUESSED, answers, strict=True):
        state = home_state(question, catalog)
        combo = combo_of(catalog, state.build, state.combo)
        found = verdict_of(engine, combo, catalog.models[state.model], state.asked)
        assert found is not None
        view = first_view(of_model(combo, found), state, catalog)
        steps = [step for recipe in recipes_for(found) for step in recipe.steps]
        ours = [answer_html(view, "/"), [list(step.note_paragraphs) for step in steps]]
        assert theirs == ours, question
    assert "with speculative decoding" in answers[0][0]
    assert "with speculative decoding" not in answers[1][0]
    assert any("To answer one user faster" in str(notes) for notes in answers[3][1])
    assert not any("To answer one user faster" in str(notes) for notes in answers[4][1])

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
from sitegen.site.composed_address import read_state
from sitegen.survey.composed_build import combo_of, verdict_of
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
process.stdout.write(JSON.stringify(asked.map((text) => {
  const state = sitegen.read_state(text, catalog);
  const combo = sitegen.combo_of(catalog, state.build, state.combo);
  const found = sitegen.verdict_of(engine, combo, catalog.models[state.model], state.asked);
  return found === null ? null : record(found);
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

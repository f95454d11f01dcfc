"""Rows say what ``sitegen fit`` says, whatever builds they were judged beside."""

from __future__ import annotations

import random
from functools import cache

from sitegen.atlas.judging import Row, answer_of, atlas_engine, rows_of
from sitegen.atlas.partitions import Only, Partition, partitions_of, within
from sitegen.cli.questions.fit_request import question_from
from sitegen.fit.assessment import Assessment
from sitegen.fit.fit_engine import FitEngine
from sitegen.survey.gpu_counts import gpus_needed
from sitegen.survey.verdict_policy import answered
from tests.atlas.made import fit_options
from tests.atlas.test_builds import of
from tests.survey.whole_catalog import whole_catalog

ASKED = Only(
    gpu=("rtx-3090", "h100-sxm", "arc-b580"),
    model=("qwen3-30b-a3b", "llama-3.3-70b-instruct", "gpt-oss-20b"),
    gpus=(1, 2, 3, 8),
    nodes=(1, 2),
    context=(8_192, 32_768),
    sequences=(1, 16),
)
SAMPLE = 180


@cache
def judged() -> tuple[tuple[Partition, tuple[Row, ...]], ...]:
    engine = atlas_engine(whole_catalog())
    return tuple((one, tuple(rows_of(engine, one, ASKED))) for one in partitions_of(engine, ASKED))


def rows() -> list[Row]:
    return [row for _, found in judged() for row in found]


@cache
def options() -> dict[str, str]:
    return {build.id: build.fit_options for gpu in ASKED.gpu for build in of(gpu)}


def fit(engine: FitEngine, row: Row) -> Assessment:
    """What the command line answers to the same question."""
    words = [row.model, *options()[row.build].split(), "--runtime", row.runtime]
    words += ["--context", f"{row.context_tokens}", "--sequences", f"{row.sequences}"]
    found = answered(engine, question_from(fit_options(*words), engine))
    assert found is not None
    return found


def test_rows_are_what_fit_answers() -> None:
    engine = FitEngine(whole_catalog())
    drawn = random.Random(7).sample(rows(), SAMPLE)  # noqa: S311 - no secret
    counted = 0
    for row in drawn:
        found = fit(engine, row)
        assert answer_of(found, row.answer.users) == row.answer, row
        if found.plan and found.limits:
            held = found.limits.sequences_at[row.context_tokens]
            assert row.answer.users == held * found.plan.replicas, row
            counted += held > 0
    assert counted
    assert {row.answer.tier for row in drawn} == {"comfortable", "borderline", "not-practical"}


def test_a_comfortable_answer_is_the_answer_with_any_ram() -> None:
    """Such rows repeat the answer without RAM; here they are asked about for themselves."""
    engine = FitEngine(whole_catalog())
    repeated = [r for r in rows() if "+ram-" in r.build and r.answer.tier == "comfortable"]
    drawn = random.Random(11).sample(repeated, 60)  # noqa: S311 - no secret
    assert [
        row for row in drawn if answer_of(fit(engine, row), row.answer.users) != row.answer
    ] == []


def test_what_pages_say_that_a_model_needs_runs_it_in_the_atlas() -> None:
    """Pages choose among runtimes; about the one that they choose both say the same."""
    engine = FitEngine(whole_catalog())
    tiers = {
        (row.build, row.model, row.runtime): row.answer.tier
        for row in rows()
        if (row.context_tokens, row.sequences) == (8_192, 1)
    }
    names = {build.combo().nodes: build.id for gpu in ASKED.gpu for build in of(gpu)}
    compared = 0
    for gpu in ASKED.gpu:
        for need in gpus_needed(engine, engine.catalog.gpus[gpu]):
            key = (names[need.machine.nodes], need.model.id, need.runtime.id)
            if key in tiers:
                assert tiers[key] == need.tier.value, key
                compared += 1
    assert compared >= 5


def test_layers_go_to_ram_only_where_there_is_some() -> None:
    moved = {row.build for row in rows() if row.answer.cpu_layers or row.answer.cpu_expert_layers}
    assert moved
    assert [build for build in moved if "+ram-" not in build] == []


def test_a_partition_has_as_many_rows_as_were_counted_and_none_twice() -> None:
    for partition, found in judged():
        assert len(found) == partition.tuples
        named = {(r.model, r.runtime, r.build, r.context_tokens, r.sequences) for r in found}
        assert len(named) == len(found)


def test_answers_do_not_depend_on_what_was_judged_before() -> None:
    last, found = judged()[-1]
    assert tuple(rows_of(atlas_engine(whole_catalog()), last, ASKED)) == found


def test_a_model_is_asked_about_no_more_than_it_promises() -> None:
    promised = {id_: one.context_tokens for id_, one in whole_catalog().models.items()}
    models = ("gpt2", "phi-4", "qwen3-30b-a3b")
    only = Only(gpu=("rtx-3090",), model=models, gpus=(1,), nodes=(1,))
    engine = atlas_engine(whole_catalog())
    found = [row for one in partitions_of(engine, only) for row in rows_of(engine, one, only)]
    longest = {row.model: row.context_tokens for row in found}
    assert longest == {"gpt2": 1_024, "phi-4": 8_192, "qwen3-30b-a3b": 32_768}
    assert all(longest[model] <= promised[model] for model in longest)


def test_a_limit_takes_the_first_partitions_whole() -> None:
    engine = atlas_engine(whole_catalog())
    every = partitions_of(engine, Only(gpu=("rtx-3090",)))
    some = within(every, every[0].tuples + 1)
    assert some == every[:2]
    assert within(every, 1) == every[:1]
    assert within(every, 10**9) == every


def test_a_runtime_is_asked_only_about_what_it_could_make_a_difference_to() -> None:
    by_runtime: dict[str, set[str]] = {}
    for row in rows():
        by_runtime.setdefault(row.runtime, set()).add(row.build)
    assert any("+nodes-" in build for build in by_runtime["vllm"])
    assert [build for build in by_runtime["vllm"] if "+ram-" in build] == []
    assert [build for build in by_runtime["exllamav2"] if "+nodes-" in build] == []
    assert any("+ram-256" in build for build in by_runtime["llama-cpp"])

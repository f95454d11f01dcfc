"""Every recipe of every combo: the linter knows what it starts, and has nothing against it."""

from __future__ import annotations

from collections import Counter
from functools import cache

from sitegen.catalog.text.source_text import SourceText
from sitegen.lint.files import Linted, lint_scene
from sitegen.lint.reading import read_snippets
from sitegen.lint.snippets import Snippet
from sitegen.physics.plan import PlanKind
from sitegen.problems import Severity
from sitegen.recipes.recipe import Language, Recipe
from sitegen.recipes.target import Target
from tests.lint.support import facts
from tests.recipes.everything import recipes
from tests.survey.whole_catalog import whole_catalog

STARTS = {
    "dynamo", "ik-llama-cpp", "infernet", "llama-cpp", "llama-cpp-rpc", "mlx-lm", "ollama",
    "ray-serve", "sglang", "tabbyapi", "tensorrt-llm", "vllm", "vllm-nodes", "vllm-ray",
}  # fmt: skip
"""Forms whose commands start a model in a way that the linter reads."""


def snippets(recipe: Recipe) -> tuple[SourceText, list[Snippet]]:
    """The steps of a recipe as pieces of one text."""
    source = SourceText(recipe.id, "\n\n".join(step.text for step in recipe.steps))
    pieces, at = [], 0
    for step in recipe.steps:
        pieces.append(Snippet(source, step.text, Language(step.language.value), ((0, at),)))
        at += len(step.text) + 2
    return source, pieces


@cache
def outcomes() -> tuple[tuple[Recipe, Linted], ...]:
    """Every recipe with what the linter says of it."""
    tables = facts().tables
    return tuple(
        (one, lint_scene(read_snippets(*snippets(one), tables), facts(one.assessment.combo.id)))
        for one in recipes()
    )


def test_no_recipe_has_an_error() -> None:
    wrong = [
        f"{one.assessment.combo.id} {one.assessment.model.id} {problem}"
        for one, linted in outcomes()
        for problem in linted.problems
        if problem.severity is Severity.ERROR
    ]
    assert wrong == []


def test_the_only_warning_is_one_that_the_recipe_gives_itself() -> None:
    for one, linted in outcomes():
        for problem in linted.problems:
            target = Target.of(one.assessment)
            assert target is not None
            if problem.code == "partly-in-ram":  # Ollama, where the plan has it so
                plan = one.assessment.plan
                assert plan is not None
                assert plan.kind is PlanKind.OFFLOAD or target.tight
            elif problem.code == "small-steps":  # asked without the policy that enlarges them
                plan = one.assessment.plan
                assert plan is not None
                assert plan.cpu_expert_layers > 0
                assert one.assessment.settings.micro_batch_tokens is None
            else:
                assert problem.code == "may-not-fit"
                assert target.tight


def test_every_combo_with_a_recipe_was_looked_at() -> None:
    started = {one.assessment.combo.id for one, linted in outcomes() if linted.launches}
    assert started == {one.assessment.combo.id for one, _ in outcomes()}
    assert len(started) > len(whole_catalog().combos) * 0.9


def test_the_linter_knows_what_the_forms_start() -> None:
    launches: Counter[str] = Counter()
    for one, linted in outcomes():
        launches[one.id] += linted.launches
        assert linted.without_hardware == 0
    assert {form for form, count in launches.items() if count} == STARTS


def test_plans_were_assessed_and_not_passed_over() -> None:
    judged = {
        answer.combo.id.partition("/")[0]
        for one, _ in outcomes()
        for answer in facts(one.assessment.combo.id).answers
    }
    assert len(judged) > len(whole_catalog().combos) * 0.9


def test_the_options_of_every_call_are_held_against_those_that_were_read() -> None:
    """llama.cpp was once passed over: its steps name an image by the number of its build.

    TensorRT-LLM's options were read at a commit; the steps start a release.
    """
    unknown = {one.id for one, linted in outcomes() if linted.other_versions}
    assert unknown == {"tensorrt-llm"}

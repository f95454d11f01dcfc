"""The driver is looked at before anything is installed or downloaded, where it may be too old."""

from __future__ import annotations

from sitegen.recipes import recipes_for
from sitegen.recipes.recipe import Phase, Recipe
from tests.recipes.everything import asked, recipes


def checked(recipe: Recipe) -> list[int]:
    return [at for at, step in enumerate(recipe.steps) if step.title == "Check the driver"]


def test_packages_for_cuda_13_are_preceded_by_a_look_at_the_driver() -> None:
    for runtime in ("vllm", "sglang"):
        found = asked("8x-h100-sxm", "gpt-oss-120b", runtime, "mxfp4")
        recipe = next(one for one in recipes_for(found) if one.id == runtime)
        (at,) = checked(recipe)
        first = next(n for n, step in enumerate(recipe.steps) if step.phase is Phase.INSTALL)
        assert at < first
        assert "CUDA 13" in recipe.steps[at].note
        assert "580" in recipe.steps[at].expect


def test_no_other_recipe_asks_for_it() -> None:
    unasked = [one for one in recipes() if one.reads in {"llama-cpp", "ollama", "mlx-lm"}]
    assert unasked
    assert not any(map(checked, unasked))
    amd = asked("8x-mi300x", "gpt-oss-120b", "vllm", "mxfp4")
    assert not any(map(checked, recipes_for(amd)))


def test_it_is_looked_at_on_every_machine_that_serves() -> None:
    found = asked("4-nodes-2x-rtx-4090-ray-serve", "qwen3-8b", "vllm", "bf16")
    recipe = next(one for one in recipes_for(found) if one.id == "ray-serve")
    (at,) = checked(recipe)
    assert recipe.steps[at].where == "every node"
